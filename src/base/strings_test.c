/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The string table and the hash index under it. Hashes are seeded per process, so strings that
 * collide are searched for, and the index is also driven with hashes of our choice.
 */
#include "base/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 100000, COLLIDING_TRIES = 1 << 19, NAME_BYTES = 64 };

/* Names of many lengths, each different. */
static tacho_str make_name(size_t i, char *buffer)
{
    static const char padding[] = "/model/layers/attention/matmul";
    int len = snprintf(buffer, NAME_BYTES, "%zu%.*s", i, (int)(i % sizeof(padding)), padding);
    return tacho_str_make(buffer, (size_t)len);
}

static uint32_t ensure(tacho_strings *strings, tacho_str text)
{
    uint32_t id = TACHO_NONE;
    assert_null(tacho_strings_ensure(strings, text, &id));
    return id;
}

static void test_empty_string_is_zero(void **state)
{
    (void)state;
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    tacho_str nothing = {NULL, 0};
    assert_int_equal(strings.item_count, 1);
    assert_int_equal(tacho_strings_find(&strings, TACHO_STR("")), 0);
    assert_int_equal(tacho_strings_find(&strings, nothing), 0);
    assert_int_equal(ensure(&strings, nothing), 0);
    assert_int_equal(tacho_strings_get(&strings, 0).len, 0);
    assert_string_equal(tacho_strings_get(&strings, 0).data, "");
    tacho_strings_deinit(&strings);
}

static void test_ids_in_order_of_appearance(void **state)
{
    (void)state;
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    assert_int_equal(tacho_strings_find(&strings, TACHO_STR("conv")), TACHO_NONE);
    assert_int_equal(ensure(&strings, TACHO_STR("conv")), 1);
    assert_int_equal(ensure(&strings, TACHO_STR("add")), 2);
    assert_int_equal(ensure(&strings, TACHO_STR("conv")), 1);
    /* Bytes count, not C strings; and a view is not its buffer. */
    assert_int_equal(ensure(&strings, TACHO_STR("conv\0")), 3);
    assert_int_equal(ensure(&strings, TACHO_STR("conv\0x")), 4);
    assert_int_equal(ensure(&strings, tacho_str_make("convx", 4)), 1);
    assert_int_equal(tacho_strings_find(&strings, TACHO_STR("con")), TACHO_NONE);
    assert_int_equal(strings.item_count, 5);
    tacho_strings_deinit(&strings);
}

static void test_text_is_copied(void **state)
{
    (void)state;
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    char buffer[] = "conv";
    uint32_t id = ensure(&strings, tacho_str_make(buffer, 4));
    memcpy(buffer, "xxxx", 4);
    assert_string_equal(tacho_strings_get(&strings, id).data, "conv");
    assert_int_equal(tacho_strings_find(&strings, TACHO_STR("conv")), id);
    assert_int_equal(tacho_strings_find(&strings, TACHO_STR("xxxx")), TACHO_NONE);
    tacho_strings_deinit(&strings);
}

static void test_many(void **state)
{
    (void)state;
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    char buffer[NAME_BYTES];
    assert_int_equal(ensure(&strings, make_name(0, buffer)), 1);
    const char *first_data = tacho_strings_get(&strings, 1).data;
    for (size_t i = 1; i < MANY; i++) {
        if (ensure(&strings, make_name(i, buffer)) != i + 1) {
            fail_msg("string %zu has another id", i);
        }
    }
    /* Views stay where they are however the table grows. */
    assert_ptr_equal(tacho_strings_get(&strings, 1).data, first_data);
    for (size_t i = MANY; i-- > 0;) {
        tacho_str name = make_name(i, buffer);
        tacho_str kept = tacho_strings_get(&strings, (uint32_t)i + 1);
        if (tacho_strings_find(&strings, name) != i + 1 || !tacho_str_equal(kept, name) ||
            kept.data[kept.len] != '\0') {
            fail_msg("string %zu is lost", i);
        }
    }
    assert_int_equal(tacho_strings_find(&strings, make_name(MANY, buffer)), TACHO_NONE);
    assert_int_equal(strings.item_count, MANY + 1);
    tacho_strings_deinit(&strings);
}

