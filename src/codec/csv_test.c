/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splitting is checked by joining the fields again with '|', which the lines do not hold;
 * writing, in an output whose buffer never fills and so needs no file.
 */
#include "codec/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1024, FIELD_MAX = 8 };

static void join(const tacho_str *fields, size_t field_count, char *out_text)
{
    size_t len = 0;
    for (size_t i = 0; i < field_count; i++) {
        assert_true(len + fields[i].len + 2 < TEXT_BYTES);
        if (fields[i].len > 0) {
            memcpy(out_text + len, fields[i].data, fields[i].len);
        }
        len += fields[i].len;
        out_text[len++] = '|';
    }
    out_text[len] = '\0';
}

static void test_split(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t field_count;
        const char *joined;
    } cases[] = {
        {"", 1, "|"},
        {"a", 1, "a|"},
        {",", 2, "||"},
        {"0;1520;310;loc(\"f\":1:2)", 1, "0;1520;310;loc(\"f\":1:2)|"},
        {"a,\"b,c\",d", 4, "a|\"b|c\"|d|"},
        {"1,2,3,4,5,6,7,8,9,10", 10, "1|2|3|4|5|6|7|8|"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str fields[FIELD_MAX];
        size_t field_count =
            tacho_csv_split(tacho_str_from_cstring(cases[i].line), ',', fields, FIELD_MAX);
        assert_int_equal(field_count, cases[i].field_count);
        char joined[TEXT_BYTES];
        join(fields, field_count < FIELD_MAX ? field_count : FIELD_MAX, joined);
        assert_string_equal(joined, cases[i].joined);
    }
    tacho_str nothing = {NULL, 0};
    assert_int_equal(tacho_csv_split(nothing, ',', NULL, 0), 1);
}

static void test_split_ends(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t left_count;
        size_t right_count;
        const char *joined; /* NULL when the line is too short */
    } cases[] = {
        {"2,15831,20536,DMA Out,loc(fused[\"a\":1:2, \"b\":3:4]),75264", 4, 1,
         "2|15831|20536|DMA Out|loc(fused[\"a\":1:2, \"b\":3:4])|75264|"},
        {"1,4704,15831,Slice 0,loc(unknown),", 4, 1, "1|4704|15831|Slice 0|loc(unknown)||"},
        {"S0,9408,11456,loc(fused[\"a\", \"b\"]),conv2d", 3, 1,
         "S0|9408|11456|loc(fused[\"a\", \"b\"])|conv2d|"},
        {"DI0,0,9408,loc(\"f,g\":4:10),DMA_IN,75264", 3, 2,
         "DI0|0|9408|loc(\"f,g\":4:10)|DMA_IN|75264|"},
        {"a,b", 1, 0, "a|b|"},
        {"a,b", 0, 1, "a|b|"},
        {"a,b", 0, 0, "a,b|"},
        {",,", 1, 1, "|||"},
        {"", 0, 0, "|"},
        {"a,b", 1, 1, NULL},
        {"a,b", 2, 0, NULL},
        {"a,b", 0, 2, NULL},
        {"", 1, 0, NULL},
        {"", 0, 1, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str fields[FIELD_MAX];
        bool split = tacho_csv_split_ends(tacho_str_from_cstring(cases[i].line), ',',
                                          cases[i].left_count, cases[i].right_count, fields);
        assert_int_equal(split, cases[i].joined != NULL);
        if (split) {
            char joined[TEXT_BYTES];
            join(fields, cases[i].left_count + 1 + cases[i].right_count, joined);
            assert_string_equal(joined, cases[i].joined);
        }
    }
}

