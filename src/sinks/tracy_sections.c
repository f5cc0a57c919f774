/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sections of a .tracy file in their order. Sections without data in tacho (call stacks, locks,
 * symbols, context switches, images) are present and empty.
 */
#include "base/grow.h"
#include "sinks/tracy_state.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    KEY_STEP = 16, /* texts and messages are named by addresses */
    PLOT_NUMBER = 0,
    PLOT_MEMORY = 1,
    PLOT_PERCENT = 2,
    PROCESSORS = 256,
    FIRST_FRAMES = 2,
    REF_IS_INDEX = 3,
};

static const uint64_t first_text_key = 0x10000;
static const uint64_t first_place_key = UINT64_C(0x100000000);
static const uint64_t first_message_key = UINT64_C(0x200000000);

static uint64_t text_key(uint32_t text)
{
    return first_text_key + (uint64_t)text * KEY_STEP;
}

static void put(tracy_sink *sink, uint64_t value, size_t bytes)
{
    tacho_tracy_pack_number(&sink->pack, value, bytes);
}

static void put_u64(tracy_sink *sink, uint64_t value)
{
    put(sink, value, 8);
}

static void put_f64(tracy_sink *sink, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_u64(sink, bits);
}

static void put_text(tracy_sink *sink, tacho_str text)
{
    put_u64(sink, text.len);
    tacho_tracy_pack_bytes(&sink->pack, text.data, text.len);
}

/* A text by its index. */
static void put_ref(tracy_sink *sink, uint32_t text)
{
    put_u64(sink, text);
    put(sink, text != 0 ? REF_IS_INDEX : 0, 1);
}

/* Like put_ref, in three bytes. */
static void put_short_ref(tracy_sink *sink, uint32_t text)
{
    put(sink, text != 0 ? text + 1 : 0, 3);
}

static void put_time(tracy_sink *sink, int64_t *running, int64_t time)
{
    put_u64(sink, (uint64_t)time - (uint64_t)*running);
    *running = time;
}

/* ---- head ---------------------------------------------------------------------------------- */

/* The metadata "tracy.WORD" of the profile; empty if missing. */
static tacho_str find_fact(const tacho_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->metadata_count; i++) {
        if (tacho_str_equal(tacho_dict_string(dict, dict->metadata[i].key),
                            tacho_str_from_cstring(key))) {
            return tacho_dict_string(dict, dict->metadata[i].value);
        }
    }
    return TACHO_STR("");
}

/* The process of the first track that has one. */
static uint64_t find_process(const tracy_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (uint32_t i = 0; i < sink->track_count; i++) {
        const tacho_track *group = &dict->tracks[tacho_dict_track_group(dict, i)];
        if (sink->tracks[i].thread != 0 && group->has_number) {
            return (uint64_t)group->number;
        }
    }
    return 0;
}

/* Writes the host text with the writer of the file, and the origin of its times. */
static void put_host(tracy_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_str host = find_fact(dict, "tracy.host");
    tacho_str name = tacho_str_from_cstring(tacho_origin_name(tracy_common_origin(dict)));
    tacho_str head = TACHO_STR(TACHO_TRACY_WRITTEN_BY);
    if (tacho_str_starts_with(host, head)) {
        size_t line = head.len + tacho_str_find_byte(tacho_str_from(host, head.len), '\n');
        host = line < host.len ? tacho_str_from(host, line + 1) : TACHO_STR("");
    }
    put_u64(sink, head.len + name.len + 1 + host.len);
    tacho_tracy_pack_bytes(&sink->pack, head.data, head.len);
    tacho_tracy_pack_bytes(&sink->pack, name.data, name.len);
    tacho_tracy_pack_bytes(&sink->pack, "\n", 1);
    tacho_tracy_pack_bytes(&sink->pack, host.data, host.len);
}

