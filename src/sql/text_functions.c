/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search is linear in the lengths of both texts (tacho_str_find). The characters that
 * trim takes away are a set of bits.
 */
#include "sql/text_functions.h"

#include "base/utf8.h"
#include "sql/pattern.h"

#include <stdbool.h>
#include <string.h>

enum { CODE_POINTS = 0x110000, WORD_BITS = 64, SET_WORDS = CODE_POINTS / WORD_BITS + 1 };

static tacho_str text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return tacho_str_make(text != NULL ? text : "", (size_t)sqlite3_value_bytes(value));
}

static tacho_str bytes_of(sqlite3_value *value)
{
    const char *bytes = sqlite3_value_blob(value);
    return tacho_str_make(bytes != NULL ? bytes : "", (size_t)sqlite3_value_bytes(value));
}

static bool has_null(int value_count, sqlite3_value **values)
{
    for (int i = 0; i < value_count; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) {
            return true;
        }
    }
    return false;
}

static size_t count_characters(tacho_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    return count;
}

static void instr_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    if (has_null(value_count, values)) {
        return;
    }
    bool is_bytes = sqlite3_value_type(values[0]) == SQLITE_BLOB &&
                    sqlite3_value_type(values[1]) == SQLITE_BLOB;
    tacho_str whole = is_bytes ? bytes_of(values[0]) : text_of(values[0]);
    tacho_str part = is_bytes ? bytes_of(values[1]) : text_of(values[1]);
    size_t at = tacho_str_find(whole, part);
    bool is_found = at != SIZE_MAX;
    size_t before = !is_found || is_bytes ? at : count_characters(tacho_str_make(whole.data, at));
    sqlite3_result_int64(context, is_found ? (sqlite3_int64)before + 1 : 0);
}

/* ---- replace --------------------------------------------------------------------------------- */

static size_t count_parts(tacho_str whole, tacho_str part)
{
    size_t count = 0;
    for (size_t at; (at = tacho_str_find(whole, part)) != SIZE_MAX; count++) {
        whole = tacho_str_from(whole, at + part.len);
    }
    return count;
}

static char *put(char *to, tacho_str text)
{
    if (text.len > 0) {
        memcpy(to, text.data, text.len);
    }
    return to + text.len;
}

static void replace_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    bool is_empty = !has_null(2, values) && sqlite3_value_bytes(values[1]) == 0;
    if (is_empty) {
        sqlite3_result_value(context, values[0]);
    }
    if (is_empty || has_null(value_count, values)) {
        return;
    }
    tacho_str whole = text_of(values[0]), part = text_of(values[1]), by = text_of(values[2]);
    size_t count = count_parts(whole, part);
    if (count == 0) {
        sqlite3_result_text64(context, whole.data, whole.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    }
    /* Lengths are those of values, which are limited: no product of two overflows. */
    size_t len = whole.len - count * part.len + count * by.len;
    if (len > (size_t)sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1)) {
        sqlite3_result_error_toobig(context);
        return;
    }
    char *made = sqlite3_malloc64(len + 1);
    if (made == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    char *end = made;
    for (size_t i = 0; i < count; i++) {
        size_t at = tacho_str_find(whole, part);
        end = put(put(end, tacho_str_make(whole.data, at)), by);
        whole = tacho_str_from(whole, at + part.len);
    }
    put(end, whole);
    sqlite3_result_text64(context, made, len, sqlite3_free, SQLITE_UTF8);
}

/* ---- trim ------------------------------------------------------------------------------------ */

enum { TRIM_START = 1, TRIM_END = 2 };

/* Bits of code points; the last is that of all bytes that are no UTF-8. */
typedef struct code_set {
    uint64_t words[SET_WORDS];
} code_set;

static uint32_t set_place(uint32_t code)
{
    return code < CODE_POINTS ? code : CODE_POINTS;
}

static void fill_set(code_set *set, tacho_str characters)
{
    memset(set, 0, sizeof(*set));
    while (characters.len > 0) {
        uint32_t code = 0;
        characters = tacho_str_from(characters, tacho_utf8_decode(characters, &code));
        set->words[set_place(code) / WORD_BITS] |= UINT64_C(1) << set_place(code) % WORD_BITS;
    }
}

static bool set_has(const code_set *set, uint32_t code)
{
    return (set->words[set_place(code) / WORD_BITS] >> set_place(code) % WORD_BITS & 1) != 0;
}

