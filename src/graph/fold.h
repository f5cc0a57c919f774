/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant folding, node by node, during the walk of graph/infer.c: outputs of a node that depends
 * on constants alone are constants, and computed now where that is cheap.
 */
#ifndef TACHO_GRAPH_FOLD_H
#define TACHO_GRAPH_FOLD_H

#include "graph/infer.h"

typedef struct tacho_folder {
    tacho_graph *graph;
    tacho_arena scratch; /* inputs converted to the kernels' form */
    uint64_t made_bytes; /* of values, so far */
} tacho_folder;

void tacho_folder_init(tacho_folder *folder, tacho_graph *graph);
void tacho_folder_deinit(tacho_folder *folder);

/* Folds |node|, whose outputs have been inferred, if it can be. */
tacho_status tacho_folder_fold(tacho_folder *folder, tacho_node *node) TACHO_MUST_USE;

#endif
