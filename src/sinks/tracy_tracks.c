/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and numbers of tracks in a .tracy file. A thread keeps its number; a track without one is a
 * fiber. Processors of a Tensix core are lanes of one context, as in tt-metal; any other device
 * track is a context of its own.
 */
#include "base/grow.h"
#include "profile/tracy_rows.h"
#include "sinks/attributes.h"
#include "sinks/track_numbers.h"
#include "sinks/tracy_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_ROOM = 256, ORIGIN_ROOM = 32, TYPE_TENSTORRENT = 6, TYPE_COUNT = 6 };

static const uint64_t fiber_bit = UINT64_C(1) << 32;

static bool is_used(const tracy_track *track)
{
    return track->zone_count + track->message_count + track->frame_count + track->sample_count > 0;
}

/* Whether tracks other than devices are in several groups: names then include the group. */
static bool has_groups(const tracy_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    uint32_t first = TACHO_NONE;
    for (uint32_t i = 0; i < sink->track_count; i++) {
        if (is_used(&sink->tracks[i]) && !sink->tracks[i].is_device) {
            uint32_t group = tacho_dict_track_group(dict, i);
            if (first != TACHO_NONE && group != first) {
                return true;
            }
            first = group;
        }
    }
    return false;
}

tacho_origin tracy_common_origin(const tacho_dict *dict)
{
    tacho_origin origin = dict->part_count > 0 ? dict->parts[0].origin : TACHO_ORIGIN_UNKNOWN;
    for (size_t i = 1; i < dict->part_count; i++) {
        origin = dict->parts[i].origin == origin ? origin : TACHO_ORIGIN_UNKNOWN;
    }
    return origin;
}

/* ---- threads ------------------------------------------------------------------------------- */

static tacho_status name_track(tracy_sink *sink, uint32_t number, bool with_group,
                               tacho_arena *arena)
{
    const tacho_dict *dict = sink->events.dict;
    tracy_track *track = &sink->tracks[number];
    tacho_str name = tacho_dict_string(dict, tacho_dict_track_name(dict, number));
    if (track->thread != 0 && !track->is_fiber) {
        const tacho_track_number given = {.pid = 0, .tid = (int64_t)track->tid};
        TACHO_TRY(tacho_track_viewer_name(dict, number, &given, arena, &name));
    }
    if (!with_group) {
        return tracy_ensure_text(sink, name, &track->name);
    }
    tacho_str group =
        tacho_dict_string(dict, dict->tracks[tacho_dict_track_group(dict, number)].name);
    char *whole = NULL;
    size_t room = group.len + name.len + ORIGIN_ROOM;
    tacho_origin origin = dict->parts[dict->tracks[number].part].origin;
    bool is_mixed = tracy_common_origin(dict) != origin; /* then each name has it */
    TACHO_TRY(tacho_arena_alloc_bytes(arena, room, &whole));
    int len = snprintf(whole, room, "%.*s%s%s%s: %.*s", (int)group.len, group.data,
                       is_mixed ? " (" : "", is_mixed ? tacho_origin_name(origin) : "",
                       is_mixed ? ")" : "", (int)name.len, name.data);
    return tracy_ensure_text(sink, tacho_str_make(whole, (size_t)len), &track->name);
}

/* Makes a thread, or a fiber if the number is unknown or taken. */
static tacho_status number_track(tracy_sink *sink, uint32_t number, tacho_number_map *taken,
                                 uint32_t *thread_count)
{
    const tacho_track *facts = &sink->events.dict->tracks[number];
    tracy_track *track = &sink->tracks[number];
    bool is_thread = facts->has_number && facts->lane_of == TACHO_NONE && facts->number > 0 &&
                     (uint64_t)facts->number < fiber_bit &&
                     tacho_number_map_find(taken, (uint64_t)facts->number) == NULL;
    if (++*thread_count > TRACY_THREAD_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "a .tracy file holds %d tracks at most; select fewer, or use "
                          "another format",
                          TRACY_THREAD_MAX);
    }
    track->thread = *thread_count;
    track->is_fiber = !is_thread;
    track->tid = is_thread ? (uint64_t)facts->number : (fiber_bit | *thread_count);
    return is_thread ? tacho_number_map_set(taken, track->tid, 1) : TACHO_OK;
}

/* ---- devices ------------------------------------------------------------------------------- */

