/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External merge sort of packed rows. Runs are merged FAN_IN at a time; more runs than that are
 * first merged into longer ones, in a second temporary file. While there are few runs, the last one
 * stays in the buffer.
 */
#include "profile/spool.h"

#include "base/grow.h"
#include "base/tempfile.h"
#include "profile/packed_row.h"

#include <assert.h>
#include <stdlib.h>

enum {
    FAN_IN = 64,
    READER_BYTES = 128 << 10,
    FIRST_BYTES = 512 << 10,
    READERS_PART = 8, /* while readers take less than this part of the buffer's memory, both stay */
};

/* An entry that the sort moves instead of a row. */
typedef struct sort_entry {
    int64_t key;
    size_t offset; /* of the packed row in the buffer */
} sort_entry;

typedef struct run {
    uint64_t offset; /* in the temporary file, or IN_BUFFER */
    uint64_t end;
} run;

#define IN_BUFFER UINT64_MAX

/* Reads one run front to back; the current row is at bytes + at, or is that of |entry|. */
typedef struct run_reader {
    const sort_entry *entry; /* of a run in the buffer; else NULL */
    const sort_entry *entry_end;
    unsigned char *bytes;
    size_t capacity;
    size_t at;
    size_t len;
    run rest; /* the unread remainder */
} run_reader;

struct tacho_spool {
    const tacho_dict *dict;
    unsigned char *buffer;
    size_t buffer_used;
    size_t buffer_capacity;
    size_t memory_bytes;
    sort_entry *entries;
    size_t entry_count, entry_capacity;
    sort_entry *scratch;
    size_t scratch_capacity;
    run *runs;
    size_t run_count, run_capacity;
    bool is_sorted; /* no row is added from here on */
    tacho_tempfile file;
    run_reader readers[FAN_IN];
    tacho_unpacked_args args_a;
    tacho_unpacked_args args_b;
    tacho_status failure; /* met inside a comparison, where it cannot be returned */
};

/* Where merged rows go: on to the next stage, or into a longer run. */
typedef tacho_status (*emit_function)(tacho_spool *spool, const tacho_packed_row *row, void *to);

tacho_status tacho_spool_create(const tacho_dict *dict, size_t memory_bytes,
                                tacho_spool **out_spool)
{
    tacho_spool *spool = calloc(1, sizeof(*spool));
    if (spool == NULL) {
        return tacho_no_memory();
    }
    spool->dict = dict;
    spool->memory_bytes = memory_bytes;
    spool->file.fd = -1;
    *out_spool = spool;
    return TACHO_OK;
}

static void free_readers(tacho_spool *spool)
{
    for (size_t i = 0; i < FAN_IN; i++) {
        free(spool->readers[i].bytes);
        spool->readers[i] = (run_reader){0};
    }
}

void tacho_spool_destroy(tacho_spool *spool)
{
    if (spool == NULL) {
        return;
    }
    free_readers(spool);
    tacho_tempfile_close(&spool->file);
    tacho_status_free(spool->failure);
    free(spool->args_a.items);
    free(spool->args_b.items);
    free(spool->runs);
    free(spool->scratch);
    free(spool->entries);
    free(spool->buffer);
    free(spool);
}

/* Departing flows are first, then arriving ones, then other rows, on all tracks alike. */
static int kind_rank(const tacho_packed_row *packed)
{
    tacho_row row = {.kind = (tacho_row_kind)packed->kind};
    memcpy(&row.of, packed->payload, sizeof(row.of));
    return tacho_row_rank(&row);
}

/*
 * Rows of equal key: by rank, then by track, then in track order. Rare, so unpacking is
 * affordable.
 */
static int compare_equal_keys(tacho_spool *spool, const tacho_packed_row *a,
                              const tacho_packed_row *b)
{
    int rank_order = kind_rank(a) - kind_rank(b);
    if (rank_order != 0) {
        return rank_order;
    }
    if (a->track != b->track) {
        return a->track < b->track ? -1 : 1;
    }
    tacho_row row_a;
    tacho_row row_b;
    tacho_status status = tacho_packed_row_read(a, &spool->args_a, &row_a);
    if (status == TACHO_OK) {
        status = tacho_packed_row_read(b, &spool->args_b, &row_b);
    }
    if (status != TACHO_OK) {
        spool->failure = tacho_status_first(spool->failure, status);
        return 0;
    }
    return tacho_row_compare(spool->dict, &row_a, &row_b);
}

