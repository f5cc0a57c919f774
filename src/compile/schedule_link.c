/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors that an operator reads from another device cross the link between them first, from one
 * shared memory to the other: once for each device, however many operators there read it. The rest
 * of the operator waits for it. On machines whose link has no rate of its own nothing is moved:
 * loads reach the other device's memory as they reach their own.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/schedule.h"
#include "machine/cost.h"

#include <inttypes.h>

/* Bytes of a tensor as stored in shared memory, of all inferences that run as one. */
static tacho_status tensor_bytes(const tacho_schedule *self, uint32_t tensor, uint64_t *out_bytes)
{
    const tacho_graph *graph = self->estimate->fusion->graph;
    const tacho_tensor *of = &graph->tensors[tensor];
    tacho_dtype dtype = tacho_machine_view_kept(self->estimate->machine, of->dtype, self->compute);
    if (!tacho_shape_elements(of->shape, out_bytes) ||
        !tacho_dtype_bytes(dtype, *out_bytes, out_bytes) ||
        __builtin_mul_overflow(*out_bytes, self->estimate->inferences, out_bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "tensor '%s' between two devices is too large",
                          tacho_graph_string(graph, of->name).data);
    }
    return TACHO_OK;
}

/* No faster than the link, nor than the memories at its ends. */
static tacho_status link_cycles(const tacho_schedule *self, uint64_t bytes, int64_t *out_cycles)
{
    const tacho_machine *machine = self->estimate->machine;
    tacho_ratio rate = machine->device_link_bytes_per_cycle.value;
    tacho_ratio memory;
    int64_t slowest = 0;
    TACHO_TRY(tacho_cost_memory_rate(tacho_machine_memory(machine, TACHO_MEMORY_DDR), &memory));
    if (!tacho_ratio_ceil_divide(bytes, rate, out_cycles) ||
        (memory.num > 0 && !tacho_ratio_ceil_divide(bytes, memory, &slowest))) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a transfer of %" PRIu64 " bytes is too large",
                          bytes);
    }
    *out_cycles = tacho_most(*out_cycles, slowest);
    return TACHO_OK;
}

static tacho_status add_copy(tacho_schedule *self, uint32_t tensor, uint32_t from)
{
    tacho_op_timing *timing = &self->timings[self->op];
    tacho_job job = {
        .engine = tacho_schedule_queue(self, 0, self->engines.dma_in),
        .kind = TACHO_JOB_P2P,
        .buffer = TACHO_NONE,
        .partner = from,
    };
    TACHO_TRY(tensor_bytes(self, tensor, &job.bytes));
    if (job.bytes == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(link_cycles(self, job.bytes, &job.cycles));
    timing->link_bytes += job.bytes;
    timing->link_cycles = tacho_cycles_add(timing->link_cycles, job.cycles);
    uint32_t id;
    TACHO_TRY(tacho_schedule_add(self, job, &id));
    self->finals[0] = id; /* the rest waits for this: the queue has done those before, too */
    self->final_count = 1;
    self->reads_previous = true;
    return TACHO_OK;
}

tacho_status tacho_schedule_link(tacho_schedule *schedule)
{
    const tacho_fusion *fusion = schedule->estimate->fusion;
    const tacho_fused_op *op = &fusion->ops[schedule->op];
    uint32_t device = schedule->device_of[schedule->op];
    bool has_link =
        tacho_quantity_is_set(&schedule->estimate->machine->device_link_bytes_per_cycle);
    for (uint32_t i = 0; has_link && i < op->input_count; i++) {
        uint32_t tensor = fusion->tensors[op->first_input + i];
        uint32_t *where = &schedule->tensor_device[tensor];
        if (*where != TACHO_NONE && *where != device) {
            TACHO_TRY(add_copy(schedule, tensor, *where));
            *where = device; /* and those after it: devices follow one another */
        }
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        schedule->tensor_device[fusion->tensors[op->first_output + i]] = device;
    }
    return TACHO_OK;
}
