/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels, once for each instruction set: a block of results stays in registers while k passes
 * by. Vectors are those of the compiler's own C; which set runs is asked of the processor.
 */
#include "machine/calibrate_kernels.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SIDE = TACHO_CALIBRATE_SIDE, ELEMENTS = TACHO_CALIBRATE_ELEMENTS, PAIR = 2, DOTS = 4 };

/* Rows of |type|: |rows| x 2 vectors of |bytes| bytes are summed at a time. */
#define BLOCK(name, type, set, target, bytes, rows)                                                \
    typedef type vector_##name##_##set __attribute__((vector_size(bytes)));                        \
    target static void product_##name##_##set(const void *a_memory, const void *b_memory,          \
                                              void *c_memory)                                      \
    {                                                                                              \
        enum { LANES = (bytes) / sizeof(type), ROWS = (rows) };                                    \
        const type *a = a_memory;                                                                  \
        for (size_t j = 0; j < SIDE; j += PAIR * LANES) {                                          \
            const vector_##name##_##set *b =                                                       \
                (const vector_##name##_##set *)((const type *)b_memory + j);                       \
            for (size_t i = 0; i < SIDE; i += ROWS) {                                              \
                vector_##name##_##set block[ROWS][PAIR] = {{{0}}};                                 \
                for (size_t k = 0; k < SIDE; k++) {                                                \
                    const vector_##name##_##set *right = b + k * (SIDE / LANES);                   \
                    _Pragma("GCC unroll 16") for (size_t r = 0; r < ROWS; r++)                     \
                    {                                                                              \
                        type left = a[(i + r) * SIDE + k];                                         \
                        block[r][0] += left * right[0];                                            \
                        block[r][1] += left * right[1];                                            \
                    }                                                                              \
                }                                                                                  \
                for (size_t r = 0; r < ROWS; r++) {                                                \
                    memcpy((type *)c_memory + (i + r) * SIDE + j, block[r], sizeof(block[r]));     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* Small integers: four times two dot products, which compilers have instructions for. */
#define DOT(name, left_type, right_type, set, target)                                              \
    target static void product_##name##_##set(const void *a_memory, const void *b_memory,          \
                                              void *c_memory)                                      \
    {                                                                                              \
        int32_t *c = c_memory;                                                                     \
        for (size_t i = 0; i < SIDE; i += DOTS) {                                                  \
            const left_type *a = (const left_type *)a_memory + i * SIDE;                           \
            for (size_t j = 0; j < SIDE; j += PAIR) {                                              \
                const right_type *b = (const right_type *)b_memory + j * SIDE;                     \
                int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;                                        \
                int32_t s20 = 0, s21 = 0, s30 = 0, s31 = 0;                                        \
                for (size_t k = 0; k < SIDE; k++) {                                                \
                    s00 += a[k] * b[k];                                                            \
                    s01 += a[k] * b[SIDE + k];                                                     \
                    s10 += a[SIDE + k] * b[k];                                                     \
                    s11 += a[SIDE + k] * b[SIDE + k];                                              \
                    s20 += a[2 * SIDE + k] * b[k];                                                 \
                    s21 += a[2 * SIDE + k] * b[SIDE + k];                                          \
                    s30 += a[3 * SIDE + k] * b[k];                                                 \
                    s31 += a[3 * SIDE + k] * b[SIDE + k];                                          \
                }                                                                                  \
                const int32_t sums[DOTS][PAIR] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}}; \
                for (size_t r = 0; r < DOTS; r++) {                                                \
                    memcpy(&c[(i + r) * SIDE + j], sums[r], sizeof(sums[r]));                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

#define SUM(name, type, set, target)                                                               \
    target static void sum_##name##_##set(const void *a_memory, const void *b_memory,              \
                                          void *c_memory)                                          \
    {                                                                                              \
        const type *restrict a = a_memory;                                                         \
        const type *restrict b = b_memory;                                                         \
        type *restrict c = c_memory;                                                               \
        for (size_t i = 0; i < ELEMENTS; i++) {                                                    \
            c[i] = (type)(a[i] + b[i]);                                                            \
        }                                                                                          \
    }

#define SET(set, target, bytes, rows)                                                              \
    BLOCK(f32, float, set, target, bytes, rows)                                                    \
    BLOCK(f64, double, set, target, bytes, rows)                                                   \
    BLOCK(i32, int32_t, set, target, bytes, rows)                                                  \
    DOT(i8, uint8_t, int8_t, set, target)                                                          \
    DOT(i16, int16_t, int16_t, set, target)                                                        \
    SUM(f32, float, set, target)                                                                   \
    SUM(f64, double, set, target)                                                                  \
    SUM(i8, int8_t, set, target)                                                                   \
    SUM(i16, int16_t, set, target)                                                                 \
    SUM(i32, int32_t, set, target)

#define TYPE(name, set)                                                                            \
    {                                                                                              \
#name, product_##name##_##set, sum_##name##_##set                                          \
    }
#define TYPES(set)                                                                                 \
    {                                                                                              \
        TYPE(f32, set), TYPE(f64, set), TYPE(i8, set), TYPE(i16, set), TYPE(i32, set)              \
    }

#ifdef __x86_64__
#ifdef __clang__
#define WIDE ""
#else
#define WIDE ",prefer-vector-width=512"
#endif
#define AVX512 "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"
SET(vnni, __attribute__((target(AVX512 ",avx512vnni" WIDE))), 64, 8)
SET(avx512, __attribute__((target(AVX512 WIDE))), 64, 8)
SET(avx2, __attribute__((target("avx2,fma"))), 32, 6)

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static bool has_vnni(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

SET(base, , 16, 4)

static bool has_base(void)
{
    return true;
}

const tacho_calibrate_set *tacho_calibrate_set_at(size_t index)
{
    static const struct {
        bool (*is_there)(void);
        tacho_calibrate_set set;
    } sets[] = {
#ifdef __x86_64__
        {has_vnni, {"AVX-512 with VNNI", TYPES(vnni)}},
        {has_avx512, {"AVX-512", TYPES(avx512)}},
        {has_avx2, {"AVX2", TYPES(avx2)}},
#endif
        {has_base, {"the compiler's default", TYPES(base)}},
    };
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (sets[i].is_there() && index-- == 0) {
            return &sets[i].set;
        }
    }
    return NULL;
}
