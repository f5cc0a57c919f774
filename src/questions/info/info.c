/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums per track, and the tables made of them.
 */
#include "questions/info/info.h"

#include "questions/analysis.h"
#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

static tacho_info *info_of(tacho_events *events)
{
    return (tacho_info *)(void *)events;
}

static tacho_status ensure_sums(tacho_info_sums **items, size_t *count, size_t *capacity,
                                uint32_t id)
{
    TACHO_TRY(tacho_grow(items, capacity, (size_t)id + 1));
    for (; *count <= id; (*count)++) {
        (*items)[*count] = (tacho_info_sums){.first_start = INT64_MAX};
    }
    return TACHO_OK;
}

static void add_row(tacho_info_sums *sums, int64_t start, int64_t end, int64_t duration_ns)
{
    sums->row_count++;
    sums->first_start = start < sums->first_start ? start : sums->first_start;
    sums->last_end = end > sums->last_end ? end : sums->last_end;
    if (__builtin_add_overflow(sums->total_ns, duration_ns, &sums->total_ns)) {
        sums->total_ns = INT64_MAX;
    }
}

/* The activity of a track; a kilobyte, so only tracks with rows have one. */
static tacho_status ensure_activity(tacho_info *info, uint32_t track)
{
    TACHO_TRY(tacho_grow(&info->activities, &info->activity_capacity, (size_t)track + 1));
    for (; info->activity_count <= track; info->activity_count++) {
        info->activities[info->activity_count] = NULL;
    }
    if (info->activities[track] == NULL) {
        info->activities[track] = calloc(1, sizeof(**info->activities));
    }
    return info->activities[track] != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tracks",
                            info->activity_count);
}

static tacho_status info_row(tacho_events *events, const tacho_row *row)
{
    tacho_info *info = info_of(events);
    uint32_t part_id = events->dict->tracks[row->track].part;
    if (TACHO_UNLIKELY(row->track >= info->track_count)) {
        TACHO_TRY(
            ensure_sums(&info->tracks, &info->track_count, &info->track_capacity, row->track));
    }
    if (TACHO_UNLIKELY(part_id >= info->part_count)) {
        TACHO_TRY(ensure_sums(&info->parts, &info->part_count, &info->part_capacity, part_id));
    }
    tacho_info_sums *track = &info->tracks[row->track];
    tacho_info_sums *part = &info->parts[part_id];
    if (track->row_count == 0) {
        part->track_count++;
        TACHO_TRY(ensure_activity(info, row->track));
    }
    int64_t end = row->kind == TACHO_ROW_SPAN ? row->of.span.end : row->start;
    tacho_activity_add(info->activities[row->track], row->start, end);
    const tacho_clock *clock = tacho_dict_track_clock(events->dict, row->track);
    int64_t duration_ns = tacho_clock_ns(clock, end) - tacho_clock_ns(clock, row->start);
    add_row(track, row->start, end, duration_ns);
    add_row(part, row->start, end, duration_ns);
    return TACHO_OK;
}

static const tacho_events_vtable info_vtable = {.row = info_row};

void tacho_info_init(tacho_info *info, tacho_dict *dict)
{
    *info = (tacho_info){.events = {&info_vtable, dict}};
}

void tacho_info_deinit(tacho_info *info)
{
    for (size_t i = 0; i < info->activity_count; i++) {
        free(info->activities[i]);
    }
    free(info->activities);
    free(info->tracks);
    free(info->parts);
    *info = (tacho_info){0};
}

static int64_t count_lost(const tacho_dict *dict, uint32_t part)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        lost += dict->losses[i].part == part ? dict->losses[i].count : 0;
    }
    return (int64_t)lost;
}

static tacho_status add_clock(const tacho_dict *dict, const tacho_clock *clock, tacho_table *table)
{
    tacho_str name = tacho_dict_string(dict, clock->name);
    if (!clock->counts_cycles) {
        return tacho_table_add_text(table, name);
    }
    /* Hertz as MHz with as many decimals as needed. */
    char text[96];
    uint64_t hz = tacho_clock_hz(clock);
    int len =
        snprintf(text, sizeof(text), "%.*s at %llu.%06llu", name.len > 40 ? 40 : (int)name.len,
                 name.data, (unsigned long long)(hz / 1000000), (unsigned long long)(hz % 1000000));
    while (text[len - 1] == '0') {
        len--;
    }
    len -= text[len - 1] == '.' ? 1 : 0;
    len += snprintf(text + len, sizeof(text) - (size_t)len, " MHz%s",
                    clock->is_assumed ? " (assumed)" : "");
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)len));
}

