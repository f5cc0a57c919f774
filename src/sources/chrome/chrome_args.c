/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values to typed arguments. Containers nested too deep for the model, and numbers that
 * neither a 64-bit integer nor a double holds, stay text.
 */
#include "sources/chrome/chrome_event.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/json_number.h"
#include "codec/json_runs.h"

#include <math.h>

/* A container that is being read. */
typedef struct nest {
    size_t arg; /* its own index */
    bool is_array;
} nest;

#define EACH(byte) (0x0101010101010101U * (uint64_t)(byte))

/* Integers of up to eight digits, which most numbers are, without a branch on their length. */
static inline bool parse_short_integer(tacho_str text, int64_t *out_value)
{
    if (TACHO_UNLIKELY(text.len > sizeof(uint64_t) || text.len == 0)) {
        return false;
    }
    uint64_t digits = chrome_load_8(text.data);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    /*
     * Shifts out the bytes after the text and fills up with zeros; the last digit is the highest
     * byte.
     */
    digits = (digits - EACH('0')) << (64 - 8 * text.len);
    if (TACHO_UNLIKELY((((digits + EACH(0x76)) | digits) & EACH(0x80)) != 0)) {
        return false; /* a byte above 9 */
    }
    /* Joins neighbours: digits to pairs, pairs to fours, fours to the whole. */
    digits = (digits * (10 << 8 | 1) >> 8) & 0x00ff00ff00ff00ffU;
    digits = (digits * (100 << 16 | 1) >> 16) & 0x0000ffff0000ffffU;
    *out_value = (int64_t)(digits * (10000ULL << 32 | 1) >> 32);
    return true;
}

static bool is_integer(tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E') {
            return false;
        }
    }
    return true;
}

/* Parses a number of any length; the bytes after |text| do not matter. */
static void set_large_number(tacho_arg *arg, tacho_str text)
{
    arg->type = TACHO_ARG_INT;
    if (!is_integer(text)) {
        arg->type = TACHO_ARG_REAL;
        if (tacho_json_number_double(text, &arg->value.as_real)) {
            return;
        }
    } else if (tacho_json_number_i64(text, &arg->value.as_int)) {
        return;
    } else if (tacho_str_parse_u64(text, &arg->value.as_uint)) {
        arg->type = TACHO_ARG_UINT;
        return;
    }
    arg->type = TACHO_ARG_JSON;
    arg->value.as_text = text;
}

static inline void set_number(tacho_arg *arg, tacho_str text)
{
    arg->type = TACHO_ARG_INT;
    if (!parse_short_integer(text, &arg->value.as_int)) {
        set_large_number(arg, text);
    }
}

static void set_json(tacho_arg *arg, tacho_str text)
{
    arg->type = TACHO_ARG_JSON;
    arg->value.as_text = text;
}

/* Turns the text of |arg| into a number if it is one. */
static tacho_status restore_number(tacho_arg *arg, const tacho_dict *dict)
{
    tacho_str text = chrome_arg_text(dict, arg);
    bool is_number =
        text.len > 0 && (text.data[0] == '-' || (text.data[0] >= '0' && text.data[0] <= '9'));
    if (is_number) {
        TACHO_TRY(tacho_json_check_value(text, &is_number));
    }
    if (is_number) {
        set_large_number(arg, text);
    }
    return TACHO_OK;
}

tacho_status chrome_args_restore_numbers(chrome_args *args, const tacho_dict *dict,
                                         tacho_str places)
{
    while (places.len > 0) {
        size_t len = tacho_str_find_byte(places, ',');
        uint64_t place = 0;
        if (tacho_str_parse_u64(tacho_str_make(places.data, len), &place) &&
            place < args->item_count) {
            TACHO_TRY(restore_number(&args->items[place], dict));
        }
        places = tacho_str_from(places, len < places.len ? len + 1 : len);
    }
    return TACHO_OK;
}