static tacho_str trim_start(tacho_str text, const code_set *set)
{
    while (text.len > 0) {
        uint32_t code = 0;
        size_t len = tacho_utf8_decode(text, &code);
        if (!set_has(set, code)) {
            break;
        }
        text = tacho_str_from(text, len);
    }
    return text;
}

/* The last character of |text|, which is not empty; its length. */
static size_t decode_last(tacho_str text, uint32_t *out_code)
{
    enum { CHARACTER_MAX = 4 };
    for (size_t len = 2; len <= CHARACTER_MAX && len <= text.len; len++) {
        tacho_str last = tacho_str_from(text, text.len - len);
        if (tacho_utf8_decode(last, out_code) == len) {
            return len;
        }
    }
    tacho_utf8_decode(tacho_str_from(text, text.len - 1), out_code);
    return 1;
}

static tacho_str trim_end(tacho_str text, const code_set *set)
{
    while (text.len > 0) {
        uint32_t code = 0;
        size_t len = decode_last(text, &code);
        if (!set_has(set, code)) {
            break;
        }
        text.len -= len;
    }
    return text;
}

static void trim_by(sqlite3_context *context, int value_count, sqlite3_value **values, int sides)
{
    if (has_null(value_count, values)) {
        return;
    }
    tacho_str text = text_of(values[0]);
    code_set *set = sqlite3_malloc64(sizeof(*set));
    if (set == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    fill_set(set, value_count > 1 ? text_of(values[1]) : TACHO_STR(" "));
    text = (sides & TRIM_START) != 0 ? trim_start(text, set) : text;
    text = (sides & TRIM_END) != 0 ? trim_end(text, set) : text;
    sqlite3_free(set);
    sqlite3_result_text64(context, text.data, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void trim_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    trim_by(context, value_count, values, TRIM_START | TRIM_END);
}

static void ltrim_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    trim_by(context, value_count, values, TRIM_START);
}

static void rtrim_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    trim_by(context, value_count, values, TRIM_END);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Bytes match nothing, where SQLite was built so. */
static bool is_unmatched(sqlite3_value **values)
{
    bool has_bytes = sqlite3_value_type(values[0]) == SQLITE_BLOB ||
                     sqlite3_value_type(values[1]) == SQLITE_BLOB;
    return has_bytes && sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") != 0;
}

/* The character of ESCAPE; false where it is another text. */
static bool read_escape(tacho_str text, tacho_pattern *pattern)
{
    pattern->has_escape = text.len > 0;
    return text.len > 0 && tacho_utf8_decode(text, &pattern->escape) == text.len;
}

static void match_by(sqlite3_context *context, int value_count, sqlite3_value **values,
                     tacho_pattern *pattern)
{
    int most =
        sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
    if (sqlite3_value_bytes(values[0]) > most) {
        sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
        return;
    }
    if (is_unmatched(values)) {
        sqlite3_result_int(context, 0);
        return;
    }
    if (has_null(value_count, values)) {
        return;
    }
    if (value_count == 3 && !read_escape(text_of(values[2]), pattern)) {
        sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
        return;
    }
    const tacho_sql_deadline *deadline = sqlite3_user_data(context);
    pattern->text = text_of(values[0]);
    pattern->until_ns = deadline->until_ns;
    bool is_match = tacho_pattern_matches(pattern, text_of(values[1]));
    if (pattern->is_late) {
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    } else {
        sqlite3_result_int(context, is_match);
    }
}

static void like_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    match_by(context, value_count, values, &(tacho_pattern){.dialect = TACHO_PATTERN_LIKE});
}

static void glob_function(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    match_by(context, value_count, values, &(tacho_pattern){.dialect = TACHO_PATTERN_GLOB});
}

int tacho_sql_text_functions_add(sqlite3 *db, const tacho_sql_deadline *deadline)
{
    static const struct {
        const char *name;
        int value_count;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"instr", 2, instr_function}, {"replace", 3, replace_function},
        {"trim", 1, trim_function},   {"trim", 2, trim_function},
        {"ltrim", 1, ltrim_function}, {"ltrim", 2, ltrim_function},
        {"rtrim", 1, rtrim_function}, {"rtrim", 2, rtrim_function},
        {"like", 2, like_function},   {"like", 3, like_function},
        {"glob", 2, glob_function},
    };
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(functions[0]); i++) {
        code = sqlite3_create_function_v2(db, functions[i].name, functions[i].value_count, flags,
                                          (void *)(uintptr_t)deadline, functions[i].run, NULL, NULL,
                                          NULL);
    }
    return code;
}