static const tacho_packed_row *buffered_row(const tacho_spool *spool, const sort_entry *entry)
{
    return (const tacho_packed_row *)(const void *)(spool->buffer + entry->offset);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- sorting the buffer ----------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS };

/* One pass of a radix sort: orders |from| by one digit of key - |base|, keeping equal ones. */
static void sort_by_digit(const sort_entry *from, sort_entry *to, size_t count, uint64_t base,
                          unsigned shift)
{
    size_t places[DIGIT_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        places[((uint64_t)from[i].key - base) >> shift & (DIGIT_COUNT - 1)]++;
    }
    size_t next = 0;
    for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
        size_t digit_count = places[digit];
        places[digit] = next;
        next += digit_count;
    }
    for (size_t i = 0; i < count; i++) {
        to[places[((uint64_t)from[i].key - base) >> shift & (DIGIT_COUNT - 1)]++] = from[i];
    }
}

static void swap_scratch(tacho_spool *spool)
{
    sort_entry *entries = spool->entries;
    size_t capacity = spool->entry_capacity;
    spool->entries = spool->scratch;
    spool->entry_capacity = spool->scratch_capacity;
    spool->scratch = entries;
    spool->scratch_capacity = capacity;
}

/* By key alone, only as many digits as the keys differ in. */
static void sort_by_key(tacho_spool *spool)
{
    int64_t lowest = INT64_MAX;
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < spool->entry_count; i++) {
        int64_t key = spool->entries[i].key;
        lowest = key < lowest ? key : lowest;
        highest = key > highest ? key : highest;
    }
    uint64_t range = spool->entry_count > 0 ? (uint64_t)highest - (uint64_t)lowest : 0;
    for (unsigned shift = 0; shift < 64 && range >> shift != 0; shift += DIGIT_BITS) {
        sort_by_digit(spool->entries, spool->scratch, spool->entry_count, (uint64_t)lowest, shift);
        swap_scratch(spool);
    }
}

/* Whether the row of |b| must precede that of |a|, their keys being equal. */
static bool is_reversed(tacho_spool *spool, const sort_entry *a, const sort_entry *b)
{
    return compare_equal_keys(spool, buffered_row(spool, a), buffered_row(spool, b)) > 0;
}

/* Merges [begin, begin + width) and the as many that follow into the scratch. */
static void merge_halves(tacho_spool *spool, size_t begin, size_t width, size_t limit)
{
    const sort_entry *from = spool->entries;
    size_t left = begin;
    size_t middle = least(begin + width, limit);
    size_t right = middle;
    size_t end = least(begin + 2 * width, limit);
    for (size_t at = begin; at < end; at++) {
        bool take_right =
            left == middle || (right < end && is_reversed(spool, &from[left], &from[right]));
        spool->scratch[at] = take_right ? from[right++] : from[left++];
    }
}

/* Bottom-up merge sort of [begin, end), whose keys are equal. */
static void sort_equal_keys(tacho_spool *spool, size_t begin, size_t end)
{
    for (size_t width = 1; width < end - begin; width *= 2) {
        for (size_t at = begin; at < end; at += 2 * width) {
            merge_halves(spool, at, width, end);
        }
        memcpy(spool->entries + begin, spool->scratch + begin, (end - begin) * sizeof(sort_entry));
    }
}

static tacho_status sort_entries(tacho_spool *spool)
{
    TACHO_TRY(tacho_grow(&spool->scratch, &spool->scratch_capacity, spool->entry_count));
    sort_by_key(spool);
    for (size_t begin = 0, end = 0; begin < spool->entry_count; begin = end) {
        for (end = begin + 1; end < spool->entry_count; end++) {
            if (spool->entries[end].key != spool->entries[begin].key) {
                break;
            }
        }
        if (end - begin > 1) {
            sort_equal_keys(spool, begin, end);
        }
    }
    tacho_status failure = spool->failure;
    spool->failure = TACHO_OK;
    return failure;
}

/* ---- runs ------------------------------------------------------------------------------- */

