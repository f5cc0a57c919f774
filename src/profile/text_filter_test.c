/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts and expressions against names and locations.
 */
#include "profile/text_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool accepts(const char *text, tacho_str name, tacho_str location)
{
    tacho_text_filter filter;
    assert_null(tacho_text_filter_open(&filter, text));
    tacho_name_filter names = tacho_text_filter_names(&filter);
    bool is_accepted = names.accepts(names.self, name, location);
    assert_null(tacho_name_filter_check(&names));
    tacho_text_filter_close(&filter);
    return is_accepted;
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(accepts("conv", TACHO_STR("my conv 1"), TACHO_STR("")));
    assert_true(accepts("f.mlir:3", TACHO_STR("x"), TACHO_STR("f.mlir:3:1")));
    assert_true(accepts("", TACHO_STR(""), TACHO_STR("")));
    assert_false(accepts("conv", TACHO_STR("Conv"), TACHO_STR("")));
    assert_false(accepts("^conv", TACHO_STR("conv"), TACHO_STR("")));
    assert_false(accepts("//", TACHO_STR("a"), TACHO_STR("b"))); /* two slashes are a text */
}

static void test_expressions(void **state)
{
    (void)state;
    assert_true(accepts("/^conv[0-9]+$/", TACHO_STR("conv12"), TACHO_STR("")));
    assert_true(accepts("/a|b/", TACHO_STR("x"), TACHO_STR("b")));
    assert_false(accepts("/^conv$/", TACHO_STR("conv12"), TACHO_STR("")));
}

static void test_bad_expression(void **state)
{
    (void)state;
    tacho_text_filter filter;
    tacho_status status = tacho_text_filter_open(&filter, "/(/");
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    assert_non_null(strstr(tacho_status_message(status), "'/(/': "));
    tacho_status_free(status);
    tacho_text_filter_close(&filter);
    tacho_text_filter_close(&filter); /* twice is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_bad_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
