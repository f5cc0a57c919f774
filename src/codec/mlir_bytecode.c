/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of a bytecode file: a magic number, a version, its writer's name, and sections in
 * any order. The tables are read here, in the order in which they refer to one another; the
 * operations are read last (mlir_bytecode_ir.c).
 */
#include "codec/mlir_bytecode_state.h"

#include "base/grow.h"

#include <stdlib.h>

static const tacho_str magic = TACHO_STR_INIT("ML\xefR");

bool tacho_mlir_is_bytecode(tacho_str head)
{
    return tacho_str_starts_with(head, magic);
}

/* Zeroed memory for |count| items of a table. */
static tacho_status alloc_table(tacho_mlirb *reader, size_t count, size_t item_size,
                                void *out_items)
{
    size_t size = 0;
    if (__builtin_mul_overflow(count, item_size, &size)) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: a table of %zu items", reader->name, count);
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&reader->arena, size, &memory));
    memcpy(out_items, &memory, sizeof(memory));
    return TACHO_OK;
}

static tacho_status expect_end(const tacho_mlirb *reader, const tacho_mlirb_cursor *cursor,
                               const char *what)
{
    if (cursor->at == cursor->end) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "%zu bytes are left of the %s",
                      TACHO_MLIRB_WHERE(reader, cursor->at), tacho_mlirb_left(cursor), what);
}

/* ---- strings: lengths from the last to the first, then the texts from first to last ---- */

static tacho_status read_strings(tacho_mlirb *reader)
{
    tacho_mlirb_cursor cursor = reader->sections[TACHO_MLIRB_STRINGS];
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &reader->string_count));
    TACHO_TRY(alloc_table(reader, reader->string_count, sizeof(tacho_str), &reader->strings));
    const uint8_t *start = cursor.at;
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&reader->module->arena,
                               tacho_str_make((const char *)start, tacho_mlirb_left(&cursor)),
                               &copy));
    for (size_t i = reader->string_count; i > 0; i--) {
        uint64_t len = 0;
        const uint8_t *place = cursor.at;
        TACHO_TRY(tacho_mlirb_varint(reader, &cursor, &len));
        if (len == 0 || len > tacho_mlirb_left(&cursor)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              TACHO_MLIRB_AT "a string of %llu bytes with its NUL, %zu are left",
                              TACHO_MLIRB_WHERE(reader, place), (unsigned long long)len,
                              tacho_mlirb_left(&cursor));
        }
        cursor.end -= len;
        reader->strings[i - 1] = tacho_str_make(copy.data + (cursor.end - start), (size_t)len - 1);
    }
    return expect_end(reader, &cursor, "lengths of the strings");
}

/* ---- dialects and names of operations ---- */

static tacho_status read_dialect(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                 tacho_str *out_name)
{
    if (reader->version < 1) {
        return tacho_mlirb_string(reader, cursor, out_name);
    }
    const uint8_t *start = cursor->at;
    uint64_t index = 0;
    bool has_version = false;
    TACHO_TRY(tacho_mlirb_flagged(reader, cursor, &index, &has_version));
    if (index >= reader->string_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "string %llu, but there are only %zu",
                          TACHO_MLIRB_WHERE(reader, start), (unsigned long long)index,
                          reader->string_count);
    }
    *out_name = reader->strings[index];
    if (has_version) {
        tacho_mlirb_section section = TACHO_MLIRB_STRINGS;
        tacho_mlirb_cursor data;
        TACHO_TRY(tacho_mlirb_section_next(reader, cursor, &section, &data));
    }
    return TACHO_OK;
}

static tacho_status join_name(tacho_mlirb *reader, tacho_str dialect, tacho_str op,
                              tacho_str *out_name)
{
    if (op.len == 0) {
        *out_name = dialect;
        return TACHO_OK;
    }
    void *memory = NULL;
    size_t len = dialect.len + 1 + op.len;
    reader->text_total += len;
    if (reader->text_total > TACHO_MLIR_TEXT_TOTAL_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: the names of the operations are too long",
                          reader->name);
    }
    TACHO_TRY(tacho_arena_alloc(&reader->module->arena, len + 1, &memory));
    char *text = memory;
    memcpy(text, dialect.data, dialect.len);
    text[dialect.len] = '.';
    memcpy(text + dialect.len + 1, op.data, op.len);
    *out_name = tacho_str_make(text, len);
    return TACHO_OK;
}

