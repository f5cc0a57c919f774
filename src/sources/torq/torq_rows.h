/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a Torq CSV, many at a time: a batch is read and parsed, then its rows are taken.
 * Memory that a batch needs is prefetched. With a second processor, threads take turns
 * (torq_turns.h).
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_ROWS_H
#define TACHO_SOURCES_TORQ_TORQ_ROWS_H

#include "base/input.h"
#include "base/streaming.h"
#include "base/turns.h"
#include "sources/torq/torq_part.h"

#include <assert.h>
#include <stdalign.h>

/*
 * A distinct tail of rows, and the taker's entry for it. Both are adjacent in memory, so that the
 * entry is at hand once the text is found.
 */
typedef struct torq_tail {
    torq_entry entry; /* the taker's; its site is TACHO_NONE until known */
    uint32_t len;
    char text[];
} torq_tail;

/*
 * A parsed row, as far as its text alone determines it, in one cache line. The tail, which only
 * unusual rows need, is stored elsewhere.
 */
typedef struct torq_record {
    alignas(TACHO_CACHE_LINE) torq_tail *known; /* of |tail|; NULL if there are too many */
    uint64_t number; /* of a task or job; the length of an id at the front of the line */
    uint64_t start;
    uint64_t end; /* or the duration, depending on the format */
    uint64_t bytes;
    uint64_t line_number;
    const char *line;
    uint32_t line_len;
    uint16_t slice;
    uint8_t engine;   /* a tacho_torq_engine */
    bool is_good : 1; /* the fields derived from the text are set */
    bool has_bytes : 1;
} torq_record;
static_assert(sizeof(torq_record) == TACHO_CACHE_LINE, "for one line of the cache");
static_assert(TACHO_INPUT_TOKEN_MAX <= UINT32_MAX, "lengths of lines");

static inline tacho_str torq_record_line(const torq_record *record)
{
    return tacho_str_make(record->line, record->line_len);
}

/* How rows are parsed and taken. */
typedef struct torq_rows_format {
    /*
     * Sets the fields of |records| from their lines, and |out_tails| of good ones, by which their
     * sites are found. All bytes up to |limit| can be read, and TACHO_INPUT_LEAD_BYTES ahead of a
     * line. Runs on any thread, so it must not change anything else.
     */
    void (*parse)(const void *self, torq_record *records, size_t count, const char *limit,
                  tacho_str *out_tails);
    tacho_status (*take)(void *self, const torq_record *records, const tacho_str *tails,
                         size_t count);
    /* Ends a batch: its lines become invalid, so rows still held are pushed. */
    tacho_status (*end_batch)(void *self);
    const tacho_shared *taker; /* called by threads that take turns; NULL: use a single thread */
    void *self;
} torq_rows_format;

/* The entry of the record's tail, or NULL. */
static inline const torq_entry *torq_record_entry(const torq_record *record)
{
    const torq_tail *known = record->known;
    return TACHO_LIKELY(known != NULL && known->entry.site != TACHO_NONE) ? &known->entry : NULL;
}

/* Stores |entry| for all records of that tail. */
static inline void torq_record_know(const torq_record *record, const torq_entry *entry)
{
    if (record->known != NULL) {
        record->known->entry = *entry;
    }
}

/* Takes every nonempty row of |input|. */
tacho_status torq_rows_read(tacho_input *input, const torq_rows_format *format) TACHO_MUST_USE;

#endif
