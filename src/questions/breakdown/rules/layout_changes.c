/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-01: kernels that only change the order of dimensions.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_layout_changes(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_LAYOUT);
    int64_t gain_ns = tacho_facts_gain_of_pieces(of, sum.count, sum.ns);
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "kernels that change the layout of tensors (NCHW to NHWC and back, transposes) cost "
        "%.1f %% of %s, %.0f of them; keep tensors in one layout throughout "
        "(channels_last)",
        tacho_fact_part(of, gain_ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(layout_changes, "K-01");
