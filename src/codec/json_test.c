/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings and numbers are written to a file and compared byte by byte with the expected contents.
 * The file is never committed, so nothing is left of it.
 */
#include "codec/json.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { TEXT_BYTES = 4096 };

static void check_string(tacho_str text, tacho_str expected)
{
    tacho_output output;
    open_test_output(&output);
    tacho_json_write_string(&output, text);
    char bytes[TEXT_BYTES];
    size_t len = read_test_output(&output, bytes, sizeof(bytes));
    assert_int_equal(len, expected.len);
    assert_memory_equal(bytes, expected.data, len);
}

static void test_strings(void **state)
{
    (void)state;
    static const tacho_str cases[][2] = {
        {TACHO_STR_INIT(""), TACHO_STR_INIT("\"\"")},
        {TACHO_STR_INIT("conv2d"), TACHO_STR_INIT("\"conv2d\"")},
        {TACHO_STR_INIT("say \"hi\""), TACHO_STR_INIT("\"say \\\"hi\\\"\"")},
        {TACHO_STR_INIT("C:\\temp\\"), TACHO_STR_INIT("\"C:\\\\temp\\\\\"")},
        {TACHO_STR_INIT("a/b </script>'"), TACHO_STR_INIT("\"a/b </script>'\"")},
        {TACHO_STR_INIT("a\tb\r\nc"), TACHO_STR_INIT("\"a\\u0009b\\u000d\\u000ac\"")},
        {TACHO_STR_INIT("a\0b"), TACHO_STR_INIT("\"a\\u0000b\"")},
        {TACHO_STR_INIT("\x1b[31m"), TACHO_STR_INIT("\"\\u001b[31m\"")},
        {TACHO_STR_INIT("\x7f"), TACHO_STR_INIT("\"\\u007f\"")},
        {TACHO_STR_INIT("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"),
         TACHO_STR_INIT("\"caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80\"")},
        {TACHO_STR_INIT("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"),
         TACHO_STR_INIT("\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_string(cases[i][0], cases[i][1]);
    }
    tacho_str nothing = {NULL, 0};
    check_string(nothing, TACHO_STR("\"\""));
}

static void test_bad_utf8(void **state)
{
    (void)state;
    static const tacho_str cases[][2] = {
        {TACHO_STR_INIT("\xff"), TACHO_STR_INIT("\"\\ufffd\"")},
        {TACHO_STR_INIT("caf\xe9!"), TACHO_STR_INIT("\"caf\\ufffd!\"")},
        {TACHO_STR_INIT("\xc0\xaf"), TACHO_STR_INIT("\"\\ufffd\\ufffd\"")},
        {TACHO_STR_INIT("\xed\xa0\x80"), TACHO_STR_INIT("\"\\ufffd\\ufffd\\ufffd\"")},
        {TACHO_STR_INIT("\xe2\x82"), TACHO_STR_INIT("\"\\ufffd\\ufffd\"")},
        {TACHO_STR_INIT("\xe2\x82\""), TACHO_STR_INIT("\"\\ufffd\\ufffd\\\"\"")},
        {TACHO_STR_INIT("\xc3\\"), TACHO_STR_INIT("\"\\ufffd\\\\\"")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_string(cases[i][0], cases[i][1]);
    }
}

/* All of ASCII in one string: escaped and plain characters. */
static void test_ascii(void **state)
{
    (void)state;
    char text[0x80];
    char expected[TEXT_BYTES] = "\"";
    size_t len = 1;
    for (unsigned i = 0; i < 0x80; i++) {
        text[i] = (char)i;
        char *to = expected + len;
        if (i < 0x20 || i == 0x7f) {
            len += (size_t)snprintf(to, sizeof(expected) - len, "\\u%04x", i);
        } else {
            const char *escape = i == '"' || i == '\\' ? "\\" : "";
            len += (size_t)snprintf(to, sizeof(expected) - len, "%s%c", escape, (int)i);
        }
    }
    expected[len++] = '"';
    check_string(tacho_str_make(text, sizeof(text)), tacho_str_make(expected, len));
}

/* One byte of each value at every place of strings of every short length. */
static void test_every_byte(void **state)
{
    (void)state;
    char bytes[64];
    for (size_t length = 1; length <= 20; length++) {
        for (size_t at = 0; at < length; at++) {
            for (int value = 1; value < 256; value++) {
                char text[20];
                char wanted[64];
                char piece[16];
                bool is_plain = value >= 0x20 && value < 0x7f && value != '"' && value != '\\';
                snprintf(piece, sizeof(piece),
                         is_plain                        ? "%c"
                         : value == '"' || value == '\\' ? "\\%c"
                                                         : "\\u%04x",
                         value < 0x80 ? value : 0xfffd);
                memset(text, 'x', sizeof(text));
                text[at] = (char)value;
                snprintf(wanted, sizeof(wanted), "\"%.*s%s%.*s\"", (int)at, "xxxxxxxxxxxxxxxxxxxx",
                         piece, (int)(length - at - 1), "xxxxxxxxxxxxxxxxxxxx");
                tacho_output output;
                open_test_output(&output);
                tacho_json_write_string(&output, tacho_str_make(text, length));
                size_t len = read_test_output(&output, bytes, sizeof(bytes) - 1);
                bytes[len] = '\0';
                assert_string_equal(bytes, wanted);
            }
        }
    }
}

/* Longer than the output's buffer, with escapes at every border. */
static void test_long_string(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 18 };
    char *text = malloc(LENGTH);
    char *bytes = malloc(4 * LENGTH);
    assert_true(text != NULL && bytes != NULL);
    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = i % 3 == 0 ? '\n' : 'x';
    }
    tacho_output output;
    open_test_output(&output);
    tacho_json_write_string(&output, tacho_str_make(text, LENGTH));
    size_t len = read_test_output(&output, bytes, 4 * LENGTH);
    assert_int_equal(bytes[0], '"');
    size_t at = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        tacho_str piece = text[i] == 'x' ? TACHO_STR("x") : TACHO_STR("\\u000a");
        if (at + piece.len > len || memcmp(bytes + at, piece.data, piece.len) != 0) {
            fail_msg("character %zu is wrong", i);
        }
        at += piece.len;
    }
    assert_int_equal(at + 1, len);
    assert_int_equal(bytes[at], '"');
    free(text);
    free(bytes);
}

