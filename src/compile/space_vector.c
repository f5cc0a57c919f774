/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces of everything but products: elements, windows of pools, lines that are reduced or
 * normalised.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/space.h"
#include "compile/space_window.h"

#include <string.h>

enum { ALL_DIMS = -1 };

static const tacho_attr *attrs_of(const tacho_space_maker *maker)
{
    return tacho_graph_attrs(maker->graph, maker->root);
}

static bool is_type(const tacho_space_maker *maker, const char *type)
{
    return tacho_str_equal(tacho_graph_string(maker->graph, maker->root->type),
                           tacho_str_from_cstring(type));
}

/* ---- which dimensions are lines ------------------------------------------------------------- */

static void mark(uint32_t *mask, int64_t dim, int32_t rank)
{
    dim += dim < 0 ? rank : 0;
    if (dim >= 0 && dim < rank) {
        *mask |= 1U << dim;
    }
}

static uint32_t from_dim(int64_t dim, int32_t rank)
{
    uint32_t mask = 0;
    for (int64_t i = dim < 0 ? dim + rank : dim; i < rank; i++) {
        mark(&mask, i, rank);
    }
    return mask;
}

/* Axes that a constant operand lists. */
static bool mark_constant(const tacho_space_maker *maker, size_t input, int32_t rank,
                          uint32_t *mask)
{
    int64_t dims[TACHO_RANK_MAX];
    size_t count = tacho_space_ints(maker, input, dims, TACHO_RANK_MAX);
    for (size_t i = 0; i < count; i++) {
        mark(mask, dims[i], rank);
    }
    return count > 0;
}

/* From the attributes axes or axis, or a constant operand; else |fallback|. */
static uint32_t listed_lines(const tacho_space_maker *maker, int32_t rank, uint32_t fallback)
{
    size_t count = 0;
    uint32_t mask = 0;
    const int64_t *axes = tacho_attr_ints(attrs_of(maker), maker->root->attr_count, "axes", &count);
    const tacho_attr *axis = tacho_attr_find(attrs_of(maker), maker->root->attr_count, "axis");
    for (size_t i = 0; i < count; i++) {
        mark(&mask, axes[i], rank);
    }
    if (count == 0 && axis != NULL && axis->kind == TACHO_ATTR_INT) {
        mark(&mask, axis->value.as_int, rank);
    } else if (count == 0 && !mark_constant(maker, 1, rank, &mask)) {
        return fallback;
    }
    return mask;
}

