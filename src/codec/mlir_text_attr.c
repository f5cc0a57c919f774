/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes: the text and the kind of a value. A value other than a number, string, symbol or list
 * of integers is kept as text.
 */
#include "codec/mlir_text_parser.h"

/* A splat of more elements is not written out. */
enum { SPLAT_MAX = 65536, PLAIN_DIGITS_MAX = 18 };

/* A cursor over a value. */
typedef struct value_cursor {
    tacho_str text;
    size_t at;
} value_cursor;

static bool take_byte(value_cursor *v, char byte)
{
    bool taken = v->at < v->text.len && v->text.data[v->at] == byte;
    v->at += taken;
    return taken;
}

static bool take_literal(value_cursor *v, tacho_str literal)
{
    bool taken = tacho_str_starts_with(tacho_str_from(v->text, v->at), literal);
    v->at += taken ? literal.len : 0;
    return taken;
}

static void skip_spaces(value_cursor *v)
{
    while (take_byte(v, ' ')) {
    }
}

static bool is_done(const value_cursor *v)
{
    return v->at == v->text.len;
}

static tacho_str take_word(value_cursor *v)
{
    size_t end = tacho_mlir_skip_word(v->text, v->at);
    tacho_str word = tacho_str_make(v->text.data + v->at, end - v->at);
    v->at = end;
    return word;
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool parse_hex(tacho_str digits, uint64_t *out_value)
{
    *out_value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        int digit = hex_digit(digits.data[i]);
        if (digit < 0 || *out_value >> 60 != 0) {
            return false;
        }
        *out_value = *out_value << 4 | (uint64_t)digit;
    }
    return digits.len > 0;
}

