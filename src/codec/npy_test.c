/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as NumPy writes them, byte by byte; both byte orders and orders of dimensions; damage.
 */
#include "codec/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"

/* A file of version 1 with |header| and |data|. */
static tacho_str make_file(const char *header, tacho_str data, char *room)
{
    size_t len = strlen(header);
    memcpy(room, "\x93NUMPY\x01\x00", 8);
    room[8] = (char)len;
    room[9] = (char)(len >> 8);
    memcpy(room + 10, header, len);
    memcpy(room + 10 + len, data.data, data.len);
    return tacho_str_make(room, 10 + len + data.len);
}

static void test_plain(void **state)
{
    (void)state;
    char room[512];
    const int16_t values[6] = {1, -2, 300, 4, 5, -32768};
    tacho_str file = make_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }   \n",
                               tacho_str_make((const char *)values, sizeof(values)), room);
    tacho_npy npy;
    assert_null(tacho_npy_parse("x.npy", file, &npy));
    assert_int_equal(npy.dtype, TACHO_DTYPE_I16);
    assert_int_equal(npy.shape.rank, 2);
    assert_int_equal(npy.shape.dims[0], 2);
    assert_int_equal(npy.shape.dims[1], 3);
    int16_t read[6];
    tacho_npy_copy(&npy, read);
    assert_memory_equal(read, values, sizeof(values));
}

/* The first dimension varies fastest, and the bytes of each element are swapped. */
static void test_fortran_and_big_endian(void **state)
{
    (void)state;
    char room[512];
    const unsigned char bytes[12] = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};
    tacho_str file = make_file("{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \">u2\"}",
                               tacho_str_make((const char *)bytes, sizeof(bytes)), room);
    tacho_npy npy;
    assert_null(tacho_npy_parse("x.npy", file, &npy));
    uint16_t read[6];
    tacho_npy_copy(&npy, read);
    for (uint16_t i = 0; i < 6; i++) {
        assert_int_equal(read[i], i + 1);
    }
}

static void test_ranks(void **state)
{
    (void)state;
    char room[512];
    const struct {
        const char *shape;
        int rank;
        size_t bytes;
    } cases[] = {
        {"()", 0, 1},          {"(4,)", 1, 4},   {"(4)", 1, 4},
        {"(1, 2, 1, )", 3, 2}, {"(0, 5)", 2, 0}, {"(3L, 2L)", 2, 6},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char header[128];
        snprintf(header, sizeof(header), "{'descr': '|u1', 'fortran_order': False, 'shape': %s}",
                 cases[i].shape);
        tacho_npy npy;
        tacho_str file = make_file(header, tacho_str_make("\1\2\3\4\5\6", cases[i].bytes), room);
        assert_null(tacho_npy_parse("x.npy", file, &npy));
        assert_int_equal(npy.shape.rank, cases[i].rank);
        assert_int_equal(npy.data.len, cases[i].bytes);
    }
}

static void expect_failure(tacho_str file, tacho_code code, const char *part)
{
    tacho_npy npy;
    tacho_status status = tacho_npy_parse("x.npy", file, &npy);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), code);
    if (strstr(tacho_status_message(status), part) == NULL) {
        fail_msg("'%s' does not hold '%s'", tacho_status_message(status), part);
    }
    tacho_status_free(status);
}

