/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-05: the host waits for the device, which then waits for the host.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

#include <stdio.h>

enum { LEAST_PERCENT = 3, TIMES_BYTES = 32 };

static tacho_status check_host_waits(const tacho_device_facts *of, tacho_findings *findings)
{
    const tacho_pattern_sum values = tacho_fact_pattern(of, TACHO_PATTERN_VALUE);
    const tacho_pattern_sum waits = tacho_fact_pattern(of, TACHO_PATTERN_WAIT);
    bool is_value = values.ns >= waits.ns;
    int64_t gain_ns = values.ns + waits.ns;
    if (tacho_fact_part(of, gain_ns) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    char times[TIMES_BYTES];
    double each = tacho_fact_each(of, values.count + waits.count);
    snprintf(times, sizeof(times), each < 2 ? "once" : "%.0f times", each);
    return tacho_facts_add_finding(
        of, findings, gain_ns, is_value ? values.start_ns : waits.start_ns,
        "the host waits for the device %s in %s (%s), after which the device is idle until "
        "the next launch: %.1f %% of %s; %s",
        times, tacho_fact_period(of), is_value ? ".item() and the like" : "synchronisation",
        tacho_fact_part(of, gain_ns), tacho_fact_period(of),
        is_value ? "keep values on the device, and read them rarely"
                 : "synchronise rarely, with events instead of whole devices");
}

TACHO_DEVICE_RULE(host_waits, "L-05");
