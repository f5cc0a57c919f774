/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of inputs and outputs by device, and one inference after the other.
 */
#include "device/sim/host.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"

#include <stdlib.h>

static const int64_t TIME_MAX = (int64_t)1 << 62;
static const int64_t TRANSFER_MAX = (int64_t)1 << 60; /* times and transfers can be added */

/* ---- bytes --------------------------------------------------------------------------------- */

/* The device of an op; TACHO_NONE: it has no jobs. */
static uint32_t device_of(const tacho_program *program, uint32_t op)
{
    if (op >= program->op_count || program->ops[op].job_count == 0) {
        return TACHO_NONE;
    }
    return program->engines[program->jobs[program->ops[op].first_job].engine].device;
}

/* Adds inputs that steps of |device| read, each once. */
static uint64_t input_bytes(const tacho_program *program, uint32_t device, bool *is_counted)
{
    uint64_t bytes = 0;
    memset(is_counted, 0, program->tensor_count * sizeof(*is_counted));
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        for (uint32_t j = 0; device_of(program, step->op) == device && j < step->input_count; j++) {
            uint32_t tensor = program->links[step->first_link + j];
            if (tensor != TACHO_NONE && !is_counted[tensor] &&
                program->tensors[tensor].storage == TACHO_STORAGE_INPUT) {
                is_counted[tensor] = true;
                bytes = tacho_size_add(bytes, program->tensors[tensor].bytes);
            }
        }
    }
    return bytes;
}

/* Adds outputs of the network that steps of |device| make. */
static uint64_t output_bytes(const tacho_program *program, uint32_t device, bool *is_made)
{
    uint64_t bytes = 0;
    memset(is_made, 0, program->tensor_count * sizeof(*is_made));
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        const uint32_t *links = program->links + step->first_link + step->input_count;
        for (uint32_t j = 0; device_of(program, step->op) == device && j < step->output_count;
             j++) {
            if (links[j] != TACHO_NONE) {
                is_made[links[j]] = true;
            }
        }
    }
    for (size_t i = 0; i < program->output_count; i++) {
        if (is_made[program->outputs[i]]) {
            bytes = tacho_size_add(bytes, program->tensors[program->outputs[i]].bytes);
        }
    }
    return bytes;
}

static tacho_status link_cycles(uint64_t bytes, uint32_t activations, tacho_ratio rate,
                                int64_t *longest)
{
    uint64_t all;
    int64_t cycles;
    if (__builtin_mul_overflow(bytes, (uint64_t)activations, &all) ||
        !tacho_ratio_ceil_divide(all, rate, &cycles) || cycles > TRANSFER_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "inputs or outputs of %llu bytes are too large",
                          (unsigned long long)bytes);
    }
    *longest = tacho_most(*longest, cycles);
    return TACHO_OK;
}

/* From the start of the program until the semaphore for more inputs is raised. */
static int64_t find_signal(const tacho_program *program)
{
    for (size_t i = 0; i < program->job_count; i++) {
        if (program->jobs[i].kind == TACHO_JOB_SIGNAL && program->jobs[i].need_count == 0) {
            return program->jobs[i].end;
        }
    }
    return 0;
}

tacho_status tacho_sim_host_init(tacho_sim_host *host, const tacho_program *program,
                                 const tacho_machine *machine, uint32_t activations)
{
    tacho_ratio rate = tacho_quantity_or(&machine->device_link_bytes_per_cycle, 0);
    *host = (tacho_sim_host){.has_link = rate.num > 0,
                             .doorbell_cycles = tacho_quantity_whole(&machine->doorbell_cycles),
                             .signal_end = find_signal(program)};
    bool *marks = NULL;
    TACHO_TRY(tacho_items_make(&marks, program->tensor_count));
    tacho_status status = TACHO_OK;
    for (uint32_t i = 0; host->has_link && i < program->facts.device_count; i++) {
        if (status == TACHO_OK) {
            status =
                link_cycles(input_bytes(program, i, marks), activations, rate, &host->input_cycles);
        }
        if (status == TACHO_OK) {
            status = link_cycles(output_bytes(program, i, marks), activations, rate,
                                 &host->output_cycles);
        }
    }
    free(marks);
    return status;
}

/* ---- inferences ---------------------------------------------------------------------------- */

static void begin_turn(const tacho_sim_host *self, tacho_sim_turn *turn)
{
    int64_t is_free = self->is_free;
    if (!self->has_link) {
        *turn = (tacho_sim_turn){.sent = is_free, .rung = is_free, .start = is_free};
        return;
    }
    turn->sent = self->turn_count > 0 ? self->has_room : is_free;
    turn->rung = turn->sent + self->input_cycles;
    int64_t seen = turn->rung + self->doorbell_cycles;
    int64_t ready = tacho_most(is_free, seen);
    int64_t fetched = self->fetched[self->turn_count % TACHO_SIM_OUTPUTS];
    turn->start = tacho_most(ready, fetched);
    turn->input_wait = ready - is_free;
    turn->output_wait = turn->start - ready;
}

tacho_status tacho_sim_host_turn(tacho_sim_host *host, tacho_sim_turn *out_turn)
{
    *out_turn = (tacho_sim_turn){0};
    begin_turn(host, out_turn);
    int64_t start = out_turn->start;
    int64_t limit =
        TIME_MAX - host->span - host->input_cycles - host->output_cycles - host->doorbell_cycles;
    if (start >= limit || host->last_fetched >= limit) {
        return tacho_fail(TACHO_CODE_LIMIT, "the simulated cycles do not fit 62 bits");
    }
    out_turn->fetched = tacho_most(start + host->cycles, host->last_fetched) + host->output_cycles;
    host->fetched[host->turn_count % TACHO_SIM_OUTPUTS] = out_turn->fetched;
    host->last_fetched = out_turn->fetched;
    host->has_room = tacho_most(start + host->signal_end, out_turn->rung);
    host->is_free = start + host->span;
    host->turn_count++;
    return TACHO_OK;
}
