/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that tacho has written: restores everything that the sink (sinks/chrome_json.c) put beside
 * the format's own fields. A metadata event "tacho_part" opens each part.
 */
#include "sources/chrome/chrome_reader.h"

#include "codec/json_number.h"
#include "profile/locations.h"

#include <inttypes.h>
#include <stdio.h>

/* Per file; a run writes a part for each inference that it recorded. */
enum { PART_COUNT_MAX = 1 << 16 };

/* Kinds of key in |own_map|. */
enum { KEY_RUN, KEY_LOCATION };

/* ---- parts ------------------------------------------------------------------------------ */

/* The text of "tacho.part.<number>.<fact>" among the arguments. */
static tacho_str find_fact(const chrome_reader *reader, tacho_str fact)
{
    const chrome_args *args = &reader->event.args;
    for (size_t i = 0; i < args->item_count; i += chrome_arg_size(&args->items[i])) {
        tacho_str key = tacho_dict_string(reader->dict, args->items[i].key);
        if (tacho_str_starts_with(key, TACHO_STR("tacho.part.")) &&
            tacho_str_ends_with(key, fact) && key.data[key.len - fact.len - 1] == '.') {
            return chrome_arg_text(reader->dict, &args->items[i]);
        }
    }
    return TACHO_STR("");
}

/* The group that the description names is the root of the part. */
static tacho_status adopt_root(chrome_reader *reader)
{
    tacho_str pid = chrome_event_text(&reader->event, CHROME_PID);
    uint32_t index = 0;
    reader->tracks.part = reader->part;
    TACHO_TRY(chrome_tracks_process(&reader->tracks, pid, &index));
    chrome_process *process = &reader->tracks.processes[index];
    if (process->track == TACHO_NONE) {
        process->track = reader->dict->parts[reader->part].root;
        process->part = reader->part;
    }
    return TACHO_OK;
}

tacho_status chrome_own_open_part(chrome_reader *reader)
{
    TACHO_TRY(chrome_part_close(reader, false));
    if (++reader->part_count > PART_COUNT_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: more than %d parts", reader->reading->input->name,
                          PART_COUNT_MAX);
    }
    tacho_part_facts facts = {
        .path = reader->reading->path,
        .name = find_fact(reader, TACHO_STR("name")),
        .format = TACHO_STR("chrome"),
        .generation = TACHO_STR("tacho"),
        .origin = tacho_origin_find(find_fact(reader, TACHO_STR("origin"))),
        .covered_classes = tacho_classes_facts_parse(find_fact(reader, TACHO_STR("covers"))),
        .keeps_order = true,
    };
    tacho_str clock_name;
    if (!tacho_clock_facts_parse(find_fact(reader, TACHO_STR("clock")), &reader->clock,
                                 &clock_name)) {
        tacho_clock_init(&reader->clock, 1, 1);
        clock_name = TACHO_STR("ns");
    }
    reader->clock.has_fixed_zero = tacho_str_equal(find_fact(reader, TACHO_STR("alignment")),
                                                   TACHO_STR(TACHO_ALIGNMENT_FIXED));
    TACHO_TRY(tacho_dict_add_clock(reader->dict, &reader->clock, clock_name, &facts.clock));
    TACHO_TRY(tacho_dict_add_part(reader->dict, &facts, &reader->part));
    TACHO_TRY(tacho_dict_ensure_string(reader->dict, TACHO_STR("bytes"), &reader->bytes_key));
    chrome_pairing_begin_part(&reader->pairing, reader->part);
    reader->is_own = true;
    reader->texts.has_wide_names = true;
    return adopt_root(reader);
}

/* Adds the ticks in |field|; false when they do not fit. */
static bool add_ticks(const chrome_reader *reader, chrome_field_name field, int64_t *ticks)
{
    int64_t extra = 0;
    if (!chrome_event_has(&reader->event, field)) {
        return true;
    }
    if (!tacho_json_number_i64(reader->event.fields[field], &extra) || extra < 0 ||
        extra > reader->clock.max_ticks - *ticks) {
        return false;
    }
    *ticks += extra;
    return true;
}

