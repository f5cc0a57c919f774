/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector functions against the C library's long double: f32 arguments over the whole range and
 * around every edge, every instruction set that this processor has, to the stated 0.51 units of
 * the last place. All sets must give the same bits.
 */
#include "kernels/kernel_testing.h"
#include "kernels/vector.h"

#include <float.h>
#include <string.h>

enum { CHUNK = 1000 }; /* no multiple of a vector: the rest of a loop is tried, too */

static const double ulps_max = 0.51;
static const double relative_max = 2e-10;

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static long double expected(tacho_vector_function function, long double x)
{
    const long double root_half = 0.707106781186547524400844362104849039L;
    const long double root = 0.797884560802865355879892119868763737L; /* of 2/pi */
    switch (function) {
    case TACHO_VECTOR_ERF:
        return erfl(x);
    case TACHO_VECTOR_EXP:
        return expl(x);
    case TACHO_VECTOR_GELU:
        return x * (erfcl(-x * root_half) / 2);
    case TACHO_VECTOR_GELU_TANH:
        return x / (1 + expl(-2 * root * (x + 0.044715L * x * x * x)));
    case TACHO_VECTOR_LOG:
        return logl(x);
    case TACHO_VECTOR_SIGMOID:
        return 1 / (1 + expl(-x));
    case TACHO_VECTOR_SOFTPLUS:
        return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
    case TACHO_VECTOR_SWISH:
        return x / (1 + expl(-x));
    case TACHO_VECTOR_TANH:
        return tanhl(x);
    case TACHO_VECTOR_COUNT:
    default:
        fail();
        return 0;
    }
}

/* Whether |found|, rounded to f32, is the f32 of |wanted| or as near as is stated. */
static bool is_close(double found, long double wanted)
{
    float rounded = (float)found, best = (float)wanted;
    if (isnan(best) || isinf(best) || isnan(rounded) || isinf(rounded)) {
        return isnan(best) ? isnan(rounded) : rounded == best;
    }
    int exponent;
    (void)frexpl(wanted, &exponent);
    long double unit = ldexpl(1, exponent - FLT_MANT_DIG < -149 ? -149 : exponent - FLT_MANT_DIG);
    long double away = fabsl((long double)found - wanted), least = ldexpl(1, -149);
    return fabsl((long double)rounded - wanted) <= (long double)ulps_max * unit &&
           (fabsl(wanted) < least || away <= (long double)relative_max * fabsl(wanted)) &&
           (rounded != 0 || (signbit(rounded) != 0) == (signbit(best) != 0));
}

/* The same bits by every set that there is; |out| has them. */
static void apply(tacho_vector_function function, const float *xs, double a, double *out)
{
    for (int set = TACHO_VECTOR_PLAIN; set <= (int)tacho_vector_best(); set++) {
        double values[CHUNK];
        for (size_t i = 0; i < CHUNK; i++) {
            values[i] = (double)xs[i];
        }
        tacho_vector_apply((tacho_vector_set)set, function, values, CHUNK, a);
        for (size_t i = 0; i < CHUNK && set == TACHO_VECTOR_PLAIN; i++) {
            out[i] = values[i];
        }
        for (size_t i = 0; i < CHUNK; i++) {
            assert_true(isnan(out[i]) ? isnan(values[i])
                                      : memcmp(&out[i], &values[i], sizeof(double)) == 0);
        }
    }
}

static void check_all(tacho_vector_function function, const float *xs)
{
    double found[CHUNK];
    apply(function, xs, 1, found);
    for (size_t i = 0; i < CHUNK; i++) {
        long double wanted = expected(function, (long double)xs[i]);
        if (!is_close(found[i], wanted)) {
            fail_msg("function %d of %a is %a, not %La", (int)function, (double)xs[i], found[i],
                     wanted);
        }
    }
}

/* Every 7919th f32, of both signs, infinities and NaN included. */
static void test_whole_range(void **state)
{
    (void)state;
    float xs[CHUNK];
    for (uint64_t first = 0; first <= UINT32_MAX; first += (uint64_t)CHUNK * 7919) {
        for (size_t i = 0; i < CHUNK; i++) {
            xs[i] = float_of((uint32_t)(first + i * 7919));
        }
        for (int function = 0; function < TACHO_VECTOR_COUNT; function++) {
            check_all((tacho_vector_function)function, xs);
        }
    }
}

/* A thousand neighbours of each place where something changes. */
static void test_edges(void **state)
{
    (void)state;
    static const float edges[] = {0,           FLT_MIN, FLT_MAX,  1,        0.25f,     0.35f,
                                  0.70710678f, 1.4142f, 0.34657f, 87.3365f, 88.7228f,  103.97f,
                                  104,         110,     9.0109f,  10.5f,    14.84925f, 16.635f,
                                  20,          7.5f,    0.5f};
    float xs[CHUNK];
    for (size_t edge = 0; edge < sizeof(edges) / sizeof(edges[0]); edge++) {
        uint32_t bits;
        memcpy(&bits, &edges[edge], sizeof(bits));
        for (uint32_t i = 0; i < CHUNK; i++) {
            uint32_t near = bits + i / 2 < 250 ? i / 2 : bits + i / 2 - 250;
            xs[i] = float_of(near | (i % 2) << 31);
        }
        for (int function = 0; function < TACHO_VECTOR_COUNT; function++) {
            check_all((tacho_vector_function)function, xs);
        }
    }
}

/* A factor other than 1. */
static void test_swish(void **state)
{
    (void)state;
    float xs[CHUNK];
    double found[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        xs[i] = ((float)i - 500) * 0.173f;
    }
    apply(TACHO_VECTOR_SWISH, xs, 1.702, found);
    for (size_t i = 0; i < CHUNK; i++) {
        long double x = (long double)xs[i];
        assert_true(is_close(found[i], x / (1 + expl(-(long double)1.702 * x))));
    }
}

static void test_pow(void **state)
{
    (void)state;
    static const float numbers[] = {0,          1,         2,       0.5f,  3,       2.5f,
                                    1e-3f,      0x1p-149f, 1.1f,    10,    0.9f,    1e30f,
                                    FLT_MAX,    INFINITY,  NAN,     0.33f, 0x1p23f, 0x1p24f,
                                    16777215.f, 7,         FLT_MIN, 126,   149,     0x1.fffffep-1f};
    enum { NUMBERS = 2 * sizeof(numbers) / sizeof(numbers[0]) };
    for (size_t i = 0; i < NUMBERS; i++) {
        for (int set = TACHO_VECTOR_PLAIN; set <= (int)tacho_vector_best(); set++) {
            double values[NUMBERS], powers[NUMBERS];
            for (size_t j = 0; j < NUMBERS; j++) {
                values[j] = (double)numbers[i / 2] * (i % 2 == 0 ? 1 : -1);
                powers[j] = (double)numbers[j / 2] * (j % 2 == 0 ? 1 : -1);
            }
            tacho_vector_pow((tacho_vector_set)set, values, powers, NUMBERS);
            for (size_t j = 0; j < NUMBERS; j++) {
                float x = numbers[i / 2] * (i % 2 == 0 ? 1 : -1);
                long double wanted = powl((long double)x, (long double)powers[j]);
                if (!is_close(values[j], wanted)) {
                    fail_msg("%a to the power of %a is %a, not %La", (double)x, powers[j],
                             values[j], wanted);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_range),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_swish),
        cmocka_unit_test(test_pow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
