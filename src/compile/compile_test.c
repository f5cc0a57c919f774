/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of small graphs, to the cycle: the sequence of a Torq, tiles that overlap, barriers of
 * several cores, and networks that do not fit.
 */
#include "compile/schedule.h"
#include "machine/cost.h"

#include <stdio.h>

#include "compile/compile_testing.h"

static void check_job(const fixture *self, size_t i, tacho_job_kind kind, int64_t start,
                      int64_t job_end)
{
    assert_in_range(i, 0, self->program.job_count - 1);
    assert_int_equal(self->program.jobs[i].kind, kind);
    assert_int_equal(self->program.jobs[i].start, start);
    assert_int_equal(self->program.jobs[i].end, job_end);
}

static const char *text_of(const fixture *self, uint32_t id)
{
    return tacho_strings_get(&self->program.strings, id).data;
}

/*
 * Two operands of 75,264 bytes and a result, in tiles of 1176 elements: the loads, at 4.7543 bytes
 * a cycle, are the bottleneck. Slices start a cycle apart and have 588 elements each, 16 a cycle.
 * The second transfer for the next tile is started after the tile; later jobs wait for the first.
 */
static void test_torq_tiles(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t a = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    uint32_t b = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    uint32_t c = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
    TEST_NODE(&f.graph, "tosa.add", c, a, b);
    add_output(&f, c);
    compile(&f, &(tacho_compile_options){.has_values = true});
    assert_int_equal(f.program.job_count, 64 * 5);
    check_job(&f, 0, TACHO_JOB_LOAD, 0, 248);
    check_job(&f, 1, TACHO_JOB_LOAD, 248, 2 * 248);
    check_job(&f, 2, TACHO_JOB_LOAD, 2 * 248, 3 * 248);
    check_job(&f, 3, TACHO_JOB_COMPUTE, 2 * 248, 2 * 248 + 37);
    check_job(&f, 4, TACHO_JOB_COMPUTE, 2 * 248 + 1, 2 * 248 + 38);
    check_job(&f, 5, TACHO_JOB_LOAD, 3 * 248, 4 * 248);
    check_job(&f, 6, TACHO_JOB_STORE, 3 * 248, 4 * 248);
    check_job(&f, 318, TACHO_JOB_COMPUTE, 128 * 248 + 1, 128 * 248 + 38);
    check_job(&f, 319, TACHO_JOB_STORE, 128 * 248 + 38, 129 * 248 + 38);
    assert_int_equal(f.program.jobs[0].bytes, 1176);
    assert_int_equal(f.program.jobs[319].bytes, 1176);
    assert_int_equal(f.program.facts.total_cycles, 129 * 248 + 38);
    assert_int_equal(f.program.facts.moved_bytes, 225792);
    assert_int_equal(f.program.block_count, 1);
    assert_string_equal(text_of(&f, f.program.dispatches[0].name), "main$async_dispatch_0");
    assert_int_equal(f.program.step_count, 1);
    assert_string_equal(text_of(&f, f.program.steps[0].type), "tosa.add");
    assert_int_equal(f.program.links[0], f.program.inputs[0]);
    assert_int_equal(f.program.links[2], f.program.outputs[0]);
    end(&f);
}

/* A processor takes 8000 cycles for any task, so that small work is one task. */
static void test_torq_sequence(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t a = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 28, 56, 24));
    uint32_t b = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 28, 56, 24));
    TEST_NODE(&f.graph, "Fancy", b, a);
    add_output(&f, b);
    compile(&f, &(tacho_compile_options){.has_values = true});
    assert_int_equal(f.program.job_count, 3);
    check_job(&f, 0, TACHO_JOB_LOAD, 0, 7916);
    check_job(&f, 1, TACHO_JOB_CONTROL, 7916, 15916);
    check_job(&f, 2, TACHO_JOB_STORE, 15916, 23832);
    end(&f);
}