/* A null, or one of the words for numbers that JSON does not have: NaN, Infinity, -inf. */
static void set_null(tacho_arg *arg, tacho_str text)
{
    if (tacho_str_equal(text, TACHO_STR("null"))) {
        set_json(arg, text);
        return;
    }
    bool is_negative = text.data[0] == '-';
    bool is_nan = (text.data[is_negative] | ' ') == 'n';
    arg->type = TACHO_ARG_REAL;
    arg->value.as_real = is_nan ? (double)NAN : is_negative ? -HUGE_VAL : HUGE_VAL;
}

/* |text| without the white space between its tokens, so that it fits on one line. */
static tacho_status compact(chrome_args *args, tacho_str text, tacho_str *out_text)
{
    void *memory = NULL;
    if (!args->has_scratch) {
        tacho_arena_init(&args->scratch);
        args->has_scratch = true;
    }
    TACHO_TRY(tacho_arena_alloc(&args->scratch, text.len, &memory));
    char *to = memory;
    bool is_in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        bool is_space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
        if (!is_in_string && is_space) {
            continue;
        }
        is_in_string = is_in_string != (byte == '"');
        *to++ = byte;
        if (is_in_string && byte == '\\') {
            *to++ = text.data[++i]; /* checked syntax: one follows */
        }
    }
    *out_text = tacho_str_make(memory, (size_t)(to - (char *)memory));
    return TACHO_OK;
}

/* Reads the container that has begun as JSON, or as a plain string where the JSON is not clean. */
static tacho_status read_deep(chrome_args *args, tacho_json_reader *json, tacho_arg *arg)
{
    tacho_str text;
    TACHO_TRY(tacho_json_raw_value(json, &text));
    TACHO_TRY(compact(args, text, &text));
    bool is_clean =
        json->control_count == 0 && json->not_finite_count == 0 && tacho_utf8_is_clean(text);
    arg->type = is_clean ? TACHO_ARG_JSON : TACHO_ARG_TEXT;
    arg->value.as_text = text;
    return TACHO_OK;
}

static TACHO_ALWAYS_INLINE tacho_status read_scalar(tacho_json_reader *json, chrome_texts *texts,
                                                    tacho_json_token token, tacho_arg *arg)
{
    if (token == TACHO_JSON_NUMBER) {
        set_number(arg, json->text);
    } else if (token == TACHO_JSON_STRING) {
        return chrome_texts_set_value(texts, json->text, arg);
    } else if (token == TACHO_JSON_TRUE || token == TACHO_JSON_FALSE) {
        arg->type = TACHO_ARG_BOOL;
        arg->value.as_bool = token == TACHO_JSON_TRUE;
    } else {
        set_null(arg, json->text);
    }
    return TACHO_OK;
}

/* Sets the size of a container that ends here. */
static void end_nest(chrome_args *args, nest ended)
{
    tacho_arg *arg = &args->items[ended.arg];
    size_t inside = args->item_count - ended.arg - 1;
    if (inside == 0) {
        set_json(arg, ended.is_array ? TACHO_STR("[]") : TACHO_STR("{}"));
        return;
    }
    arg->type = ended.is_array ? TACHO_ARG_ARRAY : TACHO_ARG_DICT;
    arg->value.as_uint = inside;
}

static inline tacho_status add_arg(chrome_args *args, uint32_t key, tacho_arg **out_arg)
{
    if (TACHO_UNLIKELY(args->item_count == args->item_capacity)) {
        TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, args->item_count + 1));
    }
    tacho_arg *arg = &args->items[args->item_count++];
    arg->key = key;
    arg->unit = TACHO_UNIT_NONE;
    *out_arg = arg;
    return TACHO_OK;
}

