/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes that hold many numbers as raw bytes: array<...> and dense<...>. One dimension of
 * integers becomes a list; the rest is a text, without the numbers when they are many, for no
 * profile asks for the weights of a model.
 */
#include "codec/mlir_bytecode_state.h"

enum {
    PRINTED_MAX = 100, /* MLIR itself goes over to hexadecimal above this many */
    HEX_BYTES_MAX = 16384,
};

/* Numbers in raw bytes; element |i| is the same for all |i| when |is_splat|. */
typedef struct elements {
    const tacho_mlirb_entry *type;
    const uint8_t *bytes;
    size_t stride; /* bytes of one; 0 for packed bits */
    uint64_t count;
    bool is_splat;
} elements;

static uint64_t element_bits(const elements *all, uint64_t index)
{
    index = all->is_splat ? 0 : index;
    if (all->stride == 0) {
        return all->bytes[index / 8] >> (index % 8) & 1;
    }
    uint64_t bits = 0;
    for (size_t i = all->stride; i > 0; i--) {
        bits = bits << 8 | all->bytes[index * all->stride + i - 1];
    }
    return bits;
}

static bool is_flag(const tacho_mlirb_entry *type)
{
    return type->form == TACHO_MLIRB_INTEGER_TYPE && type->width == 1 &&
           type->signedness == TACHO_MLIRB_SIGNLESS;
}

static int64_t element_int(const elements *all, uint64_t index)
{
    uint64_t bits = element_bits(all, index);
    return is_flag(all->type) ? (int64_t)(bits & 1) : tacho_mlirb_extend(all->type, bits);
}

static tacho_status put_element(tacho_mlirb *reader, const elements *all, uint64_t index)
{
    uint64_t bits = element_bits(all, index);
    if (all->type->form == TACHO_MLIRB_FLOAT_TYPE) {
        return tacho_mlirb_put_float(reader, all->type, bits);
    }
    if (is_flag(all->type)) {
        return tacho_mlirb_put(reader, (bits & 1) != 0 ? TACHO_STR("true") : TACHO_STR("false"));
    }
    if (all->type->signedness == TACHO_MLIRB_UNSIGNED) {
        return tacho_mlirb_put_unsigned(reader, bits);
    }
    return tacho_mlirb_put_signed(reader, tacho_mlirb_extend(all->type, bits));
}

static bool is_number(const tacho_mlirb_entry *type)
{
    return (type->form == TACHO_MLIRB_INTEGER_TYPE || type->form == TACHO_MLIRB_FLOAT_TYPE) &&
           type->width > 0 && type->width <= 64;
}

/* Keeps a list unless it is long, or the lists are too many in all; then the text must do. */
static tacho_status keep_ints(tacho_mlirb *reader, tacho_mlirb_entry *entry, const elements *all)
{
    bool is_list = all->type->form == TACHO_MLIRB_INTEGER_TYPE;
    if (!is_list || all->count > TACHO_MLIR_ELEMENTS_MAX ||
        reader->element_total + all->count > TACHO_MLIR_ELEMENTS_TOTAL_MAX) {
        return TACHO_OK;
    }
    reader->element_total += (size_t)all->count;
    void *memory = NULL;
    size_t count = (size_t)all->count;
    TACHO_TRY(tacho_arena_alloc(&reader->module->arena, count * sizeof(int64_t), &memory));
    int64_t *ints = memory;
    bool is_huge = all->type->width == 64 && all->type->signedness == TACHO_MLIRB_UNSIGNED;
    for (size_t i = 0; i < count; i++) {
        ints[i] = element_int(all, i);
        if (is_huge && ints[i] < 0) {
            return TACHO_OK; /* a text, since a list cannot hold it */
        }
    }
    entry->kind = TACHO_MLIR_ATTR_INTS;
    entry->ints = ints;
    entry->int_count = (uint32_t)count;
    return TACHO_OK;
}

/* ---- array<i32: 1, 2> ---- */

static tacho_status put_array(tacho_mlirb *reader, const elements *all)
{
    TACHO_TRY(tacho_mlirb_puts(reader, "array<"));
    TACHO_TRY(tacho_mlirb_put(reader, all->type->text));
    TACHO_TRY(tacho_mlirb_put(reader, all->count > 0 ? TACHO_STR(": ") : TACHO_STR("")));
    for (uint64_t i = 0; i < all->count && i < PRINTED_MAX; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(put_element(reader, all, i));
    }
    TACHO_TRY(
        tacho_mlirb_put(reader, all->count > PRINTED_MAX ? TACHO_STR(", ...") : TACHO_STR("")));
    return tacho_mlirb_puts(reader, ">");
}

tacho_status tacho_mlirb_decode_dense_array(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                            tacho_mlirb_cursor *cursor)
{
    elements all = {0};
    tacho_mlirb_cursor blob = {0};
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &all.type));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &all.count));
    TACHO_TRY(tacho_mlirb_blob(reader, cursor, &blob));
    if (all.type == NULL) {
        return TACHO_OK;
    }
    all.bytes = blob.at;
    all.stride = (all.type->width + 7) / 8;
    size_t len = tacho_mlirb_left(&blob);
    if (!is_number(all.type) || len % all.stride != 0 || len / all.stride != all.count) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
        return TACHO_OK;
    }
    TACHO_TRY(put_array(reader, &all));
    return keep_ints(reader, entry, &all);
}

