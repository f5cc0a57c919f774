/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the builtin dialect, as the text that MLIR prints and, for numbers and shapes, what
 * attributes of that type need to be decoded.
 */
#include "codec/mlir_bytecode_state.h"

/* As MLIR numbers them. */
typedef enum type_code {
    CODE_INTEGER = 0,
    CODE_INDEX = 1,
    CODE_FUNCTION = 2,
    CODE_COMPLEX = 9,
    CODE_MEMREF = 10,
    CODE_MEMREF_WITH_SPACE = 11,
    CODE_NONE = 12,
    CODE_TENSOR = 13,
    CODE_TENSOR_WITH_ENCODING = 14,
    CODE_TUPLE = 15,
    CODE_UNRANKED_MEMREF = 16,
    CODE_UNRANKED_MEMREF_WITH_SPACE = 17,
    CODE_UNRANKED_TENSOR = 18,
    CODE_VECTOR = 19,
    CODE_SCALABLE_VECTOR = 20,
} type_code;

enum { INDEX_WIDTH = 64, WIDTH_MAX = 1 << 24 };

typedef struct float_type {
    uint64_t code;
    tacho_str name;
    uint32_t width;
} float_type;

static const float_type float_types[] = {
    {3, TACHO_STR_INIT("bf16"), 16},          {4, TACHO_STR_INIT("f16"), 16},
    {5, TACHO_STR_INIT("f32"), 32},           {6, TACHO_STR_INIT("f64"), 64},
    {7, TACHO_STR_INIT("f80"), 80},           {8, TACHO_STR_INIT("f128"), 128},
    {21, TACHO_STR_INIT("tf32"), 19},         {22, TACHO_STR_INIT("f8E5M2"), 8},
    {23, TACHO_STR_INIT("f8E4M3"), 8},        {24, TACHO_STR_INIT("f8E4M3FN"), 8},
    {25, TACHO_STR_INIT("f8E5M2FNUZ"), 8},    {26, TACHO_STR_INIT("f8E4M3FNUZ"), 8},
    {27, TACHO_STR_INIT("f8E4M3B11FNUZ"), 8}, {28, TACHO_STR_INIT("f8E3M4"), 8},
    {29, TACHO_STR_INIT("f4E2M1FN"), 4},      {30, TACHO_STR_INIT("f6E2M3FN"), 6},
    {31, TACHO_STR_INIT("f6E3M2FN"), 6},      {32, TACHO_STR_INIT("f8E8M0FNU"), 8},
};

static const float_type *find_float(uint64_t code)
{
    for (size_t i = 0; i < sizeof(float_types) / sizeof(*float_types); i++) {
        if (float_types[i].code == code) {
            return &float_types[i];
        }
    }
    return NULL;
}

static tacho_status put_type(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    return type != NULL ? tacho_mlirb_put(reader, type->text) : TACHO_OK;
}

static tacho_status decode_integer(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                   tacho_mlirb_cursor *cursor)
{
    static const tacho_str prefixes[] = {TACHO_STR_INIT("i"), TACHO_STR_INIT("si"),
                                         TACHO_STR_INIT("ui")};
    const uint8_t *start = cursor->at;
    uint64_t packed = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &packed));
    if ((packed & 3) > TACHO_MLIRB_UNSIGNED || packed >> 2 >= WIDTH_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "no integer type is numbered %llu",
                          TACHO_MLIRB_WHERE(reader, start), (unsigned long long)packed);
    }
    entry->form = TACHO_MLIRB_INTEGER_TYPE;
    entry->signedness = (uint8_t)(packed & 3);
    entry->width = (uint32_t)(packed >> 2);
    TACHO_TRY(tacho_mlirb_put(reader, prefixes[entry->signedness]));
    return tacho_mlirb_put_unsigned(reader, entry->width);
}

/* "A, B"; the number of types is first. */
static tacho_status put_types(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(put_type(reader, cursor));
    }
    return TACHO_OK;
}

