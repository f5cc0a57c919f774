/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-02: there is more communication than compute that could hide it.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"
#include "base/whole.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_much_communication(const tacho_device_facts *of, tacho_findings *findings)
{
    double exposed = tacho_fact_share(of, TACHO_COL_EXPOSED_COMMUNICATION_NS);
    double excess = exposed - tacho_fact_share(of, TACHO_COL_HIDEABLE_COMMUNICATION_NS);
    if (!tacho_facts_show_work(of) || excess < LEAST_PERCENT) {
        return TACHO_OK;
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_EXPOSED_COMMUNICATION_NS,
                         TACHO_COL_COMMUNICATION_START_NS);
    findings->gain_ns -= tacho_whole_i64(tacho_fact(of, TACHO_COL_HIDEABLE_COMMUNICATION_NS));
    return tacho_findings_add(
        findings, of->row,
        "communication takes %.1f %% of %s and compute %.1f %%: no overlap can hide it; "
        "communicate less (larger batches, gradient accumulation, smaller types) or look for a "
        "rank that others wait for",
        tacho_fact_share(of, TACHO_COL_COMMUNICATION_NS), tacho_fact_period(of),
        tacho_fact_share(of, TACHO_COL_COMPUTE_NS));
}

TACHO_DEVICE_RULE(much_communication, "C-02");
