/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells are added from left to right and read by row and column.
 */
#include "table/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const tacho_column columns[] = {
    TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(COUNT, "Count", INT),
    TACHO_COLUMN_NAMED("share", "Share", REAL),
    TACHO_COLUMN(TOTAL_NS, "Total", DURATION),
};

enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]), ROW_COUNT = 5000 };

static void test_empty(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    assert_string_equal(table.name, "ops");
    assert_string_equal(table.title, "Operations");
    assert_ptr_equal(table.columns, columns);
    assert_int_equal(table.column_count, COLUMN_COUNT);
    assert_int_equal(tacho_table_row_count(&table), 0);
    tacho_table_deinit(&table);
    assert_null(table.cells);
    tacho_table_deinit(&table);
}

static void test_one_row(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    assert_null(tacho_table_add_text(&table, TACHO_STR("conv\0 2d")));
    assert_null(tacho_table_add_int(&table, INT64_MIN));
    assert_null(tacho_table_add_real(&table, 0.25));
    assert_int_equal(tacho_table_row_count(&table), 0); /* not before its last cell */
    assert_null(tacho_table_add_int(&table, INT64_MAX));
    assert_int_equal(tacho_table_row_count(&table), 1);

    const tacho_cell *cell = tacho_table_cell(&table, 0, 0);
    assert_true(tacho_str_equal(cell->value.text, TACHO_STR("conv\0 2d")));
    assert_true(tacho_table_cell(&table, 0, 1)->value.integer == INT64_MIN);
    assert_true(tacho_table_cell(&table, 0, 2)->value.real == 0.25);
    assert_true(tacho_table_cell(&table, 0, 3)->value.integer == INT64_MAX);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        assert_false(tacho_table_cell(&table, 0, i)->is_absent);
    }
    tacho_table_deinit(&table);
}

/* Any cell may be absent, whatever the type of its column. */
/* The last cell is marked, and no other: neither the first nor the one before. */
static void test_a_mark_is_on_the_last_cell(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    assert_null(tacho_table_add_text(&table, TACHO_STR("conv")));
    assert_null(tacho_table_add_int(&table, 1));
    assert_null(tacho_table_add_real(&table, 2));
    tacho_table_mark(&table, TACHO_MARK_BAD);
    assert_null(tacho_table_add_int(&table, 3));
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        assert_int_equal(tacho_table_cell(&table, 0, i)->mark,
                         i == 2 ? TACHO_MARK_BAD : TACHO_MARK_NONE);
    }
    tacho_table_deinit(&table);
}

/* A property is a row of two texts: its name, and the value as printf writes it. */
static void test_properties_are_formatted(void **state)
{
    (void)state;
    static const tacho_column properties[] = {TACHO_COLUMN(NAME, "Property", TEXT),
                                              TACHO_COLUMN_NAMED("value", "Value", TEXT)};
    tacho_table table;
    tacho_table_init(&table, "facts", "Facts", properties, 2);
    assert_null(tacho_table_add_property(&table, "clock", "%d MHz, %s", 800, "fixed"));
    assert_int_equal(tacho_table_row_count(&table), 1);
    assert_true(tacho_str_equal(tacho_table_cell(&table, 0, 0)->value.text, TACHO_STR("clock")));
    assert_true(
        tacho_str_equal(tacho_table_cell(&table, 0, 1)->value.text, TACHO_STR("800 MHz, fixed")));
    tacho_table_deinit(&table);
}

/* Rows that begin again begin with the first column, also after half a row. */
static void test_a_cleared_table_is_empty(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    for (size_t i = 0; i < COLUMN_COUNT + 2; i++) {
        assert_null(tacho_table_add_absent(&table));
    }
    tacho_table_clear(&table);
    assert_int_equal(tacho_table_row_count(&table), 0);
    assert_null(tacho_table_add_text(&table, TACHO_STR("conv")));
    assert_null(tacho_table_add_int(&table, 7));
    assert_null(tacho_table_add_real(&table, 0.5));
    assert_null(tacho_table_add_int(&table, 8));
    assert_int_equal(tacho_table_row_count(&table), 1);
    assert_int_equal(tacho_table_cell(&table, 0, 1)->value.integer, 7);
    tacho_table_deinit(&table);
}

static void test_absent(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        assert_null(tacho_table_add_absent(&table));
    }
    assert_int_equal(tacho_table_row_count(&table), 1);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        assert_true(tacho_table_cell(&table, 0, i)->is_absent);
    }
    tacho_table_deinit(&table);
}

