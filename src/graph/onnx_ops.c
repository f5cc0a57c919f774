/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of ONNX: kinds, vector steps, types and shapes.
 */
#include "graph/infer.h"

const tacho_op_def tacho_onnx_op_defs[] = {
    {0},
};
