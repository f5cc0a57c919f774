/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading parts: every number is checked before use, so that a fleet read from a file can be merged
 * and shown like one made in this process. Keys are sorted and unique.
 */
#include "questions/fleet/fleet_part.h"
#include "questions/fleet/fleet_part_chunks.h"

#include "base/utf8.h"
#include "codec/protobuf.h"
#include "profile/vocabulary.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sums of a row and counts stay below these, so that sums of many parts fit. */
#define LONG_MAX_BITS 94
#define COUNT_MAX (UINT64_C(1) << 48)

/* A payload being read; after the first wrong value nothing more is read. */
typedef struct part_reader {
    tacho_fleet *fleet;
    tacho_pb_reader at;
    bool is_bad;
    uint64_t record_count;
} part_reader;

static uint64_t get_number(part_reader *self)
{
    uint64_t value = 0;
    tacho_status status = self->is_bad ? TACHO_OK : tacho_pb_read_varint(&self->at, &value);
    self->is_bad = self->is_bad || status != TACHO_OK;
    tacho_status_free(status);
    return self->is_bad ? 0 : value;
}

/* A number up to |most|. */
static uint64_t get_below(part_reader *self, uint64_t most)
{
    uint64_t value = get_number(self);
    self->is_bad = self->is_bad || value > most;
    return self->is_bad ? 0 : value;
}

static int64_t get_signed(part_reader *self)
{
    uint64_t value = get_number(self);
    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

static tacho_str get_bytes(part_reader *self)
{
    uint64_t len = get_below(self, (uint64_t)(self->at.end - self->at.at));
    tacho_str text = tacho_str_make((const char *)self->at.at, (size_t)len);
    self->is_bad =
        self->is_bad || len > (uint64_t)(self->at.end - self->at.at) || len > TACHO_FLEET_TEXT_MAX;
    self->at.at += self->is_bad ? 0 : len;
    return self->is_bad ? TACHO_STR("") : text;
}

static tacho_str get_text(part_reader *self)
{
    tacho_str text = get_bytes(self);
    self->is_bad = self->is_bad || !tacho_utf8_is_clean(text);
    return self->is_bad ? TACHO_STR("") : text;
}

static tacho_i128 get_long(part_reader *self)
{
    uint64_t low = get_below(self, INT64_MAX);
    int64_t high = get_signed(self);
    int64_t limit = INT64_C(1) << (LONG_MAX_BITS - 63);
    self->is_bad = self->is_bad || high >= limit || high < 0;
    return self->is_bad ? 0 : (tacho_i128)high << 63 | low;
}

/* A moment, or the distance between two. */
static int64_t get_time(part_reader *self)
{
    int64_t ns = get_signed(self);
    self->is_bad = self->is_bad || ns > TACHO_FLEET_TIME_MAX || ns < -TACHO_FLEET_TIME_MAX;
    return self->is_bad ? 0 : ns;
}

/* A rank or the number of ranks; one more still fits. */
static int64_t get_rank(part_reader *self, int64_t least)
{
    int64_t rank = get_signed(self);
    self->is_bad = self->is_bad || rank < least || rank > INT32_MAX;
    return self->is_bad ? least : rank;
}

static tacho_fleet_peak get_peak(part_reader *self)
{
    int64_t ns = get_signed(self);
    uint64_t file = get_number(self);
    self->is_bad = self->is_bad || ns < 0;
    return (tacho_fleet_peak){ns, file};
}

/* ---- durations ----------------------------------------------------------------------------- */

static tacho_status read_exact(part_reader *self, uint64_t count, tacho_durations *durations)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < count && !self->is_bad; i++) {
        last += get_below(self, INT64_MAX - last);
        TACHO_TRY(tacho_durations_add(durations, (int64_t)last));
    }
    return TACHO_OK;
}

static tacho_status read_buckets(part_reader *self, uint64_t count, tacho_durations *durations)
{
    const uint64_t last_bucket = TACHO_DURATIONS_OCTAVES * TACHO_DURATIONS_STEPS - 1;
    uint64_t next = 0;
    TACHO_TRY(tacho_durations_compact(durations));
    while (durations->count < count && !self->is_bad) {
        uint64_t bucket = get_below(self, last_bucket);
        uint64_t times = get_below(self, count - durations->count);
        self->is_bad = self->is_bad || bucket < next || times == 0;
        if (!self->is_bad) {
            next = bucket + 1;
            TACHO_TRY(tacho_durations_count(durations, (unsigned)(bucket / TACHO_DURATIONS_STEPS),
                                            (unsigned)(bucket % TACHO_DURATIONS_STEPS), times));
        }
    }
    return TACHO_OK;
}

