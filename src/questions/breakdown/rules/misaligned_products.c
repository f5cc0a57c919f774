/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-06: products in 16 bits whose sizes are no multiple of 8.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_misaligned_products(const tacho_device_facts *of,
                                              tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_MISALIGNED);
    int64_t gain_ns = sum.ns / 2;
    if (!tacho_facts_are_busy(of) || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "products of 16-bit matrices with sizes that are no multiple of 8 take %.1f %% of "
        "%s, %.0f of them; pad these sizes (a vocabulary of 50257 to 50304)",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(misaligned_products, "K-06");
