/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops of tt-metal as runs: one each, by the id that messages and zones share.
 */
#include "profile/tracy_runs.h"

#include <inttypes.h>
#include <stdio.h>

/* The number that |text| begins with; false where it is none, or too large for an id. */
static bool parse_id(tacho_str text, uint64_t *out_id)
{
    enum { DIGITS_MAX = 18 };
    size_t i = 0;
    *out_id = 0;
    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        if (i == DIGITS_MAX) {
            return false;
        }
        *out_id = *out_id * 10 + (uint64_t)(text.data[i] - '0');
    }
    return i > 0;
}

static tacho_str skip(tacho_str text, tacho_str prefix)
{
    return tacho_str_starts_with(text, prefix) ? tacho_str_from(text, prefix.len) : text;
}

/* The text after the next |byte|; empty where there is none. */
static tacho_str behind(tacho_str text, char byte)
{
    size_t at = tacho_str_find_byte(text, byte);
    return at < text.len ? tacho_str_from(text, at + 1) : TACHO_STR("");
}

/* `TT_DNN_DEVICE_OP: "name", hash, device, is_cached, id */
static bool parse_op(tacho_str text, tacho_str *out_name, uint64_t *out_id)
{
    enum { FIELDS_BEFORE_ID = 4 };
    tacho_str mark = TACHO_STR("TT_DNN_DEVICE_OP: \"");
    text = skip(text, TACHO_STR("`"));
    if (!tacho_str_starts_with(text, mark)) {
        return false;
    }
    text = tacho_str_from(text, mark.len);
    size_t len = tacho_str_find_byte(text, '"');
    *out_name = tacho_str_make(text.data, len < text.len ? len : 0);
    text = behind(text, '"');
    for (int i = 0; i < FIELDS_BEFORE_ID; i++) {
        text = behind(text, ',');
    }
    return out_name->len > 0 && parse_id(skip(text, TACHO_STR(" ")), out_id);
}

/* The run of |id|; one that is new is called by it until a message names it. */
static tacho_status ensure_run(tacho_tracy_rows *rows, uint64_t id, uint32_t *out_run)
{
    char name[32];
    const uint64_t *found = tacho_number_map_find(&rows->runs, id);
    if (found != NULL) {
        *out_run = (uint32_t)*found;
        return TACHO_OK;
    }
    tacho_run run = {.part = rows->part, .invocation = (int64_t)id};
    int len = snprintf(name, sizeof(name), "OP ID:%" PRIu64, id);
    TACHO_TRY(
        tacho_dict_ensure_string(rows->events->dict, tacho_str_make(name, (size_t)len), &run.name));
    TACHO_TRY(tacho_dict_add_run(rows->events->dict, &run, out_run));
    return tacho_number_map_set(&rows->runs, id, *out_run);
}

tacho_status tacho_tracy_rows_note_op(tacho_tracy_rows *rows, tacho_str message)
{
    tacho_dict *dict = rows->events->dict;
    tacho_str name = TACHO_STR("");
    uint64_t id = 0;
    uint32_t run = TACHO_NONE;
    if (!parse_op(message, &name, &id)) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_run(rows, id, &run));
    return tacho_dict_ensure_string(dict, name, &dict->runs[run].name);
}

/* The text after |mark| at the start of |text|; empty where |text| starts differently. */
static tacho_str after(tacho_str text, tacho_str mark)
{
    return tacho_str_starts_with(text, mark) ? tacho_str_from(text, mark.len) : TACHO_STR("");
}

tacho_status tacho_tracy_rows_find_run(tacho_tracy_rows *rows, const tacho_tracy_span *span,
                                       uint32_t *out_run)
{
    const tacho_dict *dict = rows->events->dict;
    tacho_str number = TACHO_STR("");
    uint64_t id = 0;
    *out_run = TACHO_NONE;
    if (span->function != 0) {
        number = after(tacho_dict_string(dict, span->function), TACHO_STR("OP ID:"));
    }
    if (number.len == 0 && span->text.len > 0) {
        tacho_str name = tacho_dict_string(dict, dict->sites[span->site].name);
        bool is_op = tacho_str_starts_with(name, TACHO_STR("TT_DNN_"));
        number = is_op ? after(span->text, TACHO_STR("id:")) : TACHO_STR("");
    }
    return parse_id(number, &id) ? ensure_run(rows, id, out_run) : TACHO_OK;
}
