/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces of operators that move elements. Those that join tensors, or take one apart, do so one
 * tensor after the other; those that turn dimensions read boxes as they write them. Of the others
 * only what they write is known.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/space.h"

#include <string.h>

typedef enum move_form { MOVE_FLAT, MOVE_CONCAT, MOVE_SPLIT, MOVE_TRANSPOSE } move_form;

static bool is_type(const tacho_graph *graph, const tacho_node *root, const char *onnx,
                    const char *tosa)
{
    tacho_str type = tacho_graph_string(graph, root->type);
    return tacho_str_equal(type, tacho_str_from_cstring(onnx)) ||
           tacho_str_equal(type, tacho_str_from_cstring(tosa));
}

static move_form form_of(const tacho_graph *graph, const tacho_node *root)
{
    return is_type(graph, root, "Concat", "tosa.concat")         ? MOVE_CONCAT
           : is_type(graph, root, "Split", "")                   ? MOVE_SPLIT
           : is_type(graph, root, "Transpose", "tosa.transpose") ? MOVE_TRANSPOSE
                                                                 : MOVE_FLAT;
}

static uint64_t elements_of(const tacho_shape *shape)
{
    uint64_t count = 0;
    return tacho_shape_elements(shape, &count) ? count : 0;
}

static const tacho_shape *shape_at(const tacho_graph *graph, const tacho_node *root, bool is_input,
                                   uint32_t i)
{
    const tacho_tensor *tensor =
        is_input ? tacho_graph_input(graph, root, i) : tacho_graph_output(graph, root, i);
    return tensor != NULL ? tensor->shape : NULL;
}

static int32_t joined_dim(const tacho_graph *graph, const tacho_node *root, int32_t rank)
{
    int64_t axis = tacho_attr_int(tacho_graph_attrs(graph, root), root->attr_count, "axis", 0);
    axis += axis < 0 ? rank : 0;
    return axis >= 0 && axis < rank ? (int32_t)axis : -1;
}

/* Whether the tensors of one side are the other, one after the other along a dimension. */
static bool is_joined(const tacho_graph *graph, const tacho_node *root, bool joins_inputs)
{
    const tacho_shape *whole = shape_at(graph, root, !joins_inputs, 0);
    uint32_t count = joins_inputs ? root->input_count : root->output_count;
    int32_t dim = whole != NULL ? joined_dim(graph, root, whole->rank) : -1;
    int64_t sum = 0;
    bool is = dim >= 0;
    for (uint32_t i = 0; is && i < count; i++) {
        const tacho_shape *part = shape_at(graph, root, joins_inputs, i);
        is = part != NULL && part->rank == whole->rank && elements_of(part) > 0;
        for (int32_t k = 0; is && k < whole->rank; k++) {
            is = k == dim || part->dims[k] == whole->dims[k];
        }
        sum += is ? part->dims[dim] : 0;
    }
    return is && sum == whole->dims[dim];
}

uint32_t tacho_space_parts(const tacho_estimate *estimate, uint32_t op)
{
    const tacho_graph *graph = estimate->fusion->graph;
    const tacho_fused_op *fused = &estimate->fusion->ops[op];
    const tacho_node *root = &graph->nodes[fused->root];
    move_form form = form_of(graph, root);
    bool is_plain = fused->kind == TACHO_OP_MOVE && fused->output_count == root->output_count;
    bool is_parted = is_plain && ((form == MOVE_CONCAT && is_joined(graph, root, true)) ||
                                  (form == MOVE_SPLIT && is_joined(graph, root, false)));
    uint32_t count = form == MOVE_CONCAT ? root->input_count : root->output_count;
    return is_parted && count > 0 ? count : 1;
}

/* ---- one of several -------------------------------------------------------------------------- */

/* A part of a tensor along |dim|, from |offset| on, as the whole has it and by itself. */
typedef struct joint {
    tacho_shape whole, part;
    uint32_t dim;
    int64_t offset;
} joint;

static uint64_t volume(const tacho_shape *shape, int32_t from, int32_t to)
{
    uint64_t product = 1;
    for (int32_t i = from; i < to; i++) {
        product = tacho_size_multiply(product, (uint64_t)shape->dims[i]);
    }
    return product;
}

