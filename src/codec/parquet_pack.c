/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits are packed from the lowest one of a byte upwards. All multi-byte numbers are little-endian.
 */
#include "codec/parquet_pack.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 8,       /* values that are packed together in a mixed encoding */
    GROUPS_MAX = 63, /* of one stretch, so that its header is one byte */
    BLOCK = 128,     /* differences with a common minimum ... */
    MINIBLOCKS = 4,  /* ... in as many pieces, each with a width */
    MINIBLOCK = BLOCK / MINIBLOCKS,
    VARINT_BYTES = 10,
};

void tacho_parquet_buffer_deinit(tacho_parquet_buffer *bytes)
{
    free(bytes->items);
    *bytes = (tacho_parquet_buffer){0};
}

static tacho_status reserve(tacho_parquet_buffer *bytes, size_t len)
{
    return tacho_grow(&bytes->items, &bytes->capacity, bytes->len + len);
}

tacho_status tacho_parquet_buffer_add(tacho_parquet_buffer *bytes, const void *more, size_t len)
{
    TACHO_TRY(reserve(bytes, len));
    if (len > 0) {
        memcpy(bytes->items + bytes->len, more, len);
    }
    bytes->len += len;
    return TACHO_OK;
}

unsigned tacho_parquet_bit_width(uint64_t max)
{
    return max == 0 ? 0 : 64 - (unsigned)__builtin_clzll(max);
}

/* There is room for it. */
static void put_varint(tacho_parquet_buffer *to, uint64_t value)
{
    while (value >= 0x80) {
        to->items[to->len++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    to->items[to->len++] = (unsigned char)value;
}

static void put_zigzag(tacho_parquet_buffer *to, int64_t value)
{
    put_varint(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Packs |count| values of |width| bits, a multiple of 8 of them; there is room. */
static void pack(const uint64_t *values, size_t count, unsigned width, tacho_parquet_buffer *to)
{
    unsigned char *at = to->items + to->len;
    uint64_t held = 0;
    unsigned held_bits = 0;
    for (size_t i = 0; width > 0 && i < count; i++) {
        uint64_t value = values[i];
        held |= value << held_bits;
        held_bits += width;
        if (held_bits >= 64) {
            memcpy(at, &held, sizeof(held));
            at += sizeof(held);
            held_bits -= 64;
            held = held_bits > 0 ? value >> (width - held_bits) : 0;
        }
    }
    size_t left = (held_bits + 7) / 8;
    memcpy(at, &held, left);
    to->len = (size_t)(at - to->items) + left;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static size_t run_length(const uint32_t *values, size_t count)
{
    size_t len = 1;
    while (len < count && values[len] == values[0]) {
        len++;
    }
    return len;
}

static tacho_status put_run(uint32_t value, size_t len, unsigned width, tacho_parquet_buffer *to)
{
    TACHO_TRY(reserve(to, VARINT_BYTES + sizeof(value)));
    put_varint(to, (uint64_t)len << 1);
    memcpy(to->items + to->len, &value, (width + 7) / 8);
    to->len += (width + 7) / 8;
    return TACHO_OK;
}

/* Groups of values up to the next long run, the last one filled up with zeros. */
static tacho_status put_packed(const uint32_t *values, size_t count, unsigned width,
                               tacho_parquet_buffer *to)
{
    uint64_t group[GROUPS_MAX * GROUP] = {0};
    size_t groups = (count + GROUP - 1) / GROUP;
    TACHO_TRY(reserve(to, 1 + groups * GROUP * width / 8 + sizeof(uint64_t)));
    for (size_t i = 0; i < count; i++) {
        group[i] = values[i];
    }
    to->items[to->len++] = (unsigned char)(groups << 1 | 1);
    pack(group, groups * GROUP, width, to);
    return TACHO_OK;
}

tacho_status tacho_parquet_pack_runs(const uint32_t *values, size_t count, unsigned width,
                                     tacho_parquet_buffer *to)
{
    size_t at = 0;
    while (at < count) {
        size_t len = run_length(values + at, count - at);
        if (len >= GROUP) {
            TACHO_TRY(put_run(values[at], len, width, to));
            at += len;
            continue;
        }
        size_t start = at;
        while (at < count && at - start < (size_t)GROUPS_MAX * GROUP &&
               ((at - start) % GROUP != 0 || run_length(values + at, count - at) < GROUP)) {
            at++;
        }
        TACHO_TRY(put_packed(values + start, at - start, width, to));
    }
    return TACHO_OK;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* |deltas| are BLOCK differences: |count| of them, then zeros. */
static void put_block(uint64_t *deltas, size_t count, tacho_parquet_buffer *to)
{
    int64_t least = (int64_t)deltas[0];
    for (size_t i = 1; i < count; i++) {
        least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
    }
    put_zigzag(to, least);
    unsigned char *widths = to->items + to->len;
    to->len += MINIBLOCKS;
    for (size_t i = 0; i < MINIBLOCKS; i++) {
        uint64_t all = 0;
        uint64_t *piece = deltas + i * MINIBLOCK;
        size_t begin = i * MINIBLOCK;
        for (size_t j = 0; j < MINIBLOCK; j++) {
            piece[j] = begin + j < count ? piece[j] - (uint64_t)least : 0;
            all |= piece[j];
        }
        widths[i] = (unsigned char)tacho_parquet_bit_width(all);
        if (begin < count) {
            pack(piece, MINIBLOCK, widths[i], to);
        }
    }
}

tacho_status tacho_parquet_pack_deltas(const int64_t *values, size_t count,
                                       tacho_parquet_buffer *to)
{
    TACHO_TRY(reserve(to, 4 * VARINT_BYTES));
    put_varint(to, BLOCK);
    put_varint(to, MINIBLOCKS);
    put_varint(to, count);
    put_zigzag(to, values[0]);
    for (size_t at = 1; at < count; at += BLOCK) {
        uint64_t deltas[BLOCK] = {0};
        size_t len = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < len; i++) {
            deltas[i] = (uint64_t)values[at + i] - (uint64_t)values[at + i - 1];
        }
        TACHO_TRY(reserve(to, VARINT_BYTES + MINIBLOCKS + (BLOCK + 1) * sizeof(uint64_t)));
        put_block(deltas, len, to);
    }
    return TACHO_OK;
}
