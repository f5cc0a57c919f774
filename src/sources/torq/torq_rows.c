/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A maker fills batches, the caller takes their rows. Alone they take turns, and lines stay where
 * the input shows them. With a thread the maker works ahead: it copies its batches with their lines
 * to a ring of lots, from which the caller takes them.
 */
#include "sources/torq/torq_rows.h"

#include "base/arena.h"
#include "base/cpu.h"
#include "base/grow.h"
#include "base/index.h"
#include "base/streaming.h"
#include "sources/torq/torq_text.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    BATCH_ROWS = 64,
    LOT_ROWS = 16 * BATCH_ROWS,
    LOT_BYTES = 256 << 10, /* of lines; what has no room goes to the arena */
    RING_LOTS = 8,
    FETCH_ROWS = 4,    /* of a lot, asked for at a time: more would have to wait for each other */
    FETCH_AHEAD = 16,  /* rows before they are taken */
    RECORD_AHEAD = 48, /* rows before those; their records */
    TAIL_BYTES_MAX = 4096,
    TAIL_COUNT_MAX = 1 << 20,
    THREAD_BYTES_MIN = 4 << 20, /* of input that is worth a thread */
};

typedef struct batch {
    tacho_status status; /* why it is the last, behind its rows */
    bool is_last;
    size_t row_count;
    torq_record rows[BATCH_ROWS];
    tacho_str tails[BATCH_ROWS];
    uint32_t hashes[BATCH_ROWS]; /* of the tails */
} batch;

/* Batches on their way from the maker to the taker. */
typedef struct lot {
    tacho_status status; /* of the last of them */
    bool is_last;
    size_t row_count;
    size_t text_len;
    tacho_arena arena; /* of lines for which |text| has no room */
    torq_record rows[LOT_ROWS];
    alignas(TACHO_CACHE_LINE) tacho_str tails[LOT_ROWS + TACHO_STREAMING_MORE / sizeof(tacho_str)];
    alignas(TACHO_CACHE_LINE) char text[LOT_BYTES];
} lot;

typedef struct torq_rows {
    tacho_input *input;
    const torq_rows_format *format;
    tacho_index index;
    torq_tail **tails; /* by the ids of the index */
    size_t tail_count, tail_capacity;
    tacho_arena tail_arena;
    batch made;
    /* The ring, where there is a thread. */
    lot *lots;
    size_t lot_count;
    alignas(TACHO_CACHE_LINE) pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t made_count, taken_count;
    bool is_made;    /* there will be no more lots */
    bool is_stopped; /* the caller has had enough */
} torq_rows;

/* ---- making batches --------------------------------------------------------------------- */

static inline void add_line(const torq_rows *rows, batch *made, tacho_str line)
{
    if (TACHO_UNLIKELY(rows->input->line_number == 1)) {
        line = torq_skip_mark(line);
    }
    if (TACHO_LIKELY(line.len > 0)) {
        torq_record *record = &made->rows[made->row_count++];
        record->line_number = rows->input->line_number;
        record->line = line.data;
        record->line_len = (uint32_t)line.len;
    }
}

/* The next line, which is not all visible. */
static tacho_status find_line_slow(torq_rows *rows, batch *made)
{
    tacho_str line;
    bool got = false;
    TACHO_TRY(tacho_input_line_slow(rows->input, &line, &got));
    made->is_last = !got;
    if (got) {
        add_line(rows, made, line);
    }
    return TACHO_OK;
}

/* Lines that are not empty, as many as the batch has room for and the input shows at once. */
static tacho_status find_lines(torq_rows *rows, batch *made)
{
    const char *newlines[BATCH_ROWS + 1];
    size_t count = tacho_input_find_newlines(rows->input, newlines, BATCH_ROWS);
    tacho_str line;
    size_t taken = 0;
    while (taken < count && tacho_input_try_line_to(rows->input, newlines[taken], &line)) {
        add_line(rows, made, line);
        taken++;
    }
    return TACHO_UNLIKELY(taken == 0) ? find_line_slow(rows, made) : TACHO_OK;
}

static void hash_tails(const torq_rows *rows, batch *made)
{
    const tacho_index *index = &rows->index;
    for (size_t i = 0; i < made->row_count; i++) {
        made->hashes[i] = 0;
        if (TACHO_LIKELY(made->rows[i].is_good)) {
            made->hashes[i] = tacho_index_hash(index, made->tails[i]);
            __builtin_prefetch(&index->slots[tacho_index_begin(index, made->hashes[i])]);
        }
    }
}

