/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters with a fake kernel, which counts, and refuses, as each test sets it up.
 */
#include "device/cpu/counters.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/index.h"
#include "program/program_testing.h"

enum { FILES = 16, FIRST_FILE = 100 };

/* A counter by code: file FIRST_FILE + code. */
static uint64_t counts[FILES];
static bool is_on[FILES];
static int open_count;
static int refusals[FILES]; /* errno by code, 0: opened */

static int fake_open(uint64_t code)
{
    assert_true(code < FILES);
    open_count += refusals[code] == 0 ? 1 : 0;
    return refusals[code] != 0 ? -refusals[code] : FIRST_FILE + (int)code;
}

static void fake_close(int file)
{
    assert_true(file >= FIRST_FILE);
    open_count--;
}

static void fake_start(int file)
{
    counts[file - FIRST_FILE] = 0;
    is_on[file - FIRST_FILE] = true;
}

static uint64_t fake_read(int file)
{
    assert_true(is_on[file - FIRST_FILE]);
    return counts[file - FIRST_FILE];
}

static uint64_t fake_stop(int file)
{
    is_on[file - FIRST_FILE] = false;
    return counts[file - FIRST_FILE];
}

static const tacho_counter_source fake = {fake_open, fake_close, fake_start, fake_read, fake_stop};

/* A program for this computer that asks for cycles, instructions and cache misses. */
static void setup(tacho_program *program)
{
    static const uint16_t events[] = {0, 1, 3};
    assert_null(tacho_program_init(program));
    assert_null(make_test_program(program));
    assert_null(
        tacho_strings_ensure(&program->strings, TACHO_STR("host-cpu"), &program->facts.machine));
    program->facts.stats.pmu_event_count = 3;
    memcpy(program->facts.stats.pmu_events, events, sizeof(events));
    memset(refusals, 0, sizeof(refusals));
    open_count = 0;
}

static void test_counting(void **state)
{
    (void)state;
    tacho_program program;
    tacho_counters counters;
    uint64_t before[TACHO_PMU_EVENTS_MAX];
    uint64_t after[TACHO_PMU_EVENTS_MAX];
    setup(&program);
    counts[1] = 77; /* of before the start */
    tacho_counters_open(&counters, &program, &fake);
    assert_null(counters.missing);
    assert_int_equal(counters.count, 3);
    assert_int_equal(counters.counted, 3);
    tacho_counters_start(&counters);
    counts[0] = 1000;
    counts[1] = 2000;
    tacho_counters_read(&counters, before);
    counts[0] = 1500;
    counts[1] = 2000 + ((uint64_t)1 << 40);
    counts[3] = 9;
    tacho_counters_read(&counters, after);
    tacho_stats_op_pmu op = tacho_counters_between(before, after, 4);
    assert_int_equal(op.oc, 4);
    assert_int_equal(op.values[0], 500);
    assert_int_equal(op.values[1], UINT32_MAX); /* no more than fits */
    assert_int_equal(op.values[2], 9);
    assert_int_equal(op.values[3], 0);
    op = tacho_counters_between(after, before, 4);
    assert_int_equal(op.values[0], 0); /* never back */
    tacho_counters_stop(&counters);
    assert_int_equal(counters.values[0], 1500);
    assert_int_equal(counters.values[2], 9);
    tacho_counters_close(&counters);
    assert_int_equal(open_count, 0);
    tacho_program_deinit(&program);
}

/* A refused counter is named, keeps its place, and takes nothing from the others. */
static void test_refusals(void **state)
{
    (void)state;
    tacho_program program;
    tacho_counters counters;
    setup(&program);
    refusals[1] = ENOENT;
    tacho_counters_open(&counters, &program, &fake);
    assert_string_equal(counters.missing,
                        "counter 01 is not recorded: this computer has no such counter");
    assert_int_equal(counters.counted, 2);
    tacho_counters_start(&counters);
    counts[0] = 5;
    counts[3] = 6;
    uint64_t now[TACHO_PMU_EVENTS_MAX];
    tacho_counters_read(&counters, now);
    assert_int_equal(now[0], 5);
    assert_int_equal(now[1], 0);
    assert_int_equal(now[2], 6);
    tacho_counters_stop(&counters);
    assert_int_equal(counters.values[1], 0);
    assert_int_equal(counters.values[2], 6);
    tacho_counters_close(&counters);
    refusals[0] = refusals[1] = refusals[3] = EACCES;
    tacho_counters_open(&counters, &program, &fake);
    assert_string_equal(counters.missing,
                        "counters 00, 01, 03 are not recorded: the kernel does not allow it "
                        "(kernel.perf_event_paranoid)");
    assert_int_equal(counters.counted, 0);
    tacho_counters_close(&counters);
    assert_int_equal(open_count, 0);
    tacho_program_deinit(&program);
}

static void test_other_machine(void **state)
{
    (void)state;
    tacho_program program;
    tacho_counters counters;
    setup(&program);
    assert_null(
        tacho_strings_ensure(&program.strings, TACHO_STR("aic100"), &program.facts.machine));
    tacho_counters_open(&counters, &program, &fake);
    assert_string_equal(counters.missing, "counters are not recorded: the program counts events of "
                                          "aic100, not of this computer");
    assert_int_equal(counters.count, 0);
    assert_int_equal(open_count, 0);
    tacho_counters_close(&counters);
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
