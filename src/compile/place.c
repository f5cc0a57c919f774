/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result stays in local memory when there is room for it next to those that are still needed.
 */
#include "compile/place.h"

#include "base/grow.h"
#include "base/index.h"
#include "compile/machine_view.h"

#include <stdlib.h>

/* A stretch that is kept. */
typedef struct kept {
    uint64_t offset, bytes;
    uint32_t tensor;
} kept;

enum { KEPT_MAX = 512 };

typedef struct placer {
    const tacho_fusion *fusion;
    tacho_placement *placement;
    const tacho_placement_options *options;
    uint64_t used_bytes; /* of a core */
    kept *live;          /* by offset */
    size_t live_count;
    bool *is_shared; /* by tensor: returned by the network, or read by another device */
} placer;

tacho_placement_options tacho_placement_usual(const tacho_machine *machine, uint32_t cores,
                                              tacho_dtype dtype)
{
    const tacho_memory *memory = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    uint64_t bytes = memory != NULL ? (uint64_t)tacho_quantity_whole(&memory->size_bytes) : 0;
    uint64_t working = bytes / 2;
    if (tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        uint64_t blocks = (uint64_t)tacho_quantity_whole(&machine->mesh.buffer_bytes);
        working = blocks < bytes ? blocks : working;
    }
    working = tacho_machine_is_gpu(machine) ? bytes : working; /* kernels leave nothing in it */
    return (tacho_placement_options){.local_bytes = bytes - working,
                                     .cores = cores,
                                     .align = 64,
                                     .machine = machine,
                                     .dtype = dtype};
}

/* Bytes of a tensor in each core; a tensor of unknown size does not fit anywhere. */
static uint64_t share_of(const placer *self, uint32_t tensor)
{
    const tacho_tensor *of = &self->fusion->graph->tensors[tensor];
    const tacho_placement_options *options = self->options;
    tacho_dtype dtype = tacho_machine_view_kept(options->machine, of->dtype, options->dtype);
    uint64_t cores = options->cores > 0 ? options->cores : 1;
    uint64_t align = options->align > 0 ? options->align : 1;
    uint64_t bytes = 0;
    bool is_known =
        tacho_shape_elements(of->shape, &bytes) && tacho_dtype_bytes(dtype, bytes, &bytes) &&
        !__builtin_mul_overflow(bytes, options->factor > 0 ? options->factor : 1, &bytes) &&
        bytes < UINT64_MAX - cores * align;
    bytes = bytes / cores + (bytes % cores != 0);
    if (is_known && options->shares != NULL) {
        bytes = options->shares[tensor];
        is_known = bytes > 0 && bytes < UINT64_MAX - align;
    }
    return is_known ? (bytes + align - 1) / align * align : UINT64_MAX;
}

static void note_use(placer *self, uint32_t tensor, uint32_t op)
{
    tacho_placement *placement = self->placement;
    const uint32_t *device_of = self->options->device_of;
    placement->last_op[tensor] = op;
    if (device_of != NULL && device_of[placement->first_op[tensor]] != device_of[op]) {
        self->is_shared[tensor] = true;
    }
}

static void find_uses(placer *self)
{
    const tacho_fusion *fusion = self->fusion;
    const tacho_graph *graph = fusion->graph;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->output_count; j++) {
            uint32_t tensor = fusion->tensors[op->first_output + j];
            self->placement->first_op[tensor] = i;
            note_use(self, tensor, i);
        }
        for (uint32_t j = 0; j < op->input_count; j++) {
            note_use(self, fusion->tensors[op->first_input + j], i);
        }
    }
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].is_output) {
            self->is_shared[fusion->alias[i]] = true;
        }
    }
}

static void place_tensor(placer *self, uint32_t tensor)
{
    tacho_placement *placement = self->placement;
    uint64_t bytes = share_of(self, tensor);
    uint64_t offset = 0;
    size_t at = 0;
    while (at < self->live_count && self->live[at].offset - offset < bytes) {
        offset = self->live[at].offset + self->live[at].bytes;
        at++;
    }
    if (self->is_shared[tensor] || bytes == 0 || bytes > self->options->local_bytes ||
        offset > self->options->local_bytes - bytes || self->live_count == KEPT_MAX) {
        return;
    }
    memmove(&self->live[at + 1], &self->live[at], (self->live_count - at) * sizeof(kept));
    self->live[at] = (kept){offset, bytes, tensor};
    self->live_count++;
    placement->places[tensor] = TACHO_PLACE_LOCAL;
    placement->offsets[tensor] = offset;
    placement->shares[tensor] = bytes;
    self->used_bytes += bytes;
    uint64_t all = self->used_bytes * (self->options->cores > 0 ? self->options->cores : 1);
    placement->local_peak_bytes =
        all > placement->local_peak_bytes ? all : placement->local_peak_bytes;
}

static void give_back(placer *self, uint32_t op)
{
    size_t left = 0;
    for (size_t i = 0; i < self->live_count; i++) {
        if (self->placement->last_op[self->live[i].tensor] > op) {
            self->live[left++] = self->live[i];
        } else {
            self->used_bytes -= self->live[i].bytes;
        }
    }
    self->live_count = left;
}

static void place(placer *self)
{
    const tacho_fusion *fusion = self->fusion;
    find_uses(self);
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->output_count; j++) {
            place_tensor(self, fusion->tensors[op->first_output + j]);
        }
        const kept *highest = self->live_count > 0 ? &self->live[self->live_count - 1] : NULL;
        self->placement->free_from[i] = highest != NULL ? highest->offset + highest->bytes : 0;
        give_back(self, i);
    }
}

tacho_status tacho_placement_init(tacho_placement *placement, const tacho_fusion *fusion,
                                  const tacho_placement_options *options)
{
    size_t count = fusion->graph->tensor_count + 1;
    *placement = (tacho_placement){
        .places = calloc(count, sizeof(*placement->places)),
        .offsets = calloc(count, sizeof(uint64_t)),
        .shares = calloc(count, sizeof(uint64_t)),
        .first_op = calloc(count, sizeof(uint32_t)),
        .last_op = calloc(count, sizeof(uint32_t)),
        .free_from = tacho_items_alloc(fusion->op_count, sizeof(uint64_t)),
    };
    placer self = {
        .fusion = fusion,
        .placement = placement,
        .options = options,
        .live = calloc(KEPT_MAX, sizeof(kept)),
        .is_shared = calloc(count, sizeof(bool)),
    };
    bool has_memory = placement->places != NULL && placement->offsets != NULL &&
                      placement->shares != NULL && placement->first_op != NULL &&
                      placement->last_op != NULL && placement->free_from != NULL &&
                      self.live != NULL && self.is_shared != NULL;
    if (has_memory) {
        place(&self);
    }
    free(self.live);
    free(self.is_shared);
    return has_memory ? TACHO_OK : tacho_no_memory();
}

void tacho_placement_deinit(tacho_placement *placement)
{
    free(placement->places);
    free(placement->offsets);
    free(placement->shares);
    free(placement->first_op);
    free(placement->last_op);
    free(placement->free_from);
}
