/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators of ONNX Runtime's domain that simpler ones cannot replace (graph/expand.h has the
 * others). Nodes of a file become these through their expansion, which checks their attributes; so
 * they have the standard's opset.
 */
#include "graph/onnx_infer.h"

const tacho_op_def tacho_microsoft_op_defs[] = {
    {"com.microsoft.QLinearSoftmax", TACHO_OP_SOFTMAX,
     TACHO_STEPS_EXP + TACHO_STEPS_DIV + TACHO_STEPS_RESCALE + 3, TACHO_OP_HAS_PARAMETERS,
     tacho_onnx_infer_qlinear_softmax},
    {0},
};
