/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of one operand that fast kernels compute, by themselves or on the way: activations, and
 * operations with one number for all elements.
 */
#include "device/execute_parts.h"

#include <math.h>

static const struct {
    const char *type;
    tacho_fast_function function;
    const char *name; /* of the attribute that is alpha, or NULL */
    float alpha, beta;
} functions[] = {
    /* not Log, which oneDNN 2 gives as -1.4e-6 for 1, nor Softplus, 1.3 % off for -10 */
    {"Abs", TACHO_FAST_ABS, NULL, 0, 0},
    {"Elu", TACHO_FAST_ELU, "alpha", 1, 0},
    {"Exp", TACHO_FAST_EXP, NULL, 0, 0},
    {"HardSwish", TACHO_FAST_HARD_SWISH, NULL, 0, 0},
    {"LeakyRelu", TACHO_FAST_RELU, "alpha", 0.01f, 0},
    {"Mish", TACHO_FAST_MISH, NULL, 0, 0},
    {"Neg", TACHO_FAST_LINEAR, NULL, -1, -0.0f}, /* to which 0 adds nothing */
    {"Reciprocal", TACHO_FAST_POW, NULL, 1, -1},
    {"Relu", TACHO_FAST_RELU, NULL, 0, 0},
    {"Sigmoid", TACHO_FAST_SIGMOID, NULL, 0, 0},
    {"Sqrt", TACHO_FAST_SQRT, NULL, 0, 0},
    {"Swish", TACHO_FAST_SWISH, "alpha", 1, 0},
    {"Tanh", TACHO_FAST_TANH, NULL, 0, 0},
};

static bool is_named(const tacho_group *group, uint32_t step, const char *type)
{
    return tacho_str_equal(tacho_step_type(group->self, step), tacho_str_from_cstring(type));
}

/* Clip's bounds are attributes of old, inputs since opset 11. */
static bool read_clip(tacho_group *group, uint32_t step, tacho_fast_post *out_post)
{
    const tacho_step *at = &group->self->program->steps[step];
    const tacho_attr *attrs = tacho_step_attrs(group->self, at);
    uint32_t low = tacho_step_input(group->self, step, 1);
    uint32_t high = tacho_step_input(group->self, step, 2);
    double largest = (double)INFINITY;
    *out_post = (tacho_fast_post){TACHO_FAST_CLIP,
                                  (float)tacho_attr_real(attrs, at->attr_count, "min", -largest),
                                  (float)tacho_attr_real(attrs, at->attr_count, "max", largest), 0};
    return (low == TACHO_NONE || tacho_group_scalar(group, low, &out_post->alpha)) &&
           (high == TACHO_NONE || tacho_group_scalar(group, high, &out_post->beta));
}

/* An operation with one number for all elements. */
static bool read_linear(tacho_group *group, uint32_t step, tacho_fast_post *out_post)
{
    tacho_fast_function function;
    bool is_swappable;
    float number;
    uint32_t first = tacho_step_input(group->self, step, 0);
    uint32_t second = tacho_step_input(group->self, step, 1);
    if (group->self->program->steps[step].input_count != 2) {
        return false;
    }
    if (is_named(group, step, "Pow")) { /* others oneDNN computes one by one */
        *out_post = (tacho_fast_post){TACHO_FAST_SQUARE, 0, 0, 0};
        return tacho_group_scalar(group, second, &number) && number == 2;
    }
    if (!tacho_group_binary(group, step, &function, &is_swappable)) {
        return false;
    }
    bool is_second = tacho_group_scalar(group, second, &number);
    bool is_first = !is_second && tacho_group_scalar(group, first, &number);
    if (!is_second && !is_first) {
        return false;
    }
    switch ((int)function) {
    case TACHO_FAST_ADD:
        *out_post = (tacho_fast_post){TACHO_FAST_LINEAR, 1, number, 0};
        return true;
    case TACHO_FAST_MUL:
        *out_post = (tacho_fast_post){TACHO_FAST_LINEAR, number, -0.0f, 0};
        return true;
    case TACHO_FAST_SUB:
        *out_post = is_second ? (tacho_fast_post){TACHO_FAST_LINEAR, 1, -number, 0}
                              : (tacho_fast_post){TACHO_FAST_LINEAR, -1, number, 0};
        return true;
    case TACHO_FAST_DIV:
        *out_post = is_second ? (tacho_fast_post){TACHO_FAST_LINEAR, 1 / number, -0.0f, 0}
                              : (tacho_fast_post){TACHO_FAST_POW, number, -1, 0};
        return isnormal(1 / number);
    default:
        return false;
    }
}

bool tacho_group_function(tacho_group *group, uint32_t step, tacho_fast_post *out_post)
{
    const tacho_step *at = &group->self->program->steps[step];
    const tacho_attr *attrs = tacho_step_attrs(group->self, at);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (is_named(group, step, functions[i].type)) {
            *out_post =
                (tacho_fast_post){functions[i].function, functions[i].alpha, functions[i].beta, 0};
            if (functions[i].name != NULL) {
                out_post->alpha = (float)tacho_attr_real(attrs, at->attr_count, functions[i].name,
                                                         (double)functions[i].alpha);
            }
            return true;
        }
    }
    if (is_named(group, step, "Gelu")) {
        bool is_tanh = tacho_str_equal(tacho_attr_text(attrs, at->attr_count, "approximate"),
                                       TACHO_STR("tanh"));
        *out_post = (tacho_fast_post){is_tanh ? TACHO_FAST_GELU_TANH : TACHO_FAST_GELU, 0, 0, 0};
        return true;
    }
    return is_named(group, step, "Clip") ? read_clip(group, step, out_post)
                                         : read_linear(group, step, out_post);
}

bool tacho_function_is_known(tacho_str type)
{
    static const char *const others[] = {"Add", "Clip", "Div", "Gelu", "HardSigmoid", "Max",
                                         "Min", "Mul",  "Pow", "Sub",  "Sum"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (tacho_str_equal(type, tacho_str_from_cstring(others[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (tacho_str_equal(type, tacho_str_from_cstring(functions[i].type))) {
            return true;
        }
    }
    return false;
}
