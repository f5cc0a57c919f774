/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same tables through each table sink, compared as whole reports: users see exactly the text
 * here. Reports go to a file that is never committed, so nothing is left of it.
 */
#include "sinks/xlsx.h"
#include "sinks/table_sink.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { REPORT_BYTES = 16384 };

/* Checks the report of |sink| for |table_count| tables. */
static void check_report(const tacho_table_sink *sink, const tacho_table *tables,
                         size_t table_count, const char *expected)
{
    tacho_output output;
    open_test_output(&output);
    for (size_t i = 0; i < table_count; i++) {
        assert_null(sink->write(&tables[i], i, &output));
    }
    static char report[REPORT_BYTES];
    size_t len = read_test_output(&output, report, sizeof(report) - 1);
    report[len] = '\0';
    assert_string_equal(report, expected);
    assert_int_equal(strlen(report), len);
}

static const tacho_column op_columns[] = {
    TACHO_COLUMN(NAME, "Operation", TEXT),     TACHO_COLUMN(COUNT, "Count", INT),
    TACHO_COLUMN(TOTAL_NS, "Total", DURATION), TACHO_COLUMN_NAMED("share", "Share", REAL),
    TACHO_COLUMN(ENGINE, "Engine", TEXT),
};

static void add_op(tacho_table *table, const char *name, int64_t count, int64_t total_ns,
                   double share)
{
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    assert_null(tacho_table_add_int(table, count));
    assert_null(tacho_table_add_int(table, total_ns));
    assert_null(tacho_table_add_real(table, share));
    assert_null(tacho_table_add_text(table, TACHO_STR("slice")));
}

static void make_ops(tacho_table *out_table)
{
    tacho_table_init(out_table, "ops", "Operations by time", op_columns, 5);
    add_op(out_table, "conv2d", 12, 1234567, 62.5);
    add_op(out_table, "a longer name", -3, 999, 0.0625);
    for (size_t i = 0; i < 5; i++) {
        assert_null(tacho_table_add_absent(out_table));
    }
}

static void test_text(void **state)
{
    (void)state;
    tacho_table table;
    make_ops(&table);
    check_report(&tacho_table_sink_text, &table, 1,
                 "Operations by time\n"
                 "Operation      Count     Total   Share  Engine\n"
                 "conv2d            12  1.235 ms  62.500  slice\n"
                 "a longer name     -3    999 ns   0.062  slice\n"
                 "-                  -         -       -  -\n");
    tacho_table_deinit(&table);
}

static void test_csv(void **state)
{
    (void)state;
    tacho_table table;
    make_ops(&table);
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,name,count,total_ns,share,engine\n"
                 "ops,conv2d,12,1234567,62.5,slice\n"
                 "ops,a longer name,-3,999,0.0625,slice\n"
                 "ops,,,,,\n");
    tacho_table_deinit(&table);
}

/* A number that is written again is taken from the last one, whatever stood between them. */
static void test_csv_repeats_numbers(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "ops", "Operations by time", op_columns, 5);
    add_op(&table, "a", 5, 12345, 0.5);
    add_op(&table, "b", 678, 12345, 0.25);
    add_op(&table, "c", 678, 9, 0.25);
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,name,count,total_ns,share,engine\n"
                 "ops,a,5,12345,0.5,slice\n"
                 "ops,b,678,12345,0.25,slice\n"
                 "ops,c,678,9,0.25,slice\n");
    tacho_table_deinit(&table);
}

static void test_jsonl(void **state)
{
    (void)state;
    tacho_table table;
    make_ops(&table);
    check_report(
        &tacho_table_sink_jsonl, &table, 1,
        "{\"schema_version\":1,\"table\":\"ops\",\"name\":\"conv2d\",\"count\":12,\"total_ns\":"
        "1234567,"
        "\"share\":62.5,\"engine\":\"slice\"}\n"
        "{\"schema_version\":1,\"table\":\"ops\",\"name\":\"a longer "
        "name\",\"count\":-3,\"total_ns\":999,"
        "\"share\":0.0625,\"engine\":\"slice\"}\n"
        "{\"schema_version\":1,\"table\":\"ops\",\"name\":null,\"count\":null,\"total_ns\":null,"
        "\"share\":null,\"engine\":null}\n");
    tacho_table_deinit(&table);
}

