/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices as the host uses them: opened by name, loaded, run; their records are read back from a
 * file.
 */
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/index.h"
#include "base/mapping.h"
#include "program/program_testing.h"
#include "program/timing.h"

static void setup(tacho_program *program)
{
    assert_null(tacho_program_init(program));
    assert_null(make_test_program(program));
    program->facts.machine_text = 0; /* the built-in one */
    assert_null(tacho_program_time(program));
}

static tacho_device *open_sim(const tacho_program *program, const char *name,
                              tacho_device_options options)
{
    tacho_device *device;
    options.skips_values = true;
    assert_null(tacho_device_open(tacho_str_from_cstring(name), &options, &device));
    assert_null(device->type->load(device, program));
    return device;
}

static void check_failure(tacho_status status, const char *words)
{
    assert_non_null(status);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' in '%s'", words, tacho_status_message(status));
    }
    tacho_status_free(status);
}

/* ---- names --------------------------------------------------------------------------------- */

static void test_registry(void **state)
{
    (void)state;
    tacho_device *device;
    tacho_device_options options = {.threads = 0};
    check_failure(tacho_device_open(TACHO_STR("gpu"), &options, &device),
                  "unknown device 'gpu'; use one of: sim[:MACHINE], cpu, null");
    check_failure(tacho_device_open(TACHO_STR("cpu:aic100"), &options, &device),
                  "device 'cpu:aic100': it takes nothing after a colon");
    check_failure(tacho_device_open(TACHO_STR("sim:"), &options, &device),
                  "a machine is missing after the colon");
    for (size_t i = 0; tacho_device_types()[i] != NULL; i++) {
        const char *name = tacho_device_types()[i]->name;
        assert_null(tacho_device_open(tacho_str_from_cstring(name), &options, &device));
        assert_string_equal(device->type->name, name);
        assert_null(tacho_device_missing(device));
        tacho_device_close(device);
    }
    tacho_device_close(NULL);
}

static void test_refused_programs(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program);
    tacho_device *device;
    tacho_device_options options = {.skips_values = true};
    assert_null(tacho_device_open(TACHO_STR("sim:torq-sl2610"), &options, &device));
    check_failure(device->type->load(device, &program),
                  "compiled for the machine 'aic100', the device is 'torq-sl2610'");
    tacho_device_close(device);
    options.activations = 9; /* of two cores, on 16 */
    assert_null(tacho_device_open(TACHO_STR("sim"), &options, &device));
    check_failure(device->type->load(device, &program),
                  "9 activations of 2 cores need 18 cores; aic100 has 16");
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/* ---- records ------------------------------------------------------------------------------- */

typedef struct loaded {
    tacho_mappings mappings;
    tacho_stats_layout layout;
    tacho_stats_file file;
} loaded;

/* Through a file and back. */
static void seal_and_read(const tacho_program *program, const tacho_stats_buffer *buffer,
                          loaded *out)
{
    char path[] = "/tmp/tacho-device-test.XXXXXX"; /* may run twice at once, in isa.* */
    tacho_str bytes;
    tacho_output output;
    int fd = mkstemp(path);
    assert_int_not_equal(fd, -1);
    close(fd);
    *out = (loaded){.mappings = {.items = NULL}};
    assert_null(tacho_output_open(path, &output));
    tacho_stats_seal(buffer, &output);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    assert_null(tacho_mappings_open(&out->mappings, path, &bytes));
    remove(path);
    assert_null(tacho_stats_read(&out->file, bytes));
    assert_null(tacho_stats_layout_init(&out->layout, program));
    assert_null(tacho_stats_bind(&out->file, &out->layout));
    assert_false(out->file.damage.is_cut);
    assert_int_equal(out->file.damage.bad_records, 0);
    assert_int_equal(out->file.damage.damaged_bytes, 0);
    assert_int_equal(out->file.damage.missing_chunks, 0);
}