static tacho_status add_input(const tacho_info *info, uint32_t id, tacho_table *table)
{
    const tacho_dict *dict = info->events.dict;
    const tacho_part *part = &dict->parts[id];
    const tacho_clock *clock = &dict->clocks[part->clock];
    const tacho_info_sums none = {.first_start = clock->zero_ticks, .last_end = clock->zero_ticks};
    const tacho_info_sums *sums = id < info->part_count ? &info->parts[id] : &none;
    const char *origin = tacho_origin_name(part->origin);
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, part->name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, part->format)));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, part->generation)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(origin)));
    TACHO_TRY(add_clock(dict, clock, table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sums->row_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sums->track_count));
    tacho_clock absolute = *clock;
    absolute.zero_ticks = 0;
    TACHO_TRY(tacho_table_add_int(table, tacho_clock_ns(&absolute, sums->first_start)));
    TACHO_TRY(tacho_table_add_int(table, tacho_clock_ns(clock, sums->last_end) -
                                             tacho_clock_ns(clock, sums->first_start)));
    TACHO_TRY(tacho_table_add_int(table, count_lost(dict, id)));
    return tacho_table_add_text(table, tacho_dict_string(dict, part->path));
}

/* One row per input: format, origin, clock, events, tracks, time span, lost records. */
static tacho_status info_inputs(const tacho_info *info, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(FORMAT, "format", TEXT),
        TACHO_COLUMN(GENERATION, "gen", TEXT),
        TACHO_COLUMN(ORIGIN, "origin", TEXT),
        TACHO_COLUMN(CLOCK, "clock", TEXT),
        TACHO_COLUMN(EVENTS, "events", INT),
        TACHO_COLUMN(TRACKS, "tracks", INT),
        TACHO_COLUMN(ZERO_NS, "zero at", DURATION),
        TACHO_COLUMN(SPAN_NS, "time span", DURATION),
        TACHO_COLUMN(LOST, "lost", INT),
        TACHO_COLUMN(PATH, "path", TEXT),
    };
    tacho_table_init(out_table, "inputs", "Inputs", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_FILE, TACHO_COL_FORMAT,  TACHO_COL_EVENTS,
                                           TACHO_COL_LOST, TACHO_COL_SPAN_NS, TACHO_COL_OTHER};
    out_table->kept = kept;
    for (uint32_t part = 0; part < info->events.dict->part_count; part++) {
        TACHO_TRY(add_input(info, part, out_table));
    }
    return TACHO_OK;
}

static tacho_status add_track(const tacho_info *info, size_t id, tacho_table *table)
{
    const tacho_dict *dict = info->events.dict;
    const tacho_track *track = &dict->tracks[id];
    const tacho_info_sums *sums = &info->tracks[id];
    const tacho_clock *clock = &dict->clocks[track->clock];
    int64_t zero_ns = tacho_clock_ns(clock, info->parts[track->part].first_start);
    const char *class_name = tacho_track_class_name(track->track_class);
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[track->part].name)));
    uint32_t group = tacho_dict_track_group(dict, (uint32_t)id);
    if (dict->tracks[group].parent == TACHO_NONE) {
        TACHO_TRY(tacho_table_add_absent(table));
    } else {
        TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->tracks[group].name)));
    }
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, track->name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(class_name)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sums->row_count));
    TACHO_TRY(tacho_table_add_int(table, tacho_clock_ns(clock, sums->first_start) - zero_ns));
    TACHO_TRY(tacho_table_add_int(table, tacho_clock_ns(clock, sums->last_end) - zero_ns));
    TACHO_TRY(tacho_table_add_int(table, sums->total_ns));
    const tacho_info_sums *part = &info->parts[track->part];
    tacho_activity_line line;
    return tacho_table_add_text(
        table, tacho_activity_draw(info->activities[id], part->first_start, part->last_end, &line));
}

/* Tracks as a viewer shows them: by part, then rank. */
typedef struct track_place {
    uint32_t part;
    int32_t group_rank;
    uint32_t group;
    int32_t rank;
    size_t id;
} track_place;