static tacho_status read_durations(part_reader *self, tacho_durations *durations)
{
    bool is_exact = get_below(self, 1) == 1;
    uint64_t count = get_below(self, COUNT_MAX);
    return is_exact ? read_exact(self, count, durations) : read_buckets(self, count, durations);
}

/* ---- records ------------------------------------------------------------------------------- */

/* Whether |key| begins as a key of |table| must. */
static bool is_key_of(tacho_fleet_table_id table, tacho_str key)
{
    if (table == TACHO_FLEET_TABLE_OPS) {
        return key.len >= 2 && (unsigned char)key.data[0] < TACHO_ORIGIN_COUNT &&
               (unsigned char)key.data[1] < TACHO_TRACK_CLASS_COUNT &&
               tacho_utf8_is_clean(tacho_str_from(key, 2));
    }
    if (table == TACHO_FLEET_TABLE_FILES) {
        return key.len == TACHO_FLEET_ID_BYTES;
    }
    return table != TACHO_FLEET_TABLE_ENDS || key.len == TACHO_FLEET_ENDS_KEY_BYTES;
}

static tacho_status read_row(part_reader *self, tacho_fleet_table_id table, tacho_str key)
{
    tacho_durations durations;
    tacho_fleet_row row = {.location = TACHO_NONE};
    tacho_durations_init(&durations);
    row.count = get_below(self, COUNT_MAX);
    row.file_count = get_below(self, COUNT_MAX);
    row.total_ns = get_long(self);
    row.inner_ns = get_long(self);
    row.least = get_peak(self);
    row.most = get_peak(self);
    row.largest = get_peak(self);
    row.second = get_peak(self);
    uint64_t bytes = get_below(self, (uint64_t)INT64_MAX + 1);
    row.has_bytes = bytes > 0;
    row.bytes = row.has_bytes ? (int64_t)(bytes - 1) : 0;
    tacho_str location = get_text(self);
    tacho_status status = TACHO_OK;
    if (tacho_fleet_table_has_durations(table)) {
        row.durations = &durations;
        status = read_durations(self, &durations);
        self->is_bad = self->is_bad || durations.count != row.count;
    }
    bool may_be_empty = table == TACHO_FLEET_TABLE_FILES && row.file_count > 0;
    self->is_bad = self->is_bad || !is_key_of(table, key) || (row.count == 0 && !may_be_empty);
    if (status == TACHO_OK && !self->is_bad) {
        const tacho_fleet_amount amount = {.key = key, .row = &row, .location = location};
        status = tacho_fleet_add(self->fleet, table, &amount);
    }
    tacho_durations_deinit(&durations);
    return status;
}

static tacho_status read_device(part_reader *self, tacho_str key)
{
    tacho_fleet_device *device = NULL;
    bool is_key = key.len > TACHO_FLEET_ID_BYTES &&
                  (unsigned char)key.data[TACHO_FLEET_ID_BYTES] < TACHO_ORIGIN_COUNT &&
                  tacho_utf8_is_clean(tacho_str_from(key, TACHO_FLEET_ID_BYTES + 1));
    self->is_bad = self->is_bad || !is_key;
    if (self->is_bad) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_fleet_ensure_device(self->fleet, key, &device));
    for (size_t i = 0; i < TACHO_FLEET_NUMBER_COUNT; i++) {
        device->numbers[i] = get_signed(self);
        self->is_bad = self->is_bad || device->numbers[i] < 0;
    }
    return read_durations(self, &device->delays);
}

static tacho_status read_file(part_reader *self, tacho_str key)
{
    tacho_fleet_file *file = NULL;
    uint32_t texts[5] = {0};
    self->is_bad = self->is_bad || key.len <= TACHO_FLEET_ID_BYTES;
    if (self->is_bad) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_fleet_ensure_file(self->fleet, key, &file));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        /* Like paths, of which they may be pieces: file systems allow any bytes. */
        TACHO_TRY(tacho_fleet_text(self->fleet, get_bytes(self), &texts[i]));
    }
    file->run = texts[0];
    file->host = texts[1];
    file->format = texts[2];
    file->writer = texts[3];
    file->reason = texts[4];
    file->state = (tacho_fleet_state)get_below(self, TACHO_FLEET_STATE_COUNT - 1);
    file->rank = get_rank(self, -1);
    file->own_rank = get_rank(self, -1);
    file->world_size = get_rank(self, 0);
    file->span_count = get_below(self, COUNT_MAX);
    file->lost_count = get_below(self, COUNT_MAX);
    file->first_ns = get_time(self);
    file->end_ns = get_time(self);
    file->clock_step_ns = get_time(self);
    file->clock_offset_ns = get_time(self);
    file->clock_error_ns = get_time(self);
    return TACHO_OK;
}

