/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of matrix products are only their multiplications and additions: steps fused after
 * them run on other engines, or overlap the products.
 */
#include "estimates/roofline/roof_works.h"

#include "base/grow.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "program/traffic.h"

#include <stdlib.h>

void tacho_roof_works_init(tacho_roof_works *works, tacho_str file)
{
    *works = (tacho_roof_works){.file = file};
    tacho_arena_init(&works->arena);
}

void tacho_roof_works_deinit(tacho_roof_works *works)
{
    if (works->has_index) {
        tacho_index_deinit(&works->index);
    }
    tacho_arena_deinit(&works->arena);
    free(works->ops);
    *works = (tacho_roof_works){.file = TACHO_STR("")};
}

static tacho_status add_op(tacho_roof_works *works, const tacho_roof_op *op)
{
    if (!works->has_index) {
        TACHO_TRY(tacho_index_init(&works->index));
        works->has_index = true;
    }
    TACHO_TRY(tacho_grow(&works->ops, &works->op_capacity, works->op_count + 1));
    tacho_roof_op *added = &works->ops[works->op_count];
    *added = *op;
    TACHO_TRY(tacho_arena_copy(&works->arena, op->name, &added->name));
    TACHO_TRY(tacho_arena_copy(&works->arena, op->type, &added->type));
    TACHO_TRY(tacho_arena_copy(&works->arena, op->location, &added->location));
    TACHO_TRY(tacho_arena_copy(&works->arena, op->output, &added->output));
    uint32_t number = (uint32_t)works->op_count++;
    TACHO_TRY(tacho_index_add(&works->index, tacho_index_hash(&works->index, added->name), number));
    return tacho_index_add(&works->index, tacho_index_hash(&works->index, added->output), number);
}

const tacho_roof_op *tacho_roof_works_find(const tacho_roof_works *works, tacho_str name)
{
    const tacho_roof_op *by_output = NULL;
    if (!works->has_index || name.len == 0) {
        return NULL;
    }
    uint32_t hash = tacho_index_hash(&works->index, name);
    size_t at = tacho_index_begin(&works->index, hash);
    for (uint32_t id; (id = tacho_index_next(&works->index, hash, &at)) != TACHO_NONE;) {
        if (tacho_str_equal(works->ops[id].name, name)) {
            return &works->ops[id];
        }
        by_output = tacho_str_equal(works->ops[id].output, name) ? &works->ops[id] : by_output;
    }
    return by_output;
}

/* ---- estimates --------------------------------------------------------------------------- */

static tacho_roof_work work_of_estimate(const tacho_op_estimate *op, uint32_t fidelity)
{
    tacho_roof_work work = {.kind = op->work.kind, .dtype = op->cost.compute, .fidelity = fidelity};
    work.has_operations = op->work.kind != TACHO_WORK_MOVE;
    if (op->work.kind == TACHO_WORK_MATRIX) {
        work.operations = tacho_size_multiply(op->cost.macs, 2);
    } else if (op->work.kind == TACHO_WORK_VECTOR) {
        work.operations = tacho_size_multiply(op->work.elements, op->work.steps);
    }
    work.bytes[TACHO_ROOF_SHARED] = tacho_size_add(op->ddr_read_bytes, op->ddr_write_bytes);
    if (op->work.kind == TACHO_WORK_MATRIX) {
        work.bytes[TACHO_ROOF_LOCAL] = tacho_size_add(op->work.input.bytes, op->work.weights.bytes);
    }
    return work;
}

static tacho_str output_of(const tacho_fusion *fusion, const tacho_fused_op *op)
{
    const tacho_graph *graph = fusion->graph;
    return op->output_count > 0
               ? tacho_graph_string(graph, graph->tensors[fusion->tensors[op->first_output]].name)
               : TACHO_STR("");
}

