/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures are made, noted and freed as the library does it. The stand-in for a failure that
 * could not be made is reached through a message that cannot be formatted.
 */
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

static tacho_status make(tacho_code code, const char *text)
{
    return tacho_fail(code, "%s", text);
}

static void test_success(void **state)
{
    (void)state;
    int line = -1;
    assert_int_equal(tacho_status_code(TACHO_OK), TACHO_CODE_OK);
    assert_string_equal(tacho_status_message(TACHO_OK), "ok");
    assert_null(tacho_status_note(TACHO_OK, 0));
    assert_string_equal(tacho_status_source(TACHO_OK, &line), "");
    assert_int_equal(line, 0);
    assert_null(tacho_status_add_note(TACHO_OK, "while %s", "resting"));
    tacho_status_free(TACHO_OK);
}

static void test_failure(void **state)
{
    (void)state;
    int line = 0;
    int expected_line = __LINE__ + 1;
    tacho_status status = tacho_fail(TACHO_CODE_BAD_DATA, "%s:%d: expected %d", "a.csv", 7, 5);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_string_equal(tacho_status_message(status), "a.csv:7: expected 5");
    assert_null(tacho_status_note(status, 0));
    assert_string_equal(tacho_status_source(status, &line), __FILE__);
    assert_int_equal(line, expected_line);
    tacho_status_free(status);
}

static void test_long_message(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    tacho_status status = make(TACHO_CODE_IO, text);
    assert_string_equal(tacho_status_message(status), text);
    status = tacho_status_add_note(status, "%s", text);
    assert_string_equal(tacho_status_note(status, 0), text);
    tacho_status_free(status);
    free(text);
}

static void test_notes_innermost_first(void **state)
{
    (void)state;
    tacho_status status = make(TACHO_CODE_LIMIT, "too long");
    status = tacho_status_add_note(status, "while reading line %d", 3);
    status = tacho_status_add_note(status, "while reading %s", "a.csv");
    status = tacho_status_add_note(status, "while converting");
    assert_string_equal(tacho_status_note(status, 0), "while reading line 3");
    assert_string_equal(tacho_status_note(status, 1), "while reading a.csv");
    assert_string_equal(tacho_status_note(status, 2), "while converting");
    assert_null(tacho_status_note(status, 3));
    assert_null(tacho_status_note(status, SIZE_MAX));
    assert_string_equal(tacho_status_message(status), "too long");
    tacho_status_free(status);
}

static void test_first(void **state)
{
    (void)state;
    assert_null(tacho_status_first(TACHO_OK, TACHO_OK));
    tacho_status one = make(TACHO_CODE_IO, "one");
    assert_ptr_equal(tacho_status_first(one, TACHO_OK), one);
    assert_ptr_equal(tacho_status_first(TACHO_OK, one), one);
    /* The second is freed: the leak checker would report it. */
    tacho_status two = tacho_status_add_note(make(TACHO_CODE_USAGE, "two"), "a note");
    assert_ptr_equal(tacho_status_first(one, two), one);
    assert_string_equal(tacho_status_message(one), "one");
    tacho_status_free(one);
}

static tacho_status try_plain(tacho_status status, int *steps)
{
    *steps += 1;
    TACHO_TRY(status);
    *steps += 1;
    return TACHO_OK;
}

static tacho_status try_noted(tacho_status status, int *steps)
{
    TACHO_TRY_NOTE(try_plain(status, steps), "after %d steps", *steps);
    *steps += 1;
    return TACHO_OK;
}

static void test_try(void **state)
{
    (void)state;
    int steps = 0;
    assert_null(try_noted(TACHO_OK, &steps));
    assert_int_equal(steps, 3);
    steps = 0;
    tacho_status status = make(TACHO_CODE_NOT_FOUND, "gone");
    assert_ptr_equal(try_noted(status, &steps), status);
    assert_int_equal(steps, 1);
    assert_string_equal(tacho_status_note(status, 0), "after 1 steps");
    tacho_status_free(status);
}

static void test_code_names(void **state)
{
    (void)state;
    assert_string_equal(tacho_code_name(TACHO_CODE_OK), "OK");
    assert_string_equal(tacho_code_name(TACHO_CODE_USAGE), "USAGE");
    assert_string_equal(tacho_code_name(TACHO_CODE_NOT_FOUND), "NOT_FOUND");
    assert_string_equal(tacho_code_name(TACHO_CODE_BAD_DATA), "BAD_DATA");
    assert_string_equal(tacho_code_name(TACHO_CODE_NO_MEMORY), "NO_MEMORY");
    assert_string_equal(tacho_code_name(TACHO_CODE_CANCELLED), "CANCELLED");
    assert_string_equal(tacho_code_name((tacho_code)(TACHO_CODE_CANCELLED + 1)), "?");
}

