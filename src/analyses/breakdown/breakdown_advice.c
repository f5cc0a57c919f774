/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of devices for rules, and tables of what is made of them: verdicts and advice.
 */
#include "analyses/breakdown/breakdown.h"
#include "analyses/breakdown/breakdown_rules.h"
#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KIND(name) (1U << TACHO_WORK_##name)

static const tacho_column fact_columns[] = {
    TACHO_COLUMN(GENERATION, "made by", TEXT),
    TACHO_COLUMN(COUNT, "work", INT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", INT),
    TACHO_COLUMN(SPAN_NS, "span", DURATION),
    TACHO_COLUMN(BUSY_NS, "busy", DURATION),
    TACHO_COLUMN(COMPUTE_NS, "compute", DURATION),
    TACHO_COLUMN(EXPOSED_COMMUNICATION_NS, "exposed", DURATION),
    TACHO_COLUMN(COMMUNICATION_START_NS, "longest at", DURATION),
    TACHO_COLUMN(EXPOSED_COPY_NS, "exposed copy", DURATION),
    TACHO_COLUMN(COPY_START_NS, "longest at", DURATION),
    TACHO_COLUMN(IDLE_NS, "idle", DURATION),
    TACHO_COLUMN(HOST_LATE_NS, "host late", DURATION),
    TACHO_COLUMN(SHORT_LATE_NS, "in short gaps", DURATION),
    TACHO_COLUMN(LONG_LATE_NS, "in long gaps", DURATION),
    TACHO_COLUMN(QUEUED_NS, "queued", DURATION),
    TACHO_COLUMN(LONGEST_NS, "longest gap", DURATION),
    TACHO_COLUMN(GAP_START_NS, "at", DURATION),
};

static const tacho_column verdict_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(DEVICE, "device", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(VERDICT, "verdict", TEXT),
};

static const tacho_column advice_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(DEVICE, "device", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(RULE, "rule", TEXT),
    TACHO_COLUMN(GAIN_NS, "can gain", DURATION),
    TACHO_COLUMN(START_NS, "look at", DURATION),
    TACHO_COLUMN(ADVICE, "advice", TEXT),
    TACHO_COLUMN(PAGE, "page", TEXT),
};

/* ---- facts --------------------------------------------------------------------------------- */

/* When work of |any| and none of |none| was done for the longest at a stretch. */
static tacho_status add_longest(const tacho_kind_time *time, unsigned any, unsigned none,
                                tacho_table *table)
{
    int64_t start_ns = 0;
    int64_t length_ns = 0;
    for (unsigned i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        bool is_it = (i & any) != 0 && (i & none) == 0;
        if (is_it && time->longest[i].length_ns > length_ns) {
            start_ns = time->longest[i].start_ns;
            length_ns = time->longest[i].length_ns;
        }
    }
    return length_ns > 0 ? tacho_table_add_int(table, start_ns) : tacho_table_add_absent(table);
}

static tacho_status add_work_facts(const tacho_kind_time *time, tacho_table *table)
{
    const unsigned both = KIND(COMPUTE) | KIND(COMMUNICATION);
    int64_t busy = tacho_kind_time_sum(time, both | KIND(COPY), 0);
    int64_t exposed = tacho_kind_time_sum(time, KIND(COMMUNICATION), KIND(COMPUTE));
    TACHO_TRY(tacho_table_add_int(table, busy));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COMPUTE), 0)));
    TACHO_TRY(tacho_table_add_int(table, exposed));
    TACHO_TRY(add_longest(time, KIND(COMMUNICATION), KIND(COMPUTE), table));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COPY), both)));
    return add_longest(time, KIND(COPY), both, table);
}

static tacho_status add_facts(const tacho_breakdown_gather *gather,
                              const tacho_breakdown_device *device, tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_idle_time *idle = &device->time.idle;
    uint64_t work_count = 0;
    uint64_t launch_count = 0;
    for (size_t i = 0; i < device->stream_count; i++) {
        work_count += device->time.streams[i].work_count;
        launch_count += device->streams[i].launches.count;
    }
    TACHO_TRY(
        tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[device->part].generation)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)work_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)launch_count));
    TACHO_TRY(tacho_table_add_int(table, tacho_device_time_span(&device->time)));
    TACHO_TRY(add_work_facts(&device->time.busy, table));
    TACHO_TRY(tacho_table_add_int(table, tacho_idle_time_sum(idle)));
    int64_t late_ns = idle->causes[TACHO_IDLE_HOST_LATE];
    TACHO_TRY(tacho_table_add_int(table, late_ns));
    TACHO_TRY(tacho_table_add_int(table, late_ns - idle->long_late_ns));
    TACHO_TRY(tacho_table_add_int(table, idle->long_late_ns));
    TACHO_TRY(tacho_table_add_int(table, idle->causes[TACHO_IDLE_QUEUED]));
    TACHO_TRY(tacho_table_add_int(table, idle->longest_ns));
    return idle->gap_count > 0 ? tacho_table_add_int(table, idle->longest_start_ns)
                               : tacho_table_add_absent(table);
}