tacho_status chrome_args_read(chrome_args *args, tacho_json_reader *json, chrome_texts *texts)
{
    nest nests[TACHO_ARG_DEPTH_MAX];
    size_t depth = 0;
    tacho_json_token token = TACHO_JSON_END;
    for (;;) {
        uint32_t key = 0;
        tacho_arg *arg = NULL;
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_KEY) {
            TACHO_TRY(chrome_texts_ensure_name(texts, json->text, &key));
            TACHO_TRY(tacho_json_next(json, &token));
        }
        if (token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END) {
            if (depth == 0) {
                return TACHO_OK;
            }
            end_nest(args, nests[--depth]);
            args->tail = args->item_count;
            continue;
        }
        TACHO_TRY(add_arg(args, key, &arg));
        if (token != TACHO_JSON_OBJECT_BEGIN && token != TACHO_JSON_ARRAY_BEGIN) {
            TACHO_TRY(read_scalar(json, texts, token, arg));
        } else if (depth < TACHO_ARG_DEPTH_MAX) {
            nests[depth++] = (nest){args->item_count - 1, token == TACHO_JSON_ARRAY_BEGIN};
        } else {
            TACHO_TRY(read_deep(args, json, arg));
        }
    }
}

tacho_status chrome_args_read_one(chrome_args *args, tacho_json_reader *json, chrome_texts *texts)
{
    uint32_t key = 0;
    tacho_arg *arg = NULL;
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(chrome_texts_ensure(texts, json->text, &key));
    TACHO_TRY(tacho_json_next(json, &token));
    if (token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN) {
        return tacho_json_skip(json);
    }
    TACHO_TRY(add_arg(args, key, &arg));
    return read_scalar(json, texts, token, arg);
}

/* ---- without tokens --------------------------------------------------------------------- */

/*
 * Reads an integer outside of a container, of fewer than eight digits, at |at|. Returns the byte
 * after it.
 */
static inline char *try_take_integer(char *at, tacho_arg *arg)
{
    uint64_t digits = chrome_load_8(at);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    digits ^= EACH('0');
    /* A byte that is not a digit has a bit in its upper half, as it is or after adding six. */
    uint64_t others = (digits | (digits + EACH(6))) & EACH(0xf0);
    size_t count = others == 0 ? 0 : (size_t)__builtin_ctzll(others) / 8;
    bool is_other =
        count == 0 || (*at == '0' && count > 1) || at[count] == '.' || (at[count] | 0x20) == 'e';
    if (TACHO_UNLIKELY(is_other)) {
        return NULL;
    }
    digits <<= 64 - 8 * count;
    digits = (digits * (10 << 8 | 1) >> 8) & 0x00ff00ff00ff00ffU;
    digits = (digits * (100 << 16 | 1) >> 16) & 0x0000ffff0000ffffU;
    arg->type = TACHO_ARG_INT;
    arg->value.as_int = (int64_t)(digits * (10000ULL << 32 | 1) >> 32);
    return at + count;
}

static char *try_take_number(char *at, tacho_arg *arg)
{
    char *end = tacho_json_find_number_end(at);
    if (TACHO_LIKELY(end != NULL)) {
        set_number(arg, tacho_str_make(at, (size_t)(end - at)));
    }
    return end;
}

static inline char *try_take_string(char *at, chrome_texts *texts, tacho_arg *arg)
{
    char *end = tacho_json_find_plain_end(at);
    if (TACHO_UNLIKELY(end == NULL)) {
        return NULL;
    }
    tacho_status status =
        chrome_texts_set_value(texts, tacho_str_make(at, (size_t)(end - at)), arg);
    if (TACHO_UNLIKELY(status != TACHO_OK)) {
        tacho_status_free(status); /* the reader by tokens fails again */
        return NULL;
    }
    return end + 1;
}

static char *try_take_word(char *at, tacho_arg *arg)
{
    if (memcmp(at, "null", 4) == 0) {
        set_json(arg, tacho_str_make(at, 4));
        return at + 4;
    }
    bool is_true = memcmp(at, "true", 4) == 0;
    arg->type = TACHO_ARG_BOOL;
    arg->value.as_bool = is_true;
    return is_true ? at + 4 : memcmp(at, "false", 5) == 0 ? at + 5 : NULL;
}

/* Reads the value at |at|, which is not a container. Returns the byte after it. */
static inline char *try_take_scalar(char *at, chrome_texts *texts, tacho_arg *arg)
{
    if (*at == '"') {
        return try_take_string(at + 1, texts, arg);
    }
    char *end = try_take_integer(at, arg);
    if (TACHO_LIKELY(end != NULL)) {
        return end;
    }
    return *at <= '9' ? try_take_number(at, arg) : try_take_word(at, arg);
}

