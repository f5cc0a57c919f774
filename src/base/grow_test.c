/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays grow by doubling and keep their contents; a size that overflows fails like a lack of
 * memory, and never gives a small array.
 */
#include "base/grow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_growing(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_null(tacho_grow(&items, &capacity, (size_t)i + 1));
        items[i] = i;
    }
    assert_true(capacity >= 1000 && capacity < 4000);
    tacho_grow_trim(&items, &capacity, 1000);
    assert_int_equal(capacity, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i);
    }
    uint32_t *before = items;
    tacho_status status = tacho_grow(&items, &capacity, SIZE_MAX / 2);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
    tacho_status_free(status);
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, 1000);
    free(items);
}

/* All zeros, and one more than asked for. */
static void test_items(void **state)
{
    (void)state;
    uint64_t *items = NULL;
    for (size_t count = 0; count < 5; count++) {
        assert_null(tacho_items_make(&items, count));
        assert_non_null(items);
        for (size_t i = 0; i <= count; i++) {
            assert_int_equal(items[i], 0);
        }
        free(items);
    }
}

static void test_items_that_cannot_be_counted(void **state)
{
    (void)state;
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 8, SIZE_MAX / 8 + 1};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        uint64_t other = 0;
        uint64_t *items = &other;
        assert_null(tacho_items_alloc(counts[i], sizeof(*items)));
        tacho_status status = tacho_items_make(&items, counts[i]);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
        assert_null(items); /* nothing to be freed twice */
        tacho_status_free(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_items_that_cannot_be_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