/* The table keeps copies, which stay good however it grows. */
static void test_many_rows(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations", columns, COLUMN_COUNT);
    char name[32];
    for (int64_t i = 0; i < ROW_COUNT; i++) {
        snprintf(name, sizeof(name), "op %d", (int)i);
        assert_null(tacho_table_add_text(&table, tacho_str_from_cstring(name)));
        assert_null(tacho_table_add_int(&table, -i));
        assert_null(tacho_table_add_real(&table, (double)i / 4));
        assert_null(i % 2 == 0 ? tacho_table_add_int(&table, i * 1000)
                               : tacho_table_add_absent(&table));
    }
    memset(name, 'x', sizeof(name));
    assert_int_equal(tacho_table_row_count(&table), ROW_COUNT);
    for (size_t row = 0; row < ROW_COUNT; row++) {
        int64_t i = (int64_t)row;
        char kept[32];
        snprintf(kept, sizeof(kept), "op %d", (int)i);
        const tacho_cell *cells = tacho_table_cell(&table, row, 0);
        bool is_right = tacho_str_equal(cells[0].value.text, tacho_str_from_cstring(kept)) &&
                        cells[1].value.integer == -i && cells[2].value.real == (double)i / 4 &&
                        cells[3].is_absent == (i % 2 != 0) &&
                        (cells[3].is_absent || cells[3].value.integer == i * 1000);
        if (!is_right) {
            fail_msg("row %zu is wrong", row);
        }
    }
    tacho_table_deinit(&table);
}

/* A picture is text of another kind. */
static void test_picture(void **state)
{
    (void)state;
    static const tacho_column picture_columns[] = {TACHO_COLUMN(BAR, "Bar", PICTURE)};
    tacho_table table;
    tacho_table_init(&table, "bars", "Bars", picture_columns, 1);
    assert_null(tacho_table_add_text(&table, TACHO_STR("###")));
    assert_true(tacho_str_equal(tacho_table_cell(&table, 0, 0)->value.text, TACHO_STR("###")));
    tacho_table_deinit(&table);
}

static void test_one_column(void **state)
{
    (void)state;
    tacho_table table;
    tacho_str nothing = {NULL, 0};
    tacho_table_init(&table, "names", "Names", columns, 1);
    assert_null(tacho_table_add_text(&table, nothing));
    assert_null(tacho_table_add_text(&table, TACHO_STR("b")));
    assert_int_equal(tacho_table_row_count(&table), 2);
    assert_int_equal(tacho_table_cell(&table, 0, 0)->value.text.len, 0);
    assert_true(tacho_str_equal(tacho_table_cell(&table, 1, 0)->value.text, TACHO_STR("b")));
    tacho_table_deinit(&table);
}

/* Columns made at run time go away before the table does. */
static void test_owned_columns(void **state)
{
    (void)state;
    tacho_table table;
    char name[] = "slice_3";
    char title[] = "Slice 3";
    tacho_column made[] = {TACHO_COLUMN_NAMED(name, title, INT),
                           TACHO_COLUMN_NAMED("b", "B", TEXT)};
    assert_null(tacho_table_init_owned(&table, "t", "T", made, 2));
    memset(name, 'x', sizeof(name) - 1);
    memset(title, 'x', sizeof(title) - 1);
    memset(made, 0, sizeof(made));
    assert_int_equal(table.column_count, 2);
    assert_string_equal(table.columns[0].name, "slice_3");
    assert_string_equal(table.columns[0].title, "Slice 3");
    assert_string_equal(table.columns[1].name, "b");
    assert_null(tacho_table_add_int(&table, 7));
    assert_null(tacho_table_add_text(&table, TACHO_STR("x")));
    assert_int_equal(tacho_table_row_count(&table), 1);
    tacho_table_deinit(&table);
}

/* The list's columns have its names and units; others have their own. */
static void test_names_and_units(void **state)
{
    (void)state;
    static const tacho_column listed[] = {
        TACHO_COLUMN(TOTAL_NS, "Total", DURATION),
        TACHO_COLUMN(BYTES, "Bytes", INT),
        TACHO_COLUMN(NAME, "Name", TEXT),
        TACHO_COLUMN_NAMED("NSS [us]", "NSS", INT),
    };
    static const char *const expected[][2] = {
        {"total_ns", "ns"}, {"bytes", "bytes"}, {"name", ""}, {"NSS [us]", ""}};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(tacho_column_name(&listed[i]), expected[i][0]);
        assert_string_equal(tacho_column_unit_name(tacho_column_unit_of(&listed[i])),
                            expected[i][1]);
    }
    tacho_table table;
    tacho_table_init(&table, "t", "T", listed, 4);
    assert_int_equal(tacho_table_column(&table, TACHO_COL_TOTAL_NS), 0);
    assert_int_equal(tacho_table_column(&table, TACHO_COL_NAME), 2);
    tacho_table_deinit(&table);
}

/* A name ends with the unit, or is the unit; each occurs once. */
static void test_the_list(void **state)
{
    (void)state;
    const char *last = "";
    for (tacho_column_id id = TACHO_COL_OTHER + 1; id < TACHO_COLUMN_ID_COUNT; id++) {
        const tacho_column column = {.id = id};
        const char *name = tacho_column_name(&column);
        const char *unit = tacho_column_unit_name(tacho_column_unit_of(&column));
        const char *tail = strrchr(name, '_');
        tail = tail != NULL ? tail + 1 : name;
        assert_true(unit[0] == '\0' || strcmp(tail, unit) == 0);
        assert_true(strcmp(last, name) < 0);
        last = name;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_one_column),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_owned_columns),
        cmocka_unit_test(test_names_and_units),
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_a_mark_is_on_the_last_cell),
        cmocka_unit_test(test_a_cleared_table_is_empty),
        cmocka_unit_test(test_properties_are_formatted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
