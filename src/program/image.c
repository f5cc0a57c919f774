/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing and reading images, section by section.
 */
#include "program/image.h"

#include "program/check.h"
#include "program/schema.h"
#include "program/timing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <tacho/version.h>

enum {
    MAGIC_BYTES = 8,
    HEADER_BYTES = 32,
    ENTRY_NAME_BYTES = 16,
    ENTRY_BYTES = 40,
    SECTION_FACTS = 0,
    SECTION_STRINGS = 1,
    SECTION_TABLES = 2,
    SECTION_ATTRS = SECTION_TABLES + TACHO_TABLE_COUNT,
    SECTION_COUNT,
    DIRECTORY_END = HEADER_BYTES + SECTION_COUNT * ENTRY_BYTES,
};

static const char magic[MAGIC_BYTES + 1] = "TachoPrg";

bool tacho_image_is_image(tacho_str head)
{
    return tacho_str_starts_with(head, tacho_str_make(magic, MAGIC_BYTES));
}

static const char *section_name(size_t section)
{
    switch (section) {
    case SECTION_FACTS:
        return "facts";
    case SECTION_STRINGS:
        return "strings";
    case SECTION_ATTRS:
        return "attrs";
    default:
        return tacho_program_schema((tacho_program_table)(section - SECTION_TABLES))->name;
    }
}

/* ---- records ------------------------------------------------------------------------------ */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are copied as they lie");

/* Bytes with the same layout in memory and in a file: fields with no padding between them. */
typedef struct stretch {
    size_t offset, bytes; /* in memory */
} stretch;

enum { STRETCHES_MAX = 32 };

/* The stretches of a record, in order; how many. */
static size_t find_stretches(const tacho_schema *schema, stretch *out_stretches)
{
    size_t count = 0;
    assert(schema->field_count <= STRETCHES_MAX);
    for (size_t i = 0; i < schema->field_count; i++) {
        const tacho_field *field = &schema->fields[i];
        stretch *last = &out_stretches[count > 0 ? count - 1 : 0];
        size_t bytes = (size_t)field->width * field->count;
        if (count > 0 && last->offset + last->bytes == field->offset) {
            last->bytes += bytes;
        } else {
            out_stretches[count++] = (stretch){field->offset, bytes};
        }
    }
    return count;
}

/* ---- writing ------------------------------------------------------------------------------ */

static tacho_status put_rows(tacho_bytes *bytes, const tacho_schema *schema,
                             tacho_program_rows rows)
{
    size_t size = tacho_schema_file_bytes(schema);
    size_t most = TACHO_BYTES_PIECE / size;
    stretch stretches[STRETCHES_MAX];
    size_t stretch_count = find_stretches(schema, stretches);
    bool is_dense = size == schema->memory_bytes && stretch_count == 1;
    for (size_t i = 0; i < rows.count;) {
        unsigned char *at = NULL;
        size_t end = rows.count - i < most ? rows.count : i + most;
        TACHO_TRY(tacho_bytes_extend(bytes, (end - i) * size, &at));
        if (is_dense) {
            memcpy(at, rows.items + i * size, (end - i) * size);
            i = end;
        }
        for (; i < end; i++) {
            for (size_t k = 0; k < stretch_count; k++) {
                memcpy(at, rows.items + i * schema->memory_bytes + stretches[k].offset,
                       stretches[k].bytes);
                at += stretches[k].bytes;
            }
        }
    }
    return TACHO_OK;
}

/* Dimensions past the rank mean nothing, and are written as 0. */
static tacho_status put_shapes(tacho_bytes *bytes, const tacho_program *program)
{
    const tacho_schema *schema = tacho_program_schema(TACHO_TABLE_shape);
    for (size_t i = 0; i < program->shape_count; i++) {
        tacho_shape shape = program->shapes[i];
        for (int32_t k = shape.rank > 0 ? shape.rank : 0; k < TACHO_RANK_MAX; k++) {
            shape.dims[k] = 0;
        }
        TACHO_TRY(
            put_rows(bytes, schema, (tacho_program_rows){(unsigned char *)(void *)&shape, 1}));
    }
    return TACHO_OK;
}

static tacho_status put_strings(tacho_bytes *bytes, const tacho_strings *strings)
{
    for (size_t i = 0; i < strings->item_count; i++) {
        size_t len = tacho_strings_get(strings, (uint32_t)i).len;
        if (len > TACHO_IMAGE_TEXT_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT,
                              "program, strings[%zu]: expected at most 16 MiB, found %zu bytes", i,
                              len);
        }
        TACHO_TRY(tacho_bytes_put(bytes, len, 4));
    }
    for (size_t i = 0; i < strings->item_count; i++) {
        TACHO_TRY(tacho_bytes_append(bytes, tacho_strings_get(strings, (uint32_t)i)));
    }
    return TACHO_OK;
}