static const tacho_column name_columns[] = {
    TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(COUNT, "Count", INT),
};

static void make_names(tacho_table *out_table, const tacho_str *names, size_t name_count)
{
    tacho_table_init(out_table, "names", "Names", name_columns, 2);
    for (size_t i = 0; i < name_count; i++) {
        assert_null(tacho_table_add_text(out_table, names[i]));
        assert_null(tacho_table_add_int(out_table, (int64_t)i));
    }
}

/* Columns line up on the screen, where a character takes no, one or two columns. */
static void test_text_wide_names(void **state)
{
    (void)state;
    static const tacho_str names[] = {
        TACHO_STR_INIT("conv2d"),
        TACHO_STR_INIT("caf\xc3\xa9"),
        TACHO_STR_INIT("cafe\xcc\x81"),
        TACHO_STR_INIT("\xe5\x8d\xb7\xe7\xa7\xaf\xe5\xb1\x82"), /* the longest, not the widest */
        TACHO_STR_INIT(""),
    };
    tacho_table table;
    make_names(&table, names, 5);
    check_report(&tacho_table_sink_text, &table, 1,
                 "Names\n"
                 "Name    Count\n"
                 "conv2d      0\n"
                 "caf\xc3\xa9        1\n"
                 "cafe\xcc\x81        2\n"
                 "\xe5\x8d\xb7\xe7\xa7\xaf\xe5\xb1\x82      3\n"
                 "            4\n");
    tacho_table_deinit(&table);
}

static const tacho_str hostile_names[] = {
    TACHO_STR_INIT("\x1b[2J\x07"),
    TACHO_STR_INIT("a\nb\tc"),
    TACHO_STR_INIT("a\0b"),
    TACHO_STR_INIT("\xe2\x80\xae"
                   "evil"),
    TACHO_STR_INIT("caf\xe9"),
    TACHO_STR_INIT("say \"hi\", \\n"),
    TACHO_STR_INIT("=cmd|' /C calc'!A0"),
};

enum { HOSTILE_COUNT = sizeof(hostile_names) / sizeof(hostile_names[0]) };

/* Only displayable text reaches the terminal, and the columns still line up. */
static void test_text_hostile_names(void **state)
{
    (void)state;
    tacho_table table;
    make_names(&table, hostile_names, HOSTILE_COUNT);
    check_report(&tacho_table_sink_text, &table, 1,
                 "Names\n"
                 "Name                Count\n"
                 "\\x1b[2J\\x07             0\n"
                 "a\\x0ab\\x09c             1\n"
                 "a\\x00b                  2\n"
                 "\\u202eevil              3\n"
                 "caf\\xe9                 4\n"
                 "say \"hi\", \\n            5\n"
                 "=cmd|' /C calc'!A0      6\n");
    tacho_table_deinit(&table);
}

static void test_jsonl_hostile_names(void **state)
{
    (void)state;
    tacho_table table;
    make_names(&table, hostile_names, HOSTILE_COUNT);
    check_report(
        &tacho_table_sink_jsonl, &table, 1,
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"\\u001b[2J\\u0007\",\"count\":0}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"a\\u000ab\\u0009c\",\"count\":1}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"a\\u0000b\",\"count\":2}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"\xe2\x80\xae"
        "evil\",\"count\":3}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"caf\\ufffd\",\"count\":4}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"say \\\"hi\\\", "
        "\\\\n\",\"count\":5}\n"
        "{\"schema_version\":1,\"table\":\"names\",\"name\":\"=cmd|' /C calc'!A0\",\"count\":6}\n");
    tacho_table_deinit(&table);
}

