/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of attributes and types: each is decoded once, when it is first asked for, after
 * the entries that it refers to. Waiting entries are on a list of our own, not on the stack, so
 * nesting costs memory only; an entry that waits for itself is refused.
 *
 * An entry is decoded twice at most: the first time it finds the missing entries.
 */
#include "codec/mlir_bytecode_state.h"

#include "base/grow.h"

/* ---- references from one entry to another ---- */

static tacho_status need_entry(tacho_mlirb *reader, uint32_t index, const uint8_t *place,
                               const tacho_mlirb_entry **out_entry)
{
    const tacho_mlirb_entry *entry = &reader->entries[index];
    *out_entry = entry;
    if (entry->state == TACHO_MLIRB_DONE) {
        return TACHO_OK;
    }
    if (entry->state == TACHO_MLIRB_OPEN) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "an attribute or type that is part of itself",
                          TACHO_MLIRB_WHERE(reader, place));
    }
    *out_entry = NULL;
    reader->is_blocked = true;
    TACHO_TRY(tacho_grow(&reader->pending, &reader->pending_capacity, reader->pending_count + 1));
    reader->pending[reader->pending_count++] = index;
    return TACHO_OK;
}

tacho_status tacho_mlirb_need_attr(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                   const tacho_mlirb_entry **out_entry)
{
    const uint8_t *place = cursor->at;
    uint32_t index = 0;
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "attribute", &index));
    return need_entry(reader, index, place, out_entry);
}

tacho_status tacho_mlirb_need_type(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                   const tacho_mlirb_entry **out_entry)
{
    const uint8_t *place = cursor->at;
    uint32_t index = 0;
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->type_count, "type", &index));
    return need_entry(reader, (uint32_t)reader->attr_count + index, place, out_entry);
}

static tacho_status put_int(tacho_mlirb *reader, const tacho_mlirb_entry *entry,
                            tacho_mlirb_elision elision)
{
    tacho_str type = reader->entries[entry->type].text;
    TACHO_TRY(tacho_mlirb_put_signed(reader, entry->as_int));
    if (elision == TACHO_MLIRB_BARE && tacho_str_equal(type, TACHO_STR("i64"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_puts(reader, " : "));
    return tacho_mlirb_put(reader, type);
}

tacho_status tacho_mlirb_put_entry(tacho_mlirb *reader, const tacho_mlirb_entry *entry,
                                   tacho_mlirb_elision elision)
{
    if (entry == NULL) {
        return TACHO_OK;
    }
    if (entry->form == TACHO_MLIRB_LOCATION) {
        TACHO_TRY(tacho_mlirb_puts(reader, "loc("));
        TACHO_TRY(tacho_mlirb_put(reader, entry->text));
        return tacho_mlirb_puts(reader, ")");
    }
    switch ((tacho_mlir_attr_kind)entry->kind) {
    case TACHO_MLIR_ATTR_STRING:
        return tacho_mlirb_put_quoted(reader, entry->text);
    case TACHO_MLIR_ATTR_UNKNOWN:
        return tacho_mlirb_puts(reader, "<?>");
    case TACHO_MLIR_ATTR_BOOL:
        return tacho_mlirb_put(reader, entry->as_int != 0 ? TACHO_STR("true") : TACHO_STR("false"));
    case TACHO_MLIR_ATTR_INT:
        return put_int(reader, entry, elision);
    case TACHO_MLIR_ATTR_UNIT:
    case TACHO_MLIR_ATTR_SYMBOL:
    case TACHO_MLIR_ATTR_INTS:
    case TACHO_MLIR_ATTR_TEXT:
        break;
    }
    size_t len = elision == TACHO_MLIRB_BARE ? entry->bare_len : entry->text.len;
    return tacho_mlirb_put(reader, tacho_str_make(entry->text.data, len));
}

/* ---- decoding ---- */

/* Text up to a NUL, which must be the last byte. */
static tacho_status decode_assembly(tacho_mlirb *reader, tacho_mlirb_entry *entry)
{
    tacho_mlirb_cursor data = tacho_mlirb_data(reader, entry);
    size_t len = entry->len;
    const char *start = (const char *)data.at;
    if (len == 0 || memchr(start, '\0', len) != start + len - 1) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "expected a text with one NUL, at its end",
                          TACHO_MLIRB_WHERE(reader, tacho_mlirb_data(reader, entry).at));
    }
    entry->kind = TACHO_MLIR_ATTR_TEXT;
    entry->text = tacho_str_make(start, len - 1);
    return TACHO_OK;
}

