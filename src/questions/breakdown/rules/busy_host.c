/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-02: long gaps in which the host was late. It does something other than launching.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

#include <stdio.h>

enum { LEAST_PERCENT = 20, LEAST_OF_GAP = 10, NAME_SHOWN = 80 };

static tacho_status check_busy_host(const tacho_device_facts *of, tacho_findings *findings)
{
    double late = tacho_fact_share(of, TACHO_COL_LONG_LATE_NS);
    if (!tacho_facts_have_launches(of) || late < LEAST_PERCENT) {
        return TACHO_OK;
    }
    tacho_str deed = tacho_fact_text(of, TACHO_COL_HOST_OP);
    char where[2 * NAME_SHOWN] = "the longest gaps of the breakdown say what it does";
    if (deed.len > 0 && tacho_fact(of, TACHO_COL_HOST_PERCENT) >= LEAST_OF_GAP) {
        int shown = deed.len < NAME_SHOWN ? (int)deed.len : NAME_SHOWN;
        snprintf(where, sizeof(where), "in the longest, %.0f %% of the time in %.*s",
                 tacho_fact(of, TACHO_COL_HOST_PERCENT), shown, deed.data);
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_LONG_LATE_NS, TACHO_COL_GAP_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "the host launches nothing for 1 ms and longer, %.1f %% of %s in all (%s); do that "
        "beside the %.*s's work, ahead of time, or on the %.*s",
        late, tacho_fact_period(of), where, TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)),
        TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)));
}

TACHO_DEVICE_RULE(busy_host, "L-02");
