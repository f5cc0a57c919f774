/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects rows for a .tracy file: spooled by track, with their nesting.
 *
 * Spans are zones of a thread, or of a device if Tracy recorded them as such; tracks that are not
 * threads are written as fibers, which have a name but not a number. Instants are messages,
 * counters are plots. Arguments become the text of their zone. Zones of devices cannot have text,
 * and arrows are not supported.
 */
#include "sinks/tracy.h"

#include "base/grow.h"
#include "profile/tracy_rows.h"
#include "sinks/trace_rows.h"
#include "sinks/tracy_state.h"

#include <inttypes.h>
#include <stdlib.h>

static tracy_sink *sink_of(tacho_events *events)
{
    return (tracy_sink *)(void *)events;
}

static bool is_word(const tacho_dict *dict, uint32_t string, const char *word)
{
    return tacho_str_equal(tacho_dict_string(dict, string), tacho_str_from_cstring(word));
}

static tacho_status ensure_track(tracy_sink *sink, uint32_t track, tracy_track **out_track)
{
    if (track >= sink->track_count) {
        size_t count = sink->events.dict->track_count;
        TACHO_TRY(tacho_grow(&sink->tracks, &sink->track_capacity, count));
        for (; sink->track_count < count; sink->track_count++) {
            sink->tracks[sink->track_count] = (tracy_track){.last_end = -1};
        }
    }
    *out_track = &sink->tracks[track];
    return TACHO_OK;
}

/* Nanoseconds: for a Tracy capture from the start of its program, as stored there. */
static tacho_status time_of(tracy_sink *sink, const tacho_row *row, int64_t ticks, int64_t *out_ns)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_part *part = &dict->parts[dict->tracks[row->track].part];
    bool is_raw = !sink->options.side_by_side && is_word(dict, part->format, "tracy");
    *out_ns = is_raw ? ticks : tacho_trace_ns(dict, row, ticks);
    if (*out_ns < 0 || *out_ns > TRACY_TIME_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%s: an event at %" PRId64 " ns; a .tracy file holds 39 hours at most, "
                          "use .pftrace or .tacho",
                          tacho_dict_string(dict, part->path).data, *out_ns);
    }
    sink->last_time = *out_ns > sink->last_time ? *out_ns : sink->last_time;
    return TACHO_OK;
}

/* ---- zones --------------------------------------------------------------------------------- */

/* Ends the innermost zone: the number of zones in it is now known. */
static tacho_status close_zone(tracy_sink *sink, tracy_track *track)
{
    const tracy_open *zone = &track->stack[--track->depth];
    if (zone->children == 0) {
        return TACHO_OK;
    }
    track->parent_count++;
    return tracy_spool_replace(&sink->spool, &track->zones,
                               zone->at + offsetof(tracy_zone, children), &zone->children,
                               sizeof(zone->children));
}

static tacho_status add_zone(tracy_sink *sink, tracy_track *track, const tracy_zone *zone)
{
    while (track->depth > 0 && track->stack[track->depth - 1].end <= zone->start) {
        TACHO_TRY(close_zone(sink, track));
    }
    if (track->depth > 0) {
        track->stack[track->depth - 1].children++;
    } else {
        track->root_count++;
    }
    TACHO_TRY(tacho_grow(&track->stack, &track->stack_capacity, track->depth + 1));
    track->stack[track->depth++] =
        (tracy_open){.end = zone->end, .at = tracy_stream_size(&track->zones)};
    track->zone_count++;
    return tracy_spool_append(&sink->spool, &track->zones, zone, sizeof(*zone));
}

static tacho_status take_zone(tracy_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    tracy_track *track = NULL;
    tracy_said said;
    tracy_zone zone = {.is_unended = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0};
    TACHO_TRY(ensure_track(sink, row->track, &track));
    TACHO_TRY(time_of(sink, row, row->start, &zone.start));
    TACHO_TRY(time_of(sink, row, row->of.span.end, &zone.end));
    if (track->zone_count == 0) {
        track->is_device =
            is_word(dict, dict->sites[row->of.span.site].category, TACHO_TRACY_CATEGORY_DEVICE);
    }
    TACHO_TRY(tracy_say(sink, row, &said));
    TACHO_TRY(tracy_ensure_place(sink, row, &said, &zone));
    sink->places[zone.place].zone_count += track->is_device ? 0 : 1;
    sink->places[zone.place].device_count += track->is_device ? 1 : 0;
    return add_zone(sink, track, &zone);
}