/* ---- dense<[1, 2]> : tensor<2xi32> ---- */

/* How many brackets open before or close after |place| elements. */
static size_t count_brackets(const tacho_mlirb_entry *type, uint64_t place)
{
    size_t count = 0;
    uint64_t span = 1;
    for (size_t i = type->rank; i > 0; i--) {
        span *= (uint64_t)type->dims[i - 1];
        count += place % span == 0 ? 1 : 0;
    }
    return count;
}

static tacho_status put_brackets(tacho_mlirb *reader, tacho_str bracket, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, bracket));
    }
    return TACHO_OK;
}

static tacho_status put_nested(tacho_mlirb *reader, const tacho_mlirb_entry *type,
                               const elements *all)
{
    for (uint64_t i = 0; i < all->count; i++) {
        TACHO_TRY(tacho_mlirb_put(reader, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(put_brackets(reader, TACHO_STR("["), count_brackets(type, i)));
        TACHO_TRY(put_element(reader, all, i));
        TACHO_TRY(put_brackets(reader, TACHO_STR("]"), count_brackets(type, i + 1)));
    }
    return TACHO_OK;
}

static tacho_status put_hex(tacho_mlirb *reader, tacho_mlirb_cursor blob)
{
    static const char hex[] = "0123456789ABCDEF";
    if (tacho_mlirb_left(&blob) > HEX_BYTES_MAX) {
        return tacho_mlirb_puts(reader, "...");
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "\"0x"));
    for (const uint8_t *at = blob.at; at < blob.end; at++) {
        char digits[2] = {hex[*at >> 4], hex[*at & 15]};
        TACHO_TRY(tacho_mlirb_put(reader, tacho_str_make(digits, 2)));
    }
    return tacho_mlirb_puts(reader, "\"");
}

static tacho_status put_dense(tacho_mlirb *reader, const tacho_mlirb_entry *type,
                              const elements *all, tacho_mlirb_cursor blob)
{
    TACHO_TRY(tacho_mlirb_puts(reader, "dense<"));
    if (all->is_splat) {
        TACHO_TRY(put_element(reader, all, 0));
    } else if (all->count <= PRINTED_MAX) {
        TACHO_TRY(put_nested(reader, type, all));
    } else {
        TACHO_TRY(put_hex(reader, blob));
    }
    TACHO_TRY(tacho_mlirb_puts(reader, "> : "));
    return tacho_mlirb_put(reader, type->text);
}

/* Flags are bits; one byte of all ones or zeros stands for any number of them. */
static bool measure_flags(elements *all, size_t len)
{
    bool is_uniform = len == 1 && (all->bytes[0] == 0 || all->bytes[0] == 0xff);
    all->is_splat = is_uniform;
    all->stride = len == all->count && all->count > 1 ? 1 : 0;
    return is_uniform || len == all->count || len == (all->count + 7) / 8;
}

/* Whether |len| bytes hold the elements. */
static bool measure(elements *all, size_t len)
{
    if (len == 0 || all->count == 0) {
        return len == 0 && all->count == 0;
    }
    if (is_flag(all->type)) {
        return measure_flags(all, len);
    }
    all->stride = (all->type->width + 7) / 8;
    all->is_splat = len == all->stride;
    return all->is_splat || (len % all->stride == 0 && len / all->stride == all->count);
}

/* False when a dimension is not known. */
static bool count_elements(const tacho_mlirb_entry *type, uint64_t *out_count)
{
    *out_count = 1;
    for (uint32_t i = 0; type->rank != TACHO_NONE && i < type->rank; i++) {
        if (type->dims[i] < 0 ||
            __builtin_mul_overflow(*out_count, (uint64_t)type->dims[i], out_count)) {
            return false;
        }
    }
    return type->rank != TACHO_NONE;
}

tacho_status tacho_mlirb_decode_dense(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                      tacho_mlirb_cursor *cursor)
{
    const tacho_mlirb_entry *type = NULL;
    tacho_mlirb_cursor blob = {0};
    TACHO_TRY(tacho_mlirb_need_type(reader, cursor, &type));
    TACHO_TRY(tacho_mlirb_blob(reader, cursor, &blob));
    if (type == NULL) {
        return TACHO_OK;
    }
    entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
    if (type->form != TACHO_MLIRB_SHAPED_TYPE) {
        return TACHO_OK;
    }
    elements all = {.type = &reader->entries[type->element], .bytes = blob.at};
    if (!count_elements(type, &all.count)) {
        return TACHO_OK;
    }
    if (!is_number(all.type)) {
        /* Complex numbers, floats of 8 bits: who knows them finds the bytes in the module. */
        entry->kind = TACHO_MLIR_ATTR_TEXT;
        TACHO_TRY(tacho_mlirb_puts(reader, "dense<...> : "));
        return tacho_mlirb_put(reader, type->text);
    }
    if (!measure(&all, tacho_mlirb_left(&blob))) {
        return TACHO_OK;
    }
    entry->kind = TACHO_MLIR_ATTR_TEXT;
    TACHO_TRY(put_dense(reader, type, &all, blob));
    return type->rank == 1 ? keep_ints(reader, entry, &all) : TACHO_OK;
}
