/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-09: code is compiled or loaded while the program runs.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 5, LEAST_COUNT = 3 };

static tacho_status check_compilations(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum calls = tacho_fact_pattern(of, TACHO_PATTERN_COMPILE);
    int64_t gain_ns = tacho_facts_least(calls.ns, tacho_fact(of, TACHO_COL_HOST_LATE_NS));
    bool repeats = calls.count >= LEAST_COUNT && 2 * calls.longest_ns < calls.ns;
    if (!repeats || tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    return tacho_facts_add_finding(
        of, findings, gain_ns, calls.start_ns,
        "the host compiles or loads code %.0f times in %s, %.1f %% of it; "
        "compile ahead of time, keep shapes the same (dynamic=True, padding), and cache what was "
        "compiled",
        tacho_fact_each(of, calls.count), tacho_fact_period(of), tacho_fact_part(of, calls.ns));
}

TACHO_DEVICE_RULE(compilations, "L-09");