static tacho_status read_op_name(tacho_mlirb *reader, tacho_mlirb_cursor *cursor, tacho_str dialect)
{
    tacho_mlirb_op_name name = {.first_schema = TACHO_NONE};
    const uint8_t *start = cursor->at;
    uint64_t index = 0;
    TACHO_TRY(reader->version < 5
                  ? tacho_mlirb_varint(reader, cursor, &index)
                  : tacho_mlirb_flagged(reader, cursor, &index, &name.is_registered));
    if (index >= reader->string_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "string %llu, but there are only %zu",
                          TACHO_MLIRB_WHERE(reader, start), (unsigned long long)index,
                          reader->string_count);
    }
    TACHO_TRY(join_name(reader, dialect, reader->strings[index], &name.name));
    TACHO_TRY(tacho_strings_ensure(&reader->module->strings, name.name, &name.name_id));
    TACHO_TRY(tacho_grow(&reader->op_names, &reader->op_name_capacity, reader->op_name_count + 1));
    reader->op_names[reader->op_name_count++] = name;
    return TACHO_OK;
}

static tacho_status read_dialects(tacho_mlirb *reader)
{
    tacho_mlirb_cursor cursor = reader->sections[TACHO_MLIRB_DIALECTS];
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &reader->dialect_count));
    TACHO_TRY(alloc_table(reader, reader->dialect_count, sizeof(tacho_str), &reader->dialects));
    for (size_t i = 0; i < reader->dialect_count; i++) {
        TACHO_TRY(read_dialect(reader, &cursor, &reader->dialects[i]));
    }
    if (reader->version >= 4) {
        uint64_t op_count = 0; /* only saves its reader an allocation */
        TACHO_TRY(tacho_mlirb_varint(reader, &cursor, &op_count));
    }
    while (cursor.at != cursor.end) {
        uint32_t dialect = 0;
        size_t count = 0;
        TACHO_TRY(tacho_mlirb_index(reader, &cursor, reader->dialect_count, "dialect", &dialect));
        TACHO_TRY(tacho_mlirb_count(reader, &cursor, &count));
        for (size_t i = 0; i < count; i++) {
            TACHO_TRY(read_op_name(reader, &cursor, reader->dialects[dialect]));
        }
    }
    return TACHO_OK;
}

/* ---- resources: their keys, and where their bytes are ---- */

static tacho_status read_resource_group(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                        tacho_mlirb_cursor *data, bool is_kept)
{
    size_t count = 0;
    bool has_data = data->at != NULL;
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    for (size_t i = 0; i < count; i++) {
        tacho_str key;
        uint64_t size = 0;
        uint8_t kind = 0;
        TACHO_TRY(tacho_mlirb_string(reader, cursor, &key));
        TACHO_TRY(tacho_mlirb_varint(reader, cursor, &size));
        TACHO_TRY(tacho_mlirb_byte(reader, cursor, &kind));
        tacho_mlirb_cursor own = *data;
        if (has_data) {
            TACHO_TRY(tacho_mlirb_bytes(reader, data, size, &own));
        }
        if (is_kept) {
            if (has_data) {
                TACHO_TRY(tacho_mlirb_keep_resource(reader, key, kind, own));
            }
            TACHO_TRY(tacho_grow(&reader->resources, &reader->resource_capacity,
                                 reader->resource_count + 1));
            reader->resources[reader->resource_count++] = key;
        }
    }
    return TACHO_OK;
}

static tacho_status read_resources(tacho_mlirb *reader)
{
    tacho_mlirb_cursor cursor = reader->sections[TACHO_MLIRB_RESOURCE_SIZES];
    tacho_mlirb_cursor data = reader->sections[TACHO_MLIRB_RESOURCES];
    if (cursor.at == NULL) {
        return TACHO_OK;
    }
    size_t external_count = 0;
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &external_count));
    for (size_t i = 0; i < external_count; i++) {
        tacho_str owner;
        TACHO_TRY(tacho_mlirb_string(reader, &cursor, &owner));
        TACHO_TRY(read_resource_group(reader, &cursor, &data, false));
    }
    while (cursor.at != cursor.end) {
        uint32_t dialect = 0;
        TACHO_TRY(tacho_mlirb_index(reader, &cursor, reader->dialect_count, "dialect", &dialect));
        TACHO_TRY(read_resource_group(reader, &cursor, &data, true));
    }
    return TACHO_OK;
}

/* ---- offsets of attributes and types ---- */

