/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as a capture (profile/capture_records.h). Ids of the file are the dictionary's own, so
 * each table is written from where it ended before: ahead of each chunk of rows, the new entries of
 * the dictionary.
 *
 * Tracks may change until their part ends; changed tracks are then written again. Rows of lanes go
 * to their track, since readers make lanes anew.
 */
#include "sinks/tacho.h"

#include "base/grow.h"
#include "codec/protobuf.h"
#include "profile/capture_records.h"
#include "profile/capture_row.h"
#include "sinks/trace_rows.h"

#include <stdlib.h>
#include <tacho/version.h>

enum { CHUNK_BYTES = 64 << 10 /* of rows, after which a chunk is full */ };

/* The number of entries of each table in the file. */
typedef struct written_counts {
    size_t strings, clocks, parts, tracks, locations, sites, runs;
} written_counts;

typedef struct capture_sink {
    tacho_events events;
    tacho_trace_options options;
    tacho_chunk_writer writer;
    written_counts written;
    tacho_track *tracks; /* as in the file, or as when first seen */
    size_t track_count, track_capacity;
    uint32_t part;       /* of the rows below */
    bool is_part_begun;  /* a chunk of its rows has been written */
    unsigned char *rows; /* a payload under construction */
    size_t row_bytes, row_capacity;
    uint32_t row_count;
    tacho_capture_last last;
    tacho_capture_keys keys;
    uint64_t part_row_count;
    uint64_t total_count;
    uint64_t kind_counts[TACHO_ROW_SAMPLE + 1];
    unsigned char *table; /* records under construction */
    size_t table_bytes, table_capacity;
} capture_sink;

static capture_sink *sink_of(tacho_events *events)
{
    return (capture_sink *)(void *)events;
}

/* ---- chunks -------------------------------------------------------------------------------- */

/* Writes a payload of any length, in as many chunks as needed. */
static void write_bytes(capture_sink *sink, uint32_t type, tacho_str payload)
{
    bool is_last = false;
    for (unsigned flags = 0; !is_last; flags = TACHO_CAPTURE_CONTINUED) {
        is_last = payload.len <= TACHO_CAPTURE_PIECE_BYTES;
        size_t len = is_last ? payload.len : TACHO_CAPTURE_PIECE_BYTES;
        const tacho_chunk chunk = {
            .type = type,
            .version = TACHO_CAPTURE_VERSION,
            .flags = (uint16_t)(flags | (is_last ? 0u : TACHO_CAPTURE_CONTINUES)),
            .record_size = 1,
            .record_count = (uint32_t)len,
            .payload = tacho_str_make(payload.data, len),
        };
        tacho_chunk_write(&sink->writer, &chunk);
        payload = tacho_str_from(payload, len);
    }
}

/* Writes the collected records, if any, as chunks of |type|. */
static void write_records(capture_sink *sink, uint32_t type, size_t record_bytes)
{
    size_t per_chunk = TACHO_CAPTURE_PIECE_BYTES / record_bytes * record_bytes;
    for (size_t at = 0; at < sink->table_bytes;) {
        size_t len = sink->table_bytes - at < per_chunk ? sink->table_bytes - at : per_chunk;
        const tacho_chunk chunk = {
            .type = type,
            .version = TACHO_CAPTURE_VERSION,
            .record_size = (uint32_t)record_bytes,
            .record_count = (uint32_t)(len / record_bytes),
            .payload = tacho_str_make((const char *)sink->table + at, len),
        };
        tacho_chunk_write(&sink->writer, &chunk);
        at += len;
    }
    sink->table_bytes = 0;
}

/* Makes room for one more record. */
static tacho_status add_record(capture_sink *sink, size_t record_bytes, unsigned char **out_at)
{
    TACHO_TRY(tacho_grow(&sink->table, &sink->table_capacity, sink->table_bytes + record_bytes));
    *out_at = sink->table + sink->table_bytes;
    sink->table_bytes += record_bytes;
    return TACHO_OK;
}