static void test_csv_quotes_and_guards(void **state)
{
    (void)state;
    static const tacho_str names[] = {
        TACHO_STR_INIT("a,b"),    TACHO_STR_INIT("say \"hi\""), TACHO_STR_INIT("a\nb"),
        TACHO_STR_INIT("=1+2"),   TACHO_STR_INIT("@SUM(A1)"),   TACHO_STR_INIT("+x,y"),
        TACHO_STR_INIT("-1.5e3"), TACHO_STR_INIT("a=b"),        TACHO_STR_INIT("caf\xc3\xa9"),
    };
    tacho_table table;
    make_names(&table, names, sizeof(names) / sizeof(names[0]));
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,name,count\n"
                 "names,\"a,b\",0\n"
                 "names,\"say \"\"hi\"\"\",1\n"
                 "names,\"a\nb\",2\n"
                 "names,'=1+2,3\n"
                 "names,'@SUM(A1),4\n"
                 "names,\"'+x,y\",5\n"
                 "names,-1.5e3,6\n"
                 "names,a=b,7\n"
                 "names,caf\xc3\xa9,8\n");
    tacho_table_deinit(&table);
}

/* Sinks write only clean text (base/utf8.h): a reader of CSV expects UTF-8 without NUL. */
static void test_csv_is_clean(void **state)
{
    (void)state;
    static const tacho_str names[] = {
        TACHO_STR_INIT("caf\xe9"),
        TACHO_STR_INIT("a\0b"),
        TACHO_STR_INIT("\xed\xa0\x80,"),
    };
    tacho_table table;
    make_names(&table, names, 3);
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,name,count\n"
                 "names,caf\xef\xbf\xbd,0\n"
                 "names,a\xef\xbf\xbd"
                 "b,1\n"
                 "names,\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd,\",2\n");
    tacho_table_deinit(&table);
}

static const tacho_column time_columns[] = {TACHO_COLUMN_NAMED("t_ns", "Time", DURATION)};

/* At the limits of each unit; the last decimal is rounded to the nearest. */
static void test_durations(void **state)
{
    (void)state;
    static const int64_t times[] = {
        0,          1,          999,         1000,      1001,      1999,
        999999,     1000000,    1000999,     1001000,   999999999, 1000000000,
        1000999999, 1001000000, 60000000000, INT64_MAX, -1,
    };
    tacho_table table;
    tacho_table_init(&table, "times", "Times", time_columns, 1);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        assert_null(tacho_table_add_int(&table, times[i]));
    }
    check_report(&tacho_table_sink_text, &table, 1,
                 "Times\n"
                 "            Time\n"
                 "            0 ns\n"
                 "            1 ns\n"
                 "          999 ns\n"
                 "        1.000 us\n"
                 "        1.001 us\n"
                 "        1.999 us\n"
                 "      999.999 us\n"
                 "        1.000 ms\n"
                 "        1.001 ms\n"
                 "        1.001 ms\n"
                 "         1.000 s\n"
                 "         1.000 s\n"
                 "         1.001 s\n"
                 "         1.001 s\n"
                 "        60.000 s\n"
                 "9223372036.855 s\n"
                 "           -1 ns\n");
    tacho_table_deinit(&table);
}

/* Programs get the integers, all 64 bits of them. */
static void test_integers_are_exact(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "times", "Times", time_columns, 1);
    assert_null(tacho_table_add_int(&table, INT64_MIN));
    assert_null(tacho_table_add_int(&table, INT64_MAX));
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,t_ns\n"
                 "times,-9223372036854775808\n"
                 "times,9223372036854775807\n");
    check_report(&tacho_table_sink_jsonl, &table, 1,
                 "{\"schema_version\":1,\"table\":\"times\",\"t_ns\":-9223372036854775808}\n"
                 "{\"schema_version\":1,\"table\":\"times\",\"t_ns\":9223372036854775807}\n");
    tacho_table_deinit(&table);
}

static const tacho_column real_columns[] = {TACHO_COLUMN_NAMED("x", "X", REAL)};

