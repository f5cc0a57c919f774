/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of Torq's runtime by name, and the notes of a file that a run has written.
 */
#include "vendors/torq/run_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_names(void **state)
{
    (void)state;
    assert_non_null(tacho_run_torq_format_find("r0"));
    assert_ptr_not_equal(tacho_run_torq_format_find("r0"), tacho_run_torq_format_find("r1"));
    assert_ptr_not_equal(tacho_run_torq_format_find("r1"), tacho_run_torq_format_find("r2"));
    assert_null(tacho_run_torq_format_find("r3"));
    assert_null(tacho_run_torq_format_find(""));
    assert_null(tacho_run_torq_format_find("R0"));
}

static void keep_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    (void)hint;
    snprintf(self, 160, "%s: %s", kind, text);
}

/* R0 and R1 hold one inference, R2 all; with one recorded, that makes no difference. */
static void check_note(const char *format, size_t sample_count, const char *expected)
{
    char text[160] = "";
    const tacho_notes notes = {.take = keep_note, .self = text};
    const tacho_run_request request = {.notes = &notes};
    const tacho_run_session session = {.request = &request, .sample_count = sample_count};
    const tacho_run_profile_file file = {.path = "run.csv",
                                         .format = tacho_run_torq_format_find(format)};
    tacho_run_profile_file_say(&file, &session);
    assert_string_equal(text, expected);
}

static void test_notes(void **state)
{
    (void)state;
    check_note("r0", 1, "wrote: run.csv: 1 recorded inference");
    check_note("r0", 2,
               "wrote: run.csv: the first of 2 recorded inferences; this format has one, r2 all");
    check_note("r1", 3,
               "wrote: run.csv: the first of 3 recorded inferences; this format has one, r2 all");
    check_note("r2", 3, "wrote: run.csv: 3 recorded inferences");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