static int compare_places(const void *a, const void *b)
{
    const track_place *place_a = a;
    const track_place *place_b = b;
    if (place_a->part != place_b->part) {
        return place_a->part < place_b->part ? -1 : 1;
    }
    if (place_a->group_rank != place_b->group_rank) {
        return place_a->group_rank < place_b->group_rank ? -1 : 1;
    }
    if (place_a->group != place_b->group) {
        return place_a->group < place_b->group ? -1 : 1;
    }
    if (place_a->rank != place_b->rank) {
        return place_a->rank < place_b->rank ? -1 : 1;
    }
    return place_a->id < place_b->id ? -1 : 1;
}

/* One row per track that has events. */
static tacho_status info_tracks(const tacho_info *info, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(GROUP, "group", TEXT),
        TACHO_COLUMN(TRACK, "track", TEXT),
        TACHO_COLUMN(CLASS, "class", TEXT),
        TACHO_COLUMN(EVENTS, "events", INT),
        TACHO_COLUMN(FIRST_NS, "first", DURATION),
        TACHO_COLUMN(LAST_NS, "last end", DURATION),
        TACHO_COLUMN(TOTAL_NS, "total", DURATION),
        TACHO_COLUMN(ACTIVITY, "activity from first to last event", PICTURE),
    };
    tacho_table_init(out_table, "tracks", "Tracks", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_TRACK, TACHO_COL_TOTAL_NS, TACHO_COL_EVENTS,
                                           TACHO_COL_GROUP, TACHO_COL_FILE,     TACHO_COL_OTHER};
    out_table->kept = kept;
    track_place *places = tacho_items_alloc(info->track_count, sizeof(*places));
    if (places == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tracks",
                          info->track_count);
    }
    size_t count = 0;
    for (size_t id = 0; id < info->track_count; id++) {
        if (info->tracks[id].row_count > 0) {
            const tacho_dict *dict = info->events.dict;
            const tacho_track *track = &dict->tracks[id];
            uint32_t group = tacho_dict_track_group(dict, (uint32_t)id);
            bool is_root = dict->tracks[group].parent == TACHO_NONE;
            places[count++] =
                (track_place){track->part, is_root ? INT32_MIN : dict->tracks[group].rank, group,
                              track->rank, id};
        }
    }
    qsort(places, count, sizeof(*places), compare_places);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add_track(info, places[i].id, out_table);
    }
    free(places);
    return status;
}

tacho_status tacho_info_losses(const tacho_info *info, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(REASON, "reason", TEXT),
        TACHO_COLUMN(MEANING, "meaning", TEXT),
        TACHO_COLUMN(COUNT, "records", INT),
        TACHO_COLUMN(FIRST_LINE, "first at line", INT),
        TACHO_COLUMN(EXAMPLE, "example", TEXT),
    };
    tacho_table_init(out_table, "lost", "Not read", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_REASON, TACHO_COL_COUNT, TACHO_COL_FILE,
                                           TACHO_COL_MEANING, TACHO_COL_OTHER};
    out_table->kept = kept;
    const tacho_dict *dict = info->events.dict;
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        const char *key = tacho_loss_key(loss->reason);
        const char *phrase = tacho_loss_phrase(loss->reason);
        TACHO_TRY(
            tacho_table_add_text(out_table, tacho_dict_string(dict, dict->parts[loss->part].name)));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(key)));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(phrase)));
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)loss->count));
        TACHO_TRY(loss->first_line > 0 ? tacho_table_add_int(out_table, (int64_t)loss->first_line)
                                       : tacho_table_add_absent(out_table));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_dict_string(dict, loss->example)));
    }
    return TACHO_OK;
}

/* "from.lost.part.2.cut_input": the part, counted from 0, and the reason's key; else false. */
static bool parse_loss_key(tacho_str key, uint64_t *out_part, tacho_str *out_reason)
{
    const tacho_str prefix = TACHO_STR("from.lost.part.");
    if (!tacho_str_starts_with(key, prefix)) {
        return false;
    }
    key = tacho_str_from(key, prefix.len);
    size_t point = tacho_str_find_byte(key, '.');
    if (point == key.len || !tacho_str_parse_u64(tacho_str_make(key.data, point), out_part) ||
        *out_part == 0) {
        return false;
    }
    (*out_part)--;
    *out_reason = tacho_str_from(key, point + 1);
    return true;
}