static joint joint_at(const tacho_space_maker *maker, bool joins_inputs)
{
    const tacho_graph *graph = maker->graph;
    const tacho_node *root = maker->root;
    const tacho_shape *whole = shape_at(graph, root, !joins_inputs, 0);
    const tacho_shape *part = shape_at(graph, root, joins_inputs, maker->part);
    int32_t dim = joined_dim(graph, root, whole->rank);
    joint at = {.whole = *whole, .part = *part, .dim = (uint32_t)dim};
    for (uint32_t i = 0; i < maker->part; i++) {
        at.offset += shape_at(graph, root, joins_inputs, i)->dims[dim];
    }
    if (!maker->options->keeps_dims) { /* dimensions in front, and those that move as one */
        int64_t inner = (int64_t)volume(whole, dim + 1, whole->rank);
        int64_t outer = (int64_t)volume(whole, 0, dim);
        at.offset *= inner;
        at.dim = 1;
        at.whole = (tacho_shape){2, {outer, whole->dims[dim] * inner}};
        at.part = (tacho_shape){2, {outer, part->dims[dim] * inner}};
    }
    return at;
}

static tacho_status fill_joint(tacho_space_maker *maker, bool joins_inputs)
{
    joint at = joint_at(maker, joins_inputs);
    uint32_t axes[TACHO_BOX_RANK_MAX];
    uint32_t stored;
    const tacho_shape *seen;
    if (!tacho_space_input(maker, joins_inputs ? maker->part : 0, &stored, &seen)) {
        return TACHO_OK;
    }
    /* The dimension that differs is last: cores cut all parts alike, by the number of an axis. */
    for (int32_t k = 0; k < at.part.rank; k++) {
        bool is_last = k + 1 == at.part.rank;
        int32_t i = is_last ? (int32_t)at.dim : k + ((uint32_t)k >= at.dim ? 1 : 0);
        axes[i] = tacho_space_axis(maker, TACHO_AXIS_ROW, (uint64_t)at.part.dims[i]);
        if (axes[i] != TACHO_NONE) {
            maker->space->axes[axes[i]].is_of_one = is_last;
        }
    }
    uint32_t result = maker->estimate->fusion
                          ->tensors[maker->op->first_output + (joins_inputs ? 0 : maker->part)];
    for (size_t side = 0; side < 2; side++) {
        bool is_output = side == 1;
        bool is_whole = is_output == joins_inputs;
        tacho_access *access;
        TACHO_TRY(tacho_space_access(maker, is_output ? result : stored,
                                     is_whole ? &at.whole : &at.part, &access));
        access->is_output = is_output;
        access->is_source = !is_output;
        for (int32_t i = 0; i < at.part.rank; i++) {
            tacho_reach *reach = tacho_access_dim(maker, access, (uint32_t)i);
            reach->axis = axes[i];
            if (is_whole && (uint32_t)i == at.dim) {
                reach->before = -at.offset;
                reach->is_part = true;
                reach->length = (uint64_t)at.part.dims[i];
                access->joined_dim = is_output ? (uint32_t)(reach - access->reach) : TACHO_NONE;
            }
        }
    }
    maker->space->volume_all = elements_of(shape_at(maker->graph, maker->root, !joins_inputs, 0)) *
                               maker->estimate->inferences;
    return TACHO_OK;
}

/* ---- dimensions that change places ------------------------------------------------------------
 */

/* The source dimension of each dimension of the result. ONNX has an attribute or nothing; TOSA has
 * another attribute, and older versions an operand. */
static bool turned_dims(const tacho_space_maker *maker, int32_t rank, int64_t *out_dims)
{
    size_t count = 0;
    const tacho_attr *attrs = tacho_graph_attrs(maker->graph, maker->root);
    bool is_tosa = maker->root->opset == 0;
    const int64_t *dims =
        tacho_attr_ints(attrs, maker->root->attr_count, is_tosa ? "perms" : "perm", &count);
    if (dims != NULL && count == (size_t)rank) {
        memcpy(out_dims, dims, count * sizeof(*dims));
    } else if (dims == NULL && is_tosa) {
        count = tacho_space_ints(maker, 1, out_dims, TACHO_RANK_MAX);
    } else if (dims == NULL) { /* the other way round */
        count = (size_t)rank;
        for (int32_t i = 0; i < rank; i++) {
            out_dims[i] = rank - 1 - i;
        }
    }
    bool is_good = count == (size_t)rank;
    for (int32_t i = 0; is_good && i < rank; i++) {
        is_good = out_dims[i] >= 0 && out_dims[i] < rank;
    }
    return is_good;
}

