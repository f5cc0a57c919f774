/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span as one JSON object: its own, and those that every sink adds.
 */
#include "sinks/json_args.h"

#include "base/decimal.h"
#include "base/real.h"
#include "profile/facts.h"
#include "sinks/trace_rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* An object being written. */
typedef struct json_args {
    tacho_output *output;
    const tacho_dict *dict;
    bool is_first; /* without a comma before it */
    tacho_json_keys *keys;
    size_t large_count; /* numbers written as strings */
} json_args;

/* Whether viewers, which have signed 64 bits, would show a wrong number. */
static inline bool is_large(const tacho_arg *arg)
{
    if (arg->type == TACHO_ARG_UINT) {
        return arg->value.as_uint > INT64_MAX;
    }
    return arg->type == TACHO_ARG_JSON && arg->value.as_text.len > 0 &&
           (arg->value.as_text.data[0] == '-' ||
            (arg->value.as_text.data[0] >= '0' && arg->value.as_text.data[0] <= '9'));
}

/* Writes a string of the dictionary that is not cached in |piece|. */
static void put_new_string(json_args *to, tacho_json_piece *piece, uint32_t string)
{
    uint64_t start = tacho_output_offset(to->output);
    tacho_json_write_string(to->output, tacho_dict_string(to->dict, string));
    tacho_json_piece_keep(to->output, piece, string, start);
}

/* trace_processor takes the power of ten of 20 decimals modulo 2^64: 3.06e-4 becomes 3.94e-3. */
static bool has_too_many_decimals(double value)
{
    enum { DECIMALS_MAX = 19 };
    char text[TACHO_REAL_MAX];
    if (fabs(value) < 1e-4 || fabs(value) >= 1e-3) {
        return false; /* fewer decimals, or an exponent */
    }
    char *end = tacho_real_put(text, value);
    const char *point = memchr(text, '.', (size_t)(end - text));
    return point != NULL && end - point - 1 > DECIMALS_MAX;
}

static void put_real(json_args *to, double value)
{
    if (to->keys->is_for_viewers && has_too_many_decimals(value)) {
        tacho_output_printf(to->output, "%.16e", value);
    } else if (isfinite(value)) {
        tacho_json_write_real(to->output, value);
    } else {
        tacho_json_write_string(to->output, tacho_trace_not_finite(value));
    }
}

/* Writes a number or JSON as it is, in quotes where viewers would show a wrong number. */
static void put_bare(json_args *to, const tacho_arg *arg)
{
    bool is_quoted = to->keys->is_for_viewers && is_large(arg);
    to->large_count += is_quoted ? 1 : 0;
    tacho_output_write(to->output, "\"", is_quoted ? 1 : 0);
    if (arg->type == TACHO_ARG_UINT) {
        tacho_json_write_uint(to->output, arg->value.as_uint);
    } else {
        tacho_output_write_str(to->output, arg->value.as_text);
    }
    tacho_output_write(to->output, "\"", is_quoted ? 1 : 0);
}

