/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces of products: convolutions with the reach of their windows, matrices, steps of sequences.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/space.h"
#include "compile/space_window.h"
#include "graph/einsum.h"

static const tacho_shape *result_of(const tacho_space_maker *maker)
{
    for (uint32_t i = 0; i < maker->root->output_count; i++) {
        const tacho_tensor *made = tacho_graph_output(maker->graph, maker->root, i);
        if (made != NULL) {
            return made->shape;
        }
    }
    return NULL;
}

/* ---- fallback ------------------------------------------------------------------------------- */

/* The product of the sizes, with operands whose elements are not known. */
static tacho_status fill_plain(tacho_space_maker *maker)
{
    const tacho_work *work = maker->work;
    uint64_t inferences = maker->inferences != TACHO_NONE ? maker->estimate->inferences : 1;
    bool is_batch = maker->inferences != TACHO_NONE &&
                    maker->space->axes[maker->inferences].role == TACHO_AXIS_BATCH;
    uint32_t b = tacho_space_axis(maker, TACHO_AXIS_BATCH,
                                  is_batch ? work->batch / inferences : work->batch);
    uint32_t m = tacho_space_axis(maker, TACHO_AXIS_ROW, is_batch ? work->m : work->m / inferences);
    uint32_t n = tacho_space_axis(maker, TACHO_AXIS_COLUMN, work->n);
    uint32_t k = tacho_space_axis(maker, TACHO_AXIS_SUM, work->k_channels);
    const uint32_t axes[3][3] = {{b, m, k}, {b, n, k}, {b, m, n}};
    uint32_t stored;
    const tacho_shape *seen;
    tacho_access *access;
    maker->space->depth = work->k_window;
    for (size_t i = 0; i < 2; i++) {
        size_t which = i == 0 ? 0 : tacho_op_second_operand(maker->root->def);
        if (tacho_space_input(maker, which, &stored, &seen)) {
            TACHO_TRY(tacho_space_access(maker, stored, seen, &access));
            tacho_access_forget(maker, access, axes[i], 3);
        }
    }
    tacho_shape result = {3,
                          {(int64_t)(b != TACHO_NONE ? maker->space->axes[b].size : 1),
                           (int64_t)(m != TACHO_NONE ? maker->space->axes[m].size : 1),
                           (int64_t)work->n}};
    const tacho_reach reaches[] = {tacho_reach_along(b, (uint64_t)result.dims[0]),
                                   tacho_reach_along(m, (uint64_t)result.dims[1]),
                                   tacho_reach_along(n, (uint64_t)result.dims[2])};
    return tacho_space_rest(maker, &result, reaches);
}

/* ---- convolutions --------------------------------------------------------------------------- */

/* The order of dimensions in a convolution's tensors. */
typedef struct layout {
    const tacho_shape *data, *kernel, *result;
    uint32_t stored, kernel_stored;
    uint32_t spatial;       /* positions' dimensions ... */
    uint32_t first_spatial; /* ... from this one of data and result on */
    uint32_t channel;       /* dimension of data and result */
    uint32_t first_window;  /* dimension of the kernel */
    uint64_t groups, in_each, out_each;
    bool is_transposed;
} layout;

