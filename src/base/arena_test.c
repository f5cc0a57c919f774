/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces are filled with a pattern of their own and looked at again at the end: a piece that
 * moved, overlapped another or was not zeroed shows up.
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PIECE_COUNT = 4000, BIG_BYTES = 3 << 20 };

static unsigned char *alloc(tacho_arena *arena, size_t size)
{
    void *memory = NULL;
    assert_null(tacho_arena_alloc(arena, size, &memory));
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
    return memory;
}

static void check_filled(const unsigned char *bytes, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value) {
            fail_msg("byte %zu of %zu is %u, not %u", i, size, bytes[i], value);
        }
    }
}

static size_t piece_size(size_t i)
{
    return i * 7 % 1021; /* 0 and odd sizes among them */
}

static void test_pieces_are_apart(void **state)
{
    (void)state;
    static unsigned char *pieces[PIECE_COUNT];
    tacho_arena arena;
    tacho_arena_init(&arena);
    size_t total = 0;
    for (size_t i = 0; i < PIECE_COUNT; i++) {
        size_t size = piece_size(i);
        pieces[i] = alloc(&arena, size);
        check_filled(pieces[i], size, 0);
        memset(pieces[i], (int)(i % 255 + 1), size);
        total += size;
    }
    assert_int_equal(arena.used_bytes, total);
    for (size_t i = 0; i < PIECE_COUNT; i++) {
        check_filled(pieces[i], piece_size(i), (unsigned char)(i % 255 + 1));
    }
    tacho_arena_deinit(&arena);
}

/* A piece larger than any block, between two small ones, and one more after it. */
static void test_big_piece(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    unsigned char *before = alloc(&arena, 5);
    memset(before, 1, 5);
    unsigned char *big = alloc(&arena, BIG_BYTES);
    check_filled(big, BIG_BYTES, 0);
    memset(big, 2, BIG_BYTES);
    unsigned char *after = alloc(&arena, 5);
    memset(after, 3, 5);
    check_filled(before, 5, 1);
    check_filled(big, BIG_BYTES, 2);
    check_filled(after, 5, 3);
    tacho_arena_deinit(&arena);
}

static void test_nothing_asked(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    alloc(&arena, 0);
    assert_int_equal(arena.used_bytes, 0);
    alloc(&arena, 4096); /* fills the first block to its last byte */
    alloc(&arena, 0);
    assert_int_equal(arena.used_bytes, 4096);
    tacho_arena_deinit(&arena);
}

static void test_absurd_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1};
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        void *memory = NULL;
        tacho_status status = tacho_arena_alloc(&arena, sizes[i], &memory);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
        assert_null(memory);
        tacho_status_free(status);
    }
    assert_int_equal(arena.used_bytes, 0);
    alloc(&arena, 16); /* still of use */
    tacho_arena_deinit(&arena);
}

static void test_copy(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    char source[] = "conv\0 2d";
    tacho_str copy = {0};
    assert_null(tacho_arena_copy(&arena, tacho_str_make(source, 8), &copy));
    memset(source, 'x', sizeof(source));
    assert_int_equal(copy.len, 8);
    assert_memory_equal(copy.data, "conv\0 2d", 9); /* and the NUL after it */

    /* Part of a longer text: the NUL is the arena's, not the source's. */
    assert_null(tacho_arena_copy(&arena, tacho_str_make("abcdef", 3), &copy));
    assert_int_equal(copy.len, 3);
    assert_string_equal(copy.data, "abc");

    /* A text that fills its piece keeps its NUL when another piece follows. */
    for (size_t len = 1; len <= 64; len++) {
        assert_null(tacho_arena_copy(
            &arena,
            tacho_str_make("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", len),
            &copy));
        memset(alloc(&arena, 16), 'x', 16);
        assert_int_equal(strlen(copy.data), len);
    }

    tacho_str nothing = {NULL, 0};
    assert_null(tacho_arena_copy(&arena, nothing, &copy));
    assert_int_equal(copy.len, 0);
    assert_string_equal(copy.data, "");
    tacho_arena_deinit(&arena);
}

static void test_deinit_empties(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_arena_deinit(&arena);
    alloc(&arena, 100);
    tacho_arena_deinit(&arena);
    assert_null(arena.blocks);
    assert_int_equal(arena.used_bytes, 0);
    tacho_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_apart),
        cmocka_unit_test(test_big_piece),
        cmocka_unit_test(test_nothing_asked),
        cmocka_unit_test(test_absurd_size),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_deinit_empties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
