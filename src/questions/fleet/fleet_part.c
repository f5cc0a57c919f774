/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing parts. A chunk for the files, one for the devices, one per table, and an end chunk. All
 * numbers are varints, signed ones zigzag; texts are preceded by their length.
 */
#include "questions/fleet/fleet_part.h"
#include "questions/fleet/fleet_part_chunks.h"

#include "base/grow.h"
#include "codec/protobuf.h"

#include <stdlib.h>

/* A payload as it grows; the first failure sticks. */
typedef struct payload {
    unsigned char *bytes;
    size_t byte_count, byte_capacity;
    tacho_status failure;
} payload;

static unsigned char *reserve(payload *to, size_t len)
{
    if (to->failure == TACHO_OK) {
        to->failure = tacho_grow(&to->bytes, &to->byte_capacity, to->byte_count + len);
    }
    return to->failure == TACHO_OK ? to->bytes + to->byte_count : NULL;
}

static void put_number(payload *to, uint64_t value)
{
    unsigned char *at = reserve(to, TACHO_PB_VARINT_MAX);
    if (at != NULL) {
        to->byte_count = (size_t)(tacho_pb_put_varint(at, value) - to->bytes);
    }
}

static void put_signed(payload *to, int64_t value)
{
    put_number(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_text(payload *to, tacho_str text)
{
    put_number(to, text.len);
    unsigned char *at = reserve(to, text.len);
    if (at != NULL && text.len > 0) {
        memcpy(at, text.data, text.len);
        to->byte_count += text.len;
    }
}

/* Low 63 bits, then the rest. */
static void put_long(payload *to, tacho_i128 value)
{
    put_number(to, (uint64_t)value & INT64_MAX);
    put_signed(to, (int64_t)(value >> 63));
}

static void put_peak(payload *to, tacho_fleet_peak peak)
{
    put_signed(to, peak.ns);
    put_number(to, peak.file);
}

/* ---- records ------------------------------------------------------------------------------- */

/* Exact values as differences; buckets as octave, step and count. */
static void put_durations(payload *to, const tacho_durations *durations)
{
    put_number(to, durations->is_exact ? 1 : 0);
    put_number(to, durations->count);
    int64_t last = 0;
    for (uint64_t i = 0; i < durations->count && durations->is_exact; i++) {
        put_number(to, (uint64_t)(durations->values[i] - last));
        last = durations->values[i];
    }
    for (unsigned octave = 0; octave < TACHO_DURATIONS_OCTAVES && !durations->is_exact; octave++) {
        for (unsigned step = 0; step < TACHO_DURATIONS_STEPS; step++) {
            const uint64_t *counts = tacho_durations_octave(durations, octave);
            if (counts != NULL && counts[step] > 0) {
                put_number(to, octave * TACHO_DURATIONS_STEPS + step);
                put_number(to, counts[step]);
            }
        }
    }
}

static void put_row(payload *to, const tacho_fleet *fleet, const tacho_fleet_row *row)
{
    put_number(to, row->count);
    put_number(to, row->file_count);
    put_long(to, row->total_ns);
    put_long(to, row->inner_ns);
    put_peak(to, row->least);
    put_peak(to, row->most);
    put_peak(to, row->largest);
    put_peak(to, row->second);
    put_number(to, row->has_bytes ? (uint64_t)row->bytes + 1 : 0);
    put_text(to, row->location != TACHO_NONE ? tacho_strings_get(&fleet->texts, row->location)
                                             : TACHO_STR(""));
    if (row->durations != NULL) {
        put_durations(to, row->durations);
    }
}

static void put_device(payload *to, const tacho_fleet_device *device)
{
    for (size_t i = 0; i < TACHO_FLEET_NUMBER_COUNT; i++) {
        put_signed(to, device->numbers[i]);
    }
    put_durations(to, &device->delays);
}

static void put_file(payload *to, const tacho_fleet *fleet, const tacho_fleet_file *file)
{
    const uint32_t texts[] = {file->run, file->host, file->format, file->writer, file->reason};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        put_text(to, tacho_strings_get(&fleet->texts, texts[i]));
    }
    put_number(to, (uint64_t)file->state);
    put_signed(to, file->rank);
    put_signed(to, file->own_rank);
    put_signed(to, file->world_size);
    put_number(to, file->span_count);
    put_number(to, file->lost_count);
    put_signed(to, file->first_ns);
    put_signed(to, file->end_ns);
    put_signed(to, file->clock_step_ns);
    put_signed(to, file->clock_offset_ns);
    put_signed(to, file->clock_error_ns);
}

/* ---- chunks -------------------------------------------------------------------------------- */

typedef struct part_writer {
    const tacho_fleet *fleet;
    tacho_chunk_writer chunks;
    uint64_t record_count; /* of all chunks so far */
} part_writer;

/* Writes and empties |from|. */
static tacho_status end_chunk(part_writer *self, uint32_t type, payload *from)
{
    tacho_status status = from->failure;
    if (status == TACHO_OK && from->byte_count > tacho_chunk_bytes_max) {
        status = tacho_fail(TACHO_CODE_UNSUPPORTED, "a part of more than 1 GiB; use fewer files");
    }
    if (status == TACHO_OK) {
        const tacho_chunk chunk = {
            .type = type,
            .version = TACHO_FLEET_PART_VERSION,
            .record_size = 1,
            .record_count = (uint32_t)from->byte_count,
            .payload = tacho_str_make((const char *)from->bytes, from->byte_count),
        };
        tacho_chunk_write(&self->chunks, &chunk);
    }
    free(from->bytes);
    return status;
}

/* Writes a record, after its key. */
typedef void (*record_putter)(payload *to, const tacho_fleet *fleet, const void *records,
                              size_t index);

typedef struct record_list {
    uint32_t type;
    const tacho_strings *keys;
    const void *records;
    size_t record_count;
    record_putter put;
} record_list;

static tacho_status write_list(part_writer *self, const record_list *list)
{
    payload to = {0};
    uint32_t *order = NULL;
    TACHO_TRY(tacho_fleet_order(list->keys, list->record_count, &order));
    put_number(&to, list->record_count);
    for (size_t i = 0; i < list->record_count; i++) {
        put_text(&to, tacho_fleet_key(list->keys, order[i]));
        list->put(&to, self->fleet, list->records, order[i]);
    }
    free(order);
    self->record_count += list->record_count;
    return end_chunk(self, list->type, &to);
}

static void put_row_at(payload *to, const tacho_fleet *fleet, const void *records, size_t index)
{
    put_row(to, fleet, (const tacho_fleet_row *)records + index);
}

static void put_device_at(payload *to, const tacho_fleet *fleet, const void *records, size_t index)
{
    (void)fleet;
    put_device(to, (const tacho_fleet_device *)records + index);
}

static void put_file_at(payload *to, const tacho_fleet *fleet, const void *records, size_t index)
{
    put_file(to, fleet, (const tacho_fleet_file *)records + index);
}

static tacho_status write_head(part_writer *self)
{
    const tacho_fleet *fleet = self->fleet;
    payload to = {0};
    put_number(&to, fleet->sections);
    put_text(&to, tacho_strings_get(&fleet->texts, fleet->window));
    put_text(&to, tacho_strings_get(&fleet->texts, fleet->reading));
    put_text(&to, tacho_strings_get(&fleet->texts, fleet->profile));
    return end_chunk(self, TACHO_FLEET_CHUNK_HEAD, &to);
}

static tacho_status write_end(part_writer *self)
{
    payload to = {0};
    put_number(&to, self->record_count);
    return end_chunk(self, TACHO_FLEET_CHUNK_END, &to);
}

bool tacho_fleet_is_part(tacho_str head)
{
    return tacho_chunk_is_file(head, TACHO_FLEET_CHUNK_FILE_KIND);
}

tacho_status tacho_fleet_write(tacho_fleet *fleet, tacho_output *output)
{
    TACHO_TRY(tacho_fleet_settle(fleet));
    part_writer self = {.fleet = fleet};
    tacho_chunk_begin(&self.chunks, output, TACHO_FLEET_CHUNK_FILE_KIND);
    TACHO_TRY(write_head(&self));
    const record_list files = {TACHO_FLEET_CHUNK_FILES, &fleet->file_keys, fleet->files,
                               fleet->file_count, put_file_at};
    const record_list devices = {TACHO_FLEET_CHUNK_DEVICES, &fleet->device_keys, fleet->devices,
                                 fleet->device_count, put_device_at};
    TACHO_TRY(write_list(&self, &files));
    TACHO_TRY(write_list(&self, &devices));
    for (size_t i = 0; i < TACHO_FLEET_TABLE_COUNT; i++) {
        const tacho_fleet_table *table = &fleet->tables[i];
        const record_list rows = {tacho_fleet_table_letters((tacho_fleet_table_id)i), &table->keys,
                                  table->rows, table->row_count, put_row_at};
        TACHO_TRY(write_list(&self, &rows));
    }
    return write_end(&self);
}
