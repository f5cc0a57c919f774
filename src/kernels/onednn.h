/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels: operators as oneDNN computes them, without a word of oneDNN's. The library is
 * looked for when the first kernel is needed; where it is absent, or was when tacho was built,
 * nothing is fast and everything else is as before.
 *
 *     1. tacho_fast_prepare checks whether a spec can be computed fast, and in which layouts;
 *     2. the caller gets memory, and reorders tensors in other layouts than the kernel's, by a
 *        kernel of kind REORDER;
 *     3. tacho_fast_point lists the memory that a step runs the kernel on; steps may share one;
 *     4. tacho_fast_run computes on such a list, any number of times. oneDNN's own descriptions of
 *        memory are made at the first run, and moved when another list is run.
 *
 * A context and its kernels are for one thread at a time; a kernel may use several by itself.
 */
#ifndef TACHO_KERNELS_ONEDNN_H
#define TACHO_KERNELS_ONEDNN_H

#include "base/status.h"
#include "base/tensor.h"
#include "kernels/isa.h"
#include "kernels/window.h"

typedef struct tacho_fast tacho_fast;
typedef struct tacho_fast_kernel tacho_fast_kernel;

/* A memory layout of a tensor's elements. Equal layouts of a context are the same pointer. */
typedef struct tacho_layout tacho_layout;

/*
 * |out| is NULL where oneDNN is absent. A kernel uses at most |threads|, 0: as many as there are
 * cores.
 */
tacho_status tacho_fast_create(uint32_t threads, tacho_fast **out) TACHO_MUST_USE;
/* The same with instructions as chosen. oneDNN keeps to the first choice of a process. */
tacho_status tacho_fast_create_with(uint32_t threads, const tacho_isa_choice *choice,
                                    tacho_fast **out) TACHO_MUST_USE;
void tacho_fast_free(tacho_fast *fast); /* after all its kernels; also NULL */

/* "2.6.3", or "" without oneDNN. */
const char *tacho_fast_version(const tacho_fast *fast);

/*
 * Processors note when an operation is invalid: it made NaN of numbers, or compared NaN with a
 * number, of which a maximum then takes the number. Whether one was in any of a context's threads
 * since the last call of either function.
 */
void tacho_fast_forget_invalid(const tacho_fast *fast);
bool tacho_fast_was_invalid(const tacho_fast *fast);

/* Kinds of kernels. */
typedef enum tacho_fast_kind {
    TACHO_FAST_CONVOLUTION,   /* data, filters, bias; window; filters have groups in front if any */
    TACHO_FAST_DECONVOLUTION, /* the same, transposed */
    TACHO_FAST_MATMUL,        /* a, b, bias; all of one rank */
    TACHO_FAST_NBIT_MATMUL,   /* a, constant bias; |weights| */
    TACHO_FAST_POOL,          /* window */
    TACHO_FAST_ELTWISE,       /* alpha, beta */
    TACHO_FAST_BINARY,        /* a, b that is broadcast; input_scales */
    TACHO_FAST_SOFTMAX,       /* axis */
    TACHO_FAST_LOG_SOFTMAX,   /* axis */
    TACHO_FAST_REDUCTION,     /* over dimensions that are 1 in the output */
    TACHO_FAST_RESAMPLING,
    TACHO_FAST_LRN,        /* across channels: axis is their number, alpha, beta, gamma */
    TACHO_FAST_LAYER_NORM, /* over the last dimension: data, scale, shift; alpha is epsilon */
    TACHO_FAST_CONCAT,     /* axis */
    TACHO_FAST_REORDER,    /* to another layout or type; scale, zeros */
} tacho_fast_kind;

/* One row per function: its name here and oneDNN's. */
#define TACHO_FAST_FUNCTIONS(X)                                                                    \
    X(NONE, undef)                                                                                 \
    X(RELU, eltwise_relu) /* alpha: factor of elements below 0 */                                  \
    X(TANH, eltwise_tanh)                                                                          \
    X(ELU, eltwise_elu)                                                                            \
    X(SQUARE, eltwise_square)                                                                      \
    X(ABS, eltwise_abs)                                                                            \
    X(SQRT, eltwise_sqrt)                                                                          \
    X(LINEAR, eltwise_linear) /* alpha * x + beta */                                               \
    X(SIGMOID, eltwise_logistic)                                                                   \
    X(EXP, eltwise_exp)                                                                            \
    X(GELU_TANH, eltwise_gelu_tanh)                                                                \
    X(GELU, eltwise_gelu_erf)                                                                      \
    X(SWISH, eltwise_swish) /* x * sigmoid(alpha * x) */                                           \
    X(LOG, eltwise_log)                                                                            \
    X(CLIP, eltwise_clip) /* to alpha ... beta */                                                  \
    X(POW, eltwise_pow)   /* alpha * x ^ beta */                                                   \
    X(HARD_SWISH, eltwise_hardswish)                                                               \
    X(MISH, eltwise_mish)                                                                          \
    X(ROUND, eltwise_round) /* to the nearest, ties to even */                                     \
    X(ADD, binary_add)                                                                             \
    X(SUB, binary_sub)                                                                             \
    X(MUL, binary_mul)                                                                             \
    X(DIV, binary_div)                                                                             \
    X(MAX, binary_max)                                                                             \
    X(MIN, binary_min)                                                                             \
    X(POOL_MAX, pooling_max)                                                                       \
    X(POOL_MEAN, pooling_avg_exclude_padding)                                                      \
    X(POOL_MEAN_PADDED, pooling_avg_include_padding)                                               \
    X(REDUCE_SUM, reduction_sum)                                                                   \
    X(REDUCE_MEAN, reduction_mean)                                                                 \
    X(REDUCE_MAX, reduction_max)                                                                   \
    X(REDUCE_MIN, reduction_min)                                                                   \
    X(NEAREST, resampling_nearest)                                                                 \
    X(BILINEAR, resampling_linear)