/* Adds a record of a kind to the table. */
#define ADD_RECORD(sink, noun, ...)                                                                \
    do {                                                                                           \
        const tacho_capture_##noun added = __VA_ARGS__;                                            \
        unsigned char *record_at = NULL;                                                           \
        TACHO_TRY(add_record((sink), tacho_capture_##noun##_bytes, &record_at));                   \
        tacho_capture_##noun##_put(&added, record_at);                                             \
    } while (0)

/* ---- the dictionary ------------------------------------------------------------------------ */

static tacho_status write_strings(capture_sink *sink)
{
    const tacho_strings *strings = &sink->events.dict->strings;
    size_t at = sink->written.strings;
    while (at < strings->item_count) {
        unsigned char *place = NULL;
        TACHO_TRY(add_record(sink, sizeof(uint32_t), &place));
        tacho_capture_put_u32(place, (uint32_t)at);
        for (; at < strings->item_count && sink->table_bytes < CHUNK_BYTES; at++) {
            tacho_str text = tacho_strings_get(strings, (uint32_t)at);
            TACHO_TRY(add_record(sink, TACHO_PB_VARINT_MAX + text.len, &place));
            unsigned char *end = tacho_pb_put_varint(place, text.len);
            memcpy(end, text.data, text.len);
            sink->table_bytes = (size_t)(end + text.len - sink->table);
        }
        write_bytes(sink, TACHO_CAPTURE_STRINGS,
                    tacho_str_make((const char *)sink->table, sink->table_bytes));
        sink->table_bytes = 0;
    }
    sink->written.strings = at;
    return TACHO_OK;
}

static tacho_status write_clocks(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = sink->written.clocks; i < dict->clock_count; i++) {
        const tacho_clock *clock = &dict->clocks[i];
        ADD_RECORD(sink, clock,
                   {
                       .id = (uint32_t)i,
                       .name = clock->name,
                       .ns_numerator = (uint64_t)clock->ns_numerator,
                       .ns_denominator = (uint64_t)clock->ns_denominator,
                       .zero_ticks = (uint64_t)clock->zero_ticks,
                       .flags = (clock->is_assumed ? TACHO_CAPTURE_CLOCK_ASSUMED : 0u) |
                                (clock->counts_cycles ? TACHO_CAPTURE_CLOCK_CYCLES : 0u) |
                                (clock->has_fixed_zero ? TACHO_CAPTURE_CLOCK_FIXED : 0u),
                   });
    }
    sink->written.clocks = dict->clock_count;
    write_records(sink, TACHO_CAPTURE_CLOCKS, tacho_capture_clock_bytes);
    return TACHO_OK;
}

static tacho_status add_part(capture_sink *sink, uint32_t id)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_part *part = &dict->parts[id];
    const tacho_clock *clock = &dict->clocks[part->clock];
    bool has_zero = id == sink->part && sink->row_count > 0 && !clock->has_fixed_zero;
    bool is_aside = tacho_trace_is_aside(&sink->options, part);
    ADD_RECORD(sink, part,
               {
                   .id = id,
                   .name = part->name,
                   .path = part->source,
                   .format = part->format,
                   .generation = part->generation,
                   .clock = part->clock,
                   .origin = (uint32_t)part->origin,
                   .covered_classes = part->covered_classes,
                   .first_start = (uint64_t)(has_zero ? clock->zero_ticks : part->first_start),
                   .flags = (part->keeps_order ? TACHO_CAPTURE_PART_KEEPS_ORDER : 0u) |
                            (is_aside ? TACHO_CAPTURE_PART_ASIDE : 0u) |
                            (part->has_flows_around ? TACHO_CAPTURE_PART_FLOWS : 0u),
               });
    return TACHO_OK;
}

/* Writes new parts, and the one whose rows begin: its zero is known only then. */
static tacho_status write_parts(capture_sink *sink)
{
    size_t count = sink->events.dict->part_count;
    if (count > TACHO_CAPTURE_PARTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a capture of more than %d inputs",
                          TACHO_CAPTURE_PARTS_MAX);
    }
    if (sink->row_count > 0 && !sink->is_part_begun && sink->part < sink->written.parts) {
        TACHO_TRY(add_part(sink, sink->part));
    }
    for (size_t i = sink->written.parts; i < count; i++) {
        TACHO_TRY(add_part(sink, (uint32_t)i));
    }
    sink->written.parts = count;
    write_records(sink, TACHO_CAPTURE_PARTS, tacho_capture_part_bytes);
    return TACHO_OK;
}

