/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of Tracy.
 */
#include "profile/tracy_rows.h"

#include "profile/tracy_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_ROOM = 256, PLACE_ROOM = 1100, ARGS_MAX = 5, RISC_BITS = 7 };

static tacho_status ensure_string(tacho_tracy_rows *rows, const char *text, uint32_t *out_string)
{
    return tacho_dict_ensure_string(rows->events->dict, tacho_str_from_cstring(text), out_string);
}

static tacho_status ensure_site(tacho_tracy_rows *rows, const char *name, const char *category,
                                uint32_t *out_site)
{
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(ensure_string(rows, name, &site.name));
    TACHO_TRY(ensure_string(rows, category, &site.category));
    return tacho_dict_ensure_site(rows->events->dict, &site, out_site);
}

tacho_status tacho_tracy_rows_init(tacho_tracy_rows *rows, tacho_events *events, uint32_t part,
                                   uint32_t group)
{
    const tacho_dict *dict = events->dict;
    *rows = (tacho_tracy_rows){.events = events, .part = part};
    rows->group = group != TACHO_NONE ? group : dict->parts[part].root;
    rows->first_ns = dict->parts[part].first_start > 0 ? dict->parts[part].first_start : 0;
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_ARG_TEXT, &rows->key_text));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_ARG_FUNCTION, &rows->key_function));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_ARG_COLOR, &rows->key_color));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_ARG_THREAD, &rows->key_thread));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_ARG_PLACE, &rows->key_place));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_CATEGORY_ZONE, &rows->zone));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_CATEGORY_DEVICE, &rows->device_zone));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_CATEGORY_FRAME, &rows->frame));
    TACHO_TRY(ensure_string(rows, TACHO_TRACY_CATEGORY_LOCK, &rows->lock));
    TACHO_TRY(ensure_site(rows, "message", TACHO_TRACY_CATEGORY_MESSAGE, &rows->message_site));
    TACHO_TRY(ensure_site(rows, "crash", TACHO_TRACY_CATEGORY_MESSAGE, &rows->crash_site));
    TACHO_TRY(ensure_site(rows, "frame", TACHO_TRACY_CATEGORY_FRAME, &rows->frame_site));
    TACHO_TRY(ensure_site(rows, "wait", TACHO_TRACY_CATEGORY_LOCK, &rows->wait_site));
    return ensure_site(rows, "held", TACHO_TRACY_CATEGORY_LOCK, &rows->held_site);
}

void tacho_tracy_rows_deinit(tacho_tracy_rows *rows)
{
    tacho_number_map_deinit(&rows->runs);
}

/* ---- sites --------------------------------------------------------------------------------- */

static tacho_status ensure_location(tacho_dict *dict, const tacho_tracy_place *place,
                                    uint32_t *out_location)
{
    char text[PLACE_ROOM];
    tacho_str file = tacho_dict_string(dict, place->file);
    *out_location = TACHO_NONE;
    if (file.len == 0) {
        return TACHO_OK;
    }
    int shown = file.len < PLACE_ROOM - 16 ? (int)file.len : PLACE_ROOM - 16;
    int len = snprintf(text, sizeof(text), "%.*s:%" PRIu32, shown, file.data, place->line);
    tacho_location location = {.file = place->file, .line = place->line};
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, (size_t)len), &location.text));
    return tacho_dict_ensure_location(dict, &location, out_location);
}

tacho_status tacho_tracy_rows_site(tacho_tracy_rows *rows, const tacho_tracy_place *place,
                                   uint32_t name, uint32_t category, uint32_t *out_site)
{
    tacho_dict *dict = rows->events->dict;
    tacho_site site = {.name = name, .category = category};
    site.name = site.name != 0 ? site.name : tacho_tracy_place_title(place);
    TACHO_TRY(ensure_location(dict, place, &site.location));
    return tacho_dict_ensure_site(dict, &site, out_site);
}

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct arg_list {
    tacho_arg items[ARGS_MAX];
    size_t count;
} arg_list;

