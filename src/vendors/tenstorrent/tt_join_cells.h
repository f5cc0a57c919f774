/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the device says of an op, as cells of the vendor's op table.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_CELLS_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_CELLS_H

#include "vendors/tenstorrent/tt_join_rows.h"

/* One row on its way. */
typedef struct tt_cells {
    tacho_arena arena; /* of texts that were made for it */
    tacho_str of[TT_JOIN_COLUMN_COUNT];
} tt_cells;

/* What is known of a device so far: where its last op ended. */
typedef struct tt_join_device {
    int64_t device;
    double ns_per_cycle; /* 0: not known */
    bool has_kernel_end, has_mover_end;
    int64_t kernel_end, mover_end;
} tt_join_device;

typedef struct tt_join_devices {
    tt_join_device *items;
    size_t item_count, item_capacity;
} tt_join_devices;

/* Text made by printf, in the row's arena. */
tacho_status tt_cells_format(tt_cells *cells, tt_join_column column, const char *format, ...)
    TACHO_PRINTF(3, 4) TACHO_MUST_USE;

/* Fills in what |record| says: a row of the report, or an op of the log. */
tacho_status tt_cells_add_device(tt_cells *cells, const tt_join *join, size_t record,
                                 tt_join_devices *devices) TACHO_MUST_USE;

/* 100 * compute / kernel time, to three decimals, as Python prints it: "0.019", "12.5", "0.0". */
tacho_status tt_cells_add_utilisation(tt_cells *cells) TACHO_MUST_USE;

#endif
