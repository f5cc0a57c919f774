/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations. Means and variances are of double sums in the order of the elements, a variance
 * in a second pass; results are rounded once.
 */
#include "kernels/call.h"
#include "kernels/functions.h"

#include <math.h>
#include <stdlib.h>

/* ---- statistics ---------------------------------------------------------------------------- */

typedef struct moments {
    double mean, variance;
} moments;

/* Of |count| elements in a row, in each of |runs| runs that begin |step| apart. */
static moments moments_of(const tacho_array *array, int64_t at, int64_t count, int64_t runs,
                          int64_t step)
{
    double sum = 0, squares = 0, number = (double)count * (double)runs;
    for (int64_t r = 0; r < runs; r++) {
        for (int64_t i = 0; i < count; i++) {
            sum += tacho_real_at(array, at + r * step + i);
        }
    }
    double mean = sum / number;
    for (int64_t r = 0; r < runs; r++) {
        for (int64_t i = 0; i < count; i++) {
            double away = tacho_real_at(array, at + r * step + i) - mean;
            squares += away * away;
        }
    }
    return (moments){mean, squares / number};
}

/* Writes (x - mean) * factor * scale + shift. */
static void write_run(const tacho_array *input, tacho_array *output, int64_t at, int64_t count,
                      const double line[3])
{
    for (int64_t i = 0; i < count; i++) {
        double x = tacho_real_at(input, at + i);
        tacho_set_real(output, at + i, (x - line[0]) * line[1] + line[2]);
    }
}

/* Whether all given inputs are real and the data keeps its shape and type. */
static tacho_status check(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] != NULL && !tacho_is_real(call->inputs[i])) {
            return tacho_unsupported_type("a normalisation", call->inputs[i]->dtype);
        }
    }
    if (call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("a normalisation", input->dtype);
    }
    return tacho_shape_equal(&call->outputs[0].shape, &input->shape)
               ? TACHO_OK
               : tacho_wrong_shapes("a normalisation");
}

static bool has_elements(const tacho_array *array, int64_t count)
{
    return array != NULL && tacho_array_elements(array) == count;
}

/* ---- by channel ---------------------------------------------------------------------------- */

static tacho_status compute_batch_norm(const tacho_kernel_call *call)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0];
    tacho_split_shape split = tacho_shape_split(&input->shape, input->shape.rank < 2 ? 0 : 1);
    int64_t channels = input->shape.rank < 2 ? 1 : input->shape.dims[1];
    if (input->shape.rank < 2) {
        split = (tacho_split_shape){tacho_array_elements(input), 1, 1};
    }
    for (size_t i = 1; i < 5; i++) {
        if (!has_elements(tacho_call_input(call, i), channels)) {
            return tacho_wrong_shapes("a normalisation");
        }
    }
    double epsilon = tacho_call_real(call, "epsilon", (double)1e-5f);
    double momentum = tacho_call_real(call, "momentum", (double)0.9f);
    bool is_training = tacho_call_int(call, "training_mode", 0) != 0;
    for (int64_t c = 0; c < channels; c++) {
        moments old = {tacho_real_at(call->inputs[3], c), tacho_real_at(call->inputs[4], c)};
        moments used = old;
        if (is_training && split.outer > 0) {
            used = moments_of(input, c * split.inner, split.inner, split.outer,
                              split.dim * split.inner);
        }
        double line[3] = {used.mean,
                          tacho_real_at(call->inputs[1], c) / sqrt(used.variance + epsilon),
                          tacho_real_at(call->inputs[2], c)};
        for (int64_t i = 0; i < split.outer; i++) {
            write_run(input, &call->outputs[0], (i * split.dim + c) * split.inner, split.inner,
                      line);
        }
        tacho_array *mean = tacho_call_output(call, 1), *variance = tacho_call_output(call, 2);
        if (mean != NULL && has_elements(mean, channels)) {
            tacho_set_real(mean, c, old.mean * momentum + used.mean * (1 - momentum));
        }
        if (variance != NULL && has_elements(variance, channels)) {
            tacho_set_real(variance, c, old.variance * momentum + used.variance * (1 - momentum));
        }
    }
    return TACHO_OK;
}

