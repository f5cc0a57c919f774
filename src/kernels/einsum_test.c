/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of Einsum: diagonals, ellipses, axes of 1, implied results; and invalid equations.
 */
#include "kernels/kernel_testing.h"

static const F32_type counted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void check_sum(const char *equation, const tacho_array *a, const tacho_array *b,
                      const tacho_array *expected)
{
    tacho_attr attr = {.name = TACHO_STR("equation"),
                       .kind = TACHO_ATTR_TEXT,
                       .value.as_text = tacho_str_from_cstring(equation)};
    check(&(trial){.name = "Einsum", .inputs = {a, b}, .attrs = {attr}}, expected);
}

static void refuse(const char *equation, const tacho_array *a, tacho_shape shape)
{
    tacho_attr attr = {.name = TACHO_STR("equation"),
                       .kind = TACHO_ATTR_TEXT,
                       .value.as_text = tacho_str_from_cstring(equation)};
    check_failure(&(trial){.name = "Einsum", .inputs = {a}, .attrs = {attr}}, TACHO_DTYPE_F32,
                  shape, TACHO_CODE_BAD_DATA);
}

static tacho_array count_up(tacho_shape shape)
{
    return (tacho_array){TACHO_DTYPE_F32, shape, (void *)(uintptr_t)counted};
}

static void test_values(void **state)
{
    (void)state;
    tacho_array a = count_up(SHAPE(2, 3)), b = count_up(SHAPE(3, 2)),
                square = count_up(SHAPE(3, 3));
    check_sum("ij,jk->ik", &a, &b, ARRAY(F32, SHAPE(2, 2), 22, 28, 49, 64));
    check_sum(" i j , j k ", &a, &b, ARRAY(F32, SHAPE(2, 2), 22, 28, 49, 64));
    check_sum("ii->i", &square, NULL, ARRAY(F32, SHAPE(3), 1, 5, 9));
    check_sum("ii", &square, NULL, ARRAY(F32, SCALAR, 15));
    check_sum("bA", &a, NULL, ARRAY(F32, SHAPE(3, 2), 1, 4, 2, 5, 3, 6));
    check_sum("...a->...", &a, NULL, ARRAY(F32, SHAPE(2), 6, 15));
    check_sum("a...->...a", &a, NULL, ARRAY(F32, SHAPE(3, 2), 1, 4, 2, 5, 3, 6));
}

/* numpy.einsum gives the same. */
static void test_axes_of_one(void **state)
{
    (void)state;
    tacho_array a = count_up(SHAPE(2, 1)), b = count_up(SHAPE(3, 2)), one = count_up(SHAPE(1, 1));
    check_sum("ij,jk->ik", &a, &b, ARRAY(F32, SHAPE(2, 2), 9, 12, 18, 24));
    check_sum("ii,i->i", &one, ARRAY(F32, SHAPE(3), 5, 6, 7), ARRAY(F32, SHAPE(3), 5, 6, 7));
    check_sum("...,...->...", &a, ARRAY(F32, SHAPE(2), 3, 5), ARRAY(F32, SHAPE(2, 2), 3, 5, 6, 10));
    check_sum("i,i->", ARRAY(F32, SHAPE(1), 4), ARRAY(F32, SHAPE(0), 0), ARRAY(F32, SCALAR, 0));
}

static void test_refusals(void **state)
{
    (void)state;
    tacho_array a = count_up(SHAPE(2, 3)), tall = count_up(SHAPE(3, 1));
    refuse("a . . . . . . . . . . . .->a", &a, SHAPE(2));
    refuse("......a->a", &a, SHAPE(3));
    refuse("...a...->a", &a, SHAPE(3));
    refuse("..a->a", &a, SHAPE(3));
    refuse("ij->ijj", &a, SHAPE(2, 3, 3));
    refuse("ij->k", &a, SHAPE(2));
    refuse("ij-", &a, SHAPE(2, 3));
    refuse("ijklmnopq->i", &a, SHAPE(2));
    refuse("ij,jk->ik", &a, SHAPE(2, 2));
    refuse("ii->i", &tall, SHAPE(3));
    refuse("ij->i", &a, SHAPE(3)); /* results that do not fit */
    refuse("ij->i", &a, SHAPE(2, 1));
    refuse("ij->", &a, SHAPE(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_axes_of_one),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