/* 4 MiB of weights for 1 MiB of rows do not stay in 512 KiB: one operand is read again. */
static void test_read_again(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(512, 2048));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(2048, 2048));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(512, 2048));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.has_values = false});
    assert_true(f.estimate.ops[0].ddr_read_bytes > 5 << 20);
    assert_int_equal(f.estimate.ops[0].ddr_write_bytes, 1 << 20);
    end(&f);
}

/* An activation that stays needs no transfer, and a buffer while it is needed. */
static void test_local_activation(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t a = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 64));
    uint32_t b = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 64));
    uint32_t c = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 64));
    uint32_t d = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 64));
    TEST_NODE(&f.graph, "tosa.avg_pool2d", b, a);
    TEST_NODE(&f.graph, "Softmax", c, b);
    TEST_NODE(&f.graph, "tosa.add", d, c, b);
    add_output(&f, d);
    compile(&f, &(tacho_compile_options){.has_values = true});
    assert_int_equal(f.program.op_count, 3);
    uint64_t moved = 0;
    for (size_t i = 0; i < f.program.job_count; i++) {
        moved += f.program.jobs[i].bytes;
    }
    assert_int_equal(moved, 128); /* in and out of the whole */
    const tacho_buffer *kept = NULL;
    for (size_t i = 0; i < f.program.buffer_count && kept == NULL; i++) {
        bool stays = f.program.buffers[i].role == TACHO_BUFFER_RESIDENT;
        kept = stays ? &f.program.buffers[i] : NULL;
    }
    assert_non_null(kept);
    assert_int_equal(kept->bytes, 64);
    assert_int_equal(kept->first_job, f.program.ops[0].first_job); /* |b|, until the last op */
    assert_int_equal(kept->last_job, f.program.job_count - 1);
    end(&f);
}

/* CDMA goes to and from DTCM and ITCM: moves within LRAM are done by slices. */
static void test_local_move(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t a = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(64, 32));
    uint32_t b = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, 32));
    uint32_t c = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(32, 64));
    uint32_t d = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(32, 64));
    TEST_NODE(&f.graph, "Softmax", b, a);
    TEST_NODE(&f.graph, "Transpose", c, b);
    TEST_NODE(&f.graph, "Softmax", d, c);
    add_output(&f, d);
    compile(&f, &(tacho_compile_options){.has_values = false});
    assert_int_equal(f.program.op_count, 3);
    const tacho_program_op *move = &f.program.ops[1];
    assert_string_equal(text_of(&f, move->kind), "generic");
    assert_int_equal(move->job_count, 2);
    for (uint32_t i = 0; i < move->job_count; i++) { /* 1024 of 2048 elements each, 16 a cycle */
        const tacho_job *job = &f.program.jobs[move->first_job + i];
        assert_int_equal(job->kind, TACHO_JOB_COMPUTE);
        assert_int_equal(job->cycles, 64);
    }
    assert_int_equal(move->cycles, 65);
    end(&f);
}

/* A product of 2048 x 512 by 512 x 512 in bytes on sixteen cores and on one. */
static void compile_product(fixture *self, const tacho_compile_options *options)
{
    begin(self, "aic100");
    uint32_t x = add_input(self, TACHO_DTYPE_I8, TEST_DIMS(2048, 512));
    uint32_t w = test_constant(&self->graph, TACHO_DTYPE_I8, TEST_DIMS(512, 512));
    uint32_t y = test_tensor(&self->graph, TACHO_DTYPE_I8, TEST_DIMS(2048, 512));
    TEST_NODE(&self->graph, "MatMul", y, x, w);
    add_output(self, y);
    compile(self, options);
}

static size_t count_kind(const tacho_program *program, tacho_job_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        count += program->jobs[i].kind == kind ? 1 : 0;
    }
    return count;
}

