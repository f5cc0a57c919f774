/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels by name.
 */
#include "kernels/kernel.h"

const tacho_kernel *const tacho_kernel_families[] = {
#define FAMILY(family) tacho_##family##_kernels,
    TACHO_KERNEL_FAMILIES(FAMILY)
#undef FAMILY
        NULL,
};

const tacho_kernel *tacho_kernel_find(tacho_str name)
{
    for (const tacho_kernel *const *family = tacho_kernel_families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            if (tacho_str_equal(tacho_str_from_cstring(row->name), name)) {
                return row;
            }
        }
    }
    return NULL;
}

/* Inputs without which a kernel cannot begin, where it is more than the first. */
static const struct {
    uint8_t needed;
    const char *names; /* with a space around each */
} needs[] = {
    {2, " Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor Compress Conv ConvInteger "
        "ConvTranspose "
        "CumProd CumSum DequantizeLinear Div Equal Gather GatherElements GatherND Gemm Greater "
        "GreaterOrEqual GridSample LayerNormalization Less LessOrEqual MatMul MatMulInteger "
        "MaxUnpool Mod Mul "
        "NegativeLogLikelihoodLoss NonMaxSuppression Or PRelu Pow QuantizeLinear RMSNormalization "
        "ReverseSequence "
        "STFT SoftmaxCrossEntropyLoss Sub TensorScatter Xor tacho.Expect "},
    {2, " tosa.add tosa.arithmetic_right_shift tosa.bitwise_and tosa.bitwise_or tosa.bitwise_xor "
        "tosa.conv2d tosa.conv3d tosa.depthwise_conv2d tosa.equal tosa.gather tosa.greater "
        "tosa.fully_connected tosa.greater_equal tosa.int_div tosa.intdiv tosa.logical_and "
        "tosa.logical_left_shift "
        "tosa.logical_or tosa.logical_right_shift tosa.logical_xor tosa.matmul tosa.maximum "
        "tosa.minimum tosa.mul tosa.pow tosa.sub tosa.table "},
    {3, " Col2Im DeformConv GRU GroupNormalization InstanceNormalization LSTM OneHot RNN Range "
        "RoiAlign Scatter "
        "ScatterElements ScatterND "
        "Where tosa.scatter tosa.select "},
    {4, " com.microsoft.QLinearSoftmax "},
    {5, " BatchNormalization MelWeightMatrix "},
    {3, " tacho.QuantisedLSTM "},
    {8, " QLinearConv QLinearMatMul "},
};

static size_t needed_by(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        const char *at = needs[i].names;
        while ((at = strstr(at, name)) != NULL) {
            if (at[-1] == ' ' && at[len] == ' ') {
                return needs[i].needed;
            }
            at++;
        }
    }
    return 1;
}

/* The first output; of some operators any, as each is a result of its own. */
static bool has_output(const tacho_kernel *kernel, const tacho_kernel_call *call)
{
    static const char *const by_any[] = {"GRU", "LSTM", "RNN", "TopK", "tacho.QuantisedLSTM"};
    bool is_by_any = false;
    bool has_it = call->outputs[0].data != NULL;
    for (size_t i = 0; i < sizeof(by_any) / sizeof(by_any[0]); i++) {
        is_by_any = is_by_any || strcmp(kernel->name, by_any[i]) == 0;
    }
    for (size_t i = 1; is_by_any && i < call->output_count; i++) {
        has_it = has_it || call->outputs[i].data != NULL;
    }
    return has_it;
}

/* Operators whose outputs have shapes that depend on values. */
static const struct {
    const char *name;
    size_t needed; /* inputs */
    tacho_status (*count)(const tacho_kernel_call *call);
} counters[] = {
    {"Compress", 2, tacho_count_compress},
    {"NonMaxSuppression", 2, tacho_count_non_max_suppression},
    {"NonZero", 1, tacho_count_non_zero},
    {"Unique", 1, tacho_count_unique},
};

enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

static size_t find_counter(tacho_str name)
{
    size_t i = 0;
    while (i < COUNTERS && !tacho_str_equal(name, tacho_str_from_cstring(counters[i].name))) {
        i++;
    }
    return i;
}

/* Whether there is nothing to compute: no output has an element, for any values. */
static bool is_empty(const tacho_kernel *kernel, const tacho_kernel_call *call)
{
    uint64_t count = 0;
    for (size_t i = 0; i < call->output_count && count == 0; i++) {
        bool is_known =
            call->outputs[i].data == NULL || tacho_shape_elements(&call->outputs[i].shape, &count);
        count = is_known ? count : 1;
    }
    return count == 0 && find_counter(tacho_str_from_cstring(kernel->name)) == COUNTERS;
}

tacho_status tacho_kernel_compute(const tacho_kernel *kernel, const tacho_kernel_call *call)
{
    size_t needed = needed_by(kernel->name);
    bool is_fit = call->output_count > 0 && has_output(kernel, call);
    for (size_t i = 0; i < needed; i++) {
        is_fit = is_fit && i < call->input_count && call->inputs[i] != NULL;
    }
    if (!is_fit) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "%s without all its inputs or its output",
                          kernel->name);
    }
    return is_empty(kernel, call) ? TACHO_OK : kernel->compute(call);
}

tacho_status tacho_kernel_count(tacho_str name, const tacho_kernel_call *call)
{
    size_t counter = find_counter(name);
    bool is_fit = counter < COUNTERS && call->output_count > 0 &&
                  call->input_count >= counters[counter].needed;
    for (size_t i = 0; is_fit && i < counters[counter].needed; i++) {
        is_fit = call->inputs[i] != NULL;
    }
    return is_fit ? counters[counter].count(call)
                  : tacho_fail(TACHO_CODE_UNSUPPORTED, "the output shape of %.*s is unknown",
                               TACHO_STR_ARG(name));
}