static void unload(loaded *all)
{
    tacho_stats_file_deinit(&all->file);
    tacho_stats_layout_deinit(&all->layout);
    tacho_mappings_close(&all->mappings);
}

/* The records of a type; |*out_count| of them. */
static const void *records(const loaded *all, tacho_stats_type type, uint32_t stream,
                           uint32_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < all->file.array_count; i++) {
        const tacho_stats_array *array = &all->file.arrays[i];
        if (array->type == type && array->stream == stream) {
            *out_count = array->count;
            return array->records;
        }
    }
    return NULL;
}

/*
 * Core 1 of the test program at level 70, with U ticking as P: the load (engine 7) goes from 0 to
 * 200, both HMX work to 700, HVX 1 (engine 5) to 850, HVX 2 (engine 6) to 950, the store starts at
 * 959 and takes 231. The store is of another op; a transfer is issued in 16 cycles.
 */
static void test_records(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program);
    tacho_device *device =
        open_sim(&program, "sim:aic100",
                 (tacho_device_options){.has_fine_timer = true, .is_unlimited = true});
    tacho_device_result result;
    assert_null(device->type->run(device, 0, false, &result));
    assert_int_equal(result.cycles, 1190);
    assert_null(result.stats);
    assert_null(device->type->run(device, 7, true, &result));
    assert_int_equal(result.stats_count, 1);
    loaded all;
    seal_and_read(&program, result.stats, &all);
    assert_int_equal(all.file.head.inference, 7);
    assert_int_equal(all.file.head.features & TACHO_STATS_SIMULATED, TACHO_STATS_SIMULATED);
    uint32_t count;
    const tacho_stats_thread *threads = records(&all, TACHO_STATS_TYPE_thread, 0, &count);
    assert_int_equal(count, 8);
    uint64_t start = threads[4].start_p;
    assert_int_equal(threads[4].core, 1);
    assert_int_equal(threads[4].activate_end_p, 1430); /* the machine's launch_cycles */
    assert_int_equal(threads[4].flush_start_u - start, 1190);
    assert_true(threads[4].end_u > threads[4].flush_start_u);
    assert_int_equal(result.start_ns, start); /* 1 GHz */
    uint64_t end = threads[0].end_p > threads[4].end_p ? threads[0].end_p : threads[4].end_p;
    assert_int_equal(result.end_ns, end); /* with the flush */
    assert_int_equal(result.blocks[0].start_ns, start);
    assert_int_equal(result.blocks[0].end_ns, start + 1190);

    const tacho_stats_op *ops = records(&all, TACHO_STATS_TYPE_op, 7, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0].sync_start_u, start);
    assert_int_equal(ops[0].op_start_u, start);
    assert_int_equal(ops[0].op_end_u, start + 16);
    assert_int_equal(ops[0].async_done_u, start + 200);
    assert_int_equal(ops[0].flags, TACHO_STATS_OP_ASYNC);
    assert_int_equal(ops[1].sync_start_u, start + 16);
    assert_int_equal(ops[1].op_start_u, start + 959); /* after a lag of 9 */
    assert_int_equal(ops[1].async_done_u, start + 1190);
    ops = records(&all, TACHO_STATS_TYPE_op, 4, &count);
    assert_int_equal(count, 1);
    assert_int_equal(ops[0].op_start_u, start + 200);
    assert_int_equal(ops[0].op_end_p, start + 700);
    assert_int_equal(ops[0].barrier_end_u, start + 700);
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/* Has |program| record counters of |events|, as the description of aic100 has them. */
static void set_counters(tacho_program *program, const tacho_event *events, uint32_t count)
{
    program->facts.stats.level = 100;
    program->facts.stats.pmu_event_count = count;
    for (uint32_t i = 0; i < count; i++) {
        program->facts.stats.pmu_events[i] = (uint16_t)(0x20e + i);
        program->facts.stats.pmu_counts[i] = (uint16_t)events[i];
    }
}

