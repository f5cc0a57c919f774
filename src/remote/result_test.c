/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of inferences there and back, and the limits of a dishonest board: nothing that is longer
 * than the program allows, and no times that cannot be added up.
 */
#include "remote/result.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "program/stats_testing.h"

enum { MOMENTS_AT = 8, TURN_AT = 48, BLOCKS_AT = 80 }; /* in a payload that make_result puts */

/* A program, the result of one inference, and that as a payload. */
typedef struct bench {
    test_stats stats;
    tacho_block_time *blocks;
    int64_t *op_ns;
    tacho_device_result result;
    tacho_wire_asked asked;
    tacho_bytes payload;
    tacho_wire_result found;
} bench;

static void put_again(bench *self)
{
    self->payload.len = 0;
    assert_null(tacho_wire_put_result(&self->payload, &self->stats.program, &self->result));
}

static int make_bench(void **state)
{
    bench *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    make_test_stats(&self->stats, TACHO_STATS_LEVEL_OP_PMU);
    const tacho_program *program = &self->stats.program;
    self->blocks = calloc(program->block_count + 1, sizeof(*self->blocks));
    self->op_ns = calloc(program->op_count + 1, sizeof(*self->op_ns));
    assert_non_null(self->blocks);
    assert_non_null(self->op_ns);
    for (size_t i = 0; i < program->block_count; i++) {
        self->blocks[i] = (tacho_block_time){1000, 1200};
    }
    self->result = (tacho_device_result){
        .start_ns = 1000,
        .end_ns = 2300,
        .cycles = 1250,
        .wall_ns = 99000,
        .host = {true, 900, 2400, 7},
        .blocks = self->blocks,
        .block_count = program->block_count,
        .host_op_ns = self->op_ns,
        .stats = &self->stats.buffer,
        .stats_count = 1,
    };
    self->stats.buffer.record_cost_ns = 5;
    self->asked = (tacho_wire_asked){&self->stats.layout, 1, 3};
    tacho_wire_result_init(&self->found);
    put_again(self);
    *state = self;
    return 0;
}

static int free_bench(void **state)
{
    bench *self = *state;
    tacho_wire_result_deinit(&self->found);
    tacho_bytes_deinit(&self->payload);
    free_test_stats(&self->stats);
    free(self->blocks);
    free(self->op_ns);
    free(self);
    return 0;
}

static tacho_status read_result(bench *self)
{
    return tacho_wire_get_result(tacho_bytes_view(&self->payload), &self->asked, &self->found);
}

static void expect_refused(bench *self)
{
    tacho_status status = read_result(self);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
}

static void carries_results(void **state)
{
    bench *self = *state;
    assert_null(read_result(self));
    const tacho_device_result *found = &self->found.result;
    assert_int_equal(found->start_ns, 1000);
    assert_int_equal(found->end_ns, 2300);
    assert_int_equal(found->cycles, 1250);
    assert_int_equal(found->wall_ns, 99000);
    assert_int_equal(found->host.wait_ns, 7);
    assert_int_equal(found->block_count, self->result.block_count);
    assert_int_equal(found->stats_count, 1);
    assert_int_equal(found->stats[0].array_count, self->stats.buffer.array_count);
    assert_int_equal(found->stats[0].record_cost_ns, 5);
    assert_true(self->payload.len < tacho_wire_result_limit(&self->asked));
}

/* Cut anywhere, or with trailing bytes, it is refused. */
static void refuses_other_lengths(void **state)
{
    bench *self = *state;
    size_t whole = self->payload.len;
    for (size_t len = 0; len < whole; len++) {
        self->payload.len = len;
        expect_refused(self);
    }
    self->payload.len = whole;
    assert_null(tacho_bytes_append(&self->payload, TACHO_STR("x")));
    expect_refused(self);
}

