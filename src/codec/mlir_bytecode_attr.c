/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of the builtin dialect and locations. Each decoder reads its operands to the end
 * even when one is not there yet, so that all that is missing is found at once.
 */
#include "codec/mlir_bytecode_state.h"

/* As MLIR numbers them; other attributes are UNKNOWN. */
typedef enum attr_code {
    CODE_ARRAY = 0,
    CODE_DICTIONARY = 1,
    CODE_STRING = 2,
    CODE_TYPED_STRING = 3,
    CODE_FLAT_SYMBOL = 4,
    CODE_SYMBOL = 5,
    CODE_TYPE = 6,
    CODE_UNIT = 7,
    CODE_INTEGER = 8,
    CODE_FLOAT = 9,
    CODE_CALL_SITE = 10,
    CODE_FILE_LINE_COLUMN = 11,
    CODE_FUSED = 12,
    CODE_FUSED_WITH_METADATA = 13,
    CODE_NAME = 14,
    CODE_UNKNOWN_LOCATION = 15,
    CODE_DENSE_RESOURCE = 16,
    CODE_DENSE_ARRAY = 17,
    CODE_DENSE_ELEMENTS = 18,
    CODE_FILE_RANGE = 22,
    CODE_AFFINE_MAP = 23,
} attr_code;

/* The attribute that the cursor refers to, which must be a string. */
static tacho_status need_string(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                const tacho_mlirb_entry **out_entry)
{
    const uint8_t *start = cursor->at;
    TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, out_entry));
    if (*out_entry != NULL && (*out_entry)->kind != TACHO_MLIR_ATTR_STRING) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "expected a string attribute",
                          TACHO_MLIRB_WHERE(reader, start));
    }
    return TACHO_OK;
}

/* ---- containers ---- */

/* The integers of an array whose elements are all decoded; |cursor| is at the first. */
static tacho_status keep_array_ints(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                    tacho_mlirb_cursor cursor, size_t count)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&reader->module->arena, count * sizeof(int64_t), &memory));
    int64_t *ints = memory;
    for (size_t i = 0; i < count; i++) {
        const tacho_mlirb_entry *element = NULL;
        TACHO_TRY(tacho_mlirb_need_attr(reader, &cursor, &element));
        ints[i] = element->as_int;
    }
    entry->kind = TACHO_MLIR_ATTR_INTS;
    entry->ints = ints;
    entry->int_count = (uint32_t)count;
    return TACHO_OK;
}

static tacho_status decode_array(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                 tacho_mlirb_cursor *cursor)
{
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    tacho_mlirb_cursor first = *cursor;
    bool are_ints = true;
    TACHO_TRY(tacho_mlirb_puts(reader, "["));
    for (size_t i = 0; i < count; i++) {
        const tacho_mlirb_entry *element = NULL;
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &element));
        are_ints = are_ints && element != NULL && element->kind == TACHO_MLIR_ATTR_INT;
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_mlirb_put_entry(reader, element, TACHO_MLIRB_BARE));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "]"));
    return are_ints ? keep_array_ints(reader, entry, first, count) : TACHO_OK;
}

static tacho_status decode_dictionary(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                      tacho_mlirb_cursor *cursor)
{
    size_t count = 0;
    entry->form = TACHO_MLIRB_DICTIONARY;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    TACHO_TRY(tacho_mlirb_puts(reader, "{"));
    for (size_t i = 0; i < count; i++) {
        const tacho_mlirb_entry *name = NULL;
        const tacho_mlirb_entry *value = NULL;
        TACHO_TRY(need_string(reader, cursor, &name));
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &value));
        if (name == NULL || value == NULL) {
            continue;
        }
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_mlirb_put_keyword(reader, name->text));
        if (value->kind != TACHO_MLIR_ATTR_UNIT) {
            TACHO_TRY(tacho_mlirb_puts(reader, " = "));
            TACHO_TRY(tacho_mlirb_put_entry(reader, value, TACHO_MLIRB_TYPED));
        }
    }
    return tacho_mlirb_puts(reader, "}");
}

/* ---- names ---- */

static tacho_status decode_string(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                  tacho_mlirb_cursor *cursor)
{
    entry->kind = TACHO_MLIR_ATTR_STRING;
    return tacho_mlirb_string(reader, cursor, &entry->text);
}