static tacho_status decode_custom(tacho_mlirb *reader, tacho_mlirb_entry *entry)
{
    tacho_mlirb_cursor cursor = tacho_mlirb_data(reader, entry);
    bool is_attr = entry < reader->entries + reader->attr_count;
    entry->kind = TACHO_MLIR_ATTR_TEXT;
    if (!tacho_str_equal(reader->dialects[entry->dialect], TACHO_STR("builtin"))) {
        entry->kind = TACHO_MLIR_ATTR_UNKNOWN;
    } else if (is_attr) {
        TACHO_TRY(tacho_mlirb_decode_attr(reader, entry, &cursor));
    } else {
        TACHO_TRY(tacho_mlirb_decode_type(reader, entry, &cursor));
    }
    bool is_whole = reader->is_blocked || entry->kind == TACHO_MLIR_ATTR_UNKNOWN;
    if (!is_whole && cursor.at != cursor.end) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "%zu bytes are left of an attribute or type",
                          TACHO_MLIRB_WHERE(reader, cursor.at), tacho_mlirb_left(&cursor));
    }
    if (!is_attr && entry->kind == TACHO_MLIR_ATTR_UNKNOWN) {
        TACHO_TRY(tacho_mlirb_puts(reader, "!"));
        TACHO_TRY(tacho_mlirb_put(reader, reader->dialects[entry->dialect]));
        TACHO_TRY(tacho_mlirb_puts(reader, "<?>"));
        entry->kind = TACHO_MLIR_ATTR_TEXT;
    }
    return TACHO_OK;
}

/* The text put so far becomes the text of |entry|, unless that views a text of the file. */
static tacho_status keep_text(tacho_mlirb *reader, tacho_mlirb_entry *entry)
{
    if (reader->text_len > 0) {
        reader->text_total += reader->text_len;
        if (reader->text_total > TACHO_MLIR_TEXT_TOTAL_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT,
                              "%s: attributes, types and locations are longer than %d MiB in all",
                              reader->name, TACHO_MLIR_TEXT_TOTAL_MAX >> 20);
        }
        TACHO_TRY(tacho_arena_copy(&reader->arena, tacho_str_make(reader->text, reader->text_len),
                                   &entry->text));
    }
    if (entry->bare_len == 0) {
        entry->bare_len = (uint32_t)entry->text.len;
    }
    entry->state = TACHO_MLIRB_DONE;
    return TACHO_OK;
}

static tacho_status decode_entry(tacho_mlirb *reader, tacho_mlirb_entry *entry)
{
    entry->state = TACHO_MLIRB_OPEN;
    reader->is_blocked = false;
    reader->text_len = 0;
    TACHO_TRY(entry->is_custom ? decode_custom(reader, entry) : decode_assembly(reader, entry));
    return reader->is_blocked ? TACHO_OK : keep_text(reader, entry);
}

tacho_status tacho_mlirb_resolve(tacho_mlirb *reader, uint32_t index)
{
    if (TACHO_LIKELY(reader->entries[index].state == TACHO_MLIRB_DONE)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&reader->pending, &reader->pending_capacity, 1));
    reader->pending[0] = index;
    reader->pending_count = 1;
    while (reader->pending_count > 0) {
        tacho_mlirb_entry *entry = &reader->entries[reader->pending[reader->pending_count - 1]];
        if (entry->state != TACHO_MLIRB_DONE) {
            TACHO_TRY(decode_entry(reader, entry));
        }
        reader->pending_count -= entry->state == TACHO_MLIRB_DONE ? 1 : 0;
    }
    return TACHO_OK;
}

/* ---- into the module ---- */

tacho_status tacho_mlirb_string_id(tacho_mlirb *reader, uint32_t index, uint32_t *out_id)
{
    TACHO_TRY(tacho_mlirb_resolve(reader, index));
    tacho_mlirb_entry *entry = &reader->entries[index];
    if (entry->string_id == TACHO_NONE) {
        bool is_known = entry->kind != TACHO_MLIR_ATTR_UNKNOWN;
        TACHO_TRY(tacho_strings_ensure(&reader->module->strings,
                                       is_known ? entry->text : TACHO_STR("unknown"),
                                       &entry->string_id));
    }
    *out_id = entry->string_id;
    return TACHO_OK;
}

