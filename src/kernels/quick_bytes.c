/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels of networks that are quantised while they run: bytes of reals and back, and
 * products of bytes with variable zero points, by the loops of kernels/byte_simd.h. All give the
 * reference's bits: products are summed up exactly, and rounding is the same.
 */
#include "base/arena.h"
#include "base/attributes.h"
#include "kernels/byte_matrix.h"
#include "kernels/call.h"
#include "kernels/quick.h"
#include "kernels/vector.h"

#include <math.h>

/* Added to a number below 2^22 it leaves the nearest whole one, ties to even. */
#define SHIFT 0x1.8p23f

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct range {
    float low, high;
    bool has_nan;
} range;

static TACHO_ALWAYS_INLINE range find_range(const float *from, int64_t count)
{
    enum { LANES = 32 };
    float low[LANES] = {0}, high[LANES] = {0};
    int32_t nans[LANES] = {0};
    range found = {0, 0, false};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            float x = from[i + j];
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
            nans[j] |= x != x ? 1 : 0;
        }
    }
    for (; i < count; i++) {
        float x = from[i];
        low[0] = x < low[0] ? x : low[0];
        high[0] = x > high[0] ? x : high[0];
        nans[0] |= x != x ? 1 : 0;
    }
    for (int j = 0; j < LANES; j++) {
        found.low = low[j] < found.low ? low[j] : found.low;
        found.high = high[j] > found.high ? high[j] : found.high;
        found.has_nan |= nans[j] != 0;
    }
    return found;
}

static TACHO_ALWAYS_INLINE void quantise(const float *restrict from, int64_t count, float scale,
                                         float zero, uint8_t *restrict to)
{
    for (int64_t i = 0; i < count; i++) {
        float x = from[i] / scale;
        x = x < -512 ? -512 : x; /* beyond, it is held to a byte all the same */
        x = x > 512 ? 512 : x;
        x = (x + SHIFT) - SHIFT + zero;
        x = x < 0 ? 0 : x;
        x = x > 255 ? 255 : x;
        to[i] = (uint8_t)(int32_t)x; /* in range */
    }
}

#define LOOPS(set, target)                                                                         \
    target static range find_range_##set(const float *from, int64_t count)                         \
    {                                                                                              \
        return find_range(from, count);                                                            \
    }                                                                                              \
    target static void quantise_##set(const float *restrict from, int64_t count, float scale,      \
                                      float zero, uint8_t *restrict to)                            \
    {                                                                                              \
        quantise(from, count, scale, zero, to);                                                    \
    }

LOOPS(plain, )
#if defined(__x86_64__)
LOOPS(avx2, TACHO_TARGET("avx2"))
LOOPS(avx512, TACHO_TARGET("avx512f,avx512bw,avx512dq,avx512vl"))
#endif

static const struct {
    range (*find_range)(const float *from, int64_t count);
    void (*quantise)(const float *restrict from, int64_t count, float scale, float zero,
                     uint8_t *restrict to);
} sets[] = {
    [TACHO_VECTOR_PLAIN] = {find_range_plain, quantise_plain},
#if defined(__x86_64__)
    [TACHO_VECTOR_AVX2] = {find_range_avx2, quantise_avx2},
    [TACHO_VECTOR_AVX512] = {find_range_avx512, quantise_avx512},
#endif
};

/* ---- quantisation -------------------------------------------------------------------------- */

static tacho_status by_reference(const char *name, const tacho_kernel_call *call)
{
    return tacho_kernel_find(tacho_str_from_cstring(name))->compute(call); /* needs no zeros */
}

bool tacho_quick_fits_dynamic_quantise(const tacho_kernel_call *call)
{
    return call->inputs[0]->dtype == TACHO_DTYPE_F32 && call->outputs[0].dtype == TACHO_DTYPE_U8;
}

bool tacho_quantise_reals(const float *from, int64_t count, uint8_t *to, float *out_scale,
                          uint8_t *out_zero)
{
    tacho_vector_set set = tacho_vector_best();
    range found = sets[set].find_range(from, count);
    float spread = found.high - found.low, scale = spread / 255;
    if (found.has_nan || !isfinite(spread)) {
        return false;
    }
    scale = scale == 0 ? 1 : scale;
    float zero = rintf((0 - found.low) / scale);
    zero = zero < 0 ? 0 : zero > 255 ? 255 : zero;
    sets[set].quantise(from, count, scale, zero, to);
    *out_scale = scale;
    *out_zero = (uint8_t)zero; /* in range */
    return true;
}

