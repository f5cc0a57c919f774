/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of kernels/byte_simd.h, written once. Each byte_simd_*.c includes this, compiled for
 * its instruction set, and names the result by BYTE_SIMD and BYTE_SIMD_NAME. A vector holds
 * LANES sums, or twice as many 16-bit numbers; a block of channels is two vectors of sums.
 */
#include "kernels/byte_simd.h"

#include <string.h>

/* ---- vectors ------------------------------------------------------------------------------- */

#if defined(__AVX512BW__)

#include <immintrin.h>

enum { LANES = 16 };
typedef __m512i vector;
typedef __m512 reals;

static inline vector load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline void store(void *to, vector from)
{
    _mm512_storeu_si512(to, from);
}

static inline vector fill(int32_t value)
{
    return _mm512_set1_epi32(value);
}

static inline vector add(vector a, vector b)
{
    return _mm512_add_epi32(a, b);
}

static inline vector subtract_halves(vector a, vector b)
{
    return _mm512_sub_epi16(a, b);
}

/* |sum| plus sums of two products each. */
static inline vector add_pairs(vector sum, vector a, vector b)
{
#if defined(__AVX512VNNI__)
    return _mm512_dpwssd_epi32(sum, a, b);
#else
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
#endif
}

static inline vector load_bytes(const unsigned char *from, bool is_signed)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)from);
    return is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

/* Within quarters of a vector, as below within halves. */
static inline void mix(vector a, vector b, vector out[2])
{
    out[0] = _mm512_unpacklo_epi16(a, b);
    out[1] = _mm512_unpackhi_epi16(a, b);
}

static inline void unmix(vector sums[2])
{
    vector low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    vector high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    vector first = _mm512_permutex2var_epi64(sums[0], low, sums[1]);
    sums[1] = _mm512_permutex2var_epi64(sums[0], high, sums[1]);
    sums[0] = first;
}

static inline reals scale(vector sums, const float *biases, const float *scales)
{
    reals moved = _mm512_add_ps(_mm512_cvtepi32_ps(sums), _mm512_loadu_ps(biases));
    return _mm512_mul_ps(moved, _mm512_loadu_ps(scales));
}

static inline vector round_within(reals values, float low, float high)
{
    reals held = _mm512_max_ps(values, _mm512_set1_ps(low));
    return _mm512_cvtps_epi32(_mm512_min_ps(held, _mm512_set1_ps(high)));
}

static inline void store_bytes(unsigned char *to, vector first, vector second)
{
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8(first));
    _mm_storeu_si128((__m128i *)(void *)(to + LANES), _mm512_cvtepi32_epi8(second));
}

#elif defined(__AVX2__)

#include <immintrin.h>

enum { LANES = 8 };
typedef __m256i vector;
typedef __m256 reals;

static inline vector load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline void store(void *to, vector from)
{
    _mm256_storeu_si256((__m256i *)to, from);
}

static inline vector fill(int32_t value)
{
    return _mm256_set1_epi32(value);
}

static inline vector add(vector a, vector b)
{
    return _mm256_add_epi32(a, b);
}

static inline vector subtract_halves(vector a, vector b)
{
    return _mm256_sub_epi16(a, b);
}