/* Collects small writes to the temporary file. */
typedef struct run_writer {
    tacho_tempfile *file;
    unsigned char *bytes;
    size_t used;
} run_writer;

static tacho_status flush_writer(run_writer *writer)
{
    tacho_status status = tacho_tempfile_append(writer->file, writer->bytes, writer->used);
    writer->used = 0;
    return status;
}

static tacho_status write_packed(tacho_spool *spool, const tacho_packed_row *row, void *to)
{
    (void)spool;
    run_writer *writer = to;
    if (writer->used + row->size_bytes > READER_BYTES) {
        TACHO_TRY(flush_writer(writer));
    }
    if (row->size_bytes > READER_BYTES) {
        return tacho_tempfile_append(writer->file, row, row->size_bytes);
    }
    memcpy(writer->bytes + writer->used, row, row->size_bytes);
    writer->used += row->size_bytes;
    return TACHO_OK;
}

static tacho_status add_run(run **runs, size_t *count, size_t *capacity, run added)
{
    TACHO_TRY(tacho_grow(runs, capacity, *count + 1));
    (*runs)[(*count)++] = added;
    return TACHO_OK;
}

static tacho_status write_sorted(tacho_spool *spool, run_writer *writer)
{
    for (size_t i = 0; i < spool->entry_count; i++) {
        TACHO_TRY(write_packed(spool, buffered_row(spool, &spool->entries[i]), writer));
    }
    return flush_writer(writer);
}

/* Sorts the buffer and appends it to the temporary file. */
static tacho_status write_run(tacho_spool *spool)
{
    TACHO_TRY(sort_entries(spool));
    if (spool->file.fd < 0) {
        TACHO_TRY(tacho_tempfile_open(&spool->file));
    }
    run_writer writer = {&spool->file, malloc(READER_BYTES), 0};
    if (writer.bytes == NULL) {
        return tacho_no_memory();
    }
    uint64_t begin = spool->file.size_bytes;
    tacho_status status = write_sorted(spool, &writer);
    free(writer.bytes);
    TACHO_TRY(status);
    spool->buffer_used = 0;
    spool->entry_count = 0;
    return add_run(&spool->runs, &spool->run_count, &spool->run_capacity,
                   (run){begin, spool->file.size_bytes});
}

/*
 * Room for |need| bytes. A buffer that gets large gets all of its memory, or a good deal of that,
 * at once: growing it by and by touches twice the memory, a page at a time.
 */
static tacho_status grow_buffer(tacho_spool *spool, size_t need)
{
    size_t large = least(spool->memory_bytes, TACHO_SPOOL_DEFAULT_BYTES);
    bool is_large = need > FIRST_BYTES && need < large;
    return need <= spool->buffer_capacity
               ? TACHO_OK
               : tacho_grow(&spool->buffer, &spool->buffer_capacity, is_large ? large : need);
}

tacho_status tacho_spool_add(tacho_spool *spool, const tacho_row *row)
{
    size_t bound = 0;
    assert(!spool->is_sorted);
    TACHO_TRY(tacho_packed_row_bound(row, &bound));
    if (spool->buffer_used + bound > spool->memory_bytes && spool->entry_count > 0) {
        TACHO_TRY(write_run(spool));
    }
    TACHO_TRY(grow_buffer(spool, spool->buffer_used + bound));
    TACHO_TRY(tacho_grow(&spool->entries, &spool->entry_capacity, spool->entry_count + 1));
    /* By start: tracks of one part tick alike, and a spool holds one part at a time. */
    spool->entries[spool->entry_count++] = (sort_entry){row->start, spool->buffer_used};
    spool->buffer_used += tacho_packed_row_write(row, spool->buffer + spool->buffer_used);
    return TACHO_OK;
}

static const tacho_packed_row *filed_row(const run_reader *reader)
{
    return (const tacho_packed_row *)(const void *)(reader->bytes + reader->at);
}

/* Keeps the unread bytes and fills the rest of the buffer. */
static tacho_status fill_reader(tacho_spool *spool, run_reader *reader)
{
    memmove(reader->bytes, reader->bytes + reader->at, reader->len - reader->at);
    reader->len -= reader->at;
    reader->at = 0;
    size_t room = reader->capacity - reader->len;
    uint64_t left = reader->rest.end - reader->rest.offset;
    size_t part = left < room ? (size_t)left : room;
    TACHO_TRY(
        tacho_tempfile_read(&spool->file, reader->rest.offset, reader->bytes + reader->len, part));
    reader->rest.offset += part;
    reader->len += part;
    return TACHO_OK;
}

