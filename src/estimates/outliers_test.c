/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operators are outliers, on both sides of each limit.
 */
#include "estimates/outliers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { OPS_MAX = 8 };

/* Checks the sentence about operators "op0" and on with these estimated and measured times. */
static void expect(const int64_t (*times)[2], size_t count, const char *expected)
{
    tacho_program program;
    tacho_program_op ops[OPS_MAX] = {{0}};
    tacho_run_compared items[OPS_MAX] = {{0}};
    char text[TACHO_RUN_OUTLIERS_TEXT], name[16];
    assert_true(count <= OPS_MAX);
    assert_null(tacho_program_init(&program));
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "op%u", (unsigned)i);
        assert_null(
            tacho_strings_ensure(&program.strings, tacho_str_from_cstring(name), &ops[i].name));
        items[i] = (tacho_run_compared){
            .op = i, .count = 1, .estimated = times[i][0], .taken = times[i][1]};
    }
    tacho_program_op *own = program.ops;
    program.ops = ops;
    const tacho_recording recording = {.program = &program};
    const tacho_run_compare compare = {
        .recording = &recording, .items = items, .item_count = count};
    tacho_run_outliers_print(&compare, text, sizeof(text));
    assert_string_equal(text, expected);
    program.ops = own;
    tacho_program_deinit(&program);
}

#define SAYS(count, who)                                                                           \
    count " operator took a time far from what the others suggest: " who " times"

/* With three operators it is not clear which one is off; with four it is. */
static void test_outliers_need_four_operators(void **state)
{
    (void)state;
    static const int64_t times[][2] = {{100, 100}, {100, 100}, {100, 1000}, {100, 100}};
    expect(times, 3, "");
    expect(times, 4, SAYS("1", "op2 10"));
}

/* The others agree, so far is a factor of three; to either side. */
static void test_far_is_more_than_three_times(void **state)
{
    (void)state;
    static const int64_t slow[][2] = {{100, 100}, {100, 100}, {100, 100}, {100, 301}};
    static const int64_t not_slow[][2] = {{100, 100}, {100, 100}, {100, 100}, {100, 299}};
    static const int64_t fast[][2] = {{301, 301}, {301, 301}, {301, 301}, {301, 100}};
    static const int64_t not_fast[][2] = {{299, 299}, {299, 299}, {299, 299}, {299, 100}};
    expect(slow, 4, SAYS("1", "op3 3.01"));
    expect(not_slow, 4, "");
    expect(fast, 4, SAYS("1", "op3 0.332"));
    expect(not_fast, 4, "");
}

/*
 * If the others differ by a factor of two either way, their usual distance is log 2: far is
 * 4 * 1.4826 times as much, a factor of 61.03.
 */
static void test_far_is_four_times_the_usual_distance(void **state)
{
    (void)state;
    int64_t times[][2] = {{1000, 500},  {1000, 500},  {1000, 1000}, {1000, 2000},
                          {1000, 2000}, {1000, 1000}, {1000, 60000}};
    times[0][1] = 500;
    expect((const int64_t(*)[2])times, 7, "");
    times[6][1] = 62000;
    expect((const int64_t(*)[2])times, 7, SAYS("1", "op6 62"));
}

/* An operator with less than 1 % of both times may be off: a launch costs as much. */
static void test_small_operators_are_left_out(void **state)
{
    (void)state;
    int64_t times[][2] = {{1000, 1000}, {1000, 1000}, {1000, 1000}, {1000, 1000}, {1, 40}};
    expect((const int64_t(*)[2])times, 5, ""); /* 40 of 4040 is 0.99 % */
    times[4][1] = 41;
    expect((const int64_t(*)[2])times, 5, SAYS("1", "op4 41"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outliers_need_four_operators),
        cmocka_unit_test(test_far_is_more_than_three_times),
        cmocka_unit_test(test_far_is_four_times_the_usual_distance),
        cmocka_unit_test(test_small_operators_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
