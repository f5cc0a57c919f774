/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected bytes are written out from the wire format's own definition, so that writer and reader
 * cannot agree on a mistake.
 */
#include "codec/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void check_bytes(const unsigned char *start, const unsigned char *end, tacho_str expected)
{
    assert_int_equal(end - start, expected.len);
    assert_memory_equal(start, expected.data, expected.len);
}

static void test_put_varint(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        tacho_str bytes;
    } cases[] = {
        {0, TACHO_STR_INIT("\x00")},
        {1, TACHO_STR_INIT("\x01")},
        {0x7f, TACHO_STR_INIT("\x7f")},
        {0x80, TACHO_STR_INIT("\x80\x01")},
        {300, TACHO_STR_INIT("\xac\x02")},
        {0x3fff, TACHO_STR_INIT("\xff\x7f")},
        {0x4000, TACHO_STR_INIT("\x80\x80\x01")},
        {0x1fffff, TACHO_STR_INIT("\xff\xff\x7f")},
        {0x200000, TACHO_STR_INIT("\x80\x80\x80\x01")},
        {0xfffffff, TACHO_STR_INIT("\xff\xff\xff\x7f")},
        {0x10000000, TACHO_STR_INIT("\x80\x80\x80\x80\x01")},
        {UINT32_MAX, TACHO_STR_INIT("\xff\xff\xff\xff\x0f")},
        {UINT64_MAX, TACHO_STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned char buffer[TACHO_PB_VARINT_MAX];
        check_bytes(buffer, tacho_pb_put_varint(buffer, cases[i].value), cases[i].bytes);
        check_bytes(buffer, tacho_pb_put_varied(buffer, cases[i].value), cases[i].bytes);
    }
}

/* Of every length, at its ends and inside, in both ways. */
static void test_put_varied(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++) {
        for (uint64_t i = 0; i < 8; i++) {
            uint64_t value = ((uint64_t)1 << bits) - 4 + i * (1 + bits / 8);
            unsigned char plain[TACHO_PB_VARINT_MAX];
            unsigned char varied[TACHO_PB_VARINT_MAX];
            const unsigned char *end = tacho_pb_put_varint(plain, value);
            check_bytes(varied, tacho_pb_put_varied(varied, value),
                        tacho_str_make((const char *)plain, (size_t)(end - plain)));
        }
    }
}

static void test_put_fields(void **state)
{
    (void)state;
    unsigned char buffer[128];
    unsigned char *at = buffer;
    at = tacho_pb_put_uint(at, 1, 150);
    at = tacho_pb_put_uint(at, 16, 0);
    at = tacho_pb_put_fixed64(at, 2, 0x0807060504030201u);
    at = tacho_pb_put_double(at, 3, -2.0);
    at = tacho_pb_put_bytes(at, 4, TACHO_STR("hi"));
    at = tacho_pb_put_bytes(at, 5, tacho_str_make(NULL, 0));
    at = tacho_pb_put_uint(at, TACHO_PB_FIELD_NUMBER_MAX, 1);
    check_bytes(buffer, at,
                TACHO_STR("\x08\x96\x01"
                          "\x80\x01\x00"
                          "\x11\x01\x02\x03\x04\x05\x06\x07\x08"
                          "\x19\x00\x00\x00\x00\x00\x00\x00\xc0"
                          "\x22\x02hi"
                          "\x2a\x00"
                          "\xf8\xff\xff\xff\x0f\x01"));
}

static void test_nested(void **state)
{
    (void)state;
    unsigned char buffer[64];
    unsigned char *outer = tacho_pb_open(buffer, 1);
    unsigned char *inner = tacho_pb_open(outer, 2);
    unsigned char *at = tacho_pb_close(inner, tacho_pb_put_uint(inner, 3, 7));
    unsigned char *empty = tacho_pb_open(at, 4);
    at = tacho_pb_close(empty, empty);
    at = tacho_pb_close(outer, at);
    check_bytes(buffer, at, TACHO_STR("\x0a\x06\x12\x02\x18\x07\x22\x00"));
}

/* Reads the one field of [start, end), which is a message, and returns its body. */
static tacho_str only_body(const unsigned char *start, const unsigned char *end)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, tacho_str_make((const char *)start, (size_t)(end - start)));
    tacho_pb_field field;
    bool got = false;
    assert_null(tacho_pb_next(&reader, &field, &got));
    assert_true(got);
    assert_int_equal(field.wire, TACHO_PB_WIRE_BYTES);
    assert_ptr_equal(reader.at, reader.end);
    return field.bytes;
}

/* Bodies around every length at which the length field grows, in two levels. */
static void test_nested_growth(void **state)
{
    (void)state;
    static const size_t lengths[] = {0,     1,     125,   126,   127,     128,     129,
                                     16381, 16382, 16383, 16384, 2097149, 2097151, 2097152};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        size_t len = lengths[i];
        size_t room = len + 2 * (TACHO_PB_OPEN_MAX + TACHO_PB_CLOSE_MAX);
        unsigned char *buffer = malloc(room);
        assert_non_null(buffer);
        unsigned char *outer = tacho_pb_open(buffer, 1);
        unsigned char *inner = tacho_pb_open(outer, 1000);
        for (size_t k = 0; k < len; k++) {
            inner[k] = (unsigned char)(k * 31);
        }
        unsigned char *end = tacho_pb_close(outer, tacho_pb_close(inner, inner + len));
        tacho_str outer_body = only_body(buffer, end);
        const unsigned char *outer_start = (const unsigned char *)outer_body.data;
        tacho_str inner_body = only_body(outer_start, outer_start + outer_body.len);
        assert_int_equal(inner_body.len, len);
        for (size_t k = 0; k < len; k++) {
            assert_true((unsigned char)inner_body.data[k] == (unsigned char)(k * 31));
        }
        free(buffer);
    }
}

