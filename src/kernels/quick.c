/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of quick kernels, and those that go element by element. A loop has one type and steps
 * of 1 or 0, so that compilers make vectors of it.
 */
#include "kernels/quick.h"

#include "kernels/tosa.h"
#include "kernels/walk.h"

#include <math.h>

/* Leaves the call to the reference kernel, which expects zeros in its output. */
static tacho_status by_reference(const char *name, const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    uint64_t bytes;
    if (!tacho_dtype_bytes(output->dtype, (uint64_t)tacho_array_elements(output), &bytes)) {
        return tacho_wrong_shapes(name);
    }
    memset(output->data, 0, (size_t)bytes);
    return tacho_kernel_find(tacho_str_from_cstring(name))->compute(call);
}

/* ---- two operands -------------------------------------------------------------------------- */

/* One row: |a_step| and |b_step| are 1 or, of a broadcast operand, 0. */
typedef void (*row_function)(const void *a, int64_t a_step, const void *b, int64_t b_step,
                             void *out, int64_t count, int64_t shift);

#define ROW(name, in_type, out_type, expression)                                                   \
    static void name(const void *a, int64_t a_step, const void *b, int64_t b_step, void *out,      \
                     int64_t count, int64_t shift)                                                 \
    {                                                                                              \
        const in_type *as = a, *bs = b;                                                            \
        out_type *to = out;                                                                        \
        (void)shift;                                                                               \
        if (a_step == 1 && b_step == 1) {                                                          \
            for (int64_t i = 0; i < count; i++) {                                                  \
                in_type x = as[i], y = bs[i];                                                      \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        } else if (a_step == 1) {                                                                  \
            in_type y = bs[0];                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                in_type x = as[i];                                                                 \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        } else {                                                                                   \
            in_type x = as[0];                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                in_type y = bs[i * b_step];                                                        \
                to[i] = (out_type)(expression);                                                    \
            }                                                                                      \
        }                                                                                          \
    }

/* Integers wrap. */
ROW(add_i8, int8_t, int8_t, x + y)
ROW(add_i16, int16_t, int16_t, x + y)
ROW(add_i32, int32_t, int32_t, (uint32_t)x + (uint32_t)y)
ROW(add_f32, float, float, x + y)
ROW(sub_i8, int8_t, int8_t, x - y)
ROW(sub_i16, int16_t, int16_t, x - y)
ROW(sub_i32, int32_t, int32_t, (uint32_t)x - (uint32_t)y)
ROW(sub_f32, float, float, x - y)
ROW(max_i8, int8_t, int8_t, x > y ? x : y)
ROW(max_i16, int16_t, int16_t, x > y ? x : y)
ROW(max_i32, int32_t, int32_t, x > y ? x : y)
ROW(min_i8, int8_t, int8_t, x < y ? x : y)
ROW(min_i16, int16_t, int16_t, x < y ? x : y)
ROW(min_i32, int32_t, int32_t, x < y ? x : y)
ROW(mul_i8, int8_t, int32_t, x *y)
ROW(mul_i16, int16_t, int32_t, x *y)
ROW(mul_i32, int32_t, int32_t, (uint32_t)x *(uint32_t)y)
ROW(mul_f32, float, float, x *y)
ROW(scale_i32, int32_t, int32_t, ((int64_t)x * y + ((int64_t)1 << (shift - 1))) >> shift)

/* One row per operator: its functions by type. */
typedef struct pair_row {
    const char *name;
    row_function i8, i16, i32, f32;
} pair_row;

static const pair_row pairs[] = {
    {"tosa.add", add_i8, add_i16, add_i32, add_f32},
    {"tosa.maximum", max_i8, max_i16, max_i32, NULL},
    {"tosa.minimum", min_i8, min_i16, min_i32, NULL},
    {"tosa.mul", mul_i8, mul_i16, mul_i32, mul_f32},
    {"tosa.sub", sub_i8, sub_i16, sub_i32, sub_f32},
};
enum { ADD, MAXIMUM, MINIMUM, MUL, SUB };