static uint32_t track_flags(const tacho_track *track)
{
    uint32_t high = (uint32_t)(track->number >> 32);
    return (track->is_provisional ? TACHO_CAPTURE_TRACK_PROVISIONAL : 0u) |
           (track->has_number ? TACHO_CAPTURE_TRACK_HAS_NUMBER : 0u) |
           (track->is_numbered ? TACHO_CAPTURE_TRACK_NUMBERED : 0u) |
           (track->is_free ? TACHO_CAPTURE_TRACK_FREE : 0u) |
           high << TACHO_CAPTURE_TRACK_NUMBER_SHIFT;
}

static tacho_status add_track(capture_sink *sink, uint32_t id, const tacho_track *track)
{
    ADD_RECORD(sink, track,
               {
                   .id = id,
                   .name = track->name,
                   .parent = track->parent,
                   .part = track->part,
                   .index = track->index,
                   .lane_of = track->lane_of,
                   .rank = (uint32_t)track->rank,
                   .track_class = (uint32_t)track->track_class,
                   .nesting = (uint32_t)track->nesting,
                   .unit = (uint32_t)track->unit,
                   .flags = track_flags(track),
                   .number = (uint32_t)track->number,
               });
    return TACHO_OK;
}

/* Copies new tracks. */
static tacho_status meet_tracks(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    TACHO_TRY(tacho_grow(&sink->tracks, &sink->track_capacity, dict->track_count));
    for (; sink->track_count < dict->track_count; sink->track_count++) {
        sink->tracks[sink->track_count] = dict->tracks[sink->track_count];
    }
    return TACHO_OK;
}

/* Writes tracks as they were when rows could first refer to them; later changes follow. */
static tacho_status write_tracks(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    TACHO_TRY(meet_tracks(sink));
    for (size_t i = sink->written.tracks; i < dict->track_count; i++) {
        TACHO_TRY(add_track(sink, (uint32_t)i, &sink->tracks[i]));
    }
    sink->written.tracks = dict->track_count;
    write_records(sink, TACHO_CAPTURE_TRACKS, tacho_capture_track_bytes);
    return TACHO_OK;
}

static bool has_changed(const tacho_track *before, const tacho_track *now)
{
    return before->name != now->name || before->rank != now->rank || before->index != now->index ||
           before->track_class != now->track_class || before->nesting != now->nesting ||
           before->unit != now->unit || before->is_numbered != now->is_numbered;
}

/* Writes tracks from |first| on that differ from the file. */
static tacho_status write_changed_tracks(capture_sink *sink, size_t first)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = first; i < sink->written.tracks; i++) {
        const tacho_track *now = &dict->tracks[i];
        if (has_changed(&sink->tracks[i], now)) {
            bool was_provisional = sink->tracks[i].is_provisional;
            sink->tracks[i] = *now;
            sink->tracks[i].is_provisional = was_provisional;
            TACHO_TRY(add_track(sink, (uint32_t)i, &sink->tracks[i]));
        }
    }
    write_records(sink, TACHO_CAPTURE_TRACKS, tacho_capture_track_bytes);
    return TACHO_OK;
}

static tacho_status write_sites(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = sink->written.locations; i < dict->location_count; i++) {
        const tacho_location *place = &dict->locations[i];
        ADD_RECORD(sink, location,
                   {.id = (uint32_t)i,
                    .text = place->text,
                    .file = place->file,
                    .line = place->line,
                    .column = place->column});
    }
    sink->written.locations = dict->location_count;
    write_records(sink, TACHO_CAPTURE_LOCATIONS, tacho_capture_location_bytes);
    for (size_t i = sink->written.sites; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        ADD_RECORD(sink, site, {(uint32_t)i, site->name, site->category, site->location});
    }
    sink->written.sites = dict->site_count;
    write_records(sink, TACHO_CAPTURE_SITES, tacho_capture_site_bytes);
    return TACHO_OK;
}