/* No character of the "C" locale is U+10FFFF, so printf(3) gives up. */
static tacho_status make_impossible(void)
{
    static const wchar_t impossible[] = {0x10ffff, 0};
    return tacho_fail(TACHO_CODE_BAD_DATA, "%ls", impossible);
}

static void test_no_memory_record(void **state)
{
    (void)state;
    tacho_status status = make_impossible();
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
    assert_string_equal(tacho_status_message(status), "out of memory");
    /* One record for all, which takes no notes and cannot be freed. */
    assert_ptr_equal(make_impossible(), status);
    assert_ptr_equal(tacho_status_add_note(status, "a note"), status);
    assert_null(tacho_status_note(status, 0));
    tacho_status_free(status);
    tacho_status_free(status);
    assert_string_equal(tacho_status_message(status), "out of memory");
    tacho_status other = make(TACHO_CODE_IO, "one");
    assert_ptr_equal(tacho_status_first(status, other), status);
    other = make(TACHO_CODE_IO, "two");
    assert_ptr_equal(tacho_status_first(other, status), other);
    tacho_status_free(other);
}

/* A hint belongs to the text that was there last when it was added. */
static void test_hints(void **state)
{
    (void)state;
    tacho_status status = make(TACHO_CODE_USAGE, "open dimensions");
    char detail[] = "n=1";
    status = tacho_status_add_hint(status, TACHO_HINT_SIZE, detail);
    detail[0] = 'x'; /* it has a copy */
    status = tacho_status_add_hint(status, TACHO_HINT_SIZE, "m=2");
    status = tacho_status_add_hint(tacho_status_add_note(status, "one"), TACHO_HINT_BATCH, "");
    status = tacho_status_add_note(status, "two");
    assert_int_equal(tacho_status_hint(status, 0, 0).id, TACHO_HINT_SIZE);
    assert_string_equal(tacho_status_hint(status, 0, 0).detail, "n=1");
    assert_string_equal(tacho_status_hint(status, 0, 1).detail, "m=2");
    assert_int_equal(tacho_status_hint(status, 0, 2).id, TACHO_HINT_NONE);
    assert_int_equal(tacho_status_hint(status, 1, 0).id, TACHO_HINT_BATCH);
    assert_string_equal(tacho_status_hint(status, 1, 0).detail, "");
    assert_int_equal(tacho_status_hint(status, 2, 0).id, TACHO_HINT_NONE);
    assert_string_equal(tacho_status_message(status), "open dimensions");
    tacho_status_free(status);
    assert_int_equal(tacho_status_hint(TACHO_OK, 0, 0).id, TACHO_HINT_NONE);
    assert_null(tacho_status_add_hint(TACHO_OK, TACHO_HINT_BATCH, ""));
    assert_ptr_equal(tacho_status_add_hint(tacho_no_memory(), TACHO_HINT_BATCH, ""),
                     tacho_no_memory());
    assert_int_equal(tacho_status_hint(tacho_no_memory(), 0, 0).id, TACHO_HINT_NONE);
}

/* A note that cannot be formatted leaves the failure as it was. */
static void test_impossible_note(void **state)
{
    (void)state;
    static const wchar_t impossible[] = {0x10ffff, 0};
    tacho_status status = make(TACHO_CODE_IO, "full");
    status = tacho_status_add_note(status, "%ls", impossible);
    status = tacho_status_add_note(status, "outer");
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    assert_string_equal(tacho_status_message(status), "full");
    assert_string_equal(tacho_status_note(status, 0), "out of memory");
    assert_string_equal(tacho_status_note(status, 1), "outer");
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_success),         cmocka_unit_test(test_failure),
        cmocka_unit_test(test_long_message),    cmocka_unit_test(test_notes_innermost_first),
        cmocka_unit_test(test_first),           cmocka_unit_test(test_try),
        cmocka_unit_test(test_code_names),      cmocka_unit_test(test_no_memory_record),
        cmocka_unit_test(test_impossible_note), cmocka_unit_test(test_hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
