/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests: a small program made by hand, with something in every table. A convolution with a
 * clamp fused into it runs on two cores, an addition on the second; the addition's other operand
 * is one number for all elements.
 */
#ifndef TACHO_PROGRAM_PROGRAM_TESTING_H
#define TACHO_PROGRAM_PROGRAM_TESTING_H

#include "base/event.h"
#include "base/grow.h"
#include "program/program.h"

static inline tacho_status intern(tacho_program *program, const char *text, uint32_t *out_id)
{
    return tacho_strings_ensure(&program->strings, tacho_str_from_cstring(text), out_id);
}

#define TEST_APPEND_TO(program, name, names, ...)                                                  \
    do {                                                                                           \
        TACHO_TRY(tacho_grow(&(program)->names, &(program)->name##_capacity,                       \
                             (program)->name##_count + 1));                                        \
        (program)->names[(program)->name##_count++] = __VA_ARGS__;                                 \
    } while (0)
#define TEST_APPEND(program, name, ...) TEST_APPEND_TO(program, name, name##s, __VA_ARGS__)

static inline tacho_status add_test_tensors(tacho_program *program)
{
    static const struct {
        const char *name;
        tacho_dtype dtype;
        tacho_storage storage;
        uint64_t offset, bytes;
        tacho_shape shape;
    } rows[] = {
        {"image", TACHO_DTYPE_F16, TACHO_STORAGE_INPUT, 0, 1536, {4, {1, 3, 16, 16}}},
        {"weights", TACHO_DTYPE_F16, TACHO_STORAGE_BYTES, 0, 48, {4, {8, 3, 1, 1}}},
        {"hidden", TACHO_DTYPE_F16, TACHO_STORAGE_ACTIVATION, 0, 4096, {4, {1, 8, 16, 16}}},
        {"clamped", TACHO_DTYPE_F16, TACHO_STORAGE_ACTIVATION, 0, 4096, {4, {1, 8, 16, 16}}},
        {"bias", TACHO_DTYPE_F16, TACHO_STORAGE_SPLAT, 48, 2, {1, {8}}},
        {"result", TACHO_DTYPE_F16, TACHO_STORAGE_OUTPUT, 0, 4096, {4, {1, 8, 16, 16}}},
        {"noise", TACHO_DTYPE_I8, TACHO_STORAGE_RANDOM, 7, 4, {1, {4}}},
        {"flags", TACHO_DTYPE_U64, TACHO_STORAGE_OUTPUT, 0, 16, {1, {2}}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t name = 0;
        uint32_t shape = 0;
        TACHO_TRY(intern(program, rows[i].name, &name));
        TACHO_TRY(tacho_program_add_shape(program, &rows[i].shape, &shape));
        TEST_APPEND(program, tensor,
                    (tacho_program_tensor){name, (uint16_t)rows[i].dtype, (uint16_t)rows[i].storage,
                                           rows[i].offset, rows[i].bytes, shape,
                                           (uint16_t)rows[i].dtype, i == 2});
    }
    TEST_APPEND(program, input, 0);
    TEST_APPEND(program, output, 5);
    TEST_APPEND(program, output, 7);
    return TACHO_OK;
}

/* One attribute of each kind. */
static inline tacho_status add_test_attrs(tacho_program *program)
{
    static const int64_t strides[] = {1, -2, INT64_MAX};
    static const double scales[] = {0.5, -1e300};
    static const tacho_str names[] = {TACHO_STR_INIT("a"), TACHO_STR_INIT(""),
                                      TACHO_STR_INIT("long")};
    const tacho_attr attrs[] = {
        {TACHO_STR("group"), TACHO_ATTR_INT, 0, {.as_int = -1}},
        {TACHO_STR("max"), TACHO_ATTR_REAL, 0, {.as_real = 6.0}},
        {TACHO_STR("auto_pad"), TACHO_ATTR_TEXT, 0, {.as_text = TACHO_STR("VALID")}},
        {TACHO_STR("strides"), TACHO_ATTR_INTS, 3, {.as_ints = strides}},
        {TACHO_STR("scales"), TACHO_ATTR_REALS, 2, {.as_reals = scales}},
        {TACHO_STR("names"), TACHO_ATTR_TEXTS, 3, {.as_texts = names}},
        {TACHO_STR("value"), TACHO_ATTR_TENSOR, 0, {.as_tensor = 6}},
        {TACHO_STR("body"), TACHO_ATTR_GRAPH, 0, {.as_int = 12}},
        {TACHO_STR("other"), TACHO_ATTR_OTHER, 0, {.as_int = 0}},
    };
    for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
        TEST_APPEND(program, attr, attrs[i]);
    }
    return TACHO_OK;
}

static inline tacho_status add_test_ops(tacho_program *program)
{
    static const uint32_t links[] = {0, 1, TACHO_NONE, 2, 2, 3, 3, 4, 5, 7};
    uint32_t conv = 0;
    uint32_t clip = 0;
    uint32_t add = 0;
    TACHO_TRY(intern(program, "Conv", &conv));
    TACHO_TRY(intern(program, "Clip", &clip));
    TACHO_TRY(intern(program, "Add", &add));
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        TEST_APPEND(program, link, links[i]);
    }
    TEST_APPEND(program, step, (tacho_step){0, conv, 17, 0, 3, 1, 0, 6, TACHO_WHEN_ALWAYS});
    TEST_APPEND(program, step, (tacho_step){0, clip, 13, 4, 1, 1, 6, 1, TACHO_WHEN_ALWAYS});
    TEST_APPEND(program, step, (tacho_step){1, add, 14, 6, 2, 2, 7, 2, TACHO_WHEN_ALWAYS});
    tacho_program_op op = {.type = conv, .step_count = 2, .job_count = 5, .macs = 6144};
    op.input_bytes = 1536;
    op.weight_bytes = 48;
    op.output_bytes = 4096;
    op.cycles = 860;
    TACHO_TRY(intern(program, "/stem/Conv", &op.name));
    TACHO_TRY(intern(program, "Convolution", &op.kind));
    TACHO_TRY(intern(program, "stem.py:12", &op.location));
    TEST_APPEND(program, op, op);
    op = (tacho_program_op){.type = add, .first_step = 2, .step_count = 1, .first_job = 5};
    op.job_count = 2;
    op.output_bytes = 4096;
    op.cycles = 340;
    TACHO_TRY(intern(program, "/head/Add", &op.name));
    TACHO_TRY(intern(program, "ElementAdd", &op.kind));
    TEST_APPEND(program, op, op);
    uint32_t name = 0;
    TACHO_TRY(intern(program, "main$async_dispatch_0", &name));
    TEST_APPEND_TO(program, dispatch, dispatches, (tacho_dispatch_info){name, 0, 2});
    return TACHO_OK;
}

static inline tacho_status add_test_engines(tacho_program *program)
{
    static const struct {
        const char *name, *class_name;
        uint16_t index, thread;
    } rows[] = {
        {"HMX", "compute", 0, 0},
        {"HVX", "vector", 0, 1},
        {"HVX", "vector", 1, 2},
        {"DMAIssue", "dma_in", 0, 3},
    };
    for (uint16_t core = 0; core < 2; core++) {
        for (size_t i = 0; i < 4; i++) {
            tacho_program_engine engine = {.core = core};
            engine.index = rows[i].index;
            engine.thread = rows[i].thread;
            TACHO_TRY(intern(program, rows[i].name, &engine.name));
            TACHO_TRY(intern(program, rows[i].class_name, &engine.class_name));
            TEST_APPEND(program, engine, engine);
        }
    }
    return TACHO_OK;
}

static inline tacho_status add_test_jobs(tacho_program *program)
{
    static const tacho_job jobs[] = {
        {0, 3, TACHO_JOB_LOAD, 0, 0, 0, 0, 0, 0, TACHO_NONE, 200, 0, 200, 792, 0, 0, 2},
        {0, 7, TACHO_JOB_LOAD, 0, 0, 0, 0, 0, 1, TACHO_NONE, 200, 0, 210, 792, 0, 0, 0},
        {0, 0, TACHO_JOB_COMPUTE, 0, 0, 0, 0, 1, TACHO_NONE, TACHO_NONE, 500, 200, 700, 0, 3072, 0,
         0},
        {0, 4, TACHO_JOB_COMPUTE, 0, 0, 0, 1, 1, TACHO_NONE, TACHO_NONE, 500, 210, 710, 0, 3072, 0,
         0},
        {0, 5, TACHO_JOB_COMPUTE, 0, 1, 0, 2, 2, TACHO_NONE, TACHO_NONE, 150, 710, 860, 0, 0, 0, 0},
        {1, 6, TACHO_JOB_COMPUTE, 0, 0, 0, 4, 1, TACHO_NONE, TACHO_NONE, 100, 860, 960, 0, 0, 0, 0},
        {1, 7, TACHO_JOB_STORE, 0, 0, 0, 5, 2, 2, TACHO_NONE, 231, 969, 1200, 4096, 0, 0, 0},
        {TACHO_NONE, 3, TACHO_JOB_WAIT, 0, 0, TACHO_NONE, 7, 0, TACHO_NONE, TACHO_NONE, 0, 1200,
         1200, 0, 0, 0, 0},
    };
    static const tacho_need needs[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0},
                                       {4, 0, 0}, {5, 0, 9}, {1, 1, 0}};
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        TEST_APPEND(program, job, jobs[i]);
    }
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        TEST_APPEND(program, need, needs[i]);
    }
    uint32_t memory = 0;
    uint32_t name = 0;
    TACHO_TRY(intern(program, "vtcm", &memory));
    TACHO_TRY(intern(program, "block", &name));
    TEST_APPEND(program, buffer, (tacho_buffer){memory, 0, 0, 0, 792, 0, 2, 0, 0, 0, 1});
    TEST_APPEND(program, buffer, (tacho_buffer){memory, 0, 1, 0, 792, 1, 3, 0, 0, 1, 1});
    TEST_APPEND(program, buffer,
                (tacho_buffer){memory, 0, 1, 1024, 4096, 4, 6, 0, TACHO_NONE, 0, 0});
    TEST_APPEND(program, extent, (tacho_extent){0, 396, 768});
    TEST_APPEND(program, extent, (tacho_extent){0, 1, 1});
    TEST_APPEND(program, region, (tacho_region){0, TACHO_NONE, TACHO_ACCESS_READ, 2, 0, 792});
    TEST_APPEND(program, region, (tacho_region){0, 0, TACHO_ACCESS_WRITE, 2, 0, 792});
    TEST_APPEND(program, block, (tacho_block){name, 0, 0, 7, 3, 4});
    return TACHO_OK;
}

