/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An op table as events. The host is a part, each device another: the table does not relate their
 * clocks. All times are nanoseconds, like the durations in the table.
 *
 * Host: a track of ops, as the host issued them, and one of signposts. Device: a track of ops, each
 * as long as its kernels ran (DEVICE KERNEL DURATION), and a track of firmware, from the first core
 * that started on the op to the last that ended, which includes waiting. Every row of the table is
 * one span (or instant) with all its cells as arguments.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_OPS_EMIT_H
#define TACHO_SOURCES_TENSTORRENT_OPS_EMIT_H

#include "sources/source.h"
#include "sources/tenstorrent/tt_table.h"

/* Losses from reading the table. */
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