bool chrome_own_ticks(const chrome_reader *reader, int64_t ns, bool is_end, int64_t *out_ticks)
{
    const tacho_clock *clock = &reader->clock;
    if (ns > tacho_clock_ns(clock, clock->max_ticks)) {
        return false;
    }
    *out_ticks = tacho_clock_ticks(clock, ns);
    return *out_ticks <= clock->max_ticks &&
           add_ticks(reader, is_end ? CHROME_END_TICK : CHROME_TICK, out_ticks) &&
           *out_ticks < INT64_MAX;
}

/* ---- spans ------------------------------------------------------------------------------ */

/* Takes the last argument off |row| if its key is |key|; else NULL. */
static const tacho_arg *take_last(const chrome_reader *reader, tacho_row *row, tacho_str key)
{
    if (row->arg_count <= reader->event.args.tail) {
        return NULL;
    }
    const tacho_arg *arg = &row->args[row->arg_count - 1];
    if (!tacho_str_equal(tacho_dict_string(reader->dict, arg->key), key)) {
        return NULL;
    }
    row->arg_count--;
    return arg;
}

static tacho_status restore_run(chrome_reader *reader, tacho_row *row)
{
    size_t arg_count = row->arg_count;
    const tacho_arg *invocation = take_last(reader, row, TACHO_STR("invocation"));
    const tacho_arg *name = take_last(reader, row, TACHO_STR("run"));
    bool has_number = invocation != NULL && invocation->type == TACHO_ARG_INT;
    if (name == NULL || (invocation != NULL && !has_number) ||
        (name->type != TACHO_ARG_STRING && name->type != TACHO_ARG_TEXT)) {
        row->arg_count = arg_count; /* not added by tacho */
        return TACHO_OK;
    }
    tacho_run run = {.part = reader->part,
                     .invocation = has_number ? invocation->value.as_int : -1};
    TACHO_TRY(
        tacho_dict_ensure_string(reader->dict, chrome_arg_text(reader->dict, name), &run.name));
    uint64_t number = (uint64_t)run.invocation;
    chrome_key key = {{KEY_RUN, run.part, run.name, (uint32_t)number, (uint32_t)(number >> 32)}};
    uint32_t added = (uint32_t)reader->dict->run_count;
    TACHO_TRY(chrome_map_ensure(&reader->own_map, &key, added, &row->of.span.run));
    return row->of.span.run == added ? tacho_dict_add_run(reader->dict, &run, &added) : TACHO_OK;
}

static tacho_status restore_location(chrome_reader *reader, tacho_row *row)
{
    const tacho_arg *arg = take_last(reader, row, TACHO_STR("location"));
    tacho_str text = chrome_arg_text(reader->dict, arg);
    if (arg == NULL || text.len == 0) {
        row->arg_count += arg != NULL ? 1 : 0;
        return TACHO_OK;
    }
    tacho_site site = reader->dict->sites[row->of.span.site];
    chrome_key key = {{KEY_LOCATION}};
    TACHO_TRY(tacho_dict_ensure_string(reader->dict, text, &key.words[1]));
    TACHO_TRY(chrome_map_ensure(&reader->own_map, &key, TACHO_NONE, &site.location));
    if (site.location == TACHO_NONE) {
        TACHO_TRY(tacho_location_file(reader->dict, key.words[1], &site.location));
        reader->own_map.items[reader->own_map.item_count - 1].value = site.location;
    }
    return tacho_dict_ensure_site(reader->dict, &site, &row->of.span.site);
}

/* Cycles give the end exactly where nanoseconds are too coarse. */
static void restore_cycles(const chrome_reader *reader, tacho_row *row)
{
    if (!reader->clock.counts_cycles || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        return;
    }
    const tacho_arg *arg = take_last(reader, row, TACHO_STR("cycles"));
    if (arg == NULL) {
        return;
    }
    if (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0 &&
        arg->value.as_int <= reader->clock.max_ticks - row->start) {
        row->of.span.end = row->start + arg->value.as_int;
    } else {
        row->arg_count++;
    }
}

