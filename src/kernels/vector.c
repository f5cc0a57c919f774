/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Range reductions followed by polynomials, without branches: both sides of a choice are computed
 * and one is taken, so that a loop over elements becomes vectors. Nothing is called; rounding to
 * whole numbers and powers of two are done on the bits of doubles, in every instruction set.
 *
 * Polynomials are minimax fits; next to each is the largest relative error that it adds.
 */
#include "kernels/vector.h"

#include "base/attributes.h"
#include "kernels/isa.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define FUNCTION static TACHO_ALWAYS_INLINE double

/* Added to a number below 2^51 it leaves the nearest whole number, ties to even, in the last bits.
 */
#define SHIFT 0x1.8p52
#define LN_2 0x1.62e42fefa39efp-1

/* Exponents beyond these give 0 and infinity in all types that results are rounded to. */
#define EXP_LEAST (-110.0)
#define EXP_MOST 110.0

static TACHO_ALWAYS_INLINE uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

FUNCTION number_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* NaN stays. */
FUNCTION clamp(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

FUNCTION nearest(double x)
{
    return (x + SHIFT) - SHIFT;
}

/* 2 to the power of the whole number in |shifted|, which has SHIFT added to it, times e^|rest|. */
FUNCTION scaled_exp(double shifted, double rest)
{
    double sum = 0x1.9f089c22b8769p-13; /* 5.2e-11 for half of ln(2) and less */
    sum = sum * rest + 0x1.6d8d08db53737p-10;
    sum = sum * rest + 0x1.111270b1d0d3ep-7;
    sum = sum * rest + 0x1.55548dc22b882p-5;
    sum = sum * rest + 0x1.555554433a055p-3;
    sum = sum * rest + 0x1.0000003a24b5fp-1;
    double value = 1 + (rest + rest * rest * sum);
    return value * number_of((bits_of(shifted) << 52) + (UINT64_C(1023) << 52));
}

/* |x| is within EXP_LEAST and EXP_MOST. */
FUNCTION exp_of(double x)
{
    double shifted = x * 0x1.71547652b82fep+0 + SHIFT;
    return scaled_exp(shifted, x - (shifted - SHIFT) * LN_2);
}

FUNCTION exp_within(double x)
{
    return exp_of(clamp(x, EXP_LEAST, EXP_MOST));
}

/* The logarithm of a positive normal double. */
FUNCTION log_positive(double x)
{
    /* x = 2^power * part, part within the roots of 1/2 and 2 */
    uint64_t bits = bits_of(x), root = UINT64_C(0x3fe6a09e00000000);
    uint64_t biased = (bits - root + (UINT64_C(1023) << 52)) >> 52; /* the power + 1023 */
    double part = number_of(bits - ((biased - 1023) << 52));
    double power = number_of(biased | UINT64_C(0x433) << 52) - (0x1p52 + 1023);
    double s = (part - 1) / (part + 1), square = s * s;
    double sum = 0x1.911588d84fe46p-3; /* 3.0e-14 */
    sum = sum * square + 0x1.c62b14c6cc050p-3;
    sum = sum * square + 0x1.249411eec922ep-2;
    sum = sum * square + 0x1.999996a94619fp-2;
    sum = sum * square + 0x1.555555561e45cp-1;
    return power * LN_2 + (2 * s + s * (square * sum));
}

FUNCTION log_of(double x)
{
    double value = log_positive(x);
    double other = x == 0 ? -(double)INFINITY : (double)NAN;
    value = x > DBL_MAX ? x : value;
    return x > 0 ? value : other;
}

/* The logarithm of 1 + |x|, 0 to 1, exact to the last where x is small. */
FUNCTION log1p_of(double x)
{
    double s = x / (2 + x), square = s * s;
    double sum = 0x1.be5240fb5c6d5p-3; /* 2.8e-12 */
    sum = sum * square + 0x1.5f2f1d6f604cep-3;
    sum = sum * square + 0x1.c8bc339b290fap-3;
    sum = sum * square + 0x1.248a555bcf58ep-2;
    sum = sum * square + 0x1.9999bd2efb9ecp-2;
    sum = sum * square + 0x1.5555553ae6f7ep-1;
    return 2 * s + s * (square * sum);
}

FUNCTION softplus_of(double x)
{
    double above = x < 0 ? 0 : x; /* NaN stays */
    return above + log1p_of(exp_of(-clamp(fabs(x), 0, EXP_MOST)));
}

FUNCTION sigmoid_of(double x)
{
    return 1 / (1 + exp_of(-clamp(x, EXP_LEAST, EXP_MOST)));
}

/* x times a share that is 0 far below 0, so that it is NaN for an x of minus infinity. */
FUNCTION swish_of(double x, double a)
{
    double share = sigmoid_of(a * x);
    share = a * x < EXP_LEAST ? 0 : share;
    return x * share;
}

FUNCTION gelu_tanh_of(double x)
{
    double inner = 0x1.9884533d43651p+0 * (x + 0.044715 * x * x * x); /* twice the root of 2/pi */
    double share = sigmoid_of(inner);
    share = inner < EXP_LEAST ? 0 : share;
    return x * share;
}

FUNCTION tanh_of(double x)
{
    double square = x * x, size = clamp(fabs(x), 0, 20);
    double sum = 0x1.510c07785a0edp-6; /* 1.8e-11 */
    sum = sum * square - 0x1.b98e8982c94b1p-5;
    sum = sum * square + 0x1.1110575b06335p-3;
    sum = sum * square - 0x1.555554bd05ad5p-2;
    double small = x * (1 + square * sum);
    double large = copysign(1 - 2 / (exp_of(2 * size) + 1), x);
    return size < 0.25 ? small : large;
}

/* 1 - erf(|x|) of 0 to 10.5, where f32 underflows. */
#define ERFC_MOST 10.5
FUNCTION erfc_of(double x)
{
    /* erfc(x) exp(x^2) (1 + 2x) is a smooth function of (x - 3) / (x + 3). */
    double first = x + 3, second = 1 + 2 * x, inverse = 1 / (first * second);
    double u = (x - 3) * (inverse * second);
    double sum = 0x1.1228cc6ca0b84p-15; /* 4.0e-11 */
    sum = sum * u + 0x1.0711a97ed7e05p-13;
    sum = sum * u - 0x1.0bec2f139b3b7p-13;
    sum = sum * u - 0x1.9dfe5a19ec82ap-11;
    sum = sum * u + 0x1.f0c8447dc3290p-10;
    sum = sum * u + 0x1.4c17888b74e59p-9;
    sum = sum * u - 0x1.8577d1adef1cep-6;
    sum = sum * u + 0x1.17c9698fe77bep-4;
    sum = sum * u - 0x1.e88b78aa323d8p-4;
    sum = sum * u + 0x1.09836d03fb089p-3;
    sum = sum * u - 0x1.85a15c6e2fb92p-5;
    sum = sum * u - 0x1.15c084da43342p-3;
    sum = sum * u + 0x1.40c522d7e4f2ap+0;
    return exp_of(-x * x) * (sum * (inverse * first));
}

FUNCTION erf_of(double x)
{
    double square = x * x, size = fabs(x);
    double sum = 0x1.45a3892ede463p-8; /* 4.0e-11 */
    sum = sum * square - 0x1.b7baef0db8ffcp-6;
    sum = sum * square + 0x1.ce2de2e594461p-4;
    sum = sum * square - 0x1.812745774192fp-2;
    sum = sum * square + 0x1.20dd7503f867ap+0;
    double small = x * sum;
    double large = copysign(1 - erfc_of(clamp(size, 0, ERFC_MOST)), x);
    return size < 0.35 ? small : large;
}

/* x times the share of a normal distribution below x; see swish_of. */
FUNCTION gelu_of(double x)
{
    double size = fabs(x) * 0x1.6a09e667f3bcdp-1;
    double tail = 0.5 * erfc_of(clamp(size, 0, ERFC_MOST));
    tail = size > ERFC_MOST ? 0 : tail;
    double share = x < 0 ? tail : 1 - tail;
    return x * share;
}

/* As IEEE 754 has it: any x to the power of 0 is 1, so is 1 to any power. */
FUNCTION pow_of(double x, double y)
{
    double size = fabs(x);
    double log = log_positive(size) * 0x1.71547652b82fep+0; /* to base 2 */
    log = size == 0 ? -(double)INFINITY : log;
    log = size <= DBL_MAX ? log : size; /* infinity and NaN stay */
    double power = clamp(y * log, -160, 160);
    double shifted = power + SHIFT;
    double value = scaled_exp(shifted, (power - (shifted - SHIFT)) * LN_2);
    /* Numbers of 2^24 and more that f32 can hold are even. */
    double whole = clamp(fabs(y), 0, 0x1p24);
    double is_whole = nearest(whole) == whole ? 1 : 0;
    double is_even = nearest(0.5 * whole) == 0.5 * whole ? 1 : 0;
    double sign = is_whole > is_even ? copysign(1, x) : 1;
    value *= sign;
    double root = size <= DBL_MAX ? (double)NAN : value; /* of a negative number */
    root = is_whole > 0 ? value : root;
    value = x < 0 ? root : value;
    value = y == 0 ? 1 : value;
    value = x == 1 ? 1 : value;
    double turned = x == -1 ? 1 : value;
    return fabs(y) > DBL_MAX ? turned : value;
}

/* ---- loops --------------------------------------------------------------------------------- */

typedef void (*loop)(double *values, size_t count, double a);
typedef void (*pair_loop)(double *values, const double *powers, size_t count);

#define LOOP(name, formula, set, target)                                                           \
    target static void name##_##set(double *values, size_t count, double a)                        \
    {                                                                                              \
        (void)a;                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            double x = values[i];                                                                  \
            values[i] = formula;                                                                   \
        }                                                                                          \
    }
