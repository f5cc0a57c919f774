/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of a .tracy file, of threads and of devices. They are stored as trees, and walked without
 * recursion: the end of a zone is stored after those of its children.
 */
#include "sources/tracy/tracy_file.h"

#include "base/grow.h"

#include <stdlib.h>

enum { DEVICE_STACK_BYTES = 3, MARKER_BYTES = 14 };

/* A zone whose end has not been read. */
typedef struct open_zone {
    int64_t start;
    uint32_t extra;
    int16_t place;
    uint64_t left; /* of its siblings, this one included */
} open_zone;

typedef struct zone_walk {
    open_zone *stack;
    size_t depth, capacity;
    int64_t running, device_running;
    uint32_t track;
} zone_walk;

static tacho_status push_open(tracy_file *file, zone_walk *walk, uint64_t count)
{
    if (walk->depth >= TRACY_DEPTH_MAX) {
        file->bytes.is_cut = true;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&walk->stack, &walk->capacity, walk->depth + 1));
    walk->stack[walk->depth++] = (open_zone){.left = count};
    return TACHO_OK;
}

/* The site of a place's zones. */
static tacho_status ensure_site(tracy_file *file, tracy_place *place, bool is_device,
                                uint32_t *out_site)
{
    uint32_t *site = is_device ? &place->device_site : &place->site;
    if (*site == TACHO_NONE) {
        TACHO_TRY(tacho_tracy_rows_site(&file->rows, &place->place, 0,
                                        is_device ? file->rows.device_zone : file->rows.zone,
                                        site));
    }
    *out_site = *site;
    return TACHO_OK;
}

static tacho_status push_zone(tracy_file *file, const zone_walk *walk, const open_zone *zone,
                              int64_t end, bool is_device)
{
    tracy_place *place = tracy_find_place(file, zone->place);
    if (place == NULL || zone->start < 0 || file->bytes.is_cut) {
        file->bad_count += file->bytes.is_cut ? 0 : 1;
        return TACHO_OK;
    }
    bool is_open = end < zone->start;
    tacho_tracy_span span = {
        .track = walk->track,
        .start = zone->start,
        .end = is_open ? file->last_time : end,
        .flags = is_open ? TACHO_SPAN_UNENDED : 0,
        .function = place->place.name != 0 && place->place.name != place->place.function
                        ? place->place.function
                        : 0,
        .color = place->place.color,
    };
    TACHO_TRY(ensure_site(file, place, is_device, &span.site));
    if (!is_device && zone->extra > 0 && zone->extra < file->extra_count) {
        const tracy_extra *extra = &file->extras[zone->extra];
        span.text = tacho_dict_string(file->dict, extra->text);
        span.color = extra->color != TACHO_TRACY_NO_COLOR ? extra->color : span.color;
        if (extra->name != 0) {
            span.place = tacho_tracy_place_title(&place->place);
            TACHO_TRY(tacho_tracy_rows_site(&file->rows, &place->place, extra->name,
                                            file->rows.zone, &span.site));
        }
    }
    return tacho_tracy_rows_span(&file->rows, &span);
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Ends the zones whose children have all been read. */
static tacho_status end_zones(tracy_file *file, zone_walk *walk)
{
    while (walk->depth > 0 && !file->bytes.is_cut) {
        open_zone *zone = &walk->stack[walk->depth - 1];
        int64_t end = tracy_bytes_time(&file->bytes, &walk->running);
        TACHO_TRY(push_zone(file, walk, zone, end, false));
        if (--zone->left > 0) {
            return TACHO_OK;
        }
        walk->depth--;
    }
    return TACHO_OK;
}

/* Walks |count| zones with all their descendants. */
static tacho_status walk_zones(tracy_file *file, zone_walk *walk, uint32_t count)
{
    tracy_bytes *bytes = &file->bytes;
    if (count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(push_open(file, walk, count));
    while (walk->depth > 0 && !bytes->is_cut) {
        open_zone *zone = &walk->stack[walk->depth - 1];
        zone->place = tracy_bytes_i16(bytes);
        zone->start = tracy_bytes_time(bytes, &walk->running);
        zone->extra = tracy_bytes_u32(bytes);
        uint32_t children = tracy_bytes_u32(bytes);
        TACHO_TRY(children > 0 ? push_open(file, walk, children) : end_zones(file, walk));
    }
    return TACHO_OK;
}

static tacho_status push_message(tracy_file *file, uint32_t track, uint64_t key)
{
    const uint64_t *found = tacho_number_map_find(&file->message_map, key);
    if (found == NULL) {
        file->bad_count++;
        return TACHO_OK;
    }
    const tracy_message *message = &file->messages[*found];
    const tacho_tracy_moment moment = {
        .track = track,
        .site = file->rows.message_site,
        .time = message->time,
        .color = message->color,
        .text = tacho_dict_string(file->dict, message->text),
    };
    file->placed_messages++;
    return tacho_tracy_rows_moment(&file->rows, &moment);
}

static tacho_status push_crash(tracy_file *file, uint32_t track)
{
    uint32_t text = tracy_find_name(file, file->crash.message);
    const tacho_tracy_moment moment = {
        .track = track,
        .site = file->rows.crash_site,
        .time = file->crash.time,
        .text = tacho_dict_string(file->dict, text),
    };
    return tacho_tracy_rows_moment(&file->rows, &moment);
}

static tacho_status read_thread(tracy_file *file, zone_walk *walk)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t tid = tracy_bytes_u64(bytes);
    tracy_bytes_skip(bytes, 16);
    bool is_fiber = tracy_bytes_u8(bytes) != 0;
    if (file->version >= TRACY_VERSION(0, 11, 1)) {
        tracy_bytes_u32(bytes);
    }
    uint32_t count = tracy_bytes_u32(bytes);
    if (bytes->is_cut) {
        return TACHO_OK;
    }
    walk->depth = 0;
    walk->running = 0;
    TACHO_TRY(tracy_thread_track(file, tid, is_fiber, &walk->track));
    TACHO_TRY(walk_zones(file, walk, count));
    uint64_t messages = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < messages && !bytes->is_cut; i++) {
        uint64_t key = tracy_bytes_u64(bytes);
        if (!bytes->is_cut) {
            TACHO_TRY(push_message(file, walk->track, key));
        }
    }
    if (file->crash.time > 0 && file->crash.thread == tid) {
        TACHO_TRY(push_crash(file, walk->track));
    }
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 11);
    tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 11);
    return TACHO_OK;
}

