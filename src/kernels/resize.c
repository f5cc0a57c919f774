/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling. Each dimension on its own gives every place of the output a few elements of the
 * input and their weights; a result is the sum over all their combinations, in double, the
 * outermost dimension first.
 */
#include "base/arena.h"
#include "base/whole.h"
#include "kernels/call.h"
#include "kernels/walk.h"

#include <math.h>

typedef enum method { NEAREST, LINEAR, CUBIC } method;

/* The source elements of one place in one dimension, and their weights. */
typedef struct taps {
    int64_t *at;
    double *weight;
    int64_t count;
    bool is_outside; /* the place is extrapolated */
} taps;

typedef struct resize {
    const tacho_kernel_call *call;
    method how;
    const char *coordinates;            /* the mode's name */
    double cubic;                       /* the coefficient a */
    bool excludes_outside, is_smoothed; /* filters are stretched where pictures shrink */
    taps *by_dim[TACHO_RANK_MAX];
} resize;

/* ---- coordinates --------------------------------------------------------------------------- */

static bool is_mode(const resize *self, const char *name)
{
    return strcmp(self->coordinates, name) == 0;
}

/* The position of place |x| of |out| in |in| elements; |roi| are start and end of a region. */
static double source_of(const resize *self, double x, double in, double out, double scale,
                        const double roi[2])
{
    double length = scale * in; /* unrounded length of |out| */
    if (is_mode(self, "asymmetric")) {
        return x / scale;
    }
    if (is_mode(self, "align_corners")) {
        return length == 1 ? 0 : x * (in - 1) / (length - 1);
    }
    if (is_mode(self, "pytorch_half_pixel")) {
        return length > 1 ? (x + 0.5) / scale - 0.5 : -0.5;
    }
    if (is_mode(self, "tf_half_pixel_for_nn")) {
        return (x + 0.5) / scale;
    }
    if (is_mode(self, "half_pixel_symmetric")) {
        return in / 2 * (1 - out / length) + (x + 0.5) / scale - 0.5;
    }
    if (is_mode(self, "tf_crop_and_resize")) {
        return out > 1 ? roi[0] * (in - 1) + x * (roi[1] - roi[0]) * (in - 1) / (out - 1)
                       : 0.5 * (roi[0] + roi[1]) * (in - 1);
    }
    return (x + 0.5) / scale - 0.5;
}

/* ---- weights ------------------------------------------------------------------------------- */

static double round_source(const resize *self, double source)
{
    tacho_str mode = tacho_attr_text(self->call->attrs, self->call->attr_count, "nearest_mode");
    if (tacho_call_before(self->call, 11) || tacho_str_equal(mode, TACHO_STR("floor"))) {
        return floor(source);
    }
    if (tacho_str_equal(mode, TACHO_STR("ceil"))) {
        return ceil(source);
    }
    return tacho_str_equal(mode, TACHO_STR("round_prefer_ceil")) ? floor(source + 0.5)
                                                                 : ceil(source - 0.5);
}