static tacho_status read_entry_size(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                    tacho_mlirb_cursor *data, tacho_mlirb_entry *entry)
{
    uint64_t size = 0;
    TACHO_TRY(tacho_mlirb_flagged(reader, cursor, &size, &entry->is_custom));
    tacho_mlirb_cursor own;
    TACHO_TRY(tacho_mlirb_bytes(reader, data, size, &own));
    entry->start = (uint32_t)(own.at - (const uint8_t *)reader->bytes.data);
    entry->len = (uint32_t)size;
    entry->string_id = TACHO_NONE;
    if (entry < reader->entries + reader->attr_count) {
        entry->first_attr = TACHO_NONE;
    }
    return TACHO_OK;
}

/* The entries from |first| up to |last|, in groups of one dialect. */
static tacho_status read_entry_sizes(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                     tacho_mlirb_cursor *data, size_t first, size_t last)
{
    while (first < last) {
        const uint8_t *start = cursor->at;
        uint32_t dialect = 0;
        size_t count = 0;
        TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->dialect_count, "dialect", &dialect));
        TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
        if (count > last - first) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              TACHO_MLIRB_AT "%zu attributes or types of a dialect, %zu expected "
                                             "at most",
                              TACHO_MLIRB_WHERE(reader, start), count, last - first);
        }
        for (size_t i = 0; i < count; i++) {
            reader->entries[first].dialect = dialect;
            TACHO_TRY(read_entry_size(reader, cursor, data, &reader->entries[first++]));
        }
    }
    return TACHO_OK;
}

static tacho_status read_entries(tacho_mlirb *reader)
{
    tacho_mlirb_cursor cursor = reader->sections[TACHO_MLIRB_ENTRY_SIZES];
    tacho_mlirb_cursor data = reader->sections[TACHO_MLIRB_ENTRIES];
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &reader->attr_count));
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &reader->type_count));
    size_t count = reader->attr_count + reader->type_count;
    TACHO_TRY(alloc_table(reader, count, sizeof(tacho_mlirb_entry), &reader->entries));
    TACHO_TRY(read_entry_sizes(reader, &cursor, &data, 0, reader->attr_count));
    TACHO_TRY(read_entry_sizes(reader, &cursor, &data, reader->attr_count, count));
    return expect_end(reader, &cursor, "sizes of attributes and types");
}

/* ---- offsets of properties ---- */

static tacho_status read_whole_blobs(tacho_mlirb *reader)
{
    tacho_mlirb_cursor cursor = reader->sections[TACHO_MLIRB_PROPERTIES];
    if (cursor.at == cursor.end) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_count(reader, &cursor, &reader->property_count));
    TACHO_TRY(alloc_table(reader, reader->property_count, sizeof(tacho_mlirb_cursor),
                          &reader->properties));
    for (size_t i = 0; i < reader->property_count; i++) {
        TACHO_TRY(tacho_mlirb_blob(reader, &cursor, &reader->properties[i]));
    }
    return expect_end(reader, &cursor, "properties");
}

/* A lenient reader continues with the complete ones. */
static tacho_status read_property_blobs(tacho_mlirb *reader)
{
    tacho_status status = read_whole_blobs(reader);
    if (reader->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        tacho_mlirb_keep_trouble(reader, status);
        return TACHO_OK;
    }
    return status;
}

/* ---- the file ---- */

static tacho_status read_header(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    if (!tacho_mlir_is_bytecode(reader->bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: byte 0: not MLIR bytecode, which starts with "
                          "\"ML\\xefR\"",
                          reader->name);
    }
    cursor->at += magic.len;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &reader->version));
    if (reader->version > TACHO_MLIR_BYTECODE_VERSION_MAX) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: byte %zu: MLIR bytecode of version %llu, only 0 to %d are read",
                          reader->name, magic.len, (unsigned long long)reader->version,
                          TACHO_MLIR_BYTECODE_VERSION_MAX);
    }
    const uint8_t *end = memchr(cursor->at, '\0', tacho_mlirb_left(cursor));
    if (end == NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "the name of the writer has no NUL at its end",
                          TACHO_MLIRB_WHERE(reader, cursor->at));
    }
    cursor->at = end + 1;
    return TACHO_OK;
}

