/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of a capture as bytes. Numbers are varints, those that may be negative with their sign
 * in the lowest bit; the ids are those of the file. A row is encoded relative to the one before it
 * in its chunk: its track only where it differs, its start as the difference.
 *
 *     u8 head   2 bits of kind (flow, span, sample, mark), then bits for what follows
 *     mark      count: tracks of lower ids exist from here on
 *     row       [track] start of a row,
 *       span    length, site, [run] [op] [flags] [arguments]
 *       sample  8 bytes of its value
 *       flow    u8 role, phase and bond in two bits each, id, label, [end of its span - start]
 *     arguments [length], count, then of each u8 type and unit, key, value; a text is its length
 * and bytes. The length has one bit below it: whether one of them is of summed_args.h.
 */
#ifndef TACHO_PROFILE_CAPTURE_ROW_H
#define TACHO_PROFILE_CAPTURE_ROW_H

#include "profile/packed_row.h"

/* The row before; all zero at the start of a chunk. */
typedef struct tacho_capture_last {
    uint32_t track;
    int64_t start;
} tacho_capture_last;

enum { TACHO_CAPTURE_MARK_MAX = 8 };

/* The most bytes that |row| takes. */
size_t tacho_capture_row_bound(const tacho_row *row);

/* Which strings of a dictionary are keys of summed_args.h; zeroed, none is known. */
typedef struct tacho_capture_keys {
    bool *is_summed; /* by string */
    size_t string_count, string_capacity;
} tacho_capture_keys;

/* Looks at the strings that have been added since. */
tacho_status tacho_capture_keys_learn(tacho_capture_keys *keys,
                                      const tacho_dict *dict) TACHO_MUST_USE;
void tacho_capture_keys_deinit(tacho_capture_keys *keys);

/*
 * Writes |row| to |at|, which has room for its bound; returns the end. |keys| knows the keys of its
 * arguments.
 */
unsigned char *tacho_capture_row_write(const tacho_row *row, const tacho_capture_keys *keys,
                                       tacho_capture_last *last, unsigned char *at);

/* Writes a mark to |at|, which has room for TACHO_CAPTURE_MARK_MAX; returns the end. */
unsigned char *tacho_capture_mark_write(uint32_t track_count, unsigned char *at);

/* The unread bytes of a chunk. */
typedef struct tacho_capture_cursor {
    const unsigned char *at;
    const unsigned char *end;
    tacho_capture_last last;
    bool is_bad; /* the bytes are not a valid row */
    /* Of spans without arguments of summed_args.h, only numbers of |keys|; else all of them. */
    bool takes_summed_only;
    const uint32_t *keys; /* strings of the file */
    size_t key_count;
} tacho_capture_cursor;

typedef enum tacho_capture_item {
    TACHO_CAPTURE_ITEM_NONE, /* the end, or something bad */
    TACHO_CAPTURE_ITEM_ROW,
    TACHO_CAPTURE_ITEM_MARK,
} tacho_capture_item;

/* A number at the cursor; 0 and |is_bad| where there is none. */
uint64_t tacho_capture_take(tacho_capture_cursor *cursor);

/*
 * The next item. Of a mark |*out_mark| is its count. Of a row the ids and times are as in the file;
 * enums, flags and the nesting of arguments have been checked. Fails when out of memory.
 */
tacho_status tacho_capture_row_read(tacho_capture_cursor *cursor, tacho_unpacked_args *args,
                                    tacho_row *out_row, uint64_t *out_mark,
                                    tacho_capture_item *out_item) TACHO_MUST_USE;

#endif
