/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of LZ4 blocks, there and back.
 */
#include "codec/lz4_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BLOCK = 64 << 10, ROUNDS = 40 };

/* Text that repeats much earlier text, so that blocks refer to earlier ones. */
static size_t fill(char *room, unsigned round)
{
    size_t len = round % 3 == 0 ? BLOCK : 1000 + round * 777;
    for (size_t i = 0; i < len; i++) {
        room[i] = (char)('a' + (i * 7 + round % 5 + i / 997) % 23);
    }
    return len;
}

static void test_round_trip(void **state)
{
    tacho_lz4_encoder encoder;
    tacho_lz4_chain chain;
    char *packed = malloc(tacho_lz4_bound(BLOCK));
    char *copy = malloc(BLOCK);
    size_t plain_len = 0;
    size_t packed_len = 0;
    (void)state;
    assert_null(tacho_lz4_encoder_init(&encoder, BLOCK));
    assert_null(tacho_lz4_chain_init(&chain, BLOCK));
    for (unsigned round = 0; round < ROUNDS; round++) {
        tacho_str bytes;
        size_t len = fill(tacho_lz4_encoder_room(&encoder), round);
        memcpy(copy, tacho_lz4_encoder_room(&encoder), len);
        size_t made = tacho_lz4_encoder_encode(&encoder, len, packed);
        assert_true(made > 0);
        assert_true(tacho_lz4_chain_decode(&chain, tacho_str_make(packed, made), &bytes));
        assert_int_equal(bytes.len, len);
        assert_memory_equal(bytes.data, copy, len);
        plain_len += len;
        packed_len += made;
    }
    assert_true(packed_len < plain_len / 20); /* they do refer to one another */
    tacho_lz4_encoder_deinit(&encoder);
    tacho_lz4_chain_deinit(&chain);
    free(packed);
    free(copy);
}

static void test_bad_blocks(void **state)
{
    static const char beyond[] = {0x1f, 'a', 0x05, 0x00, 0x00}; /* refers to before the start */
    tacho_lz4_chain chain;
    tacho_str bytes;
    (void)state;
    assert_null(tacho_lz4_chain_init(&chain, BLOCK));
    assert_false(tacho_lz4_chain_decode(&chain, TACHO_STR(""), &bytes));
    assert_false(tacho_lz4_chain_decode(&chain, tacho_str_make(beyond, sizeof(beyond)), &bytes));
    tacho_lz4_chain_deinit(&chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