static row_function find_row(const pair_row *pair, tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_I8    ? pair->i8
           : dtype == TACHO_DTYPE_I16 ? pair->i16
           : dtype == TACHO_DTYPE_I32 ? pair->i32
           : dtype == TACHO_DTYPE_F32 ? pair->f32
                                      : NULL;
}

static bool has_pair(const tacho_kernel_call *call)
{
    return call->input_count >= 2 && call->inputs[0] != NULL && call->inputs[1] != NULL &&
           call->inputs[0]->dtype == call->inputs[1]->dtype &&
           tacho_shape_fits(&call->inputs[0]->shape, &call->outputs[0].shape) &&
           tacho_shape_fits(&call->inputs[1]->shape, &call->outputs[0].shape);
}

static bool fits_pair(const tacho_kernel_call *call)
{
    return has_pair(call) && call->input_count == 2 &&
           call->outputs[0].dtype == call->inputs[0]->dtype &&
           find_row(&pairs[ADD], call->inputs[0]->dtype) != NULL;
}

static bool fits_int_pair(const tacho_kernel_call *call)
{
    return fits_pair(call) && call->inputs[0]->dtype != TACHO_DTYPE_F32;
}

static bool fits_product(const tacho_kernel_call *call)
{
    return has_pair(call) && find_row(&pairs[MUL], call->inputs[0]->dtype) != NULL &&
           call->outputs[0].dtype ==
               (tacho_is_real(call->inputs[0]) ? TACHO_DTYPE_F32 : TACHO_DTYPE_I32);
}

static void each_row(const tacho_kernel_call *call, row_function row, int64_t shift)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    const tacho_array *output = &call->outputs[0];
    size_t size = tacho_dtype_element_bytes(a->dtype);
    size_t out_size = tacho_dtype_element_bytes(output->dtype);
    if (tacho_shape_equal(&a->shape, &output->shape) &&
        tacho_shape_equal(&b->shape, &output->shape)) {
        row(a->data, 1, b->data, 1, output->data, tacho_array_elements(output), shift);
        return;
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &output->shape);
    tacho_walk_broadcast(&walk, 0, &output->shape);
    tacho_walk_broadcast(&walk, 1, &a->shape);
    tacho_walk_broadcast(&walk, 2, &b->shape);
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        row((const unsigned char *)a->data + (size_t)walk.at[1] * size,
            tacho_walk_row_step(&walk, 1),
            (const unsigned char *)b->data + (size_t)walk.at[2] * size,
            tacho_walk_row_step(&walk, 2),
            (unsigned char *)output->data + (size_t)walk.at[0] * out_size, tacho_walk_row(&walk),
            shift);
    }
}

static tacho_status compute_pair(const tacho_kernel_call *call, int pair)
{
    each_row(call, find_row(&pairs[pair], call->inputs[0]->dtype), 0);
    return TACHO_OK;
}

static tacho_status compute_add(const tacho_kernel_call *call)
{
    return compute_pair(call, ADD);
}

static tacho_status compute_sub(const tacho_kernel_call *call)
{
    return compute_pair(call, SUB);
}

static tacho_status compute_maximum(const tacho_kernel_call *call)
{
    return compute_pair(call, MAXIMUM);
}

static tacho_status compute_minimum(const tacho_kernel_call *call)
{
    return compute_pair(call, MINIMUM);
}

static tacho_status compute_mul(const tacho_kernel_call *call)
{
    int64_t shift = tacho_tosa_zero(call, 2, TACHO_DTYPE_I8, false);
    shift = tacho_call_has(call, "shift") ? tacho_call_int(call, "shift", 0) : shift;
    bool is_scaled = call->inputs[0]->dtype == TACHO_DTYPE_I32 && shift >= 1 && shift <= 31;
    if (shift != 0 && !is_scaled) {
        return by_reference("tosa.mul", call);
    }
    if (!is_scaled) {
        return compute_pair(call, MUL);
    }
    each_row(call, scale_i32, shift);
    return TACHO_OK;
}

/* ---- bounds -------------------------------------------------------------------------------- */

