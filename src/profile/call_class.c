/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of calls' names, by table look-up.
 */
#include "profile/call_class.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct call_word {
    tacho_str word;
    unsigned bits;
} call_word;

#define WORD(text, bits)                                                                           \
    {                                                                                              \
        TACHO_STR_INIT(text), (bits)                                                               \
    }

static const call_word whole_words[] = {
    WORD("aten::item", TACHO_CALL_VALUE),
    WORD("aten::_local_scalar_dense", TACHO_CALL_VALUE),
    WORD("aten::is_nonzero", TACHO_CALL_VALUE),
    WORD("aten::_to_copy", TACHO_CALL_CAST),
    WORD("aten::bmm", TACHO_CALL_PRODUCT),
    WORD("aten::baddbmm", TACHO_CALL_PRODUCT),
    WORD("aten::_scaled_dot_product_attention_math", TACHO_CALL_MATH_ATTENTION),
};

static const call_word beginnings[] = {
    WORD("Optimizer.step#", TACHO_CALL_OPTIMIZER),
    WORD("Optimizer.zero_grad#", TACHO_CALL_GRADIENTS),
    WORD("autograd::engine::evaluate_function", TACHO_CALL_BACKWARD),
    WORD("enumerate(DataLoader)", TACHO_CALL_INPUT),
    WORD("cudaMalloc", TACHO_CALL_ALLOCATE),
    WORD("cudaFree", TACHO_CALL_ALLOCATE),
    WORD("cudaHostAlloc", TACHO_CALL_ALLOCATE),
    WORD("cudaHostRegister", TACHO_CALL_ALLOCATE),
    WORD("hipMalloc", TACHO_CALL_ALLOCATE),
    WORD("hipExtMalloc", TACHO_CALL_ALLOCATE),
    WORD("hipFree", TACHO_CALL_ALLOCATE),
    WORD("hipHostMalloc", TACHO_CALL_ALLOCATE),
    WORD("cuModuleLoad", TACHO_CALL_LOAD),
    WORD("cuLibraryLoad", TACHO_CALL_LOAD),
    WORD("cudaLibraryLoad", TACHO_CALL_LOAD),
    WORD("hipModuleLoad", TACHO_CALL_LOAD),
    WORD("hipModuleUnload", TACHO_CALL_LOAD),
    WORD("cuModuleUnload", TACHO_CALL_LOAD),
    WORD("cuLink", TACHO_CALL_COMPILE),
    WORD("nvrtc", TACHO_CALL_COMPILE),
    WORD("hiprtc", TACHO_CALL_COMPILE),
};

static const call_word parts[] = {
    WORD("LaunchKernel", TACHO_CALL_LAUNCH),    WORD("LaunchCooperativeKernel", TACHO_CALL_LAUNCH),
    WORD("ModuleLaunch", TACHO_CALL_LAUNCH),    WORD("StreamSynchronize", TACHO_CALL_WAIT),
    WORD("DeviceSynchronize", TACHO_CALL_WAIT), WORD("EventSynchronize", TACHO_CALL_WAIT),
    WORD("(dynamo_timed)", TACHO_CALL_COMPILE), WORD("CompileModule", TACHO_CALL_COMPILE),
    WORD("XlaCompile", TACHO_CALL_COMPILE),     WORD("RunBackend", TACHO_CALL_COMPILE),
};

unsigned tacho_call_class_of(tacho_str category, tacho_str name)
{
    bool is_operator = tacho_str_starts_with(name, TACHO_STR("aten::")) ||
                       tacho_str_equal(category, TACHO_STR("cpu_op")) ||
                       tacho_str_equal(category, TACHO_STR("Node")); /* ONNX Runtime */
    bool is_range = tacho_str_starts_with(name, TACHO_STR("autograd::"));
    unsigned bits = is_operator && !is_range ? TACHO_CALL_OPERATOR : 0;
    for (size_t i = 0; i < COUNT_OF(whole_words); i++) {
        bits |= tacho_str_equal(name, whole_words[i].word) ? whole_words[i].bits : 0;
    }
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        bits |= tacho_str_starts_with(name, beginnings[i].word) ? beginnings[i].bits : 0;
    }
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        bits |= tacho_str_contains(name, parts[i].word) ? parts[i].bits : 0;
    }
    return bits;
}
