/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An op table as events. The host is a part, each device another: their clocks are not related by
 * anything in the table. Times of all are nanoseconds, as the durations in the table are.
 *
 * Host: a track of ops, as the host issued them, and one of signposts. Device: a track of ops, each
 * as long as its kernels ran (DEVICE KERNEL DURATION), and a track of firmware, from the first
 * core that started on the op to the last that ended, which contains waiting. Every row of the
 * table is one span (or moment) with all its cells as arguments.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_OPS_EMIT_H
#define TACHO_SOURCES_TENSTORRENT_OPS_EMIT_H

#include "sources/source.h"
#include "sources/tenstorrent/tt_table.h"

/* What goes with the table. */
typedef struct tt_ops_loss {
    uint64_t bad_row_count; /* lines that do not fit the header */
    uint64_t first_bad_line;
    tacho_str bad_example;
    bool is_cut;
} tt_ops_loss;

/* Pushes all parts of |table| to |reading->events|. */
tacho_status tt_ops_emit(const tacho_reading *reading, const tt_table *table,
                         const tt_ops_loss *loss) TACHO_MUST_USE;

#endif