/* Makes the whole next row of the file visible; at == len afterwards means that there is none. */
static tacho_status ready_reader(tacho_spool *spool, run_reader *reader)
{
    size_t visible = reader->len - reader->at;
    if (visible >= sizeof(tacho_packed_row) && visible >= filed_row(reader)->size_bytes) {
        return TACHO_OK;
    }
    TACHO_TRY(fill_reader(spool, reader));
    if (reader->len > 0 && filed_row(reader)->size_bytes > reader->len) {
        TACHO_TRY(tacho_grow(&reader->bytes, &reader->capacity, filed_row(reader)->size_bytes));
        return fill_reader(spool, reader);
    }
    return TACHO_OK;
}

static tacho_status open_reader(tacho_spool *spool, run_reader *reader, run source)
{
    if (source.offset == IN_BUFFER) {
        reader->entry = spool->entries;
        reader->entry_end = spool->entries + spool->entry_count;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&reader->bytes, &reader->capacity, READER_BYTES));
    reader->at = 0;
    reader->len = 0;
    reader->rest = source;
    return ready_reader(spool, reader);
}

/* A reader in the merge; its row's key is kept here, where comparing it costs no cache miss. */
typedef struct merge_item {
    int64_t key;
    const tacho_packed_row *row; /* NULL when the run is finished */
    size_t reader;
} merge_item;

/* The row that the reader of |item| is at. */
static void set_item(const tacho_spool *spool, merge_item *item)
{
    const run_reader *reader = &spool->readers[item->reader];
    if (reader->entry != NULL) {
        bool is_finished = reader->entry == reader->entry_end;
        item->row = is_finished ? NULL : buffered_row(spool, reader->entry);
    } else {
        item->row = reader->at == reader->len ? NULL : filed_row(reader);
    }
    item->key = item->row != NULL ? item->row->start : 0;
}

/* Goes on to the next row of a run. */
static tacho_status advance_item(tacho_spool *spool, merge_item *item)
{
    run_reader *reader = &spool->readers[item->reader];
    if (reader->entry != NULL) {
        reader->entry++;
    } else {
        reader->at += item->row->size_bytes;
        TACHO_TRY(ready_reader(spool, reader));
    }
    set_item(spool, item);
    return TACHO_OK;
}

/* Whether the row of |a| follows that of |b|; equal rows keep the order of runs. */
static bool item_after(tacho_spool *spool, const merge_item *a, const merge_item *b)
{
    if (TACHO_LIKELY(a->key != b->key)) {
        return a->key > b->key;
    }
    int order = compare_equal_keys(spool, a->row, b->row);
    return order != 0 ? order > 0 : a->reader > b->reader;
}

