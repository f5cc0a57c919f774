/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL over a profile made by hand: nesting, groups, arguments, names that are not UTF-8, and what
 * statements may not do.
 */
#include "sql/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    uint32_t part, track;
    tacho_sql sql;
} fixture;

static void check_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static uint32_t string(fixture *made, const char *text)
{
    uint32_t id = 0;
    check_ok(tacho_dict_ensure_string(&made->dict, tacho_str_from_cstring(text), &id));
    return id;
}

static void setup(fixture *made)
{
    tacho_clock clock;
    uint32_t clock_id = 0;
    tacho_clock_init(&clock, 1, 1);
    check_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    check_ok(tacho_dict_add_clock(&made->dict, &clock, TACHO_STR("ns"), &clock_id));
    const tacho_part_facts part = {.path = TACHO_STR("made"),
                                   .format = TACHO_STR("none"),
                                   .generation = TACHO_STR(""),
                                   .origin = TACHO_ORIGIN_MEASURED,
                                   .clock = clock_id};
    check_ok(tacho_dict_add_part(&made->dict, &part, &made->part));
    const tacho_track track = {.parent = made->dict.parts[made->part].root,
                               .part = made->part,
                               .clock = clock_id,
                               .lane_of = TACHO_NONE,
                               .track_class = TACHO_TRACK_HOST,
                               .nesting = TACHO_NESTING_STACK};
    check_ok(tacho_dict_ensure_track(&made->dict, &track, TACHO_STR("thread"), &made->track));
}

static void teardown(fixture *made)
{
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

static void add_span(fixture *made, const char *name, int64_t start, int64_t end)
{
    const tacho_site site = {string(made, name), string(made, ""), TACHO_NONE};
    const tacho_arg args[] = {
        {.key = string(made, "dims"), .type = TACHO_ARG_ARRAY, .value.as_uint = 2},
        {.type = TACHO_ARG_INT, .value.as_int = -3},
        {.type = TACHO_ARG_UINT, .value.as_uint = UINT64_MAX},
        {.key = string(made, "bytes"), .type = TACHO_ARG_UINT, .value.as_uint = 5},
    };
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = made->track, .start = start, .args = args};
    row.of.span.end = end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.arg_count = strcmp(name, "leaf") == 0 ? 4 : 0;
    check_ok(tacho_dict_ensure_site(&made->dict, &site, &row.of.span.site));
    check_ok(tacho_events_row(&made->profile.events, &row));
}

/* The only cell of a statement is |expected|. */
static void expect(fixture *made, const char *statement, const char *expected)
{
    tacho_table table = {0};
    char text[64];
    check_ok(tacho_sql_open(&made->sql, &made->profile));
    check_ok(tacho_sql_run(&made->sql, statement, NULL, &table));
    assert_int_equal(table.cell_count, 1);
    const tacho_cell *cell = tacho_table_cell(&table, 0, 0);
    if (cell->is_absent) {
        snprintf(text, sizeof(text), "NULL");
    } else if (table.columns[0].type == TACHO_COLUMN_TEXT) {
        snprintf(text, sizeof(text), "%.*s", (int)cell->value.text.len, cell->value.text.data);
    } else if (table.columns[0].type == TACHO_COLUMN_REAL) {
        snprintf(text, sizeof(text), "%g", cell->value.real);
    } else {
        snprintf(text, sizeof(text), "%lld", (long long)cell->value.integer);
    }
    assert_string_equal(text, expected);
    tacho_table_deinit(&table);
    tacho_sql_close(&made->sql);
}

static void test_nesting(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    add_span(&made, "root", 0, 100);
    add_span(&made, "leaf", 10, 30);
    add_span(&made, "leaf", 30, 50);
    add_span(&made, "inner", 35, 45);
    add_span(&made, "crossing", 48, 60); /* of no span around it, nor in any */
    expect(&made, "SELECT group_concat(coalesce(parent_id, 'x')) FROM spans", "x,0,0,2,x");
    expect(&made, "SELECT group_concat(self_ns) FROM spans", "60,20,10,10,12");
    expect(&made, "SELECT sum(self_ns) FROM ops WHERE operation = 'leaf'", "30");
    expect(&made, "SELECT bytes FROM ops WHERE operation = 'leaf'", "10");
    expect(&made, "SELECT bytes FROM ops WHERE operation = 'root'", "NULL");
    expect(&made, "SELECT round(sum(share_percent), 9) FROM ops", "100");
    teardown(&made);
}

