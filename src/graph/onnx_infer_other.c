/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of operators that are small networks of their own, or transforms of signals and
 * pictures.
 */
#include "graph/onnx_infer.h"

#include <inttypes.h>

/* ---- attention ----------------------------------------------------------------------------- */

/* Heads, tokens and width of a query, key or value, whichever way they are laid out. */
typedef struct heads {
    int64_t batch, heads, tokens, width;
} heads;

/* BxHxTxW, or BxTx(H*W) with the number of heads in an attribute. */
static tacho_status read_heads(const tacho_infer *infer, size_t input, const char *attr,
                               heads *out_heads)
{
    const tacho_shape *shape = tacho_infer_shape(infer, input);
    int64_t count = tacho_onnx_int(infer, attr, 0);
    TACHO_TRY(tacho_onnx_need_rank(infer, input, 3, 4));
    *out_heads =
        (heads){TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN};
    if (shape->rank == 4) {
        *out_heads = (heads){shape->dims[0], shape->dims[1], shape->dims[2], shape->dims[3]};
    } else if (shape->rank == 3) {
        if (count < 1 || (shape->dims[2] > 0 && shape->dims[2] % count != 0)) {
            return tacho_infer_fail(infer, "%s is %" PRId64 " for a width of %" PRId64, attr, count,
                                    shape->dims[2]);
        }
        int64_t width = shape->dims[2] < 0 ? TACHO_DIM_UNKNOWN : shape->dims[2] / count;
        *out_heads = (heads){shape->dims[0], count, shape->dims[1], width};
    }
    return TACHO_OK;
}

/* Keys or values of earlier steps with those of this one. */
static tacho_status set_present(const tacho_infer *infer, size_t output, size_t past,
                                const heads *now)
{
    const tacho_shape *before = tacho_infer_shape(infer, past);
    int64_t tokens = now->tokens;
    if (tacho_onnx_has(infer, past)) {
        bool is_known = before->rank == 4 && before->dims[2] >= 0 && tokens >= 0;
        if (is_known && __builtin_add_overflow(tokens, before->dims[2], &tokens)) {
            return tacho_infer_fail(infer, "too many tokens");
        }
        tokens = is_known ? tokens : TACHO_DIM_UNKNOWN;
    }
    tacho_shape shape = {.rank = 4, .dims = {now->batch, now->heads, tokens, now->width}};
    return tacho_infer_set(infer, output, tacho_infer_dtype(infer, output), &shape);
}

/* Query, key, value, mask, past key, past value. */
tacho_status tacho_onnx_infer_attention(const tacho_infer *infer)
{
    heads query, key, value;
    TACHO_TRY(tacho_onnx_need(infer, 3));
    TACHO_TRY(read_heads(infer, 0, "q_num_heads", &query));
    TACHO_TRY(read_heads(infer, 1, "kv_num_heads", &key));
    TACHO_TRY(read_heads(infer, 2, "kv_num_heads", &value));
    TACHO_TRY(tacho_onnx_match(infer, "widths of query and key", query.width, key.width));
    TACHO_TRY(tacho_onnx_match(infer, "tokens of key and value", key.tokens, value.tokens));
    int32_t rank = tacho_infer_shape(infer, 0)->rank;
    tacho_shape shape = tacho_onnx_any_shape(rank);
    if (rank == 4) {
        shape =
            (tacho_shape){.rank = 4, .dims = {query.batch, query.heads, query.tokens, value.width}};
    } else if (rank == 3) {
        shape = (tacho_shape){.rank = 3, .dims = {query.batch, query.tokens}};
        if (!tacho_onnx_mul(query.heads, value.width, &shape.dims[2])) {
            return tacho_infer_fail(infer, "the width is too large");
        }
    }
    TACHO_TRY(tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape));
    TACHO_TRY(set_present(infer, 1, 4, &key));
    return set_present(infer, 2, 5, &value);
}

/* ---- signals and pictures ------------------------------------------------------------------ */

