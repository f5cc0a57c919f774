/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of what is made of the facts of devices: verdicts and advice.
 */
#include "analyses/breakdown/breakdown.h"
#include "analyses/breakdown/breakdown_rules.h"
#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column verdict_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(VERDICT, "verdict", TEXT),
};

static const tacho_column advice_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(RULE, "rule", TEXT),
    TACHO_COLUMN(GAIN_NS, "can gain", DURATION),
    TACHO_COLUMN(START_NS, "look at", DURATION),
    TACHO_COLUMN(ADVICE, "advice", TEXT),
    TACHO_COLUMN(PAGE, "page", TEXT),
};

/* ---- verdicts ------------------------------------------------------------------------------ */

static tacho_status add_verdicts(const tacho_breakdown_gather *gather, const tacho_table *facts,
                                 tacho_table *table)
{
    for (size_t i = 0; i < gather->device_count; i++) {
        char text[TACHO_VERDICT_ROOM];
        tacho_breakdown_verdict(facts, i, text);
        if (text[0] != '\0') {
            TACHO_TRY(tacho_breakdown_add_who(gather, &gather->devices[i], table));
            TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(text)));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_verdict_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_VERDICT, TACHO_COL_DEVICE, TACHO_COL_OTHER};
    tacho_table facts = {0};
    tacho_table_init(out_table, "verdict", "Verdict", verdict_columns, COUNT_OF(verdict_columns));
    out_table->kept = kept;
    out_table->whole = kept;
    out_table->is_of_several = gather->device_count > 1;
    tacho_status status = tacho_breakdown_facts_table(gather, &facts);
    if (status == TACHO_OK) {
        status = add_verdicts(gather, &facts, out_table);
    }
    tacho_table_deinit(&facts);
    return status;
}

/* ---- advice -------------------------------------------------------------------------------- */

/* What gains most first, else in the order of the rules. */
static int compare_findings(const void *left, const void *right)
{
    const tacho_finding *a = *(const tacho_finding *const *)left;
    const tacho_finding *b = *(const tacho_finding *const *)right;
    if (a->gain_ns != b->gain_ns) {
        return a->gain_ns > b->gain_ns ? -1 : 1;
    }
    return a < b ? -1 : 1; /* they lie in one array */
}

static tacho_status add_finding(const tacho_breakdown_gather *gather, const tacho_finding *finding,
                                tacho_table *table)
{
    TACHO_TRY(tacho_breakdown_add_who(gather, &gather->devices[finding->row], table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->id)));
    TACHO_TRY(tacho_table_add_int(table, finding->gain_ns));
    TACHO_TRY(finding->has_start ? tacho_table_add_int(table, finding->start_ns)
                                 : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, finding->advice));
    return tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->page));
}

static tacho_status add_ranked(const tacho_breakdown_gather *gather, const tacho_findings *findings,
                               tacho_table *table)
{
    const tacho_finding **ranked = NULL;
    tacho_status status = tacho_items_make(&ranked, findings->item_count);
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        ranked[i] = &findings->items[i];
    }
    if (status == TACHO_OK && findings->item_count > 1) {
        qsort(ranked, findings->item_count, sizeof(*ranked), compare_findings);
    }
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        status = add_finding(gather, ranked[i], table);
    }
    free(ranked);
    return status;
}

tacho_status tacho_breakdown_advice_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RULE,   TACHO_COL_GAIN_NS, TACHO_COL_ADVICE,
                                           TACHO_COL_DEVICE, TACHO_COL_FILE,    TACHO_COL_OTHER};
    static const tacho_column_id whole[] = {TACHO_COL_ADVICE, TACHO_COL_OTHER};
    tacho_table facts = {0};
    tacho_findings findings;
    tacho_table_init(out_table, "advice", "Advice", advice_columns, COUNT_OF(advice_columns));
    out_table->kept = kept;
    out_table->whole = whole;
    out_table->is_of_several = gather->device_count > 1;
    tacho_findings_init(&findings);
    tacho_status status = tacho_breakdown_facts_table(gather, &facts);
    if (status == TACHO_OK) {
        status = tacho_rules_run(tacho_breakdown_rules, &facts, &findings);
    }
    if (status == TACHO_OK) {
        status = add_ranked(gather, &findings, out_table);
    }
    tacho_findings_deinit(&findings);
    tacho_table_deinit(&facts);
    return status;
}