static bool read_layout(const tacho_space_maker *maker, layout *out)
{
    const tacho_node *root = maker->root;
    *out = (layout){.result = result_of(maker), .groups = 1};
    if (!tacho_space_input(maker, 0, &out->stored, &out->data) ||
        !tacho_space_input(maker, tacho_op_second_operand(root->def), &out->kernel_stored,
                           &out->kernel) ||
        out->result == NULL || out->kernel->rank < 3 || out->data->rank != out->kernel->rank ||
        out->result->rank != out->data->rank) {
        return false;
    }
    bool is_last = tacho_op_has(root->def, TACHO_OP_CHANNELS_LAST);
    uint32_t rank = (uint32_t)out->data->rank;
    const int64_t *kernel = out->kernel->dims;
    out->is_transposed = maker->op->kind == TACHO_OP_DECONVOLUTION;
    out->spatial = rank - 2;
    out->first_spatial = is_last ? 1 : 2;
    out->channel = is_last ? rank - 1 : 1;
    out->first_window = is_last ? 1 : 2;
    uint64_t in = (uint64_t)out->data->dims[out->channel];
    uint64_t all = (uint64_t)out->result->dims[out->channel];
    if (is_last && tacho_op_has(root->def, TACHO_OP_IS_DEPTHWISE)) {
        out->first_window = 0;
        out->groups = (uint64_t)kernel[2];
    } else if (!is_last) {
        out->groups = (uint64_t)tacho_attr_int(tacho_graph_attrs(maker->graph, root),
                                               root->attr_count, "group", 1);
    }
    if (out->groups == 0 || in % out->groups != 0 || all % out->groups != 0) {
        return false;
    }
    out->in_each = in / out->groups;
    out->out_each = all / out->groups;
    return true;
}

/* Channels of one group after the other. */
static tacho_reach channel_reach(uint32_t group, uint32_t axis, uint64_t each, uint64_t all)
{
    tacho_reach reach = tacho_reach_along(axis, all);
    if (group == TACHO_NONE) {
        return reach;
    }
    if (axis == TACHO_NONE) { /* all channels of a group */
        reach.axis = group;
        reach.scale = (int64_t)each;
        reach.window = (int64_t)each;
        return reach;
    }
    reach.outer = group;
    reach.outer_scale = each;
    return reach;
}

typedef struct convolution_axes {
    uint32_t image, group, out, in;
} convolution_axes;

static tacho_status map_kernel(tacho_space_maker *maker, const layout *of, convolution_axes axes)
{
    tacho_access *kernel;
    TACHO_TRY(tacho_space_access(maker, of->kernel_stored, of->kernel, &kernel));
    uint64_t in_all = of->in_each * of->groups;
    uint64_t out_all = of->out_each * of->groups;
    tacho_reach outs = channel_reach(axes.group, axes.out, of->out_each, out_all);
    if (of->first_window == 0) { /* [window, in, multiplier] */
        *tacho_access_dim(maker, kernel, 2) = tacho_reach_along(axes.group, of->groups);
        *tacho_access_dim(maker, kernel, 3) = tacho_reach_along(axes.out, of->out_each);
    } else if (of->is_transposed && of->first_window == 2) { /* [in, out of a group, window] */
        *tacho_access_dim(maker, kernel, 0) =
            channel_reach(axes.group, axes.in, of->in_each, in_all);
        *tacho_access_dim(maker, kernel, 1) = tacho_reach_along(axes.out, of->out_each);
    } else { /* [out, in of a group, window] or [out, window, in] */
        uint32_t in_dim = of->first_window == 2 ? 1 : (uint32_t)of->kernel->rank - 1;
        *tacho_access_dim(maker, kernel, 0) = outs;
        *tacho_access_dim(maker, kernel, in_dim) = tacho_reach_along(axes.in, of->in_each);
    }
    return TACHO_OK;
}

/* Maps positions of the result to the data that each reads. */
static void map_positions(tacho_space_maker *maker, const layout *of, tacho_access *data,
                          tacho_reach *result)
{
    for (uint32_t i = 0; i < of->spatial; i++) {
        uint32_t dim = of->first_spatial + i;
        uint64_t in = (uint64_t)of->data->dims[dim];
        uint64_t out = (uint64_t)of->result->dims[dim];
        uint32_t axis = tacho_space_axis(maker, TACHO_AXIS_ROW, out);
        tacho_window window = {.index = i,
                               .count = of->spatial,
                               .in = (int64_t)in,
                               .out = (int64_t)out,
                               .size = of->kernel->dims[of->first_window + i]};
        tacho_reach reach = of->is_transposed ? tacho_window_back(maker, &window)
                                              : tacho_window_reach(maker, &window);
        reach.axis = axis;
        result[dim] = tacho_reach_along(axis, out);
        *tacho_access_dim(maker, data, dim) =
            axis == TACHO_NONE ? tacho_reach_along(axis, in) : reach;
        if (axis != TACHO_NONE && of->is_transposed) {
            maker->space->axes[axis].counted = in;
        } else if (axis == TACHO_NONE && of->is_transposed) {
            maker->space->depth *= in;
        }
    }
}

