/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-03: elementwise kernels, one after the other, that could be one.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_elementwise_chains(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_CHAIN);
    int64_t gain_ns = sum.ns;
    if (!tacho_facts_are_busy(of) || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "elementwise kernels follow one another; fused into one kernel per chain "
        "(torch.compile, fused operators), %.0f of them and %.1f %% of %s are "
        "saved",
        tacho_fact_each(of, sum.count), tacho_fact_part(of, sum.ns), tacho_fact_period(of));
}

TACHO_DEVICE_RULE(elementwise_chains, "K-03");