static void add_text(arg_list *list, uint32_t key, tacho_str text)
{
    list->items[list->count++] =
        (tacho_arg){.key = key, .type = TACHO_ARG_TEXT, .value = {.as_text = text}};
}

/* A string of the dictionary, unless it is none. */
static void add_string(arg_list *list, uint32_t key, uint32_t string)
{
    if (string != 0) {
        list->items[list->count++] =
            (tacho_arg){.key = key, .type = TACHO_ARG_STRING, .value = {.as_string = string}};
    }
}

static tacho_status add_color(tacho_tracy_rows *rows, arg_list *list, uint32_t color)
{
    char text[16];
    tacho_arg *arg = &list->items[list->count];
    if (color == TACHO_TRACY_NO_COLOR) {
        return TACHO_OK;
    }
    snprintf(text, sizeof(text), "#%06" PRIx32, color & 0xffffff);
    *arg = (tacho_arg){.key = rows->key_color, .type = TACHO_ARG_STRING};
    list->count++;
    return ensure_string(rows, text, &arg->value.as_string);
}

static tacho_status push(tacho_tracy_rows *rows, tacho_row *row, const arg_list *list)
{
    if (row->kind == TACHO_ROW_SPAN && row->of.span.end < rows->first_ns) {
        rows->early_count++;
        return TACHO_OK;
    }
    row->start = row->start < rows->first_ns ? rows->first_ns : row->start;
    if (row->kind == TACHO_ROW_SPAN) {
        row->of.span.op = TACHO_NONE;
        row->of.span.end = row->of.span.end < row->start ? row->start : row->of.span.end;
    }
    row->args = list->items;
    row->arg_count = list->count;
    rows->row_count++;
    return tacho_events_row(rows->events, row);
}

static tacho_row row_of(const tacho_tracy_span *span)
{
    return (tacho_row){
        .kind = TACHO_ROW_SPAN,
        .track = span->track,
        .start = span->start,
        .of = {.span = {
                   .end = span->end, .site = span->site, .run = TACHO_NONE, .flags = span->flags}}};
}

tacho_status tacho_tracy_rows_span(tacho_tracy_rows *rows, const tacho_tracy_span *span)
{
    tacho_row row = row_of(span);
    arg_list list = {.count = 0};
    TACHO_TRY(tacho_tracy_rows_find_run(rows, span, &row.of.span.run));
    if (span->text.len > 0) {
        add_text(&list, rows->key_text, span->text);
    }
    add_string(&list, rows->key_function, span->function);
    add_string(&list, rows->key_place, span->place);
    TACHO_TRY(add_color(rows, &list, span->color));
    return push(rows, &row, &list);
}

tacho_status tacho_tracy_rows_moment(tacho_tracy_rows *rows, const tacho_tracy_moment *moment)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN,
                     .track = moment->track,
                     .start = moment->time,
                     .of = {.span = {.end = moment->time,
                                     .site = moment->site,
                                     .run = TACHO_NONE,
                                     .flags = TACHO_SPAN_INSTANT}}};
    arg_list list = {.count = 0};
    row.of.span.end = row.start < rows->first_ns ? rows->first_ns : row.start;
    TACHO_TRY(tacho_tracy_rows_note_op(rows, moment->text));
    if (moment->text.len > 0) {
        add_text(&list, rows->key_text, moment->text);
    }
    TACHO_TRY(add_color(rows, &list, moment->color));
    return push(rows, &row, &list);
}

tacho_status tacho_tracy_rows_lock(tacho_tracy_rows *rows, const tacho_tracy_span *span,
                                   uint64_t thread)
{
    tacho_row row = row_of(span);
    arg_list list = {.count = 1};
    list.items[0] =
        (tacho_arg){.key = rows->key_thread, .type = TACHO_ARG_UINT, .value = {.as_uint = thread}};
    return push(rows, &row, &list);
}

tacho_status tacho_tracy_rows_sample(tacho_tracy_rows *rows, uint32_t track, int64_t time,
                                     double value, bool *out_is_good)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE,
                     .track = track,
                     .start = time,
                     .of = {.sample = {.value = value}}};
    const arg_list list = {.count = 0};
    *out_is_good = isfinite(value);
    return *out_is_good ? push(rows, &row, &list) : TACHO_OK;
}

