/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A maker fills batches, the caller takes their rows. Alone they take turns, and lines stay where
 * the input shows them. With a thread the maker works ahead through a ring of batches, each with a
 * copy of its lines.
 */
#include "sources/torq/torq_rows.h"

#include "base/arena.h"
#include "base/cpu.h"
#include "base/grow.h"
#include "base/index.h"
#include "sources/torq/torq_text.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    BATCH_ROWS = 64,
    BATCH_BYTES = 8 << 10, /* of copied lines; where they are longer they go to the arena */
    RING_BATCHES = 64,
    TAIL_BYTES_MAX = 4096,
    TAIL_COUNT_MAX = 1 << 20,
    THREAD_BYTES_MIN = 4 << 20, /* of input that is worth a thread */
};

typedef struct batch {
    tacho_status status; /* why it is the last, behind its rows */
    bool is_last;
    size_t row_count;
    tacho_arena arena; /* of lines for which |text| has no room */
    torq_record rows[BATCH_ROWS];
    char text[BATCH_BYTES];
} batch;

typedef struct torq_rows {
    tacho_input *input;
    const torq_rows_format *format;
    tacho_index index;
    torq_tail **tails; /* by the ids of the index */
    size_t tail_count, tail_capacity;
    tacho_arena tail_arena;
    bool copies_lines;
    /* The ring, where there is a thread. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t made_count, taken_count;
    bool is_made;    /* there will be no more batches */
    bool is_stopped; /* the caller has had enough */
    size_t batch_count;
    batch *batches;
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
        record->line = line;
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

/*
 * Puts the lines where they stay as long as the batch, and the tails with them. They follow one
 * another in the input. Where there is no memory for them, the batch has none.
 */
static tacho_status copy_lines(batch *made)
{
    size_t count = made->row_count;
    if (count == 0) {
        return TACHO_OK;
    }
    const char *from = made->rows[0].line.data;
    tacho_str last = made->rows[count - 1].line;
    size_t len = (size_t)(last.data + last.len - from);
    char *copy = made->text;
    made->row_count = 0;
    if (TACHO_UNLIKELY(len > BATCH_BYTES)) {
        TACHO_TRY(tacho_arena_alloc_bytes(&made->arena, len, &copy));
    }
    memcpy(copy, from, len);
    for (size_t i = 0; i < count; i++) {
        torq_record *record = &made->rows[i];
        record->line.data = copy + (record->line.data - from);
        if (TACHO_LIKELY(record->is_good)) {
            record->tail.data = copy + (record->tail.data - from);
        }
    }
    made->row_count = count;
    return TACHO_OK;
}

static void hash_tails(const torq_rows *rows, batch *made)
{
    const tacho_index *index = &rows->index;
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        record->tail_hash = 0;
        if (TACHO_LIKELY(record->is_good)) {
            record->tail_hash = tacho_index_hash(index, record->tail);
            __builtin_prefetch(&index->slots[tacho_index_begin(index, record->tail_hash)]);
        }
    }
}

static tacho_status make_rows(torq_rows *rows, batch *made)
{
    tacho_status status = find_lines(rows, made);
    rows->format->parse(rows->format->self, made->rows, made->row_count, rows->input->limit);
    tacho_status copying = rows->copies_lines ? copy_lines(made) : TACHO_OK;
    if (status != TACHO_OK) {
        tacho_status_free(copying);
        copying = status;
    }
    hash_tails(rows, made);
    return copying;
}

/* Asks for the texts that finding the tails of a batch will look at: mostly the first of a hash. */
static void fetch_tails(const torq_rows *rows, batch *made)
{
    const tacho_index *index = &rows->index;
    for (size_t i = 0; i < made->row_count; i++) {
        torq_record *record = &made->rows[i];
        uint32_t hash = record->tail_hash;
        tacho_index_slot slot = index->slots[tacho_index_begin(index, hash)];
        record->known = NULL;
        if (TACHO_LIKELY(slot.hash == hash && slot.id < rows->tail_count)) {
            record->known = rows->tails[slot.id];
            __builtin_prefetch(record->known);
            __builtin_prefetch((const char *)record->known +
                               TORQ_CACHE_LINE); /* where most texts end */
        }
    }
}

static tacho_status add_tail(torq_rows *rows, torq_record *record)
{
    void *memory = NULL;
    if (record->tail.len > TAIL_BYTES_MAX || rows->tail_count == TAIL_COUNT_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&rows->tails, &rows->tail_capacity, rows->tail_count + 1));
    TACHO_TRY(tacho_arena_alloc(&rows->tail_arena, sizeof(torq_tail) + record->tail.len, &memory));
    TACHO_TRY(tacho_index_add(&rows->index, record->tail_hash, (uint32_t)rows->tail_count));
    torq_tail *tail = memory;
    tail->entry = (torq_entry){.site = TACHO_NONE};
    tail->len = (uint32_t)record->tail.len;
    memcpy(tail->text, record->tail.data, record->tail.len);
    rows->tails[rows->tail_count++] = tail;
    record->known = tail;
    return TACHO_OK;
}