static tacho_status find_sections(tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    static const char *const names[] = {"string", "dialect", "attribute", "attribute offset",
                                        "operation"};
    while (cursor->at != cursor->end) {
        const uint8_t *start = cursor->at;
        tacho_mlirb_section section = TACHO_MLIRB_STRINGS;
        tacho_mlirb_cursor data;
        tacho_status status = tacho_mlirb_section_clipped(reader, cursor, &section, &data);
        if (reader->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
            tacho_mlirb_keep_trouble(reader, status);
            break;
        }
        TACHO_TRY(status);
        if (reader->sections[section].at != NULL) {
            return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "a second section numbered %d",
                              TACHO_MLIRB_WHERE(reader, start), (int)section);
        }
        reader->sections[section] = data;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (reader->sections[i].at == NULL) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              TACHO_MLIRB_AT "the file ends without its %s section; it is cut "
                                             "short or damaged",
                              TACHO_MLIRB_WHERE(reader, cursor->end), names[i]);
        }
    }
    return TACHO_OK;
}

static tacho_status read_file(tacho_mlirb *reader)
{
    const uint8_t *start = (const uint8_t *)reader->bytes.data;
    tacho_mlirb_cursor cursor = {start, start + reader->bytes.len};
    TACHO_TRY(read_header(reader, &cursor));
    TACHO_TRY(find_sections(reader, &cursor));
    TACHO_TRY(read_strings(reader));
    TACHO_TRY(read_property_blobs(reader));
    TACHO_TRY(read_dialects(reader));
    TACHO_TRY(read_resources(reader));
    TACHO_TRY(read_entries(reader));
    return tacho_mlirb_read_ir(reader);
}

static tacho_status find_strings(tacho_mlirb *reader, tacho_mlirb_cursor *out_strings)
{
    const uint8_t *start = (const uint8_t *)reader->bytes.data;
    tacho_mlirb_cursor cursor = {start, start + reader->bytes.len};
    tacho_mlirb_section section = TACHO_MLIRB_SECTION_COUNT;
    TACHO_TRY(read_header(reader, &cursor));
    while (section != TACHO_MLIRB_STRINGS) {
        TACHO_TRY(tacho_mlirb_section_next(reader, &cursor, &section, out_strings));
    }
    return TACHO_OK;
}

/* Each text ends with a NUL, and follows that of another or the lengths. */
bool tacho_mlir_bytecode_has_string(tacho_str bytes, tacho_str string)
{
    tacho_mlirb reader = {.name = "", .bytes = bytes};
    tacho_mlirb_cursor rest = {NULL, NULL};
    tacho_status status = find_strings(&reader, &rest);
    bool is_found = false;
    while (status == TACHO_OK && !is_found && rest.at != rest.end) {
        const uint8_t *end = memchr(rest.at, '\0', tacho_mlirb_left(&rest));
        if (end == NULL) {
            break;
        }
        tacho_str text = tacho_str_make((const char *)rest.at, (size_t)(end - rest.at));
        is_found = tacho_str_equal(text, string);
        rest.at = end + 1;
    }
    tacho_status_free(status);
    return is_found;
}

void tacho_mlirb_keep_trouble(tacho_mlirb *reader, tacho_status status)
{
    if (reader->trouble == TACHO_OK) {
        reader->trouble = status;
    } else {
        tacho_status_free(status);
    }
}

static tacho_status run_reader(tacho_mlirb *reader)
{
    if (reader->bytes.len > UINT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: MLIR bytecode of more than 4 GiB", reader->name);
    }
    tacho_arena_init(&reader->arena);
    tacho_status status = read_file(reader);
    tacho_arena_deinit(&reader->arena);
    free(reader->op_names);
    free(reader->resources);
    free(reader->pending);
    free(reader->text);
    return status;
}

tacho_status tacho_mlir_bytecode_read_with(const char *name, tacho_str bytes,
                                           const tacho_mlir_schemas *schemas,
                                           tacho_mlir_module *module)
{
    tacho_mlirb reader = {.name = name, .bytes = bytes, .module = module};
    if (schemas != NULL) {
        reader.schemas = *schemas;
    }
    return run_reader(&reader);
}

tacho_status tacho_mlir_bytecode_read_lenient(const char *name, tacho_str bytes,
                                              tacho_mlir_module *out_module)
{
    tacho_mlirb reader = {.name = name, .bytes = bytes, .module = out_module, .is_lenient = true};
    tacho_status status = run_reader(&reader);
    if (status == TACHO_OK && reader.trouble != TACHO_OK) {
        tacho_str message = tacho_str_from_cstring(tacho_status_message(reader.trouble));
        status = tacho_arena_copy(&out_module->arena, message, &out_module->damage);
    }
    tacho_status_free(reader.trouble);
    return status;
}

tacho_status tacho_mlir_bytecode_read(const char *name, tacho_str bytes,
                                      tacho_mlir_module *out_module)
{
    return tacho_mlir_bytecode_read_with(name, bytes, NULL, out_module);
}
