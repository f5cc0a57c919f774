/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of one element with up to two parameters, in double and rounded once; bounds and
 * questions about elements.
 */
#include "kernels/call.h"
#include "kernels/functions.h"

#include <math.h>

typedef double (*function)(double x, double a, double b);

static tacho_status each(const tacho_kernel_call *call, const char *name, function f, double a,
                         double b)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    if (!tacho_is_real(input) || input->dtype != output->dtype) {
        return tacho_unsupported_type(name, input->dtype);
    }
    int64_t total = tacho_array_elements(output);
    if (total != tacho_array_elements(input)) {
        return tacho_wrong_shapes(name);
    }
    for (int64_t at = 0; at < total; at += TACHO_CHUNK) {
        double reals[TACHO_CHUNK];
        size_t count = (size_t)(total - at < TACHO_CHUNK ? total - at : TACHO_CHUNK);
        tacho_read_reals(input, at, 1, count, reals);
        for (size_t i = 0; i < count; i++) {
            reals[i] = f(reals[i], a, b);
        }
        tacho_write_reals(output, at, count, reals);
    }
    return TACHO_OK;
}

/* ---- functions ----------------------------------------------------------------------------- */

static double gelu(double x)
{
    return 0.5 * x * (1 + tacho_erf(x * 0x1.6a09e667f3bcdp-1));
}

static double gelu_tanh(double x)
{
    double root = 0x1.9884533d43651p-1; /* of 2/pi */
    return 0.5 * x * (1 + tacho_tanh(root * (x + 0.044715 * x * x * x)));
}

static double softplus(double x)
{
    return x > 0 ? x + tacho_log1p(tacho_exp(-x)) : tacho_log1p(tacho_exp(x));
}

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x; /* NaN stays */
}

/* f32 attributes have the value of the f32, not of their decimal text. */
#define F(number) ((double)(float)(number))

/* One row per operator: name, first parameter and its default, second, formula. */
#define ACTIVATIONS(X)                                                                             \
    X(Acos, "", 0, "", 0, tacho_acos(x))                                                           \
    X(Acosh, "", 0, "", 0, tacho_acosh(x))                                                         \
    X(Asin, "", 0, "", 0, tacho_asin(x))                                                           \
    X(Asinh, "", 0, "", 0, tacho_asinh(x))                                                         \
    X(Atan, "", 0, "", 0, tacho_atan(x))                                                           \
    X(Atanh, "", 0, "", 0, tacho_atanh(x))                                                         \
    X(Celu, "alpha", 1, "", 0, x > 0 ? x : a * tacho_expm1(x / a))                                 \
    X(Cos, "", 0, "", 0, tacho_cos(x))                                                             \
    X(Cosh, "", 0, "", 0, tacho_cosh(x))                                                           \
    X(Elu, "alpha", 1, "", 0, x > 0 ? x : a * tacho_expm1(x))                                      \
    X(Erf, "", 0, "", 0, tacho_erf(x))                                                             \
    X(Exp, "", 0, "", 0, tacho_exp(x))                                                             \
    X(HardSigmoid, "alpha", F(0.2), "beta", 0.5, within(a *x + b, 0, 1))                           \
    X(HardSwish, "", 0, "", 0, x *within(x / 6 + 0.5, 0, 1))                                       \
    X(LeakyRelu, "alpha", F(0.01), "", 0, x < 0 ? a * x : x)                                       \
    X(Log, "", 0, "", 0, tacho_log(x))                                                             \
    X(Mish, "", 0, "", 0, x *tacho_tanh(softplus(x)))                                              \
    X(Selu, "alpha", F(1.67326319217681884765625), "gamma", F(1.05070102214813232421875),          \
      x > 0 ? b * x : b * (a * tacho_expm1(x)))                                                    \
    X(Shrink, "lambd", 0.5, "bias", 0, x<-a ? x + b : x> a ? x - b : 0)                            \
    X(Sigmoid, "", 0, "", 0, tacho_sigmoid(x))                                                     \
    X(Sin, "", 0, "", 0, tacho_sin(x))                                                             \
    X(Sinh, "", 0, "", 0, tacho_sinh(x))                                                           \
    X(Softplus, "", 0, "", 0, softplus(x))                                                         \
    X(Softsign, "", 0, "", 0, x / (1 + fabs(x)))                                                   \
    X(Swish, "alpha", 1, "", 0, x *tacho_sigmoid(a *x))                                            \
    X(Tan, "", 0, "", 0, tacho_tan(x))                                                             \
    X(Tanh, "", 0, "", 0, tacho_tanh(x))                                                           \
    X(ThresholdedRelu, "alpha", 1, "", 0, x > a ? x : 0)

#define DEFINE(name, a_name, a_default, b_name, b_default, formula)                                \
    static double of_##name(double x, double a, double b)                                          \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        return formula;                                                                            \
    }                                                                                              \
    static tacho_status compute_##name(const tacho_kernel_call *call)                              \
    {                                                                                              \
        return each(call, #name, of_##name, tacho_call_real(call, a_name, a_default),              \
                    tacho_call_real(call, b_name, b_default));                                     \
    }
ACTIVATIONS(DEFINE)
#undef DEFINE

static double of_gelu(double x, double is_tanh, double unused)
{
    (void)unused;
    return is_tanh != 0 ? gelu_tanh(x) : gelu(x);
}

