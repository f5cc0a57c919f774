/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A measured operator as a network: one node, its inputs, and the options it is compiled with.
 */
#include "base/grow.h"
#include "compile/measured.h"
#include "compile/op_mesh.h"
#include "graph/infer.h"

enum { OPSET = 23 };

/* Whether the operator has constants besides its data. */
static bool has_weights(const tacho_op_def *def)
{
    return def->kind == TACHO_OP_CONVOLUTION || def->kind == TACHO_OP_DECONVOLUTION ||
           def->kind == TACHO_OP_NORMALISATION || def->kind == TACHO_OP_AFFINE ||
           def->kind == TACHO_OP_RECURRENT;
}

/* Tensors of reals are f32; the machine is set to compute in the row's type. */
static tacho_dtype tensor_dtype(const tacho_measured *row)
{
    bool is_real =
        row->dtype == TACHO_DTYPE_NONE || tacho_dtype_kind_of(row->dtype) == TACHO_DTYPE_REAL;
    return is_real ? TACHO_DTYPE_F32 : row->dtype;
}

static tacho_status add_network_tensor(tacho_graph *graph, uint32_t id, bool is_output)
{
    uint32_t **list = is_output ? &graph->outputs : &graph->inputs;
    size_t *count = is_output ? &graph->output_count : &graph->input_count;
    TACHO_TRY(
        tacho_grow(list, is_output ? &graph->output_capacity : &graph->input_capacity, *count + 1));
    (*list)[(*count)++] = id;
    *(is_output ? &graph->tensors[id].is_output : &graph->tensors[id].is_input) = true;
    return TACHO_OK;
}

static tacho_status add_input(tacho_graph *graph, const tacho_measured_input *input,
                              tacho_dtype dtype, bool is_constant, uint32_t *out_id)
{
    tacho_constant constant = {.kind = TACHO_CONSTANT_RANDOM, .seed = 1};
    TACHO_TRY(tacho_graph_add_tensor(graph, TACHO_STR("input"), out_id));
    tacho_tensor *tensor = &graph->tensors[*out_id];
    tensor->dtype = dtype;
    TACHO_TRY(tacho_graph_set_shape(graph, tensor, &input->shape));
    if (input->values != NULL) {
        tensor->dtype = TACHO_DTYPE_I64;
        constant = (tacho_constant){.kind = TACHO_CONSTANT_BYTES,
                                    .bytes = (const unsigned char *)input->values};
    } else if (!is_constant) {
        return add_network_tensor(graph, *out_id, false);
    }
    return tacho_graph_set_constant(graph, *out_id, &constant);
}

static tacho_status build(tacho_measured_op *op, const tacho_machine *machine)
{
    const tacho_measured *row = op->row;
    tacho_graph *graph = &op->graph;
    tacho_node node = {.def = tacho_op_def_find(row->op), .opset = OPSET};
    uint32_t inputs[TACHO_MEASURED_INPUTS_MAX];
    uint32_t output;
    for (uint32_t i = 0; i < row->input_count; i++) {
        bool is_constant = i > 0 && has_weights(node.def);
        TACHO_TRY(add_input(graph, &row->inputs[i], tensor_dtype(row), is_constant, &inputs[i]));
    }
    TACHO_TRY(tacho_graph_add_tensor(graph, TACHO_STR("output"), &output));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, row->op, &node.type));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, TACHO_STR("measured"), &node.name));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, TACHO_STR("loc(unknown)"), &node.location));
    tacho_node_lists lists = {
        .inputs = inputs,
        .input_count = row->input_count,
        .outputs = &output,
        .output_count = 1,
        .attrs = row->attrs,
        .attr_count = row->attr_count,
    };
    TACHO_TRY(tacho_graph_add_node(graph, &node, &lists));
    TACHO_TRY(add_network_tensor(graph, output, true));
    TACHO_TRY(tacho_graph_infer(graph));
    TACHO_TRY(tacho_graph_sort(graph));
    if (!tacho_shape_is_known(graph->tensors[output].shape)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "nothing is known of what %.*s makes of these",
                          TACHO_STR_ARG(row->op));
    }
    return tacho_machine_is_gpu(machine) ? tacho_fusion_init_eager(&op->fusion, graph, false)
                                         : tacho_fusion_init(&op->fusion, graph);
}

