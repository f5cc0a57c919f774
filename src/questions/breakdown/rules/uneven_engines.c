/* SPDX-License-Identifier: Apache-2.0 */
/*
 * E-01: of several engines of one kind, some work much longer than others.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"
#include "base/whole.h"

enum { LEAST_PERCENT = 10 };

static tacho_status check_uneven_engines(const tacho_device_facts *of, tacho_findings *findings)
{
    tacho_str level = tacho_fact_text(of, TACHO_COL_LEVEL);
    tacho_str word = tacho_fact_text(of, TACHO_COL_ENGINE);
    double busiest = tacho_fact_share(of, TACHO_COL_BUSIEST_NS);
    double mean = tacho_fact_share(of, TACHO_COL_MEAN_BUSY_NS);
    bool is_uneven = word.len > 0 && tacho_fact(of, TACHO_COL_ENGINE_COUNT) > 1 &&
                     busiest - mean >= LEAST_PERCENT;
    if (!is_uneven || !tacho_str_equal(level, TACHO_STR(TACHO_LEVEL_ENGINES))) {
        return TACHO_OK;
    }
    tacho_facts_set_gain(of, findings, TACHO_COL_BUSIEST_NS, TACHO_COL_START_NS);
    findings->gain_ns -= tacho_whole_i64(tacho_fact(of, TACHO_COL_MEAN_BUSY_NS));
    return tacho_findings_add(
        findings, of->row,
        "%.0f engines (%.*s) share the work unevenly: the busiest works %.1f %% of %s, "
        "all on average %.1f %%; divide operators over more of them, or run several inferences at "
        "a time",
        tacho_fact(of, TACHO_COL_ENGINE_COUNT), TACHO_STR_ARG(word), busiest, tacho_fact_period(of),
        mean);
}

TACHO_DEVICE_RULE(uneven_engines, "E-01");
