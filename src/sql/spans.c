/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of spans.
 */
#include "sql/data.h"

#include "profile/operators.h"

#include <string.h>

#define SPAN_COLUMNS(X)                                                                            \
    X(SPAN_ID, "span_id", "INTEGER", 0, false)                                                     \
    X(PARENT_ID, "parent_id", "INTEGER", TACHO_SQL_NEEDS_NESTING, false)                           \
    X(TRACK_ID, "track_id", "INTEGER", 0, true)                                                    \
    X(FILE, "file", "TEXT", 0, true)                                                               \
    X(PROCESS, "process", "TEXT", 0, true)                                                         \
    X(TRACK, "track", "TEXT", 0, true)                                                             \
    X(CLASS, "class", "TEXT", 0, true)                                                             \
    X(KIND, "kind", "TEXT", 0, true)                                                               \
    X(NAME, "name", "TEXT", 0, true)                                                               \
    X(CATEGORY, "category", "TEXT", 0, true)                                                       \
    X(OPERATION, "operation", "TEXT", TACHO_SQL_NEEDS_OPERATORS, true)                             \
    X(LOCATION, "location", "TEXT", 0, true)                                                       \
    X(RUN, "run", "TEXT", 0, true)                                                                 \
    X(INVOCATION, "invocation", "INTEGER", 0, false)                                               \
    X(ORIGIN, "origin", "TEXT", 0, true)                                                           \
    X(START_NS, "start_ns", "INTEGER", 0, false)                                                   \
    X(END_NS, "end_ns", "INTEGER", 0, false)                                                       \
    X(DURATION_NS, "duration_ns", "INTEGER", 0, false)                                             \
    X(SELF_NS, "self_ns", "INTEGER", TACHO_SQL_NEEDS_NESTING, false)                               \
    X(CYCLES, "cycles", "INTEGER", 0, false)                                                       \
    X(BYTES, "bytes", "INTEGER", 0, false)                                                         \
    X(IS_WORK, "is_work", "INTEGER", 0, false)

enum {
#define COLUMN_NUMBER(id, name, type, needs, has_key) COLUMN_##id,
    SPAN_COLUMNS(COLUMN_NUMBER)
#undef COLUMN_NUMBER
        COLUMN_COUNT,
};

static const tacho_sql_column columns[] = {
#define COLUMN(id, name, type, needs, has_key) {name, type, needs, has_key},
    SPAN_COLUMNS(COLUMN)
#undef COLUMN
};

static size_t count_spans(const tacho_sql_data *data)
{
    return data->profile->span_count;
}

/* ---- what a span says ------------------------------------------------------------------------ */

static const char *const kinds[] = {"span", "instant", "unended"};

static uint32_t kind_of(const tacho_span *span)
{
    return (span->flags & TACHO_SPAN_INSTANT) != 0   ? 1
           : (span->flags & TACHO_SPAN_UNENDED) != 0 ? 2
                                                     : 0;
}

static tacho_track_class class_of(const tacho_sql_data *data, const tacho_span *span)
{
    const tacho_dict *dict = data->profile->events.dict;
    return tacho_operators_class((tacho_category_kind)data->site_kinds[span->site],
                                 &dict->tracks[span->track]);
}

/* Whether 'tacho ops' counts it. */
static bool is_work(const tacho_sql_data *data, const tacho_span *span)
{
    const tacho_dict *dict = data->profile->events.dict;
    const tacho_track *track = &dict->tracks[span->track];
    bool is_piece = data->has_operators != NULL && data->has_operators[track->part] &&
                    tacho_operators_is_piece(dict, &dict->sites[span->site], track);
    return kind_of(span) != 1 && class_of(data, span) != TACHO_TRACK_PHASE && !is_piece;
}

static tacho_origin origin_of(const tacho_dict *dict, const tacho_span *span)
{
    tacho_origin origin = (tacho_origin)(span->flags & TACHO_SPAN_ORIGIN_MASK);
    return origin != TACHO_ORIGIN_UNKNOWN ? origin
                                          : dict->parts[dict->tracks[span->track].part].origin;
}

