/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources and destinations of tensors, by the steps of ops.
 */
#include "device/op_io.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/index.h"

static void find_devices(tacho_op_ios *self, const tacho_program *program)
{
    for (size_t i = 0; i <= program->op_count; i++) {
        self->items[i] = (tacho_op_io){TACHO_NONE, TACHO_NONE, TACHO_NONE, false, false};
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->op != TACHO_NONE && self->items[job->op].device == TACHO_NONE) {
            self->items[job->op].device = program->engines[job->engine].device;
        }
    }
}

/* |*holder| is the op that made the tensor, or had it brought to its device last. */
static tacho_status read_tensor(tacho_op_ios *self, uint32_t op, uint32_t *holder)
{
    tacho_op_io *io = &self->items[op];
    if (*holder == TACHO_NONE || io->device == TACHO_NONE ||
        self->items[*holder].device == TACHO_NONE || self->items[*holder].device == io->device) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->sources, &self->source_capacity, self->source_count + 1));
    uint32_t id = (uint32_t)self->source_count++;
    self->sources[id] = (tacho_op_source){*holder, TACHO_NONE};
    if (io->first_source == TACHO_NONE) {
        io->first_source = id;
    } else {
        self->sources[io->last_source].next = id;
    }
    io->last_source = id;
    *holder = op;
    return TACHO_OK;
}

static tacho_status follow_step(tacho_op_ios *self, const tacho_program *program,
                                const tacho_step *step, uint32_t *holders)
{
    const uint32_t *links = program->links + step->first_link;
    for (uint32_t i = 0; i < step->input_count; i++) {
        if (links[i] != TACHO_NONE && step->op != TACHO_NONE) {
            self->items[step->op].reads_input |=
                program->tensors[links[i]].storage == TACHO_STORAGE_INPUT;
            TACHO_TRY(read_tensor(self, step->op, &holders[links[i]]));
        }
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        uint32_t tensor = links[step->input_count + i];
        if (tensor != TACHO_NONE) {
            holders[tensor] = step->op;
        }
    }
    return TACHO_OK;
}

static void mark_outputs(tacho_op_ios *self, const tacho_program *program, uint32_t *makers)
{
    memset(makers, 0xff, program->tensor_count * sizeof(*makers));
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        for (uint32_t j = 0; j < step->output_count; j++) {
            uint32_t tensor = program->links[step->first_link + step->input_count + j];
            if (tensor != TACHO_NONE) {
                makers[tensor] = step->op;
            }
        }
    }
    /* By the list of them: one may be an input of the network, too. */
    for (size_t i = 0; i < program->output_count; i++) {
        uint32_t maker = makers[program->outputs[i]];
        if (maker != TACHO_NONE) {
            self->items[maker].writes_output = true;
        }
    }
}

tacho_status tacho_op_ios_init(tacho_op_ios *ios, const tacho_program *program)
{
    *ios = (tacho_op_ios){.items = tacho_items_alloc(program->op_count, sizeof(*ios->items))};
    uint32_t *holders = malloc((program->tensor_count + 1) * sizeof(*holders));
    tacho_status status = TACHO_OK;
    if (ios->items == NULL || holders == NULL) {
        status = tacho_no_memory();
    } else {
        memset(holders, 0xff, (program->tensor_count + 1) * sizeof(*holders));
        find_devices(ios, program);
    }
    for (size_t i = 0; status == TACHO_OK && i < program->step_count; i++) {
        status = follow_step(ios, program, &program->steps[i], holders);
    }
    if (status == TACHO_OK) {
        mark_outputs(ios, program, holders);
    }
    free(holders);
    return status;
}

void tacho_op_ios_deinit(tacho_op_ios *ios)
{
    free(ios->items);
    free(ios->sources);
}

uint32_t tacho_op_ios_source(const tacho_op_ios *ios, uint32_t op, uint32_t device)
{
    uint32_t at = ios->items[op].first_source;
    while (at != TACHO_NONE && ios->items[ios->sources[at].op].device != device) {
        at = ios->sources[at].next;
    }
    return at != TACHO_NONE ? ios->sources[at].op : TACHO_NONE;
}
