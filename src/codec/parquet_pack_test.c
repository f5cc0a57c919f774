/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encodings against bytes worked out by hand from the format's description. Whole files are
 * read by tests/parquet/parquet_read.py.
 */
#include "codec/parquet_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_bytes(tacho_parquet_buffer *found, const void *expected, size_t len)
{
    assert_int_equal(found->len, len);
    assert_memory_equal(found->items, expected, len);
    tacho_parquet_buffer_deinit(found);
}

static void test_bit_widths(void **state)
{
    (void)state;
    assert_int_equal(tacho_parquet_bit_width(0), 0);
    assert_int_equal(tacho_parquet_bit_width(1), 1);
    assert_int_equal(tacho_parquet_bit_width(255), 8);
    assert_int_equal(tacho_parquet_bit_width(UINT64_MAX), 64);
}

static void test_packed_bits(void **state)
{
    (void)state;
    /* The example of the format: 0 to 7 with three bits each. */
    static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const unsigned char expected[] = {0x03, 0x88, 0xc6, 0xfa};
    tacho_parquet_buffer found = {0};
    assert_null(tacho_parquet_pack_runs(values, 8, 3, &found));
    check_bytes(&found, expected, sizeof(expected));
}

static void test_runs(void **state)
{
    (void)state;
    uint32_t values[100];
    for (size_t i = 0; i < 100; i++) {
        values[i] = 300;
    }
    static const unsigned char expected[] = {0xc8, 0x01, 0x2c, 0x01};
    tacho_parquet_buffer found = {0};
    assert_null(tacho_parquet_pack_runs(values, 100, 9, &found));
    check_bytes(&found, expected, sizeof(expected));
}

static void test_deltas(void **state)
{
    (void)state;
    /* The example of the format: 7, 5, 3, 1, 2, 3, 4, 5; least difference -2, two bits each. */
    static const int64_t values[] = {7, 5, 3, 1, 2, 3, 4, 5};
    static const unsigned char expected[] = {0x80, 0x01, 4,    8, 14, 3, 2, 0, 0,
                                             0,    0xc0, 0x3f, 0, 0,  0, 0, 0, 0};
    tacho_parquet_buffer found = {0};
    assert_null(tacho_parquet_pack_deltas(values, 8, &found));
    check_bytes(&found, expected, sizeof(expected));
}

static void test_one_value(void **state)
{
    (void)state;
    static const int64_t value = INT64_MIN;
    tacho_parquet_buffer found = {0};
    assert_null(tacho_parquet_pack_deltas(&value, 1, &found));
    static const unsigned char expected[] = {0x80, 0x01, 4,    1,    0xff, 0xff, 0xff,
                                             0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    check_bytes(&found, expected, sizeof(expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bit_widths), cmocka_unit_test(test_packed_bits),
        cmocka_unit_test(test_runs),       cmocka_unit_test(test_deltas),
        cmocka_unit_test(test_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
