/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs rules and keeps their findings.
 */
#include "questions/rules.h"

#include "base/grow.h"
#include "base/whole.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ADVICE_BYTES = 512 };

void tacho_findings_init(tacho_findings *findings)
{
    *findings = (tacho_findings){.rule = NULL};
    tacho_arena_init(&findings->arena);
}

void tacho_findings_deinit(tacho_findings *findings)
{
    tacho_arena_deinit(&findings->arena);
    free(findings->items);
}

tacho_status tacho_findings_add(tacho_findings *findings, size_t row, const char *format, ...)
{
    char text[ADVICE_BYTES];
    va_list values;
    va_start(values, format);
    int len = vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    size_t kept = len < 0 ? 0 : (size_t)len;
    kept = kept < sizeof(text) ? kept : sizeof(text) - 1;
    TACHO_TRY(tacho_grow(&findings->items, &findings->item_capacity, findings->item_count + 1));
    tacho_finding *added = &findings->items[findings->item_count];
    *added = (tacho_finding){.rule = findings->rule,
                             .row = row,
                             .gain_ns = findings->gain_ns,
                             .has_start = findings->has_start,
                             .start_ns = findings->start_ns};
    findings->gain_ns = 0;
    findings->has_start = false;
    TACHO_TRY(tacho_arena_copy(&findings->arena, tacho_str_make(text, kept), &added->advice));
    findings->item_count++;
    return TACHO_OK;
}

tacho_status tacho_rules_run(const tacho_rule *const *rules, const tacho_table *table,
                             tacho_findings *findings)
{
    for (; *rules != NULL; rules++) {
        findings->rule = *rules;
        TACHO_TRY((*rules)->check(table, findings));
    }
    return TACHO_OK;
}

size_t tacho_rule_column(const tacho_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(tacho_column_name(&table->columns[i]), name) == 0) {
            return i;
        }
    }
    assert(false && "the rule is not for this table");
    return 0;
}

tacho_str tacho_rule_text(const tacho_table *table, size_t row, size_t column)
{
    const tacho_cell *cell = tacho_table_cell(table, row, column);
    bool is_text = table->columns[column].type == TACHO_COLUMN_TEXT;
    return is_text && !cell->is_absent ? cell->value.text : TACHO_STR("");
}

double tacho_rule_number(const tacho_table *table, size_t row, size_t column)
{
    const tacho_cell *cell = tacho_table_cell(table, row, column);
    tacho_column_type type = table->columns[column].type;
    if (cell->is_absent || type == TACHO_COLUMN_TEXT || type == TACHO_COLUMN_PICTURE) {
        return (double)NAN;
    }
    bool is_real = type == TACHO_COLUMN_REAL || type == TACHO_COLUMN_PERCENT;
    return is_real ? cell->value.real : (double)cell->value.integer;
}

static const tacho_column finding_columns[] = {
    TACHO_COLUMN(RULE, "rule", TEXT),     TACHO_COLUMN(ID, "ID", INT),
    TACHO_COLUMN(OP, "OP Code", TEXT),    TACHO_COLUMN(GAIN_NS, "can gain", DURATION),
    TACHO_COLUMN(ADVICE, "advice", TEXT), TACHO_COLUMN(PAGE, "page", TEXT),
};

static tacho_status add_row(const tacho_finding *finding, const tacho_table *of,
                            const size_t columns[2], tacho_table *table)
{
    bool is_whole = finding->row == TACHO_WHOLE_TABLE;
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->id)));
    if (is_whole) {
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_absent(table));
    } else {
        TACHO_TRY(tacho_table_add_int(
            table, tacho_whole_i64(tacho_rule_number(of, finding->row, columns[0]))));
        TACHO_TRY(tacho_table_add_text(table, tacho_rule_text(of, finding->row, columns[1])));
    }
    TACHO_TRY(finding->gain_ns > 0 ? tacho_table_add_int(table, finding->gain_ns)
                                   : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, finding->advice));
    return tacho_table_add_text(table, tacho_str_from_cstring(finding->rule->page));
}

/* Largest gain first, then in the order of rules and rows. */
static int compare_findings(const void *left, const void *right)
{
    const tacho_finding *a = *(const tacho_finding *const *)left;
    const tacho_finding *b = *(const tacho_finding *const *)right;
    if (a->gain_ns != b->gain_ns) {
        return a->gain_ns > b->gain_ns ? -1 : 1;
    }
    return (a > b) - (a < b); /* both are in one array */
}

static tacho_status add_rows(const tacho_findings *findings, const tacho_table *of,
                             const size_t columns[2], tacho_table *table)
{
    const tacho_finding **ranked = NULL;
    size_t count = 0;
    tacho_status status = tacho_items_make(&ranked, findings->item_count);
    for (size_t i = 0; i < findings->item_count && status == TACHO_OK; i++) {
        if (!findings->items[i].rule->is_praise) {
            ranked[count++] = &findings->items[i];
        }
    }
    if (count > 1) {
        qsort(ranked, count, sizeof(const tacho_finding *), compare_findings);
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add_row(ranked[i], of, columns, table);
    }
    free(ranked);
    return status;
}

tacho_status tacho_findings_table(const tacho_findings *findings, const tacho_table *of,
                                  const char *const columns[2], tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_RULE, TACHO_COL_ID,   TACHO_COL_ADVICE,
                                           TACHO_COL_OP,   TACHO_COL_PAGE, TACHO_COL_GAIN_NS,
                                           TACHO_COL_OTHER};
    static const tacho_column_id whole[] = {TACHO_COL_ADVICE, TACHO_COL_OTHER};
    size_t places[2] = {tacho_rule_column(of, columns[0]), tacho_rule_column(of, columns[1])};
    tacho_table_init(out_table, "advice", "Advice", finding_columns,
                     sizeof(finding_columns) / sizeof(finding_columns[0]));
    out_table->kept = kept;
    out_table->whole = whole;
    return add_rows(findings, of, places, out_table);
}
