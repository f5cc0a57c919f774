/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantising and back. A quotient is rounded to the scale's type, as ONNX has it, and then to the
 * nearest integer, ties to even. That of a product of integers is not rounded before: results are
 * the integers next to the exact ones, as those of kernels that multiply the integers.
 */
#include "kernels/quantise.h"

#include "base/whole.h"

#include <math.h>

static double hold(double value, tacho_dtype dtype)
{
    double low = (double)tacho_int_min(dtype), high = (double)tacho_int_max(dtype);
    return value >= high ? high : value > low ? value : low; /* NaN becomes the least */
}

bool tacho_requant_is_fit(const tacho_requant *requant, int64_t channels)
{
    const tacho_array *factor = requant->scales[1];
    return tacho_is_real(requant->scales[0]) && tacho_array_elements(requant->scales[0]) == 1 &&
           tacho_is_real(factor) &&
           (tacho_array_elements(factor) == 1 || tacho_array_elements(factor) == channels) &&
           tacho_is_real(requant->out_scale) && tacho_array_elements(requant->out_scale) == 1 &&
           requant->out_zero->dtype == requant->dtype &&
           tacho_array_elements(requant->out_zero) == 1;
}

void tacho_requantise(const tacho_requant *requant, int64_t channel, double *values, size_t count)
{
    const tacho_array *factor = requant->scales[1];
    double scale = tacho_real_at(requant->scales[0], 0) *
                   tacho_real_at(factor, tacho_each_or_one(factor, channel)) /
                   tacho_real_at(requant->out_scale, 0);
    double zero = tacho_real_at(requant->out_zero, 0);
    for (size_t i = 0; i < count; i++) {
        values[i] = hold(rint(values[i] * scale) + zero, requant->dtype);
    }
}

/* ---- products of integers ------------------------------------------------------------------ */

static bool is_one_of(tacho_str type, const char *const *names)
{
    bool is_found = false;
    for (; *names != NULL && !is_found; names++) {
        is_found = tacho_str_equal(type, tacho_str_from_cstring(*names));
    }
    return is_found;
}

bool tacho_is_of_product(tacho_origin_function origin, const void *network, uint32_t tensor)
{
    static const char *const bounds[] = {"Relu", "Clip", "Identity", NULL};
    static const char *const products[] = {"Conv", "ConvTranspose", "Gemm", "MatMul", NULL};
    static const char *const reals[] = {"DequantizeLinear", NULL};
    enum { FUNCTIONS_MAX = 8 };
    tacho_origin from = origin(network, tensor);
    for (int i = 0; i < FUNCTIONS_MAX && is_one_of(from.type, bounds); i++) {
        from = origin(network, from.input);
    }
    return is_one_of(from.type, products) && is_one_of(origin(network, from.input).type, reals);
}

/* ---- per tensor and per axis --------------------------------------------------------------- */

/* The arrangement of scales along the data. */
typedef struct scaling {
    const tacho_array *scale, *zero;
    tacho_split_shape split; /* the axis is 1 long where there is one scale for all */
    int64_t block;           /* 0, or how many elements along the axis share a scale */
    int64_t block_count;     /* along the axis */
} scaling;

/* Scales of the data's shape but along one axis, where each is for a block. */
static tacho_status find_blocks(const tacho_kernel_call *call, scaling *out)
{
    const tacho_shape *shape = &call->inputs[0]->shape, *scales = &out->scale->shape;
    int32_t axis = 0;
    out->block = tacho_call_int(call, "block_size", 0);
    bool is_fit = out->block > 0 && scales->rank == shape->rank &&
                  tacho_axis_resolve(tacho_call_int(call, "axis", 1), shape->rank, &axis) &&
                  (out->zero == NULL || tacho_shape_equal(&out->zero->shape, scales));
    for (int32_t i = 0; is_fit && i < shape->rank; i++) {
        int64_t wanted = i != axis
                             ? shape->dims[i]
                             : shape->dims[i] / out->block + (shape->dims[i] % out->block > 0);
        is_fit = scales->dims[i] == wanted;
    }
    if (!is_fit) {
        return tacho_wrong_shapes("scales of blocks");
    }
    out->block_count = scales->dims[axis];
    out->split = tacho_shape_split(shape, axis);
    return TACHO_OK;
}