/* A processor of a Tensix core, by the names from profile/tracy_rows. */
typedef struct core_name {
    unsigned chip, x, y;
    uint64_t lane; /* if it has no core */
    unsigned risc;
    bool has_core;
} core_name;

static bool parse_core(const tacho_dict *dict, uint32_t track, core_name *out_core)
{
    static const char *const riscs[] = {"BRISC",   "NCRISC", "TRISC_0", "TRISC_1",
                                        "TRISC_2", "ERISC",  "AGG",     "RISC 7"};
    char risc[16] = "";
    const tacho_track *facts = &dict->tracks[track];
    *out_core = (core_name){0};
    if (facts->lane_of != TACHO_NONE || facts->parent == TACHO_NONE ||
        sscanf(tacho_dict_string(dict, dict->tracks[facts->parent].name).data, "Device %9u",
               &out_core->chip) != 1) {
        return false;
    }
    const char *name = tacho_dict_string(dict, facts->name).data;
    out_core->has_core =
        sscanf(name, "Core %9u,%9u %15[^\n]", &out_core->x, &out_core->y, risc) == 3;
    if (!out_core->has_core &&
        sscanf(name, "Lane %" SCNu64 " %15[^\n]", &out_core->lane, risc) != 2) {
        return false;
    }
    for (unsigned i = 0; i < sizeof(riscs) / sizeof(*riscs); i++) {
        if (strcmp(risc, riscs[i]) == 0) {
            out_core->risc = i;
            return true;
        }
    }
    return false;
}

static tacho_status add_context(tracy_sink *sink, const tracy_context *context, uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&sink->contexts, &sink->context_capacity, sink->context_count + 1));
    *out_id = (uint32_t)sink->context_count;
    sink->contexts[sink->context_count++] = *context;
    return TACHO_OK;
}

/* The context of a core, and the lane of its processor. */
static tacho_status ensure_core(tracy_sink *sink, const core_name *core, tacho_number_map *cores,
                                tracy_lane *lane)
{
    char name[NAME_ROOM];
    uint64_t key = core->has_core ? (uint64_t)core->chip << 40 |
                                        (uint64_t)(core->x & 0xfffff) << 20 | (core->y & 0xfffff)
                                  : (uint64_t)core->chip << 40 | UINT64_C(0xffffffffff);
    const uint64_t *found = tacho_number_map_find(cores, key);
    lane->lane = core->has_core ? (uint64_t)(core->chip & 0xff) << 11 | (core->y & 15) << 7 |
                                      (core->x & 15) << 3 | core->risc
                                : core->lane << 3 | core->risc;
    if (found != NULL) {
        lane->context = (uint32_t)*found;
        return TACHO_OK;
    }
    tracy_context context = {.type = TYPE_TENSTORRENT, .has_lanes = true};
    int len = core->has_core ? snprintf(name, sizeof(name), "Device: %u, Core (%u,%u)", core->chip,
                                        core->x, core->y)
                             : snprintf(name, sizeof(name), "Device %u:", core->chip);
    TACHO_TRY(tracy_ensure_text(sink, tacho_str_make(name, (size_t)len), &context.name));
    TACHO_TRY(add_context(sink, &context, &lane->context));
    return tacho_number_map_set(cores, key, lane->context);
}

/* Adds a context of one track: "Vulkan: name", or "Vulkan context 0". */
static tacho_status add_single(tracy_sink *sink, uint32_t track, uint32_t *out_context)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_str name = tacho_dict_string(dict, tacho_dict_track_name(dict, track));
    tracy_context context = {.type = 0};
    for (uint8_t type = 0; type < TYPE_COUNT; type++) {
        tacho_str kind = tacho_str_from_cstring(tacho_tracy_device_kind(type));
        tacho_str rest =
            tacho_str_starts_with(name, kind) ? tacho_str_from(name, kind.len) : TACHO_STR("");
        if (tacho_str_starts_with(rest, TACHO_STR(": "))) {
            context.type = type;
            name = tacho_str_from(rest, 2);
            break;
        }
        if (tacho_str_starts_with(rest, TACHO_STR(" context "))) {
            context.type = type;
            name = strtoull(rest.data + 9, NULL, 10) == sink->context_count
                       ? TACHO_STR("")
                       : tacho_str_from(rest, 1);
            break;
        }
    }
    TACHO_TRY(tracy_ensure_text(sink, name, &context.name));
    return add_context(sink, &context, out_context);
}

