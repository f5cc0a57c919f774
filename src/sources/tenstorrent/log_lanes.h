/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of a row of a device log: chip, core and processor as small numbers, and the kind of
 * its zone, found by name once per distinct name.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_LANES_H
#define TACHO_SOURCES_TENSTORRENT_LOG_LANES_H

#include "base/strings.h"
#include "sources/tenstorrent/log_row.h"

/* Facts in a zone's name. */
enum {
    TT_ZONE_FIRMWARE = 1,      /* "BRISC-FW": all work of a processor for an op */
    TT_ZONE_KERNEL = 2,        /* "BRISC-KERNEL": the op itself */
    TT_ZONE_DATA_MOVER = 4,    /* a kernel of BRISC, NCRISC, ERISC: they move data */
    TT_ZONE_WAIT_FRONT = 8,    /* time that compute waited for input */
    TT_ZONE_RESERVE_BACK = 16, /* time that compute waited for room */
    TT_ZONE_DISPATCH = 32,     /* of dispatch cores */
};

/* The processors that an op table has columns for. */
typedef enum tt_risc {
    TT_RISC_BRISC,
    TT_RISC_NCRISC,
    TT_RISC_TRISC0,
    TT_RISC_TRISC1,
    TT_RISC_TRISC2,
    TT_RISC_ERISC,
    TT_RISC_COUNT, /* any other */
} tt_risc;

typedef struct tt_core {
    uint32_t chip, x, y;
} tt_core;

/* One processor of one core. */
typedef struct tt_lane {
    uint32_t core;
    uint32_t risc; /* string of |riscs| */
    tt_risc known;
} tt_lane;

typedef struct tt_lanes {
    tacho_strings riscs;
    tacho_strings zones;
    uint8_t *zone_kinds; /* by zone */
    size_t zone_count, zone_capacity;
    tt_core *cores;
    size_t core_count, core_capacity;
    tt_lane *lanes;
    size_t lane_count, lane_capacity;
    tacho_index core_index;
    tacho_index lane_index;
    uint32_t last; /* lane of the last row */
} tt_lanes;

/* Call deinit even if init failed. */
tacho_status tt_lanes_init(tt_lanes *lanes) TACHO_MUST_USE;
void tt_lanes_deinit(tt_lanes *lanes);

/* The lane of |row|. */
tacho_status tt_lanes_ensure(tt_lanes *lanes, const tt_log_row *row,
                             uint32_t *out_lane) TACHO_MUST_USE;

/* The zone |name|, an index of |zone_kinds| and |zones|. */
tacho_status tt_lanes_ensure_zone(tt_lanes *lanes, tacho_str name,
                                  uint32_t *out_zone) TACHO_MUST_USE;

#endif