/* The counts of core 1, over all threads. */
static void check_core(const loaded *all, const uint64_t expected[8])
{
    uint32_t count;
    const tacho_stats_core_pmu *cores = records(all, TACHO_STATS_TYPE_core_pmu, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(cores[1].core, 1);
    for (size_t j = 0; j < 8; j++) {
        assert_int_equal(cores[1].values[j], expected[j]);
    }
}

/* Counters of core 1, traffic and ports of the same program. */
static void test_counters(void **state)
{
    (void)state;
    static const tacho_event events[] = {
        TACHO_EVENT_COMPUTE,        TACHO_EVENT_VECTOR,    TACHO_EVENT_DMA,
        TACHO_EVENT_READS,          TACHO_EVENT_READS_256, TACHO_EVENT_RUNNING_1,
        TACHO_EVENT_COMPUTE_CLOCKS, TACHO_EVENT_WRITES_256};
    /* by thread: HMX, two HVX, DMA */
    static const uint64_t expected[4][8] = {
        {500, 0, 0, 0, 0, 500, 1190, 0},
        {0, 150, 0, 0, 0, 150, 0, 0},
        {0, 100, 0, 0, 0, 100, 0, 0},
        {0, 0, 431, 4, 3, 32, 0, 16},
    };
    static const uint64_t expected_core[8] = {500, 250, 431, 4, 3, 782, 1190, 16};
    tacho_program program;
    setup(&program);
    set_counters(&program, events, 8);
    tacho_device *device = open_sim(
        &program, "sim", (tacho_device_options){.has_fine_timer = true, .is_unlimited = true});
    tacho_device_result result;
    assert_null(device->type->run(device, 3, true, &result));
    loaded all;
    seal_and_read(&program, result.stats, &all);
    uint32_t count;
    const tacho_stats_pmu *pmus = records(&all, TACHO_STATS_TYPE_pmu, 0, &count);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pmus[4 + i].core, 1);
        assert_int_equal(pmus[4 + i].thread, i);
        for (size_t j = 0; j < 8; j++) {
            assert_int_equal(pmus[4 + i].values[j], expected[i][j]);
        }
    }
    check_core(&all, expected_core);
    const tacho_stats_ddr *ddrs = records(&all, TACHO_STATS_TYPE_ddr, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ddrs[0].read_bytes, 792);
    assert_int_equal(ddrs[0].write_bytes, 0);
    assert_int_equal(ddrs[1].read_bytes, 792);
    assert_int_equal(ddrs[1].write_bytes, 4096);
    assert_int_equal(ddrs[1].window_u, 1190);
    const tacho_stats_port *ports = records(&all, TACHO_STATS_TYPE_port, 0, &count);
    assert_int_equal(count, 16); /* the host's two, of each of the eight threads */
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ports[i].core, i / 8);
        assert_int_equal(ports[i].thread, i / 2 % 4);
        assert_int_equal(ports[i].port, i % 2 == 0 ? TACHO_PORT_HOST_IN : TACHO_PORT_HOST_OUT);
        assert_int_equal(ports[i].is_output, i % 2);
        assert_int_equal(ports[i].wait_count, 0); /* the machine has no link: a host of no time */
        assert_int_equal(ports[i].wait_u, 0);
    }
    const tacho_stats_doorbell *rings = records(&all, TACHO_STATS_TYPE_doorbell, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(rings[1].core, 1);
    assert_int_equal(rings[1].transaction, 3);
    assert_int_equal(rings[1].ring_u, 1430); /* with the inference, which starts after activation */
    const tacho_stats_op_pmu *ops = records(&all, TACHO_STATS_TYPE_op_pmu, 7, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0].values[2], 200);
    assert_int_equal(ops[1].values[2], 231);
    assert_int_equal(ops[1].values[7], 16);
    assert_int_equal(ops[0].values[5], 16); /* its thread runs while it issues */
    assert_int_equal(ops[1].values[5], 16);
    assert_int_equal(ops[0].values[6], 0); /* the clock of HMX is of its own thread */
    ops = records(&all, TACHO_STATS_TYPE_op_pmu, 4, &count);
    assert_int_equal(count, 1);
    assert_int_equal(ops[0].values[5], 500);
    assert_int_equal(ops[0].values[0], 500);
    assert_int_equal(ops[0].values[6], 500);
    const tacho_stats_drop *drops = records(&all, TACHO_STATS_TYPE_drop, 0, &count);
    uint64_t stored = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(drops[i].emitted, drops[i].stored);
        stored += drops[i].type == TACHO_FOURCC('O', 'P', 'R', 'C') ? drops[i].stored : 0;
    }
    assert_int_equal(stored, 8);
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/* Two threads of HVX at once are one cycle of their core: neither their sum nor the longer one. */
static void test_overlapping_threads(void **state)
{
    (void)state;
    static const tacho_event events[] = {TACHO_EVENT_VECTOR, TACHO_EVENT_RUNNING_1,
                                         TACHO_EVENT_RUNNING_2, TACHO_EVENT_PACKETS};
    static const uint64_t expected[3][4] = {
        {150, 100, 50, 150}, /* HVX 0, from 710 */
        {100, 50, 50, 100},  /* HVX 1, from 810 */
        {200, 682, 50, 782}, /* the core */
    };
    tacho_program program;
    setup(&program);
    set_counters(&program, events, 4);
    program.needs[4] = (tacho_need){3, 0, 100}; /* of HVX 1: 100 cycles after HMX */
    tacho_device *device = open_sim(
        &program, "sim", (tacho_device_options){.has_fine_timer = true, .is_unlimited = true});
    tacho_device_result result;
    assert_null(device->type->run(device, 0, true, &result));
    loaded all;
    uint32_t count;
    seal_and_read(&program, result.stats, &all);
    const tacho_stats_pmu *pmus = records(&all, TACHO_STATS_TYPE_pmu, 0, &count);
    const tacho_stats_core_pmu *cores = records(&all, TACHO_STATS_TYPE_core_pmu, 0, &count);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pmus[5].values[i], expected[0][i]);
        assert_int_equal(pmus[6].values[i], expected[1][i]);
        assert_int_equal(cores[1].values[i], expected[2][i]);
    }
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/*
 * Two jobs of HMX of core 1 that start at once, the first of which takes no time: the second is the
 * thread's last of its op, which ends where the op's wait does; the first ends with itself.
 */
