/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as bytes, and blobs read back: base64 decoded by hand, gzip by base/input.
 */
#include "sinks/report_blob.h"

#include "base/input.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/output_testing.h"

static void expect_bytes(report_bytes *bytes, const char *expected, size_t len)
{
    assert_int_equal(bytes->item_count, len);
    assert_memory_equal(bytes->items, expected, len);
    report_bytes_deinit(bytes);
}

static void test_numbers(void **state)
{
    (void)state;
    report_bytes bytes = {0};
    assert_null(report_bytes_put_uint(&bytes, 0));
    assert_null(report_bytes_put_uint(&bytes, 127));
    assert_null(report_bytes_put_uint(&bytes, 128));
    assert_null(report_bytes_put_uint(&bytes, UINT64_MAX));
    expect_bytes(&bytes, "\x00\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14);
    assert_null(report_bytes_put_int(&bytes, 0));
    assert_null(report_bytes_put_int(&bytes, -1));
    assert_null(report_bytes_put_int(&bytes, 1));
    assert_null(report_bytes_put_int(&bytes, -64));
    assert_null(report_bytes_put_int(&bytes, INT64_MIN));
    expect_bytes(&bytes, "\x00\x01\x02\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14);
    assert_null(report_bytes_put_real(&bytes, 1.5));
    expect_bytes(&bytes, "\x00\x00\x00\x00\x00\x00\xf8\x3f", 8);
}

static void test_strings_are_clean(void **state)
{
    (void)state;
    report_bytes bytes = {0};
    assert_null(report_bytes_put_string(&bytes, TACHO_STR("")));
    assert_null(report_bytes_put_string(&bytes, TACHO_STR("a<b")));
    assert_null(report_bytes_put_string(&bytes, TACHO_STR("x\xff")));
    expect_bytes(&bytes,
                 "\x00\x03"
                 "a<b\x04"
                 "x\xef\xbf\xbd",
                 10);
}

static unsigned letter_value(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(letters, letter);
    assert_true(letter != '\0' && found != NULL);
    return (unsigned)(found - letters);
}

static size_t undo_base64(const char *text, size_t len, unsigned char *out)
{
    assert_int_equal(len % 4, 0);
    size_t count = 0;
    unsigned bits = 0;
    unsigned bit_count = 0;
    for (size_t i = 0; i < len && text[i] != '='; i++) {
        bits = bits << 6 | letter_value(text[i]);
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            out[count++] = (unsigned char)(bits >> bit_count);
            bits &= (1U << bit_count) - 1;
        }
    }
    assert_int_equal(bits, 0);
    return count;
}

/* Blobs of many lengths, so that each of the three endings of base64 occurs. */
static void test_blobs_come_back(void **state)
{
    (void)state;
    static char text[8192];
    static unsigned char packed[8192];
    for (unsigned len = 0; len < 40; len++) {
        report_bytes bytes = {0};
        for (unsigned i = 0; i < len; i++) {
            assert_null(report_bytes_put_uint(&bytes, (i * 7 + len) % 128));
        }
        tacho_output output;
        open_test_output(&output);
        report_blob blob;
        assert_null(report_blob_begin(&blob, &output));
        assert_null(report_blob_write(&blob, &bytes));
        assert_null(report_blob_end(&blob));
        report_blob_deinit(&blob);
        size_t packed_len =
            undo_base64(text, read_test_output(&output, text, sizeof(text)), packed);
        tacho_input input;
        tacho_str all = tacho_str_make((const char *)packed, packed_len);
        assert_null(tacho_input_open_bytes("blob", all, &input));
        tacho_str got;
        assert_null(tacho_input_peek(&input, 1000, &got));
        assert_null(tacho_input_damage(&input));
        assert_int_equal(got.len, len);
        assert_true(len == 0 || memcmp(got.data, bytes.items, len) == 0);
        tacho_input_close(&input);
        report_bytes_deinit(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings_are_clean),
        cmocka_unit_test(test_blobs_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
