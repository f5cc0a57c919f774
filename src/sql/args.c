/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of arguments: one row per value, those in dictionaries and arrays with their path.
 */
#include "sql/data.h"

#include <inttypes.h>
#include <stdio.h>

static const tacho_sql_column columns[] = {
    {"span_id", "INTEGER", 0, false}, {"key", "TEXT", 0, false},  {"value", "", 0, false},
    {"type", "TEXT", 0, false},       {"unit", "TEXT", 0, false},
};

enum { COLUMN_SPAN_ID, COLUMN_KEY, COLUMN_VALUE, COLUMN_TYPE, COLUMN_UNIT, COLUMN_COUNT };

static size_t count_spans(const tacho_sql_data *data)
{
    return data->profile->span_count;
}

/* Walks the arguments of the current span, then those of the next one that has any. */
static bool find_argument(tacho_sql_place *place, tacho_status *out_status)
{
    tacho_profile *profile = place->data->profile;
    while (place->row < place->end) {
        if (place->arg != NULL) {
            if (tacho_arg_walk_next(&place->walk, &place->arg)) {
                place->number++;
                return true;
            }
            place->arg = NULL;
            place->row++;
            continue;
        }
        if (tacho_profile_span(profile, place->row).args == TACHO_NONE) {
            place->row++;
            continue;
        }
        tacho_row row;
        *out_status =
            tacho_profile_row(profile, place->row, &place->args, &place->arg_capacity, &row);
        if (*out_status != TACHO_OK) {
            return false;
        }
        tacho_arg_walk_begin(&place->walk, profile->events.dict, &row);
        place->arg = row.args; /* anything but NULL: it is under way */
    }
    return false;
}

static void put_key(const tacho_sql_place *place, sqlite3_context *context)
{
    tacho_arg_walk walk = place->walk;
    tacho_str path;
    walk.text = NULL;
    walk.text_capacity = 0;
    tacho_status status = tacho_arg_walk_path(&walk, &path);
    if (status == TACHO_OK) {
        tacho_sql_put_text(path, context);
    } else {
        tacho_status_free(status);
        sqlite3_result_error_nomem(context);
    }
    tacho_arg_walk_deinit(&walk);
}

/* SQL has signed numbers of 64 bits: larger ones are text, so that no digit is lost. */
static void put_unsigned(uint64_t value, sqlite3_context *context)
{
    char digits[24];
    if (value <= INT64_MAX) {
        sqlite3_result_int64(context, (sqlite3_int64)value);
        return;
    }
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    sqlite3_result_text(context, digits, -1, SQLITE_TRANSIENT);
}

static void put_value(const tacho_sql_place *place, sqlite3_context *context)
{
    const tacho_arg *arg = place->arg;
    switch (arg->type) {
    case TACHO_ARG_INT:
        sqlite3_result_int64(context, arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        put_unsigned(arg->value.as_uint, context);
        break;
    case TACHO_ARG_REAL:
        sqlite3_result_double(context, arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        sqlite3_result_int(context, arg->value.as_bool);
        break;
    case TACHO_ARG_STRING:
        tacho_sql_put_string(place->data, arg->value.as_string, context);
        break;
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        tacho_sql_put_text(arg->value.as_text, context);
        break;
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
}

static const char *type_name(tacho_arg_type type)
{
    switch (type) {
    case TACHO_ARG_INT:
    case TACHO_ARG_UINT:
        return "integer";
    case TACHO_ARG_REAL:
        return "real";
    case TACHO_ARG_BOOL:
        return "bool";
    case TACHO_ARG_JSON:
        return "json";
    case TACHO_ARG_STRING:
    case TACHO_ARG_TEXT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
    return "text";
}

static void put_arg(tacho_sql_place *place, int column, sqlite3_context *context)
{
    switch (column) {
    case COLUMN_SPAN_ID:
        sqlite3_result_int64(context, (sqlite3_int64)place->row);
        break;
    case COLUMN_KEY:
        put_key(place, context);
        break;
    case COLUMN_VALUE:
        put_value(place, context);
        break;
    case COLUMN_TYPE:
        tacho_sql_put_word(type_name(place->arg->type), context);
        break;
    default: /* COLUMN_UNIT */
        if (place->arg->unit != TACHO_UNIT_NONE) {
            tacho_sql_put_word(tacho_unit_name(place->arg->unit), context);
        }
    }
}

const tacho_sql_table tacho_sql_table_args = {
    .name = "args",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .count = count_spans,
    .put = put_arg,
    .find_next = find_argument,
};