static tacho_status make_rows(torq_rows *rows, batch *made)
{
    tacho_status status = find_lines(rows, made);
    rows->format->parse(rows->format->self, made->rows, made->row_count, rows->input->limit,
                        made->tails);
    hash_tails(rows, made);
    return status;
}

/* Asks for the texts that finding the tails of a batch will look at: mostly the first of a hash. */
static void fetch_tails(const torq_rows *rows, batch *made)
{
    const tacho_index *index = &rows->index;
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        uint32_t hash = made->hashes[i];
        tacho_index_slot slot = index->slots[tacho_index_begin(index, hash)];
        record->known = NULL;
        if (TACHO_LIKELY(slot.hash == hash && slot.id < rows->tail_count)) {
            record->known = rows->tails[slot.id];
            __builtin_prefetch(record->known);
            __builtin_prefetch((const char *)record->known +
                               TACHO_CACHE_LINE); /* where most texts end */
        }
    }
}

static tacho_status add_tail(torq_rows *rows, tacho_str text, uint32_t hash, torq_tail **out_tail)
{
    void *memory = NULL;
    if (text.len > TAIL_BYTES_MAX || rows->tail_count == TAIL_COUNT_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&rows->tails, &rows->tail_capacity, rows->tail_count + 1));
    TACHO_TRY(tacho_arena_alloc(&rows->tail_arena, sizeof(torq_tail) + text.len, &memory));
    TACHO_TRY(tacho_index_add(&rows->index, hash, (uint32_t)rows->tail_count));
    torq_tail *tail = memory;
    tail->entry = (torq_entry){.site = TACHO_NONE};
    tail->len = (uint32_t)text.len;
    memcpy(tail->text, text.data, text.len);
    rows->tails[rows->tail_count++] = tail;
    *out_tail = tail;
    return TACHO_OK;
}

static inline bool is_tail(const torq_tail *tail, tacho_str text)
{
    return tail->len == text.len && memcmp(tail->text, text.data, text.len) == 0;
}

static tacho_status find_tail(torq_rows *rows, tacho_str text, uint32_t hash, torq_tail **out_tail)
{
    *out_tail = NULL;
    size_t at = tacho_index_begin(&rows->index, hash);
    for (uint32_t id; (id = tacho_index_next(&rows->index, hash, &at)) != TACHO_NONE;) {
        if (TACHO_LIKELY(is_tail(rows->tails[id], text))) {
            *out_tail = rows->tails[id];
            return TACHO_OK;
        }
    }
    return add_tail(rows, text, hash, out_tail);
}

/* Where one fails, the batch ends before it. */
static tacho_status find_tails(torq_rows *rows, batch *made)
{
    tacho_status status = TACHO_OK;
    fetch_tails(rows, made);
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        if (TACHO_UNLIKELY(!record->is_good)) {
            record->known = NULL;
        } else if (TACHO_UNLIKELY(record->known == NULL ||
                                  !is_tail(record->known, made->tails[i]))) {
            status = find_tail(rows, made->tails[i], made->hashes[i], &record->known);
        }
        if (TACHO_UNLIKELY(status != TACHO_OK)) {
            made->row_count = i;
        }
    }
    return status;
}

static void make_batch(torq_rows *rows)
{
    batch *made = &rows->made;
    made->row_count = 0;
    made->is_last = false;
    tacho_status status = make_rows(rows, made);
    tacho_status finding = find_tails(rows, made);
    if (status != TACHO_OK) {
        tacho_status_free(finding);
        finding = status;
    }
    made->status = finding;
    made->is_last = made->is_last || finding != TACHO_OK;
}

/* ---- taking them ------------------------------------------------------------------------ */

static tacho_status take_batch(const torq_rows *rows, const batch *made)
{
    const torq_rows_format *format = rows->format;
    TACHO_TRY(format->take(format->self, made->rows, made->tails, made->row_count));
    return format->end_batch(format->self);
}

static tacho_status read_alone(torq_rows *rows)
{
    batch *made = &rows->made;
    do {
        make_batch(rows);
        tacho_status status = take_batch(rows, made);
        if (status != TACHO_OK) {
            tacho_status_free(made->status);
            return status;
        }
    } while (!made->is_last);
    return made->status;
}

