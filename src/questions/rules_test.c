/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules run one after the other over a table, and their findings become a table.
 */
#include "questions/rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const tacho_column columns[] = {
    TACHO_COLUMN_NAMED("id", "ID", INT),
    TACHO_COLUMN_NAMED("op", "op", TEXT),
    TACHO_COLUMN_NAMED("share", "share", PERCENT),
};

static tacho_status slow(const tacho_table *table, tacho_findings *findings)
{
    size_t share = tacho_rule_column(table, "share");
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        double value = tacho_rule_number(table, row, share);
        if (value > 50) {
            TACHO_TRY(tacho_findings_add(findings, row, "takes %.1f %%", value));
        }
    }
    return TACHO_OK;
}

static tacho_status count(const tacho_table *table, tacho_findings *findings)
{
    return tacho_findings_add(findings, TACHO_WHOLE_TABLE, "%zu rows",
                              tacho_table_row_count(table));
}

static const tacho_rule slow_rule = {"slow", "docs/a.md", slow, false};
static const tacho_rule count_rule = {"count", "docs/b.md", count, false};
static const tacho_rule *const rules[] = {&slow_rule, &count_rule, NULL};

static void make_table(tacho_table *table)
{
    tacho_table_init(table, "t", "T", columns, 3);
    assert_null(tacho_table_add_int(table, 7));
    assert_null(tacho_table_add_text(table, TACHO_STR("conv")));
    assert_null(tacho_table_add_real(table, 75.25));
    assert_null(tacho_table_add_int(table, 8));
    assert_null(tacho_table_add_absent(table));
    assert_null(tacho_table_add_absent(table));
}

static void test_rules(void **state)
{
    (void)state;
    static const char *const shown[2] = {"id", "op"};
    tacho_table table;
    tacho_table found;
    tacho_findings findings;
    make_table(&table);
    tacho_findings_init(&findings);
    assert_null(tacho_rules_run(rules, &table, &findings));
    assert_int_equal(findings.item_count, 2);
    assert_ptr_equal(findings.items[0].rule, &slow_rule);
    assert_int_equal(findings.items[0].row, 0);
    assert_string_equal(findings.items[0].advice.data, "takes 75.2 %");
    assert_string_equal(findings.items[1].advice.data, "2 rows");
    assert_null(tacho_findings_table(&findings, &table, shown, &found));
    assert_int_equal(tacho_table_row_count(&found), 2);
    assert_string_equal(tacho_table_cell(&found, 0, 0)->value.text.data, "slow");
    assert_int_equal(tacho_table_cell(&found, 0, 1)->value.integer, 7);
    assert_string_equal(tacho_table_cell(&found, 0, 2)->value.text.data, "conv");
    assert_true(tacho_table_cell(&found, 0, 3)->is_absent);
    assert_true(tacho_table_cell(&found, 1, 1)->is_absent);
    assert_string_equal(tacho_table_cell(&found, 1, 5)->value.text.data, "docs/b.md");
    tacho_table_deinit(&found);
    findings.items[1].gain_ns = 5; /* comes first */
    assert_null(tacho_findings_table(&findings, &table, shown, &found));
    assert_string_equal(tacho_table_cell(&found, 0, 0)->value.text.data, "count");
    assert_int_equal(tacho_table_cell(&found, 0, 3)->value.integer, 5);
    tacho_table_deinit(&found);
    static const tacho_rule praise = {.id = "fine", .page = "docs/a.md", .is_praise = true};
    findings.items[0].rule = &praise; /* nothing to do */
    assert_null(tacho_findings_table(&findings, &table, shown, &found));
    assert_int_equal(tacho_table_row_count(&found), 1);
    tacho_table_deinit(&found);
    tacho_findings_deinit(&findings);
    tacho_table_deinit(&table);
}

/* An absent cell is neither a number nor a text, and a text is not a number. */
static void test_cells(void **state)
{
    (void)state;
    tacho_table table;
    make_table(&table);
    assert_true(tacho_rule_number(&table, 0, 0) == 7);
    assert_true(isnan(tacho_rule_number(&table, 1, 2)));
    assert_true(isnan(tacho_rule_number(&table, 0, 1)));
    assert_int_equal(tacho_rule_text(&table, 1, 1).len, 0);
    assert_int_equal(tacho_rule_text(&table, 0, 0).len, 0);
    tacho_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
