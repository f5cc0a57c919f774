/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of collective libraries and copies, by table look-up.
 */
#include "profile/work_kind.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool begins_with_one(tacho_str text, const tacho_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tacho_str_starts_with(text, words[i])) {
            return true;
        }
    }
    return false;
}

static bool holds(tacho_str text, tacho_str word)
{
    for (; text.len >= word.len; text = tacho_str_from(text, 1)) {
        if (tacho_str_starts_with(text, word)) {
            return true;
        }
    }
    return false;
}

/* Whether |text| begins with |word|, which is in small letters, in letters of any case. */
static bool begins_in_any_case(tacho_str text, tacho_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char byte = i < text.len ? text.data[i] : '\0';
        if ((byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte) != word.data[i]) {
            return false;
        }
    }
    return true;
}

static bool is_of_library(tacho_str name)
{
    static const tacho_str libraries[] = {
        TACHO_STR_INIT("nccl"),   TACHO_STR_INIT("rccl"),    TACHO_STR_INIT("hccl"),
        TACHO_STR_INIT("oneccl"), TACHO_STR_INIT("nvshmem"), TACHO_STR_INIT("rocshmem"),
        TACHO_STR_INIT("hcom_"),
    };
    for (size_t i = 0; i < COUNT_OF(libraries); i++) {
        if (begins_in_any_case(name, libraries[i])) {
            return true;
        }
    }
    return false;
}

static bool is_communication(tacho_str name)
{
    static const tacho_str beginnings[] = {
        TACHO_STR_INIT("all-reduce"), /* XLA's words */
        TACHO_STR_INIT("all-gather"),     TACHO_STR_INIT("all-to-all"),
        TACHO_STR_INIT("reduce-scatter"), TACHO_STR_INIT("collective-"),
        TACHO_STR_INIT("AllReduce"), /* Tenstorrent's */
        TACHO_STR_INIT("AllGather"),      TACHO_STR_INIT("AllToAll"),
        TACHO_STR_INIT("ReduceScatter"),
    };
    static const tacho_str parts[] = {
        TACHO_STR_INIT("ncclKernel"),
        TACHO_STR_INIT("ncclDevKernel"),
        TACHO_STR_INIT("nvshmem"),
        TACHO_STR_INIT("oneccl"),
        TACHO_STR_INIT("deep_ep::"),        /* DeepEP: dispatch and combine of experts */
        TACHO_STR_INIT("dpsk::ep::"),       /* as DeepSeek's own build calls them */
        TACHO_STR_INIT("trtllm_allreduce"), /* FlashInfer, TensorRT-LLM */
        TACHO_STR_INIT("trtllm_alltoall"),
        TACHO_STR_INIT("allreduce_fusion"),
        TACHO_STR_INIT("moeAlltoAll"),
        TACHO_STR_INIT("cross_device_reduce"), /* vLLM */
        TACHO_STR_INIT("one_shot_all_reduce"), /* PyTorch's symmetric memory */
        TACHO_STR_INIT("two_shot_all_reduce"),
        TACHO_STR_INIT("multimem_all_reduce"),
        TACHO_STR_INIT("multimem_all_gather"),
        TACHO_STR_INIT("mscclpp"),
    };
    if (is_of_library(name)) {
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (holds(name, parts[i])) {
            return true;
        }
    }
    return begins_with_one(name, beginnings, COUNT_OF(beginnings));
}

static bool is_copy(tacho_str category, tacho_str name)
{
    static const tacho_str categories[] = {
        TACHO_STR_INIT("gpu_memcpy"), TACHO_STR_INIT("gpu_memset"), TACHO_STR_INIT("Memcpy"),
        TACHO_STR_INIT("Memset"),     TACHO_STR_INIT("copy-start"), /* XLA's category of copies in
                                                                       flight */
    };
    static const tacho_str beginnings[] = {
        TACHO_STR_INIT("Memcpy"),     TACHO_STR_INIT("Memset"),    TACHO_STR_INIT("dma"),
        TACHO_STR_INIT("copy-start"), TACHO_STR_INIT("copy-done"),
    };
    for (size_t i = 0; i < COUNT_OF(categories); i++) {
        if (tacho_str_equal(category, categories[i])) {
            return true;
        }
    }
    return begins_with_one(name, beginnings, COUNT_OF(beginnings));
}

tacho_work_kind tacho_work_kind_of(tacho_track_class track_class, tacho_str category,
                                   tacho_str name)
{
    const uint32_t moves = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) |
                           TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |
                           TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL);
    if ((TACHO_TRACK_BIT(track_class) & moves) != 0) {
        return TACHO_WORK_COPY;
    }
    if (is_communication(name)) {
        return TACHO_WORK_COMMUNICATION;
    }
    return is_copy(category, name) ? TACHO_WORK_COPY : TACHO_WORK_COMPUTE;
}