static void sift_down(tacho_spool *spool, merge_item *heap, size_t heap_count, size_t at)
{
    merge_item moved = heap[at];
    for (size_t child = 2 * at + 1; child < heap_count; child = 2 * at + 1) {
        if (child + 1 < heap_count && item_after(spool, &heap[child], &heap[child + 1])) {
            child++;
        }
        if (!item_after(spool, &moved, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Emits the rows of |run_count| <= FAN_IN runs in order. */
static tacho_status merge_runs(tacho_spool *spool, const run *runs, size_t run_count,
                               emit_function emit, void *to)
{
    merge_item heap[FAN_IN];
    for (size_t i = 0; i < run_count; i++) {
        TACHO_TRY(open_reader(spool, &spool->readers[i], runs[i]));
        heap[i] = (merge_item){.reader = i};
        set_item(spool, &heap[i]);
    }
    size_t heap_count = run_count;
    for (size_t i = heap_count / 2; i-- > 0;) {
        sift_down(spool, heap, heap_count, i);
    }
    while (heap_count > 0) {
        TACHO_TRY(emit(spool, heap[0].row, to));
        TACHO_TRY(advance_item(spool, &heap[0]));
        if (heap[0].row == NULL) {
            heap[0] = heap[--heap_count];
        }
        if (heap_count > 0) {
            sift_down(spool, heap, heap_count, 0);
        }
    }
    tacho_status failure = spool->failure;
    spool->failure = TACHO_OK;
    return failure;
}

/* Merges groups of FAN_IN runs into one run each, in a new temporary file. */
static tacho_status merge_groups(tacho_spool *spool, run_writer *writer)
{
    size_t merged_count = 0;
    for (size_t first = 0; first < spool->run_count; first += FAN_IN) {
        size_t count = least(FAN_IN, spool->run_count - first);
        uint64_t begin = writer->file->size_bytes;
        TACHO_TRY(merge_runs(spool, &spool->runs[first], count, write_packed, writer));
        TACHO_TRY(flush_writer(writer));
        spool->runs[merged_count++] = (run){begin, writer->file->size_bytes};
    }
    spool->run_count = merged_count;
    return TACHO_OK;
}

static tacho_status merge_runs_once(tacho_spool *spool)
{
    tacho_tempfile longer;
    TACHO_TRY(tacho_tempfile_open(&longer));
    run_writer writer = {&longer, malloc(READER_BYTES), 0};
    tacho_status status = writer.bytes != NULL ? merge_groups(spool, &writer) : tacho_no_memory();
    free(writer.bytes);
    tacho_tempfile_close(&spool->file);
    spool->file = longer;
    return status;
}

static tacho_status push_packed(tacho_spool *spool, const tacho_packed_row *packed, void *to)
{
    tacho_row row;
    TACHO_TRY(tacho_packed_row_read(packed, &spool->args_a, &row));
    return tacho_events_row(to, &row);
}

static tacho_status push_buffer(tacho_spool *spool, tacho_events *next)
{
    TACHO_TRY(spool->is_sorted ? TACHO_OK : sort_entries(spool));
    spool->is_sorted = true;
    for (size_t i = 0; i < spool->entry_count; i++) {
        TACHO_TRY(push_packed(spool, buffered_row(spool, &spool->entries[i]), next));
    }
    return TACHO_OK;
}

/* Gives back the memory of rows that are in the buffer no longer. */
static void release_buffer(tacho_spool *spool)
{
    free(spool->buffer);
    free(spool->entries);
    free(spool->scratch);
    spool->buffer = NULL;
    spool->entries = spool->scratch = NULL;
    spool->buffer_capacity = spool->entry_capacity = spool->scratch_capacity = 0;
}

/* The rows in the buffer become the last run. */
static tacho_status end_runs(tacho_spool *spool)
{
    size_t few = spool->memory_bytes / (READERS_PART * READER_BYTES);
    if (spool->entry_count > 0 && spool->run_count < few) {
        TACHO_TRY(sort_entries(spool));
        return add_run(&spool->runs, &spool->run_count, &spool->run_capacity,
                       (run){IN_BUFFER, IN_BUFFER});
    }
    TACHO_TRY(spool->entry_count > 0 ? write_run(spool) : TACHO_OK);
    release_buffer(spool); /* the readers take it */
    return TACHO_OK;
}

static tacho_status push_runs(tacho_spool *spool, tacho_events *next)
{
    TACHO_TRY(spool->is_sorted ? TACHO_OK : end_runs(spool));
    spool->is_sorted = true;
    while (spool->run_count > FAN_IN) {
        TACHO_TRY(merge_runs_once(spool));
    }
    return merge_runs(spool, spool->runs, spool->run_count, push_packed, next);
}

tacho_status tacho_spool_replay(tacho_spool *spool, tacho_events *next)
{
    return spool->run_count == 0 ? push_buffer(spool, next) : push_runs(spool, next);
}

tacho_status tacho_spool_drain(tacho_spool *spool, tacho_events *next)
{
    TACHO_TRY(tacho_spool_replay(spool, next));
    if (spool->run_count > 0) {
        free_readers(spool);
        spool->run_count = 0;
        tacho_tempfile_close(&spool->file);
    }
    spool->buffer_used = 0;
    spool->entry_count = 0;
    spool->is_sorted = false;
    if (spool->buffer_capacity > FIRST_BYTES) { /* later stages need memory to process the part */
        release_buffer(spool);
    }
    return TACHO_OK;
}
