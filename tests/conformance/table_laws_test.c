/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws that every table sink must keep, checked over the registry: a new one is checked as soon as
 * it is registered.
 */
#include "base/utf8.h"
#include "sinks/table_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder_testing.h"

static const tacho_column columns[] = {
    TACHO_COLUMN_NAMED("name", "Name", TEXT),
    TACHO_COLUMN_NAMED("count", "Count", INT),
    TACHO_COLUMN_NAMED("share", "Share", REAL),
    TACHO_COLUMN_NAMED("total_ns", "Total", DURATION),
};

static void add_row(tacho_table *to, tacho_str name, int64_t number)
{
    assert_ok(tacho_table_add_text(to, name));
    assert_ok(tacho_table_add_int(to, number));
    assert_ok(tacho_table_add_real(to, (double)number / 3));
    assert_ok(tacho_table_add_int(to, number));
}

static void make_table(tacho_table *out_table)
{
    tacho_table_init(out_table, "things", "Things", columns, 4);
    add_row(out_table, TACHO_STR("plain"), 12345);
    add_row(out_table, TACHO_STR(""), 0);
    add_row(out_table, TACHO_STR("\"a,b\"\n\t\x1b[31m\xff\0"), INT64_MAX);
    add_row(out_table, TACHO_STR("=1+2"), INT64_MIN + 1);
    for (size_t i = 0; i < 4; i++) {
        assert_ok(tacho_table_add_absent(out_table));
    }
}

static tacho_str write_table(const char *folder, const tacho_table_sink *sink,
                             const tacho_table *table)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof(path), "%s/table", folder);
    tacho_output output;
    assert_ok(tacho_output_open(path, &output));
    tacho_table_report report;
    assert_ok(tacho_table_report_open(&report, sink, &output));
    assert_ok(tacho_table_report_add(&report, table));
    if (sink->holds_one) {
        tacho_status refused = tacho_table_report_add(&report, table);
        assert_int_equal(tacho_status_code(refused), TACHO_CODE_UNSUPPORTED);
        tacho_status_free(refused);
    } else {
        assert_ok(tacho_table_report_add(&report, table));
    }
    assert_ok(tacho_table_report_finish(&report));
    tacho_table_report_close(&report);
    return take_output(&output);
}

static bool holds(tacho_str bytes, const char *words)
{
    size_t len = strlen(words);
    for (size_t i = 0; i + len <= bytes.len; i++) {
        if (memcmp(bytes.data + i, words, len) == 0) {
            return true;
        }
    }
    return false;
}

static void test_table_sinks_are_named(void **state)
{
    (void)state;
    const tacho_table_sink *const *sinks = tacho_table_sinks();
    assert_non_null(sinks[0]);
    for (size_t i = 0; sinks[i] != NULL; i++) {
        check_name(sinks[i]->name, sinks[i]->title);
        assert_true((sinks[i]->write != NULL) != (sinks[i]->workbook != NULL));
        assert_ptr_equal(tacho_table_sink_find(tacho_str_from_cstring(sinks[i]->name)), sinks[i]);
    }
    assert_null(tacho_table_sink_find(TACHO_STR("")));
}

/* A suffix leads to its sink; without one a report is for people. */
static void test_table_suffixes(void **state)
{
    (void)state;
    const tacho_table_sink *const *sinks = tacho_table_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        assert_non_null(sinks[i]->suffix);
        assert_true(sinks[i]->suffix[0] == '.' && sinks[i]->suffix[1] != '\0');
        for (size_t c = 0; c < sizeof(compressions) / sizeof(compressions[0]); c++) {
            char path[64];
            snprintf(path, sizeof(path), "x/report%s%s", sinks[i]->suffix, compressions[c]);
            assert_ptr_equal(tacho_table_sink_find_for_path(tacho_str_from_cstring(path)),
                             sinks[i]);
        }
    }
    assert_ptr_equal(tacho_table_sink_find_for_path(TACHO_STR("-")), &tacho_table_sink_text);
}

static bool is_binary(const tacho_table_sink *sink)
{
    return sink->workbook != NULL || sink->holds_one;
}

static void check_text(const tacho_table_sink *sink, tacho_str text)
{
    assert_true(holds(text, "plain") && holds(text, "12345") && holds(text, "=1+2"));
    if (!tacho_utf8_is_clean(text)) {
        fail_msg("%s writes text that is no clean UTF-8", sink->name);
    }
    assert_int_equal(text.data[text.len - 1], '\n');
}

/* Cells of each type, and none, twice in one report: the same each time, text clean. */
static void test_table_sinks_write(void **state)
{
    const tacho_table_sink *const *sinks = tacho_table_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        tacho_table table;
        make_table(&table);
        tacho_str first = write_table(*state, sinks[i], &table);
        tacho_str second = write_table(*state, sinks[i], &table);
        assert_true(tacho_str_equal(first, second));
        if (!is_binary(sinks[i])) {
            check_text(sinks[i], first);
        }
        tacho_table_deinit(&table);
        free_file(first);
        free_file(second);
    }
}

/* A table without rows is no error. */
static void test_table_sinks_write_nothing(void **state)
{
    const tacho_table_sink *const *sinks = tacho_table_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        tacho_table table;
        tacho_table_init(&table, "things", "Things", columns, 4);
        tacho_str file = write_table(*state, sinks[i], &table);
        assert_true(is_binary(sinks[i]) || tacho_utf8_is_clean(file));
        tacho_table_deinit(&table);
        free_file(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_sinks_are_named),
        cmocka_unit_test(test_table_suffixes),
        cmocka_unit_test(test_table_sinks_write),
        cmocka_unit_test(test_table_sinks_write_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
