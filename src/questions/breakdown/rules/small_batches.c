/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-07: several small passes before each update of the weights.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

#include "base/whole.h"

enum { LEAST_PERCENT = 10, LEAST_PASSES = 2 };

/* One pass with all data launches as much as one of the small ones; the work stays. */
static tacho_status check_small_batches(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum passes = tacho_fact_pattern(of, TACHO_PATTERN_PASS);
    const tacho_pattern_sum calls = tacho_fact_pattern(of, TACHO_PATTERN_OPTIMIZER_CALL);
    double span_ns = tacho_fact(of, TACHO_COL_SPAN_NS);
    double each = calls.count > 0 ? (double)passes.count / (double)calls.count : 0;
    if (tacho_facts_are_busy(of) || each < LEAST_PASSES) {
        return TACHO_OK;
    }
    double busy_ns = tacho_fact(of, TACHO_COL_BUSY_NS);
    double rest_ns = span_ns / each > busy_ns ? span_ns / each : busy_ns;
    int64_t gain_ns = tacho_whole_i64(span_ns - rest_ns);
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, calls.start_ns,
        "%.0f forward and backward passes precede each update (gradient accumulation), each with "
        "launches of its own, which the device waits for; larger micro-batches, fewer of them, do "
        "the same with fewer launches",
        each);
}

TACHO_DEVICE_RULE(small_batches, "L-07");
