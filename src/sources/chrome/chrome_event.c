/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of an event, in any order.
 */
#include "sources/chrome/chrome_event.h"

#include "codec/json_runs.h"

#include <stdlib.h>

void chrome_event_init(chrome_event *event)
{
    *event = (chrome_event){.present = 0};
}

void chrome_event_deinit(chrome_event *event)
{
    free(event->args.items);
    if (event->args.has_scratch) {
        tacho_arena_deinit(&event->args.scratch);
    }
    *event = (chrome_event){.present = 0};
}

enum { ARGS = CHROME_FIELD_COUNT, ID2, KEPT, OTHER };

/* Whether |key|, which has the length of |literal|, equals it. */
#define IS(key, literal) (memcmp((key).data, (literal), sizeof(literal) - 1) == 0)

/* As above, for any key. */
unsigned chrome_event_find_field(tacho_str key)
{
    switch (key.len) {
    case 1:
        return IS(key, "s") ? CHROME_INSTANT_SCOPE : OTHER;
    case 2:
        return IS(key, "ph")   ? CHROME_PH
               : IS(key, "ts") ? CHROME_TS
               : IS(key, "id") ? CHROME_ID
               : IS(key, "bp") ? CHROME_BIND_POINT
                               : OTHER;
    case 3:
        return IS(key, "pid")   ? CHROME_PID
               : IS(key, "tid") ? CHROME_TID
               : IS(key, "dur") ? CHROME_DUR
               : IS(key, "cat") ? CHROME_CAT
               : IS(key, "id2") ? ID2
               : IS(key, "tts") ? KEPT
                                : OTHER;
    case 4:
        return IS(key, "name")   ? CHROME_NAME
               : IS(key, "args") ? ARGS
               : IS(key, "tdur") ? KEPT
               : IS(key, "tick") ? CHROME_TICK
                                 : OTHER;
    case 5:
        return IS(key, "scope") ? CHROME_SCOPE : IS(key, "cname") ? KEPT : OTHER;
    case 7:
        return IS(key, "bind_id")   ? CHROME_BIND_ID
               : IS(key, "flow_in") ? CHROME_FLOW_IN
               : IS(key, "numbers") ? CHROME_NUMBERS
                                    : OTHER;
    case 8:
        return IS(key, "flow_out")   ? CHROME_FLOW_OUT
               : IS(key, "end_tick") ? CHROME_END_TICK
                                     : OTHER;
    default:
        return OTHER;
    }
}

/*
 * Reads a value that should not be a container. A container or null counts as missing. NaN, which
 * the reader takes for null, counts as present and not a number.
 */
static inline tacho_status read_field(chrome_event *event, tacho_json_reader *json, unsigned field)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(json, &token));
    if (TACHO_UNLIKELY(token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN)) {
        return tacho_json_skip(json);
    }
    /* Copied as two words, as they were just written; loading both as one would be slow. */
    tacho_str text = tacho_str_make(json->text.data, json->text.len);
    if (TACHO_LIKELY(token != TACHO_JSON_NULL || !tacho_str_equal(text, TACHO_STR("null")))) {
        event->present |= 1U << field;
        event->fields[field] = text;
    }
    return TACHO_OK;
}

/* {"local": "0x1"} or {"global": "0x1"} */
static tacho_status read_id2(chrome_event *event, tacho_json_reader *json)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(json, &token));
    if (token != TACHO_JSON_OBJECT_BEGIN) {
        return tacho_json_skip(json);
    }
    for (;;) {
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_OBJECT_END) {
            return TACHO_OK;
        }
        if (tacho_str_equal(json->text, TACHO_STR("local"))) {
            TACHO_TRY(read_field(event, json, CHROME_ID_LOCAL));
        } else if (tacho_str_equal(json->text, TACHO_STR("global"))) {
            TACHO_TRY(read_field(event, json, CHROME_ID_GLOBAL));
        } else {
            TACHO_TRY(tacho_json_skip(json));
        }
    }
}

static tacho_status read_args(chrome_event *event, tacho_json_reader *json, chrome_texts *texts)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(json, &token));
    return token == TACHO_JSON_OBJECT_BEGIN ? chrome_args_read(&event->args, json, texts)
                                            : tacho_json_skip(json);
}

/* Notes that a field beside "args" was read, as item |number| unless it had no value. */
static void note_aside(chrome_event *event, size_t number)
{
    if (event->args.item_count > number && event->aside_count < CHROME_ASIDE_MAX) {
        event->aside[event->aside_count++] = number;
    }
}

static inline void clear(chrome_event *event)
{
    event->present = 0;
    event->aside_count = 0;
    event->is_empty = true;
    event->args.item_count = 0;
    event->args.tail = 0;
    if (TACHO_UNLIKELY(event->args.has_scratch)) {
        tacho_arena_reset(&event->args.scratch);
    }
}