/* ---- tracks -------------------------------------------------------------------------------- */

static tacho_track facts_of(const tacho_tracy_rows *rows, const tacho_tracy_track *facts)
{
    bool has_number = facts->number >= 0 && facts->number < TACHO_TRACK_NUMBER_END;
    return (tacho_track){
        .parent = rows->group,
        .part = rows->part,
        .clock = rows->events->dict->parts[rows->part].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = facts->track_class,
        .nesting = facts->nesting,
        .unit = facts->unit,
        .number = has_number ? facts->number : 0,
        .has_number = has_number,
        .is_numbered = has_number,
        .is_provisional = facts->is_provisional,
    };
}

tacho_status tacho_tracy_rows_track(tacho_tracy_rows *rows, const tacho_tracy_track *facts,
                                    tacho_str name, uint32_t *out_track)
{
    const tacho_track track = facts_of(rows, facts);
    return tacho_dict_ensure_track(rows->events->dict, &track, name, out_track);
}

tacho_status tacho_tracy_rows_rename(tacho_tracy_rows *rows, uint32_t track, tacho_str name)
{
    tacho_dict *dict = rows->events->dict;
    if (name.len == 0) {
        return TACHO_OK;
    }
    return tacho_dict_ensure_string(dict, name, &dict->tracks[track].name);
}

static tacho_str thread_name(char *to, tacho_str name, uint64_t tid)
{
    int shown = name.len < NAME_ROOM - 32 ? (int)name.len : NAME_ROOM - 32;
    int len = shown == 0 ? snprintf(to, NAME_ROOM, "thread %" PRIu64, tid)
                         : snprintf(to, NAME_ROOM, "%.*s %" PRIu64, shown, name.data, tid);
    return tacho_str_make(to, (size_t)len);
}

tacho_status tacho_tracy_rows_thread(tacho_tracy_rows *rows, tacho_str name, uint64_t tid,
                                     uint32_t *out_track)
{
    char text[NAME_ROOM];
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_HOST,
                                     .number =
                                         tid < (uint64_t)TACHO_TRACK_NUMBER_END ? (int64_t)tid : -1,
                                     .is_provisional = name.len == 0};
    return tacho_tracy_rows_track(rows, &facts, thread_name(text, name, tid), out_track);
}

tacho_status tacho_tracy_rows_rename_thread(tacho_tracy_rows *rows, uint32_t track, tacho_str name,
                                            uint64_t tid)
{
    char text[NAME_ROOM];
    return tacho_tracy_rows_rename(rows, track, thread_name(text, name, tid));
}

/* ---- devices ------------------------------------------------------------------------------- */

const char *tacho_tracy_device_kind(uint8_t type)
{
    static const char *const kinds[] = {"GPU",    "OpenGL",      "Vulkan",
                                        "OpenCL", "Direct3D 12", "Direct3D 11"};
    return type < sizeof(kinds) / sizeof(*kinds) ? kinds[type] : kinds[0];
}

bool tacho_tracy_is_tenstorrent(tacho_str name)
{
    return tacho_str_starts_with(name, TACHO_STR("Device: ")) ||
           (tacho_str_starts_with(name, TACHO_STR("Device ")) &&
            tacho_str_find_byte(name, ':') < name.len);
}

/* The number after |mark|, the last one of the name; false where it is missing. */
static bool number_after(tacho_str name, const char *mark, unsigned *out_a, unsigned *out_b)
{
    char text[NAME_ROOM];
    const char *found = NULL;
    int shown = name.len < NAME_ROOM - 1 ? (int)name.len : NAME_ROOM - 1;
    snprintf(text, sizeof(text), "%.*s", shown, name.data);
    found = strstr(text, mark);
    if (found == NULL) {
        return false;
    }
    return out_b == NULL ? sscanf(found + strlen(mark), "%9u", out_a) == 1
                         : sscanf(found + strlen(mark), "%9u,%9u", out_a, out_b) == 2;
}

