/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches of keys and values: appending new ones at the end of each sequence of a batch.
 */
#include "kernels/call.h"

#include <inttypes.h>
#include <string.h>

/* The dimension of tokens, if an update fits the cache in all others. */
static bool find_tokens(const tacho_kernel_call *call, int32_t *out_axis)
{
    const tacho_shape *cache = &call->inputs[0]->shape, *update = &call->inputs[1]->shape;
    const tacho_array *starts = tacho_call_input(call, 2);
    bool is_fit = cache->rank == update->rank && cache->rank > 1 &&
                  tacho_axis_resolve(tacho_call_int(call, "axis", -2), cache->rank, out_axis) &&
                  *out_axis > 0 && tacho_shape_equal(cache, &call->outputs[0].shape);
    for (int32_t i = 0; is_fit && i < cache->rank; i++) {
        is_fit =
            i == *out_axis ? update->dims[i] <= cache->dims[i] : update->dims[i] == cache->dims[i];
    }
    return is_fit &&
           (starts == NULL || (starts->dtype == TACHO_DTYPE_I64 && starts->shape.rank == 1 &&
                               starts->shape.dims[0] == cache->dims[0]));
}

/* Cache, update, where each sequence goes on; past the end it starts anew if it is circular. */
static tacho_status compute_tensor_scatter(const tacho_kernel_call *call)
{
    const tacho_array *cache = call->inputs[0], *update = call->inputs[1];
    const tacho_array *starts = tacho_call_input(call, 2);
    size_t size = tacho_dtype_element_bytes(cache->dtype);
    bool is_circular = tacho_call_is(call, "mode", "circular");
    int32_t axis = 0;
    if (size == 0 || update->dtype != cache->dtype || call->outputs[0].dtype != cache->dtype) {
        return tacho_unsupported_type("a cache", cache->dtype);
    }
    if (!find_tokens(call, &axis)) {
        return tacho_wrong_shapes("a cache and its update");
    }
    tacho_split_shape whole = tacho_shape_split(&cache->shape, axis);
    tacho_split_shape part = tacho_shape_split(&update->shape, axis);
    size_t row = (size_t)whole.inner * size;
    if (whole.outer > 0) {
        memcpy(call->outputs[0].data, cache->data, (size_t)(whole.outer * whole.dim) * row);
    }
    for (int64_t i = 0; i < part.outer; i++) {
        int64_t sequence = i / (part.outer / cache->shape.dims[0]);
        int64_t start = starts == NULL ? 0 : tacho_int_at(starts, sequence);
        if (start < 0 || start > whole.dim || (!is_circular && start > whole.dim - part.dim)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "%" PRId64 " tokens cannot be written at %" PRId64
                              " of a cache for %" PRId64,
                              part.dim, start, whole.dim);
        }
        for (int64_t j = 0; j < part.dim; j++) {
            memcpy((char *)call->outputs[0].data +
                       (size_t)(i * whole.dim + (start + j) % whole.dim) * row,
                   (const char *)update->data + (size_t)(i * part.dim + j) * row, row);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_cache_kernels[] = {
    {"TensorScatter", TACHO_KERNEL_PLAIN, compute_tensor_scatter},
    {0},
};
