/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-01: communication runs alone although compute that could hide it runs at other times.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_exposed_communication(const tacho_device_facts *of,
                                                tacho_findings *findings)
{
    if (!tacho_facts_show_work(of) ||
        tacho_fact_share(of, TACHO_COL_HIDEABLE_COMMUNICATION_NS) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_HIDEABLE_COMMUNICATION_NS,
                         TACHO_COL_COMMUNICATION_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "communication runs without compute for %.1f %% of %s; start collectives earlier, "
        "in smaller buckets, on a stream of their own",
        tacho_fact_share(of, TACHO_COL_EXPOSED_COMMUNICATION_NS), tacho_fact_period(of));
}

TACHO_DEVICE_RULE(exposed_communication, "C-01");