static inline bool is_tail(const torq_tail *tail, tacho_str text)
{
    return tail->len == text.len && memcmp(tail->text, text.data, text.len) == 0;
}

static tacho_status find_tail(torq_rows *rows, torq_record *record)
{
    record->known = NULL;
    size_t at = tacho_index_begin(&rows->index, record->tail_hash);
    for (uint32_t id;
         (id = tacho_index_next(&rows->index, record->tail_hash, &at)) != TACHO_NONE;) {
        if (TACHO_LIKELY(is_tail(rows->tails[id], record->tail))) {
            record->known = rows->tails[id];
            return TACHO_OK;
        }
    }
    return add_tail(rows, record);
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
        } else if (TACHO_UNLIKELY(record->known == NULL || !is_tail(record->known, record->tail))) {
            status = find_tail(rows, record);
        }
        if (TACHO_UNLIKELY(status != TACHO_OK)) {
            made->row_count = i;
        }
    }
    return status;
}

static void make_batch(torq_rows *rows, batch *made)
{
    made->row_count = 0;
    made->is_last = false;
    tacho_arena_reset(&made->arena);
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

static tacho_status take_batch(torq_rows *rows, batch *made)
{
    const torq_rows_format *format = rows->format;
    TACHO_TRY(format->take(format->self, made->rows, made->row_count));
    TACHO_TRY(format->end_batch(format->self));
    tacho_status status = made->status;
    made->status = TACHO_OK;
    return status;
}

static tacho_status read_alone(torq_rows *rows)
{
    batch *made = rows->batches;
    do {
        make_batch(rows, made);
        TACHO_TRY(take_batch(rows, made));
    } while (!made->is_last);
    return TACHO_OK;
}

/* ---- with a thread ---------------------------------------------------------------------- */

/*
 * Neither wakes the other for a single batch: a maker that has filled the ring waits until half of
 * it is free, a taker that has emptied it until a quarter is full.
 */
static bool wait_for_room(torq_rows *rows, uint64_t count)
{
    pthread_mutex_lock(&rows->lock);
    rows->made_count = count;
    if (count - rows->taken_count >= rows->batch_count / 4) {
        pthread_cond_signal(&rows->changed);
    }
    if (count - rows->taken_count == rows->batch_count) {
        while (count - rows->taken_count > rows->batch_count / 2 && !rows->is_stopped) {
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
        batch *made = &rows->batches[count++ % rows->batch_count];
        make_batch(rows, made);
        if (made->is_last) {
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

/* Gives the batches before |count| back and waits for that one. */
static void wait_for_batch(torq_rows *rows, uint64_t count)
{
    pthread_mutex_lock(&rows->lock);
    rows->taken_count = count;
    if (rows->made_count - count <= rows->batch_count / 2) {
        pthread_cond_signal(&rows->changed);
    }
    if (rows->made_count == count) {
        while (rows->made_count - count < rows->batch_count / 4 && !rows->is_made) {
            pthread_cond_wait(&rows->changed, &rows->lock);
        }
    }
    pthread_mutex_unlock(&rows->lock);
}

static tacho_status take_all(torq_rows *rows)
{
    for (uint64_t count = 0;; count++) {
        wait_for_batch(rows, count);
        batch *made = &rows->batches[count % rows->batch_count];
        TACHO_TRY(take_batch(rows, made));
        if (made->is_last) {
            return TACHO_OK;
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

static tacho_status read_with_maker(torq_rows *rows)
{
    pthread_t maker;
    rows->copies_lines = true;
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

static tacho_status read_rows(torq_rows *rows)
{
    bool with_maker = wants_maker(rows->input);
    rows->batch_count = with_maker ? RING_BATCHES : 1;
    rows->batches = aligned_alloc(alignof(batch), rows->batch_count * sizeof(*rows->batches));
    if (rows->batches == NULL) {
        rows->batch_count = 0;
        return tacho_no_memory();
    }
    for (size_t i = 0; i < rows->batch_count; i++) {
        rows->batches[i].status = TACHO_OK;
        tacho_arena_init(&rows->batches[i].arena);
    }
    TACHO_TRY(tacho_index_init(&rows->index));
    return with_maker ? read_with_maker(rows) : read_alone(rows);
}

tacho_status torq_rows_read(tacho_input *input, const torq_rows_format *format)
{
    torq_rows rows = {.input = input, .format = format};
    tacho_arena_init(&rows.tail_arena);
    tacho_status status = read_rows(&rows);
    for (size_t i = 0; i < rows.batch_count; i++) {
        tacho_status_free(rows.batches[i].status);
        tacho_arena_deinit(&rows.batches[i].arena);
    }
    free(rows.batches);
    free(rows.tails);
    tacho_arena_deinit(&rows.tail_arena);
    tacho_index_deinit(&rows.index);
    return status;
}