/* As the reference has it; NaN and infinite ranges are left to that. */
tacho_status tacho_quick_dynamic_quantise(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *scale_out = tacho_call_output(call, 1), *zero_out = tacho_call_output(call, 2);
    int64_t count = tacho_array_elements(input);
    float scale;
    uint8_t zero;
    bool is_fit = count == tacho_array_elements(&call->outputs[0]) &&
                  (scale_out == NULL ||
                   (scale_out->dtype == TACHO_DTYPE_F32 && tacho_array_elements(scale_out) == 1)) &&
                  (zero_out == NULL ||
                   (zero_out->dtype == TACHO_DTYPE_U8 && tacho_array_elements(zero_out) == 1));
    if (!is_fit ||
        !tacho_quantise_reals(input->data, count, call->outputs[0].data, &scale, &zero)) {
        return by_reference("DynamicQuantizeLinear", call);
    }
    if (scale_out != NULL) {
        *(float *)scale_out->data = scale;
    }
    if (zero_out != NULL) {
        *(uint8_t *)zero_out->data = zero;
    }
    return TACHO_OK;
}

static bool is_byte(const tacho_array *array)
{
    return array->dtype == TACHO_DTYPE_I8 || array->dtype == TACHO_DTYPE_U8;
}

/* One number for all, of a type; also none. */
static bool is_single(const tacho_array *array, tacho_dtype dtype)
{
    return array == NULL || (array->dtype == dtype && tacho_array_elements(array) == 1);
}

bool tacho_quick_fits_dequantise(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *scale = tacho_call_input(call, 1);
    return is_byte(input) && scale != NULL && is_single(scale, TACHO_DTYPE_F32) &&
           is_single(tacho_call_input(call, 2), input->dtype) &&
           call->outputs[0].dtype == TACHO_DTYPE_F32 &&
           tacho_array_elements(input) == tacho_array_elements(&call->outputs[0]);
}

tacho_status tacho_quick_dequantise(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *zero_in = tacho_call_input(call, 2);
    int64_t count = tacho_array_elements(input);
    float scale = *(const float *)call->inputs[1]->data;
    int32_t zero = zero_in == NULL ? 0 : (int32_t)tacho_int_at(zero_in, 0);
    float *to = call->outputs[0].data;
    const int8_t *with_sign = input->data;
    const uint8_t *without = input->data;
    for (int64_t i = 0; input->dtype == TACHO_DTYPE_I8 && i < count; i++) {
        to[i] = (float)(with_sign[i] - zero) * scale;
    }
    for (int64_t i = 0; input->dtype == TACHO_DTYPE_U8 && i < count; i++) {
        to[i] = (float)(without[i] - zero) * scale;
    }
    return TACHO_OK;
}

/* ---- products ------------------------------------------------------------------------------ */

typedef struct product {
    const tacho_byte_simd *simd;
    int64_t batches, rows, depth, columns, pairs;
    int16_t *left;  /* rows of 2 * pairs numbers, less their zero point */
    int16_t *right; /* a block of columns: pairs x width x 2 */
    int16_t *zeros; /* of the right matrix, by column */
    int32_t *biases;
} product;

/* Batches of the left matrix are rows of one product, or those of the right one likewise. */
static bool read_sizes(const tacho_kernel_call *call, product *out)
{
    const tacho_shape *a = &call->inputs[0]->shape, *b = &call->inputs[1]->shape;
    if (a->rank < 2 || b->rank < 2 || (b->rank > 2 && b->rank != a->rank)) {
        return false;
    }
    *out = (product){.batches = 1,
                     .rows = a->dims[a->rank - 2],
                     .depth = a->dims[a->rank - 1],
                     .columns = b->dims[b->rank - 1]};
    for (int32_t i = 0; i < a->rank - 2; i++) {
        if (b->rank > 2 && a->dims[i] != b->dims[i]) {
            return false;
        }
        *(b->rank > 2 ? &out->batches : &out->rows) *= a->dims[i];
    }
    out->pairs = (out->depth + 1) / 2;
    return b->dims[b->rank - 2] == out->depth && out->depth > 0 &&
           out->depth <= TACHO_BYTE_DEPTH_MAX && out->batches > 0 && out->rows > 0 &&
           out->columns > 0 &&
           tacho_array_elements(&call->outputs[0]) == out->batches * out->rows * out->columns;
}

bool tacho_quick_fits_matmul_integer(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = tacho_call_input(call, 1);
    product sizes;
    if (b == NULL || !is_byte(a) || !is_byte(b) || call->outputs[0].dtype != TACHO_DTYPE_I32 ||
        !is_single(tacho_call_input(call, 2), a->dtype) || !read_sizes(call, &sizes)) {
        return false;
    }
    const tacho_array *zeros = tacho_call_input(call, 3);
    return is_single(zeros, b->dtype) ||
           (zeros->dtype == b->dtype && b->shape.rank == 2 && zeros->shape.rank == 1 &&
            zeros->shape.dims[0] == sizes.columns);
}