tacho_status tacho_roof_works_take_estimate(tacho_roof_works *works, const tacho_estimate *estimate,
                                            uint32_t fidelity)
{
    const tacho_fusion *fusion = estimate->fusion;
    tacho_roof_init(&works->roof, estimate->machine);
    works->hz = tacho_machine_view_hz(estimate->machine);
    for (size_t i = 0; i < fusion->op_count; i++) {
        tacho_roof_op op = {.work = work_of_estimate(&estimate->ops[i], fidelity),
                            .cycles = estimate->ops[i].cost.cycles};
        TACHO_TRY(tacho_estimate_op_name(estimate, i, &works->arena, &op.name));
        TACHO_TRY(tacho_estimate_op_type(estimate, i, '+', &works->arena, &op.type));
        op.location =
            tacho_graph_string(fusion->graph, fusion->graph->nodes[fusion->ops[i].root].location);
        op.output = output_of(fusion, &fusion->ops[i]);
        TACHO_TRY(add_op(works, &op));
    }
    return TACHO_OK;
}

/* ---- programs ---------------------------------------------------------------------------- */

/* The type in which the first operand is computed. */
static tacho_dtype dtype_of(const tacho_program *program, const tacho_program_op *op,
                            const tacho_machine *machine)
{
    if (op->step_count == 0 || program->steps[op->first_step].input_count == 0) {
        return TACHO_DTYPE_NONE;
    }
    uint32_t tensor = program->links[program->steps[op->first_step].first_link];
    return tensor == TACHO_NONE
               ? TACHO_DTYPE_NONE
               : tacho_machine_legalise(machine, (tacho_dtype)program->tensors[tensor].kept);
}

static tacho_status sum_traffic(const tacho_program *program, uint64_t **out_bytes)
{
    tacho_traffic traffic = {0};
    TACHO_TRY(tacho_items_make(out_bytes, program->op_count));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        uint64_t bytes =
            tacho_size_add(tacho_traffic_read(&traffic, job), tacho_traffic_written(job));
        if (job->op < program->op_count) {
            (*out_bytes)[job->op] = tacho_size_add((*out_bytes)[job->op], bytes);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_roof_works_take_program(tacho_roof_works *works, const tacho_program *program,
                                           const tacho_machine *machine)
{
    uint64_t *bytes = NULL;
    tacho_roof_init(&works->roof, machine);
    works->hz = program->facts.core_clock_hz > 0 ? (double)program->facts.core_clock_hz
                                                 : tacho_machine_view_hz(machine);
    tacho_status status = sum_traffic(program, &bytes);
    for (size_t i = 0; i < program->op_count && status == TACHO_OK; i++) {
        const tacho_program_op *from = &program->ops[i];
        tacho_roof_op op = {
            .name = tacho_strings_get(&program->strings, from->name),
            .type = tacho_strings_get(&program->strings, from->type),
            .location = tacho_strings_get(&program->strings, from->location),
            .output = TACHO_STR(""),
            .work = {.kind = from->macs > 0 ? TACHO_WORK_MATRIX : TACHO_WORK_VECTOR,
                     .dtype = dtype_of(program, from, machine),
                     .fidelity = program->facts.fidelity,
                     .has_operations = from->macs > 0,
                     .operations = tacho_size_multiply(from->macs, 2)},
            .cycles = from->cycles,
        };
        op.work.bytes[TACHO_ROOF_SHARED] = bytes[i];
        status = add_op(works, &op);
    }
    free(bytes);
    return status;
}

/* ---- points ------------------------------------------------------------------------------ */

tacho_status tacho_roof_works_add_points(const tacho_roof_works *works, tacho_roofline *line)
{
    uint32_t roof = 0;
    TACHO_TRY(tacho_roofline_ensure_roof(line, &works->roof, &roof));
    for (size_t i = 0; i < works->op_count; i++) {
        const tacho_roof_op *op = &works->ops[i];
        const tacho_roof_point point = {
            .file = works->file,
            .name = op->name,
            .type = op->type,
            .location = op->location,
            .origin = TACHO_ORIGIN_ESTIMATED,
            .roof = roof,
            .count = 1,
            .total_ns = (double)op->cycles * 1e9 / works->hz,
            .work = op->work,
        };
        TACHO_TRY(tacho_roofline_add(line, &point));
    }
    return TACHO_OK;
}