static const char *risc_name(uint64_t lane, tacho_track_class *out_class)
{
    static const struct {
        const char *name;
        tacho_track_class track_class;
    } riscs[] = {
        {"BRISC", TACHO_TRACK_DMA_OUT},   {"NCRISC", TACHO_TRACK_DMA_IN},
        {"TRISC_0", TACHO_TRACK_COMPUTE}, {"TRISC_1", TACHO_TRACK_COMPUTE},
        {"TRISC_2", TACHO_TRACK_COMPUTE}, {"ERISC", TACHO_TRACK_PORT},
        {"AGG", TACHO_TRACK_CONTROL},     {"RISC 7", TACHO_TRACK_CONTROL},
    };
    *out_class = riscs[lane & RISC_BITS].track_class;
    return riscs[lane & RISC_BITS].name;
}

/* The group of a chip. */
static tacho_status ensure_chip(tacho_tracy_rows *rows, unsigned chip, uint32_t *out_group)
{
    char name[NAME_ROOM];
    const tacho_tracy_track facts = {.track_class = TACHO_TRACK_GROUP, .number = -1};
    int len = snprintf(name, sizeof(name), "Device %u", chip);
    return tacho_tracy_rows_track(rows, &facts, tacho_str_make(name, (size_t)len), out_group);
}

/* A processor of a Tensix core: its context names the core, the lane the processor. */
static tacho_status ensure_risc(tacho_tracy_rows *rows, const tacho_tracy_device *device,
                                uint64_t lane, uint32_t *out_track)
{
    char name[NAME_ROOM];
    unsigned chip = 0;
    unsigned x = 0;
    unsigned y = 0;
    bool has_core = number_after(device->name, "Physical (", &x, &y) ||
                    number_after(device->name, "Core (", &x, &y);
    if (!number_after(device->name, "Device: ", &chip, NULL)) {
        number_after(device->name, "Device ", &chip, NULL);
    }
    tacho_tracy_track facts = {.nesting = TACHO_NESTING_STACK, .number = -1};
    const char *risc = risc_name(lane, &facts.track_class);
    int len = has_core ? snprintf(name, sizeof(name), "Core %u,%u %s", x, y, risc)
                       : snprintf(name, sizeof(name), "Lane %" PRIu64 " %s", lane >> 3, risc);
    tacho_track track = facts_of(rows, &facts);
    TACHO_TRY(ensure_chip(rows, chip, &track.parent));
    track.index = y % 64 * 64 + x % 64;
    track.rank = tacho_track_rank(track.index + 1, track.track_class, (uint32_t)(lane & RISC_BITS));
    return tacho_dict_ensure_track(rows->events->dict, &track, tacho_str_make(name, (size_t)len),
                                   out_track);
}

tacho_status tacho_tracy_rows_lane(tacho_tracy_rows *rows, const tacho_tracy_device *device,
                                   uint64_t lane, uint32_t *out_track)
{
    char name[NAME_ROOM];
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_COMPUTE, .nesting = TACHO_NESTING_STACK, .number = -1};
    if (device->is_tenstorrent) {
        return ensure_risc(rows, device, lane, out_track);
    }
    int shown = device->name.len < NAME_ROOM / 2 ? (int)device->name.len : NAME_ROOM / 2;
    int len = shown > 0 ? snprintf(name, sizeof(name), "%s: %.*s",
                                   tacho_tracy_device_kind(device->type), shown, device->name.data)
                        : snprintf(name, sizeof(name), "%s context %" PRIu32,
                                   tacho_tracy_device_kind(device->type), device->number);
    if (device->has_lanes) {
        len += snprintf(name + len, sizeof(name) - (size_t)len, " %" PRIu64, lane);
    }
    return tacho_tracy_rows_track(rows, &facts, tacho_str_make(name, (size_t)len), out_track);
}

int tacho_tracy_format_value(char *to, size_t size, uint64_t value, bool has_hex)
{
    return has_hex ? snprintf(to, size, "%" PRIu64 " [0x%" PRIx64 "]", value, value)
                   : snprintf(to, size, "%" PRIu64, value);
}
