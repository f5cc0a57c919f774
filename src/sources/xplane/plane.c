/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds become sites, and their stats arguments that every event of the kind shares.
 */
#include "sources/xplane/plane.h"

#include "base/grow.h"
#include "profile/locations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FACT_BYTES = 256 };

void xp_plane_init(xp_plane *plane, tacho_dict *dict, tacho_args_wanted wanted)
{
    *plane = (xp_plane){.dict = dict, .stat_names = {.dict = dict, .wanted = wanted}};
}

void xp_plane_deinit(xp_plane *plane)
{
    xp_stat_names_deinit(&plane->stat_names);
    xp_ids_deinit(&plane->kind_ids);
    free(plane->kinds);
    free(plane->args);
}

/* ---- kinds of events --------------------------------------------------------------------- */

/* "fusion.3" of "%fusion.3 = f32[8]{0} fusion(...)", the text of an HLO instruction. */
static tacho_str instruction_name(tacho_str text)
{
    size_t space = tacho_str_find_byte(text, ' ');
    bool is_instruction = text.len > 1 && text.data[0] == '%' && space < text.len &&
                          tacho_str_starts_with(tacho_str_from(text, space), TACHO_STR(" = "));
    return is_instruction ? tacho_str_make(text.data + 1, space - 1) : text;
}

static tacho_status add_arg(xp_plane *plane, const tacho_arg *arg)
{
    TACHO_TRY(tacho_grow(&plane->args, &plane->arg_capacity, plane->arg_count + 1));
    plane->args[plane->arg_count++] = *arg;
    return TACHO_OK;
}

/* Texts of kinds repeat with every event: they are strings. */
static tacho_status add_text_arg(xp_plane *plane, uint32_t key, tacho_str text)
{
    tacho_arg arg = {.key = key, .type = TACHO_ARG_STRING};
    TACHO_TRY(tacho_dict_ensure_string(plane->dict, text, &arg.value.as_string));
    return add_arg(plane, &arg);
}

/* "model.py:12" is a place in a file; the text as it is where it has no line. */
static tacho_status find_source(xp_plane *plane, tacho_str text, uint32_t *out_location)
{
    tacho_location location = {.line = 0};
    uint64_t line = 0;
    size_t colon = text.len;
    while (colon > 0 && text.data[colon - 1] != ':') {
        colon--;
    }
    bool has_line = colon > 1 && tacho_str_parse_u64(tacho_str_from(text, colon), &line) &&
                    line > 0 && line <= UINT32_MAX;
    TACHO_TRY(tacho_dict_ensure_string(plane->dict, text, &location.text));
    if (has_line) {
        location.line = (uint32_t)line;
        TACHO_TRY(tacho_dict_ensure_string(plane->dict, tacho_str_make(text.data, colon - 1),
                                           &location.file));
    }
    return tacho_dict_ensure_location(plane->dict, &location, out_location);
}

static tacho_status add_kind_stat(xp_plane *plane, tacho_str message, tacho_site *site)
{
    xp_stat stat;
    if (!xp_stat_read(&plane->stat_names, message, &stat)) {
        plane->is_bad = true;
        return TACHO_OK;
    }
    tacho_str text = xp_stat_text(&stat, plane->dict);
    if (stat.name->role == XP_ROLE_CATEGORY && text.len > 0) {
        return tacho_dict_ensure_string(plane->dict, text, &site->category);
    }
    if (stat.name->role == XP_ROLE_SOURCE && text.len > 0) {
        return find_source(plane, text, &site->location);
    }
    if (!stat.has_value || !stat.name->is_wanted) {
        return TACHO_OK;
    }
    return stat.arg.type == TACHO_ARG_TEXT ? add_text_arg(plane, stat.arg.key, text)
                                           : add_arg(plane, &stat.arg);
}

/* The names of a kind: the one that is shown, and the text of the instruction if there is one. */
static tacho_status name_kind(xp_plane *plane, tacho_str message, tacho_site *site)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str name = TACHO_STR("");
    tacho_str shown = TACHO_STR("");
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        name = tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_KIND_NAME) ? field.bytes : name;
        shown =
            tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_KIND_SHOWN_NAME) ? field.bytes : shown;
    }
    plane->is_bad = plane->is_bad || !tacho_pb_is_sound(&reader);
    tacho_str instruction = instruction_name(name);
    shown = shown.len > 0 ? shown : instruction;
    shown = shown.len > 0 ? shown : TACHO_STR("(no name)");
    if (instruction.len < name.len && plane->stat_names.wanted == TACHO_ARGS_ALL) {
        uint32_t key = 0;
        TACHO_TRY(tacho_dict_ensure_string(plane->dict, TACHO_STR("hlo"), &key));
        TACHO_TRY(add_text_arg(plane, key, name));
    }
    return tacho_dict_ensure_string(plane->dict, shown, &site->name);
}

static tacho_status make_kind(xp_plane *plane, tacho_str message, xp_kind *kind)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_site site = {.location = TACHO_NONE};
    kind->first_arg = (uint32_t)plane->arg_count;
    TACHO_TRY(name_kind(plane, message, &site));
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_KIND_STAT)) {
            TACHO_TRY(add_kind_stat(plane, field.bytes, &site));
        }
    }
    kind->arg_count = (uint32_t)plane->arg_count - kind->first_arg;
    kind->name = site.name;
    return tacho_dict_ensure_site(plane->dict, &site, &kind->site);
}