static void put_head(tracy_sink *sink)
{
    static const unsigned char version[] = {'t', 'r', 'a', 'c', 'y', 0, 10, 0};
    const tacho_dict *dict = sink->events.dict;
    tacho_str program = find_fact(dict, "tracy.program");
    tacho_str name =
        dict->part_count > 0 ? tacho_dict_string(dict, dict->parts[0].name) : TACHO_STR("tacho");
    tacho_str capture = find_fact(dict, "tracy.capture");
    tacho_tracy_pack_bytes(&sink->pack, version, sizeof(version));
    put_u64(sink, 0); /* delay */
    put_u64(sink, 1); /* resolution */
    put_f64(sink, 1.0);
    put_u64(sink, (uint64_t)sink->last_time);
    put_u64(sink, 0); /* frames before the first */
    put_u64(sink, find_process(sink));
    tacho_tracy_pack_zeros(&sink->pack, 8 + 1 + 4 + 12 + 1);
    put_text(sink, capture.len > 0 ? capture : name);
    put_text(sink, program.len > 0 ? program : name);
    tacho_tracy_pack_zeros(&sink->pack, 16); /* time of creation */
    put_host(sink);
    put_u64(sink, 0); /* no processors */
    bool has_crash = sink->crash.text != TACHO_NONE;
    put_u64(sink, has_crash ? sink->tracks[sink->crash.track].tid : 0);
    put_u64(sink, has_crash ? (uint64_t)sink->crash.time : 0);
    put_u64(sink, has_crash ? text_key(sink->crash.text) : 0);
    put(sink, 0, 4);
}

/* ---- frames -------------------------------------------------------------------------------- */

static bool is_main_set(const tracy_sink *sink, const tracy_track *track)
{
    return track->frame_count > 0 && !track->has_gaps &&
           tacho_str_equal(tacho_strings_get(&sink->texts, track->name), TACHO_STR("Frame"));
}

static tacho_status put_frames(tracy_sink *sink, const tracy_track *track)
{
    tracy_cursor cursor;
    tracy_pair frame = {0};
    int64_t running = 0;
    bool is_there = true;
    tracy_cursor_init(&cursor, &sink->spool, &track->pairs);
    for (uint64_t i = 0; i < track->frame_count; i++) {
        TACHO_TRY(tracy_cursor_next(&cursor, &frame, sizeof(frame), &is_there));
        put_time(sink, &running, frame.time);
        if (track->has_gaps) {
            put_time(sink, &running, frame.value);
        }
        put(sink, UINT32_MAX, 4);
    }
    if (!track->has_gaps) {
        put_time(sink, &running, frame.value);
        put(sink, UINT32_MAX, 4);
    }
    return TACHO_OK;
}

/*
 * Writes the main set: in every file it begins with the start of the program and that of recording.
 */
static tacho_status put_main_set(tracy_sink *sink, const tracy_track *track)
{
    put_u64(sink, 0);
    put(sink, 1, 1);
    put_u64(sink, FIRST_FRAMES + (track != NULL ? track->frame_count + 1 : 0));
    for (int i = 0; i < FIRST_FRAMES; i++) {
        put_u64(sink, 0);
        put(sink, UINT32_MAX, 4);
    }
    return track != NULL ? put_frames(sink, track) : TACHO_OK;
}

static tacho_status put_frame_sets(tracy_sink *sink)
{
    const tracy_track *main_set = NULL;
    uint64_t count = 1;
    for (size_t i = 0; i < sink->track_count; i++) {
        const tracy_track *track = &sink->tracks[i];
        main_set = main_set == NULL && is_main_set(sink, track) ? track : main_set;
        count += track->frame_count > 0 && track != main_set ? 1 : 0;
    }
    put_u64(sink, count);
    TACHO_TRY(put_main_set(sink, main_set));
    for (size_t i = 0; i < sink->track_count; i++) {
        const tracy_track *track = &sink->tracks[i];
        if (track->frame_count > 0 && track != main_set) {
            put_u64(sink, text_key(track->name));
            put(sink, track->has_gaps ? 0 : 1, 1);
            put_u64(sink, track->frame_count + (track->has_gaps ? 0 : 1));
            TACHO_TRY(put_frames(sink, track));
        }
    }
    return TACHO_OK;
}

