/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns of a host that is fast, slow to send, slow to fetch, and of none.
 */
#include "device/sim/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* An inference of 1000 cycles, 50 more for its stats, after an activation of 100. */
static tacho_sim_host make_host(int64_t input_cycles, int64_t output_cycles)
{
    return (tacho_sim_host){.has_link = true,
                            .input_cycles = input_cycles,
                            .output_cycles = output_cycles,
                            .doorbell_cycles = 10,
                            .signal_end = 20,
                            .cycles = 1000,
                            .span = 1050,
                            .is_free = 100};
}

static tacho_sim_turn turn_of(tacho_sim_host *host)
{
    tacho_sim_turn turn;
    assert_null(tacho_sim_host_turn(host, &turn));
    return turn;
}

/* The first inputs are waited for; the next are sent while the device works. */
static void test_fast(void **state)
{
    (void)state;
    tacho_sim_host host = make_host(300, 200);
    tacho_sim_turn turn = turn_of(&host);
    assert_int_equal(turn.sent, 100);
    assert_int_equal(turn.rung, 400);
    assert_int_equal(turn.start, 410);
    assert_int_equal(turn.input_wait, 310);
    assert_int_equal(turn.fetched, 410 + 1000 + 200);
    turn = turn_of(&host);
    assert_int_equal(turn.sent, 410 + 20);
    assert_int_equal(turn.rung, 410 + 20 + 300);
    assert_int_equal(turn.start, 410 + 1050);
    assert_int_equal(turn.input_wait, 0);
    assert_int_equal(turn.output_wait, 0);
}

static void test_slow_inputs(void **state)
{
    (void)state;
    tacho_sim_host host = make_host(3000, 200);
    tacho_sim_turn first = turn_of(&host);
    for (int i = 0; i < 3; i++) {
        tacho_sim_turn turn = turn_of(&host);
        assert_int_equal(turn.start - first.start, 20 + 3000 + 10);
        assert_int_equal(turn.input_wait, 20 + 3000 + 10 - 1050);
        assert_int_equal(turn.output_wait, 0);
        first = turn;
    }
}

/* Two inferences have room; from then on each waits until the host has fetched the last but one. */
static void test_slow_outputs(void **state)
{
    (void)state;
    tacho_sim_host host = make_host(300, 5000);
    turn_of(&host);
    assert_int_equal(turn_of(&host).output_wait, 0);
    tacho_sim_turn before = turn_of(&host);
    assert_true(before.output_wait > 0);
    for (int i = 0; i < 4; i++) {
        tacho_sim_turn turn = turn_of(&host);
        assert_int_equal(turn.fetched - before.fetched, 5000);
        assert_int_equal(turn.input_wait, 0);
        before = turn;
    }
}

static void test_no_link(void **state)
{
    (void)state;
    tacho_sim_host host = make_host(300, 5000);
    host.has_link = false;
    for (int i = 0; i < 3; i++) {
        tacho_sim_turn turn = turn_of(&host);
        assert_int_equal(turn.start, 100 + 1050 * i);
        assert_int_equal(turn.rung, turn.start);
        assert_int_equal(turn.input_wait + turn.output_wait, 0);
    }
}

/* Cycles that overflow are reported, not wrapped. */
static void test_limit(void **state)
{
    (void)state;
    tacho_sim_host host = make_host(300, 200);
    host.is_free = ((int64_t)1 << 62) - 1000;
    tacho_sim_turn turn;
    tacho_status status = tacho_sim_host_turn(&host, &turn);
    assert_non_null(status);
    tacho_status_free(status);
}

/* Inputs of |bytes| each, two of them, over a link of a byte per cycle. */
static tacho_status init_with(uint64_t bytes, int64_t *out_cycles)
{
    tacho_program_tensor tensors[2] = {{.storage = TACHO_STORAGE_INPUT, .bytes = bytes},
                                       {.storage = TACHO_STORAGE_INPUT, .bytes = bytes}};
    uint32_t links[2] = {0, 1};
    tacho_step step = {.input_count = 2};
    tacho_program_op op = {.job_count = 1};
    tacho_job job = {.kind = TACHO_JOB_SIGNAL};
    tacho_program_engine engine = {.device = 0};
    tacho_program program = {
        .tensors = tensors,
        .tensor_count = 2,
        .links = links,
        .link_count = 2,
        .steps = &step,
        .step_count = 1,
        .ops = &op,
        .op_count = 1,
        .jobs = &job,
        .job_count = 1,
        .engines = &engine,
        .engine_count = 1,
        .facts.device_count = 1,
    };
    tacho_machine machine = {.device_link_bytes_per_cycle.value = {1, 1}};
    tacho_sim_host host;
    tacho_status status = tacho_sim_host_init(&host, &program, &machine, 1);
    *out_cycles = host.input_cycles;
    return status;
}

/* Bytes that do not fit 64 bits, or take longer than anything, are refused, not wrapped. */
static void test_large_inputs(void **state)
{
    (void)state;
    int64_t cycles;
    assert_null(init_with(1000, &cycles));
    assert_int_equal(cycles, 2000);
    static const uint64_t sizes[] = {(uint64_t)1 << 63, (uint64_t)1 << 60};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        tacho_status status = init_with(sizes[i], &cycles);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
        tacho_status_free(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast),         cmocka_unit_test(test_slow_inputs),
        cmocka_unit_test(test_slow_outputs), cmocka_unit_test(test_no_link),
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_large_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
