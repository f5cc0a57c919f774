/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a Torq CSV, many at a time: a batch is read and taken apart, then its rows are taken.
 * What a batch needs from memory is asked for ahead. Where there is a second processor, threads
 * take turns (torq_turns.h).
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
 * A distinct tail of rows, and what the taker knows of it. Both lie together, so that what was
 * found by its text is at hand for the row.
 */
typedef struct torq_tail {
    torq_entry entry; /* the taker's; its site is TACHO_NONE until that is known */
    uint32_t len;
    char text[];
} torq_tail;

/*
 * A row taken apart, as far as its text alone says: one line of the cache. What only unusual rows
 * need, their tail, lies elsewhere.
 */
typedef struct torq_record {
    alignas(TACHO_CACHE_LINE) torq_tail *known; /* of |tail|; NULL where it is one of too many */
    uint64_t number; /* of a task or job; the length of an id at the front of the line */
    uint64_t start;
    uint64_t end; /* or how long it took, as the format has it */
    uint64_t bytes;
    uint64_t line_number;
    const char *line;
    uint32_t line_len;
    uint16_t slice;
    uint8_t engine;   /* a tacho_torq_engine */
    bool is_good : 1; /* what follows from the text is set */
    bool has_bytes : 1;
} torq_record;
static_assert(sizeof(torq_record) == TACHO_CACHE_LINE, "for one line of the cache");
static_assert(TACHO_INPUT_TOKEN_MAX <= UINT32_MAX, "lengths of lines");

static inline tacho_str torq_record_line(const torq_record *record)
{
    return tacho_str_make(record->line, record->line_len);
}

/* How rows are taken apart and taken. */
typedef struct torq_rows_format {
    /*
     * Sets what the lines of |records| say, and |out_tails| of good ones, by which their sites are
     * found. All bytes up to |limit| can be read, and those ahead of a line that
     * TACHO_INPUT_LEAD_BYTES counts. Runs on any thread, so it changes no more.
     */
    void (*parse)(const void *self, torq_record *records, size_t count, const char *limit,
                  tacho_str *out_tails);
    tacho_status (*take)(void *self, const torq_record *records, const tacho_str *tails,
                         size_t count);
    /* Lines of the records taken so far go; what is left of them is pushed. */
    tacho_status (*end_batch)(void *self);
    const tacho_shared *taker; /* is told by threads that take turns; NULL: there shall be one */
    void *self;
} torq_rows_format;

/* What is known of the record's tail, or NULL. */
static inline const torq_entry *torq_record_entry(const torq_record *record)
{
    const torq_tail *known = record->known;
    return TACHO_LIKELY(known != NULL && known->entry.site != TACHO_NONE) ? &known->entry : NULL;
}

/* Makes |entry| known to all records of that tail. */
static inline void torq_record_know(const torq_record *record, const torq_entry *entry)
{
    if (record->known != NULL) {
        record->known->entry = *entry;
    }
}

/* Takes every row of |input| that is not empty. */
tacho_status torq_rows_read(tacho_input *input, const torq_rows_format *format) TACHO_MUST_USE;

#endif
