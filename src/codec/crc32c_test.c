/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C of published vectors, and the two ways of computing it against a third, bit by bit.
 */
#include "codec/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_vectors(void **state)
{
    (void)state;
    char zeros[32] = {0};
    char ones[32];
    char rising[32];
    char falling[32];
    memset(ones, 0xff, sizeof(ones));
    for (int i = 0; i < 32; i++) {
        rising[i] = (char)i;
        falling[i] = (char)(31 - i);
    }
    const struct {
        tacho_str bytes;
        uint32_t crc;
    } cases[] = {
        {TACHO_STR(""), 0},
        {TACHO_STR("a"), 0xc1d04330},
        {TACHO_STR("123456789"), 0xe3069283},
        {{zeros, 32}, 0x8a9136aa}, /* this and the next three: RFC 3720, B.4 */
        {{ones, 32}, 0x62a8ab43},
        {{rising, 32}, 0x46dd794e},
        {{falling, 32}, 0x113fdb5c},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tacho_crc32c(0, cases[i].bytes), cases[i].crc);
        assert_int_equal(tacho_crc32c_portable(0, cases[i].bytes), cases[i].crc);
    }
}

static uint32_t by_bits(tacho_str bytes)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        }
    }
    return ~crc;
}

/* Every length and alignment around a step of eight, whole and in two pieces. */
static void test_lengths(void **state)
{
    (void)state;
    char bytes[96];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 167 + 13);
    }
    for (size_t start = 0; start < 9; start++) {
        for (size_t len = 0; len < sizeof(bytes) - start; len++) {
            tacho_str text = tacho_str_make(bytes + start, len);
            uint32_t expected = by_bits(text);
            assert_int_equal(tacho_crc32c(0, text), expected);
            assert_int_equal(tacho_crc32c_portable(0, text), expected);
            tacho_str first = tacho_str_make(text.data, len / 3);
            tacho_str rest = tacho_str_from(text, len / 3);
            assert_int_equal(tacho_crc32c(tacho_crc32c(0, first), rest), expected);
            assert_int_equal(tacho_crc32c_portable(tacho_crc32c_portable(0, first), rest),
                             expected);
        }
    }
}

/* Long inputs are processed in three lanes, and their remainder alone. */
static void test_lanes(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    char bytes[MANY];
    uint32_t random = 1;
    for (size_t i = 0; i < MANY; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (char)(random >> 24);
    }
    const size_t lengths[] = {3071, 3072, 3073, 3080, 4096, 6143, 6144, 6151, 9216, 9999};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        tacho_str text = tacho_str_make(bytes + i % 2, lengths[i]);
        assert_int_equal(tacho_crc32c(0, text), by_bits(text));
        tacho_str first = tacho_str_make(text.data, 1000);
        assert_int_equal(tacho_crc32c(tacho_crc32c(0, first), tacho_str_from(text, 1000)),
                         by_bits(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
