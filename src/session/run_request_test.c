/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request leaves open is completed by its device: each number just below, at and above its
 * bounds.
 */
#include "session/run_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/run_device.h"

typedef struct complete_case {
    const char *device;
    bool compares;
    uint64_t iterations, count, start;             /* given, or open */
    uint64_t out_iterations, out_count, out_start; /* completed */
} complete_case;

static void check(const complete_case *given)
{
    tacho_run_request request = {.device = given->device,
                                 .iterations = given->iterations,
                                 .sampling = {.count = given->count, .start = given->start}};
    tacho_run_request_complete(&request, given->compares);
    assert_int_equal(request.iterations, given->out_iterations);
    assert_int_equal(request.sampling.count, given->out_count);
    assert_int_equal(request.sampling.start, given->out_start);
}

#define OPEN TACHO_RUN_OPEN

/* A simulated device gives the same times each time, so one inference shows all. */
static void test_simulated(void **state)
{
    (void)state;
    static const complete_case cases[] = {
        {"sim", false, OPEN, OPEN, OPEN, 1, 1, 0},
        {"sim:aic100", true, OPEN, OPEN, OPEN, 1, 1, 0},
        {"sim", true, 50, OPEN, OPEN, 50, 1, 0},
        {"no-such-device", true, OPEN, OPEN, OPEN, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i]);
    }
}

/* A comparison takes medians, without the first inference, of at most 100. */
static void test_measured(void **state)
{
    (void)state;
    static const complete_case cases[] = {
        {"cpu", false, OPEN, OPEN, OPEN, 1, 1, 0},   {"cpu", false, 2, OPEN, OPEN, 2, 1, 1},
        {"cpu", true, OPEN, OPEN, OPEN, 11, 10, 1},  {"cpu", true, 1, OPEN, OPEN, 1, 1, 0},
        {"cpu", true, 2, OPEN, OPEN, 2, 1, 1},       {"cpu", true, 100, OPEN, OPEN, 100, 99, 1},
        {"cpu", true, 101, OPEN, OPEN, 101, 100, 1}, {"cpu", true, 102, OPEN, OPEN, 102, 100, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i]);
    }
}

static void test_given_numbers_stay(void **state)
{
    (void)state;
    static const complete_case cases[] = {
        {"cpu", true, 5, 3, 0, 5, 3, 0},
        {"sim", false, 5, 2, 4, 5, 2, 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i]);
    }
}

/* Threads of this computer matter only where the model runs on it. */
static void test_machine(void **state)
{
    (void)state;
    static const struct {
        const char *device, *machine;
        uint32_t threads;
    } cases[] = {
        {"sim:aic100", "aic100", 0},
        {"sim", TACHO_DEFAULT_MACHINE, 0},
        {"sim:", TACHO_DEFAULT_MACHINE, 0},
        {"cpu", "host-cpu", 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_run_request request = {.device = cases[i].device,
                                     .device_options = {.threads = 3, .activations = 2}};
        tacho_run_request_complete(&request, false);
        assert_string_equal(request.compile.machine, cases[i].machine);
        assert_int_equal(request.compile.threads, cases[i].threads);
        assert_int_equal(request.compile.activations, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_given_numbers_stay),
        cmocka_unit_test(test_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
