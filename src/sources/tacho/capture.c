/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the chunks of a capture, one after another, through the input's window. Bytes outside of
 * whole chunks are skipped up to the next place where a chunk begins. Their rows are counted as
 * lost, since every chunk of rows contains the number of rows before it.
 */
#include "sources/tacho/capture.h"

#include "base/grow.h"
#include "sources/tacho/capture_reader.h"

#include <stdlib.h>

/* Limits how often bytes are checked as payload, whatever lengths the headers give. */
enum { CHECKS_MAX = 16, SEARCH_BYTES = 64 << 10 };

/* The framing. */
typedef struct capture_file {
    capture_reader reader;
    tacho_input *input;
    uint32_t next_sequence;
    bool has_gap; /* chunks are missing, or bytes are outside of chunks */
    bool has_end;
    bool has_read;         /* a whole chunk */
    bool is_given_up;      /* it may be endless, and no chunk was found */
    uint64_t wasted_bytes; /* of damaged payloads */
    uint32_t joined_type;  /* of the pieces below, 0 for none */
    char *joined;
    size_t joined_len, joined_capacity;
} capture_file;

/* ---- chunks -------------------------------------------------------------------------------- */

typedef tacho_status take_record(capture_reader *reader, const char *bytes);

/* How records of each type are taken. */
static const struct {
    uint32_t type;
    uint32_t record_bytes;
    take_record *take;
} record_types[] = {
    {TACHO_CAPTURE_CLOCKS, tacho_capture_clock_bytes, capture_take_clock},
    {TACHO_CAPTURE_PARTS, tacho_capture_part_bytes, capture_take_part},
    {TACHO_CAPTURE_TRACKS, tacho_capture_track_bytes, capture_take_track},
    {TACHO_CAPTURE_LOCATIONS, tacho_capture_location_bytes, capture_take_location},
    {TACHO_CAPTURE_SITES, tacho_capture_site_bytes, capture_take_site},
    {TACHO_CAPTURE_RUNS, tacho_capture_run_bytes, capture_take_run},
    {TACHO_CAPTURE_PART_ENDS, tacho_capture_part_end_bytes, capture_take_part_end},
    {TACHO_CAPTURE_METADATA, tacho_capture_fact_bytes, capture_take_fact},
    {TACHO_CAPTURE_LOSSES, tacho_capture_loss_bytes, capture_take_loss},
};

static void take_totals(capture_file *file, const tacho_chunk *chunk)
{
    if (chunk->record_count != 1 || chunk->record_size < tacho_capture_totals_bytes) {
        file->reader.bad_count++;
        return;
    }
    tacho_capture_totals totals = tacho_capture_totals_get(chunk->payload.data);
    uint64_t rows = totals.span_count + totals.sample_count + totals.flow_count;
    if (rows > file->reader.row_count && rows < (uint64_t)1 << 48) {
        file->reader.cut_count += rows - file->reader.row_count;
        file->reader.row_count = rows;
    }
    file->has_end = true;
}

static tacho_status take_records(capture_file *file, const tacho_chunk *chunk)
{
    for (size_t i = 0; i < sizeof(record_types) / sizeof(record_types[0]); i++) {
        if (record_types[i].type != chunk->type) {
            continue;
        }
        if (chunk->record_size < record_types[i].record_bytes) {
            file->reader.bad_count++;
            return TACHO_OK;
        }
        for (uint32_t k = 0; k < chunk->record_count; k++) {
            const char *record = chunk->payload.data + (size_t)k * chunk->record_size;
            TACHO_TRY(record_types[i].take(&file->reader, record));
        }
        return TACHO_OK;
    }
    return TACHO_OK; /* of a later version */
}

static tacho_status take_payload(capture_file *file, uint32_t type, tacho_str payload)
{
    return type == TACHO_CAPTURE_ROWS      ? capture_take_rows(&file->reader, payload)
           : type == TACHO_CAPTURE_STRINGS ? capture_take_strings(&file->reader, payload)
                                           : TACHO_OK;
}

