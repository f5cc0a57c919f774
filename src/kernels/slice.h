/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements that a slice takes, for the kernel and for inference of its shape.
 */
#ifndef TACHO_KERNELS_SLICE_H
#define TACHO_KERNELS_SLICE_H

#include "base/tensor.h"

/* Parameters of a slice: |count| starts and ends, for |axes| or the first dimensions when NULL, in
 * |steps| or one by one when NULL. */
typedef struct tacho_slice_spec {
    const int64_t *starts, *ends, *axes, *steps;
    size_t count;
} tacho_slice_spec;

/* By dimension: the first element, the distance to the next, how many. */
typedef struct tacho_slice {
    int64_t starts[TACHO_RANK_MAX];
    int64_t steps[TACHO_RANK_MAX];
    tacho_shape shape;
} tacho_slice;

/*
 * Resolves negative places and cuts places beyond an edge, by ONNX's rules. A dimension that is not
 * known stays so. NULL, or the reason of a failure.
 */
const char *tacho_slice_resolve(const tacho_shape *shape, const tacho_slice_spec *spec,
                                tacho_slice *out_slice);

#endif
