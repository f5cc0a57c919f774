/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-02: kernels that only cast.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_casts(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_CAST);
    int64_t gain_ns = sum.ns;
    if (!tacho_facts_are_busy(of) || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "kernels that only cast to another type take %.1f %% of %s, %.0f of them; keep "
        "weights and activations in the type of the computation, or let "
        "torch.compile fuse the casts",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(casts, "K-02");
