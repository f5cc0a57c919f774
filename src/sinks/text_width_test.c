/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text tables in terminals of any width: cut texts, left-out columns, and those that stay.
 */
#include "sinks/table_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/output_testing.h"
#include "base/utf8.h"

enum { REPORT_BYTES = 16384, LEAST_COLUMNS = 24, WIDEST = 200 };

static const tacho_column wide_columns[] = {
    TACHO_COLUMN(NAME, "Name", TEXT),           TACHO_COLUMN(COUNT, "Count", INT),
    TACHO_COLUMN(CLASS, "Class", TEXT),         TACHO_COLUMN(TOTAL_NS, "Total", DURATION),
    TACHO_COLUMN_NAMED("place", "Place", TEXT),
};

/* A row of long texts: |odd|, then |count| times |character|. */
static void add_wide(tacho_table *table, const char *character, int count, const char *odd)
{
    char text[400];
    int len = snprintf(text, sizeof(text), "%s", odd);
    for (int i = 0; i < count; i++) {
        len += snprintf(text + len, sizeof(text) - (size_t)len, "%s", character);
    }
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(text)));
    assert_null(tacho_table_add_int(table, count));
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(text)));
    assert_null(tacho_table_add_int(table, count));
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(text)));
}

static void write_fitted(const tacho_table *table, size_t columns, const char *advice,
                         char report[REPORT_BYTES])
{
    tacho_output output;
    open_test_output(&output);
    assert_null(tacho_table_write_text(table, columns, advice, &output));
    report[read_test_output(&output, report, REPORT_BYTES - 1)] = '\0';
}

/* The width of the widest line of a table, without its title and remark. */
static size_t widest_line(const tacho_table *table, const char *report)
{
    size_t widest = 0;
    tacho_str rest = tacho_str_from_cstring(strchr(report, '\n') + 1);
    for (size_t i = 0; i <= tacho_table_row_count(table); i++) {
        const char *end = memchr(rest.data, '\n', rest.len);
        assert_non_null(end);
        size_t len = (size_t)(end - rest.data);
        size_t width = tacho_utf8_width(tacho_str_make(rest.data, len));
        widest = width > widest ? width : widest;
        rest = tacho_str_from(rest, len + 1);
    }
    return widest;
}

static void test_wide_characters_fit(void **state)
{
    (void)state;
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "wide", "Wide", wide_columns, 5);
    add_wide(&table, "\xe5\x8d\xb7", 30, "");
    add_wide(&table, "\xe5\x8d\xb7", 47, "a");
    add_wide(&table, "\xc3\xa9", 60, "ab");
    for (size_t columns = 1; columns <= WIDEST; columns++) {
        write_fitted(&table, columns, NULL, report);
        size_t widest = widest_line(&table, report);
        assert_true(widest <= (columns > LEAST_COLUMNS ? columns : LEAST_COLUMNS));
        assert_true(columns < 100 || widest + 8 > columns); /* and not much narrower */
    }
    tacho_table_deinit(&table);
}

/* Zeros go first, then unimportant columns, and only then most of a name. */
static void test_names_stay_longer_than_the_rest(void **state)
{
    (void)state;
    static const tacho_column columns[] = {
        TACHO_COLUMN(NAME, "Name", TEXT), TACHO_COLUMN(TOTAL, "Total", INT),
        TACHO_COLUMN(WAIT_COUNT, "Waits", INT), TACHO_COLUMN(COUNT, "Count", INT)};
    static const tacho_column_id kept[] = {TACHO_COL_NAME, TACHO_COL_TOTAL, TACHO_COL_OTHER};
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "long", "Long", columns, 4);
    table.kept = kept;
    for (int row = 0; row < 2; row++) {
        assert_null(tacho_table_add_text(
            &table, row == 0 ? TACHO_STR("encoder/layer.3/attention/output/dense")
                             : TACHO_STR("encoder/layer.4/attention/output/dense")));
        assert_null(tacho_table_add_int(&table, 7 + row));
        assert_null(tacho_table_add_int(&table, 0));
        assert_null(tacho_table_add_int(&table, 1));
    }
    write_fitted(&table, 52, NULL, report);
    assert_string_equal(report, "Long\n"
                                "Name                                    Total  Count\n"
                                "encoder/layer.3/attention/output/dense      7      1\n"
                                "encoder/layer.4/attention/output/dense      8      1\n"
                                "(every row: Waits 0)\n");
    write_fitted(&table, 46, NULL, report);
    assert_string_equal(report, "Long\n"
                                "Name                                    Total\n"
                                "encoder/layer.3/attention/output/dense      7\n"
                                "encoder/layer.4/attention/output/dense      8\n"
                                "(every row: Waits 0; not shown: Count; a wider\n"
                                "terminal shows all of it)\n");
    tacho_table_deinit(&table);
}