static tacho_status decode_symbol(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                  tacho_mlirb_cursor *cursor, bool is_flat)
{
    const tacho_mlirb_entry *root = NULL;
    TACHO_TRY(need_string(reader, cursor, &root));
    entry->kind = TACHO_MLIR_ATTR_SYMBOL;
    if (root != NULL) {
        entry->root = (uint32_t)(root - reader->entries);
        TACHO_TRY(tacho_mlirb_puts(reader, "@"));
        TACHO_TRY(tacho_mlirb_put_keyword(reader, root->text));
    }
    size_t count = 0;
    if (!is_flat) {
        TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    }
    for (size_t i = 0; i < count; i++) {
        const tacho_mlirb_entry *nested = NULL;
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &nested));
        TACHO_TRY(tacho_mlirb_puts(reader, "::"));
        TACHO_TRY(tacho_mlirb_put_entry(reader, nested, TACHO_MLIRB_TYPED));
    }
    return TACHO_OK;
}

/* ---- numbers ---- */

int64_t tacho_mlirb_extend(const tacho_mlirb_entry *type, uint64_t bits)
{
    if (type->width == 0 || type->width >= 64) {
        return type->width == 0 ? 0 : (int64_t)bits;
    }
    uint64_t sign = UINT64_C(1) << (type->width - 1);
    bits &= (sign << 1) - 1;
    return type->signedness == TACHO_MLIRB_UNSIGNED ? (int64_t)bits
                                                    : (int64_t)((bits ^ sign) - sign);
}

/* The bits of a number of |width|; |out_fits| is whether they are all of it. */
static tacho_status read_bits(tacho_mlirb *reader, tacho_mlirb_cursor *cursor, uint32_t width,
                              uint64_t *out_bits, bool *out_fits)
{
    *out_fits = true;
    int64_t word = 0;
    if (width <= 8) {
        uint8_t byte = 0;
        TACHO_TRY(tacho_mlirb_byte(reader, cursor, &byte));
        *out_bits = byte;
        return TACHO_OK;
    }
    if (width <= 64) {
        TACHO_TRY(tacho_mlirb_signed(reader, cursor, &word));
        *out_bits = (uint64_t)word;
        return TACHO_OK;
    }
    size_t count = 0;
    bool is_negative = true; /* all words but the first are ones */
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_signed(reader, cursor, &word));
        *out_bits = i == 0 ? (uint64_t)word : *out_bits;
        is_negative = is_negative && (i == 0 ? word < 0 : word == -1);
    }
    *out_fits = (count <= 1 && *out_bits <= INT64_MAX) || (is_negative && count == width / 64);
    return TACHO_OK;
}

static tacho_status put_type_of(tacho_mlirb *reader, const tacho_mlirb_entry *type)
{
    TACHO_TRY(tacho_mlirb_puts(reader, " : "));
    return tacho_mlirb_put(reader, type->text);
}

static bool is_flag_type(const tacho_mlirb_entry *type)
{
    return type->width == 1 && type->signedness == TACHO_MLIRB_SIGNLESS;
}

static tacho_status decode_integer(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                   tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    if (type == NULL) {
        return TACHO_OK;
    }
    uint64_t bits = 0;
    bool fits = false;
    if (type->form != TACHO_MLIRB_INTEGER_TYPE) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    TACHO_TRY(read_bits(reader, cursor, type->width, &bits, &fits));
    if (!fits) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    if (is_flag_type(type)) {
        entry->kind = TACHO_MLIR_ATTR_BOOL;
        entry->as_int = (int64_t)(bits & 1);
        return TACHO_OK;
    }
    int64_t value = tacho_mlirb_extend(type, bits);
    bool is_huge = type->signedness == TACHO_MLIRB_UNSIGNED && type->width == 64 && value < 0;
    if (is_huge) { /* stays a text, since as_int cannot hold it */
        TACHO_TRY(tacho_mlirb_put_unsigned(reader, bits));
        return put_type_of(reader, type);
    }
    entry->kind = TACHO_MLIR_ATTR_INT;
    entry->as_int = value;
    entry->type = (uint32_t)(type - reader->entries);
    return TACHO_OK;
}

static tacho_status decode_float(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                 tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    if (type == NULL) {
        return TACHO_OK;
    }
    uint64_t bits = 0;
    bool fits = false;
    if (type->form != TACHO_MLIRB_FLOAT_TYPE || type->width > 64) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    TACHO_TRY(read_bits(reader, cursor, type->width, &bits, &fits));
    if (type->width < 64) {
        bits &= (UINT64_C(1) << type->width) - 1;
    }
    TACHO_TRY(tacho_mlirb_put_float(reader, type, bits));
    if (tacho_str_equal(type->text, TACHO_STR("f64"))) {
        entry->bare_len = (uint32_t)reader->text_len;
    }
    return put_type_of(reader, type);
}

/* ---- locations ---- */

