/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'overview' needs of the rows that stream by: for each origin of each part, how long which
 * kinds of engines were busy at the same time. All unions, overlaps and differences of classes are
 * sums of those times.
 *
 * Work that touches on a track is one interval. Intervals wait in a spool until their part ends,
 * then come out by time and are added up; so memory goes by tracks and slices, not by how many
 * spans there are, nor by their order. A track that turns out to be of another class than its
 * first rows were taken for asks for the input to be sorted (TACHO_CODE_OUT_OF_ORDER).
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

/* Whose times are told apart; bit i of a combination is kind i. */
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

/* From the first start to the last end; first > last when there is none. */
typedef struct tacho_hull {
    int64_t first;
    int64_t last;
} tacho_hull;

int64_t tacho_hull_length(tacho_hull whole);

/* The length of a union of intervals that come by their start. */
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
    uint32_t classes; /* TACHO_TRACK_BITs of those that have a span, if only an empty one */
    tacho_hull extent;
    tacho_hull extent_without_hal;
    int64_t now;                         /* what is before it is in the sums */
    int64_t ends[TACHO_BUSY_KIND_COUNT]; /* of what each kind does at the moment */
    int64_t sums[TACHO_BUSY_COMBINATIONS];
    bool has_memory[2]; /* local transfers that touch DTCM, ITCM */
    tacho_busy_time memories[2];
    tacho_busy_slice *slices; /* by index, once the part has ended */
    size_t slice_count, slice_capacity;
} tacho_busy_block;

typedef struct tacho_overview_gather {
    tacho_events events; /* push here; a part's rows in any order */
    bool in_cycles;      /* instead of nanoseconds */
    bool is_by_form;     /* where Torq's first tools count cycles (overview_tracks.h) */
    tacho_spool *spool;
    struct tacho_busy_line *lines;
    size_t line_count, line_capacity;
    struct tacho_busy_track *tracks;
    size_t track_count, track_capacity;
    uint8_t *sites; /* what kind of work each site is */
    size_t site_count, site_capacity;
    struct tacho_busy_calls *calls; /* by run */
    size_t call_count, call_capacity;
    tacho_busy_block *blocks; /* by part and origin, once their parts have ended */
    size_t block_count, block_capacity;
    size_t settled_count; /* blocks whose parts have ended */
} tacho_overview_gather;

void tacho_overview_gather_init(tacho_overview_gather *gather, tacho_dict *dict);
void tacho_overview_gather_deinit(tacho_overview_gather *gather);

/* Whether |track| has work, if only such as takes no time. */
bool tacho_overview_gather_has_work(const tacho_overview_gather *gather, uint32_t track);

/* The time in which one of |any| and none of |none| was busy: bits of kinds. */
int64_t tacho_busy_sum(const tacho_busy_block *block, uint32_t any, uint32_t none);

#endif
