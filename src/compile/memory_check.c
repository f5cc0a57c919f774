/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of tensors against the size of shared memory, with the largest named when they are too many.
 */
#include "compile/memory_check.h"

#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"

#include <inttypes.h>

typedef struct largest {
    tacho_str name;
    uint64_t bytes;
} largest;

static void take_larger(largest *self, tacho_str name, uint64_t bytes)
{
    if (bytes > self->bytes) {
        *self = (largest){name, bytes};
    }
}

static void take_tensor(largest *self, const tacho_estimate *estimate, uint32_t id)
{
    const tacho_graph *graph = estimate->fusion->graph;
    const tacho_tensor *tensor = &graph->tensors[id];
    take_larger(self, tacho_graph_string(graph, tensor->name),
                tacho_machine_view_bytes(estimate->machine, tensor, estimate->compute));
}

/* The largest of the results in shared memory, inputs and constants. */
static largest find_largest(const tacho_estimate *estimate)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    largest found = {TACHO_STR(""), 0};
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_operand *output = &estimate->ops[i].work.output;
        const tacho_fused_op *op = &fusion->ops[i];
        if (output->place == TACHO_PLACE_DDR && op->output_count > 0) {
            uint32_t name = graph->tensors[fusion->tensors[op->first_output]].name;
            take_larger(&found, tacho_graph_string(graph, name), output->bytes);
        }
        for (uint32_t k = 0; k < op->weight_count; k++) {
            take_tensor(&found, estimate, fusion->tensors[op->first_weight + k]);
        }
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        take_tensor(&found, estimate, graph->inputs[i]);
    }
    return found;
}

static tacho_status too_large(const tacho_machine *machine, uint64_t needed, uint64_t room,
                              largest most)
{
    return tacho_fail(TACHO_CODE_LIMIT,
                      "its tensors need %" PRIu64 " bytes of %s, and %s has %" PRIu64
                      "; the largest is '%.*s' with %" PRIu64 "; give smaller sizes",
                      needed, tacho_machine_memory(machine, TACHO_MEMORY_DDR)->name.data,
                      machine->name.data, room, TACHO_STR_ARG(most.name), most.bytes);
}

tacho_status tacho_memory_check_operators(const tacho_fusion *fusion, const tacho_machine *machine,
                                          tacho_dtype compute)
{
    const tacho_graph *graph = fusion->graph;
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    uint64_t room = (uint64_t)tacho_quantity_whole(&ddr->size_bytes);
    for (size_t i = 0; i < fusion->op_count && tacho_quantity_is_set(&ddr->size_bytes); i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        const uint32_t firsts[] = {op->first_input, op->first_weight, op->first_output};
        const uint32_t counts[] = {op->input_count, op->weight_count, op->output_count};
        largest most = {TACHO_STR(""), 0};
        uint64_t needed = 0;
        for (size_t k = 0; k < 3; k++) {
            for (uint32_t j = 0; j < counts[k]; j++) {
                uint32_t tensor = fusion->tensors[firsts[k] + j];
                uint64_t bytes =
                    tacho_machine_view_bytes(machine, &graph->tensors[tensor], compute);
                needed = tacho_size_add(needed, bytes);
                take_larger(&most, tacho_graph_string(graph, graph->tensors[tensor].name), bytes);
            }
        }
        if (needed > room) {
            const tacho_node *node = &graph->nodes[op->root];
            return tacho_status_add_note(too_large(machine, needed, room, most),
                                         "node %" PRIu32 " '%s' (%s) alone is that large",
                                         node->index, tacho_graph_string(graph, node->name).data,
                                         tacho_graph_string(graph, node->type).data);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_memory_check(const tacho_estimate *estimate, const tacho_program *program)
{
    const tacho_program_facts *facts = &program->facts;
    const tacho_memory *ddr = tacho_machine_memory(estimate->machine, TACHO_MEMORY_DDR);
    uint64_t needed;
    uint64_t room;
    if (__builtin_add_overflow(facts->ddr_bytes, facts->constant_bytes, &needed)) {
        needed = UINT64_MAX;
    }
    if (__builtin_mul_overflow((uint64_t)tacho_quantity_whole(&ddr->size_bytes),
                               (uint64_t)facts->device_count, &room)) {
        room = UINT64_MAX;
    }
    if (!tacho_quantity_is_set(&ddr->size_bytes) || needed <= room) {
        return TACHO_OK;
    }
    return too_large(estimate->machine, needed, room, find_largest(estimate));
}