static inline vector add_pairs(vector sum, vector a, vector b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

static inline vector load_bytes(const unsigned char *from, bool is_signed)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

/* Pairs of equal position. That is done within halves of a vector, which unmix undoes. */
static inline void mix(vector a, vector b, vector out[2])
{
    out[0] = _mm256_unpacklo_epi16(a, b);
    out[1] = _mm256_unpackhi_epi16(a, b);
}

static inline void unmix(vector sums[2])
{
    vector low = _mm256_permute2x128_si256(sums[0], sums[1], 0x20);
    sums[1] = _mm256_permute2x128_si256(sums[0], sums[1], 0x31);
    sums[0] = low;
}

/* (sum + bias) * scale */
static inline reals scale(vector sums, const float *biases, const float *scales)
{
    reals moved = _mm256_add_ps(_mm256_cvtepi32_ps(sums), _mm256_loadu_ps(biases));
    return _mm256_mul_ps(moved, _mm256_loadu_ps(scales));
}

/* To integers between bounds; ties go to the even one. */
static inline vector round_within(reals values, float low, float high)
{
    reals held = _mm256_max_ps(values, _mm256_set1_ps(low));
    return _mm256_cvtps_epi32(_mm256_min_ps(held, _mm256_set1_ps(high)));
}

/* The lowest byte of each. */
static inline void store_bytes(unsigned char *to, vector first, vector second)
{
    vector mask = _mm256_set1_epi32(UINT8_MAX);
    vector halves =
        _mm256_packus_epi32(_mm256_and_si256(first, mask), _mm256_and_si256(second, mask));
    halves = _mm256_permute4x64_epi64(halves, 0xd8);
    __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128((__m128i *)(void *)to, bytes);
}

#elif defined(__SSE2__)

#include <emmintrin.h>

enum { LANES = 4 };
typedef __m128i vector;
typedef __m128 reals;

static inline vector load(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

static inline void store(void *to, vector from)
{
    _mm_storeu_si128((__m128i *)to, from);
}

static inline vector fill(int32_t value)
{
    return _mm_set1_epi32(value);
}

static inline vector add(vector a, vector b)
{
    return _mm_add_epi32(a, b);
}

static inline vector subtract_halves(vector a, vector b)
{
    return _mm_sub_epi16(a, b);
}

static inline vector add_pairs(vector sum, vector a, vector b)
{
    return _mm_add_epi32(sum, _mm_madd_epi16(a, b));
}

static inline vector load_bytes(const unsigned char *from, bool is_signed)
{
    vector bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return is_signed ? _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8)
                     : _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
}

static inline void mix(vector a, vector b, vector out[2])
{
    out[0] = _mm_unpacklo_epi16(a, b);
    out[1] = _mm_unpackhi_epi16(a, b);
}

static inline void unmix(vector sums[2])
{
    (void)sums;
}

static inline reals scale(vector sums, const float *biases, const float *scales)
{
    reals moved = _mm_add_ps(_mm_cvtepi32_ps(sums), _mm_loadu_ps(biases));
    return _mm_mul_ps(moved, _mm_loadu_ps(scales));
}

static inline vector round_within(reals values, float low, float high)
{
    reals held = _mm_max_ps(values, _mm_set1_ps(low));
    return _mm_cvtps_epi32(_mm_min_ps(held, _mm_set1_ps(high)));
}

static inline void store_bytes(unsigned char *to, vector first, vector second)
{
    vector mask = _mm_set1_epi32(UINT8_MAX);
    vector halves = _mm_packs_epi32(_mm_and_si128(first, mask), _mm_and_si128(second, mask));
    _mm_storel_epi64((__m128i *)(void *)to, _mm_packus_epi16(halves, halves));
}

#else

/* Vectors in the compiler's own C, for any processor. */
enum { LANES = 4 };
typedef int32_t vector __attribute__((vector_size(16)));
typedef uint32_t unsigned_vector __attribute__((vector_size(16))); /* whose sums may wrap */
typedef int16_t halves __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(16)));

static inline vector load(const void *from)
{
    vector made;
    memcpy(&made, from, sizeof(made));
    return made;
}

static inline void store(void *to, vector from)
{
    memcpy(to, &from, sizeof(from));
}

static inline vector fill(int32_t value)
{
    return (vector){value, value, value, value};
}

static inline vector add(vector a, vector b)
{
    return (vector)((unsigned_vector)a + (unsigned_vector)b);
}

static inline vector subtract_halves(vector a, vector b)
{
    return (vector)((halves)a - (halves)b);
}

/* The lower of two halves, as a number. */
static inline vector lower_half(vector a)
{
    return (vector)((unsigned_vector)a << 16) >> 16;
}

static inline vector add_pairs(vector sum, vector a, vector b)
{
    return sum + lower_half(a) * lower_half(b) + (a >> 16) * (b >> 16);
}

static inline vector load_bytes(const unsigned char *from, bool is_signed)
{
    typedef int8_t signed_bytes __attribute__((vector_size(8)));
    typedef uint8_t unsigned_bytes __attribute__((vector_size(8)));
    signed_bytes bytes;
    memcpy(&bytes, from, sizeof(bytes));
    return (vector)(is_signed ? __builtin_convertvector(bytes, halves)
                              : __builtin_convertvector((unsigned_bytes)bytes, halves));
}

