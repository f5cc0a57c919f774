/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each container stores the index of its end, so values are skipped at once without recursion.
 */
#include "sources/tenstorrent/log_json.h"

#include "base/grow.h"
#include "base/index.h"
#include "codec/json_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 64 };

static tacho_status add_node(tt_json *json, tacho_json_token kind)
{
    TACHO_TRY(tacho_grow(&json->nodes, &json->node_capacity, json->node_count + 1));
    json->nodes[json->node_count] = (tt_json_node){
        .text = json->reader.text,
        .kind = kind,
        .behind = (uint32_t)json->node_count + 1,
    };
    json->node_count++;
    return TACHO_OK;
}

/* Reads tokens to the end; open containers are in |open|. */
static tacho_status take_tokens(tt_json *json, bool *out_is_good)
{
    uint32_t open[DEPTH_MAX];
    size_t depth = 0;
    tacho_json_token token = TACHO_JSON_END;
    for (;;) {
        TACHO_TRY(tacho_json_next(&json->reader, &token));
        if (token == TACHO_JSON_END) {
            *out_is_good = json->node_count > 0;
            return TACHO_OK;
        }
        bool is_begin = token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN;
        bool is_end = token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END;
        if (is_begin && depth == DEPTH_MAX) {
            return TACHO_OK;
        }
        if (is_begin) {
            open[depth++] = (uint32_t)json->node_count;
        }
        TACHO_TRY(add_node(json, token));
        if (is_end) {
            json->nodes[open[--depth]].behind = (uint32_t)json->node_count;
        }
    }
}

tacho_status tt_json_init(tt_json *json, tacho_str text, bool *out_is_good)
{
    *json = (tt_json){.is_open = false};
    *out_is_good = false;
    TACHO_TRY(tacho_input_open_bytes("message", text, &json->input));
    tacho_status status = tacho_json_reader_init(&json->reader, &json->input, NULL);
    if (status != TACHO_OK) {
        tacho_input_close(&json->input);
        return status;
    }
    json->is_open = true;
    tacho_json_hold(&json->reader);
    return tacho_status_forgive_data(take_tokens(json, out_is_good));
}

void tt_json_deinit(tt_json *json)
{
    if (json->is_open) {
        tacho_json_reader_deinit(&json->reader);
        tacho_input_close(&json->input);
    }
    free(json->nodes);
    *json = (tt_json){.is_open = false};
}

uint32_t tt_json_find(const tt_json *json, uint32_t node, const char *key)
{
    if (node == TACHO_NONE || json->nodes[node].kind != TACHO_JSON_OBJECT_BEGIN) {
        return TACHO_NONE;
    }
    tacho_str wanted = tacho_str_from_cstring(key);
    for (uint32_t at = node + 1; json->nodes[at].kind == TACHO_JSON_KEY;) {
        if (tacho_str_equal(json->nodes[at].text, wanted)) {
            return at + 1;
        }
        at = json->nodes[at + 1].behind;
    }
    return TACHO_NONE;
}

uint32_t tt_json_first(const tt_json *json, uint32_t array)
{
    bool has = array != TACHO_NONE && json->nodes[array].kind == TACHO_JSON_ARRAY_BEGIN &&
               json->nodes[array + 1].kind != TACHO_JSON_ARRAY_END;
    return has ? array + 1 : TACHO_NONE;
}

uint32_t tt_json_next(const tt_json *json, uint32_t node)
{
    uint32_t behind = json->nodes[node].behind;
    return json->nodes[behind].kind == TACHO_JSON_ARRAY_END ? TACHO_NONE : behind;
}

/* ---- Python's form ------------------------------------------------------------------------- */

tacho_status tt_put_python_string(tacho_text *text, tacho_str string)
{
    bool has_single = tacho_str_find_byte(string, '\'') < string.len;
    bool has_double = tacho_str_find_byte(string, '"') < string.len;
    char quote = has_single && !has_double ? '"' : '\'';
    TACHO_TRY(tacho_text_put(text, tacho_str_make(&quote, 1)));
    for (size_t i = 0; i < string.len; i++) {
        char byte = string.data[i];
        char escaped[8] = {byte};
        int len = 1;
        if (byte == quote || byte == '\\') {
            len = snprintf(escaped, sizeof(escaped), "\\%c", byte);
        } else if (byte == '\n' || byte == '\r' || byte == '\t') {
            len = snprintf(escaped, sizeof(escaped), "\\%c",
                           byte == '\n'   ? 'n'
                           : byte == '\r' ? 'r'
                                          : 't');
        } else if ((unsigned char)byte < 0x20 || byte == 0x7f) {
            len = snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)byte);
        }
        TACHO_TRY(tacho_text_put(text, tacho_str_make(escaped, (size_t)len)));
    }
    return tacho_text_put(text, tacho_str_make(&quote, 1));
}