static void test_barrier(void **state)
{
    (void)state;
    fixture f;
    compile_product(&f, &(tacho_compile_options){.cores = 16});
    const tacho_program *program = &f.program;
    const tacho_job *last = &program->jobs[program->job_count - 1];
    uint32_t cores = f.estimate.ops[0].cost.cores;
    assert_in_range(cores, 2, 16);
    assert_in_range(program->facts.core_count, cores, 16);
    assert_int_equal(count_kind(program, TACHO_JOB_SIGNAL), cores + 1); /* one is the start */
    assert_int_equal(count_kind(program, TACHO_JOB_WAIT), 1);
    assert_int_equal(last->kind, TACHO_JOB_WAIT);
    assert_int_equal(last->need_count, cores + 1);
    assert_int_equal(program->jobs[program->job_count - 2].kind, TACHO_JOB_SIGNAL);
    assert_int_equal(program->jobs[program->job_count - 2].cycles, 143);
    assert_int_equal(last->cycles, 1430 - 143); /* with the signals, a launch */
    assert_int_equal(last->end, program->facts.total_cycles);
    /* 2048 * 512 * 2 + 512 * 512 bytes through shared memory, at 95.45 bytes a cycle. */
    assert_true(last->start >= 24718);
    end(&f);
}

static void test_one_core_overlaps(void **state)
{
    (void)state;
    fixture f;
    compile_product(&f, &(tacho_compile_options){.cores = 1});
    const tacho_program *program = &f.program;
    assert_int_equal(program->facts.core_count, 1);
    assert_true(count_kind(program, TACHO_JOB_COMPUTE) > 1);
    int64_t busy = 0;
    uint64_t macs = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        busy += program->jobs[i].cycles;
        macs += program->jobs[i].macs;
    }
    assert_true(program->facts.total_cycles < busy);
    assert_int_equal(macs, UINT64_C(2048) * 512 * 512);
    end(&f);
}

/* Eight cores are faster than sixteen here, which wait for one another: the compiler finds out. */
static void test_fewer_cores(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "aic100");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(512, 512));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(512, 32));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(512, 32));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.cores = 16});
    assert_int_equal(f.program.facts.core_count, 8);
    end(&f);
}

/* A product of m x k by k x n, its second matrix constant or not, on up to 16 cores. */
static void check_least(int64_t m, int64_t k, int64_t n, bool is_constant)
{
    fixture f;
    begin(&f, "aic100");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(m, k));
    uint32_t w = is_constant ? test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(k, n))
                             : add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(k, n));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(m, n));
    uint32_t z = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(m, n));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    TEST_NODE(&f.graph, "Softmax", z, y);
    add_output(&f, z);
    for (uint32_t cores = 1; cores <= 16; cores *= 2) {
        compile(&f, &(tacho_compile_options){.cores = cores});
        tacho_schedule schedule = {.estimate = &f.estimate,
                                   .cores = f.program.facts.core_count,
                                   .is_tiled = true,
                                   .has_barrier = true};
        assert_null(tacho_cost_memory_rate(tacho_machine_memory(f.machine, TACHO_MEMORY_DDR),
                                           &schedule.shared_rate));
        int64_t launch = tacho_quantity_whole(&f.machine->launch_cycles);
        for (uint32_t i = 0; i < 2; i++) {
            assert_in_range(tacho_schedule_least(&schedule, i), launch, f.program.ops[i].cycles);
        }
        assert_true(tacho_schedule_least(&schedule, 0) > launch);
        assert_int_equal(tacho_schedule_least(&schedule, 1), launch);
        tacho_program_deinit(&f.program);
        tacho_estimate_deinit(&f.estimate);
        tacho_fusion_deinit(&f.fusion);
    }
    compile(&f, &(tacho_compile_options){.cores = 1}); /* for teardown */
    end(&f);
}

/* Nothing is faster than the bound by which ways are given up. */
static void test_least(void **state)
{
    (void)state;
    check_least(1, 4096, 2048, true);    /* weights take the time */
    check_least(2048, 1024, 512, false); /* products do */
    check_least(2048, 1024, 512, true);
}