/* Dictionaries can be shared, so few bytes can ask for many attributes. */
tacho_status tacho_mlirb_append_attr(tacho_mlirb *reader, const tacho_mlir_attr *attr)
{
    enum { SMALL_FILE = 65536, PER_BYTE = 2 };
    tacho_mlir_module *module = reader->module;
    if (module->attr_count >= SMALL_FILE + PER_BYTE * reader->bytes.len ||
        module->attr_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: more than %zu attributes in a file of %zu bytes",
                          reader->name, module->attr_count, reader->bytes.len);
    }
    TACHO_TRY(tacho_grow(&module->attrs, &module->attr_capacity, module->attr_count + 1));
    module->attrs[module->attr_count++] = *attr;
    return TACHO_OK;
}

/* Puts the text of |entry| into the module, once. */
static tacho_status export_text(tacho_mlirb *reader, tacho_mlirb_entry *entry)
{
    tacho_str text = entry->text;
    if (entry->form == TACHO_MLIRB_LOCATION) {
        reader->text_len = 0;
        TACHO_TRY(tacho_mlirb_put_entry(reader, entry, TACHO_MLIRB_TYPED));
        text = tacho_str_make(reader->text, reader->text_len);
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&reader->arena, sizeof(tacho_str), &memory));
    TACHO_TRY(tacho_arena_copy(&reader->module->arena, text, memory));
    entry->exported = memory;
    return tacho_mlirb_keep_dense(reader, entry);
}

static tacho_status make_attr(tacho_mlirb *reader, tacho_mlirb_entry *entry, tacho_mlir_attr *attr)
{
    attr->kind = (tacho_mlir_attr_kind)entry->kind;
    switch (attr->kind) {
    case TACHO_MLIR_ATTR_BOOL:
    case TACHO_MLIR_ATTR_INT:
        attr->as_int = entry->as_int;
        break;
    case TACHO_MLIR_ATTR_STRING:
        attr->text = entry->text;
        break;
    case TACHO_MLIR_ATTR_SYMBOL:
        attr->text = reader->entries[entry->root].text;
        break;
    case TACHO_MLIR_ATTR_INTS:
        attr->ints = entry->ints;
        attr->int_count = entry->int_count;
        break;
    case TACHO_MLIR_ATTR_TEXT:
        if (entry->exported == NULL) {
            TACHO_TRY(export_text(reader, entry));
        }
        attr->text = *entry->exported;
        break;
    case TACHO_MLIR_ATTR_UNIT:
    case TACHO_MLIR_ATTR_UNKNOWN:
        break;
    }
    return TACHO_OK;
}

tacho_status tacho_mlirb_add_attr(tacho_mlirb *reader, uint32_t name, uint32_t index)
{
    TACHO_TRY(tacho_mlirb_resolve(reader, index));
    tacho_mlir_attr attr = {.name = name};
    TACHO_TRY(make_attr(reader, &reader->entries[index], &attr));
    return tacho_mlirb_append_attr(reader, &attr);
}

static tacho_status add_named(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    const uint8_t *start = cursor->at;
    uint32_t name = 0;
    uint32_t value = 0;
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "attribute", &name));
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "attribute", &value));
    TACHO_TRY(tacho_mlirb_resolve(reader, name));
    if (reader->entries[name].kind != TACHO_MLIR_ATTR_STRING) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "the name of an attribute is not a string",
                          TACHO_MLIRB_WHERE(reader, start));
    }
    uint32_t name_id = 0;
    TACHO_TRY(tacho_mlirb_string_id(reader, name, &name_id));
    return tacho_mlirb_add_attr(reader, name_id, value);
}

/* The dictionary itself needs no text, so it is not resolved. */
tacho_status tacho_mlirb_add_dictionary(tacho_mlirb *reader, uint32_t index)
{
    enum { CODE_DICTIONARY = 1 };
    tacho_mlirb_entry *entry = &reader->entries[index];
    tacho_mlirb_cursor cursor = tacho_mlirb_data(reader, entry);
    uint64_t code = 0;
    if (entry->is_custom) {
        TACHO_TRY(tacho_mlirb_varint(reader, &cursor, &code));
    }
    bool is_builtin = tacho_str_equal(reader->dialects[entry->dialect], TACHO_STR("builtin"));
    if (!is_builtin || code != CODE_DICTIONARY) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "the attributes of an operation are not a dictionary",
                          TACHO_MLIRB_WHERE(reader, tacho_mlirb_data(reader, entry).at));
    }
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(add_named(reader, &cursor));
    }
    return TACHO_OK;
}
