/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-01: many short gaps in which the host was late. The device is faster than the calls that feed
 * it.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"
#include "base/whole.h"

#include <stdio.h>

enum { LEAST_PERCENT = 20, NS_PER_US = 1000, FUSABLE_BYTES = 200 };

/* Fusing is mentioned if it saves 1 / FEWEST of the launches. */
enum { FEWEST = 10 };

const char *tacho_breakdown_graphs(const tacho_device_facts *of)
{
    tacho_str api = tacho_fact_text(of, TACHO_COL_API);
    if (!tacho_facts_are_of_torch_gpu(of)) {
        return "larger batches, graphs";
    }
    return tacho_str_equal(api, TACHO_STR("CUDA"))
               ? "larger batches or sequences, CUDA graphs, torch.compile"
           : tacho_str_equal(api, TACHO_STR("HIP"))
               ? "larger batches or sequences, HIP graphs, torch.compile"
               : "larger batches or sequences, CUDA or HIP graphs, torch.compile";
}

/* Work that follows work without launches between still takes that long to start. */
enum { START_NS = 1000 };

int64_t tacho_breakdown_launch_gain(const tacho_device_facts *of)
{
    double late_ns = tacho_fact(of, TACHO_COL_SHORT_LATE_NS);
    double floor_ns =
        tacho_fact(of, TACHO_COL_BUSY_NS) + START_NS * tacho_fact(of, TACHO_COL_COUNT);
    double room_ns = tacho_fact(of, TACHO_COL_SPAN_NS) - floor_ns;
    return tacho_whole_i64(late_ns < room_ns ? late_ns : room_ns);
}

/* "; 194 of them continue elementwise chains, 270 cast: torch.compile, which fuses these, can
 * give 1.3x". */
static void print_fusable(const tacho_device_facts *of, char *text, size_t size)
{
    const tacho_pattern_sum chains = tacho_fact_pattern(of, TACHO_PATTERN_CHAIN);
    const tacho_pattern_sum casts = tacho_fact_pattern(of, TACHO_PATTERN_CAST);
    double count = tacho_fact(of, TACHO_COL_COUNT);
    double rest = count - (double)chains.count;
    text[0] = '\0';
    if (FEWEST * (double)chains.count >= count && rest > 0) {
        snprintf(text, size,
                 "; fusing the %.0f that continue elementwise chains (%.0f pieces only cast), as "
                 "torch.compile does, can give %.1fx",
                 tacho_fact_each(of, chains.count), tacho_fact_each(of, casts.count), count / rest);
    }
}

static tacho_status check_late_launches(const tacho_device_facts *of, tacho_findings *findings)
{
    double late = tacho_fact_share(of, TACHO_COL_SHORT_LATE_NS);
    int64_t gain_ns = tacho_breakdown_launch_gain(of);
    if (!tacho_facts_have_launches(of) || late < LEAST_PERCENT || gain_ns <= 0) {
        return TACHO_OK;
    }
    double count = tacho_fact(of, TACHO_COL_COUNT);
    double steps = tacho_fact(of, TACHO_COL_STEP_COUNT);
    char fusable[FUSABLE_BYTES];
    print_fusable(of, fusable, sizeof(fusable));
    return tacho_facts_add_finding(
        of, findings, gain_ns, tacho_whole_i64(tacho_fact(of, TACHO_COL_GAP_START_NS)),
        "launches come too late for %.1f %% of %s: %.0f pieces of work, %.1f us each, "
        "launched every %.1f us; launch fewer and larger ones (%s)%s",
        late, tacho_fact_period(of), steps > 1 ? count / steps : count,
        tacho_fact(of, TACHO_COL_BUSY_NS) / count / NS_PER_US,
        tacho_fact(of, TACHO_COL_SPAN_NS) / count / NS_PER_US, tacho_breakdown_graphs(of), fusable);
}

TACHO_DEVICE_RULE(late_launches, "L-01");
