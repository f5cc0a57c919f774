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

static bool is_communication(tacho_str name)
{
    static const tacho_str beginnings[] = {
        TACHO_STR_INIT("nccl"),           TACHO_STR_INIT("rccl"),
        TACHO_STR_INIT("hccl"),           TACHO_STR_INIT("oneccl"),
        TACHO_STR_INIT("nvshmem"),        TACHO_STR_INIT("all-reduce"), /* XLA's words */
        TACHO_STR_INIT("all-gather"),     TACHO_STR_INIT("all-to-all"),
        TACHO_STR_INIT("reduce-scatter"), TACHO_STR_INIT("collective-"),
        TACHO_STR_INIT("AllReduce"),      TACHO_STR_INIT("AllGather"), /* Tenstorrent's */
        TACHO_STR_INIT("AllToAll"),       TACHO_STR_INIT("ReduceScatter"),
    };
    static const tacho_str parts[] = {
        TACHO_STR_INIT("ncclKernel"),
        TACHO_STR_INIT("ncclDevKernel"),
        TACHO_STR_INIT("cross_device_reduce"),
        TACHO_STR_INIT("multimem_all_reduce"),
        TACHO_STR_INIT("mscclpp"),
    };
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
        TACHO_STR_INIT("gpu_memcpy"),
        TACHO_STR_INIT("gpu_memset"),
        TACHO_STR_INIT("Memcpy"),
        TACHO_STR_INIT("Memset"),
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
