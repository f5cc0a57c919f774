/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables derived from the facts of devices: verdicts and advice.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_more.h"
#include "questions/breakdown/breakdown_rules.h"
#include "questions/breakdown/breakdown_subjects.h"
#include "base/grow.h"

#include <stdio.h>
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

/* The verdict of a part whose hosts run operators, and no device. */
static tacho_status add_host_verdict(const tacho_breakdown_gather *gather, uint32_t part,
                                     tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_breakdown_device host = {
        .part = part, .group = dict->parts[part].root, .origin = dict->parts[part].origin};
    char text[TACHO_VERDICT_ROOM];
    tacho_breakdown_host_verdict(dict, &gather->hosts[part].time, text);
    if (text[0] == '\0') {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_breakdown_add_named(gather, &host, dict->parts[part].name, table));
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

static tacho_status add_host_verdicts(const tacho_breakdown_gather *gather, tacho_table *table)
{
    for (uint32_t part = 0; part < gather->host_count; part++) {
        if (gather->hosts[part].is_alone) {
            TACHO_TRY(add_host_verdict(gather, part, table));
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
    status = status == TACHO_OK ? add_host_verdicts(gather, out_table) : status;
    close_judgement(&self);
    return status;
}

/* ---- advice -------------------------------------------------------------------------------- */

/* A finding and its gain per step. */
typedef struct ranked_finding {
    const tacho_finding *finding;
    int64_t gain_ns;
    bool is_merged;     /* into one before it */
    size_t other_count; /* that are merged into it */
    int64_t least_ns;   /* gain of these */
} ranked_finding;

/* Findings of one rule in several files are one finding if there are that many of them and the
 * gains are within 1 / ALIKE of the largest. */
enum { LEAST_ALIKE = 3, ALIKE = 5, ADVICE_BYTES = 768 };

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

/* The advice, and in how many other files it is the same. */
static tacho_status add_advice(const ranked_finding *ranked, tacho_table *table)
{
    tacho_str advice = ranked->finding->advice;
    char text[ADVICE_BYTES];
    if (ranked->other_count == 0) {
        return tacho_table_add_text(table, advice);
    }
    snprintf(text, sizeof(text), "%.*s; the same in %zu other profiles, from %.3f ms on",
             TACHO_STR_ARG(advice), ranked->other_count, (double)ranked->least_ns / 1e6);
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
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
    TACHO_TRY(add_advice(ranked, table));
    return tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->page));
}

static uint32_t part_of(const judgement *self, const ranked_finding *ranked)
{
    return self->gather->devices[self->subjects[ranked->finding->row].first].part;
}

/* Whether the two are the same finding in two files. */
static bool are_alike(const judgement *self, const ranked_finding *a, const ranked_finding *b)
{
    const tacho_device_facts of[2] = {facts_of(self, a->finding->row),
                                      facts_of(self, b->finding->row)};
    return !b->is_merged && a->finding->rule == b->finding->rule &&
           part_of(self, a) != part_of(self, b) &&
           tacho_str_equal(tacho_fact_text(&of[0], TACHO_COL_DEVICE),
                           tacho_fact_text(&of[1], TACHO_COL_DEVICE));
}

/* Merges what is like |ranked[at]| into it; findings are sorted by gain. */
static void merge_alike(const judgement *self, ranked_finding *ranked, size_t at, size_t count)
{
    ranked_finding *first = &ranked[at];
    size_t alike = 1;
    size_t end = at + 1;
    for (; end < count && ranked[end].gain_ns >= first->gain_ns - first->gain_ns / ALIKE; end++) {
        alike += are_alike(self, first, &ranked[end]) ? 1 : 0;
    }
    for (size_t i = at + 1; i < end && alike >= LEAST_ALIKE; i++) {
        if (are_alike(self, first, &ranked[i])) {
            ranked[i].is_merged = true;
            first->other_count++;
            first->least_ns = ranked[i].gain_ns;
        }
    }
}

static tacho_status add_ranked(const judgement *self, const tacho_findings *findings,
                               tacho_table *table)
{
    ranked_finding *ranked = NULL;
    tacho_status status = tacho_items_make(&ranked, findings->item_count);
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        const tacho_finding *finding = &findings->items[i];
        const tacho_device_facts of = facts_of(self, finding->row);
        ranked[i] = (ranked_finding){.finding = finding};
        ranked[i].gain_ns = tacho_facts_gain_per_step(&of, finding->gain_ns);
    }
    if (status == TACHO_OK && findings->item_count > 1) {
        qsort(ranked, findings->item_count, sizeof(*ranked), compare_findings);
    }
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        if (!ranked[i].is_merged) {
            merge_alike(self, ranked, i, findings->item_count);
            status = add_finding(self, &ranked[i], table);
        }
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