typedef enum tacho_fast_function {
#define TACHO_FAST_FUNCTION(name, theirs) TACHO_FAST_##name,
    TACHO_FAST_FUNCTIONS(TACHO_FAST_FUNCTION)
#undef TACHO_FAST_FUNCTION
} tacho_fast_function;

/* A tensor that a kernel reads or writes. */
typedef struct tacho_fast_tensor {
    tacho_dtype dtype;
    tacho_shape shape;          /* rank from 1 */
    const tacho_layout *layout; /* its layout; NULL: row-major, or by |order| */
    bool is_free;               /* the kernel may choose the layout */
    bool has_order;
    uint8_t order[TACHO_RANK_MAX]; /* dimensions, the outermost first, of one that is transposed */
    const void *data; /* of a constant, row-major or in |order|: the kernel keeps a copy */
} tacho_fast_tensor;

/* A step on each result before it is written. */
typedef struct tacho_fast_post {
    tacho_fast_function function;
    float alpha, beta;
    uint32_t input; /* of a binary one: the other operand */
} tacho_fast_post;

enum { TACHO_FAST_INPUTS_MAX = 64, TACHO_FAST_POSTS_MAX = 8 };

typedef struct tacho_fast_spec {
    tacho_fast_kind kind;
    tacho_fast_function function;
    float alpha, beta, gamma;
    int32_t axis;
    const tacho_window *window;
    const tacho_fast_tensor *inputs; /* first those of the kind, then those of posts */
    size_t input_count;              /* of the kind; a bias may be missing */
    size_t post_input_count;
    tacho_fast_tensor output;
    tacho_fast_post posts[TACHO_FAST_POSTS_MAX];
    size_t post_count;
    const float *scales;   /* that results are multiplied by before posts: one, or one for each */
    size_t scale_count;    /* channel, which is dimension 1, of a product the last */
    int32_t input_zero;    /* is subtracted from the data */
    bool has_live_zero;    /* of a product of bytes: input 2 is that, known only when it runs */
    bool is_own;           /* of a product of bytes: sums beyond 2^24 are exact, too */
    int32_t output_zero;   /* is added after the posts */
    float input_scales[2]; /* of a binary: both operands are multiplied; 0: they are not */
    const struct tacho_nbit_weights *weights; /* of few bits, see kernels/nbit_product.h */
} tacho_fast_spec;

/*
 * |out| is NULL where neither oneDNN nor a kernel of our own (kernels/byte_product.h) computes it,
 * or not faster than reference kernels do. The spec is not needed afterwards. Equal requests get
 * the same kernel, and each caller frees it once.
 */
tacho_status tacho_fast_prepare(tacho_fast *fast, const tacho_fast_spec *spec,
                                tacho_fast_kernel **out) TACHO_MUST_USE;
void tacho_fast_kernel_free(tacho_fast_kernel *kernel); /* also NULL */

/* Layouts of its inputs and its output. */
const tacho_layout *tacho_fast_input_layout(const tacho_fast_kernel *kernel, size_t i);
const tacho_layout *tacho_fast_output_layout(const tacho_fast_kernel *kernel);

/* Memory that it uses while it runs, besides inputs and output. */
uint64_t tacho_fast_scratch_bytes(const tacho_fast_kernel *kernel);

/* The implementation: oneDNN's name, "jit:avx512_core", or one of our own, "tacho:...". */
const char *tacho_fast_kernel_name(const tacho_fast_kernel *kernel);

/* The memory of a run: inputs, those of constants being NULL, output and scratch memory. */
size_t tacho_fast_pointer_count(const tacho_fast_kernel *kernel);
void tacho_fast_point(const tacho_fast_kernel *kernel, void *const *inputs, void *output,
                      void *scratch, void **out_pointers);
tacho_status tacho_fast_run(tacho_fast_kernel *kernel, void *const *pointers) TACHO_MUST_USE;

/* The layout of a row-major tensor; NULL when memory is short or oneDNN has no such type. */
const tacho_layout *tacho_layout_plain(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape);
/* The same with the elements along |axis| side by side. */
const tacho_layout *tacho_layout_along(tacho_fast *fast, tacho_dtype dtype,
                                       const tacho_shape *shape, int32_t axis);
uint64_t tacho_layout_bytes(const tacho_fast *fast, const tacho_layout *layout);

#endif