/* ---- chunks -------------------------------------------------------------------------------- */

enum { LIST_FILES, LIST_DEVICES, LIST_ROWS };

static tacho_status read_record(part_reader *self, size_t list, tacho_str key)
{
    if (list == LIST_FILES) {
        return read_file(self, key);
    }
    return list == LIST_DEVICES ? read_device(self, key)
                                : read_row(self, (tacho_fleet_table_id)(list - LIST_ROWS), key);
}

static tacho_status read_list(part_reader *self, size_t list)
{
    uint64_t count = get_below(self, UINT32_MAX);
    tacho_str last = TACHO_STR("");
    for (uint64_t i = 0; i < count && !self->is_bad; i++) {
        tacho_str key = get_bytes(self);
        self->is_bad = self->is_bad || key.len == 0 || tacho_str_compare(last, key) >= 0;
        if (!self->is_bad) {
            TACHO_TRY(read_record(self, list, key));
        }
        last = key;
    }
    self->record_count += count;
    return TACHO_OK;
}

static uint32_t type_of_list(size_t list)
{
    if (list == LIST_FILES) {
        return TACHO_FLEET_CHUNK_FILES;
    }
    return list == LIST_DEVICES
               ? TACHO_FLEET_CHUNK_DEVICES
               : tacho_fleet_table_letters((tacho_fleet_table_id)(list - LIST_ROWS));
}

/* Reads the next chunk, which must be of |type| and sound. */
static tacho_status next_chunk(tacho_chunk_reader *chunks, uint32_t type, part_reader *self)
{
    tacho_chunk chunk;
    bool is_there = tacho_chunk_next(chunks, &chunk);
    if (!is_there || chunks->missing_count > 0 || chunks->damaged_bytes > 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "byte %" PRIu64 ": the part is cut off or damaged; make it again",
                          chunks->damaged_bytes > 0 ? chunks->first_damage : chunks->at);
    }
    if (chunk.version != TACHO_FLEET_PART_VERSION) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "a part of version %u; this tacho reads version %d; make it again",
                          chunk.version, TACHO_FLEET_PART_VERSION);
    }
    if (chunk.type != type) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "chunk %u: unexpected in this place; make it again",
                          chunk.sequence);
    }
    tacho_pb_reader_init(&self->at, chunk.payload);
    return TACHO_OK;
}

/* Checks that the chunk was read to its end without a wrong value. */
static tacho_status check_chunk(const part_reader *self)
{
    return self->is_bad || self->at.at != self->at.end
               ? tacho_fail(TACHO_CODE_BAD_DATA, "invalid number or text; make it again")
               : TACHO_OK;
}

/* Sections, then terms; these may hold paths, which are any bytes. */
static tacho_status read_head(part_reader *self)
{
    tacho_fleet *fleet = self->fleet;
    fleet->sections = (unsigned)get_below(self, TACHO_FLEET_ALL);
    TACHO_TRY(tacho_fleet_text(fleet, get_bytes(self), &fleet->window));
    TACHO_TRY(tacho_fleet_text(fleet, get_bytes(self), &fleet->reading));
    return tacho_fleet_text(fleet, get_bytes(self), &fleet->profile);
}

static tacho_status read_chunks(tacho_chunk_reader *chunks, part_reader *self)
{
    TACHO_TRY(next_chunk(chunks, TACHO_FLEET_CHUNK_HEAD, self));
    TACHO_TRY(read_head(self));
    TACHO_TRY(check_chunk(self));
    for (size_t list = 0; list < LIST_ROWS + TACHO_FLEET_TABLE_COUNT; list++) {
        TACHO_TRY(next_chunk(chunks, type_of_list(list), self));
        TACHO_TRY(read_list(self, list));
        TACHO_TRY(check_chunk(self));
    }
    TACHO_TRY(next_chunk(chunks, TACHO_FLEET_CHUNK_END, self));
    self->is_bad = get_number(self) != self->record_count;
    TACHO_TRY(check_chunk(self));
    return chunks->at == chunks->file.len
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "extra bytes after the end of the part; make it again");
}

tacho_status tacho_fleet_read(tacho_fleet *fleet, tacho_str bytes)
{
    tacho_chunk_reader chunks;
    part_reader self = {.fleet = fleet};
    TACHO_TRY(tacho_fleet_init(fleet, 0));
    TACHO_TRY(tacho_chunk_open(&chunks, bytes, TACHO_FLEET_CHUNK_FILE_KIND));
    return read_chunks(&chunks, &self);
}
