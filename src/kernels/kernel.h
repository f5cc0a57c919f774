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
    bool is_of_product;   /* of a QuantizeLinear: see kernels/quantise.h, tacho_is_of_product */
    const void *prepared; /* of a quick kernel: see kernels/quick.h, tacho_quick_prepare; or NULL */
} tacho_kernel_call;

/* Traits of the values that a kernel makes, for callers that need not compute them all. */
typedef enum tacho_kernel_trait {
    TACHO_KERNEL_PLAIN,
    TACHO_KERNEL_HEAVY, /* takes longer than its inputs and outputs are large: not for folding */
    TACHO_KERNEL_EACH,  /* element by element, so scalars give what splats of them would */
    TACHO_KERNEL_PICKS, /* all elements are elements of input 0, which need not be aligned */
    TACHO_KERNEL_JOINS, /* all elements are elements of the inputs */
} tacho_kernel_trait;

/*
 * A kernel trusts shapes and attributes as far as inference has checked them; values (an index, a
 * divisor) it checks itself: BAD_DATA. A type that it does not compute is UNSUPPORTED.
 */
typedef struct tacho_kernel {
    const char *name; /* of the operator: "Conv", "tosa.conv2d" */
    tacho_kernel_trait trait;
    tacho_status (*compute)(const tacho_kernel_call *call); /* by tacho_kernel_compute */
} tacho_kernel;

/* The tables, one per family of operators; each ends with a row without a name. */
#define TACHO_KERNEL_FAMILIES(X)                                                                   \
    X(binary)                                                                                      \
    X(unary)                                                                                       \
    X(compare)                                                                                     \
    X(cast)                                                                                        \
    X(move)                                                                                        \
    X(reduce)                                                                                      \
    X(make)                                                                                        \
    X(activation)                                                                                  \
    X(pair)                                                                                        \
    X(conv)                                                                                        \
    X(matmul)                                                                                      \
    X(pool)                                                                                        \
    X(quantise)                                                                                    \
    X(quantised)                                                                                   \
    X(cache)                                                                                       \
    X(norm)                                                                                        \
    X(index)                                                                                       \
    X(space)                                                                                       \
    X(loss)                                                                                        \
    X(resize)                                                                                      \
    X(sample)                                                                                      \
    X(suppress)                                                                                    \
    X(recurrent)                                                                                   \
    X(signal)                                                                                      \
    X(determinant)                                                                                 \
    X(unique)                                                                                      \
    X(columns)                                                                                     \
    X(deform)                                                                                      \
    X(einsum)                                                                                      \
    X(tosa)                                                                                        \
    X(tosa_window)

#define TACHO_KERNEL_TABLE(family) extern const tacho_kernel tacho_##family##_kernels[];
TACHO_KERNEL_FAMILIES(TACHO_KERNEL_TABLE)
#undef TACHO_KERNEL_TABLE

/* All tables; ends with NULL. */
extern const tacho_kernel *const tacho_kernel_families[];

/* The reference kernel of an operator, or NULL. */
const tacho_kernel *tacho_kernel_find(tacho_str name);

/* Computes; UNSUPPORTED when an input or the output that the kernel needs is absent. Of some
 * (LSTM, TopK) any output will do. */
tacho_status tacho_kernel_compute(const tacho_kernel *kernel,
                                  const tacho_kernel_call *call) TACHO_MUST_USE;

/*
 * Where the shapes of outputs depend on values (NonZero, Compress, Unique and others): sets them.
 * Outputs have no memory yet. UNSUPPORTED for operators that are not like that.
 */
tacho_status tacho_count_non_zero(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_count_compress(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_count_non_max_suppression(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_count_unique(const tacho_kernel_call *call) TACHO_MUST_USE;
tacho_status tacho_kernel_count(tacho_str name, const tacho_kernel_call *call) TACHO_MUST_USE;

#endif
