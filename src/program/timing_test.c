/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of programs made by hand, and each law broken once.
 */
#include "program/timing.h"

#include "base/grow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define APPEND(program, name, ...)                                                                 \
    do {                                                                                           \
        assert_null(tacho_grow(&(program)->name##s, &(program)->name##_capacity,                   \
                               (program)->name##_count + 1));                                      \
        (program)->name##s[(program)->name##_count++] = __VA_ARGS__;                               \
    } while (0)

/* Two tiles of an operator: loads on engine 0, work on 1, stores on 2. */
static void setup(tacho_program *program, bool is_sequenced)
{
    static const struct {
        uint32_t engine;
        int64_t cycles;
        uint32_t first_need, need_count;
    } jobs[] = {{0, 100, 0, 0}, {0, 100, 0, 0}, {1, 30, 0, 1}, {2, 50, 1, 1}, {1, 30, 2, 2}};
    static const tacho_need needs[] = {{0, 0, 0}, {2, 0, 5}, {1, 0, 0}, {2, 1, 0}};
    assert_null(tacho_program_init(program));
    program->facts.device_count = program->facts.core_count = 1;
    program->facts.local_bytes = 1000;
    for (uint32_t i = 0; i < 3; i++) {
        APPEND(program, engine,
               (tacho_program_engine){.is_sequenced = is_sequenced ? 1 : 0,
                                      .issue_cycles = i == 1 ? 7 : 0});
    }
    for (size_t i = 0; i < 5; i++) {
        APPEND(program, job,
               (tacho_job){.engine = jobs[i].engine,
                           .first_need = jobs[i].first_need,
                           .need_count = jobs[i].need_count,
                           .cycles = jobs[i].cycles});
    }
    for (size_t i = 0; i < 4; i++) {
        APPEND(program, need, needs[i]);
    }
    APPEND(program, op, (tacho_program_op){.first_job = 0, .job_count = 5});
    assert_null(tacho_program_time(program));
}

static void check_starts(const tacho_program *program, const int64_t *starts)
{
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(program->jobs[i].start, starts[i]);
        assert_int_equal(program->jobs[i].end, starts[i] + program->jobs[i].cycles);
    }
}

static void test_engines_and_needs(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program, false);
    check_starts(&program, (const int64_t[]){0, 100, 100, 135, 200}); /* a lag of 5 */
    assert_int_equal(program.facts.total_cycles, 230);
    assert_int_equal(program.ops[0].cycles, 230);
    assert_null(tacho_program_check_timeline(&program));
    tacho_program_deinit(&program);
}

/* Nothing starts before the jobs ahead of it, and a start takes the sequencer 7 cycles. */
static void test_sequencer(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program, true);
    check_starts(&program, (const int64_t[]){0, 100, 100, 135, 200});
    program.needs[1].lag = 0;
    program.needs[1].job = 0; /* the store could go at once */
    assert_null(tacho_program_time(&program));
    check_starts(&program, (const int64_t[]){0, 100, 100, 107, 200});
    tacho_program_deinit(&program);
}

static void check_broken(tacho_program *program, const char *words)
{
    tacho_status status = tacho_program_check_timeline(program);
    assert_non_null(status);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' in '%s'", words, tacho_status_message(status));
    }
    tacho_status_free(status);
}

static void test_broken_times(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program, false);
    program.jobs[1].start = 99;
    program.jobs[1].end = 199;
    check_broken(&program, "jobs[1]: its engine is busy until cycle 100");
    assert_null(tacho_program_time(&program));
    program.jobs[3].start = 134;
    program.jobs[3].end = 184;
    check_broken(&program, "jobs[3]: it starts at cycle 134, before jobs[2] lets it at 135");
    assert_null(tacho_program_time(&program));
    program.jobs[4].end--;
    check_broken(&program, "jobs[4]: it takes 30 cycles, and has 29");
    assert_null(tacho_program_time(&program));
    program.ops[0].cycles = INT64_MIN;
    check_broken(&program, "ops[0]: its jobs span 230 cycles, and it says -9223372036854775808");
    assert_null(tacho_program_time(&program));
    program.jobs[4].cycles = INT64_MAX - 10;
    tacho_status status = tacho_program_time(&program);
    assert_non_null(status);
    tacho_status_free(status);
    tacho_program_deinit(&program);
}

static void test_buffers(void **state)
{
    (void)state;
    tacho_program program;
    uint64_t peak;
    setup(&program, false);
    APPEND(&program, buffer,
           (tacho_buffer){.offset = 0, .bytes = 600, .first_job = 0, .last_job = 1});
    APPEND(&program, buffer,
           (tacho_buffer){.offset = 600, .bytes = 400, .first_job = 1, .last_job = 4});
    APPEND(&program, buffer,
           (tacho_buffer){.offset = 0, .bytes = 500, .first_job = 2, .last_job = 4});
    assert_null(tacho_program_local_peak(&program, &peak));
    assert_int_equal(peak, 1000);
    static const uint64_t by_job[] = {600, 1000, 900, 900, 900};
    for (uint32_t i = 0; i < 5; i++) {
        assert_null(tacho_program_jobs_peak(&program, i, i, &peak));
        assert_int_equal(peak, by_job[i]);
    }
    assert_null(tacho_program_check_timeline(&program));
    program.buffers[2].first_job = 1; /* at the same time as the first */
    check_broken(&program, "buffers[2]: another one has its bytes");
    program.buffers[2].first_job = 2;
    program.buffers[2].bytes = 601;
    check_broken(&program, "another one has its bytes");
    program.buffers[2].bytes = 500;
    program.buffers[1].bytes = 401;
    check_broken(&program, "buffers[1]: expected a stretch of 1000 bytes");
    program.buffers[1].offset = UINT64_MAX;
    check_broken(&program, "buffers[1]: expected a stretch");
    program.buffers[1] = (tacho_buffer){.core = 1, .offset = 0, .bytes = 1000, .last_job = 4};
    assert_null(tacho_program_local_peak(&program, &peak)); /* another core */
    assert_int_equal(peak, 1000);
    tacho_program_deinit(&program);
}

/* Buffers are looked at in the order of jobs, however a program lists them. */
static void test_buffers_in_any_order(void **state)
{
    (void)state;
    static const tacho_buffer buffers[] = {
        {.offset = 0, .bytes = 600, .first_job = 0, .last_job = 1},
        {.offset = 600, .bytes = 400, .first_job = 1, .last_job = 4},
        {.offset = 0, .bytes = 500, .first_job = 2, .last_job = 4}};
    static const size_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {2, 0, 1}};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        tacho_program program;
        uint64_t peak = 0;
        setup(&program, false);
        for (size_t k = 0; k < 3; k++) {
            APPEND(&program, buffer, buffers[orders[i][k]]);
        }
        assert_null(tacho_program_local_peak(&program, &peak));
        assert_int_equal(peak, 1000);
        tacho_program_deinit(&program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines_and_needs),    cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_broken_times),         cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_buffers_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
