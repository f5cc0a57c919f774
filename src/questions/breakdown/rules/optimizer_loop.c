/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-06: the optimiser updates tensor by tensor.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

#include "base/whole.h"

/* A fused optimiser launches some 10 kernels; one for groups of tensors (foreach) some 50. */
enum { LEAST_PERCENT = 5, LEAST_LAUNCHES = 100, FUSED_LAUNCHES = 10, PERCENT = 100 };

/* Fused, each value is read and written once, not once per operator. */
enum { SAVED_PERCENT = 70 };

static tacho_status check_optimizer_loop(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum work = tacho_fact_pattern(of, TACHO_PATTERN_OPTIMIZER);
    const tacho_pattern_sum calls = tacho_fact_pattern(of, TACHO_PATTERN_OPTIMIZER_CALL);
    double each = calls.count > 0 ? (double)work.count / (double)calls.count : 0;
    int64_t gain_ns = work.ns / PERCENT * SAVED_PERCENT;
    if (!tacho_facts_are_busy(of) && each > 0) {
        gain_ns = tacho_whole_i64((double)calls.ns * (1 - FUSED_LAUNCHES / each));
    }
    if (each < LEAST_LAUNCHES || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, calls.start_ns,
        "the optimiser launches %.0f kernels, tensor by tensor, and takes %.1f %% of %s; update "
        "all tensors at once (fused=True or foreach=True)",
        each, tacho_fact_part(of, tacho_facts_are_busy(of) ? work.ns : calls.ns),
        tacho_fact_period(of));
}

TACHO_DEVICE_RULE(optimizer_loop, "L-06");
