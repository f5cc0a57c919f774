/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of spans.
 */
#include "sql/spans.h"

#include "profile/operators.h"

#include <string.h>

static const tacho_sql_column columns[] = {
#define COLUMN(id, name, type, needs, has_key) {name, type, needs, has_key},
    TACHO_SQL_SPAN_COLUMNS(COLUMN)
#undef COLUMN
};

static size_t count_spans(const tacho_sql_data *data)
{
    return data->profile->span_count;
}

/* ---- values of a span ------------------------------------------------------------------------ */

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

bool tacho_sql_span_is_work(const tacho_sql_data *data, const tacho_span *span)
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
    return tacho_operators_of_site(&dict->sites[span->site]);
}

uint32_t tacho_sql_span_location(const tacho_dict *dict, const tacho_span *span)
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
    case TACHO_SQL_SPAN_FILE:
        return dict->parts[dict->tracks[span->track].part].name;
    case TACHO_SQL_SPAN_PROCESS:
        return tacho_sql_process_name(dict, span->track);
    case TACHO_SQL_SPAN_TRACK:
        return tacho_dict_track_name(dict, span->track);
    case TACHO_SQL_SPAN_NAME:
        return dict->sites[span->site].name;
    case TACHO_SQL_SPAN_CATEGORY:
        return tacho_site_category(&dict->sites[span->site]);
    case TACHO_SQL_SPAN_OPERATION:
        return operation_of(data, row, span);
    case TACHO_SQL_SPAN_LOCATION:
        return tacho_sql_span_location(dict, span);
    default: /* TACHO_SQL_SPAN_RUN */
        return span->run == TACHO_NONE ? TACHO_NONE : dict->runs[span->run].name;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

bool tacho_sql_span_bytes(const tacho_sql_data *data, const tacho_span *span, int64_t *out_bytes)
{
    const tacho_profile *profile = data->profile;
    uint32_t key = data->bytes_key;
    bool has_bytes = false;
    *out_bytes = 0;
    for (size_t i = span->args; key != TACHO_NONE && i < profile->arg_count; i++) {
        const tacho_arg *arg = &profile->args[i].arg;
        bool is_number =
            arg->type == TACHO_ARG_UINT || (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0);
        if (arg->key == key && is_number) {
            bool is_large = arg->type == TACHO_ARG_UINT && arg->value.as_uint > INT64_MAX;
            int64_t bytes = is_large ? INT64_MAX : arg->value.as_int;
            has_bytes = true;
            if (__builtin_add_overflow(*out_bytes, bytes, out_bytes)) {
                *out_bytes = INT64_MAX;
            }
        }
        if (profile->args[i].is_last) {
            break;
        }
    }
    return has_bytes;
}

static void put_bytes(const tacho_sql_data *data, const tacho_span *span, sqlite3_context *context)
{
    int64_t bytes = 0;
    if (tacho_sql_span_bytes(data, span, &bytes)) {
        sqlite3_result_int64(context, bytes);
    }
}

static void put_number(const tacho_sql_data *data, size_t row, const tacho_span *span, int column,
                       sqlite3_context *context)
{
    const tacho_dict *dict = data->profile->events.dict;
    int64_t start_ns = tacho_sql_ns(data, span->track, span->start);
    int64_t end_ns = tacho_sql_ns(data, span->track, span->end);
    switch (column) {
    case TACHO_SQL_SPAN_START_NS:
        sqlite3_result_int64(context, start_ns);
        break;
    case TACHO_SQL_SPAN_END_NS:
        sqlite3_result_int64(context, end_ns);
        break;
    case TACHO_SQL_SPAN_DURATION_NS:
        sqlite3_result_int64(context, end_ns - start_ns);
        break;
    case TACHO_SQL_SPAN_SELF_NS:
        sqlite3_result_int64(context, end_ns - start_ns - data->inner_ns[row]);
        break;
    default: /* TACHO_SQL_SPAN_CYCLES */
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
    case TACHO_SQL_SPAN_SPAN_ID:
        sqlite3_result_int64(context, (sqlite3_int64)place->row);
        break;
    case TACHO_SQL_SPAN_PARENT_ID:
        put_parent(data->parents[place->row], context);
        break;
    case TACHO_SQL_SPAN_TRACK_ID:
        sqlite3_result_int64(context, span.track);
        break;
    case TACHO_SQL_SPAN_CLASS:
        tacho_sql_put_word(tacho_track_class_name(class_of(data, &span)), context);
        break;
    case TACHO_SQL_SPAN_KIND:
        tacho_sql_put_word(kinds[kind_of(&span)], context);
        break;
    case TACHO_SQL_SPAN_INVOCATION:
        put_invocation(dict, &span, context);
        break;
    case TACHO_SQL_SPAN_ORIGIN:
        tacho_sql_put_word(tacho_origin_name(origin_of(dict, &span)), context);
        break;
    case TACHO_SQL_SPAN_START_NS:
    case TACHO_SQL_SPAN_END_NS:
    case TACHO_SQL_SPAN_DURATION_NS:
    case TACHO_SQL_SPAN_SELF_NS:
    case TACHO_SQL_SPAN_CYCLES:
        put_number(data, place->row, &span, column, context);
        break;
    case TACHO_SQL_SPAN_IS_WORK:
        sqlite3_result_int(context, tacho_sql_span_is_work(data, &span));
        break;
    case TACHO_SQL_SPAN_BYTES:
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
    case TACHO_SQL_SPAN_TRACK_ID:
        return span.track;
    case TACHO_SQL_SPAN_CLASS:
        return class_of(data, &span);
    case TACHO_SQL_SPAN_KIND:
        return kind_of(&span);
    case TACHO_SQL_SPAN_ORIGIN:
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
    case TACHO_SQL_SPAN_CLASS:
        return tacho_str_from_cstring(tacho_track_class_name(class_of(data, &span)));
    case TACHO_SQL_SPAN_KIND:
        return tacho_str_from_cstring(kinds[kind_of(&span)]);
    case TACHO_SQL_SPAN_ORIGIN:
        return tacho_str_from_cstring(tacho_origin_name(origin_of(dict, &span)));
    default:
        id = string_of(data, row, &span, column);
    }
    return tacho_sql_text(data, id);
}

static int compare_spans(const tacho_sql_data *data, size_t left, size_t right, int column)
{
    if (column == TACHO_SQL_SPAN_TRACK_ID) {
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
    .column_count = TACHO_SQL_SPAN_COLUMN_COUNT,
    .count = count_spans,
    .put = put_span,
    .key = key_of,
    .compare = compare_spans,
};