static tacho_status put_section(tacho_bytes *bytes, const tacho_program *program, size_t section)
{
    tacho_program_facts facts = program->facts;
    switch (section) {
    case SECTION_FACTS:
        return put_rows(bytes, tacho_program_facts_schema(),
                        (tacho_program_rows){(unsigned char *)(void *)&facts, 1});
    case SECTION_STRINGS:
        return put_strings(bytes, &program->strings);
    case SECTION_ATTRS:
        return tacho_image_write_attrs(program, bytes);
    case SECTION_TABLES + TACHO_TABLE_shape:
        return put_shapes(bytes, program);
    default:
        break;
    }
    tacho_program_table table = (tacho_program_table)(section - SECTION_TABLES);
    return put_rows(bytes, tacho_program_schema(table), tacho_program_rows_of(program, table));
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* A section's entry in the directory. */
typedef struct section_size {
    uint64_t len, count;
} section_size;

static tacho_status forget(void *self, tacho_str bytes)
{
    (void)self;
    (void)bytes;
    return TACHO_OK;
}

static tacho_status measure_attrs(const tacho_program *program, section_size *out_size)
{
    tacho_bytes bytes = {.drain = {forget, NULL}};
    tacho_status status = tacho_image_write_attrs(program, &bytes);
    *out_size = (section_size){bytes.drained + bytes.len, program->attr_count};
    tacho_bytes_deinit(&bytes);
    return status;
}

static tacho_status measure_section(const tacho_program *program, size_t section,
                                    section_size *out_size)
{
    const tacho_strings *strings = &program->strings;
    switch (section) {
    case SECTION_FACTS:
        *out_size = (section_size){tacho_schema_file_bytes(tacho_program_facts_schema()), 1};
        return TACHO_OK;
    case SECTION_STRINGS:
        *out_size = (section_size){strings->item_count * 4, strings->item_count};
        for (size_t i = 0; i < strings->item_count; i++) {
            out_size->len += tacho_strings_get(strings, (uint32_t)i).len;
        }
        return TACHO_OK;
    case SECTION_ATTRS:
        return measure_attrs(program, out_size);
    default:
        break;
    }
    tacho_program_table table = (tacho_program_table)(section - SECTION_TABLES);
    uint64_t count = tacho_program_rows_of(program, table).count;
    *out_size = (section_size){count * tacho_schema_file_bytes(tacho_program_schema(table)), count};
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void store_entry(unsigned char *entry, size_t section, uint64_t offset, uint64_t len,
                        uint64_t count)
{
    const char *name = section_name(section);
    memset(entry, 0, ENTRY_NAME_BYTES);
    memcpy(entry, name, strlen(name));
    tacho_bytes_store(entry + ENTRY_NAME_BYTES, offset, 8);
    tacho_bytes_store(entry + ENTRY_NAME_BYTES + 8, len, 8);
    tacho_bytes_store(entry + ENTRY_NAME_BYTES + 16, count, 8);
}

/* The tables hold together, and the compiler's timeline keeps its laws. */
static tacho_status check(const tacho_program *program)
{
    TACHO_TRY(tacho_program_check(program));
    return tacho_program_check_timeline(program);
}

/* Header and directory; |*out_bytes| is the size of the whole image. */
static tacho_status make_head(const tacho_program *program, unsigned char *head,
                              uint64_t *out_bytes)
{
    uint64_t offset = DIRECTORY_END;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        section_size size = {0};
        TACHO_TRY(measure_section(program, i, &size));
        store_entry(head + HEADER_BYTES + i * ENTRY_BYTES, i, offset, size.len, size.count);
        offset = tacho_bytes_align(offset + size.len);
    }
    memcpy(head, magic, MAGIC_BYTES);
    tacho_bytes_store(head + 8, TACHO_IMAGE_VERSION, 1);
    tacho_bytes_store(head + 9, program->writer, 3);
    tacho_bytes_store(head + 12, SECTION_COUNT, 4);
    tacho_bytes_store(head + 16, tacho_program_layout_id(), 8);
    tacho_bytes_store(head + 24, offset, 8);
    *out_bytes = offset;
    return TACHO_OK;
}

tacho_status tacho_image_measure(const tacho_program *program, uint64_t *out_bytes)
{
    unsigned char head[DIRECTORY_END];
    TACHO_TRY(check(program));
    return make_head(program, head, out_bytes);
}

tacho_status tacho_image_write(const tacho_program *program, tacho_bytes *out_bytes)
{
    TACHO_TRY(check(program));
    return tacho_image_write_measured(program, out_bytes);
}

tacho_status tacho_image_write_measured(const tacho_program *program, tacho_bytes *out_bytes)
{
    unsigned char *head = NULL;
    uint64_t len = 0;
    uint64_t start = out_bytes->drained + out_bytes->len;
    TACHO_TRY(tacho_bytes_extend(out_bytes, DIRECTORY_END, &head));
    TACHO_TRY(make_head(program, head, &len));
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        TACHO_TRY(put_section(out_bytes, program, i));
        TACHO_TRY(tacho_bytes_pad(out_bytes));
    }
    assert(out_bytes->drained + out_bytes->len - start == len);
    (void)start;
    return TACHO_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

static tacho_status fail_header(size_t at, const char *what, uint64_t expected, uint64_t found)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "program image, byte %zu: %s: expected %" PRIu64 ", found %" PRIu64, at, what,
                      expected, found);
}