static tacho_status find_scaling(const tacho_kernel_call *call, scaling *out)
{
    const tacho_shape *shape = &call->inputs[0]->shape;
    int32_t axis = 0;
    out->scale = call->inputs[1];
    out->zero = tacho_call_input(call, 2);
    int64_t count = tacho_array_elements(out->scale), total = tacho_array_elements(call->inputs[0]);
    if (tacho_stored_kind(out->scale->dtype) != TACHO_DTYPE_REAL) {
        return tacho_unsupported_type("a scale", out->scale->dtype);
    }
    if (tacho_call_int(call, "block_size", 0) != 0) {
        return find_blocks(call, out);
    }
    if (out->scale->shape.rank > 1 && count != 1) {
        return tacho_wrong_shapes("a scale");
    }
    bool is_one = count == 1;
    if ((!is_one && !tacho_axis_resolve(tacho_call_int(call, "axis", 1), shape->rank, &axis)) ||
        (out->zero != NULL && tacho_array_elements(out->zero) != count)) {
        return tacho_wrong_shapes("a scale");
    }
    out->split = is_one ? (tacho_split_shape){1, 1, total} : tacho_shape_split(shape, axis);
    return is_one || total == 0 || out->split.dim == count ? TACHO_OK
                                                           : tacho_wrong_shapes("a scale");
}

/* |count| elements from |at| on, with one scale. */
static void quantise_run(const tacho_kernel_call *call, int64_t at, int64_t count, double scale,
                         double zero)
{
    double reals[TACHO_CHUNK], narrow[TACHO_CHUNK];
    int64_t ints[TACHO_CHUNK];
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    bool is_small_scale = tacho_is_small_real(call->inputs[1]->dtype);
    tacho_array quotients = {.dtype = (is_small_scale ? input : call->inputs[1])->dtype,
                             .data = narrow};
    bool is_small = tacho_is_small_real(output->dtype);
    tacho_small_rule rule = {.is_unbounded = tacho_call_int(call, "saturate", 1) == 0};
    for (int64_t done = 0; done < count; done += TACHO_CHUNK) {
        size_t some = (size_t)(count - done < TACHO_CHUNK ? count - done : TACHO_CHUNK);
        tacho_read_reals(input, at + done, 1, some, reals);
        for (size_t i = 0; i < some; i++) {
            reals[i] /= scale;
        }
        if (!call->is_of_product && tacho_is_real(&quotients)) {
            tacho_write_reals(&quotients, 0, some, reals);
            tacho_read_reals(&quotients, 0, 1, some, reals);
        }
        for (size_t i = 0; !is_small && i < some; i++) {
            ints[i] = tacho_whole_i64(hold(rint(reals[i]) + zero, output->dtype));
        }
        if (is_small) {
            tacho_write_small_reals(output, at + done, some, reals, rule);
        } else {
            tacho_write_ints(output, at + done, some, ints);
        }
    }
}

static void dequantise_run(const tacho_kernel_call *call, int64_t at, int64_t count, double scale,
                           double zero)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    double reals[TACHO_CHUNK];
    for (int64_t done = 0; done < count; done += TACHO_CHUNK) {
        size_t some = (size_t)(count - done < TACHO_CHUNK ? count - done : TACHO_CHUNK);
        tacho_read_reals(input, at + done, 1, some, reals);
        for (size_t i = 0; i < some; i++) {
            reals[i] = (reals[i] - zero) * scale;
        }
        tacho_write_reals(output, at + done, some, reals);
    }
}

typedef void (*run_function)(const tacho_kernel_call *call, int64_t at, int64_t count, double scale,
                             double zero);

/* Element by element along the last axis; elsewhere elements of a row have a scale each. */
static void each_block(const tacho_kernel_call *call, const scaling *how, run_function run)
{
    int64_t inner = how->split.inner;
    for (int64_t i = 0; i < how->split.outer; i++) {
        for (int64_t j = 0; j < how->split.dim; j += inner == 1 ? how->block : 1) {
            int64_t rest = how->split.dim - j;
            int64_t count = inner > 1 ? 1 : rest < how->block ? rest : how->block;
            for (int64_t k = 0; k < inner; k++) {
                int64_t at = (i * how->block_count + j / how->block) * inner + k;
                double zero = how->zero == NULL ? 0 : tacho_real_at(how->zero, at);
                run(call, (i * how->split.dim + j) * inner + k, count,
                    tacho_real_at(how->scale, at), zero);
            }
        }
    }
}