/* Each time that a result holds, one by one: too late, too late by far, and before the start. */
static void refuses_odd_times(void **state)
{
    static const int64_t odd[] = {TACHO_WIRE_NS_MAX + 1, INT64_MAX, INT64_MIN, -2};
    bench *self = *state;
    size_t end = BLOCKS_AT + self->result.block_count * sizeof(*self->blocks);
    for (size_t at = MOMENTS_AT; at < end; at += 8) {
        if (at == TURN_AT - 8 || at == BLOCKS_AT - 8) {
            continue; /* how many follow */
        }
        for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
            put_again(self);
            tacho_bytes_store(self->payload.data + at, (uint64_t)odd[i], 8);
            expect_refused(self);
        }
    }
    self->op_ns[0] = INT64_MAX;
    put_again(self);
    expect_refused(self);
}

/* Times that could be, each; but no board has run for 73 years. */
static void refuses_odd_sums(void **state)
{
    bench *self = *state;
    int64_t *const times[] = {&self->result.end_ns, &self->result.wall_ns,
                              &self->result.host.wait_ns, &self->blocks[0].end_ns,
                              (int64_t *)&self->stats.buffer.record_cost_ns};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        int64_t before = *times[i];
        *times[i] = TACHO_WIRE_NS_MAX - 100;
        put_again(self);
        self->found.total_ns = 0;
        assert_null(read_result(self));
        tacho_status status = read_result(self);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_non_null(strstr(tacho_status_message(status), "add up to more than 73 years"));
        tacho_status_free(status);
        *times[i] = before;
    }
}

/* Buffers of another inference or activation than requested, or more of them. */
static void refuses_other_buffers(void **state)
{
    bench *self = *state;
    tacho_stats_buffer two[2] = {self->stats.buffer, self->stats.buffer};
    self->asked.inference = 4;
    expect_refused(self);
    self->asked.inference = 3;
    self->stats.buffer.head.activation = 1;
    put_again(self);
    expect_refused(self);
    self->asked.activations = 2;
    assert_null(read_result(self));
    self->asked.activations = 1;
    self->result.stats = two;
    self->result.stats_count = 2;
    put_again(self);
    expect_refused(self);
}

/* More arrays than the program has engines for. */
static void refuses_many_arrays(void **state)
{
    enum { COUNT = 1000 };
    bench *self = *state;
    tacho_stats_array *arrays = calloc(COUNT, sizeof(*arrays));
    assert_non_null(arrays);
    for (size_t i = 0; i < COUNT; i++) {
        arrays[i] = self->stats.arrays[0];
    }
    self->stats.buffer.arrays = arrays;
    self->stats.buffer.array_count = COUNT;
    put_again(self);
    expect_refused(self);
    free(arrays);
}

static void limits_follow_the_program(void **state)
{
    bench *self = *state;
    uint64_t limit = tacho_wire_result_limit(&self->asked);
    assert_true(limit >= TACHO_WIRE_SMALL_BYTES && limit < (UINT64_C(1) << 24));
    self->asked.activations = UINT32_MAX;
    assert_true(tacho_wire_result_limit(&self->asked) > limit);
    assert_true(tacho_wire_loaded_limit(&self->stats.program) < (UINT64_C(1) << 21));
    assert_int_equal(tacho_wire_value_limit(&self->stats.program, 1), 16 + 8 * TACHO_RANK_MAX + 16);
}

static void checks_outputs(void **state)
{
    bench *self = *state;
    const tacho_program *program = &self->stats.program;
    tacho_array value = {TACHO_DTYPE_U64, {.rank = 1, .dims = {2}}, NULL};
    assert_null(tacho_wire_check_output(&value, program, 1));
    value.shape.dims[0] = 3;
    tacho_status status = tacho_wire_check_output(&value, program, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    value.shape.dims[0] = 2;
    value.dtype = TACHO_DTYPE_I64;
    status = tacho_wire_check_output(&value, program, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
}

#define BENCH_TEST(function) cmocka_unit_test_setup_teardown(function, make_bench, free_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(carries_results),           BENCH_TEST(refuses_other_lengths),
        BENCH_TEST(refuses_odd_times),         BENCH_TEST(refuses_odd_sums),
        BENCH_TEST(refuses_other_buffers),     BENCH_TEST(refuses_many_arrays),
        BENCH_TEST(limits_follow_the_program), BENCH_TEST(checks_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
