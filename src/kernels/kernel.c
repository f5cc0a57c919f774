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
    {2, " Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Compress Conv ConvInteger ConvTranspose "
        "CumSum DequantizeLinear Div Equal Gather GatherElements GatherND Gemm Greater "
        "GreaterOrEqual GridSample LayerNormalization Less LessOrEqual MatMul MatMulInteger "
        "MaxUnpool Mod Mul "
        "NegativeLogLikelihoodLoss Or PRelu Pow QuantizeLinear RMSNormalization ReverseSequence "
        "SoftmaxCrossEntropyLoss Sub TensorScatter Xor "},
    {2, " tosa.add tosa.arithmetic_right_shift tosa.bitwise_and tosa.bitwise_or tosa.bitwise_xor "
        "tosa.conv2d tosa.conv3d tosa.depthwise_conv2d tosa.equal tosa.gather tosa.greater "
        "tosa.greater_equal tosa.int_div tosa.intdiv tosa.logical_and tosa.logical_left_shift "
        "tosa.logical_or tosa.logical_right_shift tosa.logical_xor tosa.matmul tosa.maximum "
        "tosa.minimum tosa.mul tosa.pow tosa.sub tosa.table "},
    {3, " GRU GroupNormalization InstanceNormalization LSTM OneHot RNN Range RoiAlign Scatter "
        "ScatterElements ScatterND "
        "Where tosa.scatter tosa.select "},
    {4, " com.microsoft.QLinearSoftmax "},
    {5, " BatchNormalization "},
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

/* The first output; of some operators any, as each says something of its own. */
static bool has_output(const tacho_kernel *kernel, const tacho_kernel_call *call)
{
    static const char *const by_any[] = {"GRU", "LSTM", "RNN", "TopK"};
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

/* Whether none of the outputs has an element, so that there is nothing to compute. */
static bool is_empty(const tacho_kernel_call *call)
{
    uint64_t count = 0;
    for (size_t i = 0; i < call->output_count && count == 0; i++) {
        bool is_known =
            call->outputs[i].data == NULL || tacho_shape_elements(&call->outputs[i].shape, &count);
        count = is_known ? count : 1;
    }
    return count == 0;
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
    return is_empty(call) ? TACHO_OK : kernel->compute(call);
}

tacho_status tacho_kernel_count(tacho_str name, const tacho_kernel_call *call)
{
    bool has_two = call->input_count > 1 && call->inputs[0] != NULL && call->inputs[1] != NULL;
    bool has_one = call->input_count > 0 && call->inputs[0] != NULL && call->output_count > 0;
    if (has_one && tacho_str_equal(name, TACHO_STR("NonZero"))) {
        return tacho_count_non_zero(call);
    }
    if (has_one && has_two && tacho_str_equal(name, TACHO_STR("Compress"))) {
        return tacho_count_compress(call);
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "the output shape of %.*s is unknown",
                      TACHO_STR_ARG(name));
}
