/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The costliest operators, and how many are compared at most.
 */
#include "questions/breakdown/work_patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* So many operators, of which the last takes longest. */
static void fill(tacho_work_patterns *patterns, uint32_t count)
{
    for (uint32_t site = 0; site < count; site++) {
        assert_null(tacho_work_patterns_add_time(patterns, site, site + 1));
    }
}

static void test_most_operators(void **state)
{
    (void)state;
    tacho_work_patterns patterns = {.op_count = 0};
    const tacho_op_sum *top[3];
    fill(&patterns, TACHO_WORK_OPS_MAX);
    assert_int_equal(tacho_work_patterns_top(&patterns, top, 3), 3);
    assert_int_equal(top[0]->site, TACHO_WORK_OPS_MAX - 1);
    assert_null(tacho_work_patterns_add_time(&patterns, 7, 1)); /* one that is known */
    assert_int_equal(tacho_work_patterns_top(&patterns, top, 3), 3);
    assert_null(tacho_work_patterns_add_time(&patterns, TACHO_WORK_OPS_MAX, 1));
    assert_int_equal(tacho_work_patterns_top(&patterns, top, 3), 0);
    assert_null(tacho_work_patterns_add_time(&patterns, 7, 1));
    assert_int_equal(tacho_work_patterns_top(&patterns, top, 3), 0);
    tacho_work_patterns_deinit(&patterns);
}

/* What is merged has too many if a part of it has, or if all of it has. */
static void test_merged_operators(void **state)
{
    (void)state;
    tacho_work_patterns all = {.op_count = 0};
    tacho_work_patterns more = {.op_count = 0};
    const tacho_op_sum *top[3];
    fill(&all, 2);
    fill(&more, TACHO_WORK_OPS_MAX);
    assert_null(tacho_work_patterns_merge(&all, &more));
    assert_int_equal(tacho_work_patterns_top(&all, top, 3), 3);
    assert_null(tacho_work_patterns_add_time(&more, TACHO_WORK_OPS_MAX, 1));
    assert_null(tacho_work_patterns_merge(&all, &more));
    assert_int_equal(tacho_work_patterns_top(&all, top, 3), 0);
    tacho_work_patterns_deinit(&all);
    tacho_work_patterns_deinit(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_operators),
        cmocka_unit_test(test_merged_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