/* ---- names --------------------------------------------------------------------------------- */

static void put_texts(tracy_sink *sink)
{
    uint32_t count = (uint32_t)sink->texts.item_count;
    put_u64(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        put_u64(sink, text_key(i));
        put_text(sink, tacho_strings_get(&sink->texts, i));
    }
    /* Texts looked up by address: here the address is the text's own. */
    put_u64(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        put_u64(sink, text_key(i));
        put_u64(sink, text_key(i));
    }
}

static void put_threads(tracy_sink *sink)
{
    uint64_t count = 0;
    for (size_t i = 0; i < sink->track_count; i++) {
        count += sink->tracks[i].thread != 0 ? 1 : 0;
    }
    put_u64(sink, count);
    for (size_t i = 0; i < sink->track_count; i++) {
        if (sink->tracks[i].thread != 0) {
            put_u64(sink, sink->tracks[i].tid);
            put_u64(sink, text_key(sink->tracks[i].name));
        }
    }
    put_u64(sink, 0);         /* threads of others */
    put_u64(sink, count + 1); /* by number, which is never 0 */
    put_u64(sink, 0);
    for (size_t i = 0; i < sink->track_count; i++) {
        if (sink->tracks[i].thread != 0) {
            put_u64(sink, sink->tracks[i].tid);
        }
    }
    put_u64(sink, 0);
}

static void put_place(tracy_sink *sink, const tracy_place *place)
{
    put_ref(sink, place->name);
    put_ref(sink, place->function);
    put_ref(sink, place->file);
    put(sink, place->line, 4);
    put(sink, tracy_stored_color(place->color), 4);
}

static void put_counts(tracy_sink *sink, bool is_device)
{
    uint64_t used = 0;
    for (size_t i = 0; i < sink->place_count; i++) {
        const tracy_place *place = &sink->places[i];
        used += (is_device ? place->device_count : place->zone_count) > 0 ? 1 : 0;
    }
    put_u64(sink, used);
    for (size_t i = 0; i < sink->place_count; i++) {
        const tracy_place *place = &sink->places[i];
        uint64_t count = is_device ? place->device_count : place->zone_count;
        if (count > 0) {
            put(sink, (uint16_t)tracy_place_number(i), 2);
            put_u64(sink, count);
        }
    }
}

static void put_places(tracy_sink *sink)
{
    size_t statics = sink->place_count < TRACY_STATIC_MAX ? sink->place_count : TRACY_STATIC_MAX;
    put_u64(sink, statics);
    for (size_t i = 0; i < statics; i++) {
        put_u64(sink, first_place_key + i * KEY_STEP);
        put_place(sink, &sink->places[i]);
    }
    put_u64(sink, statics + 1); /* by number, which is never 0 */
    put_u64(sink, 0);
    for (size_t i = 0; i < statics; i++) {
        put_u64(sink, first_place_key + i * KEY_STEP);
    }
    put_u64(sink, sink->place_count - statics);
    for (size_t i = statics; i < sink->place_count; i++) {
        put_place(sink, &sink->places[i]);
    }
    put_counts(sink, false);
    put_counts(sink, true);
}

/* ---- messages ------------------------------------------------------------------------------ */

static int compare_messages(const void *a, const void *b)
{
    const tracy_message *first = a;
    const tracy_message *second = b;
    if (first->time != second->time) {
        return first->time < second->time ? -1 : 1;
    }
    return first->order < second->order ? -1 : first->order > second->order;
}

/* By track, then by place in the file. */
static int compare_owners(const void *a, const void *b)
{
    const tracy_message *first = a;
    const tracy_message *second = b;
    if (first->track != second->track) {
        return first->track < second->track ? -1 : 1;
    }
    return first->order < second->order ? -1 : first->order > second->order;
}