/* Two tables that see the same strings give the same ids. */
static void test_ids_repeat(void **state)
{
    (void)state;
    tacho_strings one;
    tacho_strings two;
    assert_null(tacho_strings_init(&one));
    assert_null(tacho_strings_init(&two));
    two.index.seed = ~one.index.seed; /* files its strings elsewhere */
    char buffer[NAME_BYTES];
    for (size_t i = 0; i < 1000; i++) {
        tacho_str name = make_name(i * i % 300, buffer);
        assert_int_equal(ensure(&one, name), ensure(&two, name));
    }
    tacho_strings_deinit(&one);
    tacho_strings_deinit(&two);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t left = 0;
    uint64_t right = 0;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

/* Two numbers whose names have the same hash: of 2^19 names, some thirty pairs do. */
static void find_collision(const tacho_index *index, size_t *out_one, size_t *out_two)
{
    uint64_t *hashes = malloc(COLLIDING_TRIES * sizeof(*hashes));
    assert_non_null(hashes);
    char buffer[NAME_BYTES];
    for (size_t i = 0; i < COLLIDING_TRIES; i++) {
        hashes[i] = (uint64_t)tacho_index_hash(index, make_name(i, buffer)) << 32 | i;
    }
    qsort(hashes, COLLIDING_TRIES, sizeof(*hashes), compare_u64);
    size_t at = 1;
    while (at < COLLIDING_TRIES && hashes[at] >> 32 != hashes[at - 1] >> 32) {
        at++;
    }
    assert_true(at < COLLIDING_TRIES);
    *out_one = (size_t)(hashes[at - 1] & UINT32_MAX);
    *out_two = (size_t)(hashes[at] & UINT32_MAX);
    free(hashes);
}

static void test_colliding_strings(void **state)
{
    (void)state;
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    size_t one = 0;
    size_t two = 0;
    find_collision(&strings.index, &one, &two);
    char one_buffer[NAME_BYTES];
    char two_buffer[NAME_BYTES];
    tacho_str one_name = make_name(one, one_buffer);
    tacho_str two_name = make_name(two, two_buffer);
    assert_int_equal(tacho_index_hash(&strings.index, one_name),
                     tacho_index_hash(&strings.index, two_name));
    assert_int_equal(ensure(&strings, one_name), 1);
    assert_int_equal(tacho_strings_find(&strings, two_name), TACHO_NONE);
    assert_int_equal(ensure(&strings, two_name), 2);
    assert_int_equal(tacho_strings_find(&strings, one_name), 1);
    assert_int_equal(tacho_strings_find(&strings, two_name), 2);
    tacho_strings_deinit(&strings);
}

/* A packed table still gives strings, finds them and takes more. */
static void test_packed(void **state)
{
    (void)state;
    tacho_strings strings;
    char buffer[NAME_BYTES];
    assert_null(tacho_strings_init(&strings));
    for (uint32_t i = 1; i < 1000; i++) {
        assert_int_equal(ensure(&strings, make_name(i, buffer)), i);
    }
    for (uint32_t i = 1; i < 1000; i += 300) {
        tacho_strings_pack(&strings);
        assert_true(tacho_str_equal(tacho_strings_get(&strings, i), make_name(i, buffer)));
        assert_int_equal(tacho_strings_find(&strings, make_name(i, buffer)), i);
        assert_int_equal(tacho_strings_find(&strings, TACHO_STR("absent")), TACHO_NONE);
        assert_int_equal(ensure(&strings, make_name(i, buffer)), i);
        assert_int_equal(ensure(&strings, make_name(1000, buffer)), 1000);
        assert_int_equal(tacho_strings_find(&strings, make_name(i, buffer)), i);
    }
    tacho_strings_deinit(&strings);
}

/* The length is kept in one byte or in nine. */
static void test_lengths(void **state)
{
    (void)state;
    enum { MOST = 70000 };
    static const size_t lengths[] = {1, 253, 254, 255, 256, 257, 65535, 65536, MOST};
    char *text = malloc(MOST);
    assert_non_null(text);
    memset(text, 'x', MOST);
    tacho_strings strings;
    assert_null(tacho_strings_init(&strings));
    for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        assert_int_equal(ensure(&strings, tacho_str_make(text, lengths[i])), i + 1);
    }
    for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        tacho_str found = tacho_strings_get(&strings, i + 1);
        assert_int_equal(found.len, lengths[i]);
        assert_memory_equal(found.data, text, found.len);
        assert_int_equal(found.data[found.len], '\0');
    }
    tacho_strings_deinit(&strings);
    free(text);
}

/* How many ids are filed under |hash|; each must be id % 3 == |remainder|. */
static size_t count_filed(const tacho_index *index, uint32_t hash, uint32_t remainder)
{
    size_t count = 0;
    size_t at = tacho_index_begin(index, hash);
    for (uint32_t id; (id = tacho_index_next(index, hash, &at)) != TACHO_NONE; count++) {
        assert_int_equal(id % 3, remainder);
    }
    return count;
}

/* Runs of one hash, of its neighbour and of one at the end of the slots, which wraps around. */
static void test_index_shared_hashes(void **state)
{
    (void)state;
    static const uint32_t hashes[3] = {7, 8, UINT32_MAX};
    tacho_index index;
    assert_null(tacho_index_init(&index));
    for (uint32_t id = 0; id < 3000; id++) {
        assert_null(tacho_index_add(&index, hashes[id % 3], id));
        assert_int_equal(index.used_count, id + 1);
        assert_true(index.used_count * 2 <= index.slot_mask + 1);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(count_filed(&index, hashes[i], i), 1000);
    }
    assert_int_equal(count_filed(&index, 9, 0), 0);
    tacho_index_deinit(&index);
}

/* Every byte counts, at every length and place. */
static void test_hash_sees_every_byte(void **state)
{
    (void)state;
    tacho_index index;
    assert_null(tacho_index_init(&index));
    char bytes[40] = {0};
    size_t same = 0;
    for (size_t len = 1; len <= sizeof(bytes); len++) {
        uint32_t plain = tacho_index_hash(&index, tacho_str_make(bytes, len));
        same += plain == tacho_index_hash(&index, tacho_str_make(bytes, len - 1));
        for (size_t i = 0; i < len; i++) {
            bytes[i] = 1;
            same += plain == tacho_index_hash(&index, tacho_str_make(bytes, len));
            bytes[i] = 0;
        }
    }
    assert_true(same < 2); /* one happens by chance in a million runs or so */
    tacho_index_deinit(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_string_is_zero),
        cmocka_unit_test(test_ids_in_order_of_appearance),
        cmocka_unit_test(test_text_is_copied),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_ids_repeat),
        cmocka_unit_test(test_colliding_strings),
        cmocka_unit_test(test_index_shared_hashes),
        cmocka_unit_test(test_hash_sees_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
