/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of steps in an image: records of any length, read one after the other.
 */
#include "program/image.h"

#include "base/grow.h"

#include <inttypes.h>

enum { ATTR_HEAD_BYTES = 12 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static bool is_list(const tacho_attr *attr)
{
    return attr->kind == TACHO_ATTR_INTS || attr->kind == TACHO_ATTR_REALS ||
           attr->kind == TACHO_ATTR_TEXTS;
}

static tacho_status put_text(tacho_bytes *bytes, tacho_str text)
{
    if (text.len > TACHO_IMAGE_TEXT_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "program, a text of an attribute: expected at most 16 MiB, found %zu "
                          "bytes",
                          text.len);
    }
    TACHO_TRY(tacho_bytes_put(bytes, text.len, 4));
    return tacho_bytes_append(bytes, text);
}

static tacho_status put_list(tacho_bytes *bytes, const tacho_attr *attr)
{
    for (uint32_t i = 0; i < attr->count; i++) {
        if (attr->kind == TACHO_ATTR_INTS) {
            TACHO_TRY(tacho_bytes_put(bytes, (uint64_t)attr->value.as_ints[i], 8));
        } else if (attr->kind == TACHO_ATTR_REALS) {
            TACHO_TRY(tacho_bytes_put(bytes, bits_of(attr->value.as_reals[i]), 8));
        } else {
            TACHO_TRY(put_text(bytes, attr->value.as_texts[i]));
        }
    }
    return TACHO_OK;
}

static tacho_status put_value(tacho_bytes *bytes, const tacho_attr *attr)
{
    switch (attr->kind) {
    case TACHO_ATTR_INT:
    case TACHO_ATTR_GRAPH:
        return tacho_bytes_put(bytes, (uint64_t)attr->value.as_int, 8);
    case TACHO_ATTR_REAL:
        return tacho_bytes_put(bytes, bits_of(attr->value.as_real), 8);
    case TACHO_ATTR_TEXT:
        return put_text(bytes, attr->value.as_text);
    case TACHO_ATTR_TENSOR:
        return tacho_bytes_put(bytes, attr->value.as_tensor, 4);
    case TACHO_ATTR_INTS:
    case TACHO_ATTR_REALS:
    case TACHO_ATTR_TEXTS:
        return put_list(bytes, attr);
    case TACHO_ATTR_OTHER:
        break;
    }
    return TACHO_OK;
}

tacho_status tacho_image_write_attrs(const tacho_program *program, tacho_bytes *out_bytes)
{
    for (size_t i = 0; i < program->attr_count; i++) {
        const tacho_attr *attr = &program->attrs[i];
        if (attr->name.len > TACHO_IMAGE_TEXT_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT, "program, attrs[%zu]: a name of %zu bytes", i,
                              attr->name.len);
        }
        TACHO_TRY(tacho_bytes_put(out_bytes, attr->name.len, 4));
        TACHO_TRY(tacho_bytes_put(out_bytes, (uint64_t)attr->kind, 4));
        TACHO_TRY(tacho_bytes_put(out_bytes, is_list(attr) ? attr->count : 0, 4));
        TACHO_TRY(tacho_bytes_append(out_bytes, attr->name));
        TACHO_TRY(put_value(out_bytes, attr));
    }
    return TACHO_OK;
}

/* The unread rest of the section, and the arena of texts and lists. */
typedef struct attr_reader {
    tacho_str left;
    tacho_arena *arena;
    size_t record; /* being read */
} attr_reader;

static tacho_status read_bytes(attr_reader *reader, uint64_t len, tacho_str *out_bytes)
{
    if (len > reader->left.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, attrs[%zu]: expected %" PRIu64 " more bytes, found %zu",
                          reader->record, len, reader->left.len);
    }
    *out_bytes = tacho_str_make(reader->left.data, (size_t)len);
    reader->left = tacho_str_from(reader->left, (size_t)len);
    return TACHO_OK;
}

static tacho_status take_number(attr_reader *reader, size_t width, uint64_t *out_value)
{
    tacho_str bytes = TACHO_STR("");
    TACHO_TRY(read_bytes(reader, width, &bytes));
    *out_value = tacho_bytes_load(bytes.data, width);
    return TACHO_OK;
}

