/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes and cells are found by hash.
 */
#include "questions/groups/group_tree.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_group_tree_init(tacho_group_tree *tree)
{
    *tree = (tacho_group_tree){.last_cell = TACHO_NONE};
    TACHO_TRY(tacho_index_init(&tree->node_index));
    TACHO_TRY(tacho_index_init(&tree->cell_index));
    TACHO_TRY(tacho_grow(&tree->nodes, &tree->node_capacity, 1));
    tree->nodes[tree->node_count++] = (tacho_group_node){.parent = 0};
    return TACHO_OK;
}

void tacho_group_tree_deinit(tacho_group_tree *tree)
{
    tacho_index_deinit(&tree->node_index);
    tacho_index_deinit(&tree->cell_index);
    free(tree->nodes);
    free(tree->cells);
    *tree = (tacho_group_tree){.last_cell = TACHO_NONE};
}

static uint32_t hash_words(const tacho_index *index, const uint32_t *words, size_t count)
{
    return tacho_index_hash(index, tacho_str_make((const char *)words, count * sizeof(*words)));
}

tacho_status tacho_group_tree_ensure(tacho_group_tree *tree, uint32_t parent, uint32_t name,
                                     uint32_t *out_node)
{
    const uint32_t key[] = {parent, name};
    uint32_t hash = hash_words(&tree->node_index, key, 2);
    size_t at = tacho_index_begin(&tree->node_index, hash);
    while ((*out_node = tacho_index_next(&tree->node_index, hash, &at)) != TACHO_NONE) {
        const tacho_group_node *node = &tree->nodes[*out_node];
        if (node->parent == parent && node->name == name) {
            return TACHO_OK;
        }
    }
    uint32_t depth = tree->nodes[parent].depth + 1;
    if (depth > TACHO_GROUP_DEPTH_MAX || tree->node_count >= TACHO_GROUP_NODES_MAX) {
        tree->is_cut = true;
        *out_node = parent;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&tree->nodes, &tree->node_capacity, tree->node_count + 1));
    *out_node = (uint32_t)tree->node_count;
    tree->nodes[tree->node_count++] = (tacho_group_node){parent, name, depth};
    return tacho_index_add(&tree->node_index, hash, *out_node);
}

static bool is_cell(const tacho_group_cell *cell, const tacho_group_cell *key)
{
    return cell->node == key->node && cell->part == key->part && cell->origin == key->origin &&
           cell->is_piece == key->is_piece;
}

tacho_status tacho_group_tree_cell(tacho_group_tree *tree, const tacho_group_cell *key,
                                   uint32_t *out_cell)
{
    if (tree->last_cell != TACHO_NONE && is_cell(&tree->cells[tree->last_cell], key)) {
        *out_cell = tree->last_cell;
        return TACHO_OK;
    }
    const uint32_t words[] = {key->part, key->origin, key->node, key->is_piece};
    uint32_t hash = hash_words(&tree->cell_index, words, 4);
    size_t at = tacho_index_begin(&tree->cell_index, hash);
    while ((*out_cell = tacho_index_next(&tree->cell_index, hash, &at)) != TACHO_NONE) {
        if (is_cell(&tree->cells[*out_cell], key)) {
            tree->last_cell = *out_cell;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&tree->cells, &tree->cell_capacity, tree->cell_count + 1));
    *out_cell = tree->last_cell = (uint32_t)tree->cell_count;
    tree->cells[tree->cell_count++] = (tacho_group_cell){
        .part = key->part, .origin = key->origin, .node = key->node, .is_piece = key->is_piece};
    return tacho_index_add(&tree->cell_index, hash, *out_cell);
}

/* Adds |cell| to its parent group, if it has one. */
static tacho_status add_to_parent(tacho_group_tree *tree, uint32_t cell)
{
    tacho_group_cell key = tree->cells[cell];
    key.node = tree->nodes[key.node].parent;
    if (key.node == 0) {
        return TACHO_OK;
    }
    uint32_t parent = TACHO_NONE;
    TACHO_TRY(tacho_group_tree_cell(tree, &key, &parent));
    return TACHO_OK;
}

static int compare_nodes(const void *left, const void *right)
{
    const tacho_group_cell *a = left;
    const tacho_group_cell *b = right;
    if (a->node != b->node) {
        return a->node > b->node ? -1 : 1; /* inner groups first */
    }
    if (a->part != b->part) {
        return a->part < b->part ? -1 : 1;
    }
    return a->origin != b->origin ? (a->origin < b->origin ? -1 : 1)
                                  : (int)a->is_piece - (int)b->is_piece;
}

tacho_status tacho_group_tree_sum(tacho_group_tree *tree)
{
    for (uint32_t i = 0; i < tree->cell_count; i++) { /* adds cells at the end */
        TACHO_TRY(add_to_parent(tree, i));
    }
    if (tree->cell_count == 0) {
        return TACHO_OK;
    }
    qsort(tree->cells, tree->cell_count, sizeof(*tree->cells), compare_nodes);
    tacho_index_deinit(&tree->cell_index);
    TACHO_TRY(tacho_index_init(&tree->cell_index));
    tree->last_cell = TACHO_NONE;
    for (uint32_t i = 0; i < tree->cell_count; i++) {
        const tacho_group_cell *cell = &tree->cells[i];
        const uint32_t words[] = {cell->part, cell->origin, cell->node, cell->is_piece};
        TACHO_TRY(tacho_index_add(&tree->cell_index, hash_words(&tree->cell_index, words, 4), i));
        tree->cells[i].host.total_ns = cell->host.self_ns;
        tree->cells[i].device.total_ns = cell->device.self_ns;
    }
    for (uint32_t i = 0; i < tree->cell_count; i++) {
        tacho_group_cell key = tree->cells[i];
        uint32_t parent = TACHO_NONE;
        key.node = tree->nodes[key.node].parent;
        if (key.node != 0) {
            TACHO_TRY(tacho_group_tree_cell(tree, &key, &parent));
            tree->cells[parent].host.total_ns += tree->cells[i].host.total_ns;
            tree->cells[parent].device.total_ns += tree->cells[i].device.total_ns;
        }
    }
    return TACHO_OK;
}