static tacho_status compute_gelu(const tacho_kernel_call *call)
{
    return each(call, "Gelu", of_gelu, tacho_call_is(call, "approximate", "tanh") ? 1 : 0, 0);
}

static double of_rsqrt(double x, double unused_a, double unused_b)
{
    (void)unused_a;
    (void)unused_b;
    return 1 / sqrt(x);
}

static tacho_status compute_rsqrt(const tacho_kernel_call *call)
{
    return each(call, "a root", of_rsqrt, 0, 0);
}

/* ---- bounds -------------------------------------------------------------------------------- */

static double of_bounds(double x, double low, double high)
{
    double risen = x < low ? low : x; /* the upper bound wins where they cross */
    return risen > high ? high : risen;
}

static tacho_status clip_ints(const tacho_array *input, tacho_array *output, int64_t low,
                              int64_t high)
{
    int64_t total = tacho_array_elements(output);
    bool is_signed = tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED;
    if (total != tacho_array_elements(input) || input->dtype != output->dtype) {
        return tacho_wrong_shapes("bounds");
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t value = tacho_int_at(input, i);
        if (is_signed ? value < low : (uint64_t)value < (uint64_t)low) {
            value = low;
        }
        if (is_signed ? value > high : (uint64_t)value > (uint64_t)high) {
            value = high;
        }
        tacho_set_int(output, i, value);
    }
    return TACHO_OK;
}

static tacho_status compute_relu(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    if (tacho_is_int(input)) {
        int64_t high = tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED ? INT64_MAX : -1;
        return clip_ints(input, &call->outputs[0], 0, high);
    }
    return each(call, "Relu", of_bounds, 0, (double)INFINITY);
}

/* Bounds are attributes before opset 11 and inputs of one element since. */
static tacho_status compute_clip(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    const tacho_array *low = tacho_call_input(call, 1), *high = tacho_call_input(call, 2);
    if ((low != NULL && (low->dtype != input->dtype || tacho_array_elements(low) != 1)) ||
        (high != NULL && (high->dtype != input->dtype || tacho_array_elements(high) != 1))) {
        return tacho_wrong_shapes("bounds");
    }
    if (tacho_is_int(input)) {
        bool is_signed = tacho_element_kind(input->dtype) == TACHO_DTYPE_SIGNED;
        return clip_ints(input, &call->outputs[0],
                         low != NULL ? tacho_int_at(low, 0)
                         : is_signed ? INT64_MIN
                                     : 0,
                         high != NULL ? tacho_int_at(high, 0)
                         : is_signed  ? INT64_MAX
                                      : -1);
    }
    if (!tacho_is_real(input)) {
        return tacho_unsupported_type("bounds", input->dtype);
    }
    return each(
        call, "bounds", of_bounds,
        low != NULL ? tacho_real_at(low, 0) : tacho_call_real(call, "min", -(double)INFINITY),
        high != NULL ? tacho_real_at(high, 0) : tacho_call_real(call, "max", (double)INFINITY));
}

/* ---- questions ----------------------------------------------------------------------------- */

static tacho_status ask(const tacho_kernel_call *call, bool is_about_nan)
{
    const tacho_array *input = call->inputs[0];
    bool below = tacho_call_int(call, "detect_negative", 1) != 0;
    bool above = tacho_call_int(call, "detect_positive", 1) != 0;
    int64_t total = tacho_array_elements(input);
    if (!tacho_is_real(input) || call->outputs[0].dtype != TACHO_DTYPE_BOOL) {
        return tacho_unsupported_type("a question", input->dtype);
    }
    if (total != tacho_array_elements(&call->outputs[0])) {
        return tacho_wrong_shapes("a question");
    }
    for (int64_t i = 0; i < total; i++) {
        double x = tacho_real_at(input, i);
        bool is_it = is_about_nan ? isnan(x) : isinf(x) && (x > 0 ? above : below);
        tacho_set_int(&call->outputs[0], i, is_it);
    }
    return TACHO_OK;
}

static tacho_status compute_is_nan(const tacho_kernel_call *call)
{
    return ask(call, true);
}

static tacho_status compute_is_inf(const tacho_kernel_call *call)
{
    return ask(call, false);
}

const tacho_kernel tacho_activation_kernels[] = {
#define ROW(name, a_name, a_default, b_name, b_default, formula)                                   \
    {#name, TACHO_KERNEL_EACH, compute_##name},
    ACTIVATIONS(ROW)
#undef ROW
        {"Clip", TACHO_KERNEL_EACH, compute_clip},
    {"Gelu", TACHO_KERNEL_EACH, compute_gelu},
    {"IsInf", TACHO_KERNEL_EACH, compute_is_inf},
    {"IsNaN", TACHO_KERNEL_EACH, compute_is_nan},
    {"Relu", TACHO_KERNEL_EACH, compute_relu},
    {"tosa.cos", TACHO_KERNEL_EACH, compute_Cos},
    {"tosa.erf", TACHO_KERNEL_EACH, compute_Erf},
    {"tosa.exp", TACHO_KERNEL_EACH, compute_Exp},
    {"tosa.log", TACHO_KERNEL_EACH, compute_Log},
    {"tosa.rsqrt", TACHO_KERNEL_EACH, compute_rsqrt},
    {"tosa.sigmoid", TACHO_KERNEL_EACH, compute_Sigmoid},
    {"tosa.sin", TACHO_KERNEL_EACH, compute_Sin},
    {"tosa.tanh", TACHO_KERNEL_EACH, compute_Tanh},
    {0},
};