static tacho_status write_runs(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = sink->written.runs; i < dict->run_count; i++) {
        const tacho_run *run = &dict->runs[i];
        ADD_RECORD(sink, run,
                   {.id = (uint32_t)i,
                    .part = run->part,
                    .name = run->name,
                    .invocation = (uint64_t)run->invocation});
    }
    sink->written.runs = dict->run_count;
    write_records(sink, TACHO_CAPTURE_RUNS, tacho_capture_run_bytes);
    return TACHO_OK;
}

/* Writes everything that rows may refer to. */
static tacho_status write_dictionary(capture_sink *sink)
{
    TACHO_TRY(write_strings(sink));
    TACHO_TRY(write_clocks(sink));
    TACHO_TRY(write_parts(sink));
    TACHO_TRY(write_tracks(sink));
    TACHO_TRY(write_sites(sink));
    return write_runs(sink);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status output_status(const capture_sink *sink)
{
    tacho_output *output = sink->writer.output;
    return tacho_output_failed(output) ? tacho_output_take_failure(output) : TACHO_OK;
}

static tacho_status flush_rows(capture_sink *sink)
{
    TACHO_TRY(write_dictionary(sink));
    if (sink->row_bytes > 0) {
        unsigned char *at = tacho_capture_put_u32(sink->rows, sink->part);
        at = tacho_capture_put_u32(at, sink->row_count);
        tacho_capture_put_u64(at, sink->total_count - sink->row_count);
        write_bytes(sink, TACHO_CAPTURE_ROWS,
                    tacho_str_make((const char *)sink->rows, sink->row_bytes));
        sink->is_part_begun = true;
    }
    sink->row_bytes = 0;
    sink->row_count = 0;
    sink->last = (tacho_capture_last){0};
    return output_status(sink);
}

/* Makes room for |len| more bytes of rows; the head of a chunk is left free. */
static tacho_status reserve_rows(capture_sink *sink, size_t len)
{
    sink->row_bytes = sink->row_bytes > 0 ? sink->row_bytes : TACHO_CAPTURE_ROWS_HEAD;
    return tacho_grow(&sink->rows, &sink->row_capacity, sink->row_bytes + len);
}

/* Marks the rows after which tracks were made: readers make theirs in the same order. */
static tacho_status mark_tracks(capture_sink *sink)
{
    TACHO_TRY(meet_tracks(sink));
    TACHO_TRY(reserve_rows(sink, TACHO_CAPTURE_MARK_MAX));
    unsigned char *end =
        tacho_capture_mark_write((uint32_t)sink->track_count, sink->rows + sink->row_bytes);
    sink->row_bytes = (size_t)(end - sink->rows);
    return TACHO_OK;
}

static tacho_status begin_part(capture_sink *sink, uint32_t part)
{
    if (sink->row_count > 0) {
        TACHO_TRY(flush_rows(sink));
    }
    sink->part = part;
    sink->is_part_begun = false;
    sink->part_row_count = 0;
    return TACHO_OK;
}

static tacho_status add_row(capture_sink *sink, const tacho_row *row)
{
    size_t bound = tacho_capture_row_bound(row);
    if (bound > tacho_capture_payload_max - CHUNK_BYTES - TACHO_CAPTURE_ROWS_HEAD) {
        return tacho_fail(TACHO_CODE_LIMIT, "an event with %zu arguments takes %zu bytes",
                          row->arg_count, bound);
    }
    TACHO_TRY(reserve_rows(sink, bound));
    if (TACHO_UNLIKELY(sink->keys.string_count < sink->events.dict->strings.item_count)) {
        TACHO_TRY(tacho_capture_keys_learn(&sink->keys, sink->events.dict));
    }
    unsigned char *end =
        tacho_capture_row_write(row, &sink->keys, &sink->last, sink->rows + sink->row_bytes);
    sink->row_bytes = (size_t)(end - sink->rows);
    sink->row_count++;
    sink->part_row_count++;
    sink->total_count++;
    sink->kind_counts[row->kind]++;
    return sink->row_bytes >= CHUNK_BYTES ? flush_rows(sink) : TACHO_OK;
}

static tacho_status capture_row(tacho_events *events, const tacho_row *row)
{
    capture_sink *sink = sink_of(events);
    const tacho_track *track = &events->dict->tracks[row->track];
    if (TACHO_UNLIKELY(track->part != sink->part)) {
        TACHO_TRY(begin_part(sink, track->part));
    }
    if (TACHO_UNLIKELY(sink->track_count < events->dict->track_count)) {
        TACHO_TRY(mark_tracks(sink));
    }
    tacho_row written = *row;
    written.track = track->lane_of == TACHO_NONE ? row->track : track->lane_of;
    written.arg_count = sink->options.omit_args ? 0 : row->arg_count;
    return add_row(sink, &written);
}

static tacho_status capture_end_part(tacho_events *events, uint32_t part)
{
    capture_sink *sink = sink_of(events);
    if (sink->part != part) {
        TACHO_TRY(begin_part(sink, part)); /* one without rows */
    }
    TACHO_TRY(flush_rows(sink));
    TACHO_TRY(write_changed_tracks(sink, events->dict->parts[part].root));
    ADD_RECORD(sink, part_end, {.part = part, .row_count = sink->part_row_count});
    write_records(sink, TACHO_CAPTURE_PART_ENDS, tacho_capture_part_end_bytes);
    return TACHO_OK;
}

/* ---- the end ------------------------------------------------------------------------------- */

static tacho_status write_facts(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = 0; i < dict->metadata_count; i++) {
        ADD_RECORD(sink, fact, {dict->metadata[i].key, dict->metadata[i].value});
    }
    write_records(sink, TACHO_CAPTURE_METADATA, tacho_capture_fact_bytes);
    return TACHO_OK;
}