static void test_reals(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "reals", "Reals", real_columns, 1);
    assert_null(tacho_table_add_real(&table, 0.1));
    assert_null(tacho_table_add_real(&table, -2.0));
    assert_null(tacho_table_add_real(&table, 1e15));
    check_report(&tacho_table_sink_text, &table, 1,
                 "Reals\n"
                 "                   X\n"
                 "               0.100\n"
                 "              -2.000\n"
                 "1000000000000000.000\n");
    check_report(&tacho_table_sink_csv, &table, 1,
                 "table,x\nreals,0.1\nreals,-2.0\nreals,1000000000000000.0\n");
    check_report(&tacho_table_sink_jsonl, &table, 1,
                 "{\"schema_version\":1,\"table\":\"reals\",\"x\":0.1}\n"
                 "{\"schema_version\":1,\"table\":\"reals\",\"x\":-2.0}\n"
                 "{\"schema_version\":1,\"table\":\"reals\",\"x\":1000000000000000.0}\n");
    tacho_table_deinit(&table);
}

/* The largest numbers have 309 digits before the point; none may be missing. */
/* Two decimals everywhere. */
static void test_percentages(void **state)
{
    (void)state;
    static const tacho_column columns[] = {TACHO_COLUMN(SHARE_PERCENT, "Share", PERCENT)};
    tacho_table table;
    tacho_table_init(&table, "t", "T", columns, 1);
    assert_null(tacho_table_add_real(&table, 100.0 / 3));
    assert_null(tacho_table_add_real(&table, 0));
    assert_null(tacho_table_add_absent(&table));
    check_report(&tacho_table_sink_text, &table, 1, "T\n  Share\n33.33 %\n 0.00 %\n      -\n");
    check_report(&tacho_table_sink_csv, &table, 1, "table,share_percent\nt,33.33\nt,0.00\nt,\n");
    check_report(&tacho_table_sink_jsonl, &table, 1,
                 "{\"schema_version\":1,\"table\":\"t\",\"share_percent\":33.33}\n"
                 "{\"schema_version\":1,\"table\":\"t\",\"share_percent\":0.00}\n"
                 "{\"schema_version\":1,\"table\":\"t\",\"share_percent\":null}\n");
    tacho_table_deinit(&table);
}

static void test_text_large_real(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "reals", "Reals", real_columns, 1);
    assert_null(tacho_table_add_real(&table, -DBL_MAX));
    char number[512];
    char expected[1200];
    int len = snprintf(number, sizeof(number), "%.3f", -DBL_MAX);
    snprintf(expected, sizeof(expected), "Reals\n%*s\n%s\n", len, "X", number);
    check_report(&tacho_table_sink_text, &table, 1, expected);
    tacho_table_deinit(&table);
}

/* Tables of one report are separated: by a blank line in text, by the table's name for programs. */
static void test_several_tables(void **state)
{
    (void)state;
    static const tacho_str names[] = {TACHO_STR_INIT("a")};
    tacho_table tables[2];
    make_names(&tables[0], names, 1);
    tacho_table_init(&tables[1], "times", "Times", time_columns, 1);
    assert_null(tacho_table_add_int(&tables[1], 5));
    check_report(&tacho_table_sink_text, tables, 2,
                 "Names\nName  Count\na         0\n\nTimes\nTime\n5 ns\n");
    check_report(&tacho_table_sink_csv, tables, 2,
                 "table,name,count\nnames,a,0\n\ntable,t_ns\ntimes,5\n");
    check_report(&tacho_table_sink_jsonl, tables, 2,
                 "{\"schema_version\":1,\"table\":\"names\",\"name\":\"a\",\"count\":0}\n"
                 "{\"schema_version\":1,\"table\":\"times\",\"t_ns\":5}\n");
    tacho_table_deinit(&tables[0]);
    tacho_table_deinit(&tables[1]);
}

static const tacho_column picture_columns[] = {
    TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(BAR, "Bar", PICTURE),
    TACHO_COLUMN(COUNT, "Count", INT),
    TACHO_COLUMN_NAMED("line", "Line", PICTURE),
};

