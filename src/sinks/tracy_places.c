/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of zones in a .tracy file: their places, names and texts. A function and a colour,
 * in rows like Tracy's own, belong to the place; all other arguments are lines of text.
 */
#include "base/grow.h"
#include "sinks/trace_rows.h"
#include "sinks/tracy_state.h"

tacho_status tracy_ensure_text(tracy_sink *sink, tacho_str text, uint32_t *out_text)
{
    TACHO_TRY(tacho_strings_ensure(&sink->texts, text, out_text));
    if (*out_text > TRACY_TEXT_MAX) {
        return tacho_fail(
            TACHO_CODE_LIMIT,
            "a .tracy file holds %d different texts at most; leave out arguments or use "
            "another format",
            TRACY_TEXT_MAX);
    }
    return TACHO_OK;
}

/* ---- arguments ----------------------------------------------------------------------------- */

static tacho_str text_of(const tacho_dict *dict, const tacho_arg *arg)
{
    return arg->type == TACHO_ARG_TEXT     ? arg->value.as_text
           : arg->type == TACHO_ARG_STRING ? tacho_dict_string(dict, arg->value.as_string)
                                           : TACHO_STR("");
}

/* "#rrggbb" */
static bool parse_color(tacho_str text, uint32_t *out_color)
{
    uint32_t color = 0;
    if (text.len != 7 || text.data[0] != '#') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *found = text.data[i] != '\0' ? strchr(digits, text.data[i]) : NULL;
        if (found == NULL) {
            return false;
        }
        color = color << 4 | (uint32_t)(found - digits);
    }
    *out_color = color;
    return true;
}

/* Whether the argument belongs to the place and not to the text. */
static tacho_status take_place_arg(tracy_sink *sink, const tacho_arg *arg, tracy_said *said,
                                   bool *out_is_taken)
{
    uint32_t *taken = arg->key == sink->key_function ? &said->function
                      : arg->key == sink->key_place  ? &said->place
                                                     : NULL;
    tacho_str text = text_of(sink->events.dict, arg);
    *out_is_taken = arg->key == sink->key_color && parse_color(text, &said->color);
    if (taken != NULL && text.len > 0) {
        *out_is_taken = true;
        return tracy_ensure_text(sink, text, taken);
    }
    return TACHO_OK;
}

/* The end of the arguments that belong to |at|, itself included. */
static size_t end_of(const tacho_row *row, size_t at)
{
    const tacho_arg *arg = &row->args[at];
    bool is_container = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    return at + 1 + (is_container ? (size_t)arg->value.as_uint : 0);
}

static tacho_status make_text(tracy_sink *sink, const tacho_row *row, size_t kept_count,
                              tracy_said *said)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_row kept = *row;
    tacho_origin origin = tacho_trace_own_origin(dict, row);
    kept.args = sink->kept;
    kept.arg_count = kept_count;
    if (kept_count == 1 && kept.args[0].key == sink->key_text && origin == TACHO_ORIGIN_UNKNOWN) {
        said->text = text_of(dict, &kept.args[0]);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_args_text_make(&sink->args, dict, &kept, &said->text));
    if (origin != TACHO_ORIGIN_UNKNOWN) {
        TACHO_TRY(tacho_args_text_add(&sink->args, said->text.len > 0 ? TACHO_STR("\norigin: ")
                                                                      : TACHO_STR("origin: ")));
        TACHO_TRY(
            tacho_args_text_add(&sink->args, tacho_str_from_cstring(tacho_origin_name(origin))));
        said->text = tacho_str_make(sink->args.text, sink->args.len);
    }
    return TACHO_OK;
}

tacho_status tracy_say(tracy_sink *sink, const tacho_row *row, tracy_said *out_said)
{
    bool is_moment = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0; /* its text is its message */
    size_t count = 0;
    *out_said = (tracy_said){.text = TACHO_STR("")};
    TACHO_TRY(tacho_grow(&sink->kept, &sink->kept_capacity, row->arg_count + 1));
    for (size_t i = 0; i < row->arg_count;) {
        size_t end = end_of(row, i);
        bool is_taken = false;
        TACHO_TRY(take_place_arg(sink, &row->args[i], out_said, &is_taken));
        bool is_kept = !is_taken && (!sink->options.omit_args ||
                                     (is_moment && row->args[i].key == sink->key_text));
        for (; i < end; i++) {
            if (is_kept) {
                sink->kept[count++] = row->args[i];
            }
        }
    }
    return make_text(sink, row, count, out_said);
}

/* ---- places -------------------------------------------------------------------------------- */

