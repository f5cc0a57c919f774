/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equal shapes are stored once, whatever the bytes past their rank; shapes never move.
 */
#include "base/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t ensure(tacho_shapes *shapes, tacho_shape shape)
{
    uint32_t number = TACHO_NONE;
    assert_null(tacho_shapes_ensure(shapes, &shape, &number));
    assert_true(tacho_shape_equal(shapes->items[number], &shape));
    return number;
}

static void test_equal_is_one(void **state)
{
    (void)state;
    tacho_shapes shapes = {0};
    assert_int_equal(ensure(&shapes, (tacho_shape){2, {3, 4}}), 0);
    assert_int_equal(ensure(&shapes, (tacho_shape){2, {4, 3}}), 1);
    assert_int_equal(ensure(&shapes, (tacho_shape){2, {3, 4, 7, 8}}), 0);
    assert_int_equal(ensure(&shapes, (tacho_shape){0, {0}}), 2);
    assert_int_equal(ensure(&shapes, (tacho_shape){TACHO_RANK_UNKNOWN, {0}}), 3);
    assert_int_equal(ensure(&shapes, (tacho_shape){1, {0}}), 4);
    assert_int_equal(ensure(&shapes, (tacho_shape){1, {TACHO_DIM_UNKNOWN}}), 5);
    assert_int_equal(ensure(&shapes, (tacho_shape){0, {9}}), 2);
    assert_int_equal(shapes.item_count, 6);
    assert_int_equal(ensure(&shapes, (tacho_shape){3, {1, 1, 5, 9}}), 6);
    assert_int_equal(shapes.items[6]->dims[3], 0);
    tacho_shapes_deinit(&shapes);
}

static void test_many_stay(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    tacho_shapes shapes = {0};
    assert_int_equal(ensure(&shapes, (tacho_shape){2, {0, 0}}), 0);
    const tacho_shape *first = shapes.items[0];
    for (int64_t i = 1; i < MANY; i++) {
        assert_int_equal(ensure(&shapes, (tacho_shape){2, {i, i % 7}}), i);
    }
    for (int64_t i = 0; i < MANY; i++) {
        assert_int_equal(ensure(&shapes, (tacho_shape){2, {i, i % 7}}), i);
    }
    assert_ptr_equal(shapes.items[0], first);
    assert_int_equal(first->rank, 2);
    tacho_shapes_deinit(&shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_is_one),
        cmocka_unit_test(test_many_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