static bool fill_transpose(tacho_space_maker *maker, tacho_status *out_status)
{
    uint32_t stored;
    const tacho_shape *data;
    const tacho_shape *result = shape_at(maker->graph, maker->root, false, 0);
    if (result == NULL || !tacho_space_input(maker, 0, &stored, &data) ||
        data->rank != result->rank) {
        return false;
    }
    int64_t dims[TACHO_RANK_MAX];
    bool is_good = turned_dims(maker, data->rank, dims);
    for (int32_t i = 0; is_good && i < data->rank; i++) {
        is_good = data->dims[dims[i]] == result->dims[i];
    }
    if (!is_good) {
        return false;
    }
    tacho_access *access;
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    *out_status = tacho_space_access(maker, stored, data, &access);
    if (*out_status == TACHO_OK) {
        access->is_source = true;
    }
    for (int32_t i = 0; *out_status == TACHO_OK && i < result->rank; i++) {
        uint64_t size = (uint64_t)result->dims[i];
        reaches[i] = tacho_reach_along(tacho_space_axis(maker, TACHO_AXIS_ROW, size), size);
        *tacho_access_dim(maker, access, (uint32_t)dims[i]) = reaches[i];
    }
    if (*out_status == TACHO_OK) {
        *out_status = tacho_space_rest(maker, result, reaches);
    }
    return true;
}

/* ---- all others ------------------------------------------------------------------------------ */

/* Whether results have zeros, ones or numbers that are in no operand. */
static bool is_maker(const tacho_space_maker *maker)
{
    static const char *const types[] = {"CenterCropPad", "EyeLike", "MaxUnpool", "NonZero",
                                        "OneHot",        "Range",   "Trilu"};
    bool is = false;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        is |= tacho_space_is_type(maker, types[i], types[i]);
    }
    return is;
}

/* A variable, which is in shared memory and is not a tensor of the graph. */
static tacho_status add_variable(tacho_space_maker *maker, uint32_t like, uint32_t axis,
                                 bool is_written)
{
    tacho_access *access;
    tacho_shape flat = {1, {(int64_t)elements_of(maker->graph->tensors[like].shape)}};
    TACHO_TRY(tacho_space_access(maker, like, &flat, &access));
    access->tensor = TACHO_NONE;
    access->is_constant = true;
    access->is_output = is_written;
    access->is_source = !is_written;
    access->reach[0].axis = axis;
    return TACHO_OK;
}

/* An operand of a move, of which |written| elements are read; or one of a result. */
static tacho_status add_flat(tacho_space_maker *maker, uint32_t tensor, uint32_t axis,
                             uint64_t most)
{
    tacho_access *access;
    const tacho_shape *own = maker->graph->tensors[tensor].shape;
    uint64_t inferences =
        maker->graph->tensors[tensor].is_constant ? 1 : maker->estimate->inferences;
    uint64_t count = elements_of(own) * inferences;
    uint32_t first;
    const tacho_shape *seen;
    bool is_source = tacho_space_input(maker, 0, &first, &seen) && first == tensor;
    tacho_shape flat = {1, {(int64_t)(is_source && count > most ? most : count)}};
    TACHO_TRY(tacho_space_access(maker, tensor, &flat, &access));
    access->is_source = is_source;
    if (is_source || access->bytes > TACHO_STEERING_BYTES) {
        access->reach[0].axis = axis;
        tacho_access_forget(maker, access, &axis, 1);
    }
    return TACHO_OK;
}