#define CLAMP(tag, type)                                                                           \
    if (input->dtype == TACHO_DTYPE_##tag) {                                                       \
        const type *from = input->data;                                                            \
        type *to = call->outputs[0].data, below = (type)low, above = (type)high;                   \
        for (int64_t i = 0; i < total; i++) {                                                      \
            type x = from[i];                                                                      \
            to[i] = x < below ? below : x > above ? above : x;                                     \
        }                                                                                          \
    }

static bool fits_clamp(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    return find_row(&pairs[ADD], input->dtype) != NULL && call->outputs[0].dtype == input->dtype &&
           tacho_array_elements(input) == tacho_array_elements(&call->outputs[0]);
}

/* Bounds that the type cannot hold, and NaN that becomes one of them, are left to others. */
static tacho_status compute_clamp(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    int64_t total = tacho_array_elements(input);
    if (tacho_is_real(input)) {
        const tacho_attr *first = tacho_attr_find(call->attrs, call->attr_count, "min_val");
        const tacho_attr *last = tacho_attr_find(call->attrs, call->attr_count, "max_val");
        bool has_reals = first != NULL && first->kind == TACHO_ATTR_REAL && last != NULL &&
                         last->kind == TACHO_ATTR_REAL;
        double low = has_reals ? first->value.as_real : 0,
               high = has_reals ? last->value.as_real : 0;
        if (!has_reals || (double)(float)low != low || (double)(float)high != high ||
            tacho_tosa_mentions(call, "nan_mode", "IGNORE")) {
            return by_reference("tosa.clamp", call);
        }
        CLAMP(F32, float)
        return TACHO_OK;
    }
    int64_t least = tacho_int_min(input->dtype), most = tacho_int_max(input->dtype);
    int64_t low = tacho_call_int(call, "min_val", least);
    int64_t high = tacho_call_int(call, "max_val", most);
    if (low < least || low > most || high < least || high > most) {
        return by_reference("tosa.clamp", call);
    }
    CLAMP(I8, int8_t)
    CLAMP(I16, int16_t)
    CLAMP(I32, int32_t)
    return TACHO_OK;
}

/* ---- the table ----------------------------------------------------------------------------- */

#define FUNCTION_ROW(name, function)                                                               \
    {                                                                                              \
        {name, TACHO_KERNEL_EACH, function}, tacho_quick_fits_function, true, false, 1             \
    }

