/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result is live from the operator that makes it to the last that reads it.
 */
#include "compile/live_bytes.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"

#include <stdlib.h>

typedef struct liveness {
    const tacho_fusion *fusion;
    const tacho_machine *machine;
    tacho_dtype compute;
    uint64_t factor;
    bool *is_counted; /* by tensor: a constant, or of the network's interface */
    uint32_t *last;   /* by tensor: the last operator that reads it */
    uint64_t *ends;   /* by operator: bytes that are not needed after it */
} liveness;

static uint64_t bytes_of(const liveness *self, uint32_t tensor)
{
    uint64_t bytes = tacho_machine_view_bytes(self->machine, &self->fusion->graph->tensors[tensor],
                                              self->compute);
    uint64_t all;
    return __builtin_mul_overflow(bytes, self->factor, &all) ? UINT64_MAX : all;
}

static void count_interface(liveness *self, tacho_live_bytes *out)
{
    const tacho_graph *graph = self->fusion->graph;
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        uint32_t stored = self->fusion->alias[i];
        bool is_data = (tensor->is_input || tensor->is_output) && !tensor->is_constant;
        if (is_data && !self->is_counted[stored]) {
            self->is_counted[stored] = true;
            out->interface = tacho_size_add(out->interface, bytes_of(self, stored));
        }
    }
}

static void count_constants(liveness *self, const tacho_fused_op *op, tacho_live_bytes *out)
{
    const tacho_fusion *fusion = self->fusion;
    for (uint32_t i = 0; i < op->weight_count; i++) {
        uint32_t tensor = tacho_fusion_stored(fusion->graph, fusion->tensors[op->first_weight + i]);
        if (!self->is_counted[tensor]) {
            self->is_counted[tensor] = true;
            uint64_t bytes = tacho_machine_view_bytes(
                self->machine, &fusion->graph->tensors[tensor], self->compute);
            out->constants = tacho_size_add(out->constants, bytes);
        }
    }
}

static void find_last(liveness *self)
{
    const tacho_fusion *fusion = self->fusion;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->output_count; j++) {
            self->last[fusion->tensors[op->first_output + j]] = i;
        }
        for (uint32_t j = 0; j < op->input_count; j++) {
            self->last[fusion->tensors[op->first_input + j]] = i;
        }
    }
}

static void find_peak(liveness *self, tacho_live_bytes *out)
{
    const tacho_fusion *fusion = self->fusion;
    uint64_t now = 0;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->output_count; j++) {
            uint32_t tensor = fusion->tensors[op->first_output + j];
            if (!self->is_counted[tensor]) {
                self->is_counted[tensor] = true;
                uint64_t bytes = bytes_of(self, tensor), *ends = &self->ends[self->last[tensor]];
                now = tacho_size_add(now, bytes);
                *ends = tacho_size_add(*ends, bytes);
            }
        }
        out->peak = now > out->peak ? now : out->peak;
        now -= self->ends[i] < now ? self->ends[i] : now;
    }
}

tacho_status tacho_live_bytes_find(const tacho_fusion *fusion, const tacho_machine *machine,
                                   tacho_dtype compute, uint64_t factor, tacho_live_bytes *out)
{
    size_t count = fusion->graph->tensor_count + 1;
    liveness self = {
        .fusion = fusion,
        .machine = machine,
        .compute = compute,
        .factor = factor > 0 ? factor : 1,
        .is_counted = calloc(count, sizeof(bool)),
        .last = calloc(count, sizeof(uint32_t)),
        .ends = tacho_items_alloc(fusion->op_count, sizeof(uint64_t)),
    };
    *out = (tacho_live_bytes){0};
    bool has_memory = self.is_counted != NULL && self.last != NULL && self.ends != NULL;
    if (has_memory) {
        count_interface(&self, out);
        for (size_t i = 0; i < fusion->op_count; i++) {
            count_constants(&self, &fusion->ops[i], out);
        }
        find_last(&self);
        find_peak(&self, out);
    }
    free(self.is_counted);
    free(self.last);
    free(self.ends);
    return has_memory ? TACHO_OK : tacho_no_memory();
}

uint64_t tacho_live_bytes_sum(const tacho_live_bytes *bytes)
{
    return tacho_size_add(tacho_size_add(bytes->constants, bytes->interface), bytes->peak);
}