/* The unit that all sources give to an argument of this name; traces do not carry units. */
static void restore_units(chrome_reader *reader)
{
    chrome_args *args = &reader->event.args;
    for (size_t i = 0; i < args->item_count; i += chrome_arg_size(&args->items[i])) {
        tacho_arg *arg = &args->items[i];
        bool is_count = arg->type == TACHO_ARG_INT && arg->value.as_int >= 0;
        if (arg->key == reader->bytes_key && is_count) {
            arg->unit = TACHO_UNIT_BYTES;
        }
    }
}

tacho_status chrome_own_restore_span(chrome_reader *reader, tacho_row *row)
{
    restore_units(reader);
    const tacho_arg *arg = take_last(reader, row, TACHO_STR("unended"));
    if (arg != NULL && arg->type == TACHO_ARG_BOOL && arg->value.as_bool) {
        row->of.span.flags |= TACHO_SPAN_UNENDED;
    } else if (arg != NULL) {
        row->arg_count++;
    }
    arg = take_last(reader, row, TACHO_STR("origin"));
    tacho_origin origin = tacho_origin_find(chrome_arg_text(reader->dict, arg));
    if (origin != TACHO_ORIGIN_UNKNOWN) {
        row->of.span.flags |= (uint32_t)origin;
    } else if (arg != NULL) {
        row->arg_count++;
    }
    TACHO_TRY(restore_run(reader, row));
    TACHO_TRY(restore_location(reader, row));
    restore_cycles(reader, row);
    return TACHO_OK;
}

/* ---- flows, counters, tracks ------------------------------------------------------------ */

tacho_status chrome_own_restore_flow(chrome_reader *reader, tacho_row *row)
{
    tacho_str name = chrome_event_text(&reader->event, CHROME_NAME);
    for (int i = TACHO_FLOW_DATA; i <= TACHO_FLOW_LAUNCH; i++) {
        if (tacho_str_equal(name,
                            tacho_str_from_cstring(tacho_flow_role_name((tacho_flow_role)i)))) {
            row->of.flow.role = (tacho_flow_role)i;
        }
    }
    const tacho_arg *arg =
        chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("span_ticks"));
    if (arg != NULL && arg->type == TACHO_ARG_INT && arg->value.as_int >= 0 &&
        arg->value.as_int <= reader->clock.max_ticks - row->start) {
        row->of.flow.span_end = row->start + arg->value.as_int;
        arg = chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("span"));
        TACHO_TRY(tacho_dict_ensure_string(reader->dict, chrome_arg_text(reader->dict, arg),
                                           &row->of.flow.span_name));
    }
    return TACHO_OK;
}

bool chrome_own_unit(tacho_str key, tacho_unit *out_unit)
{
    *out_unit = TACHO_UNIT_NONE;
    if (tacho_str_equal(key, TACHO_STR("value"))) {
        return true;
    }
    for (int i = TACHO_UNIT_NONE + 1; i < TACHO_UNIT_END; i++) {
        if (tacho_str_equal(key, tacho_str_from_cstring(tacho_unit_name((tacho_unit)i)))) {
            *out_unit = (tacho_unit)i;
            return true;
        }
    }
    return false;
}

/*
 * Merges |lane| with the thread it is a lane of. A track it already has is marked as a lane from
 * here on.
 */