static void add_pictured(tacho_table *table, const char *name, const char *bar, int64_t count,
                         const char *line)
{
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(bar)));
    assert_null(tacho_table_add_int(table, count));
    assert_null(tacho_table_add_text(table, tacho_str_from_cstring(line)));
}

/* Text shows pictures, to the left and without trailing blanks; other formats do not. */
static void test_pictures(void **state)
{
    (void)state;
    tacho_table table;
    tacho_table_init(&table, "bars", "Bars", picture_columns, 4);
    add_pictured(&table, "a", "####", 4, "## ##  ");
    add_pictured(&table, "b", "#", 12, "  #");
    check_report(&tacho_table_sink_text, &table, 1,
                 "Bars\n"
                 "Name  Bar   Count  Line\n"
                 "a     ####      4  ## ##\n"
                 "b     #        12    #\n");
    check_report(&tacho_table_sink_csv, &table, 1, "table,name,count\nbars,a,4\nbars,b,12\n");
    check_report(&tacho_table_sink_jsonl, &table, 1,
                 "{\"schema_version\":1,\"table\":\"bars\",\"name\":\"a\",\"count\":4}\n"
                 "{\"schema_version\":1,\"table\":\"bars\",\"name\":\"b\",\"count\":12}\n");
    tacho_table_deinit(&table);
}

static void test_empty_table(void **state)
{
    (void)state;
    tacho_table table;
    make_names(&table, NULL, 0);
    check_report(&tacho_table_sink_text, &table, 1, "Names\nName  Count\n");
    check_report(&tacho_table_sink_csv, &table, 1, "table,name,count\n");
    check_report(&tacho_table_sink_jsonl, &table, 1, "");
    tacho_table_deinit(&table);
}

static void test_find(void **state)
{
    (void)state;
    assert_ptr_equal(tacho_table_sink_find(TACHO_STR("text")), &tacho_table_sink_text);
    assert_ptr_equal(tacho_table_sink_find(TACHO_STR("csv")), &tacho_table_sink_csv);
    assert_ptr_equal(tacho_table_sink_find(TACHO_STR("json")), &tacho_table_sink_jsonl);
    assert_null(tacho_table_sink_find(TACHO_STR("CSV")));
    assert_null(tacho_table_sink_find(TACHO_STR("")));
    for (const tacho_table_sink *const *sink = tacho_table_sinks(); *sink != NULL; sink++) {
        assert_ptr_equal(tacho_table_sink_find(tacho_str_from_cstring((*sink)->name)), *sink);
    }
}

static void test_find_for_path(void **state)
{
    (void)state;
    static const struct {
        tacho_str path;
        const tacho_table_sink *sink;
    } cases[] = {
        {TACHO_STR_INIT("report.csv"), &tacho_table_sink_csv},
        {TACHO_STR_INIT("report.json"), &tacho_table_sink_jsonl},
        {TACHO_STR_INIT("report.txt"), &tacho_table_sink_text},
        {TACHO_STR_INIT("a/report.csv.gz"), &tacho_table_sink_csv},
        {TACHO_STR_INIT("report.json.zst"), &tacho_table_sink_jsonl},
        {TACHO_STR_INIT("report.csv.txt"), &tacho_table_sink_text},
        {TACHO_STR_INIT("report"), &tacho_table_sink_text},
        {TACHO_STR_INIT("-"), &tacho_table_sink_text},
        {TACHO_STR_INIT("csv"), &tacho_table_sink_text},
        {TACHO_STR_INIT(""), &tacho_table_sink_text},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_ptr_equal(tacho_table_sink_find_for_path(cases[i].path), cases[i].sink);
    }
}