/* A location inside another is written without loc(...). */
static tacho_status put_location(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *entry = NULL;
    TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &entry));
    if (entry != NULL && entry->form == TACHO_MLIRB_LOCATION) {
        return tacho_mlirb_put(reader, entry->text);
    }
    return tacho_mlirb_put_entry(reader, entry, TACHO_MLIRB_TYPED);
}

static tacho_status put_file(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *file = NULL;
    TACHO_TRY(need_string(reader, cursor, &file));
    return file != NULL ? tacho_mlirb_put_quoted(reader, file->text) : TACHO_OK;
}

static tacho_status put_position(tacho_mlirb *reader, uint64_t line, uint64_t column)
{
    TACHO_TRY(tacho_mlirb_put_unsigned(reader, line));
    TACHO_TRY(tacho_mlirb_puts(reader, ":"));
    return tacho_mlirb_put_unsigned(reader, column);
}

static tacho_status put_file_position(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    uint64_t line = 0;
    uint64_t column = 0;
    TACHO_TRY(put_file(reader, cursor));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &line));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &column));
    TACHO_TRY(tacho_mlirb_puts(reader, ":"));
    return put_position(reader, line, column);
}

/* None to four numbers: line; line, column; and an end column; or an end line and column. */
static tacho_status put_file_range(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    uint64_t n[4] = {0};
    size_t count = 0;
    TACHO_TRY(put_file(reader, cursor));
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    if (count > 4) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "a file range of %zu numbers, expected at most 4",
                          TACHO_MLIRB_WHERE(reader, cursor->at), count);
    }
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_varint(reader, cursor, &n[i]));
    }
    uint64_t end_line = count == 4 ? n[2] : n[0];
    uint64_t end_column = count == 4 ? n[3] : count == 3 ? n[2] : n[1];
    TACHO_TRY(tacho_mlirb_puts(reader, ":"));
    TACHO_TRY(put_position(reader, n[0], n[1]));
    if (end_line != n[0]) {
        TACHO_TRY(tacho_mlirb_puts(reader, " to "));
        return put_position(reader, end_line, end_column);
    }
    if (end_column != n[1]) {
        TACHO_TRY(tacho_mlirb_puts(reader, " to :"));
        return tacho_mlirb_put_unsigned(reader, end_column);
    }
    return TACHO_OK;
}

static tacho_status put_call_site(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    TACHO_TRY(tacho_mlirb_puts(reader, "callsite("));
    TACHO_TRY(put_location(reader, cursor));
    TACHO_TRY(tacho_mlirb_puts(reader, " at "));
    TACHO_TRY(put_location(reader, cursor));
    return tacho_mlirb_puts(reader, ")");
}

/* The metadata is written after the locations but printed before them. */
static tacho_status put_fused(tacho_mlirb *reader, tacho_mlirb_cursor *cursor, bool has_metadata)
{
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    tacho_mlirb_cursor locations = *cursor;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = 0;
        TACHO_TRY(tacho_mlirb_varint(reader, cursor, &index));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "fused"));
    if (has_metadata) {
        const tacho_mlirb_entry *metadata = NULL;
        TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &metadata));
        TACHO_TRY(tacho_mlirb_puts(reader, "<"));
        TACHO_TRY(tacho_mlirb_put_entry(reader, metadata, TACHO_MLIRB_TYPED));
        TACHO_TRY(tacho_mlirb_puts(reader, ">"));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "["));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(put_location(reader, &locations));
    }
    return tacho_mlirb_puts(reader, "]");
}

/* A child that is unknown is left out. */
static tacho_status put_name(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *child = NULL;
    TACHO_TRY(put_file(reader, cursor));
    tacho_mlirb_cursor at_child = *cursor;
    TACHO_TRY(tacho_mlirb_need_attr(reader, cursor, &child));
    if (child == NULL || tacho_str_equal(child->text, TACHO_STR("unknown"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "("));
    TACHO_TRY(put_location(reader, &at_child));
    return tacho_mlirb_puts(reader, ")");
}

/* ---- the rest ---- */

static tacho_status decode_resource(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    uint32_t index = 0;
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->resource_count, "resource", &index));
    TACHO_TRY(tacho_mlirb_puts(reader, "dense_resource<"));
    TACHO_TRY(tacho_mlirb_put_keyword(reader, reader->resources[index]));
    TACHO_TRY(tacho_mlirb_puts(reader, ">"));
    return type != NULL ? put_type_of(reader, type) : TACHO_OK;
}

