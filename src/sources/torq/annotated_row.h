/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of an annotated Torq profile: finds the columns by the header's names, and parses lines.
 */
#ifndef TACHO_SOURCES_TORQ_ANNOTATED_ROW_H
#define TACHO_SOURCES_TORQ_ANNOTATED_ROW_H

#include "sources/torq/torq_part.h"

/* Data with a column of its own. */
typedef enum torq_annotated_column {
    TORQ_ANNOTATED_ACTION,
    TORQ_ANNOTATED_JOB,
    TORQ_ANNOTATED_OPERATION,
    TORQ_ANNOTATED_KERNELS,
    TORQ_ANNOTATED_OPERATORS,
    TORQ_ANNOTATED_START,
    TORQ_ANNOTATED_END,
    TORQ_ANNOTATED_DMA_IN,
    TORQ_ANNOTATED_DMA_OUT,
    TORQ_ANNOTATED_CDMA,
    TORQ_ANNOTATED_CSS,
    TORQ_ANNOTATED_SLICES, /* of all slices in one, "True/False" */
    TORQ_ANNOTATED_LOCATION,
    TORQ_ANNOTATED_COLUMN_COUNT,
} torq_annotated_column;

/* A slice with a column of its own. */
typedef struct torq_annotated_slice {
    size_t column;
    uint32_t slice;
} torq_annotated_slice;

typedef struct torq_annotated_header {
    size_t columns[TORQ_ANNOTATED_COLUMN_COUNT]; /* SIZE_MAX: missing */
    torq_annotated_slice *slices;
    size_t slice_count, slice_capacity;
    uint32_t together_count; /* slices in TORQ_ANNOTATED_SLICES */
    size_t field_count;
    bool has_many_kernels; /* a row lists all kernels of its job */
} torq_annotated_header;

/* |out_matches| is true if |line| is such a header. Call deinit even if init failed. */
tacho_status torq_annotated_header_init(torq_annotated_header *header, tacho_str line,
                                        bool *out_matches) TACHO_MUST_USE;
void torq_annotated_header_deinit(torq_annotated_header *header);

bool torq_annotated_has(const torq_annotated_header *header, torq_annotated_column column);

/* "A0" to "A3". */
tacho_str torq_annotated_generation(const torq_annotated_header *header);

/* The TACHO_TRACK_BITs of the columns, or of rows of inner ops without such columns. */
uint32_t torq_annotated_covered(const torq_annotated_header *header);

enum { TORQ_ANNOTATED_WORDS = TORQ_SLICE_MAX / 64 };

/* The engines that a job uses. */
typedef struct torq_annotated_used {
    uint32_t engines; /* bit i: tacho_torq_engine i, but slices */
    uint64_t slices[TORQ_ANNOTATED_WORDS];
} torq_annotated_used;

/* A line; texts live as long as it and the arena it was parsed into. */
typedef struct torq_annotated_row {
    int64_t action; /* -1: none */
    int64_t job;    /* -1: none */
    bool has_time;
    int64_t start; /* ns */
    int64_t end;
    tacho_str operation;
    tacho_str kernels;
    tacho_str operators;
    tacho_str location;
    torq_annotated_used used;
} torq_annotated_row;

/* |*out_loss| is TACHO_LOSS_REASON_COUNT when the line is a row. */
tacho_status torq_annotated_row_parse(const torq_annotated_header *header, tacho_str line,
                                      int64_t max_ticks, tacho_arena *scratch,
                                      torq_annotated_row *out_row,
                                      tacho_loss_reason *out_loss) TACHO_MUST_USE;

#endif