static tacho_status add_kind(xp_plane *plane, tacho_str entry)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    tacho_str value = TACHO_STR("");
    tacho_pb_reader_init(&reader, entry);
    while (tacho_pb_try_next(&reader, &field)) {
        id = tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(XP_MAP_KEY) ? field.value : id;
        value = tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_MAP_VALUE) ? field.bytes : value;
    }
    plane->is_bad = plane->is_bad || !tacho_pb_is_sound(&reader);
    TACHO_TRY(tacho_grow(&plane->kinds, &plane->kind_capacity, plane->kind_count + 1));
    TACHO_TRY(make_kind(plane, value, &plane->kinds[plane->kind_count]));
    return xp_ids_set(&plane->kind_ids, id, (uint32_t)plane->kind_count++);
}

/* ---- facts of the plane ------------------------------------------------------------------ */

/* "xplane./device:TPU:0.device_type_string" -> "TPU v6 Lite". */
static tacho_status add_fact(xp_plane *plane, tacho_str message)
{
    xp_stat stat;
    char key[FACT_BYTES];
    char number[64];
    if (!xp_stat_read(&plane->stat_names, message, &stat)) {
        plane->is_bad = true;
        return TACHO_OK;
    }
    tacho_str name = tacho_dict_string(plane->dict, stat.name->name);
    tacho_str value = xp_stat_text(&stat, plane->dict);
    if (!stat.has_value || name.len == 0) {
        return TACHO_OK;
    }
    if (value.len == 0) {
        int len = stat.arg.type == TACHO_ARG_REAL
                      ? snprintf(number, sizeof(number), "%.17g", stat.arg.value.as_real)
                  : stat.arg.type == TACHO_ARG_INT
                      ? snprintf(number, sizeof(number), "%" PRId64, stat.arg.value.as_int)
                      : snprintf(number, sizeof(number), "%" PRIu64, stat.arg.value.as_uint);
        value = tacho_str_make(number, (size_t)len);
    }
    snprintf(key, sizeof(key), "xplane.%.*s.%.*s",
             (int)(plane->name.len < 100 ? plane->name.len : 100), plane->name.data,
             (int)(name.len < 100 ? name.len : 100), name.data);
    return tacho_dict_add_metadata(plane->dict, key, value);
}

/* ---- the plane --------------------------------------------------------------------------- */

void xp_line_read(tacho_str message, xp_line *out_line)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_line = (xp_line){.id = 0, .name = TACHO_STR("")};
    tacho_str shown = TACHO_STR("");
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(XP_LINE_ID):
            out_line->id = field.value;
            break;
        case TACHO_PB_KEY_BYTES(XP_LINE_NAME):
            out_line->name = field.bytes;
            break;
        case TACHO_PB_KEY_BYTES(XP_LINE_SHOWN_NAME):
            shown = field.bytes;
            break;
        case TACHO_PB_KEY_VARINT(XP_LINE_TIME):
            out_line->time_ns = (int64_t)field.value;
            break;
        default:
            break;
        }
    }
    out_line->name = shown.len > 0 ? shown : out_line->name;
    out_line->is_bad = !tacho_pb_is_sound(&reader);
}

/* Whether the plane is one of a device: "/device:TPU:0", "#Chip TPU ...". */
static bool is_device(tacho_str name)
{
    return tacho_str_starts_with(name, TACHO_STR("/device:")) ||
           tacho_str_starts_with(name, TACHO_STR("#Chip"));
}

static void look_at_line(xp_plane *plane, tacho_str message)
{
    xp_line line;
    xp_line_read(message, &line);
    plane->has_streams =
        plane->has_streams || tacho_xla_line_of(line.name) == TACHO_XLA_LINE_STREAM;
}

/* Calls |take| for every field of the plane that |key| selects. */
static tacho_status each_field(xp_plane *plane, uint32_t key,
                               tacho_status (*take)(xp_plane *plane, tacho_str bytes))
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, plane->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == key) {
            TACHO_TRY(take(plane, field.bytes));
        }
    }
    plane->is_bad = plane->is_bad || !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

static tacho_status take_name(xp_plane *plane, tacho_str bytes)
{
    plane->name = bytes;
    plane->is_device = is_device(bytes);
    return TACHO_OK;
}

static tacho_status take_stat_name(xp_plane *plane, tacho_str bytes)
{
    return xp_stat_names_add(&plane->stat_names, bytes);
}

static tacho_status take_line(xp_plane *plane, tacho_str bytes)
{
    look_at_line(plane, bytes);
    return TACHO_OK;
}

tacho_status xp_plane_describe(xp_plane *plane, tacho_str message)
{
    plane->message = message;
    plane->name = TACHO_STR("");
    plane->is_device = false;
    plane->has_streams = false;
    plane->is_bad = false;
    plane->track = TACHO_NONE;
    plane->kind_count = 0;
    plane->arg_count = 0;
    xp_ids_clear(&plane->kind_ids);
    xp_stat_names_clear(&plane->stat_names);
    TACHO_TRY(each_field(plane, TACHO_PB_KEY_BYTES(XP_PLANE_NAME), take_name));
    TACHO_TRY(each_field(plane, TACHO_PB_KEY_BYTES(XP_PLANE_STAT_NAME), take_stat_name));
    TACHO_TRY(each_field(plane, TACHO_PB_KEY_BYTES(XP_PLANE_STAT), add_fact));
    TACHO_TRY(each_field(plane, TACHO_PB_KEY_BYTES(XP_PLANE_LINE), take_line));
    return each_field(plane, TACHO_PB_KEY_BYTES(XP_PLANE_EVENT_KIND), add_kind);
}

bool xp_copy_bytes(tacho_str details, uint64_t *out_bytes)
{
    const tacho_str word = TACHO_STR("size:");
    for (; details.len > word.len; details = tacho_str_from(details, 1)) {
        if (tacho_str_starts_with(details, word)) {
            tacho_str digits = tacho_str_from(details, word.len);
            digits.len = tacho_str_find_byte(digits, ' ');
            return tacho_str_parse_u64(digits, out_bytes);
        }
    }
    return false;
}
