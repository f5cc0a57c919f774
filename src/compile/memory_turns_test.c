/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns at shared memory, in programs made by hand: who goes first, what several cores get at once,
 * queues that are slower than the memory.
 */
#include "compile/memory_turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/grow.h"
#include "base/index.h"

/* Each core has a queue in (0), a queue out (1) and an engine (2). */
enum { ENGINES = 3, CORES = 4 };

typedef struct fixture {
    tacho_memory memory;
    tacho_dma queues[2];
    tacho_machine machine;
    tacho_program program;
    tacho_timer timer;
    tacho_memory_turns turns;
} fixture;

typedef struct job_row {
    uint32_t core, engine;
    tacho_job_kind kind;
    int64_t cycles;
    uint64_t bytes;
    uint32_t cast; /* 0: none */
    uint32_t need;
} job_row;

static tacho_quantity quantity(int64_t value)
{
    return (tacho_quantity){.value = {value, 1}};
}

static void begin(fixture *f, int64_t memory_rate, int64_t queue_rate)
{
    *f = (fixture){.memory = {.kind = TACHO_MEMORY_DDR, .bytes_per_cycle = quantity(memory_rate)}};
    for (size_t i = 0; i < 2; i++) {
        f->queues[i] = (tacho_dma){.class = i == 0 ? TACHO_ENGINE_DMA_IN : TACHO_ENGINE_DMA_OUT,
                                   .bytes_per_cycle = quantity(queue_rate)};
    }
    f->machine = (tacho_machine){
        .memories = &f->memory, .memory_count = 1, .dma = f->queues, .dma_count = 2};
    assert_null(tacho_program_init(&f->program));
    tacho_program *program = &f->program;
    program->facts.device_count = 1;
    program->facts.core_count = CORES;
    assert_null(tacho_grow(&program->engines, &program->engine_capacity, (size_t)ENGINES * CORES));
    for (uint32_t i = 0; i < ENGINES * CORES; i++) {
        program->engines[program->engine_count++] =
            (tacho_program_engine){.core = (uint16_t)(i / ENGINES)};
    }
    assert_null(tacho_timer_init(&f->timer, program));
    assert_null(tacho_memory_turns_init(&f->turns, &f->machine, program));
}

static void add(fixture *f, job_row row)
{
    tacho_program *program = &f->program;
    assert_null(tacho_grow(&program->jobs, &program->job_capacity, program->job_count + 1));
    assert_null(tacho_grow(&program->needs, &program->need_capacity, program->need_count + 1));
    bool has_need = row.need != TACHO_NONE;
    program->jobs[program->job_count++] = (tacho_job){.engine = row.core * ENGINES + row.engine,
                                                      .kind = (uint16_t)row.kind,
                                                      .cycles = row.cycles,
                                                      .bytes = row.bytes,
                                                      .first_need = (uint32_t)program->need_count,
                                                      .need_count = has_need ? 1 : 0};
    if (has_need) {
        program->needs[program->need_count++] = (tacho_need){.job = row.need};
    }
    if (row.cast != 0) {
        assert_null(
            tacho_memory_turns_join(&f->turns, program, &(tacho_cast_key){.tile = row.cast}));
    }
}

/* Gives turns to the jobs after the first and times them. */
static void take_turns(fixture *f)
{
    assert_null(tacho_memory_turns_take(&f->turns, &f->program, &f->timer, 0, 0));
    assert_null(tacho_timer_run(&f->timer, &f->program));
}

static void end(fixture *f)
{
    tacho_memory_turns_deinit(&f->turns);
    tacho_timer_deinit(&f->timer);
    tacho_program_deinit(&f->program);
}

/* Copies between cores share a network of this rate. */
static void share_network(fixture *f, int64_t rate)
{
    tacho_memory_turns_deinit(&f->turns);
    f->machine.noc.link_bytes_per_cycle = quantity(rate);
    assert_null(tacho_memory_turns_init(&f->turns, &f->machine, &f->program));
}

static const job_row START = {0, 2, TACHO_JOB_SIGNAL, 5, 0, 0, TACHO_NONE};

/*
 * Two cores load twice 100 bytes at the 10 a cycle that there are: in turn, and a store of the
 * first between them, for it is ready before the second loads are.
 */
static void test_in_turn(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){0, 2, TACHO_JOB_COMPUTE, 3, 0, 0, 1});
    add(&f, (job_row){0, 1, TACHO_JOB_STORE, 2, 20, 0, 3});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    take_turns(&f);
    static const int64_t starts[] = {0, 5, 25, 15, 35, 15, 37};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        assert_int_equal(f.program.jobs[i].start, starts[i]);
    }
    const tacho_job *store = &f.program.jobs[4];
    assert_int_equal(store->need_count, 2);
    assert_int_equal(f.program.needs[store->first_need].job, 3);
    assert_int_equal(f.program.needs[store->first_need + 1].job, 0);
    assert_int_equal(f.program.needs[store->first_need + 1].lag, 30);
    assert_int_equal(f.program.jobs[1].need_count, 1);
    end(&f);
}