/* Groups of channels of each image; scale and shift for each group or each channel. */
static tacho_status normalise_groups(const tacho_kernel_call *call, int64_t groups)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0], *scale = call->inputs[1], *shift = call->inputs[2];
    if (input->shape.rank < 2 || groups < 1 || input->shape.dims[1] % groups != 0) {
        return tacho_wrong_shapes("a normalisation");
    }
    int64_t channels = input->shape.dims[1];
    tacho_split_shape split = tacho_shape_split(&input->shape, 1);
    int64_t count = tacho_array_elements(scale), per_group = channels / groups;
    if ((count != groups && count != channels) || tacho_array_elements(shift) != count) {
        return tacho_wrong_shapes("a normalisation");
    }
    double epsilon = tacho_call_real(call, "epsilon", (double)1e-5f);
    for (int64_t i = 0; i < split.outer * groups; i++) {
        int64_t at = i * per_group * split.inner;
        moments found = moments_of(input, at, per_group * split.inner, 1, 0);
        double root = sqrt(found.variance + epsilon);
        for (int64_t c = 0; c < per_group; c++) {
            int64_t channel = i % groups * per_group + c;
            int64_t which = count == channels ? channel : i % groups;
            double line[3] = {found.mean, tacho_real_at(scale, which) / root,
                              tacho_real_at(shift, which)};
            write_run(input, &call->outputs[0], at + c * split.inner, split.inner, line);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_instance_norm(const tacho_kernel_call *call)
{
    return normalise_groups(call,
                            call->inputs[0]->shape.rank < 2 ? 0 : call->inputs[0]->shape.dims[1]);
}

static tacho_status compute_group_norm(const tacho_kernel_call *call)
{
    return normalise_groups(call, tacho_call_int(call, "num_groups", 1));
}

/* ---- by layer ------------------------------------------------------------------------------ */

/* From |axis| on, less the mean (or not) and divided by the root of the mean square. */
static tacho_status normalise_layers(const tacho_kernel_call *call, bool is_centred)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0], *scale = call->inputs[1];
    const tacho_array *shift = tacho_call_input(call, 2);
    tacho_array *means = tacho_call_output(call, 1), *roots = tacho_call_output(call, 2);
    int32_t axis;
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", -1), input->shape.rank, &axis)) {
        return tacho_wrong_shapes("a normalisation");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    int64_t layer = split.dim * split.inner;
    if ((!has_elements(scale, layer) && !has_elements(scale, 1)) ||
        (shift != NULL && !has_elements(shift, layer) && !has_elements(shift, 1)) ||
        (means != NULL && (!has_elements(means, split.outer) || !tacho_is_real(means))) ||
        (roots != NULL && (!has_elements(roots, split.outer) || !tacho_is_real(roots)))) {
        return tacho_wrong_shapes("a normalisation");
    }
    double epsilon = tacho_call_real(call, "epsilon", (double)1e-5f);
    for (int64_t i = 0; i < split.outer; i++) {
        moments found = moments_of(input, i * layer, layer, 1, 0);
        if (!is_centred) {
            found = (moments){0, found.variance + found.mean * found.mean};
        }
        double root = 1 / sqrt(found.variance + epsilon);
        for (int64_t j = 0; j < layer; j++) {
            double x = (tacho_real_at(input, i * layer + j) - found.mean) * root *
                       tacho_real_at(scale, tacho_each_or_one(scale, j));
            x += shift == NULL ? 0 : tacho_real_at(shift, tacho_each_or_one(shift, j));
            tacho_set_real(&call->outputs[0], i * layer + j, x);
        }
        if (means != NULL) {
            tacho_set_real(means, i, found.mean);
        }
        if (roots != NULL) {
            tacho_set_real(roots, i, root);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_layer_norm(const tacho_kernel_call *call)
{
    return normalise_layers(call, true);
}

static tacho_status compute_rms_norm(const tacho_kernel_call *call)
{
    return normalise_layers(call, false);
}

/* ---- by neighbours and by length ----------------------------------------------------------- */

/* x / (bias + alpha/size * sum of squares of the channels around)^beta. */
static tacho_status compute_lrn(const tacho_kernel_call *call)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0];
    int64_t size = tacho_call_int(call, "size", 1);
    if (input->shape.rank < 2 || size < 1) {
        return tacho_wrong_shapes("a normalisation");
    }
    double alpha = tacho_call_real(call, "alpha", (double)1e-4f) / (double)size;
    double beta = tacho_call_real(call, "beta", 0.75), bias = tacho_call_real(call, "bias", 1);
    tacho_split_shape split = tacho_shape_split(&input->shape, 1);
    int64_t before = (size - 1) / 2, behind = size - 1 - before;
    for (int64_t i = 0; i < split.outer * split.dim * split.inner; i++) {
        int64_t c = i / split.inner % split.dim;
        int64_t first = c < before ? 0 : c - before;
        int64_t last = behind < split.dim - c ? c + behind : split.dim - 1;
        double sum = 0;
        for (int64_t j = first; j <= last && j < split.dim; j++) {
            double x = tacho_real_at(input, i + (j - c) * split.inner);
            sum += x * x;
        }
        double base = bias + alpha * sum;
        double power = beta == 0.75 ? sqrt(base) * sqrt(sqrt(base)) : tacho_pow(base, beta);
        tacho_set_real(&call->outputs[0], i, tacho_real_at(input, i) / power);
    }
    return TACHO_OK;
}

static tacho_status compute_lp_norm(const tacho_kernel_call *call)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0];
    bool is_l1 = tacho_call_int(call, "p", 2) == 1;
    int32_t axis;
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", -1), input->shape.rank, &axis)) {
        return tacho_wrong_shapes("a normalisation");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        int64_t base = i / split.inner * split.dim * split.inner + i % split.inner;
        double sum = 0;
        for (int64_t j = 0; j < split.dim; j++) {
            double x = tacho_real_at(input, base + j * split.inner);
            sum += is_l1 ? fabs(x) : x * x;
        }
        sum = is_l1 ? sum : sqrt(sum);
        for (int64_t j = 0; j < split.dim; j++) {
            int64_t at = base + j * split.inner;
            tacho_set_real(&call->outputs[0], at, sum == 0 ? 0 : tacho_real_at(input, at) / sum);
        }
    }
    return TACHO_OK;
}

