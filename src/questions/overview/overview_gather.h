/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the data of 'overview' from a stream of rows: for each origin of each part, the time of
 * each combination of busy kinds of engines. All unions, overlaps and differences of classes are
 * sums of those times.
 *
 * Adjacent work on a track is one interval. Intervals are kept in a spool until their part ends,
 * then read in order of time and added up; so memory grows with tracks and slices, not with the
 * number or order of spans. If a track turns out to have another class than its first rows assumed,
 * the input must be sorted (TACHO_CODE_OUT_OF_ORDER).
 */
#ifndef TACHO_QUESTIONS_OVERVIEW_OVERVIEW_GATHER_H
#define TACHO_QUESTIONS_OVERVIEW_OVERVIEW_GATHER_H

#include "profile/events.h"
#include "profile/spool.h"

/* Tracks whose spans are work. */
#define TACHO_OVERVIEW_CLASSES                                                                     \
    (TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY) |                  \
     TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME) | TACHO_TRACK_BIT(TACHO_TRACK_CONTROL) |                 \
     TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |                  \
     TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL) | TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) |               \
     TACHO_TRACK_BIT(TACHO_TRACK_VECTOR))

/* Kinds whose times are kept apart; bit i of a combination is kind i. */
typedef enum tacho_busy_kind {
    TACHO_BUSY_DMA_IN,
    TACHO_BUSY_DMA_OUT,
    TACHO_BUSY_LOCAL,
    TACHO_BUSY_SLICES,
    TACHO_BUSY_CSS,
    TACHO_BUSY_HAL,
    TACHO_BUSY_HOST,
    TACHO_BUSY_COPY,
    TACHO_BUSY_CONTROL,
    TACHO_BUSY_KIND_COUNT,
} tacho_busy_kind;

enum { TACHO_BUSY_COMBINATIONS = 1 << TACHO_BUSY_KIND_COUNT };

/* From the first start to the last end; first > last if empty. */
typedef struct tacho_hull {
    int64_t first;
    int64_t last;
} tacho_hull;

int64_t tacho_hull_length(tacho_hull whole);

/* The length of a union of intervals that are added in order of start. */
typedef struct tacho_busy_time {
    int64_t end; /* of the last one */
    int64_t total;
} tacho_busy_time;

typedef struct tacho_busy_slice {
    uint32_t index;
    tacho_busy_time busy;
} tacho_busy_slice;

/* The work of one origin in one part. */
typedef struct tacho_busy_block {
    uint32_t part;
    tacho_origin origin;
    uint32_t classes; /* TACHO_TRACK_BITs of classes with a span, even an empty one */
    tacho_hull extent;
    tacho_hull extent_without_hal;
    int64_t now;                         /* the sums cover the time before it */
    int64_t ends[TACHO_BUSY_KIND_COUNT]; /* of the current work of each kind */
    int64_t sums[TACHO_BUSY_COMBINATIONS];
    bool has_memory[2]; /* local transfers that touch DTCM, ITCM */
    tacho_busy_time memories[2];
    tacho_busy_slice *slices; /* by index, once the part has ended */
    size_t slice_count, slice_capacity;
} tacho_busy_block;

typedef struct tacho_overview_gather {
    tacho_events events; /* push here; a part's rows in any order */
    bool in_cycles;      /* instead of nanoseconds */
    bool is_by_form;     /* in cycles if Torq's first tools count them (overview_tracks.h) */
    tacho_spool *spool;
    struct tacho_busy_line *lines;
    size_t line_count, line_capacity;
    struct tacho_busy_track *tracks;
    size_t track_count, track_capacity;
    uint8_t *sites; /* the kind of work of each site */
    size_t site_count, site_capacity;
    struct tacho_busy_calls *calls; /* by run */
    size_t call_count, call_capacity;
    tacho_busy_block *blocks; /* by part and origin, once their parts have ended */
    size_t block_count, block_capacity;
    size_t settled_count; /* blocks whose parts have ended */
} tacho_overview_gather;

void tacho_overview_gather_init(tacho_overview_gather *gather, tacho_dict *dict);
void tacho_overview_gather_deinit(tacho_overview_gather *gather);

/* Whether |track| has work, even if it takes no time. */
bool tacho_overview_gather_has_work(const tacho_overview_gather *gather, uint32_t track);

/* The time in which a kind of |any| was busy and no kind of |none|; both are bits of kinds. */
int64_t tacho_busy_sum(const tacho_busy_block *block, uint32_t any, uint32_t none);

#endif
