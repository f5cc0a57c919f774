/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes simulation and recorder with programs that pass the reader's checks but were made by no
 * compiler.
 *
 * Laws: no job is faster than alone, none starts before what it needs, and an op's stalls are what
 * it takes beyond its estimate.
 */
#include "base/index.h"
#include "device/recorder.h"
#include "program/image.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ACTIVATIONS = 2 };

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check(const tacho_program *program, const tacho_simulation *simulation)
{
    for (size_t i = 0; i < ACTIVATIONS * program->job_count; i++) {
        const tacho_job *job = &program->jobs[i % program->job_count];
        size_t first = i - i % program->job_count;
        require(simulation->ends[i] - simulation->starts[i] >= job->cycles);
        for (uint32_t j = 0; j < job->need_count; j++) {
            const tacho_need *need = &program->needs[job->first_need + j];
            require(simulation->starts[i] >= simulation->ends[first + need->job] + need->lag);
        }
    }
    for (size_t i = 0; i < ACTIVATIONS * program->op_count; i++) {
        const tacho_sim_op *op = &simulation->ops[i];
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += op->stalls[j];
        }
        bool has_jobs = op->end > 0;
        require(!has_jobs ||
                sum == op->end - op->start - program->ops[i % program->op_count].cycles);
    }
}

static void record(const tacho_program *program, const tacho_simulation *simulation)
{
    tacho_recorder_options options = {program, ACTIVATIONS, 19200000, 1430000000, 0};
    tacho_recorder *recorder;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    int64_t *flushes = calloc(cores + 1, sizeof(*flushes));
    require(flushes != NULL);
    for (size_t i = 0; i < cores; i++) {
        flushes[i] = simulation->cycles;
    }
    tacho_status status = tacho_recorder_create(&options, &recorder);
    for (uint32_t i = 0; status == TACHO_OK && i < ACTIVATIONS; i++) {
        tacho_recorder_turn recording = {
            .activation = i,
            .start = 1000,
            .starts = simulation->starts + i * program->job_count,
            .ends = simulation->ends + i * program->job_count,
            .ops = simulation->ops + i * program->op_count,
            .flush_starts = flushes,
            .flush_ends = flushes,
        };
        status = tacho_recorder_count(recorder, &recording);
        tacho_recorder_fill(recorder, &recording);
    }
    tacho_status_free(status);
    tacho_recorder_destroy(recorder);
    free(flushes);
}

/* With one network and memory, and on a mesh with banks. */
static tacho_status simulate_all(const tacho_program *program)
{
    static const tacho_sim_limits limits[] = {
        {.ddr_read = {3, 2},
         .ddr_write = {1, 1},
         .noc = {2, 1},
         .link = {1, 3},
         .queue_depths = {[TACHO_ENGINE_DMA_IN] = 2, [TACHO_ENGINE_DMA_OUT] = 1}},
        {.ddr_read = {3, 2},
         .ddr_write = {1, 1},
         .ddr_banks = 3,
         .ddr_page_bytes = 64,
         .noc = {2, 1},
         .noc_width = 2,
         .noc_height = 3},
    };
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && status == TACHO_OK; i++) {
        tacho_simulation simulation;
        status = tacho_simulate(&simulation, program, &limits[i], ACTIVATIONS);
        if (status == TACHO_OK) {
            check(program, &simulation);
            record(program, &simulation);
        }
        tacho_simulation_deinit(&simulation);
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char constants[64] = {0};
    tacho_program program;
    require(tacho_program_init(&program) == TACHO_OK);
    program.constants = tacho_str_make(constants, sizeof(constants));
    tacho_status status = tacho_image_read(tacho_str_make((const char *)data, size), &program);
    if (status == TACHO_OK) {
        status = simulate_all(&program);
    }
    tacho_status_free(status);
    tacho_program_deinit(&program);
    return 0;
}