static void test_read_fields(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        uint8_t wire;
        uint64_t value;
        tacho_str bytes;
    } expected[] = {
        {1, 0, 150, TACHO_STR_INIT("")},        {2, 1, 0x0807060504030201u, TACHO_STR_INIT("")},
        {3, 2, 0, TACHO_STR_INIT("hi")},        {4, 5, 0xfcfdfeffu, TACHO_STR_INIT("")},
        {5, 0, UINT64_MAX, TACHO_STR_INIT("")}, {6, 2, 0, TACHO_STR_INIT("")},
        {1, 0, 1, TACHO_STR_INIT("")}, /* an overlong but bounded varint */
    };
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, TACHO_STR("\x08\x96\x01"
                                            "\x11\x01\x02\x03\x04\x05\x06\x07\x08"
                                            "\x1a\x02hi"
                                            "\x25\xff\xfe\xfd\xfc"
                                            "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                            "\x32\x00"
                                            "\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00"));
    tacho_pb_field field;
    bool got = false;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_null(tacho_pb_next(&reader, &field, &got));
        assert_true(got);
        assert_int_equal(field.number, expected[i].number);
        assert_int_equal(field.wire, expected[i].wire);
        assert_true(field.value == expected[i].value);
        assert_true(tacho_str_equal(field.bytes, expected[i].bytes));
    }
    assert_null(tacho_pb_next(&reader, &field, &got));
    assert_false(got);
}

static void test_read_nothing(void **state)
{
    (void)state;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, tacho_str_make(NULL, 0));
    tacho_pb_field field;
    bool got = true;
    assert_null(tacho_pb_next(&reader, &field, &got));
    assert_false(got);
}

/* Every case has one sound field of two bytes before the bad one. */
static void test_read_refuses(void **state)
{
    (void)state;
    static const struct {
        tacho_str message;
        const char *problem;
    } cases[] = {
        {TACHO_STR_INIT("\x08\x01\x80"), "protobuf, byte 2: the message ends inside a varint"},
        {TACHO_STR_INIT("\x08\x01\x08"), "protobuf, byte 3: the message ends inside a varint"},
        {TACHO_STR_INIT("\x08\x01\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
         "protobuf, byte 3: a varint does not fit 64 bits"},
        {TACHO_STR_INIT("\x08\x01\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"),
         "protobuf, byte 3: a varint does not fit 64 bits"},
        {TACHO_STR_INIT("\x08\x01\x09\x01\x02\x03\x04\x05\x06\x07"),
         "protobuf, byte 3: the message ends inside a fixed-size value"},
        {TACHO_STR_INIT("\x08\x01\x0d\x01\x02\x03"),
         "protobuf, byte 3: the message ends inside a fixed-size value"},
        {TACHO_STR_INIT("\x08\x01\x0a\x03hi"),
         "protobuf, byte 3: a length of 3 exceeds the 2 bytes left"},
        {TACHO_STR_INIT("\x08\x01\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
         "protobuf, byte 3: a length of 18446744073709551615 exceeds the 0 bytes left"},
        {TACHO_STR_INIT("\x08\x01\x00\x01"), "protobuf, byte 2: 0 is not a valid field number"},
        {TACHO_STR_INIT("\x08\x01\x80\x80\x80\x80\x10\x01"),
         "protobuf, byte 2: 536870912 is not a valid field number"},
        {TACHO_STR_INIT("\x08\x01\x0b"),
         "protobuf, byte 3: field 1 has wire type 3, which is not supported"},
        {TACHO_STR_INIT("\x08\x01\x0c"),
         "protobuf, byte 3: field 1 has wire type 4, which is not supported"},
        {TACHO_STR_INIT("\x08\x01\x0e"),
         "protobuf, byte 3: field 1 has wire type 6, which is not supported"},
        {TACHO_STR_INIT("\x08\x01\x0f"),
         "protobuf, byte 3: field 1 has wire type 7, which is not supported"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_pb_reader reader;
        tacho_pb_reader_init(&reader, cases[i].message);
        tacho_pb_field field;
        bool got = false;
        assert_null(tacho_pb_next(&reader, &field, &got));
        assert_true(got);
        tacho_status status = tacho_pb_next(&reader, &field, &got);
        assert_string_equal(tacho_status_message(status), cases[i].problem);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_false(got);
        assert_int_equal(reader.at - reader.start, 2);
        tacho_status_free(status);
    }
}

static void test_read_packed(void **state)
{
    (void)state;
    tacho_pb_reader reader;
    uint64_t value = 0;
    tacho_pb_reader_init(&reader, TACHO_STR("\x01\xac\x02\x80"));
    assert_null(tacho_pb_read_varint(&reader, &value));
    assert_int_equal(value, 1);
    assert_null(tacho_pb_read_varint(&reader, &value));
    assert_int_equal(value, 300);
    tacho_status status = tacho_pb_read_varint(&reader, &value);
    assert_string_equal(tacho_status_message(status),
                        "protobuf, byte 3: the message ends inside a varint");
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_varint),    cmocka_unit_test(test_put_varied),
        cmocka_unit_test(test_put_fields),    cmocka_unit_test(test_nested),
        cmocka_unit_test(test_nested_growth), cmocka_unit_test(test_read_fields),
        cmocka_unit_test(test_read_nothing),  cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_read_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
