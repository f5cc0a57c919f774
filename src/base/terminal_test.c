/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No bytes that act on a terminal reach it, however they are cut into pieces; and an output detects
 * a terminal by itself.
 */
#define _GNU_SOURCE /* posix_openpt */
#include "base/output.h"
#include "base/terminal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct sink {
    char bytes[512];
    size_t len;
} sink;

static tacho_status keep(void *self, const void *bytes, size_t len)
{
    sink *to = self;
    assert_true(to->len + len < sizeof(to->bytes));
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
    return TACHO_OK;
}

/* |text| in pieces of |step| bytes. */
static void assert_shown(const char *text, size_t step, const char *expected)
{
    sink to = {.len = 0};
    tacho_terminal terminal = {.held_len = 0};
    tacho_str rest = tacho_str_from_cstring(text);
    while (rest.len > 0) {
        size_t len = rest.len < step ? rest.len : step;
        assert_null(
            tacho_terminal_run(&terminal, tacho_str_make(rest.data, len), false, keep, &to));
        rest = tacho_str_from(rest, len);
    }
    assert_null(tacho_terminal_run(&terminal, TACHO_STR(""), true, keep, &to));
    to.bytes[to.len] = '\0';
    assert_string_equal(to.bytes, expected);
}

static void test_characters(void **state)
{
    (void)state;
    for (size_t step = 1; step < 9; step++) {
        assert_shown("plain\ttext\n", step, "plain\ttext\n");
        assert_shown("\x1b[31mred\x1b[0m\r\a\b\x7f", step,
                     "\\x1b[31mred\\x1b[0m\\x0d\\x07\\x08\\x7f");
        assert_shown("\xc2\x9b"
                     "2J",
                     step, "\\u009b2J"); /* C1 in UTF-8 */
        assert_shown("\x9b"
                     "2J",
                     step, "\\x9b2J"); /* C1 as a byte */
        assert_shown("a\xe2\x80\xae"
                     "b",
                     step, "a\\u202eb");                           /* right to left */
        assert_shown("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80", step, /* é中😀 pass */
                     "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
        assert_shown("\xe4\xb8", step, "\\xe4\\xb8"); /* cut off */
        assert_shown("\xf0\x1b[m\xe4\n", step, "\\xf0\\x1b[m\\xe4\n");
    }
}

/* The bytes that arrive at the terminal |path|. */
static void test_output_to_terminal(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    char name[64];
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, name, sizeof(name)) != 0) {
        skip();
    }
    tacho_output output;
    assert_null(tacho_output_open(name, &output));
    assert_true(output.is_terminal);
    tacho_output_write_cstring(&output, "op\x1b[2J,1");
    assert_null(tacho_output_commit(&output));
    char seen[64] = "";
    assert_true(read(master, seen, sizeof(seen) - 1) > 0);
    assert_string_equal(seen, "op\\x1b[2J,1");
    tacho_output_close(&output);
    close(master);
}

static void test_output_to_file(void **state)
{
    (void)state;
    tacho_output output;
    assert_null(tacho_output_open("/dev/null", &output));
    assert_false(output.is_terminal);
    tacho_output_close(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_output_to_terminal),
        cmocka_unit_test(test_output_to_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
