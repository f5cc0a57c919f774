/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of kernels' names, by table look-up. The name of a function decides before the arguments of
 * its template, which may hold any word.
 */
#include "profile/kernel_class.h"

#include "profile/work_kind.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct class_word {
    tacho_str word;
    tacho_kernel_class kind;
} class_word;

#define WORD(text, id)                                                                             \
    {                                                                                              \
        TACHO_STR_INIT(text), TACHO_KERNEL_##id                                                    \
    }

const char *tacho_kernel_class_name(tacho_kernel_class kind)
{
    static const char *const names[] = {
#define CLASS_NAME(id, word) [TACHO_KERNEL_##id] = word,
        TACHO_KERNEL_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    return names[kind];
}

static bool has_one(tacho_str text, const tacho_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tacho_str_contains(text, words[i])) {
            return true;
        }
    }
    return false;
}

#define HAS_ONE(text, words) has_one((text), (words), COUNT_OF(words))

/* The function's own name: "at::native::(anonymous namespace)::f" of "void at::...::f<g>(h)". */
static tacho_str head_of(tacho_str name)
{
    static const tacho_str hidden = TACHO_STR_INIT("(anonymous namespace)");
    name = tacho_str_starts_with(name, TACHO_STR("void ")) ? tacho_str_from(name, 5) : name;
    for (size_t i = 0; i < name.len; i++) {
        bool is_hidden = tacho_str_starts_with(tacho_str_from(name, i), hidden);
        if (name.data[i] == '<' || (name.data[i] == '(' && !is_hidden)) {
            return tacho_str_make(name.data, i);
        }
        i += is_hidden ? hidden.len - 1 : 0;
    }
    return name;
}

/* Fused kernels of torch.compile are no links of a chain: they are fused. */
static tacho_kernel_class class_of_triton(tacho_str head)
{
    if (tacho_str_contains(head, TACHO_STR("_tem_"))) {
        return TACHO_KERNEL_PRODUCT;
    }
    return tacho_str_contains(head, TACHO_STR("layer_norm")) ? TACHO_KERNEL_NORM
                                                             : TACHO_KERNEL_OTHER;
}

static tacho_kernel_class class_of(tacho_str name)
{
    static const class_word words[] = {
        WORD("flash", ATTENTION),
        WORD("fmha", ATTENTION),
        WORD("sdpa", ATTENTION),
        WORD("attention", ATTENTION),
        WORD("Attention", ATTENTION),
        WORD("mha_", ATTENTION),
        WORD("attn", ATTENTION),
        WORD("nchwToNhwc", LAYOUT),
        WORD("nhwcToNchw", LAYOUT),
        WORD("nchw2nhwc", LAYOUT),
        WORD("nhwc2nchw", LAYOUT),
        WORD("batched_transpose", LAYOUT),
        WORD("transpose_kernel", LAYOUT),
        WORD("permute_kernel", LAYOUT),
        WORD("tensorTransform", LAYOUT),
        WORD("multi_tensor_apply", OPTIMIZER),
        WORD("FusedAdam", OPTIMIZER),
        WORD("layer_norm", NORM),
        WORD("LayerNorm", NORM),
        WORD("GammaBeta", NORM),
        WORD("batch_norm", NORM),
        WORD("batchnorm", NORM),
        WORD("BatchNorm", NORM),
        WORD("bn_fw", NORM),
        WORD("bn_bw", NORM),
        WORD("RMSNorm", NORM),
        WORD("rms_norm", NORM),
        WORD("rmsnorm", NORM),
        WORD("GroupNorm", NORM),
        WORD("group_norm", NORM),
        WORD("RowwiseMoments", NORM),
        WORD("softmax", SOFTMAX),
        WORD("SoftMax", SOFTMAX),
        WORD("Softmax", SOFTMAX),
        WORD("elementwise", ELEMENTWISE),
        WORD("CatArray", COPY),
        WORD("gemm", PRODUCT),
        WORD("Gemm", PRODUCT),
        WORD("GEMM", PRODUCT),
        WORD("gemv", PRODUCT),
        WORD("nvjet", PRODUCT),
        WORD("cutlass", PRODUCT),
        WORD("splitKreduce", PRODUCT),
        WORD("fprop", PRODUCT),
        WORD("dgrad", PRODUCT),
        WORD("wgrad", PRODUCT),
        WORD("scudnn", PRODUCT),
        WORD("matmul", PRODUCT),
        WORD("convol", PRODUCT),
        WORD("conv2d", PRODUCT),
        WORD("Conv", PRODUCT),
        WORD("winograd", PRODUCT),
        WORD("Winograd", PRODUCT),
        WORD("miopenSp3Asm", PRODUCT),
        WORD("Cijk_", PRODUCT),
        WORD("reduce_kernel", REDUCTION),
    };
    tacho_str head = head_of(name);
    if (tacho_str_starts_with(head, TACHO_STR("triton_"))) {
        return class_of_triton(head);
    }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (tacho_str_contains(head, words[i].word)) {
            return words[i].kind;
        }
    }
    return TACHO_KERNEL_OTHER;
}

/* An elementwise kernel that only copies, perhaps to another type. */
static bool is_copying(tacho_str name)
{
    return tacho_str_contains(name, TACHO_STR("copy_kernel"));
}