static tacho_status take_frame(tracy_sink *sink, const tacho_row *row)
{
    tracy_track *track = NULL;
    tracy_pair pair;
    TACHO_TRY(ensure_track(sink, row->track, &track));
    TACHO_TRY(time_of(sink, row, row->start, &pair.time));
    TACHO_TRY(time_of(sink, row, row->of.span.end, &pair.value));
    track->has_gaps |= track->frame_count > 0 && track->last_end != pair.time;
    track->last_end = pair.value;
    track->frame_count++;
    return tracy_spool_append(&sink->spool, &track->pairs, &pair, sizeof(pair));
}

/* ---- instants and samples ------------------------------------------------------------------ */

/* The text of a message; for another instant its name, and its arguments on further lines. */
static tacho_status moment_text(tracy_sink *sink, const tacho_row *row, const tracy_said *said,
                                uint32_t *out_text)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    tacho_str name = tacho_dict_string(dict, site->name);
    tacho_args_text whole = {.text = NULL};
    if (is_word(dict, site->category, TACHO_TRACY_CATEGORY_MESSAGE)) {
        return tracy_ensure_text(sink, said->text, out_text);
    }
    tacho_status status = tacho_args_text_add(&whole, name);
    if (status == TACHO_OK && said->text.len > 0) {
        status = tacho_args_text_add(&whole, TACHO_STR("\n"));
    }
    if (status == TACHO_OK) {
        status = tacho_args_text_add(&whole, said->text);
    }
    if (status == TACHO_OK) {
        status = tracy_ensure_text(sink, tacho_str_make(whole.text, whole.len), out_text);
    }
    tacho_args_text_deinit(&whole);
    return status;
}

static tacho_status take_moment(tracy_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_crash = is_word(dict, site->category, TACHO_TRACY_CATEGORY_MESSAGE) &&
                    is_word(dict, site->name, "crash");
    tracy_track *track = NULL;
    tracy_said said;
    tracy_message made = {.track = row->track, .order = sink->message_count};
    TACHO_TRY(ensure_track(sink, row->track, &track));
    TACHO_TRY(time_of(sink, row, row->start, &made.time));
    TACHO_TRY(tracy_say(sink, row, &said));
    TACHO_TRY(moment_text(sink, row, &said, &made.text));
    made.color = said.color;
    track->message_count++; /* keeps the track, even without zones */
    if (is_crash && sink->crash.text == TACHO_NONE) {
        sink->crash = made;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&sink->messages, &sink->message_capacity, sink->message_count + 1));
    sink->messages[sink->message_count++] = made;
    return TACHO_OK;
}

static tacho_status take_sample(tracy_sink *sink, const tacho_row *row)
{
    tracy_track *track = NULL;
    tracy_pair pair;
    double value = row->of.sample.value;
    bool is_good = false;
    TACHO_TRY(tacho_trace_check_sample(sink->events.dict, row, &is_good));
    if (!is_good) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_track(sink, row->track, &track));
    TACHO_TRY(time_of(sink, row, row->start, &pair.time));
    memcpy(&pair.value, &value, sizeof(value));
    track->min = track->sample_count == 0 || value < track->min ? value : track->min;
    track->max = track->sample_count == 0 || value > track->max ? value : track->max;
    track->sum += value;
    track->sample_count++;
    return tracy_spool_append(&sink->spool, &track->pairs, &pair, sizeof(pair));
}