/* A string: the operator that an argument names, else the name or category. */
static uint32_t operation_of(const tacho_sql_data *data, size_t row, const tacho_span *span)
{
    const tacho_dict *dict = data->profile->events.dict;
    if (data->operators != NULL && data->operators[row] != TACHO_NONE) {
        return data->operators[row];
    }
    return tacho_operators_of_site(dict, &dict->sites[span->site]);
}

static uint32_t location_of(const tacho_dict *dict, const tacho_span *span)
{
    uint32_t location = dict->sites[span->site].location;
    return location == TACHO_NONE ? TACHO_NONE : dict->locations[location].text;
}

/* The string of a column of text, TACHO_NONE for none. */
static uint32_t string_of(const tacho_sql_data *data, size_t row, const tacho_span *span,
                          int column)
{
    const tacho_dict *dict = data->profile->events.dict;
    switch (column) {
    case COLUMN_FILE:
        return dict->parts[dict->tracks[span->track].part].name;
    case COLUMN_PROCESS:
        return tacho_sql_process_name(dict, span->track);
    case COLUMN_TRACK:
        return tacho_dict_track_name(dict, span->track);
    case COLUMN_NAME:
        return dict->sites[span->site].name;
    case COLUMN_CATEGORY:
        return tacho_site_category(&dict->sites[span->site]);
    case COLUMN_OPERATION:
        return operation_of(data, row, span);
    case COLUMN_LOCATION:
        return location_of(dict, span);
    default: /* COLUMN_RUN */
        return span->run == TACHO_NONE ? TACHO_NONE : dict->runs[span->run].name;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The sum of arguments called "bytes"; it saturates. */
static void put_bytes(const tacho_sql_data *data, const tacho_span *span, sqlite3_context *context)
{
    const tacho_profile *profile = data->profile;
    uint32_t key = data->bytes_key;
    bool has_bytes = false;
    int64_t sum = 0;
    for (size_t i = span->args; key != TACHO_NONE && i < profile->arg_count; i++) {
        const tacho_arg *arg = &profile->args[i].arg;
        bool is_number =
            arg->type == TACHO_ARG_UINT || (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0);
        if (arg->key == key && is_number) {
            bool is_large = arg->type == TACHO_ARG_UINT && arg->value.as_uint > INT64_MAX;
            has_bytes = true;
            if (__builtin_add_overflow(sum, is_large ? INT64_MAX : arg->value.as_int, &sum)) {
                sum = INT64_MAX;
            }
        }
        if (profile->args[i].is_last) {
            break;
        }
    }
    if (has_bytes) {
        sqlite3_result_int64(context, sum);
    }
}

static void put_number(const tacho_sql_data *data, size_t row, const tacho_span *span, int column,
                       sqlite3_context *context)
{
    const tacho_dict *dict = data->profile->events.dict;
    int64_t start_ns = tacho_sql_ns(data, span->track, span->start);
    int64_t end_ns = tacho_sql_ns(data, span->track, span->end);
    switch (column) {
    case COLUMN_START_NS:
        sqlite3_result_int64(context, start_ns);
        break;
    case COLUMN_END_NS:
        sqlite3_result_int64(context, end_ns);
        break;
    case COLUMN_DURATION_NS:
        sqlite3_result_int64(context, end_ns - start_ns);
        break;
    case COLUMN_SELF_NS:
        sqlite3_result_int64(context, end_ns - start_ns - data->inner_ns[row]);
        break;
    default: /* COLUMN_CYCLES */
        if (tacho_dict_track_clock(dict, span->track)->counts_cycles) {
            sqlite3_result_int64(context, span->end - span->start);
        }
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static void put_parent(uint32_t parent, sqlite3_context *context)
{
    if (parent != TACHO_NONE) {
        sqlite3_result_int64(context, parent);
    }
}

static void put_invocation(const tacho_dict *dict, const tacho_span *span, sqlite3_context *context)
{
    if (span->run != TACHO_NONE && dict->runs[span->run].invocation >= 0) {
        sqlite3_result_int64(context, dict->runs[span->run].invocation);
    }
}

static tacho_span span_of(tacho_sql_place *place)
{
    if (place->span_row != place->row + 1) {
        place->span = tacho_profile_span(place->data->profile, place->row);
        place->span_row = place->row + 1;
    }
    return place->span;
}

static void put_span(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_data *data = place->data;
    const tacho_dict *dict = data->profile->events.dict;
    tacho_span span = span_of(place);
    switch (column) {
    case COLUMN_SPAN_ID:
        sqlite3_result_int64(context, (sqlite3_int64)place->row);
        break;
    case COLUMN_PARENT_ID:
        put_parent(data->parents[place->row], context);
        break;
    case COLUMN_TRACK_ID:
        sqlite3_result_int64(context, span.track);
        break;
    case COLUMN_CLASS:
        tacho_sql_put_word(tacho_track_class_name(class_of(data, &span)), context);
        break;
    case COLUMN_KIND:
        tacho_sql_put_word(kinds[kind_of(&span)], context);
        break;
    case COLUMN_INVOCATION:
        put_invocation(dict, &span, context);
        break;
    case COLUMN_ORIGIN:
        tacho_sql_put_word(tacho_origin_name(origin_of(dict, &span)), context);
        break;
    case COLUMN_START_NS:
    case COLUMN_END_NS:
    case COLUMN_DURATION_NS:
    case COLUMN_SELF_NS:
    case COLUMN_CYCLES:
        put_number(data, place->row, &span, column, context);
        break;
    case COLUMN_IS_WORK:
        sqlite3_result_int(context, is_work(data, &span));
        break;
    case COLUMN_BYTES:
        put_bytes(data, &span, context);
        break;
    default:
        tacho_sql_put_string(data, string_of(data, place->row, &span, column), context);
    }
}

static uint32_t key_of(const tacho_sql_data *data, size_t row, int column)
{
    const tacho_dict *dict = data->profile->events.dict;
    tacho_span span = tacho_profile_span(data->profile, row);
    switch (column) {
    case COLUMN_TRACK_ID:
        return span.track;
    case COLUMN_CLASS:
        return class_of(data, &span);
    case COLUMN_KIND:
        return kind_of(&span);
    case COLUMN_ORIGIN:
        return origin_of(dict, &span);
    default:
        return string_of(data, row, &span, column);
    }
}

/* The text of a column; data is NULL for the NULL of SQL. */
static tacho_str text_of(const tacho_sql_data *data, size_t row, int column)
{
    const tacho_dict *dict = data->profile->events.dict;
    tacho_span span = tacho_profile_span(data->profile, row);
    uint32_t id = TACHO_NONE;
    switch (column) {
    case COLUMN_CLASS:
        return tacho_str_from_cstring(tacho_track_class_name(class_of(data, &span)));
    case COLUMN_KIND:
        return tacho_str_from_cstring(kinds[kind_of(&span)]);
    case COLUMN_ORIGIN:
        return tacho_str_from_cstring(tacho_origin_name(origin_of(dict, &span)));
    default:
        id = string_of(data, row, &span, column);
    }
    tacho_str text = id == TACHO_NONE        ? tacho_str_make(NULL, 0)
                     : id < data->text_count ? data->texts[id]
                                             : tacho_dict_string(dict, id);
    return id != TACHO_NONE && text.data == NULL ? TACHO_STR("") : text;
}

static int compare_spans(const tacho_sql_data *data, size_t left, size_t right, int column)
{
    if (column == COLUMN_TRACK_ID) {
        uint32_t a = tacho_profile_span(data->profile, left).track;
        uint32_t b = tacho_profile_span(data->profile, right).track;
        return (a > b) - (a < b);
    }
    tacho_str a = text_of(data, left, column), b = text_of(data, right, column);
    if (a.data == NULL || b.data == NULL) {
        return (a.data != NULL) - (b.data != NULL);
    }
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.data, b.data, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

const tacho_sql_table tacho_sql_table_spans = {
    .name = "spans",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .count = count_spans,
    .put = put_span,
    .key = key_of,
    .compare = compare_spans,
};