static void test_bad(void **state)
{
    (void)state;
    char room[512];
#define HEADER(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"
    const struct {
        const char *header;
        tacho_code code;
        const char *part;
    } cases[] = {
        {HEADER("'<f4'", "(2,)"), TACHO_CODE_BAD_DATA, "take 8 bytes, but 4 follow"},
        {HEADER("'<f4'", "(9223372036854775807, 9)"), TACHO_CODE_BAD_DATA, "too large"},
        {HEADER("'<f4'", "(99999999999999999999,)"), TACHO_CODE_BAD_DATA, "not a list"},
        {HEADER("'<f4'", "(-1,)"), TACHO_CODE_BAD_DATA, "not a list"},
        {HEADER("'<f4'", "(1,1,1,1,1,1,1,1,1)"), TACHO_CODE_LIMIT, "more than 8"},
        {HEADER("'|O'", "(1,)"), TACHO_CODE_UNSUPPORTED, "type '|O'"},
        {HEADER("''", "(1,)"), TACHO_CODE_UNSUPPORTED, "type ''"},
        {HEADER("[('a', '<f4')]", "(1,)"), TACHO_CODE_UNSUPPORTED, "structured element types"},
        {"{'descr': '<f4', 'shape': (1,)}", TACHO_CODE_BAD_DATA, "no 'fortran_order'"},
        {"{'descr': '<f4', 'fortran_order': False}", TACHO_CODE_BAD_DATA, "no 'shape'"},
        {"{'fortran_order': False, 'shape': (1,)}", TACHO_CODE_BAD_DATA, "no 'descr'"},
        {"{'descr': '<f4', 'fortran_order': Maybe}", TACHO_CODE_BAD_DATA, "'fortran_order' is"},
        {"{'more': 1}", TACHO_CODE_BAD_DATA, "'more' is not"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", TACHO_CODE_BAD_DATA, "whole"},
        {"", TACHO_CODE_BAD_DATA, "whole"},
    };
#undef HEADER
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_failure(make_file(cases[i].header, TACHO_STR("abcd"), room), cases[i].code,
                       cases[i].part);
    }
    expect_failure(TACHO_STR("\x93NUMPX\x01"), TACHO_CODE_BAD_DATA, "not a .npy file");
    expect_failure(TACHO_STR("\x93NUMPY"), TACHO_CODE_BAD_DATA, "cut within");
    expect_failure(TACHO_STR("\x93NUMPY\x04\0\0\0\0\0"), TACHO_CODE_UNSUPPORTED, "version 4");
    expect_failure(TACHO_STR("\x93NUMPY\x02\0\xff\xff\xff\xff{}"), TACHO_CODE_BAD_DATA,
                   "4294967295 bytes, but only 2 follow");
}

/* The output of numpy.save for numpy.float32([[1, 2], [3, 4]]), and the array read back. */
static void test_written(void **state)
{
    (void)state;
    float values[4] = {1, 2, 3, 4};
    tacho_array array = {TACHO_DTYPE_F32, {.rank = 2, .dims = {2, 2}}, values};
    tacho_output output;
    char bytes[512];
    open_test_output(&output);
    assert_null(tacho_npy_write(&array, &output));
    size_t len = read_test_output(&output, bytes, sizeof(bytes));
    assert_int_equal(len, 128 + 16);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', ", 27);
    assert_int_equal(bytes[127], '\n');
    tacho_npy npy;
    assert_null(tacho_npy_parse("x.npy", tacho_str_make(bytes, len), &npy));
    assert_true(tacho_shape_equal(&npy.shape, &array.shape));
    assert_int_equal(npy.dtype, TACHO_DTYPE_F32);
    assert_memory_equal(npy.data.data, values, sizeof(values));
}

static void test_written_types(void **state)
{
    (void)state;
    const struct {
        tacho_dtype dtype;
        const char *descr;
    } cases[] = {
        {TACHO_DTYPE_I8, "'|i1'"},   {TACHO_DTYPE_BOOL, "'|b1'"}, {TACHO_DTYPE_F16, "'<f2'"},
        {TACHO_DTYPE_BF16, "'<V2'"}, {TACHO_DTYPE_I64, "'<i8'"},  {TACHO_DTYPE_F64, "'<f8'"},
    };
    char data[8] = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_array array = {cases[i].dtype, {.rank = 0}, data};
        tacho_output output;
        char bytes[512] = {0};
        open_test_output(&output);
        assert_null(tacho_npy_write(&array, &output));
        size_t len = read_test_output(&output, bytes, sizeof(bytes) - 1);
        assert_non_null(strstr(bytes + 10, cases[i].descr));
        tacho_npy npy;
        assert_null(tacho_npy_parse("x.npy", tacho_str_make(bytes, len), &npy));
        assert_int_equal(npy.dtype, cases[i].dtype);
    }
    tacho_array odd = {TACHO_DTYPE_I4, {.rank = 0}, data};
    tacho_output output;
    open_test_output(&output);
    tacho_status status = tacho_npy_write(&odd, &output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_UNSUPPORTED);
    tacho_status_free(status);
    tacho_output_close(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),   cmocka_unit_test(test_fortran_and_big_endian),
        cmocka_unit_test(test_ranks),   cmocka_unit_test(test_bad),
        cmocka_unit_test(test_written), cmocka_unit_test(test_written_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
