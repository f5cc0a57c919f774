/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A maker parses lines and looks up their tails; then its rows are taken.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_MAKER_H
#define TACHO_SOURCES_TORQ_TORQ_MAKER_H

#include "base/arena.h"
#include "base/index.h"
#include "sources/torq/torq_rows.h"

enum { TORQ_BATCH_ROWS = 64 };

typedef struct torq_maker {
    tacho_input *input; /* of its lines */
    const torq_rows_format *format;
    /* Distinct tails. */
    tacho_index index;
    torq_tail **tails; /* by the ids of the index */
    size_t tail_count, tail_capacity;
    tacho_arena tail_arena;
    /* Rows made and not yet taken. */
    torq_record *rows;
    tacho_str *row_tails;
    size_t row_count, room;
    tacho_status status; /* why no more can be made, after its rows */
    bool is_last;        /* no more are made */
} torq_maker;

tacho_status torq_maker_init(torq_maker *maker, tacho_input *input, const torq_rows_format *format,
                             size_t room) TACHO_MUST_USE;
void torq_maker_deinit(torq_maker *maker);

/* Makes further rows, at most TORQ_BATCH_ROWS, for which there is room. */
void torq_maker_make(torq_maker *maker);

/* Has all its rows taken. */
tacho_status torq_maker_take(torq_maker *maker) TACHO_MUST_USE;

/* The status that the maker ended with. */
tacho_status torq_maker_end(torq_maker *maker) TACHO_MUST_USE;

#endif