#define PAIR_LOOP(set, target)                                                                     \
    target static void pair_##set(double *values, const double *powers, size_t count)              \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            values[i] = pow_of(values[i], powers[i]);                                              \
        }                                                                                          \
    }
#define NAME(name, set) [TACHO_VECTOR_##name] = name##_##set,

#define PLAIN_LOOP(name, formula) LOOP(name, formula, plain, )
TACHO_VECTOR_FUNCTIONS(PLAIN_LOOP)
PAIR_LOOP(plain, )
#define PLAIN_NAME(name, formula) NAME(name, plain)

#if defined(__x86_64__)
#define AVX2_LOOP(name, formula) LOOP(name, formula, avx2, TACHO_TARGET("avx2"))
#define AVX512 TACHO_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
#define AVX512_LOOP(name, formula) LOOP(name, formula, avx512, AVX512)
TACHO_VECTOR_FUNCTIONS(AVX2_LOOP)
TACHO_VECTOR_FUNCTIONS(AVX512_LOOP)
PAIR_LOOP(avx2, TACHO_TARGET("avx2"))
PAIR_LOOP(avx512, AVX512)
#define AVX2_NAME(name, formula) NAME(name, avx2)
#define AVX512_NAME(name, formula) NAME(name, avx512)
#endif

static const struct {
    loop loops[TACHO_VECTOR_COUNT];
    pair_loop pairs;
} sets[] = {
    [TACHO_VECTOR_PLAIN] = {{TACHO_VECTOR_FUNCTIONS(PLAIN_NAME)}, pair_plain},
#if defined(__x86_64__)
    [TACHO_VECTOR_AVX2] = {{TACHO_VECTOR_FUNCTIONS(AVX2_NAME)}, pair_avx2},
    [TACHO_VECTOR_AVX512] = {{TACHO_VECTOR_FUNCTIONS(AVX512_NAME)}, pair_avx512},
#endif
};

tacho_vector_set tacho_vector_best(void)
{
    return tacho_isa_has_avx512() ? TACHO_VECTOR_AVX512
           : tacho_isa_has_avx2() ? TACHO_VECTOR_AVX2
                                  : TACHO_VECTOR_PLAIN;
}

void tacho_vector_apply(tacho_vector_set set, tacho_vector_function function, double *values,
                        size_t count, double a)
{
    sets[set].loops[function](values, count, a);
}

void tacho_vector_pow(tacho_vector_set set, double *values, const double *powers, size_t count)
{
    sets[set].pairs(values, powers, count);
}