static void test_read_quoted(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "|"},
        {"\"\"", "|"},
        {",", "||"},
        {"a,\"b,c\",d", "a|b,c|d|"},
        {"1,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"", "1|loc(\"/w/m/add.mlir\":7:10)|"},
        {"\"\"\"\",\"\"\"\"\"\"", "\"|\"\"|"},
        {"a\"b\",c", "a\"b\"|c|"},
        {"\"a\",", "a||"},
        {"\"a\nb\"", "a\nb|"},
        {" \"a\"", " \"a\"|"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_csv_record record;
        assert_null(
            tacho_csv_read_quoted(tacho_str_from_cstring(cases[i][0]), ',', &arena, &record));
        char joined[TEXT_BYTES];
        join(record.fields, record.field_count, joined);
        assert_string_equal(joined, cases[i][1]);
        tacho_arena_deinit(&arena);
    }
}

/* Fields without doubled quotes are views of the line, not copies. */
static void test_read_quoted_borrows(void **state)
{
    (void)state;
    static const char line[] = "ab,\"cd\"";
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_csv_record record;
    assert_null(tacho_csv_read_quoted(tacho_str_from_cstring(line), ',', &arena, &record));
    assert_int_equal(record.field_count, 2);
    assert_ptr_equal(record.fields[0].data, line);
    assert_ptr_equal(record.fields[1].data, line + 4);
    tacho_arena_deinit(&arena);
}

static void test_read_quoted_refuses(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a,\"b", "column 3: the quote that opens field 2 is never closed"},
        {"\"", "column 1: the quote that opens field 1 is never closed"},
        {"\"a\"\"", "column 1: the quote that opens field 1 is never closed"},
        {"\"a\"b,c", "column 4: expected a delimiter or the end of the line after the closing "
                     "quote of field 1"},
        {"x,\"a\" ,c", "column 6: expected a delimiter or the end of the line after the closing "
                       "quote of field 2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_csv_record record;
        tacho_status status =
            tacho_csv_read_quoted(tacho_str_from_cstring(cases[i][0]), ',', &arena, &record);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_string_equal(tacho_status_message(status), cases[i][1]);
        assert_int_equal(record.field_count, 0);
        tacho_status_free(status);
        tacho_arena_deinit(&arena);
    }
}

typedef void write_function(tacho_output *output, tacho_str text, char delimiter);

static void check_written(write_function *write, const char *text, const char *expected)
{
    unsigned char buffer[TEXT_BYTES];
    tacho_output output = {
        .buffer = buffer, .cursor = buffer, .limit = buffer + sizeof(buffer), .fd = -1};
    write(&output, tacho_str_from_cstring(text), ',');
    *output.cursor = '\0';
    assert_string_equal((const char *)buffer, expected);
    assert_null(output.failure);
}

static void test_write_field(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"conv2d", "conv2d"},
        {"a b;c", "a b;c"},
        {"a,b", "\"a,b\""},
        {"\"", "\"\"\"\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"a\nb", "\"a\nb\""},
        {"a\r", "\"a\r\""},
        {"=1+2", "=1+2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_written(tacho_csv_write_field, cases[i][0], cases[i][1]);
    }
}

static void test_write_guarded(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"conv2d", "conv2d"},
        {"a=b", "a=b"},
        {"=1+2", "'=1+2"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\t=1", "'\t=1"},
        {"\r=1", "\"'\r=1\""},
        {"=cmd|' /C calc'!A0,\"x\"", "\"'=cmd|' /C calc'!A0,\"\"x\"\"\""},
        {"-", "-"},
        {"+", "'+"},
        {"-5", "-5"},
        {"+3.25", "+3.25"},
        {"-.5", "-.5"},
        {"-5.", "-5."},
        {"-1e-9", "-1e-9"},
        {"+1E+10", "+1E+10"},
        {"-.", "'-."},
        {"-e5", "'-e5"},
        {"-1e", "'-1e"},
        {"-1e+", "'-1e+"},
        {"-1-1", "'-1-1"},
        {"-1 ", "'-1 "},
        {"--1", "'--1"},
        {"-inf", "'-inf"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_written(tacho_csv_write_guarded, cases[i][0], cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_ends),
        cmocka_unit_test(test_read_quoted),
        cmocka_unit_test(test_read_quoted_borrows),
        cmocka_unit_test(test_read_quoted_refuses),
        cmocka_unit_test(test_write_field),
        cmocka_unit_test(test_write_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
