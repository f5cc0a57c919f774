/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick casts: between f32 and the shorter reals, and of integers to f32, which is one rounding.
 */
#include "kernels/call.h"
#include "kernels/quick.h"
#include "kernels/short_real.h"

/* One row per type of integers that become f32: tag, C type. */
#define INT_TYPES(X)                                                                               \
    X(BOOL, uint8_t)                                                                               \
    X(U8, uint8_t)                                                                                 \
    X(I8, int8_t)                                                                                  \
    X(I32, int32_t)                                                                                \
    X(I64, int64_t)

static bool is_int(tacho_dtype dtype)
{
#define IS(tag, type) dtype == TACHO_DTYPE_##tag ||
    return INT_TYPES(IS) false;
#undef IS
}

bool tacho_quick_fits_cast(const tacho_kernel_call *call)
{
    tacho_dtype from = call->inputs[0]->dtype, to = call->outputs[0].dtype;
    bool is_known = (from == TACHO_DTYPE_F32 && tacho_short_is(to)) ||
                    (to == TACHO_DTYPE_F32 && (tacho_short_is(from) || is_int(from)));
    return is_known &&
           tacho_array_elements(call->inputs[0]) == tacho_array_elements(&call->outputs[0]);
}

tacho_status tacho_quick_cast(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    size_t count = (size_t)tacho_array_elements(output);
    tacho_vector_set set = tacho_vector_best();
    if (output->dtype != TACHO_DTYPE_F32) {
        tacho_short_narrow(set, output->dtype, input->data, count, output->data);
    } else if (tacho_short_is(input->dtype)) {
        tacho_short_widen(set, input->dtype, input->data, count, output->data);
    }
#define CAST(tag, type)                                                                            \
    if (input->dtype == TACHO_DTYPE_##tag) {                                                       \
        const type *from = input->data;                                                            \
        float *to = output->data;                                                                  \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = (float)from[i];                                                                \
        }                                                                                          \
    }
    INT_TYPES(CAST)
#undef CAST
    return TACHO_OK;
}
