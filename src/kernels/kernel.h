/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: the values of operators. The reference kernels are plain C, exact and the same on every
 * computer; constant folding and every device compute through this interface.
 */
#ifndef TACHO_KERNELS_KERNEL_H
#define TACHO_KERNELS_KERNEL_H

#include "base/status.h"
#include "base/tensor.h"

/* One operator at work. The caller has inferred the outputs' types and shapes and made room. */
typedef struct tacho_kernel_call {
    int64_t opset;                    /* of an ONNX operator; 0 for TOSA */
    const tacho_array *const *inputs; /* NULL for an optional one that is absent */
    size_t input_count;
    tacho_array *outputs;
    size_t output_count;
    const tacho_attr *attrs;
    size_t attr_count;
    const tacho_array *attr_tensor; /* the value of the one tensor attribute, or NULL */
} tacho_kernel_call;

typedef struct tacho_kernel {
    const char *name; /* of the operator: "Conv", "tosa.conv2d" */
    tacho_status (*compute)(const tacho_kernel_call *call);
} tacho_kernel;

/* The reference kernel of an operator, or NULL. */
const tacho_kernel *tacho_kernel_find(tacho_str name);

#endif