static void test_rows_are_found_by_number(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    add_span(&made, "a", 0, 1);
    add_span(&made, "leaf", 1, 2);
    expect(&made, "SELECT name FROM spans WHERE span_id = 1", "leaf");
    expect(&made, "SELECT count(*) FROM spans WHERE span_id IN (-1, 0, 1, 2, 9e18, 'x', 0.5)", "2");
    expect(&made, "SELECT count(*) FROM spans WHERE span_id = NULL", "0");
    expect(&made, "SELECT count(*) FROM spans JOIN args USING (span_id)", "3");
    expect(&made, "SELECT count(*) FROM args WHERE span_id = 0", "0");
    expect(&made, "SELECT count(*) FROM args WHERE rowid = 2", "1");
    expect(&made, "SELECT group_concat(key) FROM args", "dims[0],dims[1],bytes");
    expect(&made, "SELECT group_concat(value) FROM args", "-3,18446744073709551615,5");
    expect(&made, "SELECT group_concat(typeof(value)) FROM args", "integer,text,integer");
    teardown(&made);
}

static void test_groups(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    for (int64_t i = 0; i < 70000; i++) {
        static const char *const names[] = {"a", "b", "c"};
        add_span(&made, names[i % 3], i, i + 1);
    }
    expect(&made, "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM spans GROUP BY name)",
           "23334,23333,23333");
    expect(
        &made,
        "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM spans GROUP BY track, name, kind)",
        "23334,23333,23333");
    expect(&made, "SELECT count(*) FROM (SELECT DISTINCT name, class FROM spans)", "3");
    expect(&made,
           "SELECT group_concat(name) FROM (SELECT DISTINCT name FROM spans ORDER BY name DESC)",
           "c,b,a");
    teardown(&made);
}

/* SQLite leaves ORDER BY to the table where GROUP BY has the same columns. */
static void test_groups_are_sorted(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    static const char *const names[] = {"b", "", "ab", "a", "b", "c"};
    for (int i = 0; i < 6; i++) {
        add_span(&made, names[i], i, i + 1);
    }
    expect(&made, "SELECT group_concat(name) FROM (SELECT name FROM spans GROUP BY 1 ORDER BY 1)",
           ",a,ab,b,c");
    expect(&made,
           "SELECT group_concat(name) FROM (SELECT name FROM spans GROUP BY 1 ORDER BY 1 DESC)",
           "c,b,ab,a,");
    expect(&made,
           "SELECT group_concat(n) FROM (SELECT name || count(*) AS n FROM spans"
           " GROUP BY track_id, kind, location, name ORDER BY track_id, kind, location, name DESC)",
           "c1,b2,ab1,a1,1");
    teardown(&made);
}

/* Two names that look the same once they are clean are one group. */
static void test_bad_names(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    add_span(&made, "x\xff", 0, 1);
    add_span(&made, "y", 1, 2);
    add_span(&made, "x\xfe", 2, 3);
    expect(&made, "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM spans GROUP BY name)",
           "2,1");
    expect(&made, "SELECT name FROM spans WHERE span_id = 0", "x\xef\xbf\xbd");
    teardown(&made);
}

static void test_statements_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "   ",
        ";",
        "SELECT",
        "SELECT 1; SELECT 2",
        "DROP TABLE spans",
        "ATTACH 'x' AS y",
        "PRAGMA table_info(spans)",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",                      /* returns an address */
        "SELECT fts3_tokenizer('simple', x'4141414141414141')", /* and takes one */
        "SELECT sqlite_log(1, 'x')",
        "SELECT rtreecheck('t')",
        "CREATE TABLE t(x)",
        "SELECT ?",
        "SELECT * FROM nothing",
        "INSERT INTO spans VALUES (1)",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tacho_status status = tacho_sql_check(bad[i]);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
    check_ok(tacho_sql_check("SELECT 1; -- and no more"));
    check_ok(tacho_sql_check("WITH t AS (SELECT * FROM ops) SELECT * FROM t, steps, loss"));
}

static tacho_status run_bounded(const char *statement, const tacho_sql_bounds *bounds)
{
    tacho_sql sql;
    tacho_dict dict;
    tacho_profile profile;
    tacho_table table = {0};
    check_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    check_ok(tacho_sql_open(&sql, &profile));
    tacho_status status = tacho_sql_run(&sql, statement, bounds, &table);
    tacho_table_deinit(&table);
    tacho_sql_close(&sql);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return status;
}

