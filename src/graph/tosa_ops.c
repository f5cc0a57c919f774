/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of TOSA 1.0: kinds, vector steps, types and shapes.
 */
#include "graph/infer.h"

const tacho_op_def tacho_tosa_op_defs[] = {
    {0},
};