/* Names the tacho that wrote the image, from a place that every layout has. */
static tacho_status fail_layout(tacho_str image, uint64_t version, uint64_t layout)
{
    char writer[32] = "a tacho before 0.1.0";
    if (tacho_bytes_load(image.data + 9, 3) != 0) {
        snprintf(writer, sizeof(writer), "tacho %u.%u.%u", (unsigned char)image.data[9],
                 (unsigned char)image.data[10], (unsigned char)image.data[11]);
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "program image, byte 8: compiled by %s, which lays programs out otherwise "
                      "than this tacho (%s): expected version %d, layout %016" PRIx64
                      ", found %" PRIu64 ", %016" PRIx64 "; compile the model again",
                      writer, TACHO_VERSION, TACHO_IMAGE_VERSION, tacho_program_layout_id(),
                      version, layout);
}

static tacho_status check_header(tacho_str image)
{
    if (image.len < DIRECTORY_END) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program image, byte %zu: it ends in the directory: expected %d bytes or "
                          "more",
                          image.len, DIRECTORY_END);
    }
    if (!tacho_image_is_image(image)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program image, byte 0: expected 'TachoPrg', found something else: not a "
                          "program of tacho's");
    }
    uint64_t version = tacho_bytes_load(image.data + 8, 1);
    uint64_t layout = tacho_bytes_load(image.data + 16, 8);
    if (version != TACHO_IMAGE_VERSION || layout != tacho_program_layout_id()) {
        return fail_layout(image, version, layout);
    }
    uint64_t sections = tacho_bytes_load(image.data + 12, 4);
    if (sections != SECTION_COUNT) {
        return fail_header(12, "number of sections", SECTION_COUNT, sections);
    }
    uint64_t len = tacho_bytes_load(image.data + 24, 8);
    return len == image.len ? TACHO_OK : fail_header(24, "bytes", image.len, len);
}

/* The section that starts at |*offset|, which moves after it. */
static tacho_status find_section(tacho_str image, size_t section, uint64_t *offset,
                                 tacho_str *out_bytes, uint64_t *out_count)
{
    size_t at = HEADER_BYTES + section * ENTRY_BYTES;
    const char *name = section_name(section);
    char field[ENTRY_NAME_BYTES] = {0};
    memcpy(field, name, strlen(name));
    if (memcmp(field, image.data + at, ENTRY_NAME_BYTES) != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program image, byte %zu: expected section '%s', found another name", at,
                          name);
    }
    uint64_t place = tacho_bytes_load(image.data + at + ENTRY_NAME_BYTES, 8);
    uint64_t len = tacho_bytes_load(image.data + at + ENTRY_NAME_BYTES + 8, 8);
    *out_count = tacho_bytes_load(image.data + at + ENTRY_NAME_BYTES + 16, 8);
    if (place != *offset) {
        return fail_header(at + ENTRY_NAME_BYTES, "start of a section", *offset, place);
    }
    uint64_t left = image.len - place;
    if (len > left || tacho_bytes_align(len) > left) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "program image, byte %zu: bytes of section '%s': expected at most %" PRIu64
            ", found %" PRIu64,
            at + ENTRY_NAME_BYTES + 8, name, left, len);
    }
    *out_bytes = tacho_str_make(image.data + place, (size_t)len);
    *offset = place + tacho_bytes_align(len);
    tacho_str padding = tacho_str_make(out_bytes->data + len, (size_t)(*offset - place - len));
    return tacho_bytes_are_zero(padding) ? TACHO_OK
                                         : fail_header((size_t)(place + len), "padding", 0, 1);
}

