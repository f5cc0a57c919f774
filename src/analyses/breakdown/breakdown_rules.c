/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rule is a limit and a sentence; numbers are those of the facts.
 */
#include "analyses/breakdown/breakdown_rules.h"

#include <math.h>
#include <stdio.h>

static const char page[] = "docs/breakdown.md";

/* In percent: of the span where nothing else is said. */
enum {
    PERCENT = 100,
    LEAST_WORK = 20,     /* pieces of work, below which a launch says little */
    LEAST_LAUNCHED = 90, /* of the work that has to have a launch */
    LEAST_LATE = 20,
    LEAST_GAP = 20,
    LEAST_QUEUED = 20,
    LEAST_EXPOSED = 10,
    LEAST_BOUND = 40, /* for a verdict */
};

static double fact(const tacho_table *facts, size_t row, tacho_column_id id)
{
    return tacho_rule_number(facts, row, tacho_table_column(facts, id));
}

static double share(const tacho_table *facts, size_t row, tacho_column_id id)
{
    double span = fact(facts, row, TACHO_COL_SPAN_NS);
    return span > 0 ? PERCENT * fact(facts, row, id) / span : 0;
}

/* Whether launches are known well enough to speak of them. */
static bool has_launches(const tacho_table *facts, size_t row)
{
    double work = fact(facts, row, TACHO_COL_COUNT);
    double launched = fact(facts, row, TACHO_COL_LAUNCH_COUNT);
    return work >= LEAST_WORK && PERCENT * launched >= LEAST_LAUNCHED * work;
}

/* How many times as fast without |ns| of the span. */
static double speed_up(const tacho_table *facts, size_t row, double ns)
{
    double span = fact(facts, row, TACHO_COL_SPAN_NS);
    return span > ns ? span / (span - ns) : 1;
}

/* What merges launches, in the words of those who wrote the profile. */
static const char *graphs(const tacho_table *facts, size_t row)
{
    tacho_str made_by =
        tacho_rule_text(facts, row, tacho_table_column(facts, TACHO_COL_GENERATION));
    return tacho_str_equal(made_by, TACHO_STR("kineto")) ? "torch.compile, CUDA or HIP graphs"
                                                         : "graphs, larger batches";
}

/* Sets what the next finding can gain, and where to look. */
static void set_gain(tacho_findings *findings, const tacho_table *facts, size_t row,
                     const tacho_column_id columns[2])
{
    findings->gain_ns = (int64_t)fact(facts, row, columns[0]);
    double start = fact(facts, row, columns[1]);
    findings->has_start = !isnan(start);
    findings->start_ns = isnan(start) ? 0 : (int64_t)start;
}

/* ---- rules --------------------------------------------------------------------------------- */

static tacho_status check_late_launches(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double late = share(facts, row, TACHO_COL_SHORT_LATE_NS);
        if (!has_launches(facts, row) || late < LEAST_LATE) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_SHORT_LATE_NS, TACHO_COL_GAP_START_NS};
        double count = fact(facts, row, TACHO_COL_COUNT);
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "launches come too late for %.1f %% of the span: %.0f pieces of work, %.1f us each, "
            "launched every %.1f us; launch fewer and larger ones (%s)",
            late, count, fact(facts, row, TACHO_COL_BUSY_NS) / count / 1000,
            fact(facts, row, TACHO_COL_SPAN_NS) / count / 1000, graphs(facts, row)));
    }
    return TACHO_OK;
}

static tacho_status check_busy_host(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double late = share(facts, row, TACHO_COL_LONG_LATE_NS);
        if (!has_launches(facts, row) || late < LEAST_LATE) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_LONG_LATE_NS, TACHO_COL_GAP_START_NS};
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "the host launches nothing for 1 ms and longer, %.1f %% of the span in all; 'Longest "
            "gaps' says what it does; do that beside the device's work, or on the device",
            late));
    }
    return TACHO_OK;
}

static tacho_status check_long_gap(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double gap = share(facts, row, TACHO_COL_LONGEST_NS);
        bool is_late = share(facts, row, TACHO_COL_LONG_LATE_NS) >= LEAST_LATE;
        if (fact(facts, row, TACHO_COL_COUNT) < LEAST_WORK || gap < LEAST_GAP || is_late) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_LONGEST_NS, TACHO_COL_GAP_START_NS};
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "one gap is %.1f %% of the span; 'Longest gaps' says what the host did in it", gap));
    }
    return TACHO_OK;
}

static tacho_status check_queued_gaps(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double queued = share(facts, row, TACHO_COL_QUEUED_NS);
        if (!has_launches(facts, row) || queued < LEAST_QUEUED) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_QUEUED_NS, TACHO_COL_GAP_START_NS};
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "the device is idle for %.1f %% of the span with work in its queue; fuse kernels, and "
            "look for waits between streams",
            queued));
    }
    return TACHO_OK;
}