/* Fills |program|, which is initialised. */
static inline tacho_status make_test_program(tacho_program *program)
{
    static const char constants[50] = "forty-eight bytes of weights and one bias: 0.5..\x00\x38";
    program->constants = tacho_str_make(constants, sizeof(constants));
    TACHO_TRY(add_test_tensors(program));
    TACHO_TRY(add_test_attrs(program));
    TACHO_TRY(add_test_ops(program));
    TACHO_TRY(add_test_engines(program));
    TACHO_TRY(add_test_jobs(program));
    program->facts = (tacho_program_facts){
        .device_count = 1,
        .core_count = 2,
        .thread_count = 4,
        .batch_size = 1,
        .total_cycles = 1200,
        .core_clock_hz = 1000000000,
        .timer_hz = 19200000,
        .local_bytes = 8192,
        .local_peak_bytes = 5120,
        .ddr_bytes = 5680,
        .constant_bytes = 50,
        .stats = {.level = 70,
                  .batch_size = 4,
                  .counts_ddr = 1,
                  .pmu_event_count = 2,
                  .pmu_events = {0x3, 0x1a4},
                  .pmu_counts = {TACHO_EVENT_PACKETS, TACHO_EVENT_OTHER},
                  .buffer_bytes = 4096},
    };
    TACHO_TRY(intern(program, "QAicGraph", &program->facts.name));
    TACHO_TRY(intern(program, "aic100", &program->facts.machine));
    TACHO_TRY(intern(program, "{\"name\": \"aic100\"}", &program->facts.machine_text));
    TACHO_TRY(intern(program, "stem.onnx", &program->facts.model_path));
    TACHO_TRY(intern(program, "COMMITTED_PKT_ANY", &program->facts.stats.pmu_names[0]));
    TACHO_TRY(intern(program, "unknown", &program->facts.stats.pmu_names[1]));
    return intern(program, "AxiRd", &program->facts.stats.pmu_recipe);
}

/* Makes the cores of the test program devices: the same jobs as two slices of one core each. */
static inline void slice_test_program(tacho_program *program)
{
    for (size_t i = 0; i < program->engine_count; i++) {
        program->engines[i].device = program->engines[i].core;
        program->engines[i].core = 0;
    }
    for (size_t i = 0; i < program->buffer_count; i++) {
        program->buffers[i].device = program->buffers[i].core;
        program->buffers[i].core = 0;
    }
    program->jobs[1].kind = TACHO_JOB_P2P;
    program->jobs[1].partner = 0;
    program->facts.device_count = 2;
    program->facts.core_count = 1;
}

#endif