/* ---- softmax ------------------------------------------------------------------------------- */

typedef enum softmax { SOFT, LOG_SOFT, HARD } softmax;

/* |count| elements from |base| on, |step| apart. */
static void soften(const tacho_kernel_call *call, softmax how, int64_t base, int64_t count,
                   int64_t step)
{
    const tacho_array *input = call->inputs[0];
    double top = -(double)INFINITY, sum = 0;
    int64_t best = 0;
    for (int64_t i = 0; i < count; i++) {
        double x = tacho_real_at(input, base + i * step);
        best = x > top || (isnan(x) && !isnan(top)) ? i : best;
        top = x > top || isnan(x) ? x : top;
    }
    for (int64_t i = 0; how != HARD && i < count; i++) {
        sum += tacho_exp(tacho_real_at(input, base + i * step) - top);
    }
    double log_sum = how == LOG_SOFT ? tacho_log(sum) : 0;
    for (int64_t i = 0; i < count; i++) {
        double x = tacho_real_at(input, base + i * step) - top;
        double y = how == HARD       ? (double)(i == best)
                   : how == LOG_SOFT ? x - log_sum
                                     : tacho_exp(x) / sum;
        tacho_set_real(&call->outputs[0], base + i * step, y);
    }
}

/* Along one axis; before opset 13 along all from the axis on. */
static tacho_status soften_all(const tacho_kernel_call *call, softmax how)
{
    TACHO_TRY(check(call));
    const tacho_array *input = call->inputs[0];
    bool is_old = tacho_call_before(call, 13);
    int64_t wanted = tacho_call_int(call, "axis", is_old ? 1 : -1);
    int32_t axis;
    tacho_split_shape split = {tacho_array_elements(input), 1, 1};
    bool is_end = is_old && wanted == input->shape.rank;
    if (!is_end && !tacho_axis_resolve(wanted, input->shape.rank, &axis)) {
        return tacho_wrong_shapes("Softmax");
    }
    if (!is_end) {
        split = tacho_shape_split(&input->shape, axis);
    }
    if (is_old) {
        split.dim *= split.inner;
        split.inner = split.inner > 0 ? 1 : 0;
    }
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        soften(call, how, i / split.inner * split.dim * split.inner + i % split.inner, split.dim,
               split.inner);
    }
    return TACHO_OK;
}