/* Writes any value but a container, or a string of the dictionary in |piece|. */
static void put_value(json_args *to, const tacho_arg *arg, tacho_json_piece *piece)
{
    switch (arg->type) {
    case TACHO_ARG_INT:
        tacho_json_write_int(to->output, arg->value.as_int);
        break;
    case TACHO_ARG_STRING:
        put_new_string(to, piece, arg->value.as_string);
        break;
    case TACHO_ARG_UINT:
    case TACHO_ARG_JSON:
        put_bare(to, arg);
        break;
    case TACHO_ARG_REAL:
        put_real(to, arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        tacho_output_write_cstring(to->output, arg->value.as_bool ? "true" : "false");
        break;
    case TACHO_ARG_TEXT:
        tacho_json_write_string(to->output, arg->value.as_text);
        break;
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
}

/* Writes a name with its brackets in their wide form. */
static void put_wide(tacho_output *output, tacho_str name)
{
    size_t done = 0;
    tacho_output_write(output, "\"", 1);
    for (size_t at = 0; at < name.len; at++) {
        if (name.data[at] == '[' || name.data[at] == ']') {
            tacho_json_write_text(output, tacho_str_make(name.data + done, at - done));
            tacho_output_write_cstring(output,
                                       name.data[at] == '[' ? TACHO_WIDE_OPEN : TACHO_WIDE_CLOSE);
            done = at + 1;
        }
    }
    tacho_json_write_text(output, tacho_str_from(name, done));
    tacho_output_write(output, "\"", 1);
}

/* Whether a name is empty once it is split at its points, as in viewers. */
static bool is_blank(tacho_str name)
{
    size_t at = 0;
    while (at < name.len && name.data[at] == '.') {
        at++;
    }
    return at == name.len;
}

/* Whether every bracket of a name contains an index at the end of a part: "x[0]", "a[1][2].b". */
static bool has_indices_alone(tacho_str name)
{
    bool is_part = false; /* a name to index precedes */
    for (size_t at = 0; at < name.len; at++) {
        if (name.data[at] == '[') {
            size_t digits = 0;
            while (++at < name.len && name.data[at] >= '0' && name.data[at] <= '9') {
                digits++;
            }
            char next = at + 1 < name.len ? name.data[at + 1] : '.';
            if (!is_part || digits == 0 || at >= name.len || name.data[at] != ']' ||
                (next != '[' && next != '.')) {
                return false;
            }
        } else if (name.data[at] == ']') {
            return false;
        } else {
            is_part = name.data[at] != '.';
        }
    }
    return true;
}

static void put_name(const json_args *to, tacho_str name)
{
    if (!to->keys->is_for_viewers) {
        tacho_json_write_string(to->output, name);
    } else if (is_blank(name)) {
        tacho_json_write_string(to->output, TACHO_STR("(no name)"));
    } else if (memchr(name.data, '[', name.len) != NULL && !has_indices_alone(name)) {
        put_wide(to->output, name);
    } else {
        tacho_json_write_string(to->output, name);
    }
}

/* Writes "key": for a key that is not cached. */
static void put_new_key(json_args *to, tacho_json_piece *piece, uint32_t key)
{
    uint64_t start = tacho_output_offset(to->output);
    put_name(to, tacho_dict_string(to->dict, key));
    tacho_output_write(to->output, ":", 1);
    tacho_json_piece_keep(to->output, piece, key, start);
}

/* A dictionary or array being written. */
typedef struct open_container {
    size_t end; /* index of the first argument after it */
    bool is_array;
} open_container;

/* Room for one argument, except values written the slow way: commas, brackets, a key. */
enum { ARG_ROOM = TACHO_JSON_PIECE_ROOM + TACHO_ARG_DEPTH_MAX + 8 };

/* Writes "key": to |at|; returns the end. There is room for an argument before and after. */
static inline unsigned char *put_key(json_args *to, unsigned char *at, uint32_t key)
{
    tacho_json_piece *piece = &to->keys->pieces[key % TACHO_JSON_KEY_SLOTS];
    unsigned char *end = tacho_json_piece_copy(at, piece, key);
    if (TACHO_LIKELY(end != NULL)) {
        return end;
    }
    to->output->cursor = at;
    put_new_key(to, piece, key);
    return tacho_output_reserve(to->output, ARG_ROOM + TACHO_JSON_PIECE_ROOM);
}

/* Like put_key, for a value other than a container. */
static inline unsigned char *put_scalar(json_args *to, unsigned char *at, const tacho_arg *arg)
{
    tacho_json_piece *piece = NULL;
    if (arg->type == TACHO_ARG_INT) {
        return (unsigned char *)tacho_decimal_put_signed((char *)at, arg->value.as_int);
    }
    if (arg->type == TACHO_ARG_STRING) {
        piece = &to->keys->strings[arg->value.as_string % TACHO_JSON_STRING_SLOTS];
        unsigned char *end = tacho_json_piece_copy(at, piece, arg->value.as_string);
        if (TACHO_LIKELY(end != NULL)) {
            return end;
        }
    }
    to->output->cursor = at;
    put_value(to, arg, piece);
    return tacho_output_reserve(to->output, ARG_ROOM);
}

/* Writes "key":value for each argument, after a comma unless |to->is_first|. */
static void put_args(json_args *to, const tacho_row *row)
{
    open_container stack[TACHO_ARG_DEPTH_MAX];
    size_t depth = 0;
    size_t container_end = SIZE_MAX; /* of the innermost open one */
    bool is_in_array = false;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        unsigned char *at =
            tacho_output_reserve(to->output, ARG_ROOM + (size_t)TACHO_JSON_PIECE_ROOM);
        *at = ',';
        at += to->is_first ? 0 : 1;
        at = is_in_array ? at : put_key(to, at, arg->key);
        to->is_first = arg->type == TACHO_ARG_ARRAY || arg->type == TACHO_ARG_DICT;
        if (to->is_first) {
            assert(arg->value.as_uint > 0 && depth < TACHO_ARG_DEPTH_MAX);
            is_in_array = arg->type == TACHO_ARG_ARRAY;
            *at++ = is_in_array ? '[' : '{';
            container_end = i + 1 + (size_t)arg->value.as_uint;
            stack[depth++] = (open_container){container_end, is_in_array};
            to->output->cursor = at;
            continue;
        }
        at = put_scalar(to, at, arg);
        while (container_end == i + 1) {
            *at++ = stack[--depth].is_array ? ']' : '}';
            is_in_array = depth > 0 && stack[depth - 1].is_array;
            container_end = depth > 0 ? stack[depth - 1].end : SIZE_MAX;
        }
        to->output->cursor = at;
    }
}

static void put_named(json_args *to, const char *name)
{
    tacho_output_write_cstring(to->output, to->is_first ? "\"" : ",\"");
    tacho_output_write_cstring(to->output, name);
    tacho_output_write_cstring(to->output, "\":");
    to->is_first = false;
}

/* Writes the arguments that the sink adds: the same as in a Perfetto trace. */
static void put_own_args(json_args *to, const tacho_row *row)
{
    const tacho_dict *dict = to->dict;
    const tacho_site *site = &dict->sites[row->of.span.site];
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    if (tacho_dict_track_clock(dict, row->track)->counts_cycles && !is_instant) {
        put_named(to, "cycles");
        tacho_json_write_int(to->output, row->of.span.end - row->start);
    }
    if (site->location != TACHO_NONE) {
        put_named(to, "location");
        tacho_json_write_string(to->output,
                                tacho_dict_string(to->dict, dict->locations[site->location].text));
    }
    if (row->of.span.run != TACHO_NONE) {
        const tacho_run *run = &dict->runs[row->of.span.run];
        put_named(to, "run");
        tacho_json_write_string(to->output, tacho_dict_string(to->dict, run->name));
        if (run->invocation >= 0) {
            put_named(to, "invocation");
            tacho_json_write_int(to->output, run->invocation);
        }
    }
}

/* Not details: these qualify how far the span can be trusted. */
static void put_marks(json_args *to, const tacho_row *row)
{
    tacho_origin origin = tacho_trace_own_origin(to->dict, row);
    if (origin != TACHO_ORIGIN_UNKNOWN) {
        put_named(to, "origin");
        tacho_json_write_string(to->output, tacho_str_from_cstring(tacho_origin_name(origin)));
    }
    if ((row->of.span.flags & TACHO_SPAN_UNENDED) != 0) {
        put_named(to, "unended");
        tacho_output_write_cstring(to->output, "true");
    }
}

size_t tacho_json_args_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row,
                             tacho_json_keys *keys)
{
    json_args to = {output, dict, true, keys, 0};
    tacho_output_write(output, "{", 1);
    put_args(&to, row);
    put_own_args(&to, row);
    put_marks(&to, row);
    tacho_output_write(output, "}", 1);
    return to.large_count;
}

void tacho_json_large_write(tacho_output *output, const tacho_row *row)
{
    const char *before = "\"";
    for (size_t i = 0; i < row->arg_count; i++) {
        if (is_large(&row->args[i])) {
            tacho_json_put_uint(output, before, i);
            before = ",";
        }
    }
    tacho_output_write(output, "\"", 1);
}

void tacho_json_marks_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row)
{
    json_args to = {output, dict, true, NULL, 0};
    tacho_output_write(output, "{", 1);
    put_marks(&to, row);
    tacho_output_write(output, "}", 1);
}
