/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every hint has words, and they end the sentence that they are put behind.
 */
#include "cli/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is printed after a sentence, to be freed. */
static char *words_of(const tacho_hint_dialect *dialect, const tacho_hint *hints)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    assert_non_null(to);
    tacho_hints_print(dialect, hints, to);
    fclose(to);
    return text;
}

static void check(const tacho_hint_dialect *dialect, const tacho_hint *hints, const char *expected)
{
    char *found = words_of(dialect, hints);
    assert_string_equal(found, expected);
    free(found);
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
    check(NULL, none, "");
    check(NULL, sizes,
          ": --dim batch=VALUE --dim a=b.1=1; --batch N runs several inferences as one");
    check(&tacho_hints_qaic, sizes,
          ": -onnx-define-symbol=batch,VALUE -onnx-define-symbol=a=b.1,1");
    check(NULL, inputs, "; give them with --input 'x=1xf32=VALUE' --input 'y=2xi8=VALUE'");
}

/* Words say more than nothing, and name an option or a command. */
static void test_every_hint_has_words(void **state)
{
    (void)state;
    for (tacho_hint_id id = TACHO_HINT_NONE + 1; id < TACHO_HINT_COUNT; id++) {
        const tacho_hint hints[] = {{id, "N=1"}, {TACHO_HINT_NONE, ""}};
        char *words = words_of(NULL, hints);
        assert_true(strstr(words, "-") != NULL || strstr(words, "'tacho ") != NULL);
        assert_non_null(strchr(";,: (", words[0]));
        free(words);
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
