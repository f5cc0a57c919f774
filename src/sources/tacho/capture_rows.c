/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes the rows of a chunk to the next stage. Ids of the file become ids of the dictionary; a row
 * that breaks a rule of the model is counted and left out.
 */
#include "codec/json_reader.h"
#include "sources/tacho/capture_reader.h"

/* ---- parts --------------------------------------------------------------------------------- */

tacho_status capture_end_open_part(capture_reader *reader)
{
    if (reader->open_part == TACHO_NONE) {
        return TACHO_OK;
    }
    capture_part *part = &reader->parts[reader->open_part];
    part->has_ended = true;
    reader->open_part = TACHO_NONE;
    TACHO_TRY(capture_make_runs(reader));
    return tacho_events_end_part(reader->reading->events, part->ours);
}

tacho_status capture_take_part_end(capture_reader *reader, const char *bytes)
{
    tacho_capture_part_end record = tacho_capture_part_end_get(bytes);
    TACHO_TRY(capture_make_tracks(reader, UINT64_MAX));
    uint32_t found = id_map_find(&reader->part_ids, record.part);
    if (found == TACHO_NONE || reader->parts[found].ours == TACHO_NONE ||
        reader->parts[found].has_ended) {
        reader->bad_count++;
        return TACHO_OK;
    }
    if (reader->open_part != found) {
        TACHO_TRY(capture_end_open_part(reader));
        reader->open_part = found; /* a part without rows */
    }
    return capture_end_open_part(reader);
}

