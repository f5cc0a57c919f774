/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makers of rows: a single one, whose rows are taken 64 at a time while its lines are visible.
 */
#include "sources/torq/torq_rows.h"

#include "base/grow.h"
#include "sources/torq/torq_maker.h"
#include "sources/torq/torq_text.h"
#include "sources/torq/torq_turns.h"

#include <stdlib.h>

enum {
    TAIL_BYTES_MAX = 4096,
    TAIL_COUNT_MAX = 1 << 20,
};

/* ---- making rows ------------------------------------------------------------------------ */

/* Some of a maker's rows: the current batch. */
typedef struct batch {
    torq_record *rows;
    tacho_str *tails;
    size_t row_count;
    uint32_t hashes[TORQ_BATCH_ROWS]; /* of the tails */
} batch;

static inline void add_line(const torq_maker *maker, batch *made, tacho_str line)
{
    if (TACHO_LIKELY(line.len > 0)) {
        torq_record *record = &made->rows[made->row_count++];
        record->line_number = maker->input->line_number;
        record->line = line.data;
        record->line_len = (uint32_t)line.len;
    }
}

/* The next line when it is not entirely visible. */
static tacho_status find_line_slow(torq_maker *maker, batch *made)
{
    tacho_str line;
    bool got = false;
    TACHO_TRY(tacho_input_line_slow(maker->input, &line, &got));
    maker->is_last = !got;
    if (got) {
        add_line(maker, made, line);
    }
    return TACHO_OK;
}

/* Finds nonempty lines, as many as the batch has room for and the input shows at once. */
static tacho_status find_lines(torq_maker *maker, batch *made)
{
    const char *newlines[TORQ_BATCH_ROWS + 1];
    size_t count = tacho_input_find_newlines(maker->input, newlines, TORQ_BATCH_ROWS);
    tacho_str line;
    size_t taken = 0;
    while (taken < count && tacho_input_try_line_to(maker->input, newlines[taken], &line)) {
        add_line(maker, made, line);
        taken++;
    }
    return TACHO_UNLIKELY(taken == 0) ? find_line_slow(maker, made) : TACHO_OK;
}

static void hash_tails(const torq_maker *maker, batch *made)
{
    const tacho_index *index = &maker->index;
    for (size_t i = 0; i < made->row_count; i++) {
        made->hashes[i] = 0;
        if (TACHO_LIKELY(made->rows[i].is_good)) {
            made->hashes[i] = tacho_index_hash(index, made->tails[i]);
            __builtin_prefetch(&index->slots[tacho_index_begin(index, made->hashes[i])]);
        }
    }
}

static tacho_status make_rows(torq_maker *maker, batch *made)
{
    tacho_status status = find_lines(maker, made);
    maker->format->parse(maker->format->self, made->rows, made->row_count, maker->input->limit,
                         made->tails);
    hash_tails(maker, made);
    return status;
}

/*
 * Prefetches the texts that the look-up of a batch's tails will read: mostly the first of a hash.
 */
static void fetch_tails(const torq_maker *maker, batch *made)
{
    const tacho_index *index = &maker->index;
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        uint32_t hash = made->hashes[i];
        tacho_index_slot slot = index->slots[tacho_index_begin(index, hash)];
        record->known = NULL;
        if (TACHO_LIKELY(slot.hash == hash && slot.id < maker->tail_count)) {
            record->known = maker->tails[slot.id];
            __builtin_prefetch(record->known);
            __builtin_prefetch((const char *)record->known +
                               TACHO_CACHE_LINE); /* where most texts end */
        }
    }
}

static tacho_status add_tail(torq_maker *maker, tacho_str text, uint32_t hash, torq_tail **out_tail)
{
    void *memory = NULL;
    if (text.len > TAIL_BYTES_MAX || maker->tail_count == TAIL_COUNT_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&maker->tails, &maker->tail_capacity, maker->tail_count + 1));
    TACHO_TRY(tacho_arena_alloc(&maker->tail_arena, sizeof(torq_tail) + text.len, &memory));
    TACHO_TRY(tacho_index_add(&maker->index, hash, (uint32_t)maker->tail_count));
    torq_tail *tail = memory;
    tail->entry = (torq_entry){.site = TACHO_NONE};
    tail->len = (uint32_t)text.len;
    memcpy(tail->text, text.data, text.len);
    maker->tails[maker->tail_count++] = tail;
    *out_tail = tail;
    return TACHO_OK;
}