tacho_status tacho_breakdown_facts_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table)
{
    tacho_table_init(out_table, "facts", "Facts", fact_columns, COUNT_OF(fact_columns));
    for (size_t i = 0; i < gather->device_count; i++) {
        TACHO_TRY(add_facts(gather, &gather->devices[i], out_table));
    }
    return TACHO_OK;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static tacho_status add_verdicts(const tacho_breakdown_gather *gather, const tacho_table *facts,
                                 tacho_table *table)
{
    for (size_t i = 0; i < gather->device_count; i++) {
        char text[TACHO_VERDICT_ROOM];
        tacho_breakdown_verdict(facts, i, text);
        if (text[0] != '\0') {
            TACHO_TRY(tacho_breakdown_add_who(gather, &gather->devices[i], table));
            TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(text)));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_verdict_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_VERDICT, TACHO_COL_DEVICE, TACHO_COL_OTHER};
    tacho_table facts = {0};
    tacho_table_init(out_table, "verdict", "Verdict", verdict_columns, COUNT_OF(verdict_columns));
    out_table->kept = kept;
    out_table->whole = kept;
    tacho_status status = tacho_breakdown_facts_table(gather, &facts);
    if (status == TACHO_OK) {
        status = add_verdicts(gather, &facts, out_table);
    }
    tacho_table_deinit(&facts);
    return status;
}

/* ---- advice -------------------------------------------------------------------------------- */

/* What gains most first, else in the order of the rules. */
static int compare_findings(const void *left, const void *right)
{
    const tacho_finding *a = *(const tacho_finding *const *)left;
    const tacho_finding *b = *(const tacho_finding *const *)right;
    if (a->gain_ns != b->gain_ns) {
        return a->gain_ns > b->gain_ns ? -1 : 1;
    }
    return a < b ? -1 : 1; /* they lie in one array */
}

static tacho_status add_finding(const tacho_breakdown_gather *gather, const tacho_finding *finding,
                                tacho_table *table)
{
    TACHO_TRY(tacho_breakdown_add_who(gather, &gather->devices[finding->row], table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->id)));
    TACHO_TRY(tacho_table_add_int(table, finding->gain_ns));
    TACHO_TRY(finding->has_start ? tacho_table_add_int(table, finding->start_ns)
                                 : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, finding->advice));
    return tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->page));
}

static tacho_status add_ranked(const tacho_breakdown_gather *gather, const tacho_findings *findings,
                               tacho_table *table)
{
    const tacho_finding **ranked = NULL;
    tacho_status status = tacho_items_make(&ranked, findings->item_count);
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        ranked[i] = &findings->items[i];
    }
    if (status == TACHO_OK && findings->item_count > 1) {
        qsort(ranked, findings->item_count, sizeof(*ranked), compare_findings);
    }
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        status = add_finding(gather, ranked[i], table);
    }
    free(ranked);
    return status;
}

tacho_status tacho_breakdown_advice_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RULE,   TACHO_COL_GAIN_NS, TACHO_COL_ADVICE,
                                           TACHO_COL_DEVICE, TACHO_COL_FILE,    TACHO_COL_OTHER};
    static const tacho_column_id whole[] = {TACHO_COL_ADVICE, TACHO_COL_OTHER};
    tacho_table facts = {0};
    tacho_findings findings;
    tacho_table_init(out_table, "advice", "Advice", advice_columns, COUNT_OF(advice_columns));
    out_table->kept = kept;
    out_table->whole = whole;
    tacho_findings_init(&findings);
    tacho_status status = tacho_breakdown_facts_table(gather, &facts);
    if (status == TACHO_OK) {
        status = tacho_rules_run(tacho_breakdown_rules, &facts, &findings);
    }
    if (status == TACHO_OK) {
        status = add_ranked(gather, &findings, out_table);
    }
    tacho_findings_deinit(&findings);
    tacho_table_deinit(&facts);
    return status;
}