static tacho_status check_exposed_communication(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double exposed = share(facts, row, TACHO_COL_EXPOSED_COMMUNICATION_NS);
        if (exposed < LEAST_EXPOSED) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_EXPOSED_COMMUNICATION_NS,
                                             TACHO_COL_COMMUNICATION_START_NS};
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "communication runs without compute for %.1f %% of the span; start collectives "
            "earlier, in smaller buckets, on a stream of their own",
            exposed));
    }
    return TACHO_OK;
}

static tacho_status check_exposed_copies(const tacho_table *facts, tacho_findings *findings)
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        double exposed = share(facts, row, TACHO_COL_EXPOSED_COPY_NS);
        if (exposed < LEAST_EXPOSED) {
            continue;
        }
        static const tacho_column_id at[] = {TACHO_COL_EXPOSED_COPY_NS, TACHO_COL_COPY_START_NS};
        set_gain(findings, facts, row, at);
        TACHO_TRY(tacho_findings_add(
            findings, row,
            "memory is moved while nothing computes for %.1f %% of the span; move it ahead of "
            "time (prefetch, double buffering, asynchronous copies from pinned memory)",
            exposed));
    }
    return TACHO_OK;
}

const tacho_rule tacho_rule_late_launches = {"L-01", page, check_late_launches};
const tacho_rule tacho_rule_busy_host = {"L-02", page, check_busy_host};
const tacho_rule tacho_rule_long_gap = {"L-03", page, check_long_gap};
const tacho_rule tacho_rule_queued_gaps = {"L-04", page, check_queued_gaps};
const tacho_rule tacho_rule_exposed_communication = {"C-01", page, check_exposed_communication};
const tacho_rule tacho_rule_exposed_copies = {"M-01", page, check_exposed_copies};

const tacho_rule *const tacho_breakdown_rules[] = {
    &tacho_rule_late_launches,
    &tacho_rule_busy_host,
    &tacho_rule_long_gap,
    &tacho_rule_queued_gaps,
    &tacho_rule_exposed_communication,
    &tacho_rule_exposed_copies,
    NULL,
};

/* ---- the verdict --------------------------------------------------------------------------- */

/* Many short gaps are the cost of launches; long ones are what the host does in place of them. */
static void write_host_bound(const tacho_table *facts, size_t row,
                             char out_text[TACHO_VERDICT_ROOM])
{
    double short_ns = fact(facts, row, TACHO_COL_SHORT_LATE_NS);
    double long_ns = fact(facts, row, TACHO_COL_LONG_LATE_NS);
    double idle = share(facts, row, TACHO_COL_IDLE_NS);
    double late = PERCENT * share(facts, row, TACHO_COL_HOST_LATE_NS) / idle;
    if (short_ns >= long_ns) {
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "Host-bound: idle %.1f %% of the span, %.0f %% of it waiting for launches; "
                 "merging launches (%s) can give up to %.1fx.",
                 idle, late, graphs(facts, row), speed_up(facts, row, short_ns));
    } else {
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "Host-bound: idle %.1f %% of the span, %.0f %% of it waiting for launches, mostly "
                 "in gaps of 1 ms and longer; shortening them can give up to %.1fx.",
                 idle, late, speed_up(facts, row, long_ns));
    }
}

void tacho_breakdown_verdict(const tacho_table *facts, size_t row,
                             char out_text[TACHO_VERDICT_ROOM])
{
    double idle = share(facts, row, TACHO_COL_IDLE_NS);
    double late = share(facts, row, TACHO_COL_HOST_LATE_NS);
    double compute = share(facts, row, TACHO_COL_COMPUTE_NS);
    double communication = share(facts, row, TACHO_COL_EXPOSED_COMMUNICATION_NS);
    double copies = share(facts, row, TACHO_COL_EXPOSED_COPY_NS);
    out_text[0] = '\0';
    if (fact(facts, row, TACHO_COL_COUNT) < LEAST_WORK) {
        return;
    }
    if (late >= LEAST_BOUND && has_launches(facts, row)) {
        write_host_bound(facts, row, out_text);
    } else if (communication >= LEAST_BOUND) {
        double gain = speed_up(facts, row, fact(facts, row, TACHO_COL_EXPOSED_COMMUNICATION_NS));
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "Communication-bound: it communicates %.1f %% of the span while nothing "
                 "computes; overlapping the two can give up to %.1fx.",
                 communication, gain);
    } else if (copies >= LEAST_BOUND) {
        double gain = speed_up(facts, row, fact(facts, row, TACHO_COL_EXPOSED_COPY_NS));
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "Transfer-bound: it moves memory %.1f %% of the span while nothing computes; "
                 "overlapping the two can give up to %.1fx.",
                 copies, gain);
    } else if (compute >= 2 * LEAST_BOUND) {
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "Compute-bound: it computes %.1f %% of the span; faster or fewer kernels help.",
                 compute);
    } else {
        snprintf(out_text, TACHO_VERDICT_ROOM,
                 "No single limit: it computes %.1f %% of the span, exposes communication %.1f %% "
                 "and copies %.1f %%, and is idle %.1f %%.",
                 compute, communication, copies, idle);
    }
}