/* Writes messages in time order, and leaves them sorted by track. */
static void put_messages(tracy_sink *sink)
{
    int64_t running = 0;
    put_u64(sink, sink->message_count);
    if (sink->message_count == 0) {
        return;
    }
    qsort(sink->messages, sink->message_count, sizeof(*sink->messages), compare_messages);
    for (size_t i = 0; i < sink->message_count; i++) {
        tracy_message *message = &sink->messages[i];
        message->order = i;
        put_u64(sink, first_message_key + i * KEY_STEP);
        put_time(sink, &running, message->time);
        put_u64(sink, message->text); /* an empty one is a text, too */
        put(sink, REF_IS_INDEX, 1);
        put(sink,
            message->color != 0 ? 0xff000000 | tracy_stored_color(message->color) : UINT32_MAX, 4);
        put(sink, 0, 3);
    }
    qsort(sink->messages, sink->message_count, sizeof(*sink->messages), compare_owners);
}

static void put_extras(tracy_sink *sink)
{
    put_u64(sink, sink->extra_count);
    for (size_t i = 0; i < sink->extra_count; i++) {
        put(sink, 0, 3);
        put_short_ref(sink, sink->extras[i].text);
        put_short_ref(sink, sink->extras[i].name);
        put(sink, 0, 3);
    }
}

/* ---- zones --------------------------------------------------------------------------------- */

/* Writes the messages of one track: |next| is its first message, then the one after its last. */
static void put_own_messages(tracy_sink *sink, uint32_t track, size_t *next)
{
    size_t end = *next;
    while (end < sink->message_count && sink->messages[end].track == track) {
        end++;
    }
    put_u64(sink, end - *next);
    for (; *next < end; ++*next) {
        put_u64(sink, first_message_key + sink->messages[*next].order * KEY_STEP);
    }
}

static tacho_status put_thread_zones(tracy_sink *sink)
{
    uint64_t zones = 0;
    uint64_t parents = 0;
    uint64_t threads = 0;
    size_t next = 0;
    for (size_t i = 0; i < sink->track_count; i++) {
        const tracy_track *track = &sink->tracks[i];
        bool has_zones = track->thread != 0 && !track->is_device;
        zones += has_zones ? track->zone_count : 0;
        parents += has_zones ? track->parent_count : 0;
        threads += has_zones || track->message_count > 0 ? 1 : 0;
    }
    put_u64(sink, zones);
    put_u64(sink, parents);
    put_u64(sink, threads);
    for (uint32_t i = 0; i < sink->track_count; i++) {
        const tracy_track *track = &sink->tracks[i];
        bool has_zones = track->thread != 0 && !track->is_device;
        if (!has_zones && track->message_count == 0) {
            continue;
        }
        put_u64(sink, track->tid);
        put_u64(sink, has_zones ? track->zone_count : 0);
        put_u64(sink, 0);
        put(sink, track->is_fiber ? 1 : 0, 1);
        if (has_zones) {
            TACHO_TRY(tracy_write_timeline(sink, track, false));
        } else {
            put(sink, 0, 4);
        }
        put_own_messages(sink, i, &next);
        tacho_tracy_pack_zeros(&sink->pack, 16); /* no samples */
    }
    return TACHO_OK;
}

static tacho_status put_devices(tracy_sink *sink)
{
    uint64_t zones = 0;
    uint64_t parents = 0;
    for (size_t i = 0; i < sink->lane_count; i++) {
        zones += sink->tracks[sink->lanes[i].track].zone_count;
        parents += sink->tracks[sink->lanes[i].track].parent_count;
    }
    put_u64(sink, zones);
    put_u64(sink, parents);
    put_u64(sink, sink->context_count);
    for (size_t i = 0; i < sink->context_count; i++) {
        const tracy_context *context = &sink->contexts[i];
        const tracy_lane *lanes = &sink->lanes[context->first_lane];
        put_u64(sink, context->has_lanes ? 0 : sink->tracks[lanes->track].tid);
        put(sink, 0, 1);
        put_u64(sink, context->zone_count);
        put(sink, 0x3f800000, 4); /* 1.0: ns */
        put(sink, context->type, 1);
        put_short_ref(sink, context->name);
        put_u64(sink, 0);
        put_u64(sink, context->lane_count);
        for (size_t k = 0; k < context->lane_count; k++) {
            put_u64(sink, context->has_lanes ? lanes[k].lane : 0);
            TACHO_TRY(tracy_write_timeline(sink, &sink->tracks[lanes[k].track], true));
        }
    }
    return TACHO_OK;
}

