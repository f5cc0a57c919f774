/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each conversion is written once, without branches, and compiled for each instruction set. Whole
 * numbers do the work; reals are used where a product or a sum is exact or rounds as wanted.
 */
#include "kernels/short_real.h"

#include "base/attributes.h"

#include <string.h>

#define INFINITE 0x7f800000u   /* f32's infinity */
#define LEAST_F16 0x38800000u  /* 2^-14, the least normal number of f16 */
#define BEYOND_F16 0x47800000u /* 2^16, where f16 has infinity */
#define QUIET 0x00400000u      /* of a NaN */

static TACHO_ALWAYS_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static TACHO_ALWAYS_INLINE float number_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A NaN keeps the bits that are kept of a number. */
static TACHO_ALWAYS_INLINE uint32_t round_f16(uint32_t bits)
{
    uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    uint32_t normal = (size + 0xfffu + (size >> 13 & 1)) & ~0x1fffu;
    normal = normal >= BEYOND_F16 ? INFINITE : normal;
    /* To 0.75, whose last bit is that of subnormal numbers of f16, they are added. */
    uint32_t small = bits_of((number_of(size < LEAST_F16 ? size : 0) + 0.75f) - 0.75f);
    uint32_t rounded = size < LEAST_F16 ? small : normal;
    uint32_t nan = (size & ~0x1fffu) | QUIET;
    return sign | (size > INFINITE ? nan : rounded);
}

static TACHO_ALWAYS_INLINE uint32_t round_bf16(uint32_t bits)
{
    uint32_t sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    uint32_t normal = (size + 0x7fffu + (size >> 16 & 1)) & ~0xffffu;
    uint32_t nan = (size & ~0xffffu) | QUIET;
    return sign | (size > INFINITE ? nan : normal);
}

static TACHO_ALWAYS_INLINE uint16_t narrow_f16(uint32_t bits)
{
    uint32_t rounded = round_f16(bits), sign = rounded >> 16 & 0x8000u;
    uint32_t size = rounded & 0x7fffffffu;
    uint32_t normal = (size - (112u << 23)) >> 13;
    float units = number_of(size < LEAST_F16 ? size : 0) * 0x1p24f;
    uint32_t small = (uint32_t)(int32_t)units;      /* in range */
    uint32_t odd = 0x7c00u | (size >> 13 & 0x3ffu); /* infinity and NaN */
    uint32_t number = size < LEAST_F16 ? small : normal;
    return (uint16_t)(sign | (size >= INFINITE ? odd : number));
}

static TACHO_ALWAYS_INLINE uint32_t widen_f16(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
    uint32_t normal = (size << 13) + (112u << 23);
    uint32_t small = bits_of((float)(int32_t)(size & 0x3ffu) * 0x1p-24f);
    uint32_t odd = INFINITE | size << 13 | (size > 0x7c00u ? QUIET : 0);
    uint32_t number = size < 0x400u ? small : normal;
    return sign | (size >= 0x7c00u ? odd : number);
}

static TACHO_ALWAYS_INLINE uint16_t narrow_bf16(uint32_t bits)
{
    return (uint16_t)(round_bf16(bits) >> 16);
}

static TACHO_ALWAYS_INLINE uint32_t widen_bf16(uint32_t bits)
{
    uint32_t size = bits & 0x7fffu;
    return bits << 16 | (size > 0x7f80u ? QUIET : 0);
}

/* ---- loops --------------------------------------------------------------------------------- */

typedef struct loops {
    void (*widen)(const uint16_t *restrict from, size_t count, float *restrict to);
    void (*narrow)(const float *restrict from, size_t count, uint16_t *restrict to);
    void (*round)(float *values, size_t count);
} loops;

#define LOOPS(type, set, target)                                                                   \
    target static void widen_##type##_##set(const uint16_t *restrict from, size_t count,           \
                                            float *restrict to)                                    \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = number_of(widen_##type(from[i]));                                              \
        }                                                                                          \
    }                                                                                              \
    target static void narrow_##type##_##set(const float *restrict from, size_t count,             \
                                             uint16_t *restrict to)                                \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            to[i] = narrow_##type(bits_of(from[i]));                                               \
        }                                                                                          \
    }                                                                                              \
    target static void round_##type##_##set(float *values, size_t count)                           \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            values[i] = number_of(round_##type(bits_of(values[i])));                               \
        }                                                                                          \
    }
#define NAMES(type, set)                                                                           \
    {                                                                                              \
        widen_##type##_##set, narrow_##type##_##set, round_##type##_##set                          \
    }

LOOPS(f16, plain, )
LOOPS(bf16, plain, )
#if defined(__x86_64__)
#define AVX512 TACHO_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
LOOPS(f16, avx2, TACHO_TARGET("avx2"))
LOOPS(bf16, avx2, TACHO_TARGET("avx2"))
LOOPS(f16, avx512, AVX512)
LOOPS(bf16, avx512, AVX512)
#endif

static const loops sets[][2] = {
    [TACHO_VECTOR_PLAIN] = {NAMES(f16, plain), NAMES(bf16, plain)},
#if defined(__x86_64__)
    [TACHO_VECTOR_AVX2] = {NAMES(f16, avx2), NAMES(bf16, avx2)},
    [TACHO_VECTOR_AVX512] = {NAMES(f16, avx512), NAMES(bf16, avx512)},
#endif
};

static const loops *loops_of(tacho_vector_set set, tacho_dtype dtype)
{
    return &sets[set][dtype == TACHO_DTYPE_BF16 ? 1 : 0];
}

void tacho_short_widen(tacho_vector_set set, tacho_dtype dtype, const uint16_t *from, size_t count,
                       float *to)
{
    loops_of(set, dtype)->widen(from, count, to);
}

void tacho_short_narrow(tacho_vector_set set, tacho_dtype dtype, const float *from, size_t count,
                        uint16_t *to)
{
    loops_of(set, dtype)->narrow(from, count, to);
}

void tacho_short_round(tacho_vector_set set, tacho_dtype dtype, float *values, size_t count)
{
    loops_of(set, dtype)->round(values, count);
}
