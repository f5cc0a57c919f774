/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relates the clocks of chips to the host's: the anchors of sync_device_info.csv, which the runtime
 * writes with TT_METAL_PROFILER_SYNC=1, each a time of a chip and the host's time of the same
 * moment. A line fitted through the anchors of a chip converts its cycles to the host's time; the
 * distance of the anchors from the line, and the time it took to write one, bound the error there.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_SYNC_H
#define TACHO_SOURCES_TENSTORRENT_LOG_SYNC_H

#include "base/input.h"
#include "base/maths.h"

/*
 * Converts cycles of a chip to ticks: floor((cycles - origin) * numerator / denominator) + offset.
 */
typedef struct tt_time_map {
    int64_t numerator, denominator; /* both positive */
    int64_t origin, offset;
} tt_time_map;

#define TT_TIME_MAP_SAME                                                                           \
    {                                                                                              \
        1, 1, 0, 0                                                                                 \
    }

/* The result is clamped to 64 bits. */
static inline int64_t tt_time_map_ticks(const tt_time_map *map, int64_t cycles)
{
    if (map->denominator == 1) { /* TT_TIME_MAP_SAME, for every log without anchors */
        return cycles;
    }
    tacho_i128 ticks =
        tacho_scale_floor(cycles - map->origin, map->numerator, map->denominator) + map->offset;
    return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

/* Fit of the anchors of one chip; ticks are picoseconds since the host's profiler started. */
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
 * Reads |path| in two passes: the first fits the lines, the second measures the distance of the
 * anchors from them. Chips with fewer than two anchors are left out.
 */
tacho_status tt_sync_read(tt_sync *sync, const char *path) TACHO_MUST_USE;

/* The fit of |chip|; NULL if it has none. */
const tt_chip_sync *tt_sync_find(const tt_sync *sync, uint32_t chip);

#endif
