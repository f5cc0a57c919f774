/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data of tables beyond the profile: clean text, nesting, operators.
 */
#include "sql/data.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "profile/operators.h"

#include <stdlib.h>

/* Strings that are new since the last call. */
static tacho_status clean_strings(tacho_sql_data *data)
{
    const tacho_dict *dict = data->profile->events.dict;
    size_t count = dict->strings.item_count;
    TACHO_TRY(tacho_grow(&data->texts, &data->text_capacity, count));
    for (; data->text_count < count; data->text_count++) {
        tacho_str text = tacho_dict_string(dict, (uint32_t)data->text_count);
        TACHO_TRY(tacho_utf8_clean(text, &data->arena, &data->texts[data->text_count]));
    }
    data->bytes_key = tacho_strings_find(&dict->strings, TACHO_STR("bytes"));
    return TACHO_OK;
}

static tacho_status find_kinds(tacho_sql_data *data)
{
    const tacho_dict *dict = data->profile->events.dict;
    TACHO_TRY(tacho_items_make(&data->site_kinds, dict->site_count));
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        data->site_kinds[i] = (uint8_t)tacho_span_kind_of(tacho_dict_string(dict, site->category),
                                                          tacho_dict_string(dict, site->name));
    }
    return TACHO_OK;
}

/* Which parts have spans that are whole operators of a device. */
static tacho_status find_whole_operators(tacho_sql_data *data)
{
    const tacho_dict *dict = data->profile->events.dict;
    bool has_site = false;
    for (size_t i = 0; i < dict->site_count; i++) {
        has_site = has_site || tacho_operators_is_whole(dict, &dict->sites[i]);
    }
    if (!has_site) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&data->has_operators, dict->part_count));
    for (size_t i = 0; i < data->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(data->profile, i);
        data->has_operators[dict->tracks[span.track].part] |=
            tacho_operators_is_whole(dict, &dict->sites[span.site]);
    }
    return TACHO_OK;
}

tacho_status tacho_sql_data_init(tacho_sql_data *data, tacho_profile *profile)
{
    *data = (tacho_sql_data){.profile = profile};
    tacho_arena_init(&data->arena);
    TACHO_TRY(clean_strings(data));
    TACHO_TRY(find_kinds(data));
    return find_whole_operators(data);
}

void tacho_sql_data_deinit(tacho_sql_data *data)
{
    free(data->texts);
    free(data->site_kinds);
    free(data->has_operators);
    free(data->parents);
    free(data->inner_ns);
    free(data->operators);
    free(data->ops);
    free(data->steps);
    tacho_arena_deinit(&data->arena);
    *data = (tacho_sql_data){.profile = NULL};
}

/* ---- nesting --------------------------------------------------------------------------------- */

static tacho_status nest_spans(tacho_sql_data *data, tacho_nests *nests)
{
    const tacho_profile *profile = data->profile;
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        tacho_row row = {
            .kind = TACHO_ROW_SPAN,
            .track = span.track,
            .start = span.start,
            .of.span = {.end = span.end, .site = span.site, .flags = span.flags},
        };
        data->inner_ns[i] = 0;
        TACHO_TRY(tacho_nests_push(nests, &row, (uint32_t)i, &data->parents[i]));
        if (data->parents[i] != TACHO_NONE) {
            data->inner_ns[data->parents[i]] += tacho_sql_ns(data, span.track, span.end) -
                                                tacho_sql_ns(data, span.track, span.start);
        }
    }
    return TACHO_OK;
}

static tacho_status make_nesting(tacho_sql_data *data)
{
    tacho_nests nests = {.dict = data->profile->events.dict};
    TACHO_TRY(tacho_items_make(&data->parents, data->profile->span_count));
    TACHO_TRY(tacho_items_make(&data->inner_ns, data->profile->span_count));
    tacho_status status = nest_spans(data, &nests);
    tacho_nests_deinit(&nests);
    return status;
}

/* ---- operators ------------------------------------------------------------------------------- */

static tacho_status find_operators(tacho_sql_data *data, const tacho_operators *operators,
                                   tacho_arg **args)
{
    size_t arg_capacity = 0;
    for (size_t i = 0; i < data->profile->span_count; i++) {
        tacho_row row;
        TACHO_TRY(tacho_profile_row(data->profile, i, args, &arg_capacity, &row));
        TACHO_TRY(tacho_operators_of_row(operators, &row, &data->operators[i]));
    }
    return TACHO_OK;
}

static tacho_status make_operators(tacho_sql_data *data)
{
    tacho_operators operators;
    tacho_arg *args = NULL;
    tacho_operators_init(&operators, data->profile->events.dict);
    if (operators.key == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&data->operators, data->profile->span_count));
    tacho_status status = find_operators(data, &operators, &args);
    free(args);
    return status == TACHO_OK ? clean_strings(data) : status;
}

tacho_status tacho_sql_data_prepare(tacho_sql_data *data, unsigned needs)
{
    unsigned missing = needs & ~data->ready;
    if ((missing & TACHO_SQL_NEEDS_NESTING) != 0) {
        TACHO_TRY(make_nesting(data));
        data->ready |= TACHO_SQL_NEEDS_NESTING;
    }
    if ((missing & TACHO_SQL_NEEDS_OPERATORS) != 0) {
        TACHO_TRY(make_operators(data));
        data->ready |= TACHO_SQL_NEEDS_OPERATORS;
    }
    if ((missing & TACHO_SQL_NEEDS_OPS) != 0) {
        TACHO_TRY(tacho_sql_ops_make(data));
        data->ready |= TACHO_SQL_NEEDS_OPS;
    }
    if ((missing & TACHO_SQL_NEEDS_STEPS) != 0) {
        TACHO_TRY(tacho_sql_steps_make(data));
        TACHO_TRY(clean_strings(data));
        data->ready |= TACHO_SQL_NEEDS_STEPS;
    }
    return TACHO_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

void tacho_sql_put_text(tacho_str text, sqlite3_context *context)
{
    if (tacho_utf8_is_clean(text)) {
        sqlite3_result_text64(context, text.len > 0 ? text.data : "", text.len, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        return;
    }
    char *copy = sqlite3_malloc64(3 * (sqlite3_uint64)text.len + 1);
    if (copy == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    char *end = tacho_utf8_clean_into(text, copy);
    sqlite3_result_text64(context, copy, (sqlite3_uint64)(end - copy), sqlite3_free, SQLITE_UTF8);
}

tacho_str tacho_sql_text(const tacho_sql_data *data, uint32_t id)
{
    tacho_str text = id == TACHO_NONE ? tacho_str_make(NULL, 0) : data->texts[id];
    return id != TACHO_NONE && text.data == NULL ? TACHO_STR("") : text;
}

void tacho_sql_put_string(const tacho_sql_data *data, uint32_t id, sqlite3_context *context)
{
    if (id != TACHO_NONE) {
        tacho_str text = tacho_sql_text(data, id);
        sqlite3_result_text64(context, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
    }
}

void tacho_sql_put_word(const char *word, sqlite3_context *context)
{
    sqlite3_result_text(context, word, -1, SQLITE_STATIC);
}

uint32_t tacho_sql_process_name(const tacho_dict *dict, uint32_t track)
{
    uint32_t group = tacho_dict_track_group(dict, track);
    return dict->tracks[group].parent == TACHO_NONE ? TACHO_NONE : dict->tracks[group].name;
}

int64_t tacho_sql_ns(const tacho_sql_data *data, uint32_t track, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(data->profile->events.dict, track), ticks);
}
