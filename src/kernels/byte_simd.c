/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which loops products of bytes run, and the functions that may stand between a product and its
 * rounding. Those give the same bits everywhere, as reference kernels do.
 */
#include "kernels/byte_simd.h"
#include "kernels/functions.h"

#include <math.h>

const tacho_byte_simd *tacho_byte_simd_best(void)
{
#if defined(__x86_64__)
    if (tacho_isa_has_avx512_vnni()) {
        return &tacho_byte_simd_vnni;
    }
    if (tacho_isa_has_avx512()) {
        return &tacho_byte_simd_avx512;
    }
    if (tacho_isa_has_avx2()) {
        return &tacho_byte_simd_avx2;
    }
#endif
    return &tacho_byte_simd_plain;
}

static double softplus(double x)
{
    return x > 0 ? x + tacho_log1p(tacho_exp(-x)) : tacho_log1p(tacho_exp(x));
}

static double gelu_tanh(double x)
{
    return x / 2 * (1 + tacho_tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static double gelu(double x)
{
    return x / 2 * (1 + tacho_erf(x * 0.70710678118654752440));
}

static double hard_swish(double x)
{
    double share = (x + 3) / 6;
    return x * (share < 0 ? 0 : share > 1 ? 1 : share);
}

float tacho_byte_post(const tacho_fast_post *post, float value)
{
    float alpha = post->alpha, beta = post->beta;
    double x = (double)value, a = (double)alpha;
    switch ((int)post->function) {
    case TACHO_FAST_RELU:
        return value > 0 ? value : value * alpha;
    case TACHO_FAST_CLIP:
        value = value > alpha ? value : alpha;
        return value < beta ? value : beta;
    case TACHO_FAST_LINEAR:
        return alpha * value + beta;
    case TACHO_FAST_ABS:
        return fabsf(value);
    case TACHO_FAST_SQUARE:
        return value * value;
    case TACHO_FAST_ROUND:
        return rintf(value);
    case TACHO_FAST_SQRT:
        return sqrtf(value);
    case TACHO_FAST_TANH:
        return (float)tacho_tanh(x);
    case TACHO_FAST_ELU:
        return x > 0 ? value : (float)(a * tacho_expm1(x));
    case TACHO_FAST_SIGMOID:
        return (float)tacho_sigmoid(x);
    case TACHO_FAST_EXP:
        return (float)tacho_exp(x);
    case TACHO_FAST_GELU_TANH:
        return (float)gelu_tanh(x);
    case TACHO_FAST_GELU:
        return (float)gelu(x);
    case TACHO_FAST_SWISH:
        return (float)(x * tacho_sigmoid(a * x));
    case TACHO_FAST_POW:
        return (float)(a * tacho_pow(x, (double)beta));
    case TACHO_FAST_HARD_SWISH:
        return (float)hard_swish(x);
    case TACHO_FAST_MISH:
        return (float)(x * tacho_tanh(softplus(x)));
    default:
        return value;
    }
}

bool tacho_byte_post_is_known(const tacho_fast_post *post)
{
    return post->function != TACHO_FAST_NONE && post->function != TACHO_FAST_LOG &&
           post->function <= TACHO_FAST_ROUND;
}
