/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the clocks of chips relate to the host's: the anchors of sync_device_info.csv, which the
 * runtime writes with TT_METAL_PROFILER_SYNC=1, each a time of a chip and the host's time of the
 * same moment. A line fitted through those of a chip turns its cycles into the host's time; how far
 * it is from the anchors, and how long writing one took, bounds the error there.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_SYNC_H
#define TACHO_SOURCES_TENSTORRENT_LOG_SYNC_H

#include "base/input.h"
#include "base/maths.h"

/* Cycles of a chip to ticks: floor((cycles - origin) * numerator / denominator) + offset. */
typedef struct tt_time_map {
    int64_t numerator, denominator; /* both positive */
    int64_t origin, offset;
} tt_time_map;

#define TT_TIME_MAP_SAME                                                                           \
    {                                                                                              \
        1, 1, 0, 0                                                                                 \
    }

/* What 64 bits cannot hold is the first or the last that they can. */
static inline int64_t tt_time_map_ticks(const tt_time_map *map, int64_t cycles)
{
    if (map->denominator == 1) { /* TT_TIME_MAP_SAME, of every log without anchors */
        return cycles;
    }
    tacho_i128 ticks =
        tacho_scale_floor(cycles - map->origin, map->numerator, map->denominator) + map->offset;
    return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

/* What the anchors of one chip say; ticks are picoseconds since the host's profiler started. */
typedef struct tt_chip_sync {
    uint32_t chip;
    uint64_t anchor_count;
    tt_time_map map;
    uint64_t error_ns; /* bound, at the anchors */
    /* Sums over anchors, relative to the first. */
    double cycle_origin, ns_origin;
    double sum_x, sum_y, sum_xx, sum_xy;
    double worst_write_ns;
} tt_chip_sync;

typedef struct tt_sync {
    tt_chip_sync *chips;
    size_t chip_count, chip_capacity;
    uint64_t bad_row_count;
} tt_sync;

void tt_sync_deinit(tt_sync *sync);

/*
 * Reads both passes over |path|: the first fits the lines, the second measures how far anchors are
 * from them. Chips with fewer than two anchors are left out.
 */
tacho_status tt_sync_read(tt_sync *sync, const char *path) TACHO_MUST_USE;

/* What is known of |chip|; NULL for nothing. */
const tt_chip_sync *tt_sync_find(const tt_sync *sync, uint32_t chip);

#endif
