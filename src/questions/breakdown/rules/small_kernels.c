/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-07: most of the time goes to kernels too short to fill the device.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 30 };

/* Fused in pairs, half of them remain. */
static tacho_status check_small_kernels(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_SMALL);
    if (!tacho_facts_are_busy(of) || tacho_fact_part(of, sum.ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, sum.ns / 2, sum.start_ns,
        "kernels shorter than 5 us take %.1f %% of %s, %.0f of them, too short to fill the device; "
        "fuse them (torch.compile), or give each more work (larger batches)",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(small_kernels, "K-07");