/* A chain of |count| operators on as many devices. */
static void compile_chain(fixture *f, const char *machine, int count,
                          const tacho_compile_options *options)
{
    begin(f, machine);
    uint32_t at = add_input(f, TACHO_DTYPE_F32, TEST_DIMS(64, 64));
    for (int i = 0; i < count; i++) {
        uint32_t next = test_tensor(&f->graph, TACHO_DTYPE_F32, TEST_DIMS(64, 64));
        TEST_NODE(&f->graph, "Softmax", next, at);
        at = next;
    }
    add_output(f, at);
    compile(f, options);
}

/*
 * A batch whose results do not fit goes in turns: twice the batch takes no more than twice as long,
 * moves no more than twice as much, and still counts all its inferences.
 */
static void test_turns(void **state)
{
    (void)state;
    static const char *const machines[] = {"aic100", "wormhole-n150", "blackhole-p150"};
    for (size_t i = 0; i < 3; i++) {
        int64_t cycles = 0;
        uint64_t bytes = 0;
        for (uint32_t batch = 4096; batch <= 8192; batch *= 2) {
            fixture f;
            begin(&f, machines[i]);
            uint32_t at = add_input(&f, TACHO_DTYPE_F32, TEST_DIMS(64, 256));
            for (int k = 0; k < 4; k++) {
                uint32_t next = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(64, 256));
                TEST_NODE(&f.graph, "Sigmoid", next, at);
                at = next;
            }
            add_output(&f, at);
            compile(&f, &(tacho_compile_options){.batch = batch});
            assert_int_equal(f.program.facts.batch_size, batch);
            assert_int_equal(f.estimate.inferences, batch);
            if (cycles > 0) {
                assert_true(f.estimate.cycles <= 2 * cycles && f.estimate.cycles > cycles);
                assert_true(f.estimate.ddr_bytes <= 2 * bytes && f.estimate.ddr_bytes > bytes);
            }
            cycles = f.estimate.cycles;
            bytes = f.estimate.ddr_bytes;
            end(&f);
        }
    }
}

/* The last turn of a batch that does not divide evenly is padded: it takes no longer than full. */
static void test_uneven_turns(void **state)
{
    (void)state;
    int64_t cycles = 0;
    for (uint32_t batch = 8192; batch >= 8190; batch--) {
        fixture f;
        begin(&f, "aic100");
        uint32_t at = add_input(&f, TACHO_DTYPE_F32, TEST_DIMS(64, 256));
        for (int k = 0; k < 4; k++) {
            uint32_t next = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(64, 256));
            TEST_NODE(&f.graph, "Sigmoid", next, at);
            at = next;
        }
        add_output(&f, at);
        compile(&f, &(tacho_compile_options){.batch = batch});
        assert_int_equal(f.program.facts.batch_size, batch);
        assert_int_equal(f.estimate.inferences, batch);
        assert_true(cycles == 0 || f.estimate.cycles <= cycles);
        cycles = cycles == 0 ? f.estimate.cycles : cycles;
        end(&f);
    }
}

/* Four operators on two devices: tensors between the devices are in shared memory. */
static void test_devices(void **state)
{
    (void)state;
    fixture f;
    compile_chain(&f, "aic100", 4,
                  &(tacho_compile_options){.devices = 2, .network_name = TACHO_STR("QAicGraph")});
    assert_int_equal(f.program.dispatch_count, 2);
    assert_string_equal(text_of(&f, f.program.dispatches[0].name), "QAicGraph_slice00");
    assert_string_equal(text_of(&f, f.program.dispatches[1].name), "QAicGraph_slice01");
    assert_int_equal(f.program.dispatches[1].first_op, 2);
    assert_int_equal(f.program.engines[f.program.jobs[f.program.ops[2].first_job].engine].device,
                     1);
    assert_int_equal(f.estimate.ops[0].ddr_write_bytes, 0);
    assert_int_equal(f.estimate.ops[1].ddr_write_bytes, 8192);
    /* Both ends of the copy between devices, then the load from the own memory. */
    assert_int_equal(f.estimate.ops[2].link_bytes, 8192);
    assert_int_equal(f.estimate.ops[2].ddr_read_bytes, 2 * 8192);
    assert_int_equal(f.estimate.ops[2].ddr_write_bytes, 8192);
    end(&f);
}