static tacho_status write_end(capture_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    uint64_t lost_count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        ADD_RECORD(sink, loss,
                   {.part = loss->part,
                    .reason = (uint32_t)loss->reason,
                    .count = loss->count,
                    .first_line = loss->first_line,
                    .example = loss->example});
        lost_count += loss->count;
    }
    write_records(sink, TACHO_CAPTURE_LOSSES, tacho_capture_loss_bytes);
    ADD_RECORD(sink, totals,
               {
                   .span_count = sink->kind_counts[TACHO_ROW_SPAN],
                   .sample_count = sink->kind_counts[TACHO_ROW_SAMPLE],
                   .flow_count = sink->kind_counts[TACHO_ROW_FLOW],
                   .part_count = dict->part_count,
                   .track_count = dict->track_count,
                   .lost_count = lost_count,
               });
    write_records(sink, TACHO_CAPTURE_END, tacho_capture_totals_bytes);
    return TACHO_OK;
}

static tacho_status capture_finish(tacho_events *events)
{
    capture_sink *sink = sink_of(events);
    TACHO_TRY(flush_rows(sink));
    TACHO_TRY(write_changed_tracks(sink, 0)); /* named after the end of their part */
    TACHO_TRY(write_facts(sink));
    return write_end(sink);
}

tacho_status tacho_sink_tacho_seal(tacho_events *events)
{
    capture_sink *sink = sink_of(events);
    TACHO_TRY(flush_rows(sink));
    TACHO_TRY(write_changed_tracks(sink, 0));
    tacho_output_flush(sink->writer.output);
    return output_status(sink);
}

static const tacho_events_vtable capture_vtable = {
    .row = capture_row, .end_part = capture_end_part, .finish = capture_finish};

static void capture_close(tacho_events *events)
{
    capture_sink *sink = sink_of(events);
    free(sink->tracks);
    free(sink->rows);
    free(sink->table);
    tacho_capture_keys_deinit(&sink->keys);
    free(sink);
}

static tacho_status capture_open(tacho_dict *dict, tacho_output *output,
                                 const tacho_trace_options *options, tacho_events **out_events)
{
    capture_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    *sink = (capture_sink){.events = {&capture_vtable, dict}, .options = *options};
    sink->part = TACHO_NONE;
    tacho_chunk_begin(&sink->writer, output, TACHO_CAPTURE_KIND);
    write_bytes(sink, TACHO_CAPTURE_HEAD, TACHO_STR("tacho " TACHO_VERSION));
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".tacho", NULL};

const tacho_trace_sink tacho_sink_tacho = {
    .name = "tacho",
    .title = "capture: the complete profile",
    .suffixes = suffixes,
    .source = "tacho",
    .takes_rows_as_given = true,
    .open = capture_open,
    .close = capture_close,
};
