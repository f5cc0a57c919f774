/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of groups by hand, with totals that can be worked out on paper.
 */
#include "questions/groups/group_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static tacho_group_cell *cell_of(tacho_group_tree *tree, uint32_t part, uint32_t node)
{
    const tacho_group_cell key = {.part = part, .node = node};
    uint32_t cell = TACHO_NONE;
    assert_null(tacho_group_tree_cell(tree, &key, &cell));
    return &tree->cells[cell];
}

static uint32_t node_of(tacho_group_tree *tree, uint32_t parent, uint32_t name)
{
    uint32_t node = TACHO_NONE;
    assert_null(tacho_group_tree_ensure(tree, parent, name, &node));
    return node;
}

static void test_totals_hold_what_is_inside(void **state)
{
    tacho_group_tree tree;
    (void)state;
    assert_null(tacho_group_tree_init(&tree));
    uint32_t a = node_of(&tree, 0, 1);
    uint32_t b = node_of(&tree, a, 2);
    uint32_t c = node_of(&tree, b, 1);
    assert_int_equal(node_of(&tree, a, 2), b);
    assert_int_not_equal(a, c);
    cell_of(&tree, 0, c)->device.self_ns = 5;
    cell_of(&tree, 0, 0)->device.self_ns = 100;
    cell_of(&tree, 0, a)->device.self_ns = 7;
    cell_of(&tree, 1, b)->host.self_ns = 3;
    assert_null(tacho_group_tree_sum(&tree));
    assert_true(cell_of(&tree, 0, a)->device.total_ns == 12);
    assert_true(cell_of(&tree, 0, b)->device.total_ns == 5);
    assert_true(cell_of(&tree, 0, b)->device.self_ns == 0);
    assert_true(cell_of(&tree, 0, 0)->device.total_ns == 100);
    assert_true(cell_of(&tree, 1, a)->host.total_ns == 3);
    assert_true(cell_of(&tree, 1, a)->device.total_ns == 0);
    tacho_group_tree_deinit(&tree);
}

static void test_deep_groups_end(void **state)
{
    tacho_group_tree tree;
    uint32_t node = 0;
    (void)state;
    assert_null(tacho_group_tree_init(&tree));
    for (uint32_t i = 1; i <= TACHO_GROUP_DEPTH_MAX; i++) {
        assert_false(tree.is_cut);
        node = node_of(&tree, node, i);
    }
    assert_int_equal(tree.nodes[node].depth, TACHO_GROUP_DEPTH_MAX);
    assert_int_equal(node_of(&tree, node, 9), node);
    assert_true(tree.is_cut);
    tacho_group_tree_deinit(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals_hold_what_is_inside),
        cmocka_unit_test(test_deep_groups_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