static tacho_status join_lane(chrome_reader *reader, uint32_t lane, uint64_t lane_of)
{
    chrome_tracks *tracks = &reader->tracks;
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, lane_of);
    uint32_t index = 0;
    tacho_str pid =
        tacho_strings_get(&tracks->ids, tracks->processes[tracks->threads[lane].process].id);
    TACHO_TRY(chrome_tracks_thread(tracks, pid, tacho_str_make(digits, (size_t)len), &index));
    if (index == lane || tracks->processes[tracks->threads[lane].process].part != reader->part) {
        return TACHO_OK;
    }
    if (tracks->threads[index].track == TACHO_NONE) {
        TACHO_TRY(chrome_tracks_make_thread_track(tracks, index));
    }
    uint32_t main_track = tracks->threads[index].track;
    uint32_t *track = &tracks->threads[lane].track;
    if (*track == TACHO_NONE) {
        *track = main_track;
        tracks->threads[lane].shares_track = true;
    } else if (main_track < *track && tracks->dict->tracks[main_track].lane_of == TACHO_NONE) {
        tracks->dict->tracks[*track].lane_of = main_track;
    }
    return TACHO_OK;
}

tacho_status chrome_own_take_lane(chrome_reader *reader, uint32_t thread)
{
    const tacho_arg *arg = chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("of"));
    bool is_number = arg != NULL && arg->type == TACHO_ARG_INT && arg->value.as_int > 0;
    return is_number && reader->is_own ? join_lane(reader, thread, (uint64_t)arg->value.as_int)
                                       : TACHO_OK;
}

tacho_status chrome_own_take_facts(chrome_reader *reader, uint32_t thread)
{
    const tacho_arg *arg = chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("facts"));
    tacho_track_facts facts;
    if (arg == NULL || !reader->is_own ||
        !tacho_track_facts_parse(chrome_arg_text(reader->dict, arg), &facts) ||
        facts.track_class == TACHO_TRACK_GROUP || facts.track_class == TACHO_TRACK_COUNTER) {
        return TACHO_OK;
    }
    chrome_description *said = &reader->tracks.threads[thread].said;
    said->has_facts = true;
    said->facts = facts;
    bool is_known = reader->tracks.threads[thread].shares_track;
    return facts.lane_of != 0 && !is_known ? join_lane(reader, thread, facts.lane_of) : TACHO_OK;
}

/* The whole number |key| of a description; 0 when it is not a whole number. */
static int64_t find_number(const chrome_reader *reader, tacho_str key)
{
    const tacho_arg *arg = chrome_event_find_arg(&reader->event, reader->dict, key);
    bool is_number = arg != NULL && arg->type == TACHO_ARG_INT && arg->value.as_int >= INT32_MIN &&
                     arg->value.as_int <= INT32_MAX;
    return is_number ? arg->value.as_int : 0;
}

tacho_status chrome_own_take_counter(chrome_reader *reader)
{
    const chrome_event *event = &reader->event;
    const tacho_dict *dict = reader->dict;
    chrome_counter counter = {.words = {TACHO_NONE}};
    tacho_unit unit = TACHO_UNIT_NONE;
    uint32_t track = TACHO_NONE;
    bool is_new = false;
    tacho_str unit_name =
        chrome_arg_text(dict, chrome_event_find_arg(event, dict, TACHO_STR("unit")));
    chrome_own_unit(unit_name, &unit);
    counter.unit = unit;
    TACHO_TRY(chrome_tracks_process(&reader->tracks, chrome_event_number(event, CHROME_PID),
                                    &counter.process));
    TACHO_TRY(chrome_tracks_ensure_id(&reader->tracks, chrome_event_text(event, CHROME_TID),
                                      &counter.words[1]));
    if (reader->tracks.processes[counter.process].part != reader->part) {
        return TACHO_OK; /* of a part that has ended */
    }
    TACHO_TRY(chrome_tracks_counter(&reader->tracks, &counter, &track, &is_new));
    if (!is_new) {
        return TACHO_OK;
    }
    tacho_str name = chrome_arg_text(dict, chrome_event_find_arg(event, dict, TACHO_STR("name")));
    tacho_track *made = &reader->dict->tracks[track];
    made->rank = (int32_t)find_number(reader, TACHO_STR("rank"));
    made->index = (uint32_t)find_number(reader, TACHO_STR("index"));
    return tacho_dict_ensure_string(reader->dict, name, &made->name);
}
