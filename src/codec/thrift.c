/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are zigzag varints; a field's header has the distance to the field before it.
 */
#include "codec/thrift.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>

void tacho_thrift_deinit(tacho_thrift *thrift)
{
    free(thrift->bytes);
    *thrift = (tacho_thrift){0};
}

void tacho_thrift_clear(tacho_thrift *thrift)
{
    thrift->len = 0;
    thrift->depth = 0;
    thrift->last_fields[0] = 0;
}

static void put(tacho_thrift *thrift, const void *bytes, size_t len)
{
    if (thrift->has_failed || len == 0) {
        return;
    }
    tacho_status status = tacho_grow(&thrift->bytes, &thrift->capacity, thrift->len + len);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        thrift->has_failed = true;
        return;
    }
    memcpy(thrift->bytes + thrift->len, bytes, len);
    thrift->len += len;
}

static void put_byte(tacho_thrift *thrift, unsigned value)
{
    unsigned char byte = (unsigned char)value;
    put(thrift, &byte, 1);
}

static void put_varint(tacho_thrift *thrift, uint64_t value)
{
    while (value >= 0x80) {
        put_byte(thrift, (unsigned)(value & 0x7f) | 0x80);
        value >>= 7;
    }
    put_byte(thrift, (unsigned)value);
}

static void put_zigzag(tacho_thrift *thrift, int64_t value)
{
    put_varint(thrift, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_field(tacho_thrift *thrift, int field, tacho_thrift_type type)
{
    int *last = &thrift->last_fields[thrift->depth];
    assert(field > *last && field - *last <= 15);
    put_byte(thrift, (unsigned)(field - *last) << 4 | (unsigned)type);
    *last = field;
}

void tacho_thrift_int(tacho_thrift *thrift, int field, tacho_thrift_type type, int64_t value)
{
    put_field(thrift, field, type);
    put_zigzag(thrift, value);
}

void tacho_thrift_element_binary(tacho_thrift *thrift, tacho_str bytes)
{
    put_varint(thrift, bytes.len);
    put(thrift, bytes.data, bytes.len);
}

void tacho_thrift_binary(tacho_thrift *thrift, int field, tacho_str bytes)
{
    put_field(thrift, field, TACHO_THRIFT_BINARY);
    tacho_thrift_element_binary(thrift, bytes);
}

void tacho_thrift_list(tacho_thrift *thrift, int field, tacho_thrift_type type, size_t count)
{
    put_field(thrift, field, TACHO_THRIFT_LIST);
    if (count < 15) {
        put_byte(thrift, (unsigned)count << 4 | (unsigned)type);
    } else {
        put_byte(thrift, 0xf0U | (unsigned)type);
        put_varint(thrift, count);
    }
}

void tacho_thrift_element_int(tacho_thrift *thrift, int64_t value)
{
    put_zigzag(thrift, value);
}

void tacho_thrift_begin(tacho_thrift *thrift, int field)
{
    if (field > 0) {
        put_field(thrift, field, TACHO_THRIFT_STRUCT);
    }
    assert(thrift->depth + 1 < TACHO_THRIFT_DEPTH_MAX);
    thrift->last_fields[++thrift->depth] = 0;
}

void tacho_thrift_end(tacho_thrift *thrift)
{
    put_byte(thrift, 0);
    thrift->depth--;
}

tacho_status tacho_thrift_finish(tacho_thrift *thrift)
{
    put_byte(thrift, 0);
    return thrift->has_failed ? tacho_no_memory() : TACHO_OK;
}
