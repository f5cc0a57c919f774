/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axes, accesses and boxes, and what all operators have in common: operands that are fused in, and
 * results.
 */
#include "compile/space.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/work_of.h"

#include <stdlib.h>
#include <string.h>

void tacho_space_deinit(tacho_space *space)
{
    free(space->accesses);
    *space = (tacho_space){.access_count = 0};
}

/* ---- boxes --------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

tacho_extent tacho_reach_extent(const tacho_reach *reach, tacho_range range, tacho_range outer)
{
    if (range.end <= range.first) {
        return (tacho_extent){0, 0, reach->size};
    }
    int64_t first = (int64_t)range.first * reach->scale - reach->before;
    int64_t last = (int64_t)(range.end - 1) * reach->scale - reach->before + reach->window - 1;
    if (reach->divisor > 1) {
        first = -floor_div(-first, reach->divisor);
        last = floor_div(last, reach->divisor);
    }
    first += (int64_t)(outer.first * reach->outer_scale);
    last += (int64_t)((outer.end > 0 ? outer.end - 1 : 0) * reach->outer_scale);
    int64_t end = last + 1 < (int64_t)reach->size ? last + 1 : (int64_t)reach->size;
    first = first > 0 ? first : 0;
    bool is_empty = end <= first;
    return (tacho_extent){is_empty ? 0 : (uint64_t)first, is_empty ? 0 : (uint64_t)(end - first),
                          reach->size};
}

uint64_t tacho_access_box(const tacho_access *access, const tacho_range *ranges,
                          tacho_extent *out_extents)
{
    static const tacho_range one = {0, 1};
    bool is_mirrored = tacho_access_is_mirrored(access, ranges);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < access->rank; i++) {
        const tacho_reach *reach = &access->reach[i];
        if (reach->axis != TACHO_NONE) {
            tacho_range range = ranges[reach->axis];
            tacho_range outer = reach->outer != TACHO_NONE ? ranges[reach->outer] : one;
            if (is_mirrored && reach->is_mirrored) {
                range = (tacho_range){reach->size - range.end, reach->size - range.first};
            }
            out_extents[i] = tacho_reach_extent(reach, range, outer);
        } else if (reach->is_part) {
            out_extents[i] = (tacho_extent){(uint64_t)-reach->before, reach->length, reach->size};
        } else {
            out_extents[i] = (tacho_extent){0, reach->size, reach->size};
        }
        elements = tacho_size_multiply(elements, out_extents[i].size);
    }
    return elements;
}

uint64_t tacho_access_box_bytes(const tacho_access *access, uint64_t elements)
{
    uint64_t bytes = 0;
    return tacho_dtype_bytes(access->kept, elements, &bytes) ? bytes : UINT64_MAX / 4;
}

uint64_t tacho_access_bytes(const tacho_access *access, const tacho_range *ranges)
{
    tacho_extent box[TACHO_BOX_RANK_MAX];
    if (access->is_known) {
        return tacho_access_box_bytes(access, tacho_access_box(access, ranges, box));
    }
    uint64_t bytes = access->bytes;
    for (uint32_t i = 0; i < access->rank; i++) {
        const tacho_reach *reach = &access->reach[i];
        if (reach->axis != TACHO_NONE && reach->size > 0) {
            tacho_range range = ranges[reach->axis];
            bytes = (uint64_t)((tacho_u128)bytes * range.end / reach->size) -
                    (uint64_t)((tacho_u128)bytes * range.first / reach->size);
        }
    }
    return bytes;
}

uint64_t tacho_access_kept(const tacho_access *access, const tacho_range *ranges,
                           tacho_extent *out_extents)
{
    if (!access->is_known) {
        return tacho_access_bytes(access, ranges) + 1; /* parts differ by one */
    }
    uint64_t elements = 1;
    (void)tacho_access_box(access, ranges, out_extents);
    for (uint32_t i = 0; i < access->rank; i++) {
        if (i == access->joined_dim) {
            out_extents[i] = (tacho_extent){0, access->reach[i].size, access->reach[i].size};
        }
        elements = tacho_size_multiply(elements, out_extents[i].size);
    }
    return tacho_access_box_bytes(access, elements);
}

