/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs written by hand: graph/graph_testing.h has them.
 */
#ifndef TACHO_COMPILE_GRAPH_TESTING_H
#define TACHO_COMPILE_GRAPH_TESTING_H

#include "graph/graph_testing.h" /* IWYU pragma: export */

#endif