static double cubic_weight(double a, double distance)
{
    double d = fabs(distance);
    if (d <= 1) {
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    }
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* How far the weights of a place reach, and how many elements that is at most. */
static double reach_of(const resize *self, double scale, int64_t *out_count)
{
    double stretch = self->is_smoothed && scale < 1 ? 1 / scale : 1;
    double reach = (self->how == CUBIC ? 2 : 1) * stretch;
    *out_count = self->how == NEAREST ? 1 : 2 * tacho_whole_i64(ceil(reach));
    return reach;
}

static double weight_of(const resize *self, double away, double scale)
{
    double distance = self->is_smoothed && scale < 1 ? away * scale : away;
    if (self->how == CUBIC) {
        return cubic_weight(self->cubic, distance);
    }
    double weight = 1 - fabs(distance);
    return self->how == NEAREST ? 1 : self->is_smoothed && weight < 0 ? 0 : weight;
}

/* Fills |made|, which has room for |count| elements, for a place at position |source| of |in|. */
static void fill_taps(const resize *self, double source, int64_t in, double scale, taps *made)
{
    double last = (double)(in - 1), sum = 0;
    double reach = reach_of(self, scale, &made->count);
    if (is_mode(self, "tf_crop_and_resize")) {
        made->is_outside = source < 0 || source > last;
    }
    double first =
        self->how == NEAREST ? round_source(self, source) : floor(source) - (ceil(reach) - 1);
    for (int64_t i = 0; i < made->count; i++) {
        double at = first + (double)i;
        bool is_out = at < 0 || at > last || isnan(at);
        made->weight[i] = self->excludes_outside && is_out && self->how != NEAREST
                              ? 0
                              : weight_of(self, source - at, scale);
        made->at[i] = tacho_whole_i64(at > 0 ? (at < last ? at : last) : 0);
        sum += made->weight[i];
    }
    bool is_normalised = self->excludes_outside || (self->is_smoothed && self->how != NEAREST);
    for (int64_t i = 0; is_normalised && sum != 0 && i < made->count; i++) {
        made->weight[i] /= sum;
    }
}

/* ---- parameters ---------------------------------------------------------------------------- */

/* The tensor that has the scales, and that of the sizes; NULL when absent or empty. */
static void find_inputs(const tacho_kernel_call *call, const tacho_array **out_scales,
                        const tacho_array **out_sizes)
{
    bool is_old = tacho_call_before(call, 11);
    *out_scales = tacho_call_input(call, is_old ? 1 : 2);
    *out_sizes = is_old ? NULL : tacho_call_input(call, 3);
    if (*out_scales != NULL && tacho_array_elements(*out_scales) == 0) {
        *out_scales = NULL;
    }
    if (*out_sizes != NULL && tacho_array_elements(*out_sizes) == 0) {
        *out_sizes = NULL;
    }
}

/* The scale and the region of each dimension. */
static tacho_status read_scales(const tacho_kernel_call *call, double scales[TACHO_RANK_MAX],
                                double rois[TACHO_RANK_MAX][2])
{
    const tacho_array *given, *sizes, *roi = tacho_call_input(call, 1);
    const tacho_shape *in = &call->inputs[0]->shape, *out = &call->outputs[0].shape;
    find_inputs(call, &given, &sizes);
    size_t axis_count;
    const int64_t *axes = tacho_call_ints(call, "axes", &axis_count);
    int64_t count = axes == NULL ? in->rank : (int64_t)axis_count;
    const tacho_attr *old = tacho_attr_find(call->attrs, call->attr_count, "scales");
    bool has_roi = roi != NULL && !tacho_call_before(call, 11) && tacho_is_real(roi) &&
                   tacho_array_elements(roi) == 2 * count;
    if ((given != NULL && (!tacho_is_real(given) || tacho_array_elements(given) != count)) ||
        (old != NULL && (old->kind != TACHO_ATTR_REALS || old->count != (uint32_t)in->rank))) {
        return tacho_wrong_shapes("a resampling");
    }
    for (int32_t i = 0; i < in->rank; i++) {
        scales[i] = (double)out->dims[i] / (double)in->dims[i];
        rois[i][0] = 0;
        rois[i][1] = 1;
        if (old != NULL && given == NULL) {
            scales[i] = old->value.as_reals[i];
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t axis = (int32_t)i;
        if (axes != NULL && !tacho_axis_resolve(axes[i], in->rank, &axis)) {
            return tacho_wrong_shapes("a resampling");
        }
        if (given != NULL && sizes == NULL) {
            scales[axis] = tacho_real_at(given, i);
        }
        rois[axis][0] = has_roi ? tacho_real_at(roi, i) : 0;
        rois[axis][1] = has_roi ? tacho_real_at(roi, count + i) : 1;
    }
    return TACHO_OK;
}

/* Room for the taps of all |places| of a dimension, |each| elements for each. */
static tacho_status make_room(tacho_arena *arena, int64_t places, int64_t each, taps **out_taps)
{
    void *memory[3] = {NULL};
    size_t all = 0, bytes[3];
    if (__builtin_mul_overflow((size_t)places, (size_t)each, &all) ||
        __builtin_mul_overflow((size_t)places, sizeof(taps), &bytes[0]) ||
        __builtin_mul_overflow(all, sizeof(int64_t), &bytes[1]) ||
        __builtin_mul_overflow(all, sizeof(double), &bytes[2])) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < 3; i++) {
        TACHO_TRY(tacho_arena_alloc(arena, bytes[i], &memory[i]));
    }
    taps *made = memory[0];
    for (int64_t i = 0; i < places; i++) {
        made[i] =
            (taps){.at = (int64_t *)memory[1] + i * each, .weight = (double *)memory[2] + i * each};
    }
    *out_taps = made;
    return TACHO_OK;
}

static tacho_status make_taps(resize *self, tacho_arena *arena, int32_t dim, double scale,
                              const double roi[2])
{
    int64_t in = self->call->inputs[0]->shape.dims[dim], each = 1;
    int64_t out = self->call->outputs[0].shape.dims[dim];
    bool is_same = in == out && scale == 1 && roi[0] == 0 && roi[1] == 1;
    /* The scale may be a value that no shape has been checked against. */
    if (self->is_smoothed && !(scale * ((double)in + 1) >= 0.5)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%lld elements are scaled by %g", (long long)in,
                          scale);
    }
    if (!is_same) {
        (void)reach_of(self, scale, &each);
    }
    TACHO_TRY(make_room(arena, out, each, &self->by_dim[dim]));
    for (int64_t x = 0; x < out; x++) {
        taps *made = &self->by_dim[dim][x];
        if (is_same) {
            made->count = 1;
            made->at[0] = x;
            made->weight[0] = 1;
        } else {
            double source = source_of(self, (double)x, (double)in, (double)out, scale, roi);
            fill_taps(self, source, in, scale, made);
        }
    }
    return TACHO_OK;
}