/* One result is written without parentheses unless it is a function itself. */
static tacho_status decode_function(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                    tacho_mlirb_cursor *cursor)
{
    entry->form = TACHO_MLIRB_FUNCTION_TYPE;
    TACHO_TRY(tacho_mlirb_puts(reader, "("));
    TACHO_TRY(put_types(reader, cursor));
    TACHO_TRY(tacho_mlirb_puts(reader, ") -> "));
    tacho_mlirb_cursor results = *cursor;
    const tacho_mlirb_entry *only = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, &results, &count));
    if (count == 1) {
        TACHO_TRY(tacho_mlirb_need_type(reader, &results, &only));
    }
    bool is_bare = count == 1 && only != NULL && only->form != TACHO_MLIRB_FUNCTION_TYPE;
    TACHO_TRY(tacho_mlirb_put(reader, is_bare ? TACHO_STR("") : TACHO_STR("(")));
    TACHO_TRY(put_types(reader, cursor));
    return tacho_mlirb_put(reader, is_bare ? TACHO_STR("") : TACHO_STR(")"));
}

/* ---- shapes ---- */

/* Reads the dimensions into |entry|; |scales| marks the scalable ones, or is empty. */
static tacho_status put_shape(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                              tacho_mlirb_cursor *cursor, tacho_mlirb_cursor scales)
{
    size_t rank = 0;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &rank));
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&reader->arena, rank * sizeof(int64_t), &memory));
    int64_t *dims = memory;
    for (size_t i = 0; i < rank; i++) {
        TACHO_TRY(tacho_mlirb_signed(reader, cursor, &dims[i]));
        bool is_scaled = i < tacho_mlirb_left(&scales) && scales.at[i] != 0;
        TACHO_TRY(tacho_mlirb_put(reader, is_scaled ? TACHO_STR("[") : TACHO_STR("")));
        TACHO_TRY(dims[i] < 0 ? tacho_mlirb_puts(reader, "?")
                              : tacho_mlirb_put_signed(reader, dims[i]));
        TACHO_TRY(tacho_mlirb_put(reader, is_scaled ? TACHO_STR("]x") : TACHO_STR("x")));
    }
    entry->form = TACHO_MLIRB_SHAPED_TYPE;
    entry->dims = dims;
    entry->rank = (uint32_t)rank;
    return TACHO_OK;
}

/* The type of the elements. */
static tacho_status put_element_type(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                     tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    if (type == NULL) {
        return TACHO_OK;
    }
    entry->element = (uint32_t)(type - reader->entries);
    return tacho_mlirb_put(reader, type->text);
}

static bool accept_word(tacho_str *text, const char *expected)
{
    tacho_str prefix = tacho_str_from_cstring(expected);
    if (!tacho_str_starts_with(*text, prefix)) {
        return false;
    }
    *text = tacho_str_from(*text, prefix.len);
    return true;
}

static bool take_dims(tacho_str *text, size_t rank)
{
    for (size_t i = 0; i < rank; i++) {
        uint64_t number = 0;
        if ((i > 0 && !accept_word(text, ", ")) || !accept_word(text, "d")) {
            return false;
        }
        size_t len = 0;
        while (len < text->len && text->data[len] >= '0' && text->data[len] <= '9') {
            len++;
        }
        if (!tacho_str_parse_u64(tacho_str_make(text->data, len), &number) || number != i) {
            return false;
        }
        *text = tacho_str_from(*text, len);
    }
    return true;
}

/* Whether |layout| is the usual one, which is not printed: affine_map<(d0, d1) -> (d0, d1)>. */
static bool is_identity(tacho_str layout, size_t rank)
{
    return accept_word(&layout, "affine_map<(") && take_dims(&layout, rank) &&
           accept_word(&layout, ") -> (") && take_dims(&layout, rank) &&
           accept_word(&layout, ")>") && layout.len == 0;
}

static tacho_status put_with_comma(tacho_mlirb *reader, const tacho_mlirb_entry *entry)
{
    TACHO_TRY(tacho_mlirb_puts(reader, ", "));
    return tacho_mlirb_put_entry(reader, entry, TACHO_MLIRB_BARE);
}

static tacho_status decode_memref(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                  tacho_mlirb_cursor *cursor, bool has_space)
{
    const tacho_mlirb_entry *space = NULL;
    const tacho_mlirb_entry *layout = NULL;
    if (has_space) {
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &space));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "memref<"));
    TACHO_TRY(put_shape(reader, entry, cursor, (tacho_mlirb_cursor){0}));
    TACHO_TRY(put_element_type(reader, entry, cursor));
    TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &layout));
    if (layout != NULL && !is_identity(layout->text, entry->rank)) {
        TACHO_TRY(put_with_comma(reader, layout));
    }
    if (space != NULL) {
        TACHO_TRY(put_with_comma(reader, space));
    }
    return tacho_mlirb_puts(reader, ">");
}