/* ---- plots, and the rest ------------------------------------------------------------------- */

static tacho_status put_plot(tracy_sink *sink, const tracy_track *track, tacho_unit unit)
{
    tracy_cursor cursor;
    int64_t running = 0;
    uint64_t format = unit == TACHO_UNIT_BYTES     ? PLOT_MEMORY
                      : unit == TACHO_UNIT_PERCENT ? PLOT_PERCENT
                                                   : PLOT_NUMBER;
    put(sink, 0, 1); /* of the program itself */
    put(sink, format, 1);
    put(sink, 1, 1); /* steps */
    put(sink, 1, 1); /* filled */
    put(sink, 0, 4);
    put_u64(sink, text_key(track->name));
    put_f64(sink, track->min);
    put_f64(sink, track->max);
    put_f64(sink, track->sum);
    put_u64(sink, track->sample_count);
    tracy_cursor_init(&cursor, &sink->spool, &track->pairs);
    for (uint64_t i = 0; i < track->sample_count; i++) {
        tracy_pair sample = {0};
        bool is_there = true;
        TACHO_TRY(tracy_cursor_next(&cursor, &sample, sizeof(sample), &is_there));
        put_time(sink, &running, sample.time);
        put_u64(sink, (uint64_t)sample.value);
    }
    return TACHO_OK;
}

static tacho_status put_plots(tracy_sink *sink)
{
    uint64_t count = 0;
    for (size_t i = 0; i < sink->track_count; i++) {
        count += sink->tracks[i].sample_count > 0 ? 1 : 0;
    }
    put_u64(sink, count);
    for (size_t i = 0; i < sink->track_count; i++) {
        if (sink->tracks[i].sample_count > 0) {
            TACHO_TRY(put_plot(sink, &sink->tracks[i], sink->events.dict->tracks[i].unit));
        }
    }
    return TACHO_OK;
}

static void put_rest(tracy_sink *sink)
{
    put_u64(sink, 1); /* pools of memory: the one of every file, empty */
    put_u64(sink, 0);
    tacho_tracy_pack_zeros(&sink->pack, 4 * 8);
    put_u64(sink, 0);          /* the highest address ... */
    put_u64(sink, UINT64_MAX); /* ... and the lowest */
    tacho_tracy_pack_zeros(&sink->pack, 2 * 8);
    tacho_tracy_pack_zeros(&sink->pack, 2 * 8); /* call stacks and their frames */
    put_u64(sink, sink->info_count);
    for (size_t i = 0; i < sink->info_count; i++) {
        put_ref(sink, sink->infos[i]);
    }
    put(sink, 0, 4); /* images, and their dictionary */
    put_u64(sink, 0);
    put_u64(sink, 0); /* context switches by thread, and by processor */
    tacho_tracy_pack_zeros(&sink->pack, (1 + PROCESSORS) * 8);
    tacho_tracy_pack_zeros(&sink->pack, 2 * 8); /* processes of threads, time of threads */
    tacho_tracy_pack_zeros(&sink->pack, 3 * 8); /* symbols */
    tacho_tracy_pack_zeros(&sink->pack, 4 * 8); /* code, samples of counters, source files */
}

tacho_status tracy_write_file(tracy_sink *sink)
{
    put_head(sink);
    TACHO_TRY(put_frame_sets(sink));
    put_texts(sink);
    put_threads(sink);
    put_places(sink);
    put_u64(sink, 0); /* locks */
    put_messages(sink);
    put_extras(sink);
    TACHO_TRY(put_thread_zones(sink));
    TACHO_TRY(put_devices(sink));
    TACHO_TRY(put_plots(sink));
    put_rest(sink);
    tacho_tracy_pack_finish(&sink->pack);
    return TACHO_OK;
}