/* Which axis a DFT goes along: an attribute, later an input; false when it is not known. */
static bool read_dft_axis(const tacho_infer *infer, int64_t *out_axis)
{
    size_t count;
    bool is_attr = tacho_onnx_before(infer, 20);
    *out_axis = is_attr ? tacho_onnx_int(infer, "axis", 1) : -2;
    return is_attr || !tacho_onnx_has(infer, 2) ||
           (tacho_infer_ints(infer, 2, out_axis, 1, &count) && count == 1);
}

/*
 * Real and imaginary part last; half of the axis where the rest mirrors it. Backwards, the half
 * becomes the whole, and real.
 */
tacho_status tacho_onnx_infer_dft(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 2, TACHO_RANK_MAX));
    tacho_shape shape = *tacho_infer_shape(infer, 0);
    bool is_half = tacho_onnx_int(infer, "onesided", 0) != 0;
    bool is_inverse = tacho_onnx_int(infer, "inverse", 0) != 0;
    int64_t axis, length = TACHO_DIM_UNKNOWN;
    size_t count;
    int32_t at;
    if (shape.rank == TACHO_RANK_UNKNOWN || !read_dft_axis(infer, &axis)) {
        shape = tacho_onnx_any_shape(shape.rank);
        return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
    }
    TACHO_TRY(tacho_onnx_axis(infer, axis, shape.rank, &at));
    int64_t *bins = &shape.dims[at], *parts = &shape.dims[shape.rank - 1];
    if (at == shape.rank - 1 || *parts > 2 || *parts == 0) {
        return tacho_infer_fail(infer,
                                "it goes along axis %" PRId32 " of %" PRId32 ", of which the last "
                                "has %" PRId64
                                " elements; expected another axis, and 1 or 2 elements",
                                at, shape.rank, *parts);
    }
    if (tacho_onnx_has(infer, 1)) {
        bool is_known = tacho_infer_ints(infer, 1, &length, 1, &count) && count == 1;
        if (is_known && length < 0) {
            return tacho_infer_fail(infer, "dft_length is %" PRId64, length);
        }
        *bins = is_known ? length : TACHO_DIM_UNKNOWN;
    } else if (is_half && is_inverse && *bins >= 0) {
        *bins = *bins > 0 ? 2 * (*bins - 1) : 0;
    }
    *bins = is_half && !is_inverse && *bins >= 0 ? *bins / 2 + 1 : *bins;
    *parts = is_half && is_inverse ? 1 : 2;
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* A number that an input gives, or |fallback| where there is none; unknown if it is not known. */
static int64_t number_of(const tacho_infer *infer, size_t input, int64_t fallback)
{
    size_t count;
    int64_t number = TACHO_DIM_UNKNOWN;
    if (!tacho_onnx_has(infer, input)) {
        return fallback;
    }
    bool is_known = tacho_infer_ints(infer, input, &number, 1, &count) && count == 1;
    return is_known ? number : TACHO_DIM_UNKNOWN;
}