/* The ends of a cut text have whole characters, as many as fit. */
static void test_wide_characters_are_cut(void **state)
{
    (void)state;
    static const tacho_column one[] = {TACHO_COLUMN(NAME, "Name", TEXT),
                                       TACHO_COLUMN(COUNT, "Count", INT),
                                       TACHO_COLUMN(TOTAL, "Total", INT)};
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "wide", "Wide", one, 3);
    assert_null(tacho_table_add_text(
        &table, TACHO_STR("\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7"
                          "\xe5\x8d\xb7 and some letters")));
    assert_null(tacho_table_add_int(&table, 1));
    assert_null(tacho_table_add_int(&table, 2));
    write_fitted(&table, 40, NULL, report);
    assert_string_equal(report, "Wide\n"
                                "Name                       Count  Total\n"
                                "\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7\xe5\x8d\xb7"
                                "...some letters      1      2\n"
                                "(cut: Name; a wider terminal shows all\n"
                                "of it)\n");
    tacho_table_deinit(&table);
}

static const tacho_column kept_columns[] = {
    TACHO_COLUMN(OP, "Op", INT),         TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(BAR, "", PICTURE),      TACHO_COLUMN_NAMED("low", "Low est", INT),
    TACHO_COLUMN(CYCLES, "Cycles", INT), TACHO_COLUMN_NAMED("high", "High est", INT),
};

/* The least important columns go first, and the remark on them fits the width, too. */
static void test_important_columns_stay(void **state)
{
    (void)state;
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "kept", "Kept", kept_columns, 6);
    static const tacho_column_id kept[] = {TACHO_COL_NAME, TACHO_COL_CYCLES, TACHO_COL_OTHER};
    table.kept = kept;
    assert_null(tacho_table_add_int(&table, 7));
    assert_null(tacho_table_add_text(&table, TACHO_STR("convolution")));
    assert_null(tacho_table_add_text(&table, TACHO_STR("##########")));
    for (int i = 1; i <= 3; i++) {
        assert_null(tacho_table_add_int(&table, i));
    }
    write_fitted(&table, 54, "--format csv", report);
    assert_string_equal(report, "Kept\n"
                                "Op  Name                     Low est  Cycles  High est\n"
                                " 7  convolution  ##########        1       2         3\n");
    write_fitted(&table, 40, "--format csv", report);
    assert_string_equal(report, "Kept\n"
                                "Op  Name                     Cycles\n"
                                " 7  convolution  ##########       2\n"
                                "(not shown: Low est, High est; a wider\n"
                                "terminal or --format csv shows all of\n"
                                "it)\n");
    write_fitted(&table, 24, NULL, report);
    assert_string_equal(report, "Kept\n"
                                "Op  Name         Cycles\n"
                                " 7  convolution       2\n"
                                "(not shown: Low est,\n"
                                "High est; a wider\n"
                                "terminal shows all of\n"
                                "it)\n");
    write_fitted(&table, 22, NULL, report);
    assert_memory_equal(report, "Kept\nName         Cycles\nconvolution       2\n(", 45);
    write_fitted(&table, 4, NULL, report);
    assert_memory_equal(report, "Kept\nName\nconvolution\n(not\nshown:\nOp,\nLow\n", 42);
    tacho_table_deinit(&table);
}

/* Columns that are equal in every row go first, and are noted once. */
static void test_constant_columns_go_first(void **state)
{
    (void)state;
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT), TACHO_COLUMN(LAYER, "layer", TEXT),
        TACHO_COLUMN(CLASS, "class", TEXT), TACHO_COLUMN(COUNT, "count", INT)};
    static const tacho_column_id kept[] = {TACHO_COL_LAYER, TACHO_COL_FILE, TACHO_COL_OTHER};
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "same", "Same", columns, 4);
    table.kept = kept;
    for (int i = 0; i < 2; i++) {
        assert_null(tacho_table_add_text(&table, TACHO_STR("a.json")));
        assert_null(tacho_table_add_text(&table, i == 0 ? TACHO_STR("x") : TACHO_STR("y")));
        assert_null(tacho_table_add_text(&table, TACHO_STR("host")));
        assert_null(tacho_table_add_int(&table, i));
    }
    write_fitted(&table, 27, NULL, report);
    assert_string_equal(report, "Same\nfile    layer  class  count\na.json  x      host       0\n"
                                "a.json  y      host       1\n");
    write_fitted(&table, 26, NULL, report);
    assert_string_equal(report, "Same\nlayer  class  count\nx      host       0\n"
                                "y      host       1\n(every row: file a.json)\n");
    write_fitted(&table, 18, NULL, report);
    assert_string_equal(report, "Same\nlayer  count\nx          0\ny          1\n"
                                "(every row: file\na.json, class\nhost)\n");
    write_fitted(&table, 5, NULL, report);
    assert_memory_equal(report, "Same\nlayer\nx\ny\n(every\n", 22);
    tacho_table_deinit(&table);
}