/* Opens the part made from the file's |id|; its rows begin, if they have not. */
static tacho_status open_part(capture_reader *reader, uint32_t id)
{
    uint32_t found = id_map_find(&reader->part_ids, id);
    if (found == reader->open_part) {
        return TACHO_OK;
    }
    TACHO_TRY(capture_end_open_part(reader));
    if (found != TACHO_NONE && reader->parts[found].ours != TACHO_NONE &&
        !reader->parts[found].has_ended) {
        reader->open_part = found;
    }
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status find_other_track(capture_reader *reader, tacho_row *row)
{
    uint32_t found = id_map_find(&reader->track_ids, row->track);
    if (TACHO_UNLIKELY(found != TACHO_NONE && found >= reader->made_count)) {
        TACHO_TRY(capture_make_tracks(reader, (uint64_t)row->track + 1));
    }
    reader->last_id = row->track;
    row->track = found != TACHO_NONE ? reader->tracks[found].ours : TACHO_NONE;
    reader->last_track = row->track;
    reader->last_id = row->track != TACHO_NONE ? reader->last_id : TACHO_NONE;
    return TACHO_OK;
}

/* Rows of one track often follow one another. */
static inline tacho_status find_track(capture_reader *reader, tacho_row *row)
{
    if (TACHO_LIKELY(row->track == reader->last_id)) {
        row->track = reader->last_track;
        return TACHO_OK;
    }
    return find_other_track(reader, row);
}

static tacho_status find_site(capture_reader *reader, uint32_t *site)
{
    *site = id_map_find(&reader->sites, *site);
    if (TACHO_LIKELY(*site != TACHO_NONE)) {
        return TACHO_OK;
    }
    if (reader->lost_site == TACHO_NONE) {
        const tacho_site lost = {.name = reader->lost_string, .location = TACHO_NONE};
        TACHO_TRY(tacho_dict_ensure_site(reader->dict, &lost, &reader->lost_site));
    }
    *site = reader->lost_site;
    return TACHO_OK;
}

static tacho_status find_run(capture_reader *reader, uint32_t *run)
{
    if (TACHO_LIKELY(*run == TACHO_NONE)) {
        return TACHO_OK;
    }
    uint32_t found = id_map_find(&reader->run_ids, *run);
    if (found == TACHO_NONE) {
        TACHO_TRY(capture_make_runs(reader));
        found = id_map_find(&reader->run_ids, *run);
    }
    *run = found;
    return TACHO_OK;
}

static tacho_status find_args(capture_reader *reader, const tacho_row *row)
{
    tacho_arg *args = reader->args.items;
    for (size_t i = 0; i < row->arg_count; i++) {
        args[i].key = capture_string(reader, args[i].key);
        if (args[i].type == TACHO_ARG_STRING) {
            args[i].value.as_string = capture_string(reader, args[i].value.as_string);
        } else if (args[i].type == TACHO_ARG_JSON) {
            bool is_valid = false;
            TACHO_TRY(tacho_json_check_value(args[i].value.as_text, &is_valid));
            args[i].type = is_valid ? TACHO_ARG_JSON : TACHO_ARG_TEXT;
        }
    }
    return TACHO_OK;
}

/* Whether the times are in order, and on the axis of |clock|. */
static bool has_good_times(const tacho_row *row, const tacho_clock *clock)
{
    int64_t first = clock->has_fixed_zero ? clock->zero_ticks : 0;
    int64_t end = tacho_row_end(row);
    bool is_instant = row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    return row->start >= first && end >= row->start && end <= clock->max_ticks &&
           (!is_instant || end == row->start);
}

/* Pushes |row|, or counts it as lost. */
static tacho_status push_row(capture_reader *reader, tacho_row *row)
{
    const tacho_dict *dict = reader->dict;
    TACHO_TRY(find_track(reader, row));
    if (TACHO_UNLIKELY(row->track == TACHO_NONE)) {
        reader->bad_count++;
        return TACHO_OK;
    }
    const tacho_track *track = &dict->tracks[row->track];
    bool is_sample = row->kind == TACHO_ROW_SAMPLE;
    if (TACHO_UNLIKELY(track->part != reader->parts[reader->open_part].ours ||
                       is_sample != (track->track_class == TACHO_TRACK_COUNTER))) {
        reader->bad_count++;
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(!has_good_times(row, &dict->clocks[track->clock]))) {
        reader->time_count++;
        return TACHO_OK;
    }
    if (TACHO_LIKELY(row->kind == TACHO_ROW_SPAN)) {
        TACHO_TRY(find_site(reader, &row->of.span.site));
        TACHO_TRY(find_run(reader, &row->of.span.run));
        TACHO_TRY(find_args(reader, row));
    } else if (row->kind == TACHO_ROW_FLOW) {
        row->of.flow.span_name = capture_string(reader, row->of.flow.span_name);
    }
    reader->parts[reader->open_part].row_count++;
    return tacho_events_row(reader->reading->events, row);
}

static tacho_status push_rows(capture_reader *reader, uint32_t part, tacho_capture_cursor *cursor,
                              uint32_t *left)
{
    tacho_capture_item item = TACHO_CAPTURE_ITEM_MARK;
    while (item != TACHO_CAPTURE_ITEM_NONE) {
        tacho_row row;
        uint64_t mark = 0;
        TACHO_TRY(tacho_capture_row_read(cursor, &reader->args, &row, &mark, &item));
        if (TACHO_UNLIKELY(item == TACHO_CAPTURE_ITEM_MARK)) {
            TACHO_TRY(capture_make_tracks(reader, mark));
        }
        if (item != TACHO_CAPTURE_ITEM_ROW) {
            continue;
        }
        if (TACHO_UNLIKELY(*left == 0)) {
            reader->bad_count++; /* more than the chunk declares */
            return TACHO_OK;
        }
        --*left;
        if (TACHO_UNLIKELY(reader->open_part == TACHO_NONE)) {
            TACHO_TRY(find_track(reader, &(tacho_row){.track = row.track}));
            TACHO_TRY(open_part(reader, part));
        }
        if (TACHO_LIKELY(reader->open_part != TACHO_NONE)) {
            TACHO_TRY(push_row(reader, &row));
        } else {
            reader->bad_count++;
        }
    }
    return TACHO_OK;
}

tacho_status capture_take_rows(capture_reader *reader, tacho_str payload)
{
    static const uint64_t rows_max = (uint64_t)1 << 48;
    if (payload.len < TACHO_CAPTURE_ROWS_HEAD) {
        reader->bad_count++;
        return TACHO_OK;
    }
    uint32_t part = tacho_capture_get_u32(payload.data);
    uint32_t left = tacho_capture_get_u32(payload.data + 4);
    uint64_t before = tacho_capture_get_u64(payload.data + 8);
    tacho_capture_cursor cursor = {
        .at = (const unsigned char *)payload.data + TACHO_CAPTURE_ROWS_HEAD,
        .end = (const unsigned char *)payload.data + payload.len,
    };
    tacho_args_wanted wanted = reader->reading->options->args;
    if (wanted == TACHO_ARGS_SUMMED_AND_LAUNCHES) {
        cursor.keys = reader->launch_keys;
        cursor.key_count = reader->launch_key_count;
    }
    cursor.takes_summed_only = wanted != TACHO_ARGS_ALL && cursor.key_count <= TACHO_LAUNCH_KEYS;
    if (before < reader->row_count || before > rows_max) {
        reader->bad_count++;
        return TACHO_OK;
    }
    reader->cut_count += before - reader->row_count;
    reader->row_count = before + left;
    TACHO_TRY(open_part(reader, part));
    TACHO_TRY(push_rows(reader, part, &cursor, &left));
    reader->bad_count += left;
    return TACHO_OK;
}
