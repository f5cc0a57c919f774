/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed rows: every type, the values on either side of what a word holds, and rows that end at
 * the last byte of their memory.
 */
#include "profile/packed_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Packs |row| into memory of exactly its size, compares the unpacked row and returns the size. */
static size_t check_round_trip(const tacho_row *row)
{
    size_t bound = 0;
    assert_null(tacho_packed_row_bound(row, &bound));
    void *memory = malloc(bound);
    assert_non_null(memory);
    size_t size = tacho_packed_row_write(row, memory);
    assert_true(size <= bound && size % 8 == 0);
    tacho_packed_row *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, memory, size);
    free(memory);
    assert_int_equal(exact->size_bytes, size);
    tacho_unpacked_args args = {0};
    tacho_row back;
    assert_null(tacho_packed_row_read(exact, &args, &back));
    assert_int_equal(back.kind, row->kind);
    assert_int_equal(back.track, row->track);
    assert_int_equal(back.start, row->start);
    assert_memory_equal(&back.of, &row->of, sizeof(row->of));
    assert_int_equal(back.arg_count, row->arg_count);
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *want = &row->args[i];
        const tacho_arg *got = &back.args[i];
        assert_int_equal(got->key, want->key);
        assert_int_equal(got->type, want->type);
        assert_int_equal(got->unit, want->unit);
        if (tacho_arg_has_text(want)) {
            assert_true(tacho_str_equal(got->value.as_text, want->value.as_text));
        } else if (want->type == TACHO_ARG_BOOL) {
            assert_int_equal(got->value.as_bool, want->value.as_bool);
        } else if (want->type == TACHO_ARG_STRING) {
            assert_int_equal(got->value.as_string, want->value.as_string);
        } else {
            assert_memory_equal(&got->value, &want->value, sizeof(uint64_t));
        }
    }
    free(args.items);
    free(exact);
    return size;
}

static size_t size_of(const tacho_arg *args, size_t count)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = 7, .start = INT64_MAX - 3, .args = args};
    memset(&row.of, 0xa5, sizeof(row.of));
    row.arg_count = count;
    return check_round_trip(&row) - sizeof(tacho_packed_row);
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        size_t size;
    } cases[] = {
        {0, 8},          {-1, 8},         {1, 8},
        {INT32_MAX, 8},  {INT32_MIN, 8},  {(int64_t)INT32_MAX + 1, 16},
        {INT64_MAX, 16}, {INT64_MIN, 16}, {(int64_t)INT32_MIN - 1, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arg arg = {.key = 0xffffff, .type = TACHO_ARG_INT, .unit = TACHO_UNIT_PERCENT};
        arg.value.as_int = cases[i].value;
        assert_int_equal(size_of(&arg, 1), cases[i].size);
        arg.key = 0x1000000; /* one more than fits beside the value */
        assert_int_equal(size_of(&arg, 1), 16);
        arg.type = TACHO_ARG_UINT;
        size_of(&arg, 1);
    }
}

static void test_other_types(void **state)
{
    (void)state;
    tacho_arg args[6];
    memset(args, 0xff, sizeof(args)); /* bytes that a value does not have are not looked at */
    for (uint32_t i = 0; i < 6; i++) {
        args[i].key = i;
        args[i].unit = TACHO_UNIT_NS;
    }
    args[0].type = TACHO_ARG_ARRAY;
    args[0].value.as_uint = 5;
    args[1].type = TACHO_ARG_BOOL;
    args[1].value.as_bool = true;
    args[2].type = TACHO_ARG_STRING;
    args[2].value.as_string = UINT32_MAX;
    args[3].type = TACHO_ARG_REAL;
    args[3].value.as_real = -0.1;
    args[4].type = TACHO_ARG_DICT;
    args[4].value.as_uint = 1;
    args[5].type = TACHO_ARG_BOOL;
    args[5].value.as_bool = false;
    assert_int_equal(size_of(args, 6), 7 * 8); /* the real is wide */
}

static void test_texts(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789abcdefghij";
    for (size_t len = 0; len <= 20; len++) {
        tacho_arg args[3] = {{.key = 1, .type = TACHO_ARG_TEXT},
                             {.key = UINT32_MAX, .type = TACHO_ARG_JSON},
                             {.key = 3, .type = TACHO_ARG_INT}};
        args[0].value.as_text = tacho_str_make(bytes, len);
        args[1].value.as_text = tacho_str_make(bytes + 20 - len, len);
        args[2].value.as_int = -5;
        assert_int_equal(size_of(args, 3), (4 * 8 + 2 * len + 7) / 8 * 8);
        assert_int_equal(size_of(args, 2), (3 * 8 + 2 * len + 7) / 8 * 8);
    }
    assert_int_equal(size_of(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_other_types),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