static tacho_status place_device(tracy_sink *sink, uint32_t track, tacho_number_map *cores)
{
    core_name core;
    tracy_lane lane = {.track = track};
    if (parse_core(sink->events.dict, track, &core)) {
        TACHO_TRY(ensure_core(sink, &core, cores, &lane));
    } else {
        TACHO_TRY(add_single(sink, track, &lane.context));
    }
    sink->contexts[lane.context].zone_count += sink->tracks[track].zone_count;
    TACHO_TRY(tacho_grow(&sink->lanes, &sink->lane_capacity, sink->lane_count + 1));
    sink->lanes[sink->lane_count++] = lane;
    return TACHO_OK;
}

static int compare_lanes(const void *a, const void *b)
{
    const tracy_lane *first = a;
    const tracy_lane *second = b;
    if (first->context != second->context) {
        return first->context < second->context ? -1 : 1;
    }
    return first->lane < second->lane ? -1 : first->lane > second->lane;
}

static void gather_lanes(tracy_sink *sink)
{
    if (sink->lane_count > 0) {
        qsort(sink->lanes, sink->lane_count, sizeof(*sink->lanes), compare_lanes);
    }
    for (size_t i = 0; i < sink->lane_count; i++) {
        tracy_context *context = &sink->contexts[sink->lanes[i].context];
        context->first_lane = context->lane_count == 0 ? i : context->first_lane;
        context->lane_count++;
    }
}

static tacho_status name_all(tracy_sink *sink, tacho_number_map *taken, tacho_number_map *cores,
                             tacho_arena *arena)
{
    bool with_group = has_groups(sink);
    uint32_t thread_count = 0;
    for (uint32_t i = 0; i < sink->track_count; i++) {
        tracy_track *track = &sink->tracks[i];
        if (track->zone_count + track->message_count > 0) {
            TACHO_TRY(number_track(sink, i, taken, &thread_count));
        }
        if (is_used(track)) {
            TACHO_TRY(name_track(sink, i, with_group && !track->is_device, arena));
        }
        if (track->is_device) {
            TACHO_TRY(place_device(sink, i, cores));
        }
    }
    gather_lanes(sink);
    return TACHO_OK;
}

tacho_status tracy_name_tracks(tracy_sink *sink)
{
    tacho_number_map taken = {0};
    tacho_number_map cores = {0};
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = name_all(sink, &taken, &cores, &arena);
    tacho_arena_deinit(&arena);
    tacho_number_map_deinit(&taken);
    tacho_number_map_deinit(&cores);
    return status;
}

/* ---- about the profile --------------------------------------------------------------------- */

/* Adds a line of application info. Facts of Tracy's own about the program are stored elsewhere. */
static tacho_status note_info(void *self, tacho_str key, tacho_str value)
{
    tracy_sink *sink = self;
    bool is_info = tacho_str_equal(key, TACHO_STR("tacho.tracy.app_info"));
    bool is_head = !is_info && tacho_str_starts_with(key, TACHO_STR("tacho.tracy."));
    bool is_ours = is_info && tacho_str_starts_with(value, TACHO_STR("tacho."));
    if (is_head || is_ours) {
        return TACHO_OK;
    }
    tacho_args_text line = {.text = NULL};
    tacho_status status = is_info ? TACHO_OK : tacho_args_text_add(&line, key);
    if (status == TACHO_OK && !is_info) {
        status = tacho_args_text_add(&line, TACHO_STR(": "));
    }
    if (status == TACHO_OK) {
        status = tacho_args_text_add(&line, value);
    }
    if (status == TACHO_OK) {
        status = tacho_grow(&sink->infos, &sink->info_capacity, sink->info_count + 1);
    }
    if (status == TACHO_OK) {
        status = tracy_ensure_text(sink, tacho_str_make(line.text, line.len),
                                   &sink->infos[sink->info_count]);
        sink->info_count += status == TACHO_OK ? 1 : 0;
    }
    tacho_args_text_deinit(&line);
    return status;
}

tacho_status tracy_note_infos(tracy_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    TACHO_TRY(tacho_attributes_visit_head(note_info, sink));
    for (uint32_t i = 0; i < dict->part_count; i++) {
        TACHO_TRY(tacho_attributes_visit_part(dict, &sink->options, i, note_info, sink));
    }
    return tacho_attributes_visit_tail(dict, note_info, sink);
}