/* Semicolons, the vendor's header, and no guard against formulas. */
static void test_plain_csv(void **state)
{
    (void)state;
    static const tacho_column columns[] = {
        TACHO_COLUMN_NAMED("a;b", "A", TEXT),
        TACHO_COLUMN_NAMED("n", "N", INT),
        TACHO_COLUMN_NAMED("real", "R", REAL),
    };
    tacho_table table;
    tacho_table_init(&table, "t", "T", columns, 3);
    const char *const texts[] = {"=1+1", "a;b", "say \"hi\"", "two\nlines", "one,two", "@L7C10"};
    for (size_t i = 0; i < 6; i++) {
        assert_null(tacho_table_add_text(&table, tacho_str_from_cstring(texts[i])));
        assert_null(tacho_table_add_int(&table, INT64_MIN + (int64_t)i));
        assert_null(tacho_table_add_real(&table, 81234567534.0));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_null(tacho_table_add_absent(&table));
    }
    check_report(&tacho_table_sink_plain_csv, &table, 1,
                 "\"a;b\";n;real\n"
                 "=1+1;-9223372036854775808;81234567534.0\n"
                 "\"a;b\";-9223372036854775807;81234567534.0\n"
                 "\"say \"\"hi\"\"\";-9223372036854775806;81234567534.0\n"
                 "\"two\nlines\";-9223372036854775805;81234567534.0\n"
                 "one,two;-9223372036854775804;81234567534.0\n"
                 "@L7C10;-9223372036854775803;81234567534.0\n"
                 ";;\n");
    tacho_table_deinit(&table);
}

/* A table in pieces equals the whole table. */
static void test_append(void **state)
{
    (void)state;
    const tacho_table_sink *const sinks[] = {&tacho_table_sink_csv, &tacho_table_sink_plain_csv,
                                             &tacho_table_sink_jsonl};
    for (size_t i = 0; i < 3; i++) {
        tacho_table table;
        make_ops(&table);
        static char whole[REPORT_BYTES];
        static char pieces[REPORT_BYTES];
        tacho_output output;
        open_test_output(&output);
        assert_null(sinks[i]->write(&table, 0, &output));
        whole[read_test_output(&output, whole, sizeof(whole) - 1)] = '\0';

        tacho_table_report report;
        tacho_table piece = table;
        open_test_output(&output);
        assert_null(tacho_table_report_open(&report, sinks[i], &output));
        piece.cell_count = table.column_count;
        assert_null(tacho_table_report_add(&report, &piece));
        piece.cells += table.column_count;
        piece.cell_count = table.cell_count - table.column_count;
        assert_null(tacho_table_report_append(&report, &piece));
        assert_null(tacho_table_report_finish(&report));
        tacho_table_report_close(&report);
        pieces[read_test_output(&output, pieces, sizeof(pieces) - 1)] = '\0';
        assert_string_equal(pieces, whole);
        tacho_table_deinit(&table);
    }
}

static void check_title(const char *title, unsigned number, const char *expected)
{
    char name[TACHO_XLSX_TITLE_BYTES];
    tacho_xlsx_title(title, number, name);
    assert_string_equal(name, expected);
}

/* Names of sheets: forbidden characters, too long, and repeated. */
static void test_xlsx_titles(void **state)
{
    (void)state;
    check_title("Operations", 1, "Operations");
    check_title("Operations", 2, "Operations (2)");
    check_title("a/b:c*d?e[f]g\\h'i\n", 1, "a b c d e f g h i ");
    check_title("a/b", 3, "a b (3)"); /* a taken name is looked up as it will be written */
    check_title("0123456789012345678901234567890123456789", 1, "0123456789012345678901234567890");
    check_title("0123456789012345678901234567890123456789", 12, "01234567890123456789012345 (12)");
    check_title("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
                1,
                "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    check_title("", 1, "Sheet");
    check_title("\xff", 1, " ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_repeats_numbers),
        cmocka_unit_test(test_jsonl),
        cmocka_unit_test(test_text_wide_names),
        cmocka_unit_test(test_text_hostile_names),
        cmocka_unit_test(test_jsonl_hostile_names),
        cmocka_unit_test(test_csv_quotes_and_guards),
        cmocka_unit_test(test_csv_is_clean),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_integers_are_exact),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_percentages),
        cmocka_unit_test(test_text_large_real),
        cmocka_unit_test(test_several_tables),
        cmocka_unit_test(test_empty_table),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_find_for_path),
        cmocka_unit_test(test_plain_csv),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_xlsx_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
