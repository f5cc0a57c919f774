/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: converts times of packets to nanoseconds of the trace clock.
 *
 * A snapshot holds the values of several clocks at one moment. The time of another clock is moved
 * by the difference in the last snapshot at or before it that holds both, or goes through one clock
 * between. Clocks 64 to 127 belong to a sequence; an incremental one counts from packet to packet.
 *
 * A snapshot may follow the packets that need it: their times wait (PFR_TIME_LATER).
 */
#ifndef TACHO_SOURCES_PERFETTO_CLOCKS_H
#define TACHO_SOURCES_PERFETTO_CLOCKS_H

#include "base/index.h"
#include "base/str.h"

enum { PFR_SNAPSHOT_CLOCKS_MAX = 32 };

/* Clocks that occur together in snapshots, and their values: one row for each snapshot. */
typedef struct pfr_clock_series {
    uint32_t clocks[PFR_SNAPSHOT_CLOCKS_MAX];
    uint32_t clock_count;
    int64_t *values; /* rows of |clock_count|; no clock goes back */
    size_t row_count, value_capacity;
} pfr_clock_series;

/* One step of a conversion: a series that has both clocks, by column. */
typedef struct pfr_clock_hop {
    uint32_t series;
    uint32_t from;
    uint32_t to;
} pfr_clock_hop;

enum { PFR_CLOCK_HOPS_MAX = 2, PFR_CLOCK_SERIES_MAX = 16 };

typedef struct pfr_clock {
    uint64_t key; /* its id; in the upper half the sequence of a private clock */
    int64_t unit_ns;
    bool is_incremental;
    bool is_set; /* of an incremental clock: |last_ns| counts */
    int64_t last_ns;
    uint32_t series[PFR_CLOCK_SERIES_MAX]; /* the first series that contain it */
    uint32_t series_count;
    pfr_clock_hop hops[PFR_CLOCK_HOPS_MAX]; /* the conversion to the trace clock */
    uint32_t hop_count;
    size_t searched_count; /* number of series when the conversion was last searched for */
    /*
     * From |from_ns| until before |until_ns| the trace clock is ahead by |ahead_ns|. Valid while
     * |reach_of| is the number of snapshots.
     */
    uint64_t reach_of;
    int64_t from_ns;
    int64_t until_ns;
    int64_t ahead_ns;
} pfr_clock;

typedef struct pfr_clocks {
    pfr_clock *items;
    size_t item_count, item_capacity;
    tacho_index index; /* of clocks by key */
    uint32_t last_id;  /* of the clock looked up last */
    pfr_clock_series *series;
    size_t series_count, series_capacity;
    tacho_index series_index; /* by their clocks */
    uint64_t snapshot_count;
    uint64_t trace_clock;
    bool has_primary;
} pfr_clocks;

typedef enum pfr_time_result {
    PFR_TIME_OK,
    PFR_TIME_LATER,   /* no snapshot relates the clock yet: the time is on the clock itself */
    PFR_TIME_UNKNOWN, /* no snapshot ever will */
    PFR_TIME_NEGATIVE,
    PFR_TIME_OVERFLOW,
} pfr_time_result;

tacho_status pfr_clocks_init(pfr_clocks *clocks) TACHO_MUST_USE;
void pfr_clocks_deinit(pfr_clocks *clocks);

/* Adds a snapshot from a packet of |sequence|; |*out_good| is false when it is invalid. */
tacho_status pfr_clocks_add(pfr_clocks *clocks, uint32_t sequence, tacho_str snapshot,
                            bool *out_good) TACHO_MUST_USE;

/* The state of |sequence| starts afresh: its incremental clocks wait for a snapshot. */
void pfr_clocks_forget(pfr_clocks *clocks, uint32_t sequence);

/* Converts |*ns| from the clock |id| to the trace clock, with all snapshots read so far. */
tacho_status pfr_clocks_convert(pfr_clocks *clocks, uint32_t id, int64_t *ns,
                                pfr_time_result *out_result) TACHO_MUST_USE;

/*
 * A packet's time on the trace clock; clock 0 is the trace clock itself. |*out_clock| is the clock
 * of a time that has to wait, else TACHO_NONE.
 */
tacho_status pfr_clocks_read(pfr_clocks *clocks, uint32_t sequence, uint32_t clock_id,
                             uint64_t timestamp, int64_t *out_ns, uint32_t *out_clock,
                             pfr_time_result *out_result) TACHO_MUST_USE;

#endif