static tacho_status make_room(const tacho_kernel_call *call, tacho_arena *arena, product *self)
{
    const tacho_array *zeros = tacho_call_input(call, 3);
    int64_t width = self->simd->width, padded = self->columns + width;
    size_t left = (size_t)(self->rows + TACHO_BYTE_ROWS) * 2 * (size_t)self->pairs;
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, left * sizeof(int16_t), &memory));
    self->left = memory;
    memset(self->left, 0, left * sizeof(int16_t));
    TACHO_TRY(
        tacho_arena_alloc(arena, (size_t)(self->pairs * width) * 2 * sizeof(int16_t), &memory));
    self->right = memory;
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)padded * sizeof(int16_t), &memory));
    self->zeros = memory;
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)padded * sizeof(int32_t), &memory));
    self->biases = memory;
    for (int64_t i = 0; i < padded; i++) {
        bool is_there = zeros != NULL && i < self->columns;
        self->biases[i] = 0;
        self->zeros[i] = (int16_t)(is_there ? tacho_int_at(zeros, tacho_each_or_one(zeros, i)) : 0);
    }
    return TACHO_OK;
}

/* Columns |at| and on of the right matrix, a block of them. */
static void pack_block(const product *self, const unsigned char *from, bool is_signed, int64_t at)
{
    int64_t width = self->simd->width;
    int64_t count = self->columns - at < width ? self->columns - at : width;
    int16_t rows[2][TACHO_BYTE_WIDTH_MAX] = {{0}};
    for (int64_t k = 0; k < self->pairs; k++) {
        for (int64_t i = 0; i < 2; i++) {
            int64_t row = 2 * k + i;
            if (row < self->depth) {
                self->simd->widen(from + row * self->columns + at, count, is_signed, 0, rows[i]);
            } else { /* times a number that is 0 */
                memset(rows[i], 0, sizeof(rows[i]));
            }
        }
        int16_t *to = self->right + k * 2 * width;
        for (int64_t j = 0; j < width; j++) {
            to[2 * j] = (int16_t)(rows[0][j] - self->zeros[at + j]);
            to[2 * j + 1] = (int16_t)(rows[1][j] - self->zeros[at + j]);
        }
    }
}

static void multiply_batch(const tacho_kernel_call *call, const product *self, int64_t batch)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    const tacho_array *zero = tacho_call_input(call, 2);
    const unsigned char *left = (const unsigned char *)a->data + batch * self->rows * self->depth;
    const unsigned char *right =
        (const unsigned char *)b->data + batch * self->depth * self->columns;
    int32_t *out = (int32_t *)call->outputs[0].data + batch * self->rows * self->columns;
    int64_t stride = 2 * self->pairs;
    tacho_byte_finish finish = {.dtype = TACHO_DTYPE_I32, .int_biases = self->biases};
    for (int64_t i = 0; i < self->rows; i++) {
        self->simd->widen(left + i * self->depth, self->depth, a->dtype == TACHO_DTYPE_I8,
                          (int16_t)(zero == NULL ? 0 : tacho_int_at(zero, 0)),
                          self->left + i * stride);
    }
    for (int64_t at = 0; at < self->columns; at += self->simd->width) {
        pack_block(self, right, b->dtype == TACHO_DTYPE_I8, at);
        for (int64_t row = 0; row < self->rows; row += TACHO_BYTE_ROWS) {
            int64_t rest = self->rows - row, beyond = self->columns - at;
            tacho_byte_rows rows = {.data = self->left + row * stride,
                                    .stride = stride,
                                    .pairs = self->pairs,
                                    .count = rest < TACHO_BYTE_ROWS ? rest : TACHO_BYTE_ROWS};
            tacho_byte_target target = {.finish = &finish,
                                        .channel = at,
                                        .count =
                                            beyond < self->simd->width ? beyond : self->simd->width,
                                        .to = (unsigned char *)(out + row * self->columns + at),
                                        .row_bytes = self->columns * (int64_t)sizeof(int32_t)};
            self->simd->multiply(&rows, self->right, &target);
        }
    }
}

tacho_status tacho_quick_matmul_integer(const tacho_kernel_call *call)
{
    product self;
    tacho_arena arena;
    if (!tacho_quick_fits_matmul_integer(call) || !read_sizes(call, &self)) {
        return tacho_wrong_shapes("a product");
    }
    self.simd = tacho_byte_simd_best();
    tacho_arena_init(&arena);
    tacho_status status = make_room(call, &arena, &self);
    for (int64_t i = 0; status == TACHO_OK && i < self.batches; i++) {
        multiply_batch(call, &self, i);
    }
    tacho_arena_deinit(&arena);
    return status;
}
