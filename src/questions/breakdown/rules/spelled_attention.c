/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-08: attention as a softmax between two products, kernel by kernel.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_spelled_attention(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_ATTENTION);
    int64_t gain_ns = tacho_facts_gain_of_pieces(of, sum.count, sum.ns);
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "attention is spelled out: scaling, masks and softmax between its products cost "
        "%.1f %% of %s, %.0f kernels; use one fused operator "
        "(scaled_dot_product_attention, FlashAttention)",
        tacho_fact_part(of, gain_ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(spelled_attention, "K-08");