/* A tensor from another device takes the link's time, before anything else of its operator. */
static void test_link(void **state)
{
    (void)state;
    for (uint32_t batch = 1; batch <= 3; batch += 2) {
        fixture f;
        compile_chain(&f, "aic100", 4, &(tacho_compile_options){.devices = 4, .batch = batch});
        assert_int_equal(f.program.facts.device_count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            const tacho_program_op *op = &f.program.ops[i];
            const tacho_job *first = &f.program.jobs[op->first_job];
            assert_int_equal(f.program.engines[first->engine].device, i);
            assert_int_equal(first->kind == TACHO_JOB_P2P, i > 0);
            assert_int_equal(first->partner, i > 0 ? i - 1 : first->partner);
            assert_int_equal(f.estimate.ops[i].device, i);
            assert_int_equal(f.estimate.ops[i].link_bytes, i > 0 ? 8192 * batch : 0);
            assert_true(f.estimate.ops[i].cost.cycles >= (i > 0 ? first->cycles : 0));
        }
        const tacho_job *job = &f.program.jobs[f.program.ops[1].first_job];
        assert_int_equal(job->bytes, 8192 * batch); /* 64 x 64 of 2 bytes */
        /* ceil(8192 / 11.02), ceil(24576 / 11.02) */
        assert_int_equal(job->cycles, batch == 1 ? 744 : 2231);
        assert_int_equal(job->end - job->start, job->cycles);
        assert_int_equal(job[1].start, job->end);
        end(&f);
    }
}

/* A tensor that two operators of a device read is moved once, one that two devices read twice. */
static void test_link_once(void **state)
{
    (void)state;
    for (uint32_t devices = 2; devices <= 3; devices++) {
        fixture f;
        begin(&f, "aic100");
        uint32_t x = add_input(&f, TACHO_DTYPE_F32, TEST_DIMS(64, 65536)); /* long: has its own */
        uint32_t w = test_constant(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(65536, 64));
        uint32_t tensors[3];
        for (size_t i = 0; i < 3; i++) {
            tensors[i] = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(64, 64));
        }
        TEST_NODE(&f.graph, "MatMul", tensors[0], x, w);
        TEST_NODE(&f.graph, "Softmax", tensors[1], tensors[0]);
        TEST_NODE(&f.graph, "MatMul", tensors[2], tensors[0], tensors[1]);
        add_output(&f, tensors[2]);
        compile(&f, &(tacho_compile_options){.devices = devices});
        uint64_t bytes = 0;
        for (size_t i = 0; i < f.program.job_count; i++) {
            bytes += f.program.jobs[i].kind == TACHO_JOB_P2P ? f.program.jobs[i].bytes : 0;
        }
        assert_int_equal(bytes, devices == 2 ? 8192 : 3 * 8192);
        end(&f);
    }
}

/* Devices beyond the operators are unused; without a rate of the link nothing is moved over it. */
static void test_few_devices(void **state)
{
    (void)state;
    fixture f;
    compile_chain(&f, "torq-sl2610", 3, &(tacho_compile_options){.devices = 8});
    assert_int_equal(f.program.facts.device_count, 3);
    assert_int_equal(f.program.dispatch_count, 3);
    for (size_t i = 0; i < f.program.job_count; i++) {
        assert_int_not_equal(f.program.jobs[i].kind, TACHO_JOB_P2P);
    }
    end(&f);
}

