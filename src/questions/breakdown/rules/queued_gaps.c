/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-04: the device is idle with work in its queue.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 20 };

static tacho_status check_queued_gaps(const tacho_device_facts *of, tacho_findings *findings)
{
    double queued = tacho_fact_share(of, TACHO_COL_QUEUED_NS);
    if (!tacho_facts_have_launches(of) || queued < LEAST_PERCENT) {
        return TACHO_OK;
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_QUEUED_NS, TACHO_COL_GAP_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "the %.*s is idle for %.1f %% of %s with work in its queue; fuse kernels, and look "
        "for waits between streams",
        TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)), queued, tacho_fact_period(of));
}

TACHO_DEVICE_RULE(queued_gaps, "L-04");
