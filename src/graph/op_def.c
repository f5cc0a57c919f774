/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators by name.
 */
#include "graph/op_def.h"

#include "graph/einsum.h"

static const char *const kind_names[] = {
#define KIND_NAME(name, text) text,
    TACHO_OP_KINDS(KIND_NAME)
#undef KIND_NAME
};

const char *tacho_op_kind_name(tacho_op_kind kind)
{
    return kind_names[kind];
}

/* How an operator makes elements between those there are. */
typedef enum interpolation { NEAREST, LINEAR, CUBIC } interpolation;

/* ONNX has "nearest" or nothing, "linear", "cubic"; TOSA NEAREST_NEIGHBOR or BILINEAR. */
static interpolation interpolation_of(const tacho_graph *graph, const tacho_node *node)
{
    tacho_str mode = tacho_attr_text(tacho_graph_attrs(graph, node), node->attr_count, "mode");
    if (mode.len == 0 || tacho_str_contains(mode, TACHO_STR("nearest")) ||
        tacho_str_contains(mode, TACHO_STR("NEAREST"))) {
        return NEAREST;
    }
    return tacho_str_contains(mode, TACHO_STR("cubic")) ? CUBIC : LINEAR;
}

/* Of one operand a sum or a move, of two a product of matrices or of elements. */
static tacho_op_kind einsum_kind(const tacho_graph *graph, const tacho_node *node)
{
    tacho_einsum einsum;
    if (node->input_count > 2) {
        return TACHO_OP_OTHER; /* the order of products is not specified */
    }
    if (!tacho_einsum_measure(graph, node, &einsum)) {
        return TACHO_OP_MATMUL;
    }
    if (einsum.operand_count == 1) {
        return einsum.k > 1 ? TACHO_OP_REDUCTION : TACHO_OP_MOVE;
    }
    bool is_by_element = einsum.m == 1 && einsum.n == 1 && einsum.k == 1;
    return is_by_element ? TACHO_OP_BINARY : TACHO_OP_MATMUL;
}

tacho_op_kind tacho_op_kind_of(const tacho_graph *graph, const tacho_node *node)
{
    if (node->def == NULL) {
        return TACHO_OP_OTHER;
    }
    if (tacho_op_has(node->def, TACHO_OP_IS_EINSUM)) {
        return einsum_kind(graph, node);
    }
    bool is_move =
        tacho_op_has(node->def, TACHO_OP_BY_MODE) && interpolation_of(graph, node) == NEAREST;
    return is_move ? TACHO_OP_MOVE : node->def->kind;
}

/* How many times more elements a result takes where antialiasing widens filters. */
static uint32_t stretch_of(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_tensor *from = tacho_graph_input(graph, node, 0);
    const tacho_tensor *to = tacho_graph_output(graph, node, 0);
    uint64_t in, out;
    if (tacho_attr_int(tacho_graph_attrs(graph, node), node->attr_count, "antialias", 0) == 0 ||
        from == NULL || to == NULL || !tacho_shape_elements(from->shape, &in) ||
        !tacho_shape_elements(to->shape, &out) || out == 0 || in / out >= UINT16_MAX) {
        return 1;
    }
    return (uint32_t)(in / out + (in % out != 0));
}

uint32_t tacho_op_steps_of(const tacho_graph *graph, const tacho_node *node)
{
    if (node->def == NULL) {
        return 0;
    }
    if (!tacho_op_has(node->def, TACHO_OP_BY_MODE)) {
        return node->def->steps;
    }
    interpolation how = interpolation_of(graph, node);
    uint32_t steps = how == CUBIC ? TACHO_STEPS_CUBIC : how == LINEAR ? node->def->steps : 0;
    return steps * stretch_of(graph, node);
}

static const tacho_op_def *find_in(const tacho_op_def *rows, tacho_str name)
{
    for (; rows->name != NULL; rows++) {
        /* The first byte rejects most rows: a model searches once per node. */
        if (name.len > 0 && rows->name[0] == name.data[0] &&
            tacho_str_equal(tacho_str_from_cstring(rows->name), name)) {
            return rows;
        }
    }
    return NULL;
}

const tacho_op_def *tacho_op_def_find(tacho_str name)
{
    if (tacho_str_starts_with(name, TACHO_STR("com.microsoft."))) {
        return find_in(tacho_microsoft_op_defs, name);
    }
    if (tacho_str_starts_with(name, TACHO_STR("tacho."))) {
        return find_in(tacho_own_op_defs, name);
    }
    bool has_dialect = tacho_str_find_byte(name, '.') < name.len;
    return find_in(has_dialect ? tacho_tosa_op_defs : tacho_onnx_op_defs, name);
}