static tacho_status add_flat_result(tacho_space_maker *maker, uint32_t tensor, uint32_t axis)
{
    tacho_access *access;
    uint64_t count =
        elements_of(maker->graph->tensors[tensor].shape) * maker->estimate->inferences;
    tacho_shape flat = {1, {(int64_t)count}};
    TACHO_TRY(tacho_space_access(maker, tensor, &flat, &access));
    access->is_output = true;
    access->reach[0].axis = axis;
    uint64_t size = axis != TACHO_NONE ? maker->space->axes[axis].size : 1;
    if (count != size) {
        tacho_access_forget(maker, access, &axis, 1);
    }
    return TACHO_OK;
}

/* Results that are known before anything runs: they are constants in memory, and are copied. */
static tacho_status copy_constants(tacho_space_maker *maker, uint32_t axis)
{
    const tacho_fused_op *op = maker->op;
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t tensor = maker->estimate->fusion->tensors[op->first_output + i];
        TACHO_TRY(add_flat_result(maker, tensor, axis));
        tacho_access from = maker->space->accesses[maker->space->access_count - 1];
        TACHO_TRY(add_flat_result(maker, tensor, axis));
        from.is_output = false;
        from.is_source = true;
        maker->space->accesses[maker->space->access_count - 1] = from;
    }
    return TACHO_OK;
}

/*
 * Results in the order of their elements: a stretch of them reads the same part of the operand's
 * bytes, whichever elements those are. A pure move reads no more than it writes.
 */
static tacho_status fill_flat(tacho_space_maker *maker)
{
    const tacho_fusion *fusion = maker->estimate->fusion;
    const tacho_fused_op *op = maker->op;
    const uint32_t firsts[] = {op->first_input, op->first_weight, op->first_output};
    const uint32_t counts[] = {op->input_count, op->weight_count, op->output_count};
    bool reads = tacho_space_is_type(maker, "tosa.variable_read", "tosa.variable.read");
    bool writes = tacho_space_is_type(maker, "tosa.variable_write", "tosa.variable.write");
    uint64_t longest = 0;
    uint64_t written = 0;
    size_t of = writes ? 0 : 2; /* the new value of a variable is as long as it */
    for (uint32_t i = 0; i < counts[of]; i++) {
        uint64_t count = elements_of(tacho_fusion_tensor(fusion, firsts[of], i)->shape) *
                         maker->estimate->inferences;
        longest = count > longest ? count : longest;
        written = tacho_size_add(written, count);
    }
    maker->inferences = TACHO_NONE;
    uint32_t axis = tacho_space_axis(maker, TACHO_AXIS_ROW, longest);
    if (counts[2] > 0 && tacho_fusion_tensor(fusion, firsts[2], 0)->constant != TACHO_NONE) {
        return copy_constants(maker, axis);
    }
    uint64_t most = op->kind == TACHO_OP_MOVE ? written : UINT64_MAX;
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < counts[i]; k++) {
            uint32_t tensor = fusion->tensors[firsts[i] + k];
            TACHO_TRY(i == 2 ? add_flat_result(maker, tensor, axis)
                             : add_flat(maker, tensor, axis, most));
        }
    }
    if ((reads || writes) && counts[of] > 0) {
        return add_variable(maker, fusion->tensors[firsts[of]], axis, writes);
    }
    bool has_source = false;
    for (size_t i = 0; i < maker->space->access_count; i++) {
        has_source |= maker->space->accesses[i].is_source && maker->space->accesses[i].bytes > 0;
    }
    maker->space->makes_values |= !maker->is_move || !has_source || is_maker(maker);
    return TACHO_OK;
}

tacho_status tacho_space_move(tacho_space_maker *maker, uint32_t parts)
{
    move_form form = form_of(maker->graph, maker->root);
    if (parts > 1) {
        return fill_joint(maker, form == MOVE_CONCAT);
    }
    tacho_status status = TACHO_OK;
    uint32_t axes = maker->space->axis_count;
    bool is_move = maker->op->kind == TACHO_OP_MOVE;
    if (is_move && ((form == MOVE_TRANSPOSE && fill_transpose(maker, &status)) ||
                    tacho_space_pick(maker, &status))) {
        return status;
    }
    maker->space->axis_count = maker->inferences != TACHO_NONE ? axes - 1 : axes;
    maker->space->access_count = 0;
    return fill_flat(maker);
}