/* The longest share is as short as it can be: of 1 1 1 5 1 on three devices the 5 has its own. */
static void test_device_balance(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "aic100");
    uint32_t at = add_input(&f, TACHO_DTYPE_F32, TEST_DIMS(1024, 64));
    for (int i = 0; i < 5; i++) {
        uint32_t next = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(1024, 64));
        if (i == 3) {
            uint32_t w = test_constant(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(64, 65536));
            uint32_t v = test_constant(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(65536, 64));
            uint32_t wide = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(1024, 65536));
            TEST_NODE(&f.graph, "MatMul", wide, at, w);
            TEST_NODE(&f.graph, "MatMul", next, wide, v);
        } else {
            TEST_NODE(&f.graph, "Softmax", next, at);
        }
        at = next;
    }
    add_output(&f, at);
    compile(&f, &(tacho_compile_options){.devices = 3});
    const uint32_t expected[] = {0, 0, 0, 1, 2, 2};
    assert_int_equal(f.program.op_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(f.estimate.ops[i].device, expected[i]);
    }
    end(&f);
}

static void test_batch(void **state)
{
    (void)state;
    fixture f;
    compile_product(&f, &(tacho_compile_options){.cores = 1, .batch = 3});
    assert_int_equal(f.program.facts.batch_size, 3);
    assert_int_equal(f.program.ops[0].macs, UINT64_C(3) * 2048 * 512 * 512);
    assert_int_equal(f.program.ops[0].weight_bytes, 512 * 512);
    assert_int_equal(f.program.ops[0].input_bytes, 3 * 2048 * 512);
    end(&f);
}

static int64_t cycles_on(uint32_t cores)
{
    fixture f;
    begin(&f, "aic100");
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 4096));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(4096, 512));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 512));
    TEST_NODE(&f.graph, "MatMul", y, x, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.cores = cores});
    int64_t cycles = f.program.facts.total_cycles;
    end(&f);
    return cycles;
}

/* Any number of cores is as fast as the powers of two below it. */
static void test_odd_cores(void **state)
{
    (void)state;
    for (uint32_t cores = 2; cores <= 16; cores++) {
        int64_t cycles = cycles_on(cores);
        for (uint32_t fewer = 1; fewer < cores; fewer *= 2) {
            assert_true(cycles <= cycles_on(fewer));
        }
    }
}

/* Operators gathered into programs of at most 32 jobs, one after the other. */
static void test_blocks(void **state)
{
    (void)state;
    static const int64_t rows[] = {8, 8, 256, 8, 8};
    fixture f;
    begin(&f, "torq-sl2610");
    uint32_t at = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(8, 64));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(64, rows[i] * 8));
        uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(8, rows[i] * 8));
        TEST_NODE(&f.graph, "MatMul", y, at, w);
        add_output(&f, y);
        at = rows[i] == 8 ? y : at;
    }
    for (size_t i = 0; i < 24; i++) { /* of a few jobs each */
        uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(8, 64));
        TEST_NODE(&f.graph, "Fancy", y, at);
        add_output(&f, y);
        at = y;
    }
    compile(&f, &(tacho_compile_options){.has_values = false});
    const tacho_program *program = &f.program;
    size_t gathered = 0;
    int64_t before = 0;
    uint32_t first = 0;
    assert_true(program->block_count > 1);
    for (size_t i = 0; i < program->block_count; i++) {
        const tacho_block *block = &program->blocks[i];
        uint32_t op = program->jobs[block->first_job].op;
        int64_t last = 0;
        assert_int_equal(block->first_job, first);
        assert_int_equal(block->first_job, program->ops[op].first_job);
        assert_true(block->job_count <= 32 || block->job_count == program->ops[op].job_count);
        gathered += block->job_count > program->ops[op].job_count ? 1 : 0;
        for (uint32_t k = first; k < first + block->job_count; k++) {
            assert_true(program->jobs[k].start >= before);
            last = program->jobs[k].end > last ? program->jobs[k].end : last;
        }
        before = last;
        first += block->job_count;
    }
    assert_int_equal(first, program->job_count);
    assert_in_range(gathered, 2, 4); /* 24 operators of two or three jobs */
    end(&f);
}