static uint32_t normalised_lines(const tacho_space_maker *maker, int32_t rank)
{
    const tacho_node *root = maker->root;
    bool has_axis = tacho_attr_find(attrs_of(maker), root->attr_count, "axis") != NULL;
    int64_t axis = tacho_attr_int(attrs_of(maker), root->attr_count, "axis", -1);
    if (is_type(maker, "InstanceNormalization")) {
        return from_dim(2, rank);
    }
    if (is_type(maker, "GroupNormalization")) {
        return from_dim(1, rank);
    }
    if (is_type(maker, "LRN") || is_type(maker, "SoftmaxCrossEntropyLoss")) {
        return 1U << 1;
    }
    if (is_type(maker, "MeanVarianceNormalization")) {
        return listed_lines(maker, rank, from_dim(0, rank));
    }
    if (maker->op->kind == TACHO_OP_SOFTMAX && root->opset > 0 && root->opset < 13) {
        return from_dim(has_axis ? axis : 1, rank);
    }
    bool is_one = maker->op->kind == TACHO_OP_SOFTMAX || is_type(maker, "LpNormalization");
    uint32_t one = 0;
    mark(&one, axis, rank);
    return is_one ? one : from_dim(has_axis ? axis : -1, rank);
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Whether dimensions |i| and |i| + 1 of the result are the same to all operands. */
static bool can_join(const tacho_space_maker *maker, const tacho_shape *result, int32_t i)
{
    const tacho_fusion *fusion = maker->estimate->fusion;
    bool can = !maker->options->keeps_dims;
    for (uint32_t k = 0; can && k < maker->op->member_count; k++) {
        const tacho_node *node = &maker->graph->nodes[fusion->members[maker->op->first_member + k]];
        for (uint32_t j = 0; can && j < node->input_count; j++) {
            const tacho_tensor *input = tacho_graph_input(maker->graph, node, j);
            uint64_t count = 0;
            can = input == NULL || (tacho_shape_elements(input->shape, &count) && count <= 1) ||
                  tacho_shape_equal(input->shape, result);
        }
    }
    (void)i;
    return can;
}

static tacho_status fill_elements(tacho_space_maker *maker, const tacho_shape *result)
{
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    tacho_shape shape = *result;
    uint64_t count = 0;
    if (result->rank > 0 && can_join(maker, result, 0) && tacho_shape_elements(result, &count)) {
        shape = (tacho_shape){1, {(int64_t)count}};
    }
    for (int32_t i = 0; i < shape.rank; i++) {
        uint64_t size = (uint64_t)shape.dims[i];
        reaches[i] = tacho_reach_along(tacho_space_axis(maker, TACHO_AXIS_ROW, size), size);
    }
    return tacho_space_rest(maker, &shape, reaches);
}

/* ---- pools ---------------------------------------------------------------------------------- */

static int64_t kernel_size(const tacho_space_maker *maker, uint32_t index)
{
    size_t count = 0;
    const int64_t *kernel =
        tacho_attr_ints(attrs_of(maker), maker->root->attr_count, "kernel_shape", &count);
    kernel = kernel != NULL
                 ? kernel
                 : tacho_attr_ints(attrs_of(maker), maker->root->attr_count, "kernel", &count);
    return kernel != NULL && index < count ? kernel[index] : 0;
}

static tacho_status fill_pool(tacho_space_maker *maker, uint32_t stored, const tacho_shape *data,
                              const tacho_shape *result)
{
    bool is_last = maker->graph->format != NULL && strcmp(maker->graph->format, "tosa") == 0;
    uint32_t rank = (uint32_t)data->rank;
    uint32_t first = is_last ? 1 : 2;
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    tacho_access *access;
    TACHO_TRY(tacho_space_access(maker, stored, data, &access));
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t size = (uint64_t)result->dims[i];
        uint32_t axis = tacho_space_axis(maker, TACHO_AXIS_ROW, size);
        reaches[i] = tacho_reach_along(axis, size);
        tacho_reach *to = tacho_access_dim(maker, access, i);
        bool is_spatial = i >= first && i < first + rank - 2;
        if (!is_spatial) {
            to->axis = axis;
        } else if (axis != TACHO_NONE) {
            tacho_window window = {.index = i - first,
                                   .count = rank - 2,
                                   .in = data->dims[i],
                                   .out = result->dims[i],
                                   .size = kernel_size(maker, i - first)};
            *to = tacho_window_reach(maker, &window);
            to->axis = axis;
        }
    }
    return tacho_space_rest(maker, result, reaches);
}

/* ---- pictures in another size ---------------------------------------------------------------- */

/* Elements that a result reaches to both sides of its place in the data. */
enum { TAPS_LINEAR = 1, TAPS_CUBIC = 2 };

/* Positions of a region depend on its numbers; products of sizes are kept small. */
static bool is_resampled(const tacho_space_maker *maker, const tacho_shape *data,
                         const tacho_shape *result)
{
    bool is_type_of_it =
        tacho_space_is_type(maker, "Resize", "tosa.resize") || is_type(maker, "Upsample");
    tacho_str mode = tacho_attr_text(attrs_of(maker), maker->root->attr_count,
                                     "coordinate_transformation_mode");
    bool is = is_type_of_it && data->rank == result->rank &&
              !tacho_str_equal(mode, TACHO_STR("tf_crop_and_resize"));
    for (int32_t i = 0; is && i < data->rank; i++) {
        is = data->dims[i] > 0 && data->dims[i] < INT32_MAX / 16 && result->dims[i] > 0 &&
             result->dims[i] < INT32_MAX / 16;
    }
    return is;
}