#define RECURRENT_ROW(name, function, which)                                                       \
    {                                                                                              \
        {name, TACHO_KERNEL_HEAVY, tacho_quick_##function}, tacho_quick_fits_##which, true, false, \
            3                                                                                      \
    }

static const struct {
    tacho_kernel kernel;
    bool (*fits)(const tacho_kernel_call *call);
    bool has_reals, has_ints;
    size_t outputs_max;
} kernels[] = {
    {{"Cast", TACHO_KERNEL_EACH, tacho_quick_cast}, tacho_quick_fits_cast, true, false, 1},
    {{"CastLike", TACHO_KERNEL_EACH, tacho_quick_cast}, tacho_quick_fits_cast, true, false, 1},
    {{"DeformConv", TACHO_KERNEL_HEAVY, tacho_quick_deform},
     tacho_quick_fits_deform,
     true,
     false,
     1},
    {{"DequantizeLinear", TACHO_KERNEL_PLAIN, tacho_quick_dequantise},
     tacho_quick_fits_dequantise,
     false,
     true,
     1},
    {{"DynamicQuantizeLinear", TACHO_KERNEL_PLAIN, tacho_quick_dynamic_quantise},
     tacho_quick_fits_dynamic_quantise,
     true,
     false,
     3},
    {{"Einsum", TACHO_KERNEL_HEAVY, tacho_quick_einsum}, tacho_quick_fits_einsum, true, false, 1},
    FUNCTION_ROW("Erf", tacho_quick_erf),
    FUNCTION_ROW("Exp", tacho_quick_exp),
    RECURRENT_ROW("GRU", gru, recurrent),
    RECURRENT_ROW("LSTM", lstm, recurrent),
    RECURRENT_ROW("RNN", rnn, recurrent),
    FUNCTION_ROW("Gelu", tacho_quick_gelu),
    FUNCTION_ROW("Log", tacho_quick_log),
    FUNCTION_ROW("Sigmoid", tacho_quick_sigmoid),
    FUNCTION_ROW("Softplus", tacho_quick_softplus),
    FUNCTION_ROW("Swish", tacho_quick_swish),
    FUNCTION_ROW("Tanh", tacho_quick_tanh),
    {{"MatMulInteger", TACHO_KERNEL_HEAVY, tacho_quick_matmul_integer},
     tacho_quick_fits_matmul_integer,
     false,
     true,
     1},
    {{"Pow", TACHO_KERNEL_EACH, tacho_quick_pow}, tacho_quick_fits_pow, true, false, 1},
    {{"InstanceNormalization", TACHO_KERNEL_PLAIN, tacho_quick_instance_norm},
     tacho_quick_fits_instance_norm,
     true,
     false,
     1},
    {{"tacho.QuantisedLSTM", TACHO_KERNEL_HEAVY, tacho_quick_quantised_lstm},
     tacho_quick_fits_quantised_lstm,
     false,
     true,
     3},
    {{"tosa.add", TACHO_KERNEL_EACH, compute_add}, fits_pair, true, true, 1},
    {{"tosa.avg_pool2d", TACHO_KERNEL_HEAVY, tacho_quick_avg_pool},
     tacho_quick_fits_pool,
     true,
     true,
     1},
    {{"tosa.clamp", TACHO_KERNEL_EACH, compute_clamp}, fits_clamp, true, true, 1},
    {{"tosa.max_pool2d", TACHO_KERNEL_HEAVY, tacho_quick_max_pool},
     tacho_quick_fits_pool,
     true,
     true,
     1},
    {{"tosa.maximum", TACHO_KERNEL_EACH, compute_maximum}, fits_int_pair, false, true, 1},
    {{"tosa.minimum", TACHO_KERNEL_EACH, compute_minimum}, fits_int_pair, false, true, 1},
    {{"tosa.mul", TACHO_KERNEL_EACH, compute_mul}, fits_product, true, true, 1},
    {{"tosa.sub", TACHO_KERNEL_EACH, compute_sub}, fits_pair, true, true, 1},
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static size_t find(tacho_str name)
{
    size_t at = 0;
    while (at < KERNELS &&
           !tacho_str_equal(tacho_str_from_cstring(kernels[at].kernel.name), name)) {
        at++;
    }
    return at;
}

const tacho_kernel *tacho_quick_find(tacho_str name, const tacho_kernel_call *call)
{
    size_t at = find(name);
    bool is_fit = at < KERNELS && call->input_count > 0 && call->inputs[0] != NULL &&
                  call->output_count >= 1 && call->output_count <= kernels[at].outputs_max &&
                  kernels[at].fits(call);
    return is_fit ? &kernels[at].kernel : NULL;
}

bool tacho_quick_knows(tacho_str name, bool is_real)
{
    size_t at = find(name);
    return at < KERNELS && (is_real ? kernels[at].has_reals : kernels[at].has_ints);
}

/* Those that make something of constants once. */
static const struct {
    const char *name;
    tacho_status (*prepare)(const tacho_kernel_call *call, tacho_arena *arena,
                            const void **out_prepared);
} preparers[] = {
    {"GRU", tacho_quick_prepare_gru},
    {"LSTM", tacho_quick_prepare_lstm},
    {"RNN", tacho_quick_prepare_rnn},
    {"tacho.QuantisedLSTM", tacho_quick_prepare_quantised_lstm},
};

tacho_status tacho_quick_prepare(tacho_str name, const tacho_kernel_call *call, tacho_arena *arena,
                                 const void **out_prepared)
{
    *out_prepared = NULL;
    for (size_t i = 0; i < sizeof(preparers) / sizeof(preparers[0]); i++) {
        if (tacho_str_equal(tacho_str_from_cstring(preparers[i].name), name)) {
            return preparers[i].prepare(call, arena, out_prepared);
        }
    }
    return TACHO_OK;
}
