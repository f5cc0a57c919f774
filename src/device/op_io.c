/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tensors come from and go to, by the steps of ops.
 */
#include "device/op_io.h"

#include <stdlib.h>

#include "base/index.h"

static void find_devices(const tacho_program *program, tacho_op_io *ios)
{
    for (size_t i = 0; i <= program->op_count; i++) {
        ios[i] = (tacho_op_io){TACHO_NONE, TACHO_NONE, TACHO_NONE, TACHO_NONE, false, false};
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->op != TACHO_NONE && ios[job->op].device == TACHO_NONE) {
            ios[job->op].device = program->engines[job->engine].device;
        }
    }
}

static void read_tensor(const tacho_program *program, const uint32_t *makers, tacho_op_io *ios,
                        uint32_t op, uint32_t tensor)
{
    if (tensor == TACHO_NONE || op == TACHO_NONE) {
        return;
    }
    ios[op].reads_input |= program->tensors[tensor].storage == TACHO_STORAGE_INPUT;
    uint32_t maker = makers[tensor];
    if (maker == TACHO_NONE || ios[op].device == TACHO_NONE || ios[maker].device == TACHO_NONE ||
        ios[op].device == ios[maker].device) {
        return;
    }
    if (ios[op].from_device == TACHO_NONE) {
        ios[op].from_device = ios[maker].device;
        ios[op].from_op = maker;
    }
    if (ios[maker].to_device == TACHO_NONE) {
        ios[maker].to_device = ios[op].device;
    }
}

/* Outputs are marked by the list of them: one may be an input of the network, too. */
static void follow_steps(const tacho_program *program, uint32_t *makers, tacho_op_io *ios)
{
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        const uint32_t *links = program->links + step->first_link;
        for (uint32_t j = 0; j < step->input_count; j++) {
            read_tensor(program, makers, ios, step->op, links[j]);
        }
        for (uint32_t j = 0; j < step->output_count; j++) {
            uint32_t tensor = links[step->input_count + j];
            if (tensor != TACHO_NONE) {
                makers[tensor] = step->op;
            }
        }
    }
    for (size_t i = 0; i < program->output_count; i++) {
        uint32_t maker = makers[program->outputs[i]];
        if (maker != TACHO_NONE) {
            ios[maker].writes_output = true;
        }
    }
}

tacho_status tacho_op_io_create(const tacho_program *program, tacho_op_io **out_ios)
{
    tacho_op_io *ios = calloc(program->op_count + 1, sizeof(*ios));
    uint32_t *makers = malloc((program->tensor_count + 1) * sizeof(*makers));
    if (ios == NULL || makers == NULL) {
        free(ios);
        free(makers);
        *out_ios = NULL;
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    memset(makers, 0xff, (program->tensor_count + 1) * sizeof(*makers));
    find_devices(program, ios);
    follow_steps(program, makers, ios);
    free(makers);
    *out_ios = ios;
    return TACHO_OK;
}
