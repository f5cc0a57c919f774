/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators that a page gets which does not hold every row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pipeline/report_intake.h"

/* Phases come last, from the first to the last of them, and nothing else is one. */
static void test_all_phases_are_marked(void **state)
{
    (void)state;
    const tacho_intake_input input = {.path = TACHO_TEST_DATA "/torq/r2i.csv"};
    const tacho_intake intake = {.inputs = &input, .input_count = 1};
    const tacho_selection all = TACHO_SELECT_ALL;
    const tacho_report_reading reading = {.intake = &intake, .selection = &all};
    tacho_dict dict;
    tacho_report_intake taken = {.row_count = 0};
    tacho_report_op *ops = NULL;
    size_t count = 0, phase_count = 0;
    assert_null(tacho_dict_init(&dict));
    assert_null(tacho_report_intake_read(&taken, &reading, &dict));
    assert_null(tacho_report_intake_ops(&taken, &ops, &count));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ops[i].is_phase, ops[i].track_class == TACHO_TRACK_PHASE);
        assert_true(i == 0 || ops[i].is_phase >= ops[i - 1].is_phase);
        phase_count += ops[i].is_phase ? 1 : 0;
    }
    assert_in_range(phase_count, 1, count - 1);
    free(ops);
    tacho_report_intake_deinit(&taken);
    tacho_dict_deinit(&dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_phases_are_marked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