tacho_status tracy_read_zones(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    zone_walk walk = {.depth = 0};
    tacho_status status = TACHO_OK;
    tracy_bytes_skip(bytes, 16);
    uint64_t threads = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < threads && !bytes->is_cut && status == TACHO_OK; i++) {
        status = read_thread(file, &walk);
    }
    free(walk.stack);
    return status;
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_status end_device_zones(tracy_file *file, zone_walk *walk)
{
    tracy_bytes *bytes = &file->bytes;
    while (walk->depth > 0 && !bytes->is_cut) {
        open_zone *zone = &walk->stack[walk->depth - 1];
        tracy_bytes_time(bytes, &walk->running);
        int64_t end = tracy_bytes_time(bytes, &walk->device_running);
        if (file->version >= TRACY_VERSION(0, 12, 4)) {
            tracy_bytes_u16(bytes);
        }
        TACHO_TRY(push_zone(file, walk, zone, end, true));
        if (--zone->left > 0) {
            return TACHO_OK;
        }
        walk->depth--;
    }
    return TACHO_OK;
}

static tacho_status walk_device(tracy_file *file, zone_walk *walk, uint64_t count)
{
    tracy_bytes *bytes = &file->bytes;
    walk->depth = 0;
    walk->running = 0;
    walk->device_running = 0;
    if (count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(push_open(file, walk, count));
    while (walk->depth > 0 && !bytes->is_cut) {
        open_zone *zone = &walk->stack[walk->depth - 1];
        tracy_bytes_time(bytes, &walk->running);
        zone->start = tracy_bytes_time(bytes, &walk->device_running);
        zone->place = tracy_bytes_i16(bytes);
        tracy_bytes_skip(bytes, DEVICE_STACK_BYTES + 2);
        uint64_t children = tracy_bytes_u64(bytes);
        TACHO_TRY(children > 0 ? push_open(file, walk, children) : end_device_zones(file, walk));
    }
    return TACHO_OK;
}

static void skip_notes(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t notes = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < notes && !bytes->is_cut; i++) {
        tracy_bytes_u16(bytes);
        tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 16);
    }
}

/* Skips instants on devices, which only the fork writes. */
static void skip_markers(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    uint64_t lanes = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < lanes && !bytes->is_cut; i++) {
        tracy_bytes_u64(bytes);
        tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * MARKER_BYTES);
    }
}

static tacho_status read_context(tracy_file *file, zone_walk *walk, uint32_t number)
{
    tracy_bytes *bytes = &file->bytes;
    bool has_notes = file->version >= TRACY_VERSION(0, 12, 4);
    uint64_t thread = tracy_bytes_u64(bytes);
    tracy_bytes_skip(bytes, 1 + 8 + 4);
    uint8_t type = tracy_bytes_u8(bytes);
    tacho_tracy_device device = {
        .name = tacho_dict_string(file->dict, tracy_text_at(file, tracy_bytes_u24(bytes))),
        .type = type,
        .number = number,
        .has_lanes = thread == 0};
    device.is_tenstorrent = tacho_tracy_is_tenstorrent(device.name);
    tracy_bytes_u64(bytes);
    if (has_notes) {
        tracy_bytes_skip(bytes, tracy_bytes_u64(bytes) * 11);
    }
    uint64_t lanes = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < lanes && !bytes->is_cut; i++) {
        uint64_t lane = tracy_bytes_u64(bytes);
        uint64_t count = tracy_bytes_u64(bytes);
        if (count > 0 && !bytes->is_cut) {
            TACHO_TRY(tacho_tracy_rows_lane(&file->rows, &device, lane, &walk->track));
        }
        TACHO_TRY(walk_device(file, walk, count));
    }
    if (has_notes) {
        skip_notes(file);
    }
    if (file->is_fork && file->version >= TRACY_VERSION(0, 13, 4)) {
        skip_markers(file);
    }
    return TACHO_OK;
}

tacho_status tracy_read_devices(tracy_file *file)
{
    tracy_bytes *bytes = &file->bytes;
    zone_walk walk = {.depth = 0};
    tacho_status status = TACHO_OK;
    tracy_bytes_skip(bytes, 16);
    uint64_t contexts = tracy_bytes_u64(bytes);
    for (uint64_t i = 0; i < contexts && !bytes->is_cut && status == TACHO_OK; i++) {
        status = read_context(file, &walk, (uint32_t)i);
    }
    free(walk.stack);
    return status;
}
