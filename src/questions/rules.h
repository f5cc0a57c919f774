/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules: small functions that examine a table and give advice with numbers.
 *
 * A rule has an id that never changes, a page that explains it (a heading of that name), and a
 * test. It finds columns by name and adds findings; it depends on neither files, options nor sinks.
 * To add one, write the function, list it, explain it on its page and test it on a handmade table.
 *
 *     tacho_findings_init(&findings);
 *     TACHO_TRY(tacho_rules_run(tacho_tt_rules, &table, &findings));
 *     ... tacho_findings_table(&findings, ...)
 *     tacho_findings_deinit(&findings);
 */
#ifndef TACHO_QUESTIONS_RULES_H
#define TACHO_QUESTIONS_RULES_H

#include "table/table.h"

typedef struct tacho_findings tacho_findings;

typedef struct tacho_rule {
    const char *id;
    const char *page; /* docs/NAME.md, which has the id as a heading */
    tacho_status (*check)(const tacho_table *table, tacho_findings *findings);
    bool is_praise; /* there is nothing to change: the table leaves its findings out */
} tacho_rule;

/* The row of a finding that is about the table as a whole. */
#define TACHO_WHOLE_TABLE SIZE_MAX

typedef struct tacho_finding {
    const tacho_rule *rule;
    size_t row; /* of the table, or TACHO_WHOLE_TABLE */
    tacho_str advice;
    int64_t gain_ns; /* possible savings from the advice; 0: not known */
    bool has_start;
    int64_t start_ns; /* of a span or gap to look at */
} tacho_finding;

struct tacho_findings {
    tacho_arena arena;
    const void *more;       /* about the table's rows, of a type that its rules know (optional) */
    const tacho_rule *rule; /* the running rule */
    int64_t gain_ns;        /* taken over by the next finding */
    bool has_start;
    int64_t start_ns;
    tacho_finding *items; /* in the order of rules, then rows */
    size_t item_count, item_capacity;
};

void tacho_findings_init(tacho_findings *findings);
void tacho_findings_deinit(tacho_findings *findings);

/* Adds a finding of the running rule. */
tacho_status tacho_findings_add(tacho_findings *findings, size_t row, const char *format, ...)
    TACHO_PRINTF(3, 4) TACHO_MUST_USE;

/* Runs |rules|, NULL-terminated, one after the other. */
tacho_status tacho_rules_run(const tacho_rule *const *rules, const tacho_table *table,
                             tacho_findings *findings) TACHO_MUST_USE;

/* The column called |name|. A missing column is the caller's mistake and gives 0. */
size_t tacho_rule_column(const tacho_table *table, const char *name);

/* The text of a cell, empty if absent; the number of a cell, NaN if absent. */
tacho_str tacho_rule_text(const tacho_table *table, size_t row, size_t column);
double tacho_rule_number(const tacho_table *table, size_t row, size_t column);

/* A row per finding, the largest gain first: rule, the cells of |columns| in its row, gain, advice,
 * page. */
tacho_status tacho_findings_table(const tacho_findings *findings, const tacho_table *of,
                                  const char *const columns[2],
                                  tacho_table *out_table) TACHO_MUST_USE;

#endif