/* Signal BxLx1 or BxLx2, step, window, length of frames: a spectrum of each frame. */
tacho_status tacho_onnx_infer_stft(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, 3));
    TACHO_TRY(tacho_onnx_need_rank(infer, 2, 1, 1));
    const tacho_shape *in = tacho_infer_shape(infer, 0), *window = tacho_infer_shape(infer, 2);
    int64_t samples = in->rank == 3 ? in->dims[1] : TACHO_DIM_UNKNOWN;
    int64_t given = window->rank == 1 ? window->dims[0] : TACHO_DIM_UNKNOWN;
    int64_t step = number_of(infer, 1, TACHO_DIM_UNKNOWN);
    int64_t length = number_of(infer, 3, tacho_onnx_has(infer, 2) ? given : samples);
    tacho_shape shape = {
        .rank = 4,
        .dims = {in->rank == 3 ? in->dims[0] : TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN, length, 2}};
    if (tacho_onnx_has(infer, 2)) {
        TACHO_TRY(tacho_onnx_match(infer, "window and frame_length", given, length));
    }
    bool has_step = step != TACHO_DIM_UNKNOWN, has_length = length != TACHO_DIM_UNKNOWN;
    if ((has_step && step < 1) || (has_length && length < 1) ||
        (has_length && samples >= 0 && length > samples)) {
        return tacho_infer_fail(infer,
                                "frames of %" PRId64 ", every %" PRId64 ", of %" PRId64 " samples",
                                length, step, samples);
    }
    if (has_step && has_length && samples >= 0) {
        shape.dims[1] = (samples - length) / step + 1;
    }
    if (has_length && tacho_onnx_int(infer, "onesided", 1) != 0) {
        shape.dims[2] = length / 2 + 1;
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Bands, length of a DFT, and frequencies, which are for the values alone. */
tacho_status tacho_onnx_infer_mel(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 5));
    int64_t bands = number_of(infer, 0, TACHO_DIM_UNKNOWN);
    int64_t length = number_of(infer, 1, TACHO_DIM_UNKNOWN);
    if (bands < TACHO_DIM_UNKNOWN || length < TACHO_DIM_UNKNOWN) {
        return tacho_infer_fail(infer, "%" PRId64 " bands of a spectrum of %" PRId64, bands,
                                length);
    }
    length = length == TACHO_DIM_UNKNOWN ? length : length / 2 + 1;
    tacho_shape shape = {.rank = 2, .dims = {length, bands}};
    return tacho_infer_set(
        infer, 0, tacho_onnx_dtype_of(tacho_onnx_int(infer, "output_datatype", 1)), &shape);
}

/* A size NxCxHxW becomes NxHxWx2, one with depth NxDxHxWx3. */
tacho_status tacho_onnx_infer_affine_grid(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    int64_t size[5];
    size_t count;
    tacho_shape shape = tacho_onnx_any_shape(-1);
    if (tacho_infer_ints(infer, 1, size, 5, &count)) {
        if (count < 4) {
            return tacho_infer_fail(infer, "size has %zu values, expected 4 or 5", count);
        }
        shape = (tacho_shape){.rank = (int32_t)count, .dims = {size[0]}};
        for (size_t i = 2; i < count; i++) {
            shape.dims[i - 1] = size[i];
        }
        shape.dims[count - 1] = (int64_t)count - 2;
        for (size_t i = 0; i < count; i++) {
            if (shape.dims[i] < 0) {
                return tacho_infer_fail(infer, "a size is %" PRId64, shape.dims[i]);
            }
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Columns of blocks, put together to pictures of a given size. */
tacho_status tacho_onnx_infer_col2im(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 3));
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 3, 3));
    const tacho_shape *data = tacho_infer_shape(infer, 0);
    int64_t image[TACHO_RANK_MAX - 2], block[TACHO_RANK_MAX - 2], elements = 1;
    size_t count, block_count;
    tacho_shape shape = tacho_onnx_any_shape(-1);
    if (tacho_infer_ints(infer, 1, image, TACHO_RANK_MAX - 2, &count) &&
        tacho_infer_ints(infer, 2, block, TACHO_RANK_MAX - 2, &block_count)) {
        TACHO_TRY(tacho_onnx_match(infer, "dimensions of image and block", (int64_t)count,
                                   (int64_t)block_count));
        shape = (tacho_shape){
            .rank = (int32_t)count + 2,
            .dims = {data->rank == 3 ? data->dims[0] : TACHO_DIM_UNKNOWN, TACHO_DIM_UNKNOWN}};
        for (size_t i = 0; i < count; i++) {
            shape.dims[i + 2] = image[i];
            if (image[i] < 0 || block[i] < 1 || !tacho_onnx_mul(elements, block[i], &elements)) {
                return tacho_infer_fail(infer, "a block of %" PRId64 " in a picture of %" PRId64,
                                        block[i], image[i]);
            }
        }
        if (data->rank == 3 && data->dims[1] >= 0) {
            shape.dims[1] = data->dims[1] / elements;
        }
    }
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}