/* The number of a row's place details beyond its site. */
static tacho_status ensure_variant(tracy_sink *sink, const tracy_said *said, uint64_t *out_variant)
{
    uint64_t key = (uint64_t)said->function << 24 | said->color;
    const uint64_t *found = key == 0 ? NULL : tacho_number_map_find(&sink->variant_map, key);
    *out_variant = found != NULL ? *found : 0;
    if (key == 0 || found != NULL) {
        return TACHO_OK;
    }
    *out_variant = sink->variant_map.count + 1;
    return tacho_number_map_set(&sink->variant_map, key, *out_variant);
}

static tacho_status make_place(tracy_sink *sink, const tacho_site *site, const tracy_said *said,
                               tracy_place *out_place)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_str name = tacho_dict_string(dict, site->name);
    *out_place = (tracy_place){.function = said->function, .color = said->color};
    /* A place without a name is named after its function. */
    uint32_t *title = said->function != 0 ? &out_place->name : &out_place->function;
    *title = said->place;
    if (said->place == 0) {
        TACHO_TRY(tracy_ensure_text(sink, name, title));
    }
    if (site->location == TACHO_NONE) {
        return TACHO_OK;
    }
    const tacho_location *location = &dict->locations[site->location];
    out_place->line = location->file != 0 ? location->line : 0;
    return tracy_ensure_text(
        sink, tacho_dict_string(dict, location->file != 0 ? location->file : location->text),
        &out_place->file);
}

static tacho_status ensure_extra(tracy_sink *sink, tracy_extra extra, uint32_t *out_extra)
{
    uint64_t key = (uint64_t)extra.text << 32 | extra.name;
    *out_extra = 0;
    if (key == 0) {
        return TACHO_OK;
    }
    const uint64_t *found = tacho_number_map_find(&sink->extra_map, key);
    if (found != NULL) {
        *out_extra = (uint32_t)*found;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&sink->extras, &sink->extra_capacity, sink->extra_count + 1));
    *out_extra = (uint32_t)sink->extra_count;
    sink->extras[sink->extra_count++] = extra;
    return tacho_number_map_set(&sink->extra_map, key, *out_extra);
}

/* The number, apart from those of sites, for the place of zones that have names of their own. */
static tacho_status ensure_title(tracy_sink *sink, uint32_t title, uint32_t site,
                                 uint64_t *out_number)
{
    static const uint64_t apart = UINT64_C(1) << 31;
    uint64_t key = (uint64_t)title << 32 | sink->events.dict->sites[site].location;
    const uint64_t *found = tacho_number_map_find(&sink->title_map, key);
    *out_number = found != NULL ? *found : (apart | sink->title_map.count);
    return found != NULL ? TACHO_OK : tacho_number_map_set(&sink->title_map, key, *out_number);
}

static tacho_status find_place(tracy_sink *sink, uint32_t site, const tracy_said *said,
                               size_t *out_place)
{
    uint64_t variant = 0;
    uint64_t base = site;
    TACHO_TRY(ensure_variant(sink, said, &variant));
    if (said->place != 0) {
        TACHO_TRY(ensure_title(sink, said->place, site, &base));
    }
    uint64_t key = variant << 32 | base;
    const uint64_t *found = tacho_number_map_find(&sink->place_map, key);
    *out_place = found != NULL ? (size_t)*found : 0;
    if (found != NULL || sink->place_count == TRACY_PLACE_MAX) {
        return TACHO_OK;
    }
    tracy_place place;
    TACHO_TRY(make_place(sink, &sink->events.dict->sites[site], said, &place));
    TACHO_TRY(tacho_grow(&sink->places, &sink->place_capacity, sink->place_count + 1));
    *out_place = sink->place_count;
    sink->places[sink->place_count++] = place;
    return tacho_number_map_set(&sink->place_map, key, *out_place);
}

tacho_status tracy_ensure_place(tracy_sink *sink, const tacho_row *row, const tracy_said *said,
                                tracy_zone *out_zone)
{
    const tacho_dict *dict = sink->events.dict;
    size_t place = 0;
    tracy_extra extra = {0};
    TACHO_TRY(find_place(sink, row->of.span.site, said, &place));
    out_zone->place = (int32_t)place;
    if (said->text.len > 0) {
        TACHO_TRY(tracy_ensure_text(sink, said->text, &extra.text));
    }
    if (place == 0 || said->place != 0) {
        TACHO_TRY(tracy_ensure_text(
            sink, tacho_dict_string(dict, dict->sites[row->of.span.site].name), &extra.name));
    }
    return ensure_extra(sink, extra, &out_zone->extra);
}
