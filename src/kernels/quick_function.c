/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels of functions: f32, f16 and bf16 elements become doubles, a few hundred at a time,
 * go through a loop of kernels/vector.h and are rounded once.
 */
#include "kernels/call.h"
#include "kernels/quick.h"
#include "kernels/vector.h"

static bool is_short_real(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F32 || dtype == TACHO_DTYPE_F16 || dtype == TACHO_DTYPE_BF16;
}

static void read_chunk(const tacho_array *array, int64_t at, size_t count, double *to)
{
    if (array->dtype != TACHO_DTYPE_F32) {
        tacho_read_reals(array, at, 1, count, to);
        return;
    }
    const float *from = (const float *)array->data + at;
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
}

static size_t chunk_at(int64_t at, int64_t total)
{
    return (size_t)(total - at < TACHO_CHUNK ? total - at : TACHO_CHUNK);
}

bool tacho_quick_fits_function(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    return is_short_real(input->dtype) && call->outputs[0].dtype == input->dtype &&
           tacho_array_elements(input) == tacho_array_elements(&call->outputs[0]);
}

static tacho_status compute(const tacho_kernel_call *call, tacho_vector_function function, double a)
{
    tacho_array *output = &call->outputs[0];
    tacho_vector_set set = tacho_vector_best();
    int64_t total = tacho_array_elements(output);
    double values[TACHO_CHUNK];
    for (int64_t at = 0; at < total; at += TACHO_CHUNK) {
        size_t count = chunk_at(at, total);
        read_chunk(call->inputs[0], at, count, values);
        tacho_vector_apply(set, function, values, count, a);
        tacho_write_reals(output, at, count, values);
    }
    return TACHO_OK;
}

tacho_status tacho_quick_erf(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_ERF, 0);
}

tacho_status tacho_quick_exp(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_EXP, 0);
}

tacho_status tacho_quick_gelu(const tacho_kernel_call *call)
{
    bool is_tanh = tacho_call_is(call, "approximate", "tanh");
    return compute(call, is_tanh ? TACHO_VECTOR_GELU_TANH : TACHO_VECTOR_GELU, 0);
}

tacho_status tacho_quick_log(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_LOG, 0);
}

tacho_status tacho_quick_sigmoid(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_SIGMOID, 0);
}

tacho_status tacho_quick_softplus(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_SOFTPLUS, 0);
}

tacho_status tacho_quick_swish(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_SWISH, tacho_call_real(call, "alpha", 1));
}

tacho_status tacho_quick_tanh(const tacho_kernel_call *call)
{
    return compute(call, TACHO_VECTOR_TANH, 0);
}

/* ---- powers -------------------------------------------------------------------------------- */

/* One power for all elements, or one for each. */
bool tacho_quick_fits_pow(const tacho_kernel_call *call)
{
    const tacho_array *powers = tacho_call_input(call, 1);
    if (powers == NULL || !tacho_quick_fits_function(call) || !is_short_real(powers->dtype)) {
        return false;
    }
    int64_t count = tacho_array_elements(powers);
    return count == 1 || (count == tacho_array_elements(&call->outputs[0]) &&
                          tacho_shape_equal(&powers->shape, &call->inputs[0]->shape));
}

tacho_status tacho_quick_pow(const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    const tacho_array *input = call->inputs[0], *given = call->inputs[1];
    bool is_one = tacho_array_elements(given) == 1;
    tacho_vector_set set = tacho_vector_best();
    int64_t total = tacho_array_elements(output);
    double values[TACHO_CHUNK], powers[TACHO_CHUNK];
    for (size_t i = 0; i < TACHO_CHUNK && is_one; i++) {
        powers[i] = tacho_real_at(given, 0);
    }
    for (int64_t at = 0; at < total; at += TACHO_CHUNK) {
        size_t count = chunk_at(at, total);
        read_chunk(input, at, count, values);
        if (!is_one) {
            read_chunk(given, at, count, powers);
        }
        tacho_vector_pow(set, values, powers, count);
        tacho_write_reals(output, at, count, values);
    }
    return TACHO_OK;
}
