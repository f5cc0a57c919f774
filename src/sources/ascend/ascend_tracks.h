/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks and words that both formats share.
 */
#ifndef TACHO_SOURCES_ASCEND_ASCEND_TRACKS_H
#define TACHO_SOURCES_ASCEND_ASCEND_TRACKS_H

#include "sources/gpu_part.h"

/* Keys of arguments and categories, which are strings. */
#define ASCEND_WORDS(X)                                                                            \
    X(OP_TYPE, "op_name") /* as ONNX Runtime's: "MatMulV2" */                                      \
    X(TASK_TYPE, "task_type")                                                                      \
    X(SHAPES, "input_shapes")                                                                      \
    X(CONNECTION, "correlation")                                                                   \
    X(KERNEL, "kernel")                                                                            \
    X(COPY, "gpu_memcpy")                                                                          \
    X(EVENT, "event")                                                                              \
    X(CALL, "cann")

typedef enum ascend_word {
#define ASCEND_WORD_ENUM(name, text) ASCEND_##name,
    ASCEND_WORDS(ASCEND_WORD_ENUM)
#undef ASCEND_WORD_ENUM
        ASCEND_WORD_COUNT,
} ascend_word;

typedef struct ascend_part {
    gpu_part gpu;
    uint32_t words[ASCEND_WORD_COUNT];
} ascend_part;

/* What a row of a device holds. */
typedef enum ascend_row {
    ASCEND_ROW_STREAM,        /* kernels and copies */
    ASCEND_ROW_EVENTS,        /* records of events and waits for them */
    ASCEND_ROW_COMMUNICATION, /* whole collectives, around their tasks on streams */
} ascend_row;

tacho_status ascend_part_init(ascend_part *part, const tacho_reading *reading, const char *format,
                              tacho_str generation) TACHO_MUST_USE;

tacho_status ascend_find_row(ascend_part *part, ascend_row row, int64_t device, int64_t stream,
                             uint32_t *out_track) TACHO_MUST_USE;

tacho_status ascend_find_thread(ascend_part *part, int64_t process, int64_t thread,
                                uint32_t *out_track) TACHO_MUST_USE;

/* Where work of a task type belongs, and its category. */
ascend_row ascend_row_of(tacho_str task_type, ascend_word *out_category);

#endif
