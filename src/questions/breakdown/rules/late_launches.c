/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-01: many short gaps in which the host was late. The device is faster than the calls that feed
 * it.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

enum { LEAST_PERCENT = 20, NS_PER_US = 1000 };

const char *tacho_breakdown_graphs(const tacho_device_facts *of)
{
    tacho_str api = tacho_fact_text(of, TACHO_COL_API);
    if (!tacho_facts_are_of_torch_gpu(of)) {
        return "graphs, larger batches";
    }
    return tacho_str_equal(api, TACHO_STR("CUDA"))  ? "torch.compile, CUDA graphs"
           : tacho_str_equal(api, TACHO_STR("HIP")) ? "torch.compile, HIP graphs"
                                                    : "torch.compile, CUDA or HIP graphs";
}

static tacho_status check_late_launches(const tacho_device_facts *of, tacho_findings *findings)
{
    double late = tacho_fact_share(of, TACHO_COL_SHORT_LATE_NS);
    if (!tacho_facts_have_launches(of) || late < LEAST_PERCENT) {
        return TACHO_OK;
    }
    double count = tacho_fact(of, TACHO_COL_COUNT);
    double steps = tacho_fact(of, TACHO_COL_STEP_COUNT);
    tacho_facts_set_gain(of, findings, TACHO_COL_SHORT_LATE_NS, TACHO_COL_GAP_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "launches come too late for %.1f %% of %s: %.0f pieces of work, %.1f us each, "
        "launched every %.1f us; launch fewer and larger ones (%s)",
        late, tacho_fact_period(of), steps > 1 ? count / steps : count,
        tacho_fact(of, TACHO_COL_BUSY_NS) / count / NS_PER_US,
        tacho_fact(of, TACHO_COL_SPAN_NS) / count / NS_PER_US, tacho_breakdown_graphs(of));
}

TACHO_DEVICE_RULE(late_launches, "L-01");