static uint32_t axis_bit(uint32_t axis)
{
    return axis == TACHO_NONE ? 0 : UINT32_C(1) << axis;
}

void tacho_space_mark_axes(tacho_space *space)
{
    space->sums = space->sequences = 0;
    for (uint32_t i = 0; i < space->axis_count; i++) {
        space->sums |= space->axes[i].role == TACHO_AXIS_SUM ? axis_bit(i) : 0;
        space->sequences |= space->axes[i].is_sequential ? axis_bit(i) : 0;
    }
    for (size_t i = 0; i < space->access_count; i++) {
        tacho_access *access = &space->accesses[i];
        access->axes = access->mirrored = 0;
        access->mirror = TACHO_NONE;
        for (uint32_t k = 0; k < access->rank; k++) {
            const tacho_reach *reach = &access->reach[k];
            access->axes |= axis_bit(reach->axis) | axis_bit(reach->outer);
            if (reach->is_mirrored) {
                access->mirrored |= axis_bit(reach->axis);
                access->mirror = reach->mirror;
            }
        }
    }
}

uint64_t tacho_axis_count(const tacho_axis *axis, tacho_range range)
{
    return (uint64_t)((tacho_u128)axis->counted * range.end / axis->size) -
           (uint64_t)((tacho_u128)axis->counted * range.first / axis->size);
}

/* ---- making -------------------------------------------------------------------------------- */

uint32_t tacho_space_axis(tacho_space_maker *maker, tacho_axis_role role, uint64_t size)
{
    tacho_space *space = maker->space;
    if (size <= 1 || space->axis_count == TACHO_AXES_MAX) {
        return TACHO_NONE;
    }
    space->axes[space->axis_count] = (tacho_axis){.role = role, .size = size, .counted = size};
    return space->axis_count++;
}

tacho_reach tacho_reach_along(uint32_t axis, uint64_t size)
{
    return (tacho_reach){.axis = axis,
                         .outer = TACHO_NONE,
                         .mirror = TACHO_NONE,
                         .size = size,
                         .scale = 1,
                         .divisor = 1,
                         .window = 1};
}

tacho_status tacho_space_access(tacho_space_maker *maker, uint32_t tensor, const tacho_shape *shape,
                                tacho_access **out_access)
{
    tacho_space *space = maker->space;
    const tacho_tensor *facts = &maker->graph->tensors[tensor];
    TACHO_TRY(tacho_grow(&space->accesses, &space->access_capacity, space->access_count + 1));
    tacho_access *access = &space->accesses[space->access_count++];
    *access = (tacho_access){
        .tensor = tensor,
        .kept = tacho_machine_view_kept(maker->estimate->machine, facts->dtype,
                                        maker->estimate->compute),
        .is_constant = facts->is_constant,
        .is_known = true,
        .joined_dim = TACHO_NONE,
    };
    uint64_t elements = 1;
    if (!access->is_constant && maker->inferences != TACHO_NONE) {
        access->reach[access->rank++] =
            tacho_reach_along(maker->inferences, maker->estimate->inferences);
        elements = maker->estimate->inferences;
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        access->reach[access->rank++] = tacho_reach_along(TACHO_NONE, (uint64_t)shape->dims[i]);
        elements = tacho_size_multiply(elements, (uint64_t)shape->dims[i]);
    }
    if (access->rank == 0) {
        access->reach[access->rank++] = tacho_reach_along(TACHO_NONE, 1);
    }
    (void)tacho_dtype_bytes(access->kept, elements, &access->bytes);
    *out_access = access;
    return TACHO_OK;
}

