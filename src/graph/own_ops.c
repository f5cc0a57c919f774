/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that no model has: readers put them there.
 */
#include "graph/infer.h"
#include "graph/onnx_infer.h"

/* A value and the same as a constant; whether they are equal. */
static tacho_status infer_expect(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    if (tacho_infer_dtype(infer, 0) != tacho_infer_dtype(infer, 1) ||
        !tacho_shape_equal(tacho_infer_shape(infer, 0), tacho_infer_shape(infer, 1))) {
        return tacho_infer_fail(infer, "its operands differ in type or shape");
    }
    return tacho_infer_set(infer, 0, TACHO_DTYPE_BOOL, &(tacho_shape){.rank = 0});
}

const tacho_op_def tacho_own_op_defs[] = {
    {"tacho.Expect", TACHO_OP_REDUCTION, 1, TACHO_OP_IS_CHECK, infer_expect},
    /* An LSTM whose data and weights are bytes; kernels/recurrent.h lists its inputs. */
    {"tacho.QuantisedLSTM", TACHO_OP_RECURRENT, TACHO_STEPS_LSTM, 0, tacho_onnx_infer_recurrent},
    {0},
};