static tacho_status set_options(tacho_measured_op *op, const tacho_machine *machine)
{
    const tacho_measured *row = op->row;
    tacho_estimate_options *estimate = &op->options.estimate;
    bool is_real = tensor_dtype(row) == TACHO_DTYPE_F32;
    estimate->cost = (tacho_cost_options){
        .compute = is_real ? row->dtype : TACHO_DTYPE_NONE,
        .grid_x = row->grid_x,
        .grid_y = row->grid_y,
        .is_tuned = row->is_tuned,
    };
    if (!tacho_schedule_is_tiled(machine)) { /* else its schedule places them */
        memcpy(estimate->places, row->places, sizeof(row->places));
    }
    estimate->cost.fidelity = tacho_machine_fidelity_find(machine, row->fidelity);
    if (row->fidelity.len > 0 && estimate->cost.fidelity == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s has no fidelity '%.*s'",
                          TACHO_STR_ARG(machine->name), TACHO_STR_ARG(row->fidelity));
    }
    uint64_t grid_x = (uint64_t)tacho_quantity_whole(&machine->grid_x);
    uint64_t grid_y = (uint64_t)tacho_quantity_whole(&machine->grid_y);
    if (row->grid_x > grid_x || row->grid_y > grid_y) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s has %llu x %llu cores, not %u x %u",
                          TACHO_STR_ARG(machine->name), (unsigned long long)grid_x,
                          (unsigned long long)grid_y, row->grid_x, row->grid_y);
    }
    return TACHO_OK;
}

tacho_status tacho_measured_op_init(tacho_measured_op *op, const tacho_measured *row,
                                    const tacho_machine *machine, tacho_str path)
{
    *op = (tacho_measured_op){.row = row};
    tacho_status status = tacho_graph_init(&op->graph);
    op->graph.path = path;
    op->graph.format = "onnx";
    status = status == TACHO_OK ? build(op, machine) : status;
    status = status == TACHO_OK ? set_options(op, machine) : status;
    return status == TACHO_OK ? TACHO_OK
                              : tacho_status_add_note(status, "%.*s:%llu", TACHO_STR_ARG(path),
                                                      (unsigned long long)row->line);
}

void tacho_measured_op_deinit(tacho_measured_op *op)
{
    tacho_fusion_deinit(&op->fusion);
    tacho_graph_deinit(&op->graph);
}

/* On a mesh jobs take the cycles of the estimate, and a grid leaves nothing to choose. */
static tacho_status mesh_cycles(const tacho_measured_op *op, const tacho_machine *machine,
                                int64_t *out_cycles)
{
    tacho_estimate estimate;
    tacho_status status =
        tacho_estimate_init(&estimate, &op->fusion, machine, &op->options.estimate);
    *out_cycles = estimate.cycles;
    tacho_estimate_deinit(&estimate);
    return status;
}

tacho_status tacho_measured_op_cycles(const tacho_measured_op *op, const tacho_machine *machine,
                                      int64_t *out_cycles)
{
    tacho_estimate estimate;
    tacho_program program;
    if (op->row->grid_x > 0 && tacho_op_mesh_has(machine)) {
        return mesh_cycles(op, machine, out_cycles);
    }
    tacho_status status =
        tacho_compile_program(&op->fusion, machine, &op->options, &estimate, &program);
    *out_cycles = estimate.cycles;
    tacho_program_deinit(&program);
    tacho_estimate_deinit(&estimate);
    return status;
}
