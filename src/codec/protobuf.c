/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader, which trusts no byte, and the rare half of closing a message. A field is read with
 * a copy of the reader, which replaces the caller's only when the whole field is sound.
 */
#include "codec/protobuf.h"

void tacho_pb_reader_init(tacho_pb_reader *reader, tacho_str message)
{
    static const unsigned char nothing[1] = {0};
    const void *start = message.len > 0 ? (const void *)message.data : nothing;
    *reader = (tacho_pb_reader){start, (const unsigned char *)start + message.len, start};
}

static size_t offset_of(const tacho_pb_reader *reader)
{
    return (size_t)(reader->at - reader->start);
}

static tacho_status fail_here(const tacho_pb_reader *reader, const char *problem)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "protobuf, byte %zu: %s", offset_of(reader), problem);
}

static size_t left_in(const tacho_pb_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

tacho_status tacho_pb_read_varint(tacho_pb_reader *reader, uint64_t *out_value)
{
    uint64_t value = 0;
    size_t left = left_in(reader);
    for (size_t i = 0; i < left && i < TACHO_PB_VARINT_MAX; i++) {
        uint64_t byte = reader->at[i];
        if (i == TACHO_PB_VARINT_MAX - 1 && byte > 1) {
            break; /* bits past the 64th */
        }
        value |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            reader->at += i + 1;
            *out_value = value;
            return TACHO_OK;
        }
    }
    return fail_here(reader, left < TACHO_PB_VARINT_MAX ? "the message ends inside a varint"
                                                        : "a varint does not fit 64 bits");
}

/* A little-endian integer of |size| bytes. */
static tacho_status read_fixed(tacho_pb_reader *reader, size_t size, uint64_t *out_value)
{
    if (left_in(reader) < size) {
        return fail_here(reader, "the message ends inside a fixed-size value");
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)reader->at[i] << (8 * i);
    }
    reader->at += size;
    *out_value = value;
    return TACHO_OK;
}

static tacho_status read_bytes(tacho_pb_reader *reader, tacho_str *out_bytes)
{
    tacho_pb_reader before = *reader;
    uint64_t len = 0;
    TACHO_TRY(tacho_pb_read_varint(reader, &len));
    if (len > left_in(reader)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "protobuf, byte %zu: a length of %llu exceeds the %zu bytes left",
                          offset_of(&before), (unsigned long long)len, left_in(reader));
    }
    *out_bytes = tacho_str_make((const char *)reader->at, (size_t)len);
    reader->at += len;
    return TACHO_OK;
}

static tacho_status read_tag(tacho_pb_reader *reader, tacho_pb_field *out_field)
{
    tacho_pb_reader before = *reader;
    uint64_t tag = 0;
    TACHO_TRY(tacho_pb_read_varint(reader, &tag));
    if (tag >> 3 == 0 || tag >> 3 > TACHO_PB_FIELD_NUMBER_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "protobuf, byte %zu: %llu is not a valid field number",
                          offset_of(&before), (unsigned long long)(tag >> 3));
    }
    *out_field = (tacho_pb_field){.number = (uint32_t)(tag >> 3), .wire = (uint8_t)(tag & 7)};
    return TACHO_OK;
}

static tacho_status read_payload(tacho_pb_reader *reader, tacho_pb_field *field)
{
    switch (field->wire) {
    case TACHO_PB_WIRE_VARINT:
        return tacho_pb_read_varint(reader, &field->value);
    case TACHO_PB_WIRE_FIXED64:
        return read_fixed(reader, 8, &field->value);
    case TACHO_PB_WIRE_BYTES:
        return read_bytes(reader, &field->bytes);
    case TACHO_PB_WIRE_FIXED32:
        return read_fixed(reader, 4, &field->value);
    default:
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "protobuf, byte %zu: field %u has wire type %u, which is not supported",
                          offset_of(reader), field->number, field->wire);
    }
}

tacho_status tacho_pb_next(tacho_pb_reader *reader, tacho_pb_field *out_field, bool *out_got)
{
    *out_got = false;
    *out_field = (tacho_pb_field){0};
    if (reader->at == reader->end) {
        return TACHO_OK;
    }
    tacho_pb_reader ahead = *reader;
    TACHO_TRY(read_tag(&ahead, out_field));
    TACHO_TRY(read_payload(&ahead, out_field));
    *reader = ahead;
    *out_got = true;
    return TACHO_OK;
}

unsigned char *tacho_pb_close_long(unsigned char *body_start, unsigned char *end)
{
    size_t len = (size_t)(end - body_start);
    unsigned char length[TACHO_PB_VARINT_MAX];
    size_t length_size = (size_t)(tacho_pb_put_varint(length, len) - length);
    unsigned char *moved = body_start - 1 + length_size;
    memmove(moved, body_start, len);
    memcpy(body_start - 1, length, length_size);
    return moved + len;
}