/* ---- with a thread ---------------------------------------------------------------------- */

/* Copies the lines of a batch, which follow one another in the input, to where the lot has room. */
static tacho_status copy_text(lot *filled, tacho_str lines, char **out_copy)
{
    size_t room = tacho_streaming_room(lines.len);
    if (TACHO_UNLIKELY(room > LOT_BYTES - filled->text_len)) {
        TACHO_TRY(tacho_arena_alloc_bytes(&filled->arena, lines.len, out_copy));
        memcpy(*out_copy, lines.data, lines.len);
        return TACHO_OK;
    }
    *out_copy = filled->text + filled->text_len;
    tacho_streaming_copy(*out_copy, lines.data, lines.len);
    filled->text_len += room;
    return TACHO_OK;
}

static tacho_status copy_batch(lot *filled, batch *made)
{
    size_t count = made->row_count;
    if (count == 0) {
        return TACHO_OK;
    }
    const char *from = made->rows[0].line;
    const torq_record *last = &made->rows[count - 1];
    char *copy = NULL;
    TACHO_TRY(copy_text(filled, tacho_str_make(from, (size_t)(last->line + last->line_len - from)),
                        &copy));
    for (size_t i = 0; i < count; i++) {
        torq_record *record = &made->rows[i];
        record->line = copy + (record->line - from);
        if (TACHO_LIKELY(record->is_good)) {
            made->tails[i].data = copy + (made->tails[i].data - from);
        }
    }
    tacho_streaming_copy(filled->rows + filled->row_count, made->rows,
                         count * sizeof(made->rows[0]));
    tacho_streaming_copy(filled->tails + filled->row_count, made->tails,
                         count * sizeof(made->tails[0]));
    filled->row_count += count;
    return TACHO_OK;
}

static bool has_room(const lot *filled)
{
    return filled->row_count <= LOT_ROWS - BATCH_ROWS && filled->text_len <= LOT_BYTES / 2;
}

static void make_lot(torq_rows *rows, lot *filled)
{
    filled->row_count = 0;
    filled->text_len = 0;
    filled->is_last = false;
    tacho_arena_reset(&filled->arena);
    while (has_room(filled) && !filled->is_last) {
        make_batch(rows);
        tacho_status status = copy_batch(filled, &rows->made);
        if (status != TACHO_OK) {
            tacho_status_free(rows->made.status);
            rows->made.status = status;
        }
        filled->status = rows->made.status;
        filled->is_last = rows->made.is_last || status != TACHO_OK;
    }
    tacho_streaming_end();
}

/*
 * Neither wakes the other for a single lot: a maker that has filled the ring waits until half of
 * it is free, a taker that has emptied it until a quarter is full.
 */
static bool wait_for_room(torq_rows *rows, uint64_t count)
{
    pthread_mutex_lock(&rows->lock);
    rows->made_count = count;
    if (count - rows->taken_count >= rows->lot_count / 4) {
        pthread_cond_signal(&rows->changed);
    }
    if (count - rows->taken_count == rows->lot_count) {
        while (count - rows->taken_count > rows->lot_count / 2 && !rows->is_stopped) {
            pthread_cond_wait(&rows->changed, &rows->lock);
        }
    }
    bool goes_on = !rows->is_stopped;
    pthread_mutex_unlock(&rows->lock);
    return goes_on;
}

static void *make_all(void *self)
{
    torq_rows *rows = self;
    uint64_t count = 0;
    while (wait_for_room(rows, count)) {
        lot *filled = &rows->lots[count++ % rows->lot_count];
        make_lot(rows, filled);
        if (filled->is_last) {
            break;
        }
    }
    pthread_mutex_lock(&rows->lock);
    rows->made_count = count;
    rows->is_made = true;
    pthread_cond_signal(&rows->changed);
    pthread_mutex_unlock(&rows->lock);
    return NULL;
}

/* Gives the lots before |count| back and waits for that one. */
static void wait_for_lot(torq_rows *rows, uint64_t count)
{
    pthread_mutex_lock(&rows->lock);
    rows->taken_count = count;
    if (rows->made_count - count <= rows->lot_count / 2) {
        pthread_cond_signal(&rows->changed);
    }
    if (rows->made_count == count) {
        while (rows->made_count - count < rows->lot_count / 4 && !rows->is_made) {
            pthread_cond_wait(&rows->changed, &rows->lock);
        }
    }
    pthread_mutex_unlock(&rows->lock);
}