/* Reads the key at |at|. Returns the first byte of its value. */
static inline char *try_take_key(char *at, chrome_texts *texts, uint32_t *out_key)
{
    char *value = NULL;
    chrome_spelling *key = chrome_keys_take(&texts->keys, at, &value);
    if (TACHO_UNLIKELY(key == NULL)) {
        return NULL;
    }
    if (TACHO_UNLIKELY(key->id == TACHO_NONE)) {
        tacho_status status =
            chrome_texts_ensure_name(texts, tacho_str_make(at + 1, key->text_len), &key->id);
        if (status != TACHO_OK) {
            tacho_status_free(status); /* as above */
            return NULL;
        }
    }
    *out_key = key->id;
    return value;
}

/* Adds an argument; returns NULL when out of memory. */
static inline tacho_arg *try_add_arg(chrome_args *args, uint32_t key)
{
    tacho_arg *arg = NULL;
    tacho_status status = add_arg(args, key, &arg);
    if (TACHO_UNLIKELY(status != TACHO_OK)) {
        tacho_status_free(status); /* as above */
        return NULL;
    }
    return arg;
}

/*
 * Ends the containers that end at |at|, after a value. Returns the next value, or the byte after
 * the outermost end.
 */
static inline char *try_end_nests(chrome_args *args, char *at, const nest *nests, size_t *depth)
{
    for (;;) {
        at = tacho_json_skip_space(at);
        if (TACHO_LIKELY(*at == ',')) {
            return tacho_json_skip_space(at + 1);
        }
        bool is_array = nests[*depth].is_array;
        if (TACHO_UNLIKELY(*at != (is_array ? ']' : '}'))) {
            return NULL;
        }
        at++;
        if (*depth == 0) {
            *depth = SIZE_MAX;
            return at;
        }
        end_nest(args, nests[(*depth)--]);
        args->tail = args->item_count;
    }
}

char *chrome_args_try_read(chrome_args *args, char *at, chrome_texts *texts)
{
    nest nests[1 + TACHO_ARG_DEPTH_MAX]; /* the first is |args| itself; clearing all takes time */
    nests[0] = (nest){.is_array = false};
    size_t depth = 0;
    if (TACHO_UNLIKELY(*at != '{')) {
        return NULL;
    }
    at = tacho_json_skip_space(at + 1);
    if (*at == '}') {
        return at + 1;
    }
    while (depth != SIZE_MAX) {
        uint32_t key = 0;
        at = nests[depth].is_array ? at : try_take_key(at, texts, &key);
        tacho_arg *arg = at != NULL ? try_add_arg(args, key) : NULL;
        if (TACHO_UNLIKELY(arg == NULL)) {
            return NULL;
        }
        bool is_array = *at == '[';
        if (is_array || *at == '{') {
            if (TACHO_UNLIKELY(depth == TACHO_ARG_DEPTH_MAX)) {
                return NULL;
            }
            nests[++depth] = (nest){args->item_count - 1, is_array};
            at = tacho_json_skip_space(at + 1);
            if (*at != (is_array ? ']' : '}')) {
                continue;
            }
        } else {
            at = try_take_scalar(at, texts, arg);
        }
        at = TACHO_LIKELY(at != NULL) ? try_end_nests(args, at, nests, &depth) : NULL;
        if (TACHO_UNLIKELY(at == NULL)) {
            return NULL;
        }
    }
    return at;
}

char *chrome_args_try_read_one(chrome_args *args, tacho_str key, char *at, chrome_texts *texts)
{
    uint32_t id = 0;
    tacho_status status = chrome_texts_ensure(texts, key, &id);
    tacho_arg *arg = status == TACHO_OK ? try_add_arg(args, id) : NULL;
    tacho_status_free(status);
    return arg != NULL ? try_take_scalar(at, texts, arg) : NULL;
}
