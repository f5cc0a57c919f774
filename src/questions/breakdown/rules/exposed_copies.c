/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M-01: memory is moved alone although work that could hide it runs at other times.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_exposed_copies(const tacho_device_facts *of, tacho_findings *findings)
{
    if (!tacho_facts_show_work(of) ||
        tacho_fact_share(of, TACHO_COL_HIDEABLE_COPY_NS) < LEAST_PERCENT) {
        return TACHO_OK;
    }
    if (tacho_facts_explain_copies(of)) {
        return TACHO_OK;
    }
    bool has_engines =
        tacho_str_equal(tacho_fact_text(of, TACHO_COL_LEVEL), TACHO_STR(TACHO_LEVEL_ENGINES));
    tacho_facts_set_gain(of, findings, TACHO_COL_HIDEABLE_COPY_NS, TACHO_COL_COPY_START_NS);
    return tacho_findings_add(
        findings, of->row, "memory is moved while nothing computes for %.1f %% of %s; %s",
        tacho_fact_share(of, TACHO_COL_EXPOSED_COPY_NS), tacho_fact_period(of),
        has_engines ? "load the next tile while this one is computed (double buffering, smaller "
                      "tiles)"
                    : "copy ahead of time (prefetch, a stream of its own, asynchronous copies "
                      "to and from pinned memory)");
}

TACHO_DEVICE_RULE(exposed_copies, "M-01");
