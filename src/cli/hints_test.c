/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every hint has words, and they end the sentence that they are put behind.
 */
#include "cli/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const tacho_hint_dialect *dialect, const tacho_hint *hints, const char *expected)
{
    tacho_text text = {0};
    assert_null(tacho_text_put(&text, TACHO_STR("it failed")));
    assert_null(tacho_hints_put(dialect, hints, &text));
    tacho_str found = tacho_text_take(&text);
    if (!tacho_str_equal(found, tacho_str_from_cstring(expected))) {
        fail_msg("expected '%s', found '%.*s'", expected, TACHO_STR_ARG(found));
    }
    tacho_text_deinit(&text);
}

static void test_words(void **state)
{
    (void)state;
    const tacho_hint none[] = {{TACHO_HINT_NONE, ""}};
    const tacho_hint sizes[] = {{TACHO_HINT_SIZE, "batch=VALUE"},
                                {TACHO_HINT_SIZE, "a=b.1=1"},
                                {TACHO_HINT_BATCH, ""},
                                {TACHO_HINT_NONE, ""}};
    const tacho_hint inputs[] = {{TACHO_HINT_GIVE_INPUT, "x=1xf32=VALUE"},
                                 {TACHO_HINT_GIVE_INPUT, "y=2xi8=VALUE"},
                                 {TACHO_HINT_NONE, ""}};
    check(NULL, none, "it failed");
    check(NULL, sizes,
          "it failed: --dim batch=VALUE --dim a=b.1=1; --batch N runs several inferences as one");
    check(&tacho_hints_qaic, sizes,
          "it failed: -onnx-define-symbol=batch,VALUE -onnx-define-symbol=a=b.1,1");
    check(NULL, inputs, "it failed; give them with --input 'x=1xf32=VALUE' --input 'y=2xi8=VALUE'");
}

/* Words say more than nothing, and name an option or a command. */
static void test_every_hint_has_words(void **state)
{
    (void)state;
    for (tacho_hint_id id = TACHO_HINT_NONE + 1; id < TACHO_HINT_COUNT; id++) {
        const tacho_hint hints[] = {{id, "N=1"}, {TACHO_HINT_NONE, ""}};
        tacho_text text = {0};
        assert_null(tacho_hints_put(NULL, hints, &text));
        assert_null(tacho_text_put(&text, tacho_str_make("", 1)));
        const char *words = tacho_text_take(&text).data;
        assert_true(strstr(words, "-") != NULL || strstr(words, "'tacho ") != NULL);
        assert_non_null(strchr(";,: (", words[0]));
        tacho_text_deinit(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_every_hint_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
