/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chips of a device log. Each is a part with a clock of its own, since the log does not relate
 * the clocks of two chips; where anchors relate all of them to the host's, all are groups of one
 * part. Losses before the first chip is known are kept for it.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_CHIPS_H
#define TACHO_SOURCES_TENSTORRENT_LOG_CHIPS_H

#include "sources/source.h"
#include "sources/tenstorrent/log_row.h"

/* More than any system has: ids of ops have ten bits for the chip. */
enum { TT_CHIPS_MAX = 1 << 10 };

/* Where the tracks of a chip are. */
typedef struct tt_chip {
    uint32_t number;      /* as the log has it */
    uint32_t part, clock; /* its own, or those of all */
    uint32_t group;       /* the parent of its tracks */
    bool is_ended;        /* its part accepts no more rows */
} tt_chip;

typedef struct tt_chips {
    const tacho_reading *reading;
    const tt_log_header *header;
    uint32_t covered_classes; /* of each part, see tacho_part_facts */
    bool is_file;             /* the first part is named after the file */
    bool is_shared;           /* all chips are in |part|, on |clock| */
    uint32_t part, clock;
    tt_chip *items; /* in the order of first use */
    size_t item_count, item_capacity;
    tacho_loss early[TACHO_LOSS_REASON_COUNT]; /* before the first chip */
} tt_chips;

void tt_chips_deinit(tt_chips *chips);

/* The chip |number|, an index of |items|; its part is opened on first use. */
tacho_status tt_chips_ensure(tt_chips *chips, uint32_t number, uint32_t *out_chip) TACHO_MUST_USE;

/* Counts a loss in the part of |chip|; TACHO_NONE: none is known yet. */
tacho_status tt_chips_lose(tt_chips *chips, uint32_t chip, const tacho_loss *loss,
                           tacho_str example) TACHO_MUST_USE;

/* Call after the last chip. Losses still kept are counted in a part without rows. */
tacho_status tt_chips_finish(tt_chips *chips) TACHO_MUST_USE;

#endif