void tacho_access_forget(const tacho_space_maker *maker, tacho_access *access, const uint32_t *axes,
                         size_t axis_count)
{
    access->is_known = false;
    access->rank = 0;
    if (!access->is_constant && maker->inferences != TACHO_NONE) {
        access->reach[access->rank++] =
            tacho_reach_along(maker->inferences, maker->estimate->inferences);
    }
    for (size_t i = 0; i < axis_count; i++) {
        if (axes[i] != TACHO_NONE) {
            uint64_t size = maker->space->axes[axes[i]].size;
            access->reach[access->rank++] = tacho_reach_along(axes[i], size);
        }
    }
}

tacho_reach *tacho_access_dim(const tacho_space_maker *maker, tacho_access *access, uint32_t dim)
{
    uint32_t before = !access->is_constant && maker->inferences != TACHO_NONE ? 1 : 0;
    return &access->reach[before + dim];
}

static const tacho_shape *shape_of(const tacho_space_maker *maker, uint32_t tensor)
{
    return maker->graph->tensors[tensor].shape;
}

bool tacho_space_input(const tacho_space_maker *maker, size_t i, uint32_t *out_stored,
                       const tacho_shape **out_seen)
{
    uint32_t tensor = i < maker->root->input_count
                          ? maker->graph->links[maker->root->first_input + i]
                          : TACHO_NONE;
    if (tensor == TACHO_NONE) {
        return false;
    }
    *out_stored = tacho_fusion_read(maker->estimate->fusion, maker->op, tensor);
    *out_seen = shape_of(maker, tensor);
    return true;
}

bool tacho_space_is_type(const tacho_space_maker *maker, const char *onnx, const char *tosa)
{
    tacho_str type = tacho_graph_string(maker->graph, maker->root->type);
    return tacho_str_equal(type, tacho_str_from_cstring(onnx)) ||
           tacho_str_equal(type, tacho_str_from_cstring(tosa));
}

size_t tacho_space_ints(const tacho_space_maker *maker, size_t input, int64_t *out_ints, size_t max)
{
    const tacho_tensor *tensor = tacho_graph_input(maker->graph, maker->root, input);
    uint64_t count = 0;
    if (tensor == NULL || tensor->constant == TACHO_NONE ||
        !tacho_shape_elements(tensor->shape, &count) || count > max ||
        (tensor->dtype != TACHO_DTYPE_I64 && tensor->dtype != TACHO_DTYPE_I32)) {
        return 0;
    }
    const tacho_constant *constant = &maker->graph->constants[tensor->constant];
    size_t width = tensor->dtype == TACHO_DTYPE_I64 ? 8 : 4;
    for (uint64_t i = 0; i < count && constant->kind != TACHO_CONSTANT_RANDOM; i++) {
        const unsigned char *from =
            constant->kind == TACHO_CONSTANT_SPLAT ? constant->splat : constant->bytes + i * width;
        int32_t narrow = 0;
        memcpy(width == 8 ? (void *)&out_ints[i] : (void *)&narrow, from, width);
        out_ints[i] = width == 8 ? out_ints[i] : narrow;
    }
    return constant->kind != TACHO_CONSTANT_RANDOM ? (size_t)count : 0;
}

/* ---- operands of fused steps, and results -------------------------------------------------- */

bool tacho_space_has(const tacho_space *space, uint32_t tensor)
{
    bool has = false;
    for (size_t i = 0; i < space->access_count; i++) {
        has |= space->accesses[i].tensor == tensor && !space->accesses[i].is_output;
    }
    return has;
}

/* The shape in which a member of the operator sees |stored|. */
static const tacho_shape *seen_shape(const tacho_space_maker *maker, uint32_t stored)
{
    const tacho_fusion *fusion = maker->estimate->fusion;
    for (uint32_t i = 0; i < maker->op->member_count; i++) {
        const tacho_node *node = &maker->graph->nodes[fusion->members[maker->op->first_member + i]];
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t tensor = maker->graph->links[node->first_input + k];
            if (tensor != TACHO_NONE && tacho_fusion_read(fusion, maker->op, tensor) == stored) {
                return shape_of(maker, tensor);
            }
        }
    }
    return shape_of(maker, stored);
}