static tacho_status fill_convolution(tacho_space_maker *maker)
{
    layout of;
    if (!read_layout(maker, &of)) {
        return fill_plain(maker);
    }
    tacho_space *space = maker->space;
    tacho_reach result[TACHO_BOX_RANK_MAX];
    tacho_access *data;
    uint64_t area = 1;
    for (uint32_t i = 0; i < of.spatial; i++) {
        area = tacho_size_multiply(area, (uint64_t)of.kernel->dims[of.first_window + i]);
    }
    space->depth = of.is_transposed ? 1 : area;
    convolution_axes axes = {
        .image = tacho_space_axis(maker, TACHO_AXIS_ROW, (uint64_t)of.data->dims[0]),
        .group = tacho_space_axis(maker, TACHO_AXIS_BATCH, of.groups),
        .out = tacho_space_axis(maker, TACHO_AXIS_COLUMN, of.out_each),
        .in = tacho_space_axis(maker, TACHO_AXIS_SUM, of.in_each),
    };
    const uint32_t inner[] = {axes.out, axes.in};
    for (size_t i = 0; i < 2; i++) {
        if (inner[i] != TACHO_NONE) {
            space->axes[inner[i]].waits_batch = axes.group != TACHO_NONE;
        }
    }
    if (of.is_transposed && axes.out != TACHO_NONE) {
        space->axes[axes.out].counted = of.out_each * area;
    } else if (of.is_transposed) {
        space->depth = area;
    }
    TACHO_TRY(tacho_space_access(maker, of.stored, of.data, &data));
    size_t at = (size_t)(data - space->accesses);
    *tacho_access_dim(maker, data, 0) = tacho_reach_along(axes.image, (uint64_t)of.data->dims[0]);
    *tacho_access_dim(maker, data, of.channel) =
        channel_reach(axes.group, axes.in, of.in_each, of.in_each * of.groups);
    result[0] = tacho_reach_along(axes.image, (uint64_t)of.data->dims[0]);
    result[of.channel] = channel_reach(axes.group, axes.out, of.out_each, of.out_each * of.groups);
    map_positions(maker, &of, &space->accesses[at], result);
    TACHO_TRY(map_kernel(maker, &of, axes));
    return tacho_space_rest(maker, of.result, result);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static int64_t from_end(const tacho_shape *shape, int32_t i)
{
    return shape->rank >= i ? shape->dims[shape->rank - i] : 1;
}

static int64_t batches(const tacho_shape *shape)
{
    int64_t count = 1;
    for (int32_t i = 0; i + 2 < shape->rank; i++) {
        count *= shape->dims[i];
    }
    return count;
}

/* Dimensions in front of the matrix: those of the result, from the last one on. */
static void map_batches(const tacho_space_maker *maker, tacho_access *access,
                        const tacho_shape *shape, const tacho_shape *result,
                        const tacho_reach *reaches)
{
    for (int32_t i = 3; i <= shape->rank; i++) {
        int32_t at = result->rank - i;
        if (at >= 0 && from_end(shape, i) == result->dims[at] && result->dims[at] > 1) {
            *tacho_access_dim(maker, access, (uint32_t)(shape->rank - i)) = reaches[at];
        }
    }
}

typedef struct matmul {
    const tacho_shape *a, *b, *result;
    uint32_t a_stored, b_stored;
    bool a_turned, b_turned;
    int64_t m, n, k;
} matmul;

static bool read_matmul(const tacho_space_maker *maker, matmul *of)
{
    const tacho_node *root = maker->root;
    const tacho_attr *attrs = tacho_graph_attrs(maker->graph, root);
    *of = (matmul){.result = result_of(maker)};
    if (tacho_op_has(root->def, TACHO_OP_IS_EINSUM) || of->result == NULL ||
        !tacho_space_input(maker, 0, &of->a_stored, &of->a) ||
        !tacho_space_input(maker, tacho_op_second_operand(root->def), &of->b_stored, &of->b) ||
        of->a->rank < 2 || of->b->rank < 2 || of->result->rank < 2) {
        return false;
    }
    of->a_turned = tacho_attr_int(attrs, root->attr_count, "transA", 0) != 0;
    of->b_turned = tacho_attr_int(attrs, root->attr_count, "transB", 0) != 0;
    of->m = from_end(of->a, of->a_turned ? 1 : 2);
    of->k = from_end(of->a, of->a_turned ? 2 : 1);
    of->n = from_end(of->b, of->b_turned ? 2 : 1);
    return of->k == from_end(of->b, of->b_turned ? 1 : 2) && of->m == from_end(of->result, 2) &&
           of->n == from_end(of->result, 1) && of->result->rank >= of->a->rank &&
           of->result->rank >= of->b->rank;
}

static tacho_status fill_matmul(tacho_space_maker *maker)
{
    matmul of;
    if (!read_matmul(maker, &of)) {
        return fill_plain(maker);
    }
    tacho_reach result[TACHO_BOX_RANK_MAX];
    int32_t rank = of.result->rank;
    tacho_axis_role outer = batches(of.b) == 1 ? TACHO_AXIS_ROW : TACHO_AXIS_BATCH;
    for (int32_t i = 0; i + 2 < rank; i++) {
        uint64_t size = (uint64_t)of.result->dims[i];
        result[i] = tacho_reach_along(tacho_space_axis(maker, outer, size), size);
    }
    uint32_t m = tacho_space_axis(maker, TACHO_AXIS_ROW, (uint64_t)of.m);
    uint32_t n = tacho_space_axis(maker, TACHO_AXIS_COLUMN, (uint64_t)of.n);
    uint32_t k = tacho_space_axis(maker, TACHO_AXIS_SUM, (uint64_t)of.k);
    result[rank - 2] = tacho_reach_along(m, (uint64_t)of.m);
    result[rank - 1] = tacho_reach_along(n, (uint64_t)of.n);
    tacho_access *access;
    TACHO_TRY(tacho_space_access(maker, of.a_stored, of.a, &access));
    uint32_t last = (uint32_t)of.a->rank - 1;
    map_batches(maker, access, of.a, of.result, result);
    *tacho_access_dim(maker, access, last - (of.a_turned ? 0 : 1)) =
        tacho_reach_along(m, (uint64_t)of.m);
    *tacho_access_dim(maker, access, last - (of.a_turned ? 1 : 0)) =
        tacho_reach_along(k, (uint64_t)of.k);
    TACHO_TRY(tacho_space_access(maker, of.b_stored, of.b, &access));
    last = (uint32_t)of.b->rank - 1;
    map_batches(maker, access, of.b, of.result, result);
    *tacho_access_dim(maker, access, last - (of.b_turned ? 1 : 0)) =
        tacho_reach_along(n, (uint64_t)of.n);
    *tacho_access_dim(maker, access, last - (of.b_turned ? 0 : 1)) =
        tacho_reach_along(k, (uint64_t)of.k);
    return tacho_space_rest(maker, of.result, result);
}

/* ---- sequences ------------------------------------------------------------------------------ */

typedef struct recurrence {
    uint32_t direction, step, unit; /* axes */
    uint32_t sample;                /* axis of samples, where there is one step */
    uint64_t directions, units, gates;
    bool is_batch_first;
    bool is_reverse; /* of one direction: from the last step to the first */
} recurrence;

/* A dimension of steps: the other direction runs from the last one to the first. */
static tacho_reach along_steps(const recurrence *of, uint64_t size)
{
    tacho_reach reach = tacho_reach_along(of->step, size);
    reach.is_mirrored = of->step != TACHO_NONE && (of->is_reverse || of->directions > 1);
    reach.mirror = of->directions > 1 ? of->direction : TACHO_NONE;
    return reach;
}

/* Dimensions of input |i| before a unit and after it: weights are seen with their gates apart. */
static bool weight_shape(const recurrence *of, size_t i, const tacho_shape *seen, tacho_shape *out)
{
    int64_t d = (int64_t)of->directions;
    int64_t g = (int64_t)of->gates;
    int64_t h = (int64_t)of->units;
    const tacho_shape shapes[] = {
        [1] = {4, {d, g, h, i == 1 && seen->rank == 3 ? seen->dims[2] : 1}},
        [2] = {4, {d, g, h, h}},
        [3] = {4, {d, 2, g, h}},
        [7] = {3, {d, 3, h}},
    };
    uint64_t own = 0;
    uint64_t other = 0;
    if (i >= sizeof(shapes) / sizeof(shapes[0]) || shapes[i].rank == 0) {
        return false;
    }
    *out = shapes[i];
    return tacho_shape_elements(seen, &own) && tacho_shape_elements(out, &other) && own == other;
}

/* Inputs: data by steps, weights by units and all their gates, first states by directions. */
static tacho_status map_input(tacho_space_maker *maker, const recurrence *of, size_t i)
{
    uint32_t stored;
    const tacho_shape *seen;
    tacho_shape shape;
    tacho_access *access;
    if (!tacho_space_input(maker, i, &stored, &seen) || tacho_space_has(maker->space, stored)) {
        return TACHO_OK; /* one tensor may be both first states */
    }
    if (weight_shape(of, i, seen, &shape)) {
        TACHO_TRY(tacho_space_access(maker, stored, &shape, &access));
        *tacho_access_dim(maker, access, 0) = tacho_reach_along(of->direction, of->directions);
        uint32_t dim = i <= 2 ? 2 : (uint32_t)shape.rank - 1;
        *tacho_access_dim(maker, access, dim) = tacho_reach_along(of->unit, of->units);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_space_access(maker, stored, seen, &access));
    uint32_t dim = of->is_batch_first ? 1 : 0;
    if (seen->rank == 3) {
        tacho_access_dim(maker, access, 1 - dim)->axis = of->sample;
    }
    if (seen->rank == 3 && (i == 0 || (uint64_t)seen->dims[dim] == of->directions)) {
        uint64_t size = (uint64_t)seen->dims[dim];
        *tacho_access_dim(maker, access, dim) =
            i == 0 ? along_steps(of, size) : tacho_reach_along(of->direction, size);
    }
    return TACHO_OK;
}

/* All states, or only the last ones, which are complete with the last step. */
static void map_states(const tacho_space_maker *maker, const recurrence *of, tacho_access *access)
{
    const tacho_shape *shape = maker->graph->tensors[access->tensor].shape;
    bool is_all = shape->rank == 4;
    uint32_t step = of->is_batch_first ? 1 : 0;
    uint32_t direction = is_all ? step + 1 : step;
    if (shape->rank < 3 || shape->rank > 4) {
        const uint32_t axes[] = {of->direction, of->unit};
        tacho_access_forget(maker, access, axes, 2);
        return;
    }
    if (is_all) {
        *tacho_access_dim(maker, access, step) = along_steps(of, (uint64_t)shape->dims[step]);
    }
    *tacho_access_dim(maker, access, direction) = tacho_reach_along(of->direction, of->directions);
    *tacho_access_dim(maker, access, (uint32_t)shape->rank - 1) =
        tacho_reach_along(of->unit, of->units);
    uint32_t sample = of->is_batch_first ? 0 : (uint32_t)shape->rank - 2;
    tacho_access_dim(maker, access, sample)->axis = of->sample;
}

static recurrence read_recurrence(tacho_space_maker *maker)
{
    uint32_t stored;
    const tacho_shape *seen;
    recurrence of = {.directions = maker->work->batch, .units = 1, .gates = 1};
    if (tacho_space_input(maker, 2, &stored, &seen) && seen->rank == 3 && seen->dims[2] > 0) {
        of.units = (uint64_t)seen->dims[2];
        of.gates = (uint64_t)(seen->dims[1] / seen->dims[2]);
    }
    const tacho_attr *attrs = tacho_graph_attrs(maker->graph, maker->root);
    size_t attr_count = maker->root->attr_count;
    of.is_batch_first = tacho_attr_int(attrs, attr_count, "layout", 0) != 0;
    of.is_reverse =
        tacho_str_equal(tacho_attr_text(attrs, attr_count, "direction"), TACHO_STR("reverse"));
    of.direction = tacho_space_axis(maker, TACHO_AXIS_BATCH, of.directions);
    of.step = tacho_space_axis(maker, TACHO_AXIS_ROW, maker->work->sequence);
    of.sample = TACHO_NONE;
    if (maker->work->sequence <= 1) {
        uint64_t inferences = maker->inferences != TACHO_NONE ? maker->estimate->inferences : 1;
        of.sample = tacho_space_axis(maker, TACHO_AXIS_ROW, maker->work->m / inferences);
    }
    of.unit = tacho_space_axis(maker, TACHO_AXIS_COLUMN, of.units);
    return of;
}

/* Time steps one after the other; hidden units with all their gates. */
static tacho_status fill_recurrent(tacho_space_maker *maker)
{
    const tacho_work *work = maker->work;
    tacho_space *space = maker->space;
    uint64_t inferences = maker->inferences != TACHO_NONE ? maker->estimate->inferences : 1;
    recurrence of = read_recurrence(maker);
    space->depth = work->k_channels * work->k_window;
    if (of.unit != TACHO_NONE) {
        space->axes[of.unit].counted = work->n;
    } else {
        space->depth *= work->n; /* the gates of the one unit, one after the other */
    }
    for (size_t i = 0; i < maker->root->input_count; i++) {
        TACHO_TRY(map_input(maker, &of, i));
    }
    tacho_shape none = {0, {0}};
    size_t before = space->access_count;
    TACHO_TRY(tacho_space_rest(maker, &none, NULL));
    for (size_t i = before; i < space->access_count; i++) {
        map_states(maker, &of, &space->accesses[i]);
    }
    if (of.step != TACHO_NONE) {
        space->axes[of.step].is_sequential = true;
        if (of.direction != TACHO_NONE) {
            space->axes[of.direction].is_single = true;
        }
        space->axes[of.step].counted = work->m / inferences;
        uint64_t states = tacho_space_is_type(maker, "LSTM", "tacho.QuantisedLSTM") ? 2 : 1;
        uint64_t samples = work->m / work->sequence / inferences;
        uint64_t bytes = 0;
        (void)tacho_dtype_bytes(space->accesses[0].kept, states * samples, &bytes);
        space->state = (tacho_state){.step = of.step,
                                     .inference = maker->inferences,
                                     .inferences = inferences,
                                     .direction = of.direction,
                                     .unit = of.unit,
                                     .directions = of.directions,
                                     .units = of.units,
                                     .unit_bytes = bytes};
    }
    return TACHO_OK;
}

tacho_status tacho_space_matrix(tacho_space_maker *maker)
{
    switch ((int)maker->op->kind) {
    case TACHO_OP_CONVOLUTION:
    case TACHO_OP_DECONVOLUTION:
        return fill_convolution(maker);
    case TACHO_OP_RECURRENT:
        return fill_recurrent(maker);
    default:
        return fill_matmul(maker);
    }
}
