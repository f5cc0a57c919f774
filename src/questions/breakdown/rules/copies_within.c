/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M-04: memory is copied within the device.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_copies_within(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_COPY_WITHIN);
    int64_t exposed_ns = tacho_facts_least(sum.ns, tacho_fact(of, TACHO_COL_EXPOSED_COPY_NS));
    int64_t gain_ns = tacho_facts_gain_of_pieces(of, sum.count, exposed_ns);
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "copies within the device cost %.1f %% of %s, %.0f of them; remove these "
        "copies (write results in place, views instead of clones, no cat or "
        "contiguous)",
        tacho_fact_part(of, gain_ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(copies_within, "M-04");
