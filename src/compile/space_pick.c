/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces of moves that take a box out of a tensor (Slice), put a tensor into a larger one (Pad) or
 * repeat its elements (Expand), with constant parameters: a box of the result is made of a box of
 * the data.
 */
#include "base/index.h"
#include "compile/space.h"

/* Where each dimension of the result begins in the data. */
typedef struct picks {
    int64_t first[TACHO_RANK_MAX];
} picks;

/* A list that an attribute gives, or a constant input. */
static size_t list_of(const tacho_space_maker *maker, const char *name, size_t input,
                      int64_t *out_ints, size_t max)
{
    size_t count = 0;
    const int64_t *ints = tacho_attr_ints(tacho_graph_attrs(maker->graph, maker->root),
                                          maker->root->attr_count, name, &count);
    if (ints == NULL) {
        return tacho_space_ints(maker, input, out_ints, max);
    }
    for (size_t i = 0; i < count && i < max; i++) {
        out_ints[i] = ints[i];
    }
    return count <= max ? count : 0;
}

static bool has_input(const tacho_space_maker *maker, size_t input)
{
    return tacho_graph_input(maker->graph, maker->root, input) != NULL;
}

/* The dimension that the |i|-th number of a list is for; -1: none. */
static int64_t listed_dim(const int64_t *axes, size_t axis_count, size_t i, int32_t rank)
{
    int64_t dim = axis_count > 0 ? (i < axis_count ? axes[i] : -1 - (int64_t)rank) : (int64_t)i;
    dim += dim < 0 ? rank : 0;
    return dim < rank ? dim : -1;
}

/* The first element taken from a dimension is within it. */
static bool read_slice(const tacho_space_maker *maker, const tacho_shape *data, picks *out)
{
    int64_t starts[TACHO_RANK_MAX];
    int64_t axes[TACHO_RANK_MAX];
    int64_t steps[TACHO_RANK_MAX];
    bool is_tosa = tacho_space_is_type(maker, "tosa.slice", "tosa.slice");
    size_t count = list_of(maker, is_tosa ? "start" : "starts", 1, starts, TACHO_RANK_MAX);
    size_t axis_count = is_tosa ? 0 : list_of(maker, "axes", 3, axes, TACHO_RANK_MAX);
    size_t step_count = is_tosa ? 0 : list_of(maker, "steps", 4, steps, TACHO_RANK_MAX);
    if (count == 0 || (!is_tosa && ((has_input(maker, 3) && axis_count != count) ||
                                    (has_input(maker, 4) && step_count != count)))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t dim = listed_dim(axes, axis_count, i, data->rank);
        int64_t step = step_count > 0 ? steps[i] : 1;
        if (dim < 0 || step != 1) { /* strided elements do not form a box */
            return false;
        }
        int64_t first = starts[i] + (starts[i] < 0 ? data->dims[dim] : 0);
        first = first > 0 ? first : 0;
        out->first[dim] = first < data->dims[dim] ? first : data->dims[dim];
    }
    return true;
}

/* Elements in front of the data, by dimension: all fronts and then all backs, or in pairs. */
static bool read_pad(const tacho_space_maker *maker, const tacho_shape *data, picks *out)
{
    int64_t pads[2 * TACHO_RANK_MAX];
    int64_t axes[TACHO_RANK_MAX];
    bool is_tosa = tacho_space_is_type(maker, "tosa.pad", "tosa.pad");
    tacho_str mode = tacho_attr_text(tacho_graph_attrs(maker->graph, maker->root),
                                     maker->root->attr_count, "mode");
    size_t count = list_of(maker, "pads", 1, pads, 2 * TACHO_RANK_MAX);
    size_t axis_count = is_tosa ? 0 : list_of(maker, "axes", 3, axes, TACHO_RANK_MAX);
    bool is_filled = mode.len == 0 || tacho_str_equal(mode, TACHO_STR("constant"));
    if (!is_filled || count == 0 || count % 2 != 0 ||
        (!is_tosa && has_input(maker, 3) && axis_count != count / 2)) {
        return false;
    }
    for (size_t i = 0; i < count / 2; i++) {
        int64_t dim = listed_dim(axes, axis_count, i, data->rank);
        int64_t front = pads[is_tosa ? 2 * i : i];
        if (dim < 0 || front > INT32_MAX || front < -data->dims[dim]) {
            return false;
        }
        out->first[dim] = -front;
    }
    return true;
}

/* Whether dimensions of the data, from the last one on, are those of the result or one. */
static bool is_repeated(const tacho_shape *data, const tacho_shape *result)
{
    bool is = data->rank <= result->rank;
    for (int32_t i = 0; is && i < data->rank; i++) {
        int64_t size = result->dims[result->rank - data->rank + i];
        is = data->dims[i] == size || data->dims[i] == 1;
    }
    return is;
}

static tacho_reach pick_reach(uint32_t axis, const tacho_shape *data, int32_t dim,
                              const picks *picked)
{
    uint64_t size = (uint64_t)data->dims[dim];
    tacho_reach reach = tacho_reach_along(axis, size);
    reach.before = -picked->first[dim];
    if (axis == TACHO_NONE && size > 1 && picked->first[dim] >= 0) { /* one of several */
        reach.is_part = true;
        reach.length = 1;
    } else if (axis == TACHO_NONE) {
        reach.before = 0;
    }
    return reach;
}

static tacho_status fill(tacho_space_maker *maker, uint32_t stored, const tacho_shape *data,
                         const picks *picked)
{
    const tacho_shape *result = tacho_graph_output(maker->graph, maker->root, 0)->shape;
    tacho_reach reaches[TACHO_BOX_RANK_MAX];
    tacho_access *access;
    TACHO_TRY(tacho_space_access(maker, stored, data, &access));
    access->is_source = true;
    for (int32_t i = 0; i < result->rank; i++) {
        uint64_t size = (uint64_t)result->dims[i];
        int32_t dim = i - (result->rank - data->rank);
        reaches[i] = tacho_reach_along(tacho_space_axis(maker, TACHO_AXIS_ROW, size), size);
        if (dim >= 0 && !(data->dims[dim] == 1 && size > 1 && !maker->space->makes_values)) {
            *tacho_access_dim(maker, access, (uint32_t)dim) =
                pick_reach(reaches[i].axis, data, dim, picked);
        }
    }
    return tacho_space_rest(maker, result, reaches);
}

bool tacho_space_pick(tacho_space_maker *maker, tacho_status *out_status)
{
    uint32_t stored;
    const tacho_shape *data;
    picks picked = {{0}};
    const tacho_tensor *made = tacho_graph_output(maker->graph, maker->root, 0);
    if (made == NULL || !tacho_space_input(maker, 0, &stored, &data) || data->rank < 1) {
        return false;
    }
    bool is_slice = tacho_space_is_type(maker, "Slice", "tosa.slice");
    bool is_pad = tacho_space_is_type(maker, "Pad", "tosa.pad");
    bool is_expand =
        tacho_space_is_type(maker, "Expand", "") || tacho_space_is_type(maker, "Tile", "tosa.tile");
    bool is_alike = made->shape->rank == data->rank;
    maker->space->makes_values = is_pad;
    bool can = (is_slice && is_alike && read_slice(maker, data, &picked)) ||
               (is_pad && is_alike && read_pad(maker, data, &picked)) ||
               (is_expand && is_repeated(data, made->shape));
    if (can) {
        *out_status = fill(maker, stored, data, &picked);
    }
    return can;
}
