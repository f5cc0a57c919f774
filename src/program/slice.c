/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices of a program, by the devices of its jobs.
 */
#include "program/slice.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/index.h"
#include "program/stats_layout.h"

void tacho_slice_name(tacho_str network, uint32_t device, uint32_t device_count,
                      char out_name[TACHO_SLICE_NAME_MAX])
{
    enum { NETWORK_MAX = 400 };
    int len = (int)(network.len < NETWORK_MAX ? network.len : NETWORK_MAX);
    if (device_count > 1) {
        snprintf(out_name, TACHO_SLICE_NAME_MAX, "%.*s_slice%02u", len, network.data,
                 (unsigned)device);
    } else {
        snprintf(out_name, TACHO_SLICE_NAME_MAX, "%.*s", len, network.data);
    }
}

uint32_t tacho_slice_count(const tacho_program *program)
{
    return program->facts.device_count > 1 ? program->facts.device_count : 1;
}

typedef struct slicer {
    const tacho_program *program;
    tacho_slice *slices;
    uint32_t *op_device; /* by op; TACHO_NONE: it has no jobs */
    uint32_t *maker;     /* by tensor: the device of the op that makes it last, or TACHO_NONE */
    uint32_t *input_of;  /* by tensor: its place among the inputs, or TACHO_NONE */
    bool *is_read;       /* by input */
} slicer;

static void follow_jobs(slicer *self)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        uint32_t device = program->engines[job->engine].device;
        tacho_slice *slice = &self->slices[device];
        slice->start =
            slice->job_count == 0 || job->start < slice->start ? job->start : slice->start;
        slice->end = job->end > slice->end ? job->end : slice->end;
        slice->job_count++;
        slice->link_bytes += job->kind == TACHO_JOB_P2P ? job->bytes : 0;
        if (job->op != TACHO_NONE && self->op_device[job->op] == TACHO_NONE) {
            self->op_device[job->op] = device;
            slice->op_count++;
        }
    }
}

static tacho_status add_input(slicer *self, uint32_t device, uint32_t input)
{
    tacho_slice *slice = &self->slices[device];
    self->is_read[input] = true;
    TACHO_TRY(tacho_grow(&slice->inputs, &slice->input_capacity, slice->input_count + 1));
    slice->inputs[slice->input_count++] = input;
    return TACHO_OK;
}

static tacho_status follow_step(slicer *self, const tacho_step *step)
{
    const uint32_t *links = self->program->links + step->first_link;
    uint32_t device = step->op != TACHO_NONE ? self->op_device[step->op] : TACHO_NONE;
    if (device == TACHO_NONE) {
        return TACHO_OK;
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        if (links[i] != TACHO_NONE && self->input_of[links[i]] != TACHO_NONE) {
            TACHO_TRY(add_input(self, device, self->input_of[links[i]]));
        }
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        uint32_t tensor = links[step->input_count + i];
        if (tensor != TACHO_NONE) {
            self->maker[tensor] = device;
        }
    }
    return TACHO_OK;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* In order, each once. */
static void sort_inputs(tacho_slice *slice)
{
    size_t kept = 0;
    if (slice->input_count > 0) {
        qsort(slice->inputs, slice->input_count, sizeof(*slice->inputs), compare_places);
    }
    for (size_t i = 0; i < slice->input_count; i++) {
        if (kept == 0 || slice->inputs[kept - 1] != slice->inputs[i]) {
            slice->inputs[kept++] = slice->inputs[i];
        }
    }
    slice->input_count = kept;
}

static tacho_status share_tensors(slicer *self)
{
    const tacho_program *program = self->program;
    for (uint32_t i = 0; i < program->input_count; i++) {
        self->input_of[program->inputs[i]] = i;
    }
    for (size_t i = 0; i < program->step_count; i++) {
        TACHO_TRY(follow_step(self, &program->steps[i]));
    }
    for (uint32_t i = 0; i < program->input_count; i++) {
        if (!self->is_read[i]) {
            TACHO_TRY(add_input(self, 0, i));
        }
    }
    for (uint32_t i = 0; i < tacho_slice_count(program); i++) {
        sort_inputs(&self->slices[i]);
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        uint32_t device = self->maker[program->outputs[i]];
        tacho_slice *slice = &self->slices[device != TACHO_NONE ? device : 0];
        TACHO_TRY(tacho_grow(&slice->outputs, &slice->output_capacity, slice->output_count + 1));
        slice->outputs[slice->output_count++] = i;
    }
    return TACHO_OK;
}

/* The size of records in a program is that of all devices together. */
static tacho_status share_stats(slicer *self)
{
    const tacho_program_facts *facts = &self->program->facts;
    if (facts->device_count <= 1 || facts->stats.buffer_bytes == 0) {
        self->slices[0].stats_bytes = facts->stats.buffer_bytes;
        return TACHO_OK;
    }
    tacho_stats_layout layout;
    uint64_t *bytes = calloc(facts->device_count, sizeof(*bytes));
    tacho_status status = tacho_stats_layout_init(&layout, self->program);
    if (status == TACHO_OK && bytes == NULL) {
        status = tacho_no_memory();
    }
    if (status == TACHO_OK) {
        tacho_stats_layout_device_bytes(&layout, bytes);
    }
    for (uint32_t i = 0; status == TACHO_OK && i < facts->device_count; i++) {
        self->slices[i].stats_bytes = bytes[i];
    }
    tacho_stats_layout_deinit(&layout);
    free(bytes);
    return status;
}

static tacho_status fill(slicer *self)
{
    const tacho_program *program = self->program;
    uint32_t count = tacho_slice_count(program);
    for (uint32_t i = 0; i < count; i++) {
        self->slices[i].device = i;
        tacho_slice_name(tacho_strings_get(&program->strings, program->facts.name), i, count,
                         self->slices[i].name);
    }
    memset(self->op_device, 0xff, (program->op_count + 1) * sizeof(*self->op_device));
    memset(self->maker, 0xff, (program->tensor_count + 1) * sizeof(*self->maker));
    memset(self->input_of, 0xff, (program->tensor_count + 1) * sizeof(*self->input_of));
    follow_jobs(self);
    TACHO_TRY(share_tensors(self));
    return share_stats(self);
}

tacho_status tacho_slices_create(const tacho_program *program, tacho_slice **out_slices)
{
    slicer self = {
        .program = program,
        .slices = calloc(tacho_slice_count(program), sizeof(tacho_slice)),
        .op_device = malloc((program->op_count + 1) * sizeof(uint32_t)),
        .maker = malloc((program->tensor_count + 1) * sizeof(uint32_t)),
        .input_of = malloc((program->tensor_count + 1) * sizeof(uint32_t)),
        .is_read = tacho_items_alloc(program->input_count, sizeof(bool)),
    };
    bool has_memory = self.slices != NULL && self.op_device != NULL && self.maker != NULL &&
                      self.input_of != NULL && self.is_read != NULL;
    tacho_status status = has_memory ? fill(&self) : tacho_no_memory();
    free(self.op_device);
    free(self.maker);
    free(self.input_of);
    free(self.is_read);
    *out_slices = self.slices;
    return status;
}

void tacho_slices_free(const tacho_program *program, tacho_slice *slices)
{
    for (size_t i = 0; slices != NULL && i < tacho_slice_count(program); i++) {
        free(slices[i].inputs);
        free(slices[i].outputs);
    }
    free(slices);
}
