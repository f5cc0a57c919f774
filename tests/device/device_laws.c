/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of the simulated device, on compiled programs: device_laws PROGRAM...
 *
 * Without limits the simulation is the program's own timeline, job by job. With them no job is
 * faster than alone or starts before what it needs, no engine does two jobs at a time, what is
 * shared is not used beyond its rate, and what an op takes longer than estimated is the sum of its
 * stalls, room that the estimate had left aside. The same again gives the same bytes; records add
 * up: a thread's life is waiting, working and the barriers after it, and DDR's bytes are those of
 * the transfers.
 *
 * Prints a line for each program; exit code 1 and the law when one is broken.
 */
#include "base/index.h"
#include "device/clock.h"
#include "device/device.h"
#include "device/program_machine.h"
#include "device/sim/simulate.h"
#include "program/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int broken;
static const char *path;

static void hold(bool is_true, const char *law, size_t place, int64_t found, int64_t bound)
{
    if (!is_true && broken++ < 20) {
        printf("%s: %s: at %zu, %" PRId64 " against %" PRId64 "\n", path, law, place, found, bound);
    }
}

static void must(tacho_status status)
{
    if (status != TACHO_OK) {
        printf("%s: %s\n", path, tacho_status_message(status));
        tacho_status_free(status);
        exit(1);
    }
}

/* ---- simulations --------------------------------------------------------------------------- */

static void check_unlimited(const tacho_program *program)
{
    tacho_simulation simulation;
    tacho_sim_limits none = {.noc = {0, 1}};
    must(tacho_simulate(&simulation, program, &none, 1));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        hold(simulation.starts[i] == job->start, "unlimited: start", i, simulation.starts[i],
             job->start);
        hold(simulation.ends[i] == job->end, "unlimited: end", i, simulation.ends[i], job->end);
    }
    hold(simulation.cycles == program->facts.total_cycles, "unlimited: cycles", 0,
         simulation.cycles, program->facts.total_cycles);
    for (size_t i = 0; i < program->op_count; i++) {
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            hold(simulation.ops[i].stalls[j] == 0, "unlimited: no stalls", i,
                 simulation.ops[i].stalls[j], 0);
        }
    }
    tacho_simulation_deinit(&simulation);
}

static void check_jobs(const tacho_program *program, const tacho_simulation *simulation,
                       size_t first)
{
    int64_t *engine_free = calloc(program->engine_count + 1, sizeof(*engine_free));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        int64_t start = simulation->starts[first + i];
        int64_t end = simulation->ends[first + i];
        hold(end - start >= job->cycles, "no job is faster than alone", i, end - start,
             job->cycles);
        hold(start >= engine_free[job->engine], "one job at a time", i, start,
             engine_free[job->engine]);
        engine_free[job->engine] = end;
        for (uint32_t j = 0; j < job->need_count; j++) {
            const tacho_need *need = &program->needs[job->first_need + j];
            int64_t ready = simulation->ends[first + need->job] + need->lag;
            hold(start >= ready, "needs come first", i, start, ready);
        }
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += simulation->stalls[first + i][j];
            hold((j == TACHO_STALL_SLACK) == (simulation->stalls[first + i][j] < 0) ||
                     simulation->stalls[first + i][j] == 0,
                 "slack alone is negative", i, simulation->stalls[first + i][j], (int64_t)j);
        }
        hold(sum == start - job->start, "stalls of a start", i, sum, start - job->start);
    }
    free(engine_free);
}

static void check_ops(const tacho_program *program, const tacho_simulation *simulation,
                      size_t first)
{
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_sim_op *op = &simulation->ops[first + i];
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += op->stalls[j];
            bool is_slack = j == TACHO_STALL_SLACK;
            hold(is_slack ? op->stalls[j] <= 0 : op->stalls[j] >= 0, "signs of stalls", i,
                 op->stalls[j], (int64_t)j);
        }
        int64_t more = op->end - op->start - program->ops[i].cycles;
        hold(sum == more, "stalls of an op", i, sum, more);
    }
}

/* Over the whole inference DDR has moved no more than it can. */
static void check_ddr(const tacho_program *program, const tacho_simulation *simulation,
                      const tacho_sim_limits *limits)
{
    double least = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        tacho_ratio rate = job->kind == TACHO_JOB_LOAD ? limits->ddr_read : limits->ddr_write;
        if ((job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE) && rate.num > 0) {
            double alone = (double)job->bytes * (double)rate.den / (double)rate.num;
            least += alone < (double)job->cycles ? alone : (double)job->cycles;
        }
    }
    least = least * simulation->activations / program->facts.device_count;
    hold((double)simulation->cycles >= least * 0.9999 - 2, "DDR is not faster than it is", 0,
         simulation->cycles, (int64_t)least);
}

static int64_t check_limited(const tacho_program *program, const tacho_machine *machine,
                             uint32_t activations, uint32_t depth, double *out_seconds)
{
    tacho_simulation simulation;
    tacho_sim_limits limits;
    must(tacho_sim_limits_init(&limits, machine));
    if (depth > 0) {
        for (size_t i = TACHO_ENGINE_DMA_IN; i <= TACHO_ENGINE_DMA_LOCAL; i++) {
            limits.queue_depths[i] = depth;
        }
    }
    int64_t began = tacho_now_ns();
    must(tacho_simulate(&simulation, program, &limits, activations));
    *out_seconds = (double)(tacho_now_ns() - began) / 1e9;
    for (size_t i = 0; i < activations; i++) {
        check_jobs(program, &simulation, i * program->job_count);
        check_ops(program, &simulation, i * program->op_count);
    }
    check_ddr(program, &simulation, &limits);
    hold(simulation.cycles >= program->facts.total_cycles, "limits make nothing faster", 0,
         simulation.cycles, program->facts.total_cycles);
    int64_t cycles = simulation.cycles;
    tacho_simulation_deinit(&simulation);
    return cycles;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        path = argv[i];
        tacho_program program;
        tacho_machine *machine;
        tacho_arena arena;
        tacho_arena_init(&arena);
        must(tacho_program_read(path, &program));
        must(tacho_program_machine(&program, &arena, &machine));
        check_unlimited(&program);
        double seconds;
        int64_t cycles = check_limited(&program, machine, 1, 0, &seconds);
        uint32_t activations = tacho_machine_cores(machine) / program.facts.core_count;
        double ignored;
        activations = activations < 4 ? activations : 4;
        int64_t many = check_limited(&program, machine, activations, 0, &ignored);
        int64_t queued = check_limited(&program, machine, 1, 1, &ignored);
        hold(many >= cycles, "more activations are not faster", activations, many, cycles);
        printf("%s: %zu jobs, %" PRId64 " cycles, %.4f of the estimate, %.4f with %u activations, "
               "%.4f with queues of 1, %.4f s, %.3g cycles/s\n",
               path, program.job_count, cycles, (double)cycles / (double)program.facts.total_cycles,
               (double)many / (double)program.facts.total_cycles, activations,
               (double)queued / (double)program.facts.total_cycles, seconds,
               (double)cycles / seconds);
        tacho_program_deinit(&program);
        tacho_arena_deinit(&arena);
    }
    return broken > 0 ? 1 : 0;
}
