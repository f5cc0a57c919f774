/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row with its arguments and their text in one piece of memory, which the spool sorts, writes and
 * reads back within one process. Not a file format.
 */
#ifndef TACHO_PROFILE_PACKED_ROW_H
#define TACHO_PROFILE_PACKED_ROW_H

#include "profile/events.h"

typedef struct tacho_packed_row {
    uint32_t size_bytes; /* with arguments and text, a multiple of 8 */
    uint32_t arg_count;
    uint32_t kind;
    uint32_t track;
    int64_t start;
    uint64_t payload[3]; /* the union of tacho_row */
} tacho_packed_row;

/* Arguments unpacked again; grows as needed and is used over and over. */
typedef struct tacho_unpacked_args {
    tacho_arg *items;
    size_t item_capacity;
} tacho_unpacked_args;

/* The most bytes that |row| takes when packed; a status when it is beyond all reason. */
tacho_status tacho_packed_row_bound(const tacho_row *row, size_t *out_bound) TACHO_MUST_USE;

/*
 * Packs |row| into |memory|, which has room for its bound and is aligned to 8; returns the bytes
 * that it took, a multiple of 8.
 */
size_t tacho_packed_row_write(const tacho_row *row, void *memory);

/* Unpacks; text arguments point into |packed|, the rest into |args|. */
tacho_status tacho_packed_row_read(const tacho_packed_row *packed, tacho_unpacked_args *args,
                                   tacho_row *out_row) TACHO_MUST_USE;

#endif
