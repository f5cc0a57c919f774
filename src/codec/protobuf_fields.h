/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a message, quickly: what tacho_pb_next does, without a status. A trace has some ten
 * fields per packet and millions of packets.
 */
#ifndef TACHO_CODEC_PROTOBUF_FIELDS_H
#define TACHO_CODEC_PROTOBUF_FIELDS_H

#include "codec/protobuf.h"

/* Takes a varint off [*at, end); false when it is cut or does not fit 64 bits. */
static inline bool tacho_pb_try_varint(const unsigned char **at, const unsigned char *end,
                                       uint64_t *out_value)
{
    const unsigned char *byte = *at;
    if (TACHO_LIKELY(byte < end && *byte < 0x80)) {
        *out_value = *byte;
        *at = byte + 1;
        return true;
    }
    uint64_t value = 0;
    for (unsigned shift = 0; byte < end && shift < 64; shift += 7, byte++) {
        if (shift == 63 && *byte > 1) {
            return false;
        }
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (*byte < 0x80) {
            *out_value = value;
            *at = byte + 1;
            return true;
        }
    }
    return false;
}

/* The rest of tacho_pb_try_next: fields of fixed size. */
static inline bool tacho_pb_try_fixed(const unsigned char **at, const unsigned char *end,
                                      size_t size, uint64_t *out_value)
{
    if ((size_t)(end - *at) < size) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(*at)[i] << (8 * i);
    }
    *at += size;
    *out_value = value;
    return true;
}

/*
 * The next field. False at the end, and where the message is malformed; then the reader is before
 * its end (tacho_pb_is_sound).
 */
static inline bool tacho_pb_try_next(tacho_pb_reader *reader, tacho_pb_field *out_field)
{
    const unsigned char *at = reader->at;
    uint64_t tag = 0;
    uint64_t value = 0;
    if (at == reader->end || !tacho_pb_try_varint(&at, reader->end, &tag) || tag < 8 ||
        tag >> 3 > TACHO_PB_FIELD_NUMBER_MAX) {
        return false;
    }
    out_field->number = (uint32_t)(tag >> 3);
    out_field->wire = tag & 7;
    out_field->bytes = (tacho_str){NULL, 0};
    switch (tag & 7) {
    case TACHO_PB_WIRE_VARINT:
        if (!tacho_pb_try_varint(&at, reader->end, &value)) {
            return false;
        }
        break;
    case TACHO_PB_WIRE_BYTES:
        if (!tacho_pb_try_varint(&at, reader->end, &value) || value > (size_t)(reader->end - at)) {
            return false;
        }
        out_field->bytes = tacho_str_make((const char *)at, (size_t)value);
        at += value;
        value = 0;
        break;
    case TACHO_PB_WIRE_FIXED64:
    case TACHO_PB_WIRE_FIXED32:
        if (!tacho_pb_try_fixed(&at, reader->end, (tag & 7) == TACHO_PB_WIRE_FIXED64 ? 8 : 4,
                                &value)) {
            return false;
        }
        break;
    default:
        return false;
    }
    out_field->value = value;
    reader->at = at;
    return true;
}

/* Whether tacho_pb_try_next reached the end of the message, rather than a malformed field. */
static inline bool tacho_pb_is_sound(const tacho_pb_reader *reader)
{
    return reader->at == reader->end;
}

/* Number and wire type in one, to switch over. */
#define TACHO_PB_KEY(number, wire) ((uint32_t)(number) << 3 | (uint32_t)(wire))
#define TACHO_PB_KEY_VARINT(number) TACHO_PB_KEY(number, TACHO_PB_WIRE_VARINT)
#define TACHO_PB_KEY_BYTES(number) TACHO_PB_KEY(number, TACHO_PB_WIRE_BYTES)
#define TACHO_PB_KEY_FIXED64(number) TACHO_PB_KEY(number, TACHO_PB_WIRE_FIXED64)

static inline uint32_t tacho_pb_key(const tacho_pb_field *field)
{
    return TACHO_PB_KEY(field->number, field->wire);
}

static inline double tacho_pb_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#endif