/* Three cores get the same bytes at once, which count once; a fourth load waits for all of them. */
static void test_cast(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    add(&f, START);
    for (uint32_t i = 0; i < 3; i++) {
        add(&f, (job_row){i, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    }
    add(&f, (job_row){3, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    take_turns(&f);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(f.program.jobs[i].start, 5);
        assert_int_equal(f.program.jobs[i].readers, 3);
    }
    assert_int_equal(f.program.jobs[4].start, 15);
    assert_int_equal(f.program.jobs[4].readers, 0);
    end(&f);
}

/* A core that is late keeps the others waiting: a multicast starts for all of them at once. */
static void test_late_cast(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 2, 0});
    add(&f, (job_row){1, 2, TACHO_JOB_COMPUTE, 40, 0, 0, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 1, 3});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 2, 0});
    take_turns(&f);
    static const int64_t starts[] = {0, 45, 55, 5, 45, 55};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        assert_int_equal(f.program.jobs[i].start, starts[i]);
        assert_int_equal(f.program.jobs[i].readers, starts[i] >= 45 ? 2 : 0);
    }
    end(&f);
}

/* Loads of other bytes are another transfer, whatever their key. */
static void test_other_bytes(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 9, 90, 1, 0});
    take_turns(&f);
    assert_int_equal(f.program.jobs[2].start, 15);
    assert_int_equal(f.program.jobs[1].readers, 0);
    assert_int_equal(f.program.jobs[2].readers, 0);
    end(&f);
}

/* Two cores that load the same in another order share as many loads as they can. */
static void test_crossed_casts(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 2, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 3, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 2, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    take_turns(&f);
    static const int64_t starts[] = {0, 5, 25, 45, 15, 35};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        assert_int_equal(f.program.jobs[i].start, starts[i]);
        assert_int_equal(f.program.jobs[i].readers, 0);
    }
    end(&f);
}

/* Queues of 4 bytes a cycle: two fit a memory of 10, and the third does not. */
static void test_slow_queues(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 4);
    add(&f, START);
    for (uint32_t i = 0; i < 3; i++) {
        add(&f, (job_row){i, 0, TACHO_JOB_LOAD, 25 - i, 100 - 4 * i, 0, 0});
    }
    take_turns(&f);
    assert_int_equal(f.program.jobs[1].start, 5);
    assert_int_equal(f.program.jobs[2].start, 5);
    assert_int_equal(f.program.jobs[3].start, 29);
    end(&f);
}

/* One sequencer starts the jobs of a core in order: one that waits its turn holds up the rest. */
static void test_sequencer(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    for (uint32_t i = 0; i < ENGINES * CORES; i++) {
        f.program.engines[i].is_sequenced = 1;
        f.program.engines[i].issue_cycles = 2;
    }
    add(&f, START);
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){2, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){2, 2, TACHO_JOB_COMPUTE, 1, 0, 0, 0});
    take_turns(&f);
    assert_int_equal(f.program.jobs[2].start, 15);
    assert_int_equal(f.program.jobs[3].start, 17);
    end(&f);
}

/* A memory without a rate holds up only cores that get the same data. */
static void test_no_rate(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 0, 20);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_LOAD, 10, 100, 0, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    add(&f, (job_row){2, 0, TACHO_JOB_LOAD, 10, 100, 1, 0});
    take_turns(&f);
    assert_int_equal(f.program.jobs[2].start, 5);
    assert_int_equal(f.program.jobs[3].start, 15);
    assert_int_equal(f.program.jobs[4].start, 15);
    end(&f);
}

/*
 * Copies of both cores go one after the other at the 10 bytes a cycle of the network, one that both
 * get at once goes once, and none of them waits for shared memory or keeps a load waiting.
 */
static void test_network(void **state)
{
    (void)state;
    fixture f;
    begin(&f, 10, 20);
    share_network(&f, 10);
    add(&f, START);
    add(&f, (job_row){0, 0, TACHO_JOB_COPY, 10, 100, 0, 0});
    add(&f, (job_row){0, 1, TACHO_JOB_LOAD, 30, 300, 0, 0});
    add(&f, (job_row){0, 0, TACHO_JOB_COPY, 4, 40, 1, 1});
    add(&f, (job_row){1, 0, TACHO_JOB_COPY, 10, 100, 0, 0});
    add(&f, (job_row){1, 0, TACHO_JOB_COPY, 4, 40, 1, 4});
    add(&f, (job_row){1, 1, TACHO_JOB_LOAD, 2, 20, 0, 0});
    take_turns(&f);
    static const int64_t starts[] = {0, 5, 5, 25, 15, 25, 35};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        assert_int_equal(f.program.jobs[i].start, starts[i]);
    }
    assert_int_equal(f.program.jobs[3].readers, 2);
    assert_int_equal(f.program.jobs[5].readers, 2);
    assert_int_equal(f.program.jobs[4].readers, 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_turn),     cmocka_unit_test(test_network),
        cmocka_unit_test(test_cast),        cmocka_unit_test(test_late_cast),
        cmocka_unit_test(test_other_bytes), cmocka_unit_test(test_crossed_casts),
        cmocka_unit_test(test_slow_queues), cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
