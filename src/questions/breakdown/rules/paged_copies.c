/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M-03: copies to or from memory that is not pinned.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5 };

static tacho_status check_paged_copies(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum sum = tacho_fact_pattern(of, TACHO_PATTERN_COPY_PAGED);
    int64_t gain_ns = tacho_facts_least(sum.ns, tacho_fact(of, TACHO_COL_EXPOSED_COPY_NS));
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, sum.start_ns,
        "copies to or from pageable memory take %.1f %% of %s, %.0f of them, and the host "
        "waits for each; pin the memory (pin_memory=True), copy with "
        "non_blocking=True, and ahead of time (prefetch)",
        tacho_fact_part(of, sum.ns), tacho_fact_period(of), tacho_fact_each(of, sum.count));
}

TACHO_DEVICE_RULE(paged_copies, "M-03");
