/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C eight bytes at a time, by the processor's instruction, in three lanes where there are many
 * bytes, or by eight tables.
 *
 * A table's entry for a byte is the sum of its entries for the byte's bits, so eight numbers define
 * a table and the compiler computes the rest.
 */
#include "codec/crc32c.h"

#include "base/attributes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <wmmintrin.h>
#endif

#define ENTRY(i, a, b, c, d, e, f, g, h)                                                           \
    (((i)&1 ? (a) : 0) ^ ((i)&2 ? (b) : 0) ^ ((i)&4 ? (c) : 0) ^ ((i)&8 ? (d) : 0) ^               \
     ((i)&16 ? (e) : 0) ^ ((i)&32 ? (f) : 0) ^ ((i)&64 ? (g) : 0) ^ ((i)&128 ? (h) : 0))
#define ENTRIES4(i, ...)                                                                           \
    ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__),               \
        ENTRY((i) + 3, __VA_ARGS__)
#define ENTRIES16(i, ...)                                                                          \
    ENTRIES4(i, __VA_ARGS__), ENTRIES4((i) + 4, __VA_ARGS__), ENTRIES4((i) + 8, __VA_ARGS__),      \
        ENTRIES4((i) + 12, __VA_ARGS__)
#define ENTRIES64(i, ...)                                                                          \
    ENTRIES16(i, __VA_ARGS__), ENTRIES16((i) + 16, __VA_ARGS__), ENTRIES16((i) + 32, __VA_ARGS__), \
        ENTRIES16((i) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES64(0, __VA_ARGS__), ENTRIES64(64, __VA_ARGS__), ENTRIES64(128, __VA_ARGS__),        \
            ENTRIES64(192, __VA_ARGS__)                                                            \
    }

/* Of a byte that is followed by 0, 1, ... 7 others in a step; entries of its bits, lowest first. */
static const uint32_t tables[8][256] = {
    TABLE(0xf26b8303u, 0xe13b70f7u, 0xc79a971fu, 0x8ad958cfu, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu,
          0x82f63b78u),
    TABLE(0x13a29877u, 0x274530eeu, 0x4e8a61dcu, 0x9d14c3b8u, 0x3fc5f181u, 0x7f8be302u, 0xff17c604u,
          0xfbc3faf9u),
    TABLE(0xa541927eu, 0x4f6f520du, 0x9edea41au, 0x38513ec5u, 0x70a27d8au, 0xe144fb14u, 0xc76580d9u,
          0x8b277743u),
    TABLE(0xdd45aab8u, 0xbf672381u, 0x7b2231f3u, 0xf64463e6u, 0xe964b13du, 0xd725148bu, 0xaba65fe7u,
          0x52a0c93fu),
    TABLE(0x38116facu, 0x7022df58u, 0xe045beb0u, 0xc5670b91u, 0x8f2261d3u, 0x1ba8b557u, 0x37516aaeu,
          0x6ea2d55cu),
    TABLE(0xef306b19u, 0xdb8ca0c3u, 0xb2f53777u, 0x6006181fu, 0xc00c303eu, 0x85f4168du, 0x0e045bebu,
          0x1c08b7d6u),
    TABLE(0x68032cc8u, 0xd0065990u, 0xa5e0c5d1u, 0x4e2dfd53u, 0x9c5bfaa6u, 0x3d5b83bdu, 0x7ab7077au,
          0xf56e0ef4u),
    TABLE(0x493c7d27u, 0x9278fa4eu, 0x211d826du, 0x423b04dau, 0x847609b4u, 0x0d006599u, 0x1a00cb32u,
          0x34019664u),
};

uint32_t tacho_crc32c_portable(uint32_t crc, tacho_str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    size_t left = bytes.len;
    crc = ~crc;
    for (; left >= 8; left -= 8, at += 8) {
        uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                              (uint32_t)at[3] << 24);
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
              tables[4][low >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
              tables[0][at[7]];
    }
    for (; left > 0; left--) {
        crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

static inline uint64_t word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

TACHO_TARGET("sse4.2") static uint32_t by_instruction(uint32_t crc, tacho_str bytes)
{
    const char *at = bytes.data;
    size_t left = bytes.len;
    uint64_t sum = ~crc;
    for (; left >= 8; left -= 8, at += 8) {
        sum = __builtin_ia32_crc32di(sum, word_at(at));
    }
    crc = (uint32_t)sum;
    for (; left > 0; left--) {
        crc = __builtin_ia32_crc32qi(crc, (unsigned char)*at++);
    }
    return ~crc;
}

enum { LANE_BYTES = 1024 };

/* |sum| as if as many zero bytes followed as |power| stands for: x to the bits of them, less 33. */
TACHO_TARGET("sse4.2,pclmul") static inline uint64_t pass_over(uint64_t sum, uint32_t power)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)sum),
                                           _mm_cvtsi64_si128((long long)power), 0);
    return __builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(product));
}

/* An instruction waits for the one before it in its lane: three lanes side by side do not wait. */
TACHO_TARGET("sse4.2,pclmul") static uint32_t by_lanes(uint32_t crc, tacho_str bytes)
{
    static const uint32_t over_one = 0x170076fau, over_two = 0xa51b6135u;
    const char *at = bytes.data;
    size_t left = bytes.len;
    uint64_t sum = (uint32_t)~crc;
    for (; left >= 3 * LANE_BYTES; left -= 3 * LANE_BYTES, at += 3 * LANE_BYTES) {
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < LANE_BYTES; i += 8) {
            sum = __builtin_ia32_crc32di(sum, word_at(at + i));
            second = __builtin_ia32_crc32di(second, word_at(at + LANE_BYTES + i));
            third = __builtin_ia32_crc32di(third, word_at(at + 2 * LANE_BYTES + i));
        }
        sum = pass_over(sum, over_two) ^ pass_over(second, over_one) ^ third;
    }
    return by_instruction(~(uint32_t)sum, tacho_str_make(at, left));
}

uint32_t tacho_crc32c(uint32_t crc, tacho_str bytes)
{
    if (!__builtin_cpu_supports("sse4.2")) {
        return tacho_crc32c_portable(crc, bytes);
    }
    return bytes.len >= 3 * LANE_BYTES && __builtin_cpu_supports("pclmul")
               ? by_lanes(crc, bytes)
               : by_instruction(crc, bytes);
}

#else

uint32_t tacho_crc32c(uint32_t crc, tacho_str bytes)
{
    return tacho_crc32c_portable(crc, bytes);
}

#endif
