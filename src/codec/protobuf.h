/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protobuf wire format, without schemas: the format of Perfetto traces.
 *
 * The reader gives one field after another of a message in memory; a nested message is a field
 * of bytes, read with a reader of its own. The writer is a set of inline functions that put bytes
 * at |at| and return the position of the next ones. They check nothing: the caller has made room,
 * by adding up the TACHO_PB_*_MAX of its fields.
 *
 *     unsigned char *at = tacho_output_reserve(output, EVENT_MAX);
 *     unsigned char *body = at = tacho_pb_open(at, 1);
 *     at = tacho_pb_put_uint(at, 8, timestamp_ns);
 *     output->cursor = tacho_pb_close(body, at);
 *
 * Field numbers are constants where these are called, so that tags cost one store.
 */
#ifndef TACHO_CODEC_PROTOBUF_H
#define TACHO_CODEC_PROTOBUF_H

#include "base/attributes.h"
#include "base/status.h"
#include "base/str.h"

typedef enum tacho_pb_wire {
    TACHO_PB_WIRE_VARINT = 0,
    TACHO_PB_WIRE_FIXED64 = 1,
    TACHO_PB_WIRE_BYTES = 2,
    TACHO_PB_WIRE_FIXED32 = 5,
} tacho_pb_wire;

/*
 * The most bytes that each call adds. A tag takes 1 byte for field numbers below 16, 2 below
 * 2048, at most 5; a caller that knows its numbers and values may count less.
 *
 * A nested message takes TACHO_PB_OPEN_MAX when it is opened. Closing it adds nothing to a body
 * below 128 bytes, 1 byte below 16 KiB, 2 below 2 MiB, 3 below 256 MiB, and so on up to
 * TACHO_PB_CLOSE_MAX: each level of nesting adds to the one around it. At no time is more room
 * needed than for the finished message.
 */
enum {
    TACHO_PB_VARINT_MAX = 10,
    TACHO_PB_TAG_MAX = 5,
    TACHO_PB_UINT_MAX = TACHO_PB_TAG_MAX + TACHO_PB_VARINT_MAX,
    TACHO_PB_FIXED64_MAX = TACHO_PB_TAG_MAX + 8,
    TACHO_PB_BYTES_MAX = TACHO_PB_TAG_MAX + TACHO_PB_VARINT_MAX, /* and the bytes themselves */
    TACHO_PB_OPEN_MAX = TACHO_PB_TAG_MAX + 1,
    TACHO_PB_CLOSE_MAX = TACHO_PB_VARINT_MAX - 1,
    TACHO_PB_FIELD_NUMBER_MAX = (1 << 29) - 1,
};

typedef struct tacho_pb_reader {
    const unsigned char *at;
    const unsigned char *end;
    const unsigned char *start; /* offsets in messages count from here */
} tacho_pb_reader;

typedef struct tacho_pb_field {
    uint32_t number;
    uint8_t wire;    /* a tacho_pb_wire */
    uint64_t value;  /* of a varint or a fixed field, zero-extended; 0 for bytes */
    tacho_str bytes; /* of a bytes field, a view of the message; else empty */
} tacho_pb_field;

/* Reads |message|, which must outlive the reader and its fields. */
void tacho_pb_reader_init(tacho_pb_reader *reader, tacho_str message);

/*
 * The next field; |*out_got| is false at the end. A message cut short, a varint that does not
 * fit 64 bits, field number 0 and the wire types 3, 4 (groups), 6 and 7 are BAD_DATA, and leave
 * the reader where that field starts.
 */
tacho_status tacho_pb_next(tacho_pb_reader *reader, tacho_pb_field *out_field,
                           bool *out_got) TACHO_MUST_USE;

/* The next varint of a packed field, whose bytes |reader| reads; the same failures. */
tacho_status tacho_pb_read_varint(tacho_pb_reader *reader, uint64_t *out_value) TACHO_MUST_USE;