static const tacho_str half_words[] = {
    TACHO_STR_INIT("bf16"),  TACHO_STR_INIT("f16"),    TACHO_STR_INIT("BFloat16"),
    TACHO_STR_INIT("Half"),  TACHO_STR_INIT("half"),   TACHO_STR_INIT("bfloat16"),
    TACHO_STR_INIT("fp16"),  TACHO_STR_INIT("e4m3"),   TACHO_STR_INIT("fp8"),
    TACHO_STR_INIT("h884"),  TACHO_STR_INIT("hgemm"),  TACHO_STR_INIT("h1688"),
    TACHO_STR_INIT("_HB_"),  TACHO_STR_INIT("_HHS_"),  TACHO_STR_INIT("_BBS_"),
    TACHO_STR_INIT("_BSS_"), TACHO_STR_INIT("_HSS_"),  TACHO_STR_INIT("i8816"),
    TACHO_STR_INIT("imma"),  TACHO_STR_INIT("nvjet_"), TACHO_STR_INIT("16816"),
};

static bool is_f32(tacho_str name)
{
    static const tacho_str words[] = {
        TACHO_STR_INIT("float"),  TACHO_STR_INIT("f32"),   TACHO_STR_INIT("sgemm"),
        TACHO_STR_INIT("_SB_"),   TACHO_STR_INIT("s1688"), TACHO_STR_INIT("fp32"),
        TACHO_STR_INIT("scudnn"),
    };
    return HAS_ONE(name, words) && !HAS_ONE(name, half_words);
}

/* A product in f32 that names no unit for matrices. TF32 runs on these; so do AMD's products in
 * f32 ("Cijk_"), at a lower rate than 16 bits. */
static bool is_scalar(tacho_str name)
{
    static const tacho_str units[] = {
        TACHO_STR_INIT("tf32"),  TACHO_STR_INIT("s1688"), TACHO_STR_INIT("tensorop"),
        TACHO_STR_INIT("wgmma"), TACHO_STR_INIT("hmma"),  TACHO_STR_INIT("nvjet"),
        TACHO_STR_INIT("Cijk_"), TACHO_STR_INIT("gemv"),  TACHO_STR_INIT("splitKreduce"),
    };
    return is_f32(name) && !HAS_ONE(name, units);
}

static bool is_misaligned(tacho_str name)
{
    static const tacho_str words[] = {TACHO_STR_INIT("align1"), TACHO_STR_INIT("align2"),
                                      TACHO_STR_INIT("align4")};
    return HAS_ONE(name, words) && HAS_ONE(name, half_words);
}

/* "Memcpy HtoD (Pageable -> Device)" and the like. */
static tacho_copy_way way_of(tacho_str name)
{
    static const struct {
        tacho_str word;
        tacho_copy_way way;
    } words[] = {{TACHO_STR_INIT("Pageable"), TACHO_COPY_PAGED},
                 {TACHO_STR_INIT("HtoD"), TACHO_COPY_TO_DEVICE},
                 {TACHO_STR_INIT("DtoH"), TACHO_COPY_FROM_DEVICE},
                 {TACHO_STR_INIT("DtoD"), TACHO_COPY_WITHIN_DEVICE},
                 {TACHO_STR_INIT("HostToDevice"), TACHO_COPY_TO_DEVICE},
                 {TACHO_STR_INIT("DeviceToHost"), TACHO_COPY_FROM_DEVICE},
                 {TACHO_STR_INIT("DeviceToDevice"), TACHO_COPY_WITHIN_DEVICE}};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (tacho_str_contains(name, words[i].word)) {
            return words[i].way;
        }
    }
    return TACHO_COPY_NONE;
}

static bool is_transfer(tacho_str category, tacho_str name)
{
    static const tacho_str beginnings[] = {TACHO_STR_INIT("Memcpy"), TACHO_STR_INIT("Memset"),
                                           TACHO_STR_INIT("memcpy"), TACHO_STR_INIT("memset"),
                                           TACHO_STR_INIT("Copy"),   TACHO_STR_INIT("[CUDA mem")};
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        if (tacho_str_starts_with(name, beginnings[i])) {
            return true;
        }
    }
    return tacho_str_contains(category, TACHO_STR("mem"));
}

tacho_kernel_traits tacho_kernel_traits_of(tacho_str category, tacho_str name)
{
    if (tacho_work_kind_of(TACHO_TRACK_COMPUTE, category, name) == TACHO_WORK_COMMUNICATION) {
        return (tacho_kernel_traits){.kind = TACHO_KERNEL_COMMUNICATION};
    }
    if (is_transfer(category, name)) {
        return (tacho_kernel_traits){.kind = TACHO_KERNEL_TRANSFER, .way = way_of(name)};
    }
    tacho_kernel_traits traits = {.kind = class_of(name), .is_f32 = is_f32(name)};
    traits.is_half = HAS_ONE(name, half_words);
    if (traits.kind == TACHO_KERNEL_ELEMENTWISE && is_copying(name)) {
        traits.kind = TACHO_KERNEL_COPY;
    }
    traits.is_scalar = traits.kind == TACHO_KERNEL_PRODUCT && is_scalar(name);
    traits.is_misaligned = traits.kind == TACHO_KERNEL_PRODUCT && is_misaligned(name);
    return traits;
}