static tacho_status each_run(const tacho_kernel_call *call, run_function run)
{
    scaling how = {0};
    TACHO_TRY(find_scaling(call, &how));
    if (tacho_array_elements(call->inputs[0]) != tacho_array_elements(&call->outputs[0])) {
        return tacho_wrong_shapes("a quantised tensor");
    }
    if (how.block > 0) {
        each_block(call, &how, run);
        return TACHO_OK;
    }
    for (int64_t i = 0; i < how.split.outer; i++) {
        for (int64_t j = 0; j < how.split.dim; j++) {
            double zero = how.zero == NULL ? 0 : tacho_real_at(how.zero, j);
            run(call, (i * how.split.dim + j) * how.split.inner, how.split.inner,
                tacho_real_at(how.scale, j), zero);
        }
    }
    return TACHO_OK;
}

/* Whether numbers can be kept in the type: an integer of at most |bits|, or a small real. */
static bool is_storage(tacho_dtype dtype, int bits)
{
    tacho_dtype_kind kind = tacho_stored_kind(dtype);
    bool is_int = kind == TACHO_DTYPE_SIGNED || kind == TACHO_DTYPE_UNSIGNED;
    return is_int ? tacho_int_bits(dtype) <= bits : tacho_is_small_real(dtype);
}

static tacho_status compute_quantise(const tacho_kernel_call *call)
{
    const tacho_array *zero = tacho_call_input(call, 2);
    tacho_dtype dtype = call->outputs[0].dtype;
    if (tacho_element_kind(call->inputs[0]->dtype) == TACHO_DTYPE_OTHER || !is_storage(dtype, 16) ||
        dtype == TACHO_DTYPE_F8E8M0 || (zero != NULL && zero->dtype != dtype)) {
        return tacho_unsupported_type("a quantised tensor", dtype);
    }
    return each_run(call, quantise_run);
}

static tacho_status compute_dequantise(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *zero = tacho_call_input(call, 2);
    if (!is_storage(input->dtype, 32) || !tacho_is_real(&call->outputs[0]) ||
        (zero != NULL && zero->dtype != input->dtype)) {
        return tacho_unsupported_type("a quantised tensor", input->dtype);
    }
    return each_run(call, dequantise_run);
}

/* Whether an output is absent or one number of a type. */
static bool is_one(const tacho_array *output, tacho_dtype dtype)
{
    return output == NULL || (output->dtype == dtype && tacho_array_elements(output) == 1);
}

/* All in f32, as its definition by other operators is: quotients are rounded before ties are. */
static tacho_status compute_dynamic_quantise(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *zero_out = tacho_call_output(call, 2), *scale_out = tacho_call_output(call, 1);
    int64_t total = tacho_array_elements(input);
    if (input->dtype != TACHO_DTYPE_F32 || call->outputs[0].dtype != TACHO_DTYPE_U8) {
        return tacho_unsupported_type("a quantised tensor", input->dtype);
    }
    if (total != tacho_array_elements(&call->outputs[0]) || !is_one(scale_out, TACHO_DTYPE_F32) ||
        !is_one(zero_out, TACHO_DTYPE_U8)) {
        return tacho_wrong_shapes("a quantised tensor");
    }
    double low = 0, high = 0;
    for (int64_t i = 0; i < total; i++) {
        double x = tacho_real_at(input, i);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    double scale = (double)(float)((double)(float)(high - low) / 255);
    scale = scale == 0 ? 1 : scale;
    double zero = hold(rint((double)(float)((0 - low) / scale)), TACHO_DTYPE_U8);
    for (int64_t i = 0; i < total; i++) {
        double quotient = (double)(float)(tacho_real_at(input, i) / scale);
        tacho_set_int(&call->outputs[0], i,
                      tacho_whole_i64(hold(rint(quotient) + zero, TACHO_DTYPE_U8)));
    }
    if (scale_out != NULL) {
        tacho_set_real(scale_out, 0, scale);
    }
    if (zero_out != NULL) {
        tacho_set_int(zero_out, 0, tacho_whole_i64(zero));
    }
    return TACHO_OK;
}

const tacho_kernel tacho_quantise_kernels[] = {
    {"DequantizeLinear", TACHO_KERNEL_PLAIN, compute_dequantise},
    {"DynamicQuantizeLinear", TACHO_KERNEL_PLAIN, compute_dynamic_quantise},
    {"QuantizeLinear", TACHO_KERNEL_PLAIN, compute_quantise},
    {0},
};
