/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-05: normalisations in f32 beside products of 16 bits.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

/* They are bound by memory, so half as many bytes take half as long. */
static tacho_status check_wide_norms(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_F32_NORM);
    const tacho_pattern_sum half = tacho_fact_pattern(of, TACHO_PATTERN_HALF);
    if (!tacho_facts_are_busy(of) || half.count == 0 ||
        tacho_fact_part(of, sum.ns / 2) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, sum.ns / 2, sum.start_ns,
        "normalisations read and write f32 for %.1f %% of %s, beside products of 16 bits; keep "
        "their inputs and outputs in 16 bits (sums inside the kernel stay f32)",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of));
}

TACHO_DEVICE_RULE(wide_norms, "K-05");