static uint64_t elements_of(const tacho_shape *shape)
{
    uint64_t count = 0;
    return tacho_shape_elements(shape, &count) ? count : 0;
}

/* Dimensions from the last one on that are those of the result, or 1, follow its axes. */
static bool map_broadcast(const tacho_space_maker *maker, tacho_access *access,
                          const tacho_shape *shape, const tacho_shape *result,
                          const tacho_reach *reaches)
{
    bool fits = shape->rank <= result->rank;
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        int64_t size = result->dims[result->rank - shape->rank + i];
        fits = shape->dims[i] == size || shape->dims[i] == 1;
    }
    for (int32_t i = 0; fits && i < shape->rank; i++) {
        if (shape->dims[i] > 1) {
            *tacho_access_dim(maker, access, (uint32_t)i) = reaches[result->rank - shape->rank + i];
        }
    }
    return fits;
}

/* Operands that steer the move are read whole where they are short, else in parts, one per tile. */
static tacho_status add_steering(tacho_space_maker *maker, uint32_t stored,
                                 const tacho_shape *result, const tacho_reach *reaches)
{
    tacho_access *access;
    uint32_t axes[TACHO_BOX_RANK_MAX];
    TACHO_TRY(tacho_space_access(maker, stored, shape_of(maker, stored), &access));
    for (int32_t i = 0; i < result->rank; i++) {
        axes[i] = reaches[i].axis;
    }
    if (access->bytes > TACHO_STEERING_BYTES) {
        tacho_access_forget(maker, access, axes, (size_t)result->rank);
    }
    return TACHO_OK;
}

static tacho_status add_operand(tacho_space_maker *maker, uint32_t stored,
                                const tacho_shape *result, const tacho_reach *reaches)
{
    tacho_access *access;
    if (maker->is_move) {
        return add_steering(maker, stored, result, reaches);
    }
    const tacho_shape *seen = seen_shape(maker, stored);
    seen = elements_of(seen) == elements_of(result) && elements_of(seen) > 1 ? result : seen;
    TACHO_TRY(tacho_space_access(maker, stored, seen, &access));
    map_broadcast(maker, access, seen, result, reaches);
    access->is_late = maker->work->kind == TACHO_WORK_MATRIX;
    return TACHO_OK;
}

/*
 * A result: the root's, another of as many elements, or one of reduced lines, with one element in a
 * dimension.
 */
static tacho_status add_result(tacho_space_maker *maker, uint32_t tensor, const tacho_shape *result,
                               const tacho_reach *reaches)
{
    tacho_access *access;
    const tacho_shape *shape = shape_of(maker, tensor);
    shape = elements_of(shape) == elements_of(result) ? result : shape;
    TACHO_TRY(tacho_space_access(maker, tensor, shape, &access));
    access->is_output = true;
    if (shape == result || shape->rank == result->rank) {
        map_broadcast(maker, access, shape, result, reaches);
    } else if (shape->rank == 1 && result->rank > 1 && shape->dims[0] == result->dims[1] &&
               tacho_space_is_type(maker, "BatchNormalization", "")) { /* by channels */
        *tacho_access_dim(maker, access, 0) = reaches[1];
    }
    return TACHO_OK;
}

tacho_status tacho_space_rest(tacho_space_maker *maker, const tacho_shape *result,
                              const tacho_reach *reaches)
{
    const tacho_fusion *fusion = maker->estimate->fusion;
    const tacho_fused_op *op = maker->op;
    const uint32_t firsts[] = {op->first_input, op->first_weight};
    const uint32_t counts[] = {op->input_count, op->weight_count};
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < counts[i]; k++) {
            uint32_t tensor = fusion->tensors[firsts[i] + k];
            if (!tacho_space_has(maker->space, tensor)) {
                TACHO_TRY(add_operand(maker, tensor, result, reaches));
            }
        }
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        TACHO_TRY(add_result(maker, fusion->tensors[op->first_output + i], result, reaches));
    }
    return TACHO_OK;
}