static tacho_str find_phrase(tacho_str reason)
{
    for (int i = 0; i < TACHO_LOSS_REASON_COUNT; i++) {
        if (tacho_str_equal(reason, tacho_str_from_cstring(tacho_loss_key((tacho_loss_reason)i)))) {
            return tacho_str_from_cstring(tacho_loss_phrase((tacho_loss_reason)i));
        }
    }
    return TACHO_STR("");
}

/* Whether all parts are from one file, so that its numbers of parts are those of the profile. */
static bool is_one_file(const tacho_dict *dict)
{
    for (size_t i = 1; i < dict->part_count; i++) {
        if (dict->parts[i].path != dict->parts[0].path) {
            return false;
        }
    }
    return true;
}

/* One row per reason for which records were lost when a trace, now an input, was made. */
static tacho_status info_losses_before(const tacho_info *info, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(REASON, "reason", TEXT),
        TACHO_COLUMN(MEANING, "meaning", TEXT),
        TACHO_COLUMN(COUNT, "records", INT),
    };
    tacho_table_init(out_table, "lost_before", "Lost when this trace was made", columns,
                     sizeof(columns) / sizeof(columns[0]));
    const tacho_dict *dict = info->events.dict;
    for (size_t i = 0; i < dict->metadata_count; i++) {
        uint64_t part = 0;
        uint64_t count = 0;
        tacho_str reason;
        if (!parse_loss_key(tacho_dict_string(dict, dict->metadata[i].key), &part, &reason) ||
            !tacho_str_parse_u64(tacho_dict_string(dict, dict->metadata[i].value), &count)) {
            continue;
        }
        bool is_known = part < dict->part_count && is_one_file(dict);
        TACHO_TRY(is_known ? tacho_table_add_text(out_table,
                                                  tacho_dict_string(dict, dict->parts[part].name))
                           : tacho_table_add_absent(out_table));
        TACHO_TRY(tacho_table_add_text(out_table, reason));
        TACHO_TRY(tacho_table_add_text(out_table, find_phrase(reason)));
        TACHO_TRY(tacho_table_add_int(out_table, count > INT64_MAX ? INT64_MAX : (int64_t)count));
    }
    return TACHO_OK;
}

/* A source's notes have plain keys; facts from a trace have a dot in their keys. */
static tacho_status info_notes(const tacho_info *info, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(NOTE, "note", TEXT),
        TACHO_COLUMN(VALUE, "value", TEXT),
    };
    tacho_table_init(out_table, "notes", "Notes", columns, sizeof(columns) / sizeof(columns[0]));
    const tacho_dict *dict = info->events.dict;
    for (size_t i = 0; i < dict->metadata_count; i++) {
        tacho_str key = tacho_dict_string(dict, dict->metadata[i].key);
        if (tacho_str_find_byte(key, '.') == key.len) {
            TACHO_TRY(tacho_table_add_text(out_table, key));
            TACHO_TRY(
                tacho_table_add_text(out_table, tacho_dict_string(dict, dict->metadata[i].value)));
        }
    }
    return TACHO_OK;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static tacho_status open_info(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    (void)options;
    tacho_info *info = calloc(1, sizeof(*info));
    if (info == NULL) {
        return tacho_no_memory();
    }
    tacho_info_init(info, dict);
    *out_events = &info->events;
    return TACHO_OK;
}

static tacho_status write_info(tacho_events *events, const void *options,
                               const tacho_table_taker *to)
{
    static tacho_status (*const makers[])(const tacho_info *, tacho_table *) = {
        info_inputs, info_tracks, info_losses_before, tacho_info_losses, info_notes};
    (void)options;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        tacho_table table = {0};
        tacho_status status = makers[i](info_of(events), &table);
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    return TACHO_OK;
}

static void close_info(tacho_events *events)
{
    if (events != NULL) {
        tacho_info_deinit(info_of(events));
        free(info_of(events));
    }
}

const tacho_analysis tacho_analysis_info = {
    .name = "info",
    .question = "what is in a profile, and what is lost",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_info,
    .write = write_info,
    .close = close_info,
};