static tacho_status fill_resampled(tacho_space_maker *maker, uint32_t stored,
                                   const tacho_shape *data, const tacho_shape *result)
{
    tacho_str mode = tacho_attr_text(attrs_of(maker), maker->root->attr_count, "mode");
    int64_t taps = tacho_str_equal(mode, TACHO_STR("cubic")) ? TAPS_CUBIC : TAPS_LINEAR;
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    tacho_access *access;
    TACHO_TRY(tacho_space_access(maker, stored, data, &access));
    for (int32_t i = 0; i < data->rank; i++) {
        uint64_t size = (uint64_t)result->dims[i];
        uint32_t axis = tacho_space_axis(maker, TACHO_AXIS_ROW, size);
        reaches[i] = tacho_reach_along(axis, size);
        tacho_reach *to = tacho_access_dim(maker, access, (uint32_t)i);
        if (axis != TACHO_NONE && data->dims[i] != result->dims[i]) {
            *to = tacho_window_resampled(data->dims[i], result->dims[i], taps);
        }
        to->axis = axis;
    }
    return tacho_space_rest(maker, result, reaches);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* The sizes of dimensions other than lines are those of the result, in their order. */
static bool matches(const tacho_shape *data, uint32_t lines, const tacho_shape *result)
{
    int32_t at = 0;
    for (int32_t i = 0; i < data->rank; i++) {
        bool is_line = (lines >> i & 1) != 0;
        bool is_kept = result->rank == data->rank;
        if (is_kept ? result->dims[i] != (is_line ? 1 : data->dims[i])
                    : !is_line && (at >= result->rank || result->dims[at++] != data->dims[i])) {
            return false;
        }
    }
    return result->rank == data->rank || at == result->rank;
}

/* Every line becomes one element. */
static tacho_status fill_reduction(tacho_space_maker *maker, uint32_t stored,
                                   const tacho_shape *data, const tacho_shape *result)
{
    bool is_pool = maker->op->kind == TACHO_OP_POOL;
    uint32_t lines = is_pool ? from_dim(2, data->rank)
                             : listed_lines(maker, data->rank, from_dim(0, data->rank));
    lines = matches(data, lines, result) ? lines : from_dim(0, data->rank);
    bool is_matched = matches(data, lines, result);
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    tacho_access *access;
    int32_t at = 0;
    TACHO_TRY(tacho_space_access(maker, stored, data, &access));
    for (int32_t i = 0; i < data->rank; i++) {
        uint64_t size = (uint64_t)data->dims[i];
        bool is_line = (lines >> i & 1) != 0;
        uint32_t axis = tacho_space_axis(maker, is_line ? TACHO_AXIS_SUM : TACHO_AXIS_ROW, size);
        tacho_access_dim(maker, access, (uint32_t)i)->axis = axis;
        if (result->rank == data->rank || !is_line) {
            reaches[at++] = tacho_reach_along(is_line ? TACHO_NONE : axis, is_line ? 1 : size);
        }
    }
    tacho_shape none = {0, {0}};
    return is_matched ? tacho_space_rest(maker, result, reaches)
                      : tacho_space_rest(maker, &none, reaches);
}

/* Every element of a line needs all of it. */
static tacho_status fill_lines(tacho_space_maker *maker, const tacho_shape *data, uint32_t lines)
{
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    maker->space->has_passes = true;
    for (int32_t i = 0; i < data->rank; i++) {
        uint64_t size = (uint64_t)data->dims[i];
        bool is_line = (lines >> i & 1) != 0;
        uint32_t axis = tacho_space_axis(maker, is_line ? TACHO_AXIS_SUM : TACHO_AXIS_ROW, size);
        reaches[i] = tacho_reach_along(axis, size);
    }
    return tacho_space_rest(maker, data, reaches);
}

tacho_status tacho_space_vector(tacho_space_maker *maker)
{
    const tacho_tensor *made =
        maker->root->output_count > 0 ? tacho_graph_output(maker->graph, maker->root, 0) : NULL;
    uint32_t stored;
    const tacho_shape *data;
    static const tacho_shape none = {0, {0}};
    const tacho_shape *result = made != NULL ? made->shape : &none;
    if (!tacho_space_input(maker, 0, &stored, &data)) {
        return fill_elements(maker, result);
    }
    uint64_t in = 0;
    uint64_t out = 0;
    bool is_same = tacho_shape_elements(data, &in) && tacho_shape_elements(result, &out) &&
                   in == out && data->rank == result->rank;
    switch ((int)maker->op->kind) {
    case TACHO_OP_POOL:
        if (data->rank < 3 || result->rank != data->rank) {
            return fill_reduction(maker, stored, data, result);
        }
        return kernel_size(maker, 0) > 0 ? fill_pool(maker, stored, data, result)
                                         : fill_reduction(maker, stored, data, result);
    case TACHO_OP_REDUCTION: /* running sums are as long as their lines */
        return is_same && in > 1
                   ? fill_lines(maker, data,
                                listed_lines(maker, data->rank, from_dim(0, data->rank)))
                   : fill_reduction(maker, stored, data, result);
    case TACHO_OP_SOFTMAX:
    case TACHO_OP_NORMALISATION:
        return is_same ? fill_lines(maker, data, normalised_lines(maker, data->rank))
                       : fill_reduction(maker, stored, data, result);
    default: /* a scale over all elements is one line of all of them */
        if (is_same && in > 1 && is_type(maker, "DynamicQuantizeLinear")) {
            return fill_lines(maker, data, from_dim(0, data->rank));
        }
        if (is_same && maker->op->output_count > 1 && is_type(maker, "BatchNormalization")) {
            return fill_lines(maker, data, from_dim(0, data->rank) & ~(1U << 1)); /* training */
        }
        return is_resampled(maker, data, result)
                   ? fill_resampled(maker, stored, data, result)
                   : fill_elements(maker, result);
    }
}