static tacho_status take_text(attr_reader *reader, uint64_t len, tacho_str *out_text)
{
    tacho_str bytes = TACHO_STR("");
    if (len > TACHO_IMAGE_TEXT_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "program, attrs[%zu]: expected a text of at most 16 MiB, found %" PRIu64
                          " bytes",
                          reader->record, len);
    }
    TACHO_TRY(read_bytes(reader, len, &bytes));
    return tacho_arena_copy(reader->arena, bytes, out_text);
}

static tacho_status take_list(attr_reader *reader, tacho_attr *attr)
{
    size_t least = attr->kind == TACHO_ATTR_TEXTS ? 4 : 8;
    size_t size = attr->kind == TACHO_ATTR_TEXTS ? sizeof(tacho_str) : 8;
    if (attr->count > reader->left.len / least) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, attrs[%zu].count: expected at most %zu, found %" PRIu32,
                          reader->record, reader->left.len / least, attr->count);
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(reader->arena, attr->count * size, &memory));
    for (uint32_t i = 0; i < attr->count; i++) {
        uint64_t value = 0;
        TACHO_TRY(take_number(reader, least, &value));
        if (attr->kind == TACHO_ATTR_TEXTS) {
            TACHO_TRY(take_text(reader, value, (tacho_str *)memory + i));
        } else {
            memcpy((char *)memory + 8 * (size_t)i, &value, 8); /* also a real's bits */
        }
    }
    if (attr->kind == TACHO_ATTR_INTS) {
        attr->value.as_ints = memory;
    } else if (attr->kind == TACHO_ATTR_REALS) {
        attr->value.as_reals = memory;
    } else {
        attr->value.as_texts = memory;
    }
    return TACHO_OK;
}

static tacho_status take_value(attr_reader *reader, tacho_attr *attr)
{
    uint64_t value = 0;
    switch (attr->kind) {
    case TACHO_ATTR_INT:
    case TACHO_ATTR_GRAPH:
        TACHO_TRY(take_number(reader, 8, &value));
        attr->value.as_int = (int64_t)value;
        break;
    case TACHO_ATTR_REAL:
        TACHO_TRY(take_number(reader, 8, &value));
        attr->value.as_real = real_of(value);
        break;
    case TACHO_ATTR_TEXT:
        TACHO_TRY(take_number(reader, 4, &value));
        return take_text(reader, value, &attr->value.as_text);
    case TACHO_ATTR_TENSOR:
        TACHO_TRY(take_number(reader, 4, &value));
        attr->value.as_tensor = (uint32_t)value;
        break;
    case TACHO_ATTR_INTS:
    case TACHO_ATTR_REALS:
    case TACHO_ATTR_TEXTS:
        return take_list(reader, attr);
    case TACHO_ATTR_OTHER:
        break;
    }
    return TACHO_OK;
}

static tacho_status take_attr(attr_reader *reader, tacho_attr *attr)
{
    uint64_t name_len = 0;
    uint64_t kind = 0;
    uint64_t count = 0;
    TACHO_TRY(take_number(reader, 4, &name_len));
    TACHO_TRY(take_number(reader, 4, &kind));
    TACHO_TRY(take_number(reader, 4, &count));
    if (kind > TACHO_ATTR_OTHER) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, attrs[%zu].kind: expected less than %d, found %" PRIu64,
                          reader->record, TACHO_ATTR_OTHER + 1, kind);
    }
    *attr = (tacho_attr){.kind = (tacho_attr_kind)kind, .count = (uint32_t)count};
    if (count > 0 && !is_list(attr)) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "program, attrs[%zu].count: expected 0 for a value that is not a list, found %" PRIu64,
            reader->record, count);
    }
    TACHO_TRY(take_text(reader, name_len, &attr->name));
    return take_value(reader, attr);
}

tacho_status tacho_image_read_attrs(tacho_str section, uint64_t count, tacho_program *program)
{
    if (count > section.len / ATTR_HEAD_BYTES) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "program, attrs: expected at most %zu records in %zu bytes, found %" PRIu64,
            section.len / ATTR_HEAD_BYTES, section.len, count);
    }
    TACHO_TRY(tacho_grow(&program->attrs, &program->attr_capacity, (size_t)count));
    attr_reader reader = {section, &program->arena, 0};
    for (; reader.record < count; reader.record++) {
        TACHO_TRY(take_attr(&reader, &program->attrs[reader.record]));
        program->attr_count++;
    }
    if (reader.left.len > 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, attrs: expected the section to end, found %zu more bytes",
                          reader.left.len);
    }
    return TACHO_OK;
}