/* Adds a piece of a payload; the last piece completes it. */
static tacho_status take_piece(capture_file *file, const tacho_chunk *chunk, bool is_next)
{
    bool continues = (chunk->flags & TACHO_CAPTURE_CONTINUES) != 0;
    if (file->joined_type != 0 && (file->joined_type != chunk->type || !is_next)) {
        file->joined_type = 0; /* its end is missing */
        file->joined_len = 0;
        file->has_gap = true;
    }
    if (file->joined_type == 0 && (chunk->flags & TACHO_CAPTURE_CONTINUED) != 0) {
        file->has_gap = true; /* its beginning is missing */
        return TACHO_OK;
    }
    if (file->joined_type == 0 && !continues) {
        return take_payload(file, chunk->type, chunk->payload);
    }
    if (file->joined_len + chunk->payload.len > tacho_capture_payload_max) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: an event of more than %llu bytes",
                          file->input->name, (unsigned long long)tacho_capture_payload_max);
    }
    size_t len = file->joined_len + chunk->payload.len;
    TACHO_TRY(tacho_grow(&file->joined, &file->joined_capacity, len + 1));
    if (chunk->payload.len > 0) {
        memcpy(file->joined + file->joined_len, chunk->payload.data, chunk->payload.len);
    }
    file->joined_len = len;
    file->joined_type = chunk->type;
    if (continues) {
        return TACHO_OK;
    }
    file->joined_type = 0;
    file->joined_len = 0;
    return take_payload(file, chunk->type, tacho_str_make(file->joined, len));
}

static tacho_status take_chunk(capture_file *file, const tacho_chunk *chunk)
{
    bool is_next = chunk->sequence == file->next_sequence;
    if (chunk->version < TACHO_CAPTURE_VERSION_FIRST || chunk->version > TACHO_CAPTURE_VERSION) {
        return tacho_fail(
            TACHO_CODE_UNSUPPORTED,
            "%s: a capture of version %u, of which this tacho knows those up to %d; read it "
            "with the tacho that wrote it, or make it again",
            file->input->name, (unsigned)chunk->version, TACHO_CAPTURE_VERSION);
    }
    file->has_read = true;
    file->has_gap = file->has_gap || !is_next;
    if (file->has_gap && file->reader.lost_string == 0) {
        TACHO_TRY(tacho_dict_ensure_string(file->reader.dict, TACHO_STR("(lost)"),
                                           &file->reader.lost_string));
    }
    if (chunk->sequence < file->next_sequence) {
        return TACHO_OK; /* read earlier */
    }
    file->next_sequence = chunk->sequence + 1;
    if (chunk->type == TACHO_CAPTURE_END) {
        take_totals(file, chunk);
        return TACHO_OK;
    }
    return chunk->record_size == 1 ? take_piece(file, chunk, is_next) : take_records(file, chunk);
}

/* ---- the window ---------------------------------------------------------------------------- */

/* Whether a whole chunk begins here; then |*out_bytes| holds it. */
static tacho_status see_chunk(capture_file *file, tacho_chunk *out_chunk, tacho_str *out_bytes,
                              bool *out_whole)
{
    *out_whole = false;
    TACHO_TRY(tacho_input_peek(file->input, TACHO_CHUNK_HEADER_BYTES, out_bytes));
    uint64_t size = tacho_chunk_size(*out_bytes);
    if (size == 0 || size > TACHO_CAPTURE_PIECE_BYTES + TACHO_CHUNK_OVERHEAD) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_peek(file->input, (size_t)size, out_bytes));
    if (out_bytes->len < size) {
        return TACHO_OK;
    }
    out_bytes->len = (size_t)size;
    *out_whole = tacho_chunk_parse(*out_bytes, out_chunk);
    file->wasted_bytes += *out_whole ? 0 : size;
    return TACHO_OK;
}

/*
 * Skips bytes that are not a chunk, up to where the next may begin. In an input that may be endless
 * the search stops where that is longer than any chunk.
 */
static tacho_status resync(capture_file *file)
{
    tacho_str bytes;
    uint64_t from = tacho_input_offset(file->input);
    file->has_gap = true;
    tacho_input_skip(file->input, 1);
    for (;;) {
        TACHO_TRY(tacho_input_peek(file->input, SEARCH_BYTES, &bytes));
        uint64_t at = tacho_chunk_find(bytes, 0);
        file->is_given_up = tacho_input_may_be_endless(file->input) &&
                            tacho_input_offset(file->input) - from > TACHO_INPUT_TOKEN_MAX;
        if (at < bytes.len || bytes.len < SEARCH_BYTES || file->is_given_up) {
            tacho_input_skip(file->input, (size_t)at);
            return TACHO_OK;
        }
        tacho_input_skip(file->input, bytes.len - 3); /* a magic may begin in the last ones */
    }
}

