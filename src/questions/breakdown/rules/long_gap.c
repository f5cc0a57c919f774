/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-03: one gap takes much of the span, and L-02 does not explain it.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

/* A shorter gap does not separate phases of a program; gaps of estimates are start costs. */
enum { LEAST_PERCENT = 20, LEAST_NS = 10000 };

static tacho_status check_long_gap(const tacho_device_facts *of, tacho_findings *findings)
{
    double gap = tacho_fact_share(of, TACHO_COL_LONGEST_NS);
    bool is_late = tacho_facts_have_launches(of) &&
                   tacho_fact_share(of, TACHO_COL_LONG_LATE_NS) >= LEAST_PERCENT;
    bool is_measured =
        tacho_str_equal(tacho_fact_text(of, TACHO_COL_ORIGIN), TACHO_STR("measured"));
    bool is_long = tacho_fact(of, TACHO_COL_LONGEST_NS) >= LEAST_NS;
    if (gap < LEAST_PERCENT || !is_long || !is_measured || is_late) {
        return TACHO_OK;
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_LONGEST_NS, TACHO_COL_GAP_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "one gap is %.1f %% of %s; if it separates two phases of the program, look at each "
        "alone",
        gap, tacho_fact(of, TACHO_COL_STEP_COUNT) > 0 ? "all steps" : "the span");
}

TACHO_DEVICE_RULE(long_gap, "L-03");