static tacho_status make_all_taps(resize *self, tacho_arena *arena)
{
    double scales[TACHO_RANK_MAX], rois[TACHO_RANK_MAX][2];
    TACHO_TRY(read_scales(self->call, scales, rois));
    for (int32_t i = 0; i < self->call->inputs[0]->shape.rank; i++) {
        TACHO_TRY(make_taps(self, arena, i, scales[i], rois[i]));
    }
    return TACHO_OK;
}

/* ---- results ------------------------------------------------------------------------------- */

/* The sum over all combinations of taps; true where it is not extrapolated. */
static bool combine(const resize *self, const taps *const *at, const int64_t *steps,
                    double *out_sum)
{
    int32_t rank = self->call->inputs[0]->shape.rank;
    int64_t index[TACHO_RANK_MAX] = {0};
    *out_sum = -0.0; /* adding to it changes nothing: a single -0 stays -0 */
    for (int32_t i = 0; i < rank; i++) {
        if (at[i]->is_outside) {
            return false;
        }
    }
    for (bool is_done = false; !is_done;) {
        double weight = 1;
        int64_t from = 0;
        for (int32_t i = 0; i < rank; i++) {
            weight *= at[i]->weight[index[i]];
            from += at[i]->at[index[i]] * steps[i];
        }
        if (weight != 0) {
            *out_sum += weight * tacho_real_at(self->call->inputs[0], from);
        }
        is_done = true;
        for (int32_t i = rank - 1; i >= 0 && is_done; i--) {
            is_done = ++index[i] == at[i]->count;
            index[i] = is_done ? 0 : index[i];
        }
    }
    return true;
}

/*
 * As in the standard's own evaluation and ONNX Runtime, the fraction of an integer is dropped; a
 * sum that its roundings leave just below a whole number is that number. Overshoot of cubic
 * interpolation is held within the type.
 */
static int64_t hold(double sum, tacho_dtype dtype)
{
    double whole = fabs(sum - rint(sum)) < 1e-9 ? rint(sum) : trunc(sum);
    double least = (double)tacho_int_min(dtype), most = (double)tacho_int_max(dtype);
    return whole <= least  ? tacho_int_min(dtype)
           : whole >= most ? tacho_int_max(dtype)
                           : tacho_whole_i64(whole);
}

static tacho_status run(resize *self, tacho_arena *arena)
{
    const tacho_array *input = self->call->inputs[0];
    tacho_array *output = &self->call->outputs[0];
    double extrapolated = tacho_call_real(self->call, "extrapolation_value", 0);
    int64_t steps[TACHO_RANK_MAX] = {0}, total = tacho_array_elements(output);
    TACHO_TRY(make_all_taps(self, arena));
    tacho_shape_steps(&input->shape, steps);
    for (int64_t i = 0; i < total; i++) {
        const taps *at[TACHO_RANK_MAX];
        int64_t rest = i;
        double sum;
        for (int32_t j = output->shape.rank - 1; j >= 0; j--) {
            at[j] = &self->by_dim[j][rest % output->shape.dims[j]];
            rest /= output->shape.dims[j];
        }
        sum = combine(self, at, steps, &sum) ? sum : extrapolated;
        if (tacho_is_real(output)) {
            tacho_set_real(output, i, sum);
        } else {
            tacho_set_int(output, i, hold(sum, output->dtype));
        }
    }
    return TACHO_OK;
}

static tacho_status compute_resize(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    static const char *const known[] = {
        "half_pixel",           "asymmetric",           "align_corners",     "pytorch_half_pixel",
        "tf_half_pixel_for_nn", "half_pixel_symmetric", "tf_crop_and_resize"};
    resize self = {.call = call,
                   .coordinates = tacho_call_before(call, 11) ? "asymmetric" : "half_pixel",
                   .cubic = tacho_call_real(call, "cubic_coeff_a", -0.75),
                   .excludes_outside = tacho_call_int(call, "exclude_outside", 0) != 0,
                   .is_smoothed = tacho_call_int(call, "antialias", 0) != 0};
    self.how = tacho_call_is(call, "mode", "cubic") ? CUBIC
               : tacho_call_is(call, "mode", "linear") || tacho_call_is(call, "mode", "bilinear")
                   ? LINEAR
                   : NEAREST;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        self.coordinates = tacho_call_is(call, "coordinate_transformation_mode", known[i])
                               ? known[i]
                               : self.coordinates;
    }
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER ||
        tacho_dtype_element_bytes(input->dtype) > (tacho_is_real(input) ? 8 : 4) ||
        call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("a resampling", input->dtype);
    }
    if (call->outputs[0].shape.rank != input->shape.rank) {
        return tacho_wrong_shapes("a resampling");
    }
    if (tacho_array_elements(&call->outputs[0]) == 0) {
        return TACHO_OK;
    }
    if (tacho_array_elements(input) == 0) {
        return tacho_wrong_shapes("a resampling");
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = run(&self, &arena);
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_kernel tacho_resize_kernels[] = {
    {"Resize", TACHO_KERNEL_HEAVY, compute_resize},
    {"Upsample", TACHO_KERNEL_HEAVY, compute_resize},
    {0},
};
