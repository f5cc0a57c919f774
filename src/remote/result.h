/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RESULT: the outcome of one inference of the device. Records of stats are sent in their memory
 * format, which files of raw stats share; the reader checks them against the program.
 */
#ifndef TACHO_REMOTE_RESULT_H
#define TACHO_REMOTE_RESULT_H

#include "program/stats_layout.h"
#include "program/stats_stream.h"
#include "remote/messages.h"

tacho_status tacho_wire_put_result(tacho_bytes *to, const tacho_program *program,
                                   const tacho_device_result *result) TACHO_MUST_USE;

/* The request to a board, which bounds its results. */
typedef struct tacho_wire_asked {
    const tacho_stats_layout *layout; /* of the program */
    uint32_t activations;             /* 1 or more */
    uint64_t inference;
} tacho_wire_asked;

/* Bytes of a result, at most; an honest runtime stays far below it. */
uint64_t tacho_wire_result_limit(const tacho_wire_asked *asked);

/* A result that was read; zeroed, it is none. */
typedef struct tacho_wire_result {
    tacho_device_result result; /* borrows from the payload, and from the next members */
    int64_t total_ns;           /* no time of all results so far adds up to more */
    tacho_arena arena;
    tacho_stats_file *files;
    size_t file_count;
} tacho_wire_result;

void tacho_wire_result_init(tacho_wire_result *result);
void tacho_wire_result_deinit(tacho_wire_result *result);

/* Reads |payload|, aligned to 8 bytes, in place of the previous result. */
tacho_status tacho_wire_get_result(tacho_str payload, const tacho_wire_asked *asked,
                                   tacho_wire_result *out_result) TACHO_MUST_USE;

#endif