static tacho_status read_chunks(capture_file *file)
{
    while (!file->is_given_up) {
        tacho_chunk chunk;
        tacho_str bytes;
        bool is_whole = false;
        TACHO_TRY(see_chunk(file, &chunk, &bytes, &is_whole));
        if (bytes.len == 0) {
            return TACHO_OK;
        }
        if (is_whole) {
            TACHO_TRY(take_chunk(file, &chunk));
            tacho_input_skip(file->input, bytes.len);
            continue;
        }
        if (file->wasted_bytes / CHECKS_MAX >
            tacho_input_offset(file->input) + TACHO_INPUT_TOKEN_MAX) {
            file->has_gap = true;
            return TACHO_OK;
        }
        TACHO_TRY(resync(file));
    }
    return TACHO_OK;
}

/* ---- the whole file ------------------------------------------------------------------------ */

static tacho_status read_header(capture_file *file)
{
    tacho_str head;
    tacho_chunk_reader checked;
    TACHO_TRY(tacho_input_peek(file->input, TACHO_CHUNK_FILE_BYTES, &head));
    TACHO_TRY_NOTE(tacho_chunk_open(&checked, head, TACHO_CAPTURE_KIND), "reading %s",
                   file->input->name);
    tacho_input_skip(file->input, TACHO_CHUNK_FILE_BYTES);
    return TACHO_OK;
}

static tacho_status add_loss(capture_reader *reader, tacho_loss_reason reason, uint64_t count)
{
    const capture_part *part = reader->parts;
    while (part->ours == TACHO_NONE) {
        part++; /* at least one was made */
    }
    const tacho_loss loss = {.part = part->ours, .reason = reason, .count = count};
    return count > 0 ? tacho_dict_add_loss(reader->dict, &loss) : TACHO_OK;
}

static bool has_parts(const capture_reader *reader)
{
    for (size_t i = 0; i < reader->part_count; i++) {
        if (reader->parts[i].ours != TACHO_NONE) {
            return true;
        }
    }
    return false;
}

/* Ends parts that were cut before their end. */
static tacho_status end_parts(capture_file *file)
{
    capture_reader *reader = &file->reader;
    TACHO_TRY(capture_make_tracks(reader, UINT64_MAX));
    TACHO_TRY(capture_end_open_part(reader));
    TACHO_TRY(capture_make_runs(reader));
    for (size_t i = 0; i < reader->part_count; i++) {
        if (!reader->parts[i].has_ended && reader->parts[i].ours != TACHO_NONE) {
            reader->open_part = (uint32_t)i;
            TACHO_TRY(capture_end_open_part(reader));
        }
    }
    return TACHO_OK;
}

static tacho_status count_losses(capture_file *file)
{
    capture_reader *reader = &file->reader;
    bool is_cut = !file->has_end || tacho_input_damage(file->input) != NULL;
    bool is_damaged = file->has_gap && reader->cut_count == 0;
    reader->cut_count += is_cut || is_damaged ? 1 : 0;
    TACHO_TRY(add_loss(reader, TACHO_LOSS_CUT_INPUT, reader->cut_count));
    TACHO_TRY(add_loss(reader, TACHO_LOSS_UNKNOWN_STATE, reader->bad_count));
    return add_loss(reader, TACHO_LOSS_END_BEFORE_START, reader->time_count);
}

static tacho_status read_file(capture_file *file)
{
    capture_reader *reader = &file->reader;
    TACHO_TRY(read_header(file));
    TACHO_TRY(read_chunks(file));
    TACHO_TRY(end_parts(file));
    if (has_parts(reader)) {
        return count_losses(file);
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: %s", file->input->name,
                      file->has_gap || !file->has_end ? "nothing readable is left"
                                                      : "an empty capture");
}

static void deinit_file(capture_file *file)
{
    capture_reader *reader = &file->reader;
    id_map *maps[] = {&reader->strings,   &reader->clock_ids, &reader->part_ids, &reader->track_ids,
                      &reader->locations, &reader->sites,     &reader->run_ids};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        id_map_deinit(maps[i]);
    }
    free(reader->clocks);
    free(reader->parts);
    free(reader->tracks);
    free(reader->runs);
    free(reader->args.items);
    free(file->joined);
}

static tacho_status capture_read(const tacho_reading *reading)
{
    capture_file file = {
        .reader = {.reading = reading,
                   .dict = reading->events->dict,
                   .last_id = TACHO_NONE,
                   .lost_site = TACHO_NONE,
                   .open_part = TACHO_NONE},
        .input = reading->input,
    };
    tacho_status status = read_file(&file);
    deinit_file(&file);
    return status;
}

static tacho_probe_verdict capture_probe(tacho_str head)
{
    return tacho_chunk_is_file(head, TACHO_CAPTURE_KIND) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_tacho = {
    .name = "tacho",
    .title = "tacho capture (.tacho)",
    .probe = capture_probe,
    .read = capture_read,
};