static inline void mix(vector a, vector b, vector out[2])
{
    halves x = (halves)a, y = (halves)b;
    out[0] = (vector)__builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] = (vector)__builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline void unmix(vector sums[2])
{
    (void)sums;
}

static inline reals load_reals(const float *from)
{
    reals made;
    memcpy(&made, from, sizeof(made));
    return made;
}

static inline reals scale(vector sums, const float *biases, const float *scales)
{
    return (__builtin_convertvector(sums, reals) + load_reals(biases)) * load_reals(scales);
}

/* |a| where |mask| is set, else |b|. */
static inline reals choose(vector mask, reals a, reals b)
{
    return (reals)(((vector)a & mask) | ((vector)b & ~mask));
}

/* Added and subtracted again, |shift| rounds to an integer. */
static inline vector round_within(reals values, float low, float high)
{
    const float shift = 0x1.8p23f;
    reals least = {low, low, low, low}, most = {high, high, high, high};
    values = choose((vector)(values > least), values, least);
    values = choose((vector)(values < most), values, most);
    return __builtin_convertvector(values + shift - shift, vector);
}

static inline void store_bytes(unsigned char *to, vector first, vector second)
{
    for (int i = 0; i < LANES; i++) {
        to[i] = (unsigned char)first[i];
        to[LANES + i] = (unsigned char)second[i];
    }
}

#endif

enum { WIDTH = 2 * LANES };

/* ---- results ------------------------------------------------------------------------------- */

/* Functions between the product and its rounding; one number at a time. */
static void apply_posts(const tacho_byte_finish *self, reals *values)
{
    float numbers[LANES];
    memcpy(numbers, values, sizeof(numbers));
    for (size_t j = 0; j < self->post_count; j++) {
        for (int i = 0; i < LANES; i++) {
            numbers[i] = tacho_byte_post(&self->posts[j], numbers[i]);
        }
    }
    memcpy(values, numbers, sizeof(numbers));
}

static inline vector finish_part(const tacho_byte_finish *self, const int32_t *sums,
                                 int64_t channel)
{
    reals values = scale(load(sums), self->biases + channel, self->scales + channel);
    if (self->post_count > 0) {
        apply_posts(self, &values);
    }
    return add(round_within(values, self->low, self->high), fill(self->zero));
}

/* Writes |count| results of one row, at most a block. */
static inline void finish(const tacho_byte_finish *self, const int32_t *sums, int64_t channel,
                          int64_t count, unsigned char *to)
{
    int32_t made[WIDTH];
    if (self->dtype == TACHO_DTYPE_I32) {
        store(made, add(load(sums), load(self->int_biases + channel)));
        store(made + LANES, add(load(sums + LANES), load(self->int_biases + channel + LANES)));
        memcpy(to, made, (size_t)count * sizeof(made[0]));
        return;
    }
    vector first = finish_part(self, sums, channel);
    vector second = finish_part(self, sums + LANES, channel + LANES);
    if (count == WIDTH) {
        store_bytes(to, first, second);
    } else {
        store_bytes((unsigned char *)made, first, second);
        memcpy(to, made, (size_t)count);
    }
}

/* ---- products ------------------------------------------------------------------------------ */

static inline int32_t pair_of(int16_t value)
{
    return (int32_t)((uint32_t)(uint16_t)value << 16 | (uint16_t)value);
}

static void widen(const unsigned char *from, int64_t count, bool is_signed, int16_t zero,
                  int16_t *to)
{
    vector less = fill(pair_of(zero));
    int64_t i = 0;
    for (; is_signed && i + WIDTH <= count; i += WIDTH) {
        store(to + i, subtract_halves(load_bytes(from + i, true), less));
    }
    for (; !is_signed && i + WIDTH <= count; i += WIDTH) {
        store(to + i, subtract_halves(load_bytes(from + i, false), less));
    }
    for (; i < count; i++) {
        int byte = is_signed && from[i] > INT8_MAX ? from[i] - 256 : from[i];
        to[i] = (int16_t)(byte - zero);
    }
}

