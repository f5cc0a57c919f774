/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of groups by name, and the time of each group in each part and origin. Node 0 is the root:
 * everything outside of groups.
 */
#ifndef TACHO_QUESTIONS_GROUPS_GROUP_TREE_H
#define TACHO_QUESTIONS_GROUPS_GROUP_TREE_H

#include "base/index.h"
#include "base/maths.h"
#include "base/status.h"
#include "profile/vocabulary.h"

/* Beyond these numbers of levels and nodes, inner groups count as their parent. */
enum { TACHO_GROUP_DEPTH_MAX = 64, TACHO_GROUP_NODES_MAX = 1 << 20 };

typedef struct tacho_group_node {
    uint32_t parent; /* always a lower number */
    uint32_t name;   /* string */
    uint32_t depth;  /* of the root: 0 */
} tacho_group_node;

/* Time of one side: host or devices. */
typedef struct tacho_group_time {
    tacho_i128 self_ns, total_ns;
    uint64_t count;
} tacho_group_time;

typedef struct tacho_group_cell {
    uint32_t part, origin, node;
    bool is_piece; /* engines' work for operators, which the part may also show as wholes */
    tacho_group_time host, device;
} tacho_group_cell;

typedef struct tacho_group_tree {
    tacho_group_node *nodes;
    size_t node_count, node_capacity;
    tacho_index node_index;
    tacho_group_cell *cells;
    size_t cell_count, cell_capacity;
    tacho_index cell_index;
    uint32_t last_cell;
    bool is_cut; /* some were too deep or too many */
} tacho_group_tree;

/* Call deinit even after a failure. */
tacho_status tacho_group_tree_init(tacho_group_tree *tree) TACHO_MUST_USE;
void tacho_group_tree_deinit(tacho_group_tree *tree);

/* The group |name| in |parent|; |parent| itself at a limit of the tree. */
tacho_status tacho_group_tree_ensure(tacho_group_tree *tree, uint32_t parent, uint32_t name,
                                     uint32_t *out_node) TACHO_MUST_USE;

/* The cell with the part, origin, node and piece of |key|. */
tacho_status tacho_group_tree_cell(tacho_group_tree *tree, const tacho_group_cell *key,
                                   uint32_t *out_cell) TACHO_MUST_USE;

/* Adds up totals: each group counts in all groups around it. Afterwards all of these have cells. */
tacho_status tacho_group_tree_sum(tacho_group_tree *tree) TACHO_MUST_USE;

#endif
