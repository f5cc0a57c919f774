/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables derived from the facts of devices: verdicts and advice.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_more.h"
#include "questions/breakdown/breakdown_rules.h"
#include "questions/breakdown/breakdown_subjects.h"
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
    TACHO_COLUMN(PERIOD, "of", TEXT),
    TACHO_COLUMN(START_NS, "look at", DURATION),
    TACHO_COLUMN(ADVICE, "advice", TEXT),
    TACHO_COLUMN(PAGE, "page", TEXT),
};

/* Facts, with the subject of each row. */
typedef struct judgement {
    const tacho_breakdown_gather *gather;
    tacho_breakdown_subject *subjects;
    size_t count;
    tacho_table facts;
    tacho_device_more *more; /* by row of facts */
} judgement;

static tacho_status open_judgement(judgement *self, const tacho_breakdown_gather *gather)
{
    *self = (judgement){.gather = gather};
    TACHO_TRY(tacho_breakdown_subjects_make(gather, &self->subjects, &self->count));
    TACHO_TRY(tacho_device_more_make(gather, self->subjects, self->count, &self->more));
    return tacho_breakdown_facts_table(gather, &self->facts);
}

static tacho_device_facts facts_of(const judgement *self, size_t row)
{
    return (tacho_device_facts){&self->facts, row, &self->more[row]};
}

static void close_judgement(judgement *self)
{
    free(self->subjects);
    tacho_device_more_free(self->more, self->count);
    tacho_table_deinit(&self->facts);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static tacho_status add_verdicts(const judgement *self, tacho_table *table)
{
    for (size_t i = 0; i < self->count; i++) {
        char text[TACHO_VERDICT_ROOM];
        const tacho_device_facts of = facts_of(self, i);
        tacho_breakdown_verdict(&of, text);
        if (text[0] != '\0') {
            TACHO_TRY(tacho_breakdown_add_subject(self->gather, &self->subjects[i], table));
            TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(text)));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_verdict_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_VERDICT, TACHO_COL_DEVICE, TACHO_COL_OTHER};
    judgement self;
    tacho_table_init(out_table, "verdict", "Verdict", verdict_columns, COUNT_OF(verdict_columns));
    out_table->kept = kept;
    out_table->whole = kept;
    tacho_status status = open_judgement(&self, gather);
    out_table->is_of_several = self.count > 1;
    status = status == TACHO_OK ? add_verdicts(&self, out_table) : status;
    close_judgement(&self);
    return status;
}

/* ---- advice -------------------------------------------------------------------------------- */

/* A finding and its gain per step. */
typedef struct ranked_finding {
    const tacho_finding *finding;
    int64_t gain_ns;
} ranked_finding;

/* Largest gain first, then in the order of the rules. */
static int compare_findings(const void *left, const void *right)
{
    const ranked_finding *a = left;
    const ranked_finding *b = right;
    if (a->gain_ns != b->gain_ns) {
        return a->gain_ns > b->gain_ns ? -1 : 1;
    }
    return a->finding < b->finding ? -1 : 1; /* both are in one array */
}

static tacho_status add_finding(const judgement *self, const ranked_finding *ranked,
                                tacho_table *table)
{
    const tacho_finding *finding = ranked->finding;
    const tacho_device_facts of = facts_of(self, finding->row);
    TACHO_TRY(tacho_breakdown_add_subject(self->gather, &self->subjects[finding->row], table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->id)));
    TACHO_TRY(tacho_table_add_int(table, ranked->gain_ns));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_fact_period(&of))));
    TACHO_TRY(finding->has_start ? tacho_table_add_int(table, finding->start_ns)
                                 : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, finding->advice));
    return tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->page));
}

static tacho_status add_ranked(const judgement *self, const tacho_findings *findings,
                               tacho_table *table)
{
    ranked_finding *ranked = NULL;
    tacho_status status = tacho_items_make(&ranked, findings->item_count);
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        const tacho_finding *finding = &findings->items[i];
        const tacho_device_facts of = facts_of(self, finding->row);
        ranked[i] = (ranked_finding){finding, tacho_facts_gain_per_step(&of, finding->gain_ns)};
    }
    if (status == TACHO_OK && findings->item_count > 1) {
        qsort(ranked, findings->item_count, sizeof(*ranked), compare_findings);
    }
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        status = add_finding(self, &ranked[i], table);
    }
    free(ranked);
    return status;
}

tacho_status tacho_breakdown_advice_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RULE,   TACHO_COL_GAIN_NS, TACHO_COL_PERIOD,
                                           TACHO_COL_ADVICE, TACHO_COL_DEVICE,  TACHO_COL_FILE,
                                           TACHO_COL_OTHER};
    static const tacho_column_id whole[] = {TACHO_COL_ADVICE, TACHO_COL_OTHER};
    judgement self;
    tacho_findings findings;
    tacho_table_init(out_table, "advice", "Advice", advice_columns, COUNT_OF(advice_columns));
    out_table->kept = kept;
    out_table->whole = whole;
    tacho_findings_init(&findings);
    tacho_status status = open_judgement(&self, gather);
    out_table->is_of_several = self.count > 1;
    findings.more = self.more;
    if (status == TACHO_OK) {
        status = tacho_rules_run(tacho_breakdown_rules, &self.facts, &findings);
    }
    if (status == TACHO_OK) {
        status = add_ranked(&self, &findings, out_table);
    }
    tacho_findings_deinit(&findings);
    close_judgement(&self);
    return status;
}