/* One result of an affine map; sums and products are not decoded. */
static tacho_status put_affine(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                               tacho_mlirb_cursor *cursor)
{
    uint64_t kind = 0;
    uint64_t place = 0;
    int64_t value = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &kind));
    if (kind > 2) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    if (kind == 2) {
        TACHO_TRY(tacho_mlirb_signed(reader, cursor, &value));
        return tacho_mlirb_put_signed(reader, value);
    }
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &place));
    TACHO_TRY(tacho_mlirb_put(reader, kind == 0 ? TACHO_STR("d") : TACHO_STR("s")));
    return tacho_mlirb_put_unsigned(reader, place);
}

/* "(d0, d1)" and the like. */
static tacho_status put_numbered(tacho_mlirb *reader, tacho_str letter, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_mlirb_put(reader, letter));
        TACHO_TRY(tacho_mlirb_put_unsigned(reader, i));
    }
    return TACHO_OK;
}

static tacho_status decode_affine_map(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                      tacho_mlirb_cursor *cursor)
{
    uint64_t dims = 0;
    uint64_t symbols = 0;
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &dims));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &symbols));
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    TACHO_TRY(tacho_mlirb_puts(reader, "affine_map<("));
    TACHO_TRY(put_numbered(reader, TACHO_STR("d"), dims));
    TACHO_TRY(tacho_mlirb_put(reader, symbols > 0 ? TACHO_STR(")[") : TACHO_STR(")")));
    TACHO_TRY(put_numbered(reader, TACHO_STR("s"), symbols));
    TACHO_TRY(tacho_mlirb_put(reader, symbols > 0 ? TACHO_STR("] -> (") : TACHO_STR(" -> (")));
    for (size_t i = 0; i < count && entry->kind != TACHO_MLIR_ATTR_UNKNOWN; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(put_affine(reader, entry, cursor));
    }
    return tacho_mlirb_puts(reader, ")>");
}

static tacho_status decode_location(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                    tacho_mlirb_cursor *cursor, uint64_t code)
{
    entry->form = TACHO_MLIRB_LOCATION;
    switch (code) {
    case CODE_CALL_SITE:
        return put_call_site(reader, cursor);
    case CODE_FILE_LINE_COLUMN:
        return put_file_position(reader, cursor);
    case CODE_FUSED:
    case CODE_FUSED_WITH_METADATA:
        return put_fused(reader, cursor, code == CODE_FUSED_WITH_METADATA);
    case CODE_NAME:
        return put_name(reader, cursor);
    case CODE_FILE_RANGE:
        return put_file_range(reader, cursor);
    default:
        return tacho_mlirb_puts(reader, "unknown");
    }
}

static tacho_status decode_plain(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                 tacho_mlirb_cursor *cursor, uint64_t code)
{
    const tacho_mlirb_entry *type = NULL;
    switch (code) {
    case CODE_ARRAY:
        return decode_array(reader, entry, cursor);
    case CODE_DICTIONARY:
        return decode_dictionary(reader, entry, cursor);
    case CODE_STRING:
        return decode_string(reader, entry, cursor);
    case CODE_TYPED_STRING:
        TACHO_TRY(decode_string(reader, entry, cursor));
        return tacho_mlirb_need_type(reader, cursor, &type);
    case CODE_FLAT_SYMBOL:
    case CODE_SYMBOL:
        return decode_symbol(reader, entry, cursor, code == CODE_FLAT_SYMBOL);
    case CODE_TYPE:
        TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
        return tacho_mlirb_put_entry(reader, type, TACHO_MLIRB_TYPED);
    case CODE_UNIT:
        entry->kind = TACHO_MLIR_ATTR_UNIT;
        return tacho_mlirb_puts(reader, "unit");
    case CODE_INTEGER:
        return decode_integer(reader, entry, cursor);
    case CODE_FLOAT:
        return decode_float(reader, entry, cursor);
    case CODE_DENSE_RESOURCE:
        return decode_resource(reader, cursor);
    case CODE_DENSE_ARRAY:
        return tacho_mlirb_decode_dense_array(reader, entry, cursor);
    case CODE_DENSE_ELEMENTS:
        return tacho_mlirb_decode_dense(reader, entry, cursor);
    case CODE_AFFINE_MAP:
        return decode_affine_map(reader, entry, cursor);
    default:
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
}

tacho_status tacho_mlirb_decode_attr(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                     tacho_mlirb_cursor *cursor)
{
    uint64_t code = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &code));
    bool is_location =
        (code >= CODE_CALL_SITE && code <= CODE_UNKNOWN_LOCATION) || code == CODE_FILE_RANGE;
    return is_location ? decode_location(reader, entry, cursor, code)
                       : decode_plain(reader, entry, cursor, code);
}
