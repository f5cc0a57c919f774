/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result stays in local memory when there is room for it beside those that are still needed.
 */
#include "compile/place.h"

#include "base/index.h"
#include "compile/machine_view.h"

#include <stdlib.h>

typedef struct placer {
    const tacho_fusion *fusion;
    tacho_placement *placement;
    const tacho_placement_options *options;
    uint64_t used_bytes;
    uint32_t *last_use; /* by tensor: the operator after which it is not needed; views seen through
                           by the fusion's lists */
    bool *is_output;
} placer;

/* Bytes of a tensor; what is not known does not fit anywhere. */
static uint64_t bytes_of(const placer *self, uint32_t tensor)
{
    const tacho_tensor *of = &self->fusion->graph->tensors[tensor];
    tacho_dtype dtype =
        tacho_machine_view_kept(self->options->machine, of->dtype, self->options->dtype);
    uint64_t elements = 0;
    uint64_t bytes = 0;
    bool is_known =
        tacho_shape_elements(&of->shape, &elements) && tacho_dtype_bytes(dtype, elements, &bytes);
    return is_known ? bytes : UINT64_MAX;
}

static void find_last_uses(placer *self)
{
    const tacho_fusion *fusion = self->fusion;
    const tacho_graph *graph = fusion->graph;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->input_count; j++) {
            self->last_use[fusion->tensors[op->first_input + j]] = i;
        }
        for (uint32_t j = 0; j < op->output_count; j++) {
            self->last_use[fusion->tensors[op->first_output + j]] = i;
        }
    }
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].is_output) {
            self->is_output[fusion->alias[i]] = true;
        }
    }
}

static void take(placer *self, uint32_t tensor)
{
    uint64_t bytes = bytes_of(self, tensor);
    if (self->is_output[tensor] || bytes > self->options->local_bytes - self->used_bytes) {
        return;
    }
    self->placement->places[tensor] = TACHO_PLACE_LOCAL;
    self->used_bytes += bytes;
    if (self->used_bytes > self->placement->local_peak_bytes) {
        self->placement->local_peak_bytes = self->used_bytes;
    }
}

static void give_back(placer *self, uint32_t tensor, uint32_t op)
{
    if (self->placement->places[tensor] == TACHO_PLACE_LOCAL && self->last_use[tensor] == op) {
        self->used_bytes -= bytes_of(self, tensor);
    }
}

static void place(placer *self)
{
    const tacho_fusion *fusion = self->fusion;
    find_last_uses(self);
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->output_count; j++) {
            take(self, fusion->tensors[op->first_output + j]);
        }
        for (uint32_t j = 0; j < op->input_count; j++) {
            give_back(self, fusion->tensors[op->first_input + j], i);
        }
        for (uint32_t j = 0; j < op->output_count; j++) { /* one that nobody reads */
            give_back(self, fusion->tensors[op->first_output + j], i);
        }
    }
}

tacho_status tacho_placement_init(tacho_placement *placement, const tacho_fusion *fusion,
                                  const tacho_placement_options *options)
{
    size_t count = fusion->graph->tensor_count + 1;
    *placement = (tacho_placement){.places = calloc(count, sizeof(*placement->places))};
    placer self = {
        .fusion = fusion,
        .placement = placement,
        .options = options,
        .last_use = calloc(count, sizeof(uint32_t)),
        .is_output = calloc(count, sizeof(bool)),
    };
    bool has_memory = placement->places != NULL && self.last_use != NULL && self.is_output != NULL;
    if (has_memory) {
        place(&self);
    }
    free(self.last_use);
    free(self.is_output);
    return has_memory ? TACHO_OK : tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
}

void tacho_placement_deinit(tacho_placement *placement)
{
    free(placement->places);
}