static bool has_shapes(const tacho_space_maker *maker)
{
    const tacho_fusion *fusion = maker->estimate->fusion;
    const tacho_fused_op *op = maker->op;
    bool has = op->output_count > 0;
    for (uint32_t i = 0; i < op->output_count; i++) {
        has &= tacho_shape_is_known(shape_of(maker, fusion->tensors[op->first_output + i]));
    }
    for (uint32_t i = 0; i < maker->root->input_count; i++) {
        const tacho_tensor *input = tacho_graph_input(maker->graph, maker->root, i);
        has &= input == NULL || tacho_shape_is_known(input->shape);
    }
    return has;
}

/* A product over nothing (see work_of.c) reads nothing; its results, if any, are zeros. */
static bool is_empty_product(const tacho_space_maker *maker)
{
    tacho_op_kind kind = maker->op->kind;
    return maker->work->kind != TACHO_WORK_MATRIX &&
           (kind == TACHO_OP_CONVOLUTION || kind == TACHO_OP_DECONVOLUTION ||
            kind == TACHO_OP_MATMUL || kind == TACHO_OP_RECURRENT);
}

static tacho_status add_results_alone(tacho_space_maker *maker)
{
    for (uint32_t i = 0; i < maker->op->output_count; i++) {
        uint32_t tensor = maker->estimate->fusion->tensors[maker->op->first_output + i];
        tacho_access *access;
        TACHO_TRY(tacho_space_access(maker, tensor, shape_of(maker, tensor), &access));
        access->is_output = true;
    }
    return TACHO_OK;
}

static tacho_status fill(const tacho_estimate *estimate, uint32_t op,
                         const tacho_space_options *options, tacho_space *space)
{
    const tacho_fusion *fusion = estimate->fusion;
    tacho_space_maker maker = {
        .estimate = estimate,
        .graph = fusion->graph,
        .op = &fusion->ops[op],
        .root = &fusion->graph->nodes[fusion->ops[op].root],
        .work = &estimate->ops[op].work,
        .options = options,
        .space = space,
        .inferences = TACHO_NONE,
        .part = options->part,
    };
    space->makes_values = false;
    space->state = (tacho_state){.unit_bytes = 0};
    space->kind = maker.work->kind;
    space->axis_count = 0;
    space->access_count = 0;
    space->depth = 1;
    space->has_passes = false;
    space->volume_all = 0;
    bool is_matrix = maker.work->kind == TACHO_WORK_MATRIX;
    bool is_cast = tacho_op_has(maker.root->def, TACHO_OP_IS_CAST);
    bool is_known = has_shapes(&maker) && !tacho_estimate_is_unknown(estimate, op);
    bool is_move = maker.op->kind == TACHO_OP_MOVE && !is_cast;
    maker.is_move = is_move;
    if (is_known && estimate->inferences > 1) {
        bool is_batch = is_matrix && maker.op->weight_count == 0;
        maker.inferences = tacho_space_axis(&maker, is_batch ? TACHO_AXIS_BATCH : TACHO_AXIS_ROW,
                                            estimate->inferences);
    }
    if (!is_known || is_move) {
        return tacho_space_move(&maker, is_known ? tacho_space_parts(estimate, op) : 1);
    }
    if (maker.op->kind == TACHO_OP_OTHER) { /* the elements that a result needs are unknown */
        return tacho_space_move(&maker, 1);
    }
    if (is_empty_product(&maker)) {
        return add_results_alone(&maker);
    }
    TACHO_TRY(is_matrix ? tacho_space_matrix(&maker) : tacho_space_vector(&maker));
    if (is_cast && space->access_count > 0) { /* a move where the machine keeps both types alike */
        space->accesses[0].is_source = !space->accesses[0].is_output;
    }
    return TACHO_OK;
}

tacho_status tacho_space_fill(const tacho_estimate *estimate, uint32_t op,
                              const tacho_space_options *options, tacho_space *space)
{
    TACHO_TRY(fill(estimate, op, options, space));
    tacho_space_mark_axes(space);
    return TACHO_OK;
}
