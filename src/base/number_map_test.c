/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of numbers.
 */
#include "base/number_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 4096 };

static uint64_t key_of(unsigned i)
{
    return (uint64_t)i % 251 * UINT64_C(0x100000000) + i / 251;
}

/* Against an array that holds the same. */
static void test_agrees_with_an_array(void **state)
{
    static uint64_t values[KEYS];
    static bool is_there[KEYS];
    tacho_number_map map = {0};
    uint32_t random = 1;
    size_t count = 0;
    (void)state;
    memset(is_there, 0, sizeof(is_there));
    for (unsigned step = 0; step < 200000; step++) {
        random = random * 1664525u + 1013904223u;
        unsigned i = (random >> 8) % KEYS;
        uint64_t *found = tacho_number_map_find(&map, key_of(i));
        assert_true((found != NULL) == is_there[i]);
        if (found != NULL) {
            assert_true(*found == values[i]);
        }
        if ((random >> 4) % 3 == 0) {
            tacho_number_map_remove(&map, key_of(i));
            count -= is_there[i] ? 1 : 0;
            is_there[i] = false;
        } else {
            assert_null(tacho_number_map_set(&map, key_of(i), step));
            count += is_there[i] ? 0 : 1;
            is_there[i] = true;
            values[i] = step;
        }
        assert_int_equal(map.count, count);
    }
    tacho_number_map_clear(&map);
    assert_null(tacho_number_map_find(&map, key_of(1)));
    assert_null(tacho_number_map_set(&map, key_of(1), 5));
    assert_true(*tacho_number_map_find(&map, key_of(1)) == 5);
    tacho_number_map_deinit(&map);
}

static void test_empty(void **state)
{
    tacho_number_map map = {0};
    (void)state;
    assert_null(tacho_number_map_find(&map, 0));
    tacho_number_map_remove(&map, 0);
    tacho_number_map_clear(&map);
    assert_null(tacho_number_map_set(&map, 0, 7));
    assert_true(*tacho_number_map_find(&map, 0) == 7);
    tacho_number_map_deinit(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_an_array),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
