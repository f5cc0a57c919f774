/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demands of a fused operator on a machine (machine/work.h): its products of matrices or vector
 * steps, and the bytes that it reads and writes.
 */
#ifndef TACHO_COMPILE_WORK_OF_H
#define TACHO_COMPILE_WORK_OF_H

#include "compile/fuse.h"
#include "machine/machine.h"
#include "machine/work.h"

typedef struct tacho_work_options {
    const tacho_place *places;    /* of activations, by tensor of the graph; NULL: all shared */
    const tacho_machine *machine; /* whose types tensors are kept in; NULL: as the model has them */
    tacho_dtype dtype;            /* for real numbers; NONE: as the machine does */
} tacho_work_options;

/*
 * The work of |op|. A tensor whose type or shape is not known, or sizes beyond 63 bits, are a
 * failure that names the node.
 */

tacho_status tacho_work_compute(const tacho_fusion *fusion, const tacho_fused_op *op,
                                const tacho_work_options *options,
                                tacho_work *out_work) TACHO_MUST_USE;

/* A failure that names the operator's root: "model.onnx: node 12 'conv1' (Conv): ...". */
tacho_status tacho_work_fail(const tacho_fusion *fusion, const tacho_fused_op *op,
                             const char *format, ...) TACHO_PRINTF(3, 4) TACHO_MUST_USE;

#endif
