/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences of tables without some of the columns: cells are in memory of exactly their number, so
 * that a sanitizer detects an overrun.
 */
#include "sinks/findings_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { TEXT_BYTES = 1024 };

static const tacho_column verdict_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(VERDICT, "verdict", TEXT),
};

static void add_verdict(tacho_table *table, const char *file, const char *verdict)
{
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(file)));
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(verdict)));
}

/* Checks the text of |given|, whose columns and cells are in memory of the exact size. */
static void check(const tacho_table *given, size_t width, const char *expected)
{
    tacho_table table = *given;
    tacho_output output;
    char text[TEXT_BYTES];
    tacho_column *columns = malloc(given->column_count * sizeof(*columns));
    assert_non_null(columns);
    memcpy(columns, given->columns, given->column_count * sizeof(*columns));
    table.columns = columns;
    table.cells = malloc(given->cell_count * sizeof(*table.cells));
    assert_non_null(table.cells);
    memcpy(table.cells, given->cells, given->cell_count * sizeof(*table.cells));
    open_test_output(&output);
    assert_true(tacho_findings_text_fits(&table, width));
    assert_null(tacho_findings_text_write(&table, width, &output));
    size_t len = read_test_output(&output, text, sizeof(text) - 1);
    text[len] = '\0';
    assert_string_equal(text, expected);
    free(table.cells);
    free(columns);
}

/* Without rank, device and origin, only files can differ, and are named where they do. */
static void test_absent_columns_are_not_looked_up(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "verdict", "Verdict", verdict_columns, 2);
    add_verdict(&table, "a.json", "Idle.");
    check(&table, 0, "Verdict\n  Idle.\n");
    add_verdict(&table, "a.json", "Busy.");
    check(&table, 0, "Verdict\n  Idle.\n  Busy.\n");
    add_verdict(&table, "b.json", "Bound.");
    check(&table, 0, "Verdict\n  a.json: Idle.\n  a.json: Busy.\n  b.json: Bound.\n");
    tacho_table_deinit(&table);
}

/* With several files each is named, though this table has rows of one. */
static void test_files_are_named_among_several(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "verdict", "Verdict", verdict_columns, 2);
    add_verdict(&table, "a.json", "Idle.");
    table.is_of_several = true;
    check(&table, 0, "Verdict\n  a.json: Idle.\n");
    tacho_table_deinit(&table);
}

/* A line of 40 columns, the minimum, has an indent of two and 38 columns of text. */
static void test_lines_are_as_wide_as_given(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "verdict", "Verdict", verdict_columns, 2);
    add_verdict(&table, "a.json", "123456789 123456789 123456789 12345678");
    check(&table, 40, "Verdict\n  123456789 123456789 123456789 12345678\n");
    check(&table, 10, "Verdict\n  123456789 123456789 123456789 12345678\n");
    tacho_table_deinit(&table);
    tacho_table_init(&table, "verdict", "Verdict", verdict_columns, 2);
    add_verdict(&table, "a.json", "123456789 123456789 123456789 123456789");
    check(&table, 40, "Verdict\n  123456789 123456789 123456789\n  123456789\n");
    check(&table, 41, "Verdict\n  123456789 123456789 123456789 123456789\n");
    tacho_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_columns_are_not_looked_up),
        cmocka_unit_test(test_files_are_named_among_several),
        cmocka_unit_test(test_lines_are_as_wide_as_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