/*
 * Appends a real like Python's repr(): the fewest digits that read back the same, with an exponent
 * below 1e-4 and from 1e16 on.
 */
static tacho_status put_real(tacho_text *text, double value)
{
    enum { DIGITS_LEAST = 15, DIGITS_MOST = 17 };
    char shown[64];
    int digits = DIGITS_LEAST;
    for (; digits < DIGITS_MOST; digits++) {
        snprintf(shown, sizeof(shown), "%.*g", digits, value);
        if (strtod(shown, NULL) == value) {
            break;
        }
    }
    double size = value < 0 ? -value : value;
    if (size >= 1e16 || (size > 0 && size < 1e-4)) {
        snprintf(shown, sizeof(shown), "%.*g", digits, value);
        return tacho_text_put(text, tacho_str_from_cstring(shown));
    }
    int places = digits;
    for (double power = 1; power <= size && places > 1; power *= 10) {
        places--;
    }
    for (double power = 0.1; size > 0 && power > size; power /= 10) {
        places++;
    }
    int len = snprintf(shown, sizeof(shown), "%.*f", places < 1 ? 1 : places, value);
    while (len > 2 && shown[len - 1] == '0' && shown[len - 2] != '.') {
        len--;
    }
    return tacho_text_put(text, tacho_str_make(shown, (size_t)len));
}

static tacho_status put_number(tacho_text *text, tacho_str number)
{
    double value = 0;
    bool is_whole = true;
    for (size_t i = 0; i < number.len; i++) {
        is_whole =
            is_whole && number.data[i] != '.' && number.data[i] != 'e' && number.data[i] != 'E';
    }
    return is_whole || !tacho_json_number_double(number, &value) ? tacho_text_put(text, number)
                                                                 : put_real(text, value);
}

static tacho_status put_node(const tt_json_node *node, tacho_text *text)
{
    switch (node->kind) {
    case TACHO_JSON_OBJECT_BEGIN:
        return tacho_text_put(text, TACHO_STR("{"));
    case TACHO_JSON_OBJECT_END:
        return tacho_text_put(text, TACHO_STR("}"));
    case TACHO_JSON_ARRAY_BEGIN:
        return tacho_text_put(text, TACHO_STR("["));
    case TACHO_JSON_ARRAY_END:
        return tacho_text_put(text, TACHO_STR("]"));
    case TACHO_JSON_KEY:
        TACHO_TRY(tt_put_python_string(text, node->text));
        return tacho_text_put(text, TACHO_STR(": "));
    case TACHO_JSON_STRING:
        return tt_put_python_string(text, node->text);
    case TACHO_JSON_NUMBER:
        return put_number(text, node->text);
    case TACHO_JSON_TRUE:
        return tacho_text_put(text, TACHO_STR("True"));
    case TACHO_JSON_FALSE:
        return tacho_text_put(text, TACHO_STR("False"));
    case TACHO_JSON_NULL:
        return tacho_text_put(text, TACHO_STR("None"));
    case TACHO_JSON_END:
        break;
    }
    return TACHO_OK;
}

tacho_status tt_json_put_python(const tt_json *json, uint32_t node, tacho_text *text)
{
    if (json->nodes[node].kind == TACHO_JSON_STRING) {
        return tacho_text_put(text, json->nodes[node].text);
    }
    for (uint32_t at = node; at < json->nodes[node].behind; at++) {
        tacho_json_token kind = json->nodes[at].kind;
        tacho_json_token before = at > node ? json->nodes[at - 1].kind : TACHO_JSON_KEY;
        bool is_end = kind == TACHO_JSON_OBJECT_END || kind == TACHO_JSON_ARRAY_END;
        bool is_first = before == TACHO_JSON_KEY || before == TACHO_JSON_OBJECT_BEGIN ||
                        before == TACHO_JSON_ARRAY_BEGIN;
        if (!is_end && !is_first) {
            TACHO_TRY(tacho_text_put(text, TACHO_STR(", ")));
        }
        TACHO_TRY(put_node(&json->nodes[at], text));
    }
    return TACHO_OK;
}