static void test_the_later_of_jobs_that_start_at_once_is_last(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program);
    program.jobs[3].cycles = 0;
    program.jobs[4].engine = 4;
    program.needs[2].job = 3; /* not for HMX of core 0 */
    program.jobs[7].op = 0;   /* the wait, which begins after the store */
    program.jobs[6].need_count = 1;
    program.jobs[7].first_need = 6;
    program.jobs[7].need_count = 1;
    program.needs[6] = (tacho_need){6, 0, 0};
    tacho_device *device =
        open_sim(&program, "sim:aic100",
                 (tacho_device_options){.has_fine_timer = true, .is_unlimited = true});
    tacho_device_result result;
    assert_null(device->type->run(device, 0, true, &result));
    loaded all;
    uint32_t count;
    seal_and_read(&program, result.stats, &all);
    const tacho_stats_op *ops = records(&all, TACHO_STATS_TYPE_op, 4, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0].op_start_p, ops[1].op_start_p);
    uint64_t start = ops[0].op_start_p - 200;
    assert_int_equal(ops[0].barrier_end_u, start + 200);
    assert_int_equal(ops[1].op_end_p, start + 350);
    assert_int_equal(ops[1].barrier_end_u, start + 690);
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/* A thread that waits runs not, and commits no packets; a code that is not simulated is named. */
static void test_waits_and_unknown_events(void **state)
{
    (void)state;
    static const tacho_event events[] = {TACHO_EVENT_OTHER, TACHO_EVENT_OTHER, TACHO_EVENT_PACKETS,
                                         TACHO_EVENT_RUNNING_1, TACHO_EVENT_VECTOR};
    tacho_program program;
    setup(&program);
    set_counters(&program, events, 5);
    for (size_t i = 0; i < program.job_count; i++) {
        if (program.jobs[i].engine == 5) { /* 150 cycles of HVX 1 of core 1 */
            program.jobs[i].kind = TACHO_JOB_WAIT;
        }
    }
    tacho_device *device = open_sim(
        &program, "sim", (tacho_device_options){.has_fine_timer = true, .is_unlimited = true});
    assert_string_equal(tacho_device_missing(device),
                        "counters 20E, 20F are not simulated: 0 is not a measurement");
    tacho_device_result result;
    assert_null(device->type->run(device, 0, true, &result));
    loaded all;
    uint32_t count;
    seal_and_read(&program, result.stats, &all);
    const tacho_stats_pmu *pmus = records(&all, TACHO_STATS_TYPE_pmu, 0, &count);
    assert_int_equal(count, 8);
    for (size_t i = 2; i < 5; i++) {
        assert_int_equal(pmus[5].values[i], 0);
        assert_int_equal(pmus[6].values[i], 100);
    }
    const tacho_stats_op_pmu *ops = records(&all, TACHO_STATS_TYPE_op_pmu, 5, &count);
    assert_int_equal(count, 1);
    assert_int_equal(ops[0].values[2], 0);
    ops = records(&all, TACHO_STATS_TYPE_op_pmu, 6, &count);
    assert_int_equal(ops[0].values[2], 100);
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/*
 * A transfer from another device is counted at the port to it, and written to this device's DDR;
 * loads wait for the host alone.
 */
static void test_links(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program);
    slice_test_program(&program);
    program.jobs[5].kind = TACHO_JOB_LOAD; /* of the other device's result, without a port */
    tacho_device *device = open_sim(&program, "sim", (tacho_device_options){.threads = 1});
    tacho_device_result result;
    assert_null(device->type->run(device, 0, true, &result));
    assert_int_equal(result.stats_count, 2);
    static const struct {
        uint64_t read_bytes, write_bytes;
        uint32_t host_count; /* ports of its threads to the host ... */
        uint16_t host_port;
        bool has_link; /* ... and one to the first device */
    } rows[] = {
        {2 * 792, 0, 4, TACHO_PORT_HOST_IN, false}, /* its own, and what the other fetches */
        {0, 792 + 4096, 4, TACHO_PORT_HOST_OUT, true}};
    for (uint32_t i = 0; i < 2; i++) {
        loaded all;
        uint32_t count;
        seal_and_read(&program, &result.stats[i], &all);
        const tacho_stats_ddr *ddr = records(&all, TACHO_STATS_TYPE_ddr, 0, &count);
        assert_int_equal(ddr->read_bytes, rows[i].read_bytes);
        assert_int_equal(ddr->write_bytes, rows[i].write_bytes);
        const tacho_stats_port *ports = records(&all, TACHO_STATS_TYPE_port, 0, &count);
        assert_int_equal(count, rows[i].host_count + (rows[i].has_link ? 1 : 0));
        for (uint32_t j = 0; j < count; j++) {
            bool is_link = j == rows[i].host_count;
            assert_int_equal(ports[j].port, is_link ? TACHO_PORT_P2P : rows[i].host_port);
            assert_int_equal(ports[j].is_p2p, is_link);
            assert_int_equal(ports[j].peer, 0);
            bool is_input = rows[i].host_port == TACHO_PORT_HOST_IN; /* the first are waited for */
            assert_int_equal(ports[j].wait_count, is_link || is_input ? 1 : 0);
        }
        unload(&all);
    }
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

/* Exactly the records of each level. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        uint32_t level;
        uint32_t threads, ports, ops, stalls;
    } rows[] = {{39, 0, 0, 0, 0}, {40, 8, 0, 0, 0}, {50, 8, 16, 0, 0}, {70, 8, 16, 2, 2}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tacho_program program;
        setup(&program);
        program.facts.stats.level = rows[i].level;
        tacho_device *device = open_sim(&program, "sim", (tacho_device_options){.threads = 1});
        tacho_device_result result;
        assert_null(device->type->run(device, 0, true, &result));
        assert_int_equal(result.stats_count, rows[i].level < 40 ? 0 : 1);
        if (result.stats_count > 0) {
            loaded all;
            uint32_t count;
            seal_and_read(&program, result.stats, &all);
            records(&all, TACHO_STATS_TYPE_thread, 0, &count);
            assert_int_equal(count, rows[i].threads);
            records(&all, TACHO_STATS_TYPE_port, 0, &count);
            assert_int_equal(count, rows[i].ports);
            records(&all, TACHO_STATS_TYPE_op, 7, &count);
            assert_int_equal(count, rows[i].ops);
            records(&all, TACHO_STATS_TYPE_stall, 0, &count);
            assert_int_equal(count, rows[i].stalls);
            unload(&all);
        }
        tacho_device_close(device);
        tacho_program_deinit(&program);
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

/* A gate for which every call is more work than a program may take. */
static tacho_status open_gate(void **out_self)
{
    *out_self = NULL;
    return TACHO_OK;
}

static tacho_status check_heavy(void *self, tacho_str type, const tacho_kernel_call *call,
                                uint64_t *out_work)
{
    (void)self;
    (void)type;
    (void)call;
    *out_work = UINT64_MAX / 2;
    return TACHO_OK;
}

static void close_gate(void *self)
{
    assert_null(self);
}

/* The limit is that of the device, not of who asks it: refused on every one that computes. */
static void test_work(void **state)
{
    (void)state;
    static const tacho_gate gate = {open_gate, check_heavy, close_gate};
    static const char *const names[] = {"cpu", "sim"};
    for (size_t i = 0; i < 2; i++) {
        tacho_program program;
        tacho_device *device;
        tacho_device_options options = {.threads = 1, .gate = &gate};
        setup(&program);
        assert_null(tacho_device_open(tacho_str_from_cstring(names[i]), &options, &device));
        check_failure(device->type->load(device, &program), "one inference takes about");
        tacho_device_close(device);
        options.is_forced = true;
        assert_null(tacho_device_open(tacho_str_from_cstring(names[i]), &options, &device));
        assert_null(device->type->load(device, &program));
        tacho_device_close(device);
        tacho_program_deinit(&program);
    }
}

static void test_null(void **state)
{
    (void)state;
    tacho_program program;
    setup(&program);
    tacho_device *device;
    tacho_device_options options = {.threads = 1};
    assert_null(tacho_device_open(TACHO_STR("null"), &options, &device));
    assert_null(device->type->load(device, &program));
    tacho_device_result result;
    assert_null(device->type->run(device, 4, true, &result));
    assert_null(device->execution);
    loaded all;
    uint32_t count;
    seal_and_read(&program, result.stats, &all);
    assert_int_equal(all.file.head.inference, 4);
    const tacho_stats_thread *threads = records(&all, TACHO_STATS_TYPE_thread, 0, &count);
    assert_int_equal(count, 8);
    assert_int_equal(threads[7].core, 1);
    assert_int_equal(threads[7].thread, 3);
    assert_int_equal(threads[7].end_u, 0);
    unload(&all);
    tacho_device_close(device);
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_refused_programs),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_the_later_of_jobs_that_start_at_once_is_last),
        cmocka_unit_test(test_overlapping_threads),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_waits_and_unknown_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