/*
 * Asks for what FETCH_ROWS rows from |at| on refer to. Their records were asked for before, as are
 * now those of later rows.
 */
static inline void fetch_rows(const lot *filled, size_t at, bool with_lines)
{
    for (size_t i = at; i < at + FETCH_ROWS && i < filled->row_count; i++) {
        __builtin_prefetch(&filled->rows[i] + RECORD_AHEAD);
        __builtin_prefetch(filled->rows[i].known);
        if (with_lines) {
            __builtin_prefetch(filled->rows[i].line);
        }
    }
}

/* Rows of a lot are in no cache of this processor. */
static tacho_status take_lot(const torq_rows *rows, const lot *filled)
{
    const torq_rows_format *format = rows->format;
    size_t count = filled->row_count;
    for (size_t at = 0; at < count; at += FETCH_ROWS) {
        size_t part = count - at < FETCH_ROWS ? count - at : FETCH_ROWS;
        fetch_rows(filled, at + FETCH_AHEAD, format->takes_lines);
        TACHO_TRY(format->take(format->self, filled->rows + at, filled->tails + at, part));
    }
    return format->end_batch(format->self);
}

static tacho_status take_all(torq_rows *rows)
{
    for (uint64_t count = 0;; count++) {
        wait_for_lot(rows, count);
        lot *filled = &rows->lots[count % rows->lot_count];
        TACHO_TRY(take_lot(rows, filled));
        if (filled->is_last) {
            tacho_status status = filled->status;
            filled->status = TACHO_OK;
            return status;
        }
    }
}

/* Starts the maker; it takes no signals. */
static bool start_maker(torq_rows *rows, pthread_t *out_thread)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    bool is_started = pthread_create(out_thread, NULL, make_all, rows) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static tacho_status create_lots(torq_rows *rows)
{
    rows->lots = aligned_alloc(alignof(lot), RING_LOTS * sizeof(*rows->lots));
    if (rows->lots == NULL) {
        return tacho_no_memory();
    }
    for (; rows->lot_count < RING_LOTS; rows->lot_count++) {
        rows->lots[rows->lot_count].status = TACHO_OK;
        tacho_arena_init(&rows->lots[rows->lot_count].arena);
    }
    return TACHO_OK;
}

static tacho_status read_with_maker(torq_rows *rows)
{
    pthread_t maker;
    TACHO_TRY(create_lots(rows));
    pthread_mutex_init(&rows->lock, NULL);
    pthread_cond_init(&rows->changed, NULL);
    bool is_started = start_maker(rows, &maker);
    tacho_status status = is_started ? take_all(rows) : read_alone(rows);
    if (is_started) {
        pthread_mutex_lock(&rows->lock);
        rows->is_stopped = true;
        pthread_cond_signal(&rows->changed);
        pthread_mutex_unlock(&rows->lock);
        pthread_join(maker, NULL);
    }
    pthread_cond_destroy(&rows->changed);
    pthread_mutex_destroy(&rows->lock);
    return status;
}

/* Whether a second processor may work on a file that is worth it. */
static bool wants_maker(const tacho_input *input)
{
    return input->raw_total_bytes >= THREAD_BYTES_MIN && tacho_cpu_count() > 1;
}

/* ---- all of it -------------------------------------------------------------------------- */

tacho_status torq_rows_read(tacho_input *input, const torq_rows_format *format)
{
    torq_rows rows = {.input = input, .format = format};
    tacho_arena_init(&rows.tail_arena);
    tacho_status status = tacho_index_init(&rows.index);
    if (status == TACHO_OK) {
        status = wants_maker(input) ? read_with_maker(&rows) : read_alone(&rows);
    }
    for (size_t i = 0; i < rows.lot_count; i++) {
        tacho_status_free(rows.lots[i].status);
        tacho_arena_deinit(&rows.lots[i].arena);
    }
    free(rows.lots);
    free(rows.tails);
    tacho_arena_deinit(&rows.tail_arena);
    tacho_index_deinit(&rows.index);
    return status;
}