/* Seven bits a byte, the lowest first; at most TACHO_PB_VARINT_MAX bytes. */
static inline unsigned char *tacho_pb_put_varint(unsigned char *at, uint64_t value)
{
    if (TACHO_LIKELY(value < 0x80)) {
        at[0] = (unsigned char)value;
        return at + 1;
    }
    if (TACHO_LIKELY(value < 0x4000)) {
        at[0] = (unsigned char)(value | 0x80);
        at[1] = (unsigned char)(value >> 7);
        return at + 2;
    }
    for (; value >= 0x80; value >>= 7) {
        *at++ = (unsigned char)(value | 0x80);
    }
    *at = (unsigned char)value;
    return at + 1;
}

/*
 * The same for values of which no processor can guess how long they are: below 2^28 nothing hangs
 * on that. Always writes four bytes, which there must be room for.
 */
static inline unsigned char *tacho_pb_put_varied(unsigned char *at, uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* By the highest bit: the continuation bits, and the number of bytes. */
    static const struct {
        uint32_t more;
        uint32_t len;
    } by_bit[] = {
#define TACHO_PB_SEVEN(more, len)                                                                  \
    {more, len}, {more, len}, {more, len}, {more, len}, {more, len}, {more, len}, {more, len}
        TACHO_PB_SEVEN(0, 1),
        TACHO_PB_SEVEN(0x80, 2),
        TACHO_PB_SEVEN(0x8080, 3),
        TACHO_PB_SEVEN(0x808080, 4),
#undef TACHO_PB_SEVEN
    };
    if (TACHO_LIKELY(value < 1U << 28)) {
        uint32_t groups = (uint32_t)value;
        unsigned bit = 31 ^ (unsigned)__builtin_clz(groups | 1);
        groups += (groups & 0xfffc000) * 3; /* two bits up */
        groups += groups & 0x3f803f80;      /* one bit up */
        groups |= by_bit[bit].more;
        memcpy(at, &groups, sizeof(groups));
        return at + by_bit[bit].len;
    }
#endif
    return tacho_pb_put_varint(at, value);
}

static inline unsigned char *tacho_pb_put_tag(unsigned char *at, uint32_t field_number,
                                              tacho_pb_wire wire)
{
    return tacho_pb_put_varint(at, field_number << 3 | (uint32_t)wire);
}

/* For uint32, uint64, bool and enum; for int32 and int64 after a cast, sign-extended. */
static inline unsigned char *tacho_pb_put_uint(unsigned char *at, uint32_t field_number,
                                               uint64_t value)
{
    return tacho_pb_put_varint(tacho_pb_put_tag(at, field_number, TACHO_PB_WIRE_VARINT), value);
}

static inline unsigned char *tacho_pb_put_fixed64(unsigned char *at, uint32_t field_number,
                                                  uint64_t value)
{
    at = tacho_pb_put_tag(at, field_number, TACHO_PB_WIRE_FIXED64);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

static inline unsigned char *tacho_pb_put_double(unsigned char *at, uint32_t field_number,
                                                 double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return tacho_pb_put_fixed64(at, field_number, bits);
}

/* For string, bytes and messages that are encoded already. */
static inline unsigned char *tacho_pb_put_bytes(unsigned char *at, uint32_t field_number,
                                                tacho_str bytes)
{
    at = tacho_pb_put_tag(at, field_number, TACHO_PB_WIRE_BYTES);
    at = tacho_pb_put_varint(at, bytes.len);
    if (bytes.len > 0) {
        memcpy(at, bytes.data, bytes.len);
    }
    return at + bytes.len;
}

/* Opens a nested message; returns the start of its body, which tacho_pb_close needs. */
static inline unsigned char *tacho_pb_open(unsigned char *at, uint32_t field_number)
{
    return tacho_pb_put_tag(at, field_number, TACHO_PB_WIRE_BYTES) + 1;
}

/* The general case of tacho_pb_close: the length needs more than the one byte left for it. */
unsigned char *tacho_pb_close_long(unsigned char *body_start, unsigned char *end);

/*
 * Closes the message whose body is [body_start, end): writes its length, moves the body up when
 * the length needs more than one byte, and returns the new end.
 */
static inline unsigned char *tacho_pb_close(unsigned char *body_start, unsigned char *end)
{
    size_t len = (size_t)(end - body_start);
    if (TACHO_UNLIKELY(len >= 0x80)) {
        return tacho_pb_close_long(body_start, end);
    }
    body_start[-1] = (unsigned char)len;
    return end;
}

#endif