tacho_status chrome_event_read(chrome_event *event, tacho_json_reader *json, chrome_texts *texts)
{
    clear(event);
    event->offset = tacho_json_offset(json);
    for (;;) {
        tacho_json_token token = TACHO_JSON_END;
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_OBJECT_END) {
            break;
        }
        event->is_empty = false;
        unsigned field = chrome_event_find_field(json->text);
        if (TACHO_LIKELY(field < CHROME_FIELD_COUNT)) {
            TACHO_TRY(read_field(event, json, field));
            if (field == CHROME_NAME) {
                chrome_texts_fetch(texts, json->text);
            }
        } else if (field == ARGS) {
            TACHO_TRY(read_args(event, json, texts));
        } else if (TACHO_UNLIKELY(field == KEPT)) {
            size_t number = event->args.item_count;
            TACHO_TRY(chrome_args_read_one(&event->args, json, texts));
            note_aside(event, number);
        } else {
            TACHO_TRY(field == ID2 ? read_id2(event, json) : tacho_json_skip(json));
        }
    }
    if (TACHO_UNLIKELY(chrome_event_has(event, CHROME_NUMBERS))) {
        TACHO_TRY(
            chrome_args_restore_numbers(&event->args, texts->dict, event->fields[CHROME_NUMBERS]));
    }
    return TACHO_OK;
}

/* ---- without tokens --------------------------------------------------------------------- */

/* Finds the end of true, false or null; NULL for anything else. */
static char *find_word_end(char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);
        if (memcmp(at, words[i], len) == 0) {
            return at + len;
        }
    }
    return NULL;
}

/*
 * Reads the value at |at|, which is not a container, strings without quotes. Returns the byte after
 * it.
 */
static inline char *take_scalar(char *at, tacho_str *out_text)
{
    bool is_string = *at == '"';
    at += is_string ? 1 : 0;
    char *end = is_string    ? tacho_json_find_plain_end(at)
                : *at <= '9' ? tacho_json_find_number_end(at)
                             : find_word_end(at);
    if (TACHO_UNLIKELY(end == NULL)) {
        return NULL;
    }
    *out_text = tacho_str_make(at, (size_t)(end - at));
    return end + (is_string ? 1 : 0);
}

/* read_field without tokens. */
static inline char *try_read_field(chrome_event *event, unsigned field, char *at)
{
    bool is_null = *at == 'n';
    tacho_str text;
    at = take_scalar(at, &text);
    if (TACHO_LIKELY(at != NULL && !is_null)) {
        event->present |= 1U << field;
        event->fields[field] = text;
    }
    return at;
}

/* Reads the value at |at| of the key spelled at |spelled|. Returns the byte after it. */
static inline char *try_read_value(chrome_event *event, const chrome_spelling *key,
                                   const char *spelled, char *at, chrome_texts *texts)
{
    unsigned field = key->field;
    tacho_str text;
    if (TACHO_LIKELY(field < CHROME_FIELD_COUNT)) {
        at = try_read_field(event, field, at);
        if (field == CHROME_NAME && at != NULL) {
            chrome_texts_fetch(texts, chrome_event_text(event, CHROME_NAME));
        }
        return at;
    }
    if (field == ARGS) {
        return chrome_args_try_read(&event->args, at, texts);
    }
    if (field == KEPT) {
        tacho_str name = tacho_str_make(spelled + 1, key->text_len);
        size_t number = event->args.item_count;
        char *end = chrome_args_try_read_one(&event->args, name, at, texts);
        note_aside(event, number);
        return end;
    }
    return field == ID2 ? NULL : take_scalar(at, &text);
}

char *chrome_event_try_read(chrome_event *event, char *at, chrome_texts *texts)
{
    if (TACHO_UNLIKELY(*at != '{')) {
        return NULL;
    }
    clear(event);
    event->is_empty = false;
    do {
        char *value = NULL;
        at = tacho_json_skip_space(at + 1);
        const chrome_spelling *key = chrome_keys_take(&texts->keys, at, &value);
        if (TACHO_UNLIKELY(key == NULL)) {
            return NULL; /* {} too */
        }
        at = try_read_value(event, key, at, value, texts);
        if (TACHO_UNLIKELY(at == NULL)) {
            return NULL;
        }
        at = tacho_json_skip_space(at);
    } while (*at == ',');
    bool is_whole = *at == '}' && !chrome_event_has(event, CHROME_NUMBERS);
    return TACHO_LIKELY(is_whole) ? at + 1 : NULL;
}

bool chrome_event_is_set(const chrome_event *event, chrome_field_name field)
{
    tacho_str text = chrome_event_text(event, field);
    return text.len > 0 && !tacho_str_equal(text, TACHO_STR("false")) &&
           !tacho_str_equal(text, TACHO_STR("0"));
}

const tacho_arg *chrome_event_find_arg(const chrome_event *event, const tacho_dict *dict,
                                       tacho_str key)
{
    const chrome_args *args = &event->args;
    for (size_t i = 0; i < args->item_count; i += chrome_arg_size(&args->items[i])) {
        if (tacho_str_equal(tacho_dict_string(dict, args->items[i].key), key)) {
            return &args->items[i];
        }
    }
    return NULL;
}

tacho_str chrome_arg_text(const tacho_dict *dict, const tacho_arg *arg)
{
    if (arg != NULL && arg->type == TACHO_ARG_STRING) {
        return tacho_dict_string(dict, arg->value.as_string);
    }
    return arg != NULL && arg->type == TACHO_ARG_TEXT ? arg->value.as_text : TACHO_STR("");
}