/* ---- the sink ------------------------------------------------------------------------------ */

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    tracy_sink *sink = sink_of(events);
    const tacho_dict *dict = events->dict;
    if (row->kind == TACHO_ROW_SAMPLE) {
        return take_sample(sink, row);
    }
    if (row->kind == TACHO_ROW_FLOW) {
        return TACHO_OK;
    }
    if ((row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        return take_moment(sink, row);
    }
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_frame = dict->tracks[row->track].track_class == TACHO_TRACK_PHASE &&
                    is_word(dict, site->category, TACHO_TRACY_CATEGORY_FRAME) &&
                    is_word(dict, site->name, "frame");
    return is_frame ? take_frame(sink, row) : take_zone(sink, row);
}

static tacho_status finish(tacho_events *events)
{
    tracy_sink *sink = sink_of(events);
    for (size_t i = 0; i < sink->track_count; i++) {
        while (sink->tracks[i].depth > 0) {
            TACHO_TRY(close_zone(sink, &sink->tracks[i]));
        }
    }
    TACHO_TRY(tracy_name_tracks(sink));
    TACHO_TRY(tracy_note_infos(sink));
    return tracy_write_file(sink);
}

static const tacho_events_vtable vtable = {.row = take_row, .finish = finish};

static void close_sink(tacho_events *events)
{
    tracy_sink *sink = sink_of(events);
    for (size_t i = 0; i < sink->track_count; i++) {
        tracy_stream_deinit(&sink->tracks[i].zones);
        tracy_stream_deinit(&sink->tracks[i].pairs);
        free(sink->tracks[i].stack);
    }
    tracy_spool_close(&sink->spool);
    if (sink->has_texts) {
        tacho_strings_deinit(&sink->texts);
    }
    tacho_number_map_deinit(&sink->variant_map);
    tacho_number_map_deinit(&sink->title_map);
    tacho_number_map_deinit(&sink->place_map);
    tacho_number_map_deinit(&sink->extra_map);
    tacho_args_text_deinit(&sink->args);
    tacho_tracy_pack_deinit(&sink->pack);
    free(sink->tracks);
    free(sink->places);
    free(sink->extras);
    free(sink->messages);
    free(sink->contexts);
    free(sink->lanes);
    free(sink->infos);
    free(sink->kept);
    free(sink);
}

static tacho_status start(tracy_sink *sink, tacho_dict *dict)
{
    TACHO_TRY(tacho_strings_init(&sink->texts));
    sink->has_texts = true;
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_TRACY_ARG_TEXT), &sink->key_text));
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_TRACY_ARG_FUNCTION), &sink->key_function));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_TRACY_ARG_COLOR), &sink->key_color));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_TRACY_ARG_PLACE), &sink->key_place));
    TACHO_TRY(tacho_grow(&sink->places, &sink->place_capacity, 1));
    sink->places[sink->place_count++] = (tracy_place){0};
    TACHO_TRY(tracy_ensure_text(sink, TACHO_STR("(other)"), &sink->places[0].function));
    TACHO_TRY(tacho_grow(&sink->extras, &sink->extra_capacity, 1));
    sink->extras[sink->extra_count++] = (tracy_extra){0}; /* of zones without extra data */
    return tacho_tracy_pack_init(&sink->pack, sink->output);
}

static tacho_status open_sink(tacho_dict *dict, tacho_output *output,
                              const tacho_trace_options *options, tacho_events **out_events)
{
    tracy_sink *sink = NULL;
    TACHO_TRY(tacho_items_make(&sink, 1));
    *sink = (tracy_sink){.events = {.vtable = &vtable, .dict = dict},
                         .output = output,
                         .options = *options,
                         .args = {.equals = ": ", .separator = "\n"},
                         .crash = {.text = TACHO_NONE}};
    tacho_status status = start(sink, dict);
    if (status != TACHO_OK) {
        close_sink(&sink->events);
        return status;
    }
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".tracy", NULL};

const tacho_trace_sink tacho_sink_tracy = {
    .name = "tracy",
    .title = "Tracy capture, for Tracy's profiler",
    .suffixes = suffixes,
    .source = "tracy",
    .limits = TACHO_LIMIT_PARTIAL,
    .open = open_sink,
    .close = close_sink,
};
