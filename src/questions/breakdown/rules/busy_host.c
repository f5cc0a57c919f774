/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-02: long gaps in which the host was late. It does something other than launching.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_rules.h"

#include <stdio.h>

enum { LEAST_PERCENT = 20, LEAST_OF_GAP = 10, NAME_SHOWN = 80, PLACE_BYTES = 3 * NAME_SHOWN };

/* What the host did in most of the time, as far as the profile shows. */
static void print_deed(const tacho_device_facts *of, char *text, size_t size)
{
    const tacho_gap_facts none = {.has_deed = false};
    const tacho_gap_facts *gaps = of->more != NULL ? &of->more->gaps : &none;
    double part =
        gaps->all_ns > 0 ? TACHO_FACTS_PERCENT * (double)gaps->ns / (double)gaps->all_ns : 0;
    int shown = gaps->deed.len < NAME_SHOWN ? (int)gaps->deed.len : NAME_SHOWN;
    if (!gaps->has_deed || part < LEAST_OF_GAP) {
        snprintf(text, size, "the longest gaps of the breakdown show what it does");
    } else if (gaps->deed.len > 0) {
        snprintf(text, size, "%.0f %% of that in gaps in which it is mostly in %.*s", part, shown,
                 gaps->deed.data);
    } else if (gaps->is_at_step) {
        snprintf(text, size,
                 "%.0f %% of that where a step begins and nothing is recorded, as when the input "
                 "is loaded: DataLoader with workers, prefetch",
                 part);
    } else {
        snprintf(text, size, "in %.0f %% of that nothing is recorded: Python or other code", part);
    }
}

static tacho_status check_busy_host(const tacho_device_facts *of, tacho_findings *findings)
{
    double late = tacho_fact_share(of, TACHO_COL_LONG_LATE_NS);
    if (!tacho_facts_have_launches(of) || late < LEAST_PERCENT) {
        return TACHO_OK;
    }
    char deed[PLACE_BYTES];
    print_deed(of, deed, sizeof(deed));
    tacho_facts_set_gain(of, findings, TACHO_COL_LONG_LATE_NS, TACHO_COL_GAP_START_NS);
    return tacho_findings_add(
        findings, of->row,
        "the host launches nothing for 1 ms and longer, %.1f %% of %s in all (%s); do that "
        "beside the %.*s's work, ahead of time, or on the %.*s",
        late, tacho_fact_period(of), deed, TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)),
        TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)));
}

TACHO_DEVICE_RULE(busy_host, "L-02");
