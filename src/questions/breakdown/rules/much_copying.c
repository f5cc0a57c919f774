/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M-02: there is more copying than work that could hide it.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"
#include "base/whole.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_much_copying(const tacho_device_facts *of, tacho_findings *findings)
{
    double exposed = tacho_fact_share(of, TACHO_COL_EXPOSED_COPY_NS);
    double excess = exposed - tacho_fact_share(of, TACHO_COL_HIDEABLE_COPY_NS);
    if (!tacho_facts_show_work(of) || excess < LEAST_PERCENT) {
        return TACHO_OK;
    }
    if (tacho_facts_explain_copies(of)) {
        return TACHO_OK;
    }
    bool has_engines =
        tacho_str_equal(tacho_fact_text(of, TACHO_COL_LEVEL), TACHO_STR(TACHO_LEVEL_ENGINES));
    tacho_facts_set_gain(of, findings, TACHO_COL_EXPOSED_COPY_NS, TACHO_COL_COPY_START_NS);
    findings->gain_ns -= tacho_whole_i64(tacho_fact(of, TACHO_COL_HIDEABLE_COPY_NS));
    return tacho_findings_add(
        findings, of->row,
        "memory is moved %.1f %% of %s and compute takes %.1f %%: no overlap can hide it; %s",
        tacho_fact_share(of, TACHO_COL_COPY_NS), tacho_fact_period(of),
        tacho_fact_share(of, TACHO_COL_COMPUTE_NS),
        has_engines ? "move less (fuse operators, keep tensors in local memory, smaller types)"
                    : "move less (keep data on the device, smaller types, fewer results)");
}

TACHO_DEVICE_RULE(much_copying, "M-02");