/* Records in a file become those in memory, whose padding is zeros. */
static void load_rows(const tacho_schema *schema, const char *at, tacho_program_rows rows)
{
    stretch stretches[STRETCHES_MAX];
    size_t stretch_count = find_stretches(schema, stretches);
    for (size_t i = 0; i < rows.count; i++) {
        unsigned char *record = rows.items + i * schema->memory_bytes;
        memset(record, 0, schema->memory_bytes);
        for (size_t k = 0; k < stretch_count; k++) {
            memcpy(record + stretches[k].offset, at, stretches[k].bytes);
            at += stretches[k].bytes;
        }
    }
}

static tacho_status check_count(const tacho_schema *schema, tacho_str section, uint64_t count)
{
    size_t size = tacho_schema_file_bytes(schema);
    if (section.len % size != 0 || count != section.len / size || count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, %s: expected records of %zu bytes in %zu bytes, found %" PRIu64
                          " records",
                          schema->name, size, section.len, count);
    }
    return TACHO_OK;
}

static tacho_status take_facts(tacho_str section, uint64_t count, tacho_program *program)
{
    const tacho_schema *schema = tacho_program_facts_schema();
    TACHO_TRY(check_count(schema, section, count));
    if (count != 1) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "program, facts: expected 1 record, found %" PRIu64,
                          count);
    }
    load_rows(schema, section.data,
              (tacho_program_rows){(unsigned char *)(void *)&program->facts, 1});
    return TACHO_OK;
}

static tacho_status take_table(tacho_str section, uint64_t count, tacho_program_table table,
                               tacho_program *program)
{
    const tacho_schema *schema = tacho_program_schema(table);
    TACHO_TRY(check_count(schema, section, count));
    TACHO_TRY(tacho_program_resize(program, table, (size_t)count));
    load_rows(schema, section.data, tacho_program_rows_of(program, table));
    return TACHO_OK;
}

static tacho_status take_strings(tacho_str section, uint64_t count, tacho_program *program)
{
    if (count > section.len / 4) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, strings: expected at most %zu records in %zu bytes, found "
                          "%" PRIu64,
                          section.len / 4, section.len, count);
    }
    tacho_str left = tacho_str_from(section, (size_t)count * 4);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t len = tacho_bytes_load(section.data + i * 4, 4);
        if (len > left.len || len > TACHO_IMAGE_TEXT_MAX) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, strings[%" PRIu64
                              "]: expected at most %zu bytes, found %" PRIu64,
                              i, left.len, len);
        }
        uint32_t id = 0;
        TACHO_TRY(
            tacho_strings_ensure(&program->strings, tacho_str_make(left.data, (size_t)len), &id));
        if (id != i) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, strings[%" PRIu64
                              "]: expected a text that is new, the first empty, found one of id "
                              "%" PRIu32,
                              i, id);
        }
        left = tacho_str_from(left, (size_t)len);
    }
    return left.len == 0 && count > 0
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "program, strings: expected the section to end, found %zu more bytes",
                            left.len);
}

static tacho_status take_section(size_t section, tacho_str bytes, uint64_t count,
                                 tacho_program *program)
{
    switch (section) {
    case SECTION_FACTS:
        return take_facts(bytes, count, program);
    case SECTION_STRINGS:
        return take_strings(bytes, count, program);
    case SECTION_ATTRS:
        return tacho_image_read_attrs(bytes, count, program);
    default:
        return take_table(bytes, count, (tacho_program_table)(section - SECTION_TABLES), program);
    }
}

/* As written: dimensions past the rank are 0. */
static tacho_status check_dims(const tacho_program *program)
{
    for (size_t i = 0; i < program->shape_count; i++) {
        const tacho_shape *shape = &program->shapes[i];
        for (int32_t k = shape->rank > 0 ? shape->rank : 0; k < TACHO_RANK_MAX; k++) {
            if (shape->dims[k] != 0) {
                return tacho_fail(TACHO_CODE_BAD_DATA,
                                  "program, shapes[%zu].dims[%" PRId32
                                  "]: expected 0 past the rank, found %" PRId64,
                                  i, k, shape->dims[k]);
            }
        }
    }
    return TACHO_OK;
}

tacho_status tacho_image_read(tacho_str image, tacho_program *program)
{
    TACHO_TRY(check_header(image));
    program->writer = (uint32_t)tacho_bytes_load(image.data + 9, 3);
    uint64_t offset = DIRECTORY_END;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        tacho_str bytes = TACHO_STR("");
        uint64_t count = 0;
        TACHO_TRY(find_section(image, i, &offset, &bytes, &count));
        TACHO_TRY(take_section(i, bytes, count, program));
    }
    if (offset != image.len) {
        return fail_header((size_t)offset, "bytes after the last section", 0, image.len - offset);
    }
    tacho_strings_pack(&program->strings);
    TACHO_TRY(check_dims(program));
    return check(program);
}