/* An integer of 64 bits that is not part of a longer number. */
static bool take_int(value_cursor *v, int64_t *out_int)
{
    bool is_negative = take_byte(v, '-');
    tacho_str digits = take_word(v);
    uint64_t value = 0;
    bool is_hex = tacho_str_starts_with(digits, TACHO_STR("0x"));
    if (!(is_hex ? parse_hex(tacho_str_from(digits, 2), &value)
                 : tacho_str_parse_u64(digits, &value))) {
        return false;
    }
    if (value > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    *out_int = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

static bool take_int_or_bool(value_cursor *v, int64_t *out_int)
{
    *out_int = take_literal(v, TACHO_STR("true"));
    return *out_int == 1 || take_literal(v, TACHO_STR("false")) || take_int(v, out_int);
}

/* i8, si64, ui1 or index: its width in bits; 0 for any other type. */
static uint64_t int_width(tacho_str type, bool *out_is_unsigned)
{
    *out_is_unsigned = tacho_str_starts_with(type, TACHO_STR("ui"));
    if (tacho_str_equal(type, TACHO_STR("index"))) {
        return 64;
    }
    bool has_sign = *out_is_unsigned || tacho_str_starts_with(type, TACHO_STR("si"));
    uint64_t width = 0;
    if (type.len < 2 || type.data[has_sign] != 'i' ||
        !tacho_str_parse_u64(tacho_str_from(type, 1 + (size_t)has_sign), &width)) {
        return 0;
    }
    return width;
}

static bool is_int_type(tacho_str type)
{
    bool is_unsigned;
    return int_width(type, &is_unsigned) > 0;
}

/* " : type", if present; the type, or the empty text. */
static tacho_str take_colon_type(value_cursor *v)
{
    size_t start = v->at;
    skip_spaces(v);
    if (!take_byte(v, ':')) {
        v->at = start;
        return TACHO_STR("");
    }
    skip_spaces(v);
    return take_word(v);
}

/* Integers while their number is not known. */
typedef struct int_list {
    int64_t *items;
    size_t count;
    size_t capacity;
} int_list;

static tacho_status push_int(tacho_arena *arena, int_list *list, int64_t value)
{
    if (list->count == list->capacity) {
        void *memory = NULL;
        size_t capacity = list->capacity < 4 ? 4 : list->capacity * 2;
        TACHO_TRY(tacho_arena_alloc(arena, capacity * sizeof(*list->items), &memory));
        if (list->count > 0) {
            memcpy(memory, list->items, list->count * sizeof(*list->items));
        }
        list->items = memory;
        list->capacity = capacity;
    }
    list->items[list->count++] = value;
    return TACHO_OK;
}

/*
 * Integers with commas up to |closer|. Those of an array attribute may have types, those of
 * dense ones may be true or false. |*out_fits| is false when there is anything else.
 */
static tacho_status take_ints(tacho_mlir_parser *p, value_cursor *v, char closer,
                              int_list *out_list, bool *out_fits)
{
    bool may_have_types = closer == ']' && v->text.data[0] == '[';
    *out_fits = false;
    skip_spaces(v);
    if (take_byte(v, closer)) {
        *out_fits = true;
        return TACHO_OK;
    }
    do {
        int64_t value = 0;
        skip_spaces(v);
        if (!(may_have_types ? take_int(v, &value) : take_int_or_bool(v, &value))) {
            return TACHO_OK;
        }
        tacho_str type = may_have_types ? take_colon_type(v) : TACHO_STR("");
        if (type.len > 0 && (!is_int_type(type) || tacho_str_equal(type, TACHO_STR("i1")))) {
            return TACHO_OK;
        }
        TACHO_TRY(push_int(&p->scratch, out_list, value));
        skip_spaces(v);
    } while (take_byte(v, ','));
    *out_fits = take_byte(v, closer);
    return TACHO_OK;
}

/* [1, 2 : i32]. */
static tacho_status take_array_attr(tacho_mlir_parser *p, value_cursor *v, int_list *out_list,
                                    bool *out_fits)
{
    v->at = 1;
    return take_ints(p, v, ']', out_list, out_fits);
}

/* array<i32: 1, 2>. */
static tacho_status take_dense_array(tacho_mlir_parser *p, value_cursor *v, int_list *out_list,
                                     bool *out_fits)
{
    *out_fits = false;
    if (!is_int_type(take_word(v))) {
        return TACHO_OK;
    }
    if (take_byte(v, '>')) {
        *out_fits = true;
        return TACHO_OK;
    }
    return take_byte(v, ':') ? take_ints(p, v, '>', out_list, out_fits) : TACHO_OK;
}

typedef struct dense_type {
    uint64_t count;
    uint64_t width;
    bool is_unsigned;
} dense_type;

/* The type of a dense attribute, from the end of its text: tensor<4xi32>, vector<1xindex>. */
static bool parse_dense_type(tacho_str text, dense_type *out_type)
{
    size_t start = text.len;
    while (start > 0 && text.data[start - 1] != ' ') {
        start--;
    }
    value_cursor v = {text, start};
    if (!take_literal(&v, TACHO_STR("tensor<")) && !take_literal(&v, TACHO_STR("vector<"))) {
        return false;
    }
    tacho_str word = take_word(&v);
    size_t cross = tacho_str_find_byte(word, 'x');
    if (cross >= word.len || !take_byte(&v, '>') || !is_done(&v)) {
        return false;
    }
    out_type->width = int_width(tacho_str_from(word, cross + 1), &out_type->is_unsigned);
    return out_type->width > 0 && out_type->width <= 64 &&
           tacho_str_parse_u64(tacho_str_make(word.data, cross), &out_type->count);
}

/* One element of a dense attribute that is written as bytes in hex. */
static bool take_hex_element(value_cursor *v, const dense_type *type, int64_t *out_int)
{
    uint64_t value = 0;
    unsigned width = (unsigned)type->width;
    for (unsigned shift = 0; shift < width; shift += 8) {
        uint64_t byte = 0;
        if (v->at + 2 > v->text.len || !parse_hex(tacho_str_make(v->text.data + v->at, 2), &byte)) {
            return false;
        }
        value |= byte << shift;
        v->at += 2;
    }
    if (!type->is_unsigned && width < 64 && value >> (width - 1) != 0) {
        value |= UINT64_MAX << width;
    }
    *out_int = (int64_t)value;
    return true;
}

/* "0x0100", after the opening quote. */
static tacho_status take_hex_elements(tacho_mlir_parser *p, value_cursor *v, const dense_type *type,
                                      int_list *out_list, bool *out_fits)
{
    *out_fits = false;
    if (!take_literal(v, TACHO_STR("0x")) || type->width % 8 != 0) {
        return TACHO_OK;
    }
    int64_t value = 0;
    bool is_huge = type->is_unsigned && type->width == 64;
    while (take_hex_element(v, type, &value)) {
        if (is_huge && value < 0) {
            return TACHO_OK; /* a text, since a list cannot hold it */
        }
        TACHO_TRY(push_int(&p->scratch, out_list, value));
    }
    *out_fits = take_byte(v, '"') && take_byte(v, '>');
    return TACHO_OK;
}

/* dense<[1, 2]> : tensor<2xi32>, dense<1> : tensor<4xi32>, dense<> : tensor<0xi32>. */
static tacho_status take_dense(tacho_mlir_parser *p, value_cursor *v, int_list *out_list,
                               bool *out_fits)
{
    dense_type type = {0};
    *out_fits = false;
    if (!parse_dense_type(v->text, &type)) {
        return TACHO_OK;
    }
    bool is_list = take_byte(v, '[');
    if (!is_list && take_byte(v, '"')) {
        TACHO_TRY(take_hex_elements(p, v, &type, out_list, out_fits));
    } else {
        TACHO_TRY(take_ints(p, v, is_list ? ']' : '>', out_list, out_fits));
        *out_fits = *out_fits && (!is_list || take_byte(v, '>'));
    }
    if (*out_fits && !is_list && out_list->count == 1 && type.count <= SPLAT_MAX) {
        while (out_list->count < type.count) {
            TACHO_TRY(push_int(&p->scratch, out_list, out_list->items[0]));
        }
        out_list->count = (size_t)type.count;
    }
    *out_fits = *out_fits && out_list->count == type.count;
    v->at = v->text.len;
    return TACHO_OK;
}

static tacho_status copy_ints(tacho_mlir_parser *p, const int64_t *ints, size_t count,
                              tacho_mlir_attr *attr)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&p->module->arena, count * sizeof(*ints), &memory));
    if (count > 0) {
        memcpy(memory, ints, count * sizeof(*ints));
    }
    attr->kind = TACHO_MLIR_ATTR_INTS;
    attr->ints = memory;
    attr->int_count = count;
    return TACHO_OK;
}