/* A statement without an end is stopped, whether it gives rows or not. */
static void test_bounds(void **state)
{
    (void)state;
    static const char endless[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT %s FROM n";
    const tacho_sql_bounds brief = {.timeout_ns = 50 * 1000000};
    const tacho_sql_bounds few = {.row_max = 3};
    static const char *const results[] = {"count(*)", "i"};
    char text[200];
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), endless, results[i]);
        tacho_status status = run_bounded(text, &brief);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
        assert_non_null(strstr(tacho_status_message(status), "not finished after 0.05 s"));
        tacho_status_free(status);
    }
    tacho_status status = run_bounded(text, &few);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    assert_non_null(strstr(tacho_status_message(status), "more than 3 rows"));
    tacho_status_free(status);
    check_ok(run_bounded("SELECT 1 UNION SELECT 2 UNION SELECT 3", &few));
}

/*
 * Expressions that would take the stack, and texts that would take the memory, are refused: those
 * that the parser nests (SQLite below 3.46 refuses them earlier), and those that only the tree
 * does.
 */
static void test_sizes_are_limited(void **state)
{
    (void)state;
    enum { DEPTH_MAX = 1000, DEPTH = DEPTH_MAX + 100 };
    char text[2 * DEPTH + 32];
    int used = snprintf(text, sizeof(text), "SELECT %*s1", 2 * DEPTH, "");
    for (int i = 0; i < DEPTH; i++) {
        text[used - 2 - 2 * i] = '-';
    }
    tacho_status status = tacho_sql_check(text);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    tacho_status_free(status);

    for (int terms = DEPTH_MAX; terms <= DEPTH_MAX + 1; terms++) {
        used = snprintf(text, sizeof(text), "SELECT 1");
        for (int i = 1; i < terms; i++) {
            used += snprintf(text + used, sizeof(text) - (size_t)used, "+1");
        }
        status = tacho_sql_check(text);
        assert_int_equal(tacho_status_code(status),
                         terms <= DEPTH_MAX ? TACHO_CODE_OK : TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
}

/* Sums of long spans stop at the largest number, as in 'tacho ops'; the mean is exact. */
static void test_long_spans(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    add_span(&made, "a", 0, INT64_MAX);
    add_span(&made, "a", 1, INT64_MAX);
    add_span(&made, "a", 2, INT64_MAX - 1);
    expect(&made, "SELECT total_ns FROM ops", "9223372036854775807");
    expect(&made, "SELECT mean_ns FROM ops", "9223372036854775806");
    expect(&made, "SELECT share_percent FROM ops", "100");
    teardown(&made);
}

/* The view adds up spans itself: SQLite must get the same sums, even of names not in UTF-8. */
static void test_ops_are_those_of_sqlite(void **state)
{
    (void)state;
    static const char *const names[] = {"leaf", "x\xff", "b", "x\xfe", ""};
    fixture made;
    setup(&made);
    for (int64_t i = 0; i < 1000; i++) {
        add_span(&made, names[i % 5], 10 * i, 10 * i + i % 7);
    }
    const char *const columns = "file, operation, class, origin";
    const char *const sums =
        "count(*), sum(duration_ns), sum(self_ns), percentile(duration_ns, 50),"
        " percentile(duration_ns, 99), min(duration_ns), max(duration_ns),"
        " sum(bytes), only_value(location)";
    char statement[1024];
    snprintf(
        statement, sizeof(statement),
        "SELECT count(*) || ' ' || (SELECT count(*) FROM ops) FROM (SELECT %s, count, total_ns,"
        " self_ns, p50_ns, p99_ns, min_ns, max_ns, bytes, location FROM ops INTERSECT "
        "SELECT %s, %s FROM spans WHERE is_work GROUP BY %s)",
        columns, columns, sums, columns);
    expect(&made, statement, "4 4");
    expect(&made, "SELECT group_concat(operation) FROM ops", ",b,leaf,x\xef\xbf\xbd");
    expect(&made, "SELECT mean_ns FROM ops WHERE operation = 'leaf'", "3");
    teardown(&made);
}

static void test_json(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    expect(&made, "SELECT sum(value) FROM json_each('[1,2,3]')", "6");
    expect(&made, "SELECT count(*) FROM json_tree('{\"a\":[1,2]}')", "4");
    teardown(&made);
}

static void test_no_rows(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    expect(&made, "SELECT count(*) FROM ops", "0");
    expect(&made, "SELECT percentile(duration_ns, 50) FROM spans", "NULL");
    expect(&made, "SELECT only_value(name) FROM spans", "NULL");
    teardown(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_rows_are_found_by_number),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_groups_are_sorted),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_long_spans),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_ops_are_those_of_sqlite),
        cmocka_unit_test(test_statements_are_checked),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_sizes_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