static tacho_status compute_softmax(const tacho_kernel_call *call)
{
    return soften_all(call, SOFT);
}

static tacho_status compute_log_softmax(const tacho_kernel_call *call)
{
    return soften_all(call, LOG_SOFT);
}

/* Which dimensions the statistics of a MeanVarianceNormalization are over. */
static bool read_axes(const tacho_kernel_call *call, bool is_over[TACHO_RANK_MAX])
{
    static const int64_t usual[] = {0, 2, 3};
    size_t count = 0;
    const int64_t *axes = tacho_attr_ints(call->attrs, call->attr_count, "axes", &count);
    bool has_them = axes != NULL;
    for (size_t i = 0; i < (has_them ? count : 3); i++) {
        int32_t axis;
        if (!tacho_axis_resolve(has_them ? axes[i] : usual[i], call->inputs[0]->shape.rank,
                                &axis)) {
            return false;
        }
        is_over[axis] = true;
    }
    return true;
}

/* Which group of statistics element |at| belongs to. */
static int64_t group_of(const tacho_shape *shape, const bool *is_over, int64_t at)
{
    int64_t group = 0, step = 1;
    for (int32_t i = shape->rank - 1; i >= 0; i--) {
        group += is_over[i] ? 0 : at % shape->dims[i] * step;
        step *= is_over[i] ? 1 : shape->dims[i];
        at /= shape->dims[i];
    }
    return group;
}

/* (x - mean) / (deviation + 1e-9), with means and squares of distances from them in |sums|. */
static void normalise_over(const tacho_kernel_call *call, const bool *is_over, double *sums,
                           int64_t groups)
{
    const tacho_array *input = call->inputs[0];
    int64_t count = tacho_array_elements(input), each = count / groups;
    double *squares = sums + groups;
    for (int64_t i = 0; i < count; i++) {
        sums[group_of(&input->shape, is_over, i)] += tacho_real_at(input, i) / (double)each;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t group = group_of(&input->shape, is_over, i);
        double away = tacho_real_at(input, i) - sums[group];
        squares[group] += away * away / (double)each;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t group = group_of(&input->shape, is_over, i);
        tacho_set_real(&call->outputs[0], i,
                       (tacho_real_at(input, i) - sums[group]) / (sqrt(squares[group]) + 1e-9));
    }
}

static tacho_status compute_mean_variance(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    bool is_over[TACHO_RANK_MAX] = {false};
    int64_t groups = 1;
    if (!tacho_is_real(input) || input->dtype != call->outputs[0].dtype) {
        return tacho_unsupported_type("a normalisation", input->dtype);
    }
    if (!read_axes(call, is_over) || !tacho_shape_equal(&input->shape, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("a normalisation");
    }
    for (int32_t i = 0; i < input->shape.rank; i++) {
        groups *= is_over[i] ? 1 : input->shape.dims[i];
    }
    double *sums = calloc((size_t)groups * 2, sizeof(*sums));
    if (sums == NULL) {
        return tacho_no_memory();
    }
    normalise_over(call, is_over, sums, groups);
    free(sums);
    return TACHO_OK;
}

static tacho_status compute_hardmax(const tacho_kernel_call *call)
{
    return soften_all(call, HARD);
}

const tacho_kernel tacho_norm_kernels[] = {
    {"BatchNormalization", TACHO_KERNEL_PLAIN, compute_batch_norm},
    {"GroupNormalization", TACHO_KERNEL_PLAIN, compute_group_norm},
    {"Hardmax", TACHO_KERNEL_PLAIN, compute_hardmax},
    {"InstanceNormalization", TACHO_KERNEL_PLAIN, compute_instance_norm},
    {"LRN", TACHO_KERNEL_HEAVY, compute_lrn},
    {"LayerNormalization", TACHO_KERNEL_PLAIN, compute_layer_norm},
    {"LogSoftmax", TACHO_KERNEL_PLAIN, compute_log_softmax},
    {"LpNormalization", TACHO_KERNEL_PLAIN, compute_lp_norm},
    {"MeanVarianceNormalization", TACHO_KERNEL_PLAIN, compute_mean_variance},
    {"RMSNormalization", TACHO_KERNEL_PLAIN, compute_rms_norm},
    {"Softmax", TACHO_KERNEL_PLAIN, compute_softmax},
    {0},
};