static tacho_status decode_tensor(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                  tacho_mlirb_cursor *cursor, bool has_encoding)
{
    const tacho_mlirb_entry *encoding = NULL;
    if (has_encoding) {
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &encoding));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "tensor<"));
    TACHO_TRY(put_shape(reader, entry, cursor, (tacho_mlirb_cursor){0}));
    TACHO_TRY(put_element_type(reader, entry, cursor));
    if (encoding != NULL) {
        TACHO_TRY(tacho_mlirb_puts(reader, ", "));
        TACHO_TRY(tacho_mlirb_put_entry(reader, encoding, TACHO_MLIRB_TYPED));
    }
    return tacho_mlirb_puts(reader, ">");
}

static tacho_status decode_vector(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                  tacho_mlirb_cursor *cursor, bool is_scalable)
{
    tacho_mlirb_cursor scales = {0};
    if (is_scalable) {
        TACHO_TRY(tacho_mlirb_blob(reader, cursor, &scales));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "vector<"));
    TACHO_TRY(put_shape(reader, entry, cursor, scales));
    TACHO_TRY(put_element_type(reader, entry, cursor));
    return tacho_mlirb_puts(reader, ">");
}

static tacho_status decode_unranked(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                    tacho_mlirb_cursor *cursor, uint64_t code)
{
    const tacho_mlirb_entry *space = NULL;
    if (code == CODE_UNRANKED_MEMREF_WITH_SPACE) {
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &space));
    }
    entry->form = TACHO_MLIRB_SHAPED_TYPE;
    entry->rank = TACHO_NONE;
    TACHO_TRY(tacho_mlirb_put(reader, code == CODE_UNRANKED_TENSOR ? TACHO_STR("tensor<*x")
                                                                   : TACHO_STR("memref<*x")));
    TACHO_TRY(put_element_type(reader, entry, cursor));
    if (space != NULL) {
        TACHO_TRY(put_with_comma(reader, space));
    }
    return tacho_mlirb_puts(reader, ">");
}

static tacho_status decode_wrapped(tacho_mlirb *reader, tacho_mlirb_cursor *cursor, uint64_t code)
{
    if (code == CODE_TUPLE) {
        TACHO_TRY(tacho_mlirb_puts(reader, "tuple<"));
        TACHO_TRY(put_types(reader, cursor));
    } else {
        TACHO_TRY(tacho_mlirb_puts(reader, "complex<"));
        TACHO_TRY(put_type(reader, cursor));
    }
    return tacho_mlirb_puts(reader, ">");
}

static tacho_status decode_float_or_unknown(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                            uint64_t code)
{
    const float_type *type = find_float(code);
    if (type == NULL) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    entry->form = TACHO_MLIRB_FLOAT_TYPE;
    entry->width = type->width;
    return tacho_mlirb_put(reader, type->name);
}

tacho_status tacho_mlirb_decode_type(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                     tacho_mlirb_cursor *cursor)
{
    uint64_t code = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &code));
    switch (code) {
    case CODE_INTEGER:
        return decode_integer(reader, entry, cursor);
    case CODE_INDEX:
        entry->form = TACHO_MLIRB_INTEGER_TYPE;
        entry->width = INDEX_WIDTH;
        return tacho_mlirb_puts(reader, "index");
    case CODE_FUNCTION:
        return decode_function(reader, entry, cursor);
    case CODE_COMPLEX:
    case CODE_TUPLE:
        return decode_wrapped(reader, cursor, code);
    case CODE_MEMREF:
    case CODE_MEMREF_WITH_SPACE:
        return decode_memref(reader, entry, cursor, code == CODE_MEMREF_WITH_SPACE);
    case CODE_NONE:
        return tacho_mlirb_puts(reader, "none");
    case CODE_TENSOR:
    case CODE_TENSOR_WITH_ENCODING:
        return decode_tensor(reader, entry, cursor, code == CODE_TENSOR_WITH_ENCODING);
    case CODE_UNRANKED_MEMREF:
    case CODE_UNRANKED_MEMREF_WITH_SPACE:
    case CODE_UNRANKED_TENSOR:
        return decode_unranked(reader, entry, cursor, code);
    case CODE_VECTOR:
    case CODE_SCALABLE_VECTOR:
        return decode_vector(reader, entry, cursor, code == CODE_SCALABLE_VECTOR);
    default:
        return decode_float_or_unknown(reader, entry, code);
    }
}
