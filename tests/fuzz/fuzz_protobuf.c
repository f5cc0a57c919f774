/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the protobuf reader and writer with messages.
 *
 * Laws: the fields that read, written again, take no more bytes and read the same; and a message
 * put into nested ones of any size comes out unchanged.
 */
#include "codec/protobuf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static unsigned char *put_field(unsigned char *at, const tacho_pb_field *field)
{
    switch (field->wire) {
    case TACHO_PB_WIRE_VARINT:
        return tacho_pb_put_uint(at, field->number, field->value);
    case TACHO_PB_WIRE_FIXED64:
        return tacho_pb_put_fixed64(at, field->number, field->value);
    case TACHO_PB_WIRE_BYTES:
        return tacho_pb_put_bytes(at, field->number, field->bytes);
    default:
        require(field->wire == TACHO_PB_WIRE_FIXED32 && field->value <= UINT32_MAX);
        at = tacho_pb_put_tag(at, field->number, TACHO_PB_WIRE_FIXED32);
        for (int shift = 0; shift < 32; shift += 8) {
            *at++ = (unsigned char)(field->value >> shift);
        }
        return at;
    }
}

/* Reads the next field; false at the end and at damage. */
static bool next(tacho_pb_reader *reader, tacho_pb_field *field)
{
    const unsigned char *before = reader->at;
    bool got = false;
    tacho_status status = tacho_pb_next(reader, field, &got);
    require(status == TACHO_OK ? got == (before != reader->end) : !got);
    require(got ? reader->at > before : reader->at == before);
    tacho_status_free(status);
    return got;
}

static bool is_same(const tacho_pb_field *a, const tacho_pb_field *b)
{
    return a->number == b->number && a->wire == b->wire && a->value == b->value &&
           tacho_str_equal(a->bytes, b->bytes);
}

/* Writes all fields that read to |room|, as large as the message, and returns their end. */
static unsigned char *rewrite(tacho_str message, unsigned char *room)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    unsigned char *at = room;
    tacho_pb_field field;
    while (next(&reader, &field)) {
        at = put_field(at, &field);
        require(at - room <= reader.at - reader.start);
    }
    return at;
}

static void check_rewrite(tacho_str message)
{
    unsigned char *room = malloc(message.len + 1);
    require(room != NULL);
    unsigned char *end = rewrite(message, room);
    tacho_pb_reader old;
    tacho_pb_reader again;
    tacho_pb_reader_init(&old, message);
    tacho_pb_reader_init(&again, tacho_str_make((const char *)room, (size_t)(end - room)));
    tacho_pb_field old_field;
    tacho_pb_field new_field;
    while (next(&old, &old_field)) {
        require(next(&again, &new_field) && is_same(&old_field, &new_field));
    }
    require(again.at == again.end);
    free(room);
}

/* Three levels around |body|, which the exact size of the outcome leaves no room to overrun. */
static void check_nested(tacho_str body)
{
    enum { LEVELS = 3 };
    static const uint32_t numbers[LEVELS] = {1, 200, TACHO_PB_FIELD_NUMBER_MAX};
    unsigned char *room = malloc(body.len + LEVELS * (TACHO_PB_OPEN_MAX + TACHO_PB_CLOSE_MAX));
    require(room != NULL);
    unsigned char *starts[LEVELS];
    unsigned char *end = room;
    for (int i = 0; i < LEVELS; i++) {
        end = starts[i] = tacho_pb_open(end, numbers[i]);
    }
    if (body.len > 0) {
        memcpy(end, body.data, body.len);
    }
    end += body.len;
    for (int i = LEVELS; i-- > 0;) {
        end = tacho_pb_close(starts[i], end);
    }
    tacho_str inside = tacho_str_make((const char *)room, (size_t)(end - room));
    for (int i = 0; i < LEVELS; i++) {
        tacho_pb_reader reader;
        tacho_pb_reader_init(&reader, inside);
        tacho_pb_field field;
        require(next(&reader, &field) && reader.at == reader.end);
        require(field.number == numbers[i] && field.wire == TACHO_PB_WIRE_BYTES);
        inside = field.bytes;
    }
    require(tacho_str_equal(inside, body));
    free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str message = tacho_str_make((const char *)data, size);
    check_rewrite(message);
    check_nested(message);
    return 0;
}