static tacho_status set_text(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    attr->kind = TACHO_MLIR_ATTR_TEXT;
    return tacho_arena_copy(&p->module->arena, text, &attr->text);
}

static tacho_status set_list(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    value_cursor v = {text, 0};
    int_list list = {0};
    bool fits = false;
    if (take_literal(&v, TACHO_STR("array<"))) {
        TACHO_TRY(take_dense_array(p, &v, &list, &fits));
    } else if (take_literal(&v, TACHO_STR("dense<"))) {
        TACHO_TRY(take_dense(p, &v, &list, &fits));
    } else {
        TACHO_TRY(take_array_attr(p, &v, &list, &fits));
    }
    tacho_status status =
        fits && is_done(&v) ? copy_ints(p, list.items, list.count, attr) : set_text(p, text, attr);
    tacho_arena_reset(&p->scratch);
    return status;
}

static tacho_status set_number(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    value_cursor v = {text, 0};
    int64_t value = 0;
    bool is_int = take_int(&v, &value);
    tacho_str type = take_colon_type(&v);
    if (!is_int || !is_done(&v) || (type.len > 0 && !is_int_type(type))) {
        return set_text(p, text, attr);
    }
    bool is_bool = tacho_str_equal(type, TACHO_STR("i1"));
    attr->kind = is_bool ? TACHO_MLIR_ATTR_BOOL : TACHO_MLIR_ATTR_INT;
    attr->as_int = is_bool ? value & 1 : value;
    return TACHO_OK;
}