static void check_real(double value, const char *expected)
{
    tacho_output output;
    open_test_output(&output);
    tacho_json_write_real(&output, value);
    char bytes[TEXT_BYTES];
    size_t len = read_test_output(&output, bytes, sizeof(bytes) - 1);
    bytes[len] = '\0';
    assert_string_equal(bytes, expected);
    if (isfinite(value)) {
        double again = strtod(bytes, NULL);
        assert_memory_equal(&again, &value, sizeof(value)); /* nothing is lost, not even -0 */
    }
}

static void check_number(double value, const char *expected)
{
    tacho_output output;
    char text[64];
    open_test_output(&output);
    tacho_json_write_number(&output, value);
    text[read_test_output(&output, text, sizeof(text) - 1)] = '\0';
    assert_string_equal(text, expected);
}

static void test_numbers(void **state)
{
    (void)state;
    check_number(0.0, "0");
    check_number(-3.0, "-3");
    check_number(9007199254740992.0, "9007199254740992");
    check_number(1.5, "1.5");
    check_number(1e300, "1e+300");
    check_number((double)NAN, "null");
}

static void test_reals(void **state)
{
    (void)state;
    check_real(0.0, "0.0");
    check_real(-0.0, "-0.0");
    check_real(1.0, "1.0");
    check_real(-2.5, "-2.5");
    check_real(0.1, "0.1");
    check_real(1.0 / 3.0, "0.3333333333333333");
    check_real(1e21, "1e+21");
    check_real(9007199254740993.0, "9007199254740992.0");
    check_real(DBL_MAX, "1.7976931348623157e+308");
    check_real(DBL_MIN, "2.2250738585072014e-308");
    check_real(5e-324, "4.94065645841247e-324");
}

static void test_not_numbers(void **state)
{
    (void)state;
    check_real((double)NAN, "null");
    check_real(-(double)NAN, "null");
    check_real((double)INFINITY, "null");
    check_real(-(double)INFINITY, "null");
}

/* Characters of several bytes wherever a long text may be cut: none is taken for bad bytes. */
static void test_long_text(void **state)
{
    (void)state;
    enum { COUNT = 20000, BYTES = 3 };
    static const char character[] = "\xe4\xb8\xad";
    for (size_t shift = 0; shift < BYTES; shift++) {
        size_t len = shift + COUNT * BYTES;
        char *text = malloc(len);
        char *bytes = malloc(len + 64);
        assert_non_null(text);
        assert_non_null(bytes);
        memset(text, 'x', shift);
        for (size_t i = 0; i < COUNT; i++) {
            memcpy(text + shift + i * BYTES, character, BYTES);
        }
        tacho_output output;
        open_test_output(&output);
        tacho_json_write_string(&output, tacho_str_make(text, len));
        assert_int_equal(read_test_output(&output, bytes, len + 64), len + 2);
        assert_memory_equal(bytes + 1, text, len);
        free(text);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),     cmocka_unit_test(test_bad_utf8),
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_long_text),       cmocka_unit_test(test_long_string),
        cmocka_unit_test(test_every_byte),  cmocka_unit_test(test_reals),
        cmocka_unit_test(test_not_numbers), cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