/* A left-out column without a title is not named. */
static void test_untitled_column_is_not_named(void **state)
{
    (void)state;
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "kept", "Kept", kept_columns, 3);
    assert_null(tacho_table_add_int(&table, 7));
    assert_null(tacho_table_add_text(&table, TACHO_STR("convolution")));
    assert_null(tacho_table_add_text(&table, TACHO_STR("##########")));
    write_fitted(&table, 20, "--format csv", report);
    assert_string_equal(report, "Kept\nOp  Name\n 7  convolution\n");
    tacho_table_deinit(&table);
}

#define LONG_OPTION                                                                                \
    "--dim encoder_sequence_length_of_a_model_with_names_that_say_everything_about_it=VALUE"

/* Texts meant for copying, and lists of name and value, stay whole at any width. */
static void test_whole_texts(void **state)
{
    (void)state;
    static const tacho_column columns[] = {TACHO_COLUMN(NAME, "Name", TEXT),
                                           TACHO_COLUMN(OPTION, "Option", TEXT),
                                           TACHO_COLUMN(COUNT, "Count", INT)};
    tacho_table table;
    static char report[REPORT_BYTES];
    tacho_table_init(&table, "whole", "Whole", columns, 3);
    static const tacho_column_id whole[] = {TACHO_COL_OPTION, TACHO_COL_OTHER};
    table.whole = whole;
    assert_null(tacho_table_add_text(&table, TACHO_STR("a name of more than 24 columns")));
    assert_null(tacho_table_add_text(&table, TACHO_STR(LONG_OPTION)));
    assert_null(tacho_table_add_int(&table, 1));
    write_fitted(&table, 40, NULL, report);
    assert_non_null(strstr(report, "\na name of ... 24 columns  " LONG_OPTION "\n"
                                   "(not shown: Count; cut: Name; a wider\n"));
    tacho_table_deinit(&table);
    tacho_table_init(&table, "list", "List", columns, 2);
    assert_null(tacho_table_add_text(&table, TACHO_STR("a name of more than 24 columns")));
    assert_null(tacho_table_add_text(&table, TACHO_STR(LONG_OPTION)));
    write_fitted(&table, 40, NULL, report);
    assert_non_null(strstr(report, "\na name of more than 24 columns  " LONG_OPTION "\n"));
    assert_null(strchr(report, '('));
    tacho_table_deinit(&table);
}

/* Notes are wrapped in a terminal, and name the file if there are several. */
static void test_notes_are_wrapped(void **state)
{
    (void)state;
    static const tacho_column columns[] = {TACHO_COLUMN(FILE, "file", TEXT),
                                           TACHO_COLUMN(NOTE, "note", TEXT)};
    static const char *const files[] = {"a.json", "a.json", "b.json"};
    static char report[REPORT_BYTES];
    tacho_table table;
    tacho_table_init(&table, "notes", "Notes", columns, 2);
    for (size_t i = 0; i < 3; i++) {
        assert_null(tacho_table_add_text(&table, tacho_str_from_cstring(files[i])));
        assert_null(tacho_table_add_text(
            &table, TACHO_STR("layers are not known, and nothing says where this work was done")));
        if (i == 1) {
            write_fitted(&table, 44, NULL, report);
            assert_non_null(strstr(report, "\n  layers are not known, and nothing says\n"
                                           "  where this work was done\n  layers"));
        }
    }
    write_fitted(&table, 44, NULL, report);
    assert_non_null(strstr(report, "\n  b.json: layers are not known, and nothing\n  says"));
    write_fitted(&table, 0, NULL, report);
    assert_non_null(strstr(report, "\na.json  layers are not known, and nothing says where"));
    tacho_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_characters_fit),
        cmocka_unit_test(test_names_stay_longer_than_the_rest),
        cmocka_unit_test(test_wide_characters_are_cut),
        cmocka_unit_test(test_important_columns_stay),
        cmocka_unit_test(test_constant_columns_go_first),
        cmocka_unit_test(test_untitled_column_is_not_named),
        cmocka_unit_test(test_whole_texts),
        cmocka_unit_test(test_notes_are_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