static inline bool is_tail(const torq_tail *tail, tacho_str text)
{
    return tail->len == text.len && memcmp(tail->text, text.data, text.len) == 0;
}

static tacho_status find_tail(torq_maker *maker, tacho_str text, uint32_t hash,
                              torq_tail **out_tail)
{
    *out_tail = NULL;
    size_t at = tacho_index_begin(&maker->index, hash);
    for (uint32_t id; (id = tacho_index_next(&maker->index, hash, &at)) != TACHO_NONE;) {
        if (TACHO_LIKELY(is_tail(maker->tails[id], text))) {
            *out_tail = maker->tails[id];
            return TACHO_OK;
        }
    }
    return add_tail(maker, text, hash, out_tail);
}

/* Looks up the tails; if one fails, the batch ends before it. */
static tacho_status find_tails(torq_maker *maker, batch *made)
{
    tacho_status status = TACHO_OK;
    fetch_tails(maker, made);
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        if (TACHO_UNLIKELY(!record->is_good)) {
            record->known = NULL;
        } else if (TACHO_UNLIKELY(record->known == NULL ||
                                  !is_tail(record->known, made->tails[i]))) {
            status = find_tail(maker, made->tails[i], made->hashes[i], &record->known);
        }
        if (TACHO_UNLIKELY(status != TACHO_OK)) {
            made->row_count = i;
        }
    }
    return status;
}

void torq_maker_make(torq_maker *maker)
{
    batch made = {maker->rows + maker->row_count, maker->row_tails + maker->row_count, 0, {0}};
    tacho_status status = make_rows(maker, &made);
    tacho_status finding = find_tails(maker, &made);
    if (status != TACHO_OK) {
        tacho_status_free(finding);
        finding = status;
    }
    maker->row_count += made.row_count;
    maker->status = finding;
    maker->is_last = maker->is_last || finding != TACHO_OK;
}

tacho_status torq_maker_init(torq_maker *maker, tacho_input *input, const torq_rows_format *format,
                             size_t room)
{
    *maker = (torq_maker){.input = input, .format = format, .room = room};
    tacho_arena_init(&maker->tail_arena);
    maker->rows = aligned_alloc(alignof(torq_record), room * sizeof(*maker->rows));
    maker->row_tails = malloc(room * sizeof(*maker->row_tails));
    return maker->rows != NULL && maker->row_tails != NULL ? tacho_index_init(&maker->index)
                                                           : tacho_no_memory();
}

void torq_maker_deinit(torq_maker *maker)
{
    tacho_status_free(maker->status);
    free(maker->rows);
    free(maker->row_tails);
    free(maker->tails);
    tacho_arena_deinit(&maker->tail_arena);
    tacho_index_deinit(&maker->index);
}

/* ---- taking rows ------------------------------------------------------------------------ */

tacho_status torq_maker_take(torq_maker *maker)
{
    const torq_rows_format *format = maker->format;
    size_t count = maker->row_count;
    maker->row_count = 0;
    TACHO_TRY(format->take(format->self, maker->rows, maker->row_tails, count));
    return format->end_batch(format->self);
}

tacho_status torq_maker_end(torq_maker *maker)
{
    tacho_status status = maker->status;
    maker->status = TACHO_OK;
    return status;
}

static tacho_status read_all(torq_maker *maker)
{
    do {
        torq_maker_make(maker);
        TACHO_TRY(torq_maker_take(maker));
    } while (!maker->is_last);
    return torq_maker_end(maker);
}

static tacho_status read_alone(tacho_input *input, const torq_rows_format *format)
{
    torq_maker maker;
    tacho_status status = torq_maker_init(&maker, input, format, TORQ_BATCH_ROWS);
    if (status == TACHO_OK) {
        status = read_all(&maker);
    }
    torq_maker_deinit(&maker);
    return status;
}

/* Skips a byte order mark before the first line. */
static tacho_status skip_mark(tacho_input *input)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, TORQ_MARK_BYTES, &head));
    tacho_input_skip(input, head.len - torq_skip_mark(head).len);
    return TACHO_OK;
}

tacho_status torq_rows_read(tacho_input *input, const torq_rows_format *format)
{
    TACHO_TRY(skip_mark(input));
    return torq_turns_are_worth(input, format) ? torq_turns_read(input, format)
                                               : read_alone(input, format);
}
