/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of single formats: set by name, found by the option.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/source.h"

/* The option that a source has under |name|. */
static const tacho_source_option *option_of(const char *source_name, const char *name)
{
    const tacho_source *source = tacho_source_find(tacho_str_from_cstring(source_name));
    assert_non_null(source);
    for (size_t i = 0; source->options[i] != NULL; i++) {
        if (strcmp(source->options[i]->name, name) == 0) {
            return source->options[i];
        }
    }
    fail_msg("%s has no option %s", source_name, name);
    return NULL;
}

static void test_defaults(void **state)
{
    (void)state;
    tacho_source_options options = {.choice_count = 0};
    assert_int_equal(tacho_source_options_number(&options, option_of("torq-timeline", "slices")),
                     0);
    assert_int_equal(tacho_source_options_path(&options, option_of("stats", "program")).len, 0);
    tacho_source_options_set_number(&options, "slices", 0);
    tacho_source_options_set_path(&options, "program", TACHO_STR(""));
    assert_int_equal(options.choice_count, 0); /* defaults are not choices */
}

static void test_choices(void **state)
{
    (void)state;
    const tacho_source_option *slices = option_of("torq-timeline", "slices");
    const tacho_source_option *program = option_of("stats", "program");
    tacho_source_options options = {.choice_count = 0};
    tacho_source_options_set_number(&options, "slices", 4);
    tacho_source_options_set_path(&options, "program", TACHO_STR("a.bin"));
    tacho_source_options_set_number(&options, "slices", 3);
    assert_int_equal(options.choice_count, 2);
    assert_ptr_equal(options.choices[0].option, slices);
    assert_ptr_equal(options.choices[1].option, program);
    assert_int_equal(tacho_source_options_number(&options, slices), 3);
    assert_string_equal(tacho_source_options_path(&options, program).data, "a.bin");
    tacho_source_options_set_number(&options, "slices", 0);
    assert_int_equal(tacho_source_options_number(&options, slices), 0);
}

/* An option of several sources is one: they share its address. */
static void test_shared_option(void **state)
{
    (void)state;
    const tacho_source_option *tracks = option_of("torq-timeline", "vendor-tracks");
    assert_ptr_equal(option_of("torq-runtime", "vendor-tracks"), tracks);
    assert_ptr_equal(option_of("torq-host", "vendor-tracks"), tracks);
    assert_ptr_equal(option_of("torq-annotated", "vendor-tracks"), tracks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_shared_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