/* The same as test_torq_tiles, with less memory than its operator, or its 320 jobs, take. */
static void test_room(void **state)
{
    (void)state;
    const struct {
        uint64_t bytes;
        const char *message;
    } cases[] = {
        {1023,
         "1 operators take about 1024 bytes; the limit for a model of this size is 1023; give "
         "a smaller model"},
        {9216, "the jobs of the first 1 of 1 operators take"},
        {1024 + 320 * sizeof(tacho_job), "the jobs of the first 1 of 1 operators take"},
        {1 << 20, NULL},
        {UINT64_MAX, NULL},
        {0, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture f;
        begin(&f, "torq-sl2610");
        uint32_t a = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
        uint32_t b = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 56, 56, 24));
        TEST_NODE(&f.graph, "tosa.add", b, a, a);
        add_output(&f, b);
        assert_null(tacho_fusion_init(&f.fusion, &f.graph));
        tacho_compile_options options = {.bytes_max = cases[i].bytes};
        tacho_status status =
            tacho_compile_program(&f.fusion, f.machine, &options, &f.estimate, &f.program);
        if (cases[i].message == NULL) {
            assert_null(status);
        } else {
            assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
            assert_memory_equal(tacho_status_message(status), cases[i].message,
                                strlen(cases[i].message));
        }
        tacho_status_free(status);
        end(&f);
    }
}

static void set_local_bytes(fixture *self, int64_t bytes)
{
    for (size_t i = 0; i < self->machine->memory_count; i++) {
        if (self->machine->memories[i].kind == TACHO_MEMORY_LOCAL) {
            self->machine->memories[i].size_bytes.value = (tacho_ratio){bytes, 1};
        }
    }
}

static int64_t softmax_cycles(int64_t local_bytes)
{
    fixture f;
    begin(&f, "aic100");
    set_local_bytes(&f, local_bytes);
    uint32_t x = add_input(&f, TACHO_DTYPE_F32, TEST_DIMS(3, 777777));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_F32, TEST_DIMS(3, 777777));
    TEST_NODE(&f.graph, "Softmax", y, x);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.devices = 1});
    int64_t cycles = f.program.facts.total_cycles;
    end(&f);
    return cycles;
}

/* A line that fits local memory is cut anyway, so that work on it overlaps its transfer. */
static void test_more_memory(void **state)
{
    (void)state;
    int64_t small = softmax_cycles(1 << 18);
    assert_in_range(softmax_cycles(1 << 23), 1, small + small / 32);
}

/* Slices share dimensions that keep all of them busy in small tiles: here not one of 67 columns. */
static void test_even_slices(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "torq-sl2610");
    set_local_bytes(&f, 1 << 18);
    uint32_t x = add_input(&f, TACHO_DTYPE_I8, TEST_DIMS(1, 37, 80, 103));
    uint32_t r = test_tensor(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(1, 37, 103, 80));
    uint32_t w = test_constant(&f.graph, TACHO_DTYPE_I8, TEST_DIMS(67, 37, 3, 3));
    uint32_t y = test_tensor(&f.graph, TACHO_DTYPE_I32, TEST_DIMS(1, 67, 101, 78));
    TEST_NODE(&f.graph, "Transpose", r, x);
    TEST_NODE(&f.graph, "Conv", y, r, w);
    add_output(&f, y);
    compile(&f, &(tacho_compile_options){.devices = 1});
    int64_t busy[2] = {0, 0};
    const tacho_program_op *op = &f.program.ops[f.program.op_count - 1];
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &f.program.jobs[op->first_job + i];
        uint16_t index = f.program.engines[job->engine].index;
        busy[index & 1] += job->kind == TACHO_JOB_COMPUTE ? job->cycles : 0;
    }
    assert_in_range(busy[0], busy[1], busy[1] + busy[1] / 16);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torq_tiles),
        cmocka_unit_test(test_torq_sequence),
        cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_local_move),
        cmocka_unit_test(test_local_activation),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_one_core_overlaps),
        cmocka_unit_test(test_fewer_cores),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_link_once),
        cmocka_unit_test(test_few_devices),
        cmocka_unit_test(test_device_balance),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_uneven_turns),
        cmocka_unit_test(test_odd_cores),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_more_memory),
        cmocka_unit_test(test_even_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