tacho_status tacho_mlir_unquote(tacho_mlir_parser *p, tacho_str quoted, tacho_arena *arena,
                                tacho_str *out_text)
{
    if (quoted.len >= 2 && memchr(quoted.data, '\\', quoted.len) == NULL) {
        return tacho_arena_copy(arena, tacho_str_make(quoted.data + 1, quoted.len - 2), out_text);
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, quoted.len, &memory));
    char *text = memory;
    size_t len = 0;
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        char byte = quoted.data[i];
        if (byte == '\\') {
            tacho_str rest = tacho_str_make(quoted.data + i + 1, quoted.len - i - 2);
            size_t used = tacho_mlir_read_escape(rest, &byte);
            if (used == 0) {
                return tacho_mlir_fail(p, "a string with the escapes \\\" \\\\ \\n \\t \\HH only");
            }
            i += used;
        }
        text[len++] = byte;
    }
    *out_text = tacho_str_make(text, len);
    return TACHO_OK;
}

tacho_status tacho_mlir_symbol_name(tacho_mlir_parser *p, tacho_str symbol, tacho_arena *arena,
                                    tacho_str *out_text)
{
    tacho_str name = tacho_str_from(symbol, 1);
    if (name.len > 0 && name.data[0] == '"') {
        return tacho_mlir_unquote(p, name, arena, out_text);
    }
    return tacho_arena_copy(arena, name, out_text);
}

static tacho_status set_symbol(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    bool is_quoted = text.len > 1 && text.data[1] == '"';
    size_t end = is_quoted ? tacho_mlir_skip_string(text, 1) : tacho_mlir_skip_word(text, 1);
    attr->kind = TACHO_MLIR_ATTR_SYMBOL;
    return tacho_mlir_symbol_name(p, tacho_str_make(text.data, end), &p->module->arena,
                                  &attr->text);
}

static tacho_status set_word(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    bool is_true = tacho_str_equal(text, TACHO_STR("true"));
    if (is_true || tacho_str_equal(text, TACHO_STR("false"))) {
        attr->kind = TACHO_MLIR_ATTR_BOOL;
        attr->as_int = is_true;
        return TACHO_OK;
    }
    if (tacho_str_equal(text, TACHO_STR("unit"))) {
        attr->kind = TACHO_MLIR_ATTR_UNIT;
        return TACHO_OK;
    }
    bool may_be_list = tacho_str_starts_with(text, TACHO_STR("array<")) ||
                       tacho_str_starts_with(text, TACHO_STR("dense<"));
    return may_be_list ? set_list(p, text, attr) : set_text(p, text, attr);
}

static tacho_status set_value(tacho_mlir_parser *p, tacho_str text, tacho_mlir_attr *attr)
{
    char byte = text.len > 0 ? text.data[0] : '\0';
    if (byte == '"') {
        attr->kind = TACHO_MLIR_ATTR_STRING;
        tacho_str quoted = tacho_str_make(text.data, tacho_mlir_skip_string(text, 0));
        return tacho_mlir_unquote(p, quoted, &p->module->arena, &attr->text);
    }
    if (byte == '@') {
        return set_symbol(p, text, attr);
    }
    if (byte == '[') {
        return set_list(p, text, attr);
    }
    return byte == '-' || (byte >= '0' && byte <= '9') ? set_number(p, text, attr)
                                                       : set_word(p, text, attr);
}

/* Room for one more attribute, which has a name and no value yet. */
static tacho_status push_attr(tacho_mlir_parser *p, tacho_str name, tacho_mlir_attr **out_attr)
{
    tacho_mlir_known_name *known = NULL;
    TACHO_TRY(tacho_mlir_know_name(p, name, &known));
    TACHO_TRY(tacho_mlir_grow(&p->attrs, &p->attr_capacity, p->attr_count + 1));
    *out_attr = &p->attrs[p->attr_count++];
    **out_attr =
        (tacho_mlir_attr){.name = known->id, .kind = TACHO_MLIR_ATTR_UNIT, .text = TACHO_STR("")};
    return TACHO_OK;
}

tacho_status tacho_mlir_add_attr(tacho_mlir_parser *p, tacho_str name, tacho_str text)
{
    tacho_mlir_attr *attr = NULL;
    TACHO_TRY(push_attr(p, name, &attr));
    return set_value(p, text, attr);
}

