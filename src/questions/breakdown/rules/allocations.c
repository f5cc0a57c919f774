/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-08: device memory is allocated or freed while the program runs.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5, LEAST_COUNT = 3 };

static tacho_status check_allocations(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum calls = tacho_fact_pattern(of, TACHO_PATTERN_ALLOCATE);
    int64_t gain_ns = tacho_facts_least(calls.ns, tacho_fact(of, TACHO_COL_HOST_LATE_NS));
    bool repeats = calls.count >= LEAST_COUNT && 2 * calls.longest_ns < calls.ns;
    if (!repeats || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, calls.start_ns,
        "the host allocates or frees memory with the driver %.0f times in %s, %.1f %% of it; "
        "reuse memory (a caching allocator, no empty_cache, sizes that repeat, expandable "
        "segments)",
        tacho_fact_each(of, calls.count), tacho_fact_period(of), tacho_fact_part(of, calls.ns));
}

TACHO_DEVICE_RULE(allocations, "L-08");