/* Sums are variables of their own rather than arrays, so that they stay in registers. */
#define SUMS_OF(i) vector first##i = fill(0), second##i = fill(0);
#define ADD_TO(i)                                                                                  \
    {                                                                                              \
        int32_t pair;                                                                              \
        memcpy(&pair, data + i * stride, sizeof(pair));                                            \
        vector all = fill(pair);                                                                   \
        first##i = add_pairs(first##i, all, load(filters));                                        \
        second##i = add_pairs(second##i, all, load(filters + WIDTH));                              \
    }
#define STORE(i)                                                                                   \
    store(sums + i * WIDTH, first##i);                                                             \
    store(sums + i * WIDTH + LANES, second##i);

static void multiply_row(const tacho_byte_rows *rows, const int16_t *filters, int32_t *sums)
{
    int64_t stride = rows->stride;
    const int16_t *data = rows->data, *end = data + 2 * rows->pairs;
    SUMS_OF(0)
    for (; data < end; data += 2, filters += 2 * WIDTH) {
        ADD_TO(0)
    }
    STORE(0)
}

static void multiply_rows(const tacho_byte_rows *rows, const int16_t *filters, int32_t *sums)
{
    int64_t stride = rows->stride;
    const int16_t *data = rows->data, *end = data + 2 * rows->pairs;
    SUMS_OF(0)
    SUMS_OF(1)
    SUMS_OF(2)
    SUMS_OF(3)
    SUMS_OF(4)
    SUMS_OF(5)
    for (; data < end; data += 2, filters += 2 * WIDTH) {
        ADD_TO(0) ADD_TO(1) ADD_TO(2) ADD_TO(3) ADD_TO(4) ADD_TO(5)
    }
    STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5)
}

#undef SUMS_OF
#undef ADD_TO
#undef STORE

static void multiply(const tacho_byte_rows *rows, const int16_t *filters,
                     const tacho_byte_target *target)
{
    int32_t sums[TACHO_BYTE_ROWS * WIDTH];
    (rows->count == 1 ? multiply_row : multiply_rows)(rows, filters, sums);
    for (int64_t i = 0; i < rows->count; i++) {
        finish(target->finish, sums + i * WIDTH, target->channel, target->count,
               target->to + i * target->row_bytes);
    }
}

static void interleave(const int16_t *first, const int16_t *second, int16_t *to)
{
    vector made[2];
    mix(load(first), load(second), made);
    store(to, made[0]);
    store(to + WIDTH, made[1]);
}

__attribute__((always_inline)) static inline void multiply_signed(const tacho_byte_places *places,
                                                                  int64_t channel,
                                                                  const int16_t *filters,
                                                                  int32_t *sums, bool is_signed)
{
    vector less = fill(pair_of(places->zero)), made[2] = {fill(0), fill(0)}, mixed[2];
    for (int64_t k = 0; k < places->pairs; k++) {
        vector a = load_bytes(places->at[2 * k] + channel, is_signed);
        vector b = load_bytes(places->at[2 * k + 1] + channel, is_signed);
        mix(subtract_halves(a, less), subtract_halves(b, less), mixed);
        made[0] = add_pairs(made[0], mixed[0], load(filters));
        made[1] = add_pairs(made[1], mixed[1], load(filters + WIDTH));
        filters += 2 * WIDTH;
    }
    unmix(made);
    store(sums, made[0]);
    store(sums + LANES, made[1]);
}

static void multiply_each(const tacho_byte_places *places, const int16_t *filters,
                          const tacho_byte_target *target)
{
    int64_t size = target->finish->dtype == TACHO_DTYPE_I32 ? (int64_t)sizeof(int32_t) : 1;
    int32_t sums[WIDTH];
    for (int64_t i = 0; i < target->count; i += WIDTH, filters += 2 * WIDTH * places->pairs) {
        int64_t channel = target->channel + i, left = target->count - i;
        if (places->is_signed) {
            multiply_signed(places, channel, filters, sums, true);
        } else {
            multiply_signed(places, channel, filters, sums, false);
        }
        finish(target->finish, sums, channel, left < WIDTH ? left : WIDTH, target->to + i * size);
    }
}

const tacho_byte_simd BYTE_SIMD = {
    .name = BYTE_SIMD_NAME,
    .width = WIDTH,
    .widen = widen,
    .multiply = multiply,
    .interleave = interleave,
    .multiply_each = multiply_each,
};