tacho_status tacho_mlir_add_string(tacho_mlir_parser *p, tacho_str name, tacho_str text)
{
    tacho_mlir_attr *attr = NULL;
    TACHO_TRY(push_attr(p, name, &attr));
    attr->kind = TACHO_MLIR_ATTR_STRING;
    return tacho_arena_copy(&p->module->arena, text, &attr->text);
}

tacho_status tacho_mlir_add_ints(tacho_mlir_parser *p, tacho_str name, const int64_t *ints,
                                 size_t int_count)
{
    tacho_mlir_attr *attr = NULL;
    TACHO_TRY(push_attr(p, name, &attr));
    return copy_ints(p, ints, int_count, attr);
}

/*
 * By far the most attributes are integers like "12 : i64". The end of one that is at byte |at|, or
 * 0 when it is written otherwise; then the long way has to be gone.
 */
static size_t find_plain_int(const tacho_mlir_parser *p, size_t at, int64_t *out_value)
{
    static const tacho_str types[] = {TACHO_STR_INIT(" : i64"), TACHO_STR_INIT(" : i32"),
                                      TACHO_STR_INIT(" : index")};
    size_t start = at;
    int64_t value = 0;
    while (at < p->text.len && at < start + PLAIN_DIGITS_MAX && p->text.data[at] >= '0' &&
           p->text.data[at] <= '9') {
        value = value * 10 + (p->text.data[at++] - '0');
    }
    tacho_str rest = tacho_str_from(p->text, at);
    for (size_t i = 0; at > start && i < sizeof(types) / sizeof(types[0]); i++) {
        size_t end = at + types[i].len;
        if (tacho_str_starts_with(rest, types[i]) && end < p->text.len &&
            (p->text.data[end] == ',' || p->text.data[end] == '}')) {
            *out_value = value;
            return end;
        }
    }
    return 0;
}

tacho_status tacho_mlir_take_attr(tacho_mlir_parser *p, tacho_str name)
{
    tacho_mlir_span span;
    tacho_str text;
    int64_t value = 0;
    size_t end = find_plain_int(p, p->token.start, &value);
    if (end > 0) {
        tacho_mlir_attr *attr = NULL;
        TACHO_TRY(push_attr(p, name, &attr));
        attr->kind = TACHO_MLIR_ATTR_INT;
        attr->as_int = value;
        tacho_mlir_seek(p, end);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_scan_attr(p, p->token.start, &span));
    TACHO_TRY(tacho_mlir_expand(p, span, &text));
    TACHO_TRY(tacho_mlir_add_attr(p, name, text));
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}

/* Most names have no escapes, and then are a view of the text: they are interned later. */
static tacho_status unquote_name(tacho_mlir_parser *p, tacho_str *name)
{
    if (memchr(name->data, '\\', name->len) != NULL) {
        return tacho_mlir_unquote(p, *name, &p->module->arena, name);
    }
    *name = tacho_str_make(name->data + 1, name->len - 2);
    return TACHO_OK;
}

/* name, or name = value. */
static tacho_status take_entry(tacho_mlir_parser *p)
{
    tacho_str name = tacho_mlir_token_text(p);
    if (p->token.kind == TACHO_MLIR_TOKEN_STRING) {
        TACHO_TRY(unquote_name(p, &name));
    } else if (p->token.kind != TACHO_MLIR_TOKEN_WORD) {
        return tacho_mlir_fail(p, "the name of an attribute");
    }
    tacho_mlir_advance(p);
    if (tacho_mlir_take_mark(p, '=')) {
        return tacho_mlir_take_attr(p, name);
    }
    tacho_mlir_attr *attr = NULL;
    return push_attr(p, name, &attr);
}

tacho_status tacho_mlir_take_dict(tacho_mlir_parser *p)
{
    TACHO_TRY(tacho_mlir_expect_mark(p, '{', "'{' and attributes"));
    if (tacho_mlir_take_mark(p, '}')) {
        return TACHO_OK;
    }
    do {
        TACHO_TRY(take_entry(p));
    } while (tacho_mlir_take_mark(p, ','));
    return tacho_mlir_expect_mark(p, '}', "',' or '}' after an attribute");
}
