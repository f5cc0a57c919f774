/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of ONNX operators: the functions of graph/onnx_ops.c's rows, by family, and
 * their shared helpers. Where early opsets have an attribute that later ones replace by an input, a
 * function reads both, so it holds for all opsets unless it checks the node's.
 */
#ifndef TACHO_GRAPH_ONNX_INFER_H
#define TACHO_GRAPH_ONNX_INFER_H

#include "graph/infer.h"

/* ---- shared -------------------------------------------------------------------------------- */

int64_t tacho_onnx_int(const tacho_infer *infer, const char *name, int64_t fallback);
const int64_t *tacho_onnx_ints(const tacho_infer *infer, const char *name, size_t *out_count);
tacho_str tacho_onnx_text(const tacho_infer *infer, const char *name);

/* Whether the node is of an opset before |opset|; modules without opsets have the latest. */
bool tacho_onnx_before(const tacho_infer *infer, int32_t opset);

/* Whether input |i| is present. */
bool tacho_onnx_has(const tacho_infer *infer, size_t i);

/* Fails unless the first |count| inputs are present. */
tacho_status tacho_onnx_need(const tacho_infer *infer, size_t count) TACHO_MUST_USE;

/* Fails unless input |i| has rank |min| to |max|, or a rank that is not known. */
tacho_status tacho_onnx_need_rank(const tacho_infer *infer, size_t i, int32_t min,
                                  int32_t max) TACHO_MUST_USE;

/* |axis| of a tensor of |rank|, counted from the front; -|rank| to |rank|-1 are allowed. */
tacho_status tacho_onnx_axis(const tacho_infer *infer, int64_t axis, int32_t rank,
                             int32_t *out_axis) TACHO_MUST_USE;

/* The attribute "axis", resolved. */
tacho_status tacho_onnx_attr_axis(const tacho_infer *infer, int64_t fallback, int32_t rank,
                                  int32_t *out_axis) TACHO_MUST_USE;

/* Axes that an attribute "axes" or an input gives. */
typedef struct tacho_onnx_axes {
    bool is_given;
    bool is_known; /* false for an input whose value is not known */
    size_t count;
    bool has[TACHO_RANK_MAX]; /* by dimension */
} tacho_onnx_axes;

tacho_status tacho_onnx_read_axes(const tacho_infer *infer, size_t input, int32_t rank,
                                  tacho_onnx_axes *out_axes) TACHO_MUST_USE;

/* The type with this number in ONNX's TensorProto, or NONE. */
tacho_dtype tacho_onnx_dtype_of(int64_t number);

/* A shape of |rank| unknown dimensions. */
tacho_shape tacho_onnx_any_shape(int64_t rank);

/* Fails unless two dimensions are the same, or one is unknown; the message has both. */
tacho_status tacho_onnx_match(const tacho_infer *infer, const char *what, int64_t a,
                              int64_t b) TACHO_MUST_USE;

/* Product of two dimensions, unknown where one is; false on overflow. */
bool tacho_onnx_mul(int64_t a, int64_t b, int64_t *out_product);

/* Sets output 0 to the type and shape of input 0. */
tacho_status tacho_onnx_set_same(const tacho_infer *infer) TACHO_MUST_USE;

/* ---- by family ----------------------------------------------------------------------------- */

#define TACHO_ONNX_INFER_FUNCTIONS(X)                                                              \
    /* onnx_infer_elementwise.c */                                                                 \
    X(same)                                                                                        \
    X(unary_bool)                                                                                  \
    X(binary)                                                                                      \
    X(compare)                                                                                     \
    X(variadic)                                                                                    \
    X(where)                                                                                       \
    X(prelu)                                                                                       \
    X(cast)                                                                                        \
    X(cast_like)                                                                                   \
    X(bit_cast)                                                                                    \
    X(quantise)                                                                                    \
    X(dequantise)                                                                                  \
    X(dynamic_quantise)                                                                            \
    X(dropout)                                                                                     \
    X(random)                                                                                      \
    X(random_like)                                                                                 \
    /* onnx_infer_conv.c */                                                                        \
    X(conv)                                                                                        \
    X(conv_integer)                                                                                \
    X(qlinear_conv)                                                                                \
    X(deform_conv)                                                                                 \
    X(conv_transpose)                                                                              \
    X(max_pool)                                                                                    \
    X(average_pool)                                                                                \
    X(global_pool)                                                                                 \
    X(max_unpool)                                                                                  \
    X(roi_pool)                                                                                    \
    X(roi_align)                                                                                   \
    /* onnx_infer_matmul.c */                                                                      \
    X(gemm)                                                                                        \
    X(matmul)                                                                                      \
    X(matmul_integer)                                                                              \
    X(qlinear_matmul)                                                                              \
    X(einsum)                                                                                      \
    X(recurrent)                                                                                   \
    X(det)                                                                                         \
    /* onnx_infer_reduce.c */                                                                      \
    X(reduce)                                                                                      \
    X(arg)                                                                                         \
    X(top_k)                                                                                       \
    X(softmax)                                                                                     \
    X(qlinear_softmax)                                                                             \
    X(batch_norm)                                                                                  \
    X(layer_norm)                                                                                  \
    X(instance_norm)                                                                               \
    X(loss)                                                                                        \
    X(softmax_loss)                                                                                \
    /* onnx_infer_shape.c */                                                                       \
    X(reshape)                                                                                     \
    X(squeeze)                                                                                     \
    X(unsqueeze)                                                                                   \
    X(flatten)                                                                                     \
    X(transpose)                                                                                   \
    X(concat)                                                                                      \
    X(split)                                                                                       \
    X(slice)                                                                                       \
    X(expand)                                                                                      \
    X(tile)                                                                                        \
    X(pad)                                                                                         \
    X(depth_to_space)                                                                              \
    X(space_to_depth)                                                                              \
    X(center_crop_pad)                                                                             \
    /* onnx_infer_index.c */                                                                       \
    X(gather)                                                                                      \
    X(gather_elements)                                                                             \
    X(gather_nd)                                                                                   \
    X(scatter)                                                                                     \
    X(tensor_scatter)                                                                              \
    X(one_hot)                                                                                     \
    X(non_zero)                                                                                    \
    X(compress)                                                                                    \
    X(unique)                                                                                      \
    X(non_max_suppression)                                                                         \
    X(resize)                                                                                      \
    X(upsample)                                                                                    \
    X(grid_sample)                                                                                 \
    /* onnx_infer_other.c */                                                                       \
    X(attention)                                                                                   \
    X(dft)                                                                                         \
    X(mel)                                                                                         \
    X(stft)                                                                                        \
    X(affine_grid)                                                                                 \
    X(col2im)                                                                                      \
    /* onnx_infer_make.c */                                                                        \
    X(shape)                                                                                       \
    X(size)                                                                                        \
    X(constant)                                                                                    \
    X(constant_of_shape)                                                                           \
    X(range)                                                                                       \
    X(eye_like)                                                                                    \
    X(window)

#define TACHO_ONNX_INFER_DECLARE(name)                                                             \
    tacho_status tacho_onnx_infer_##name(const tacho_infer *infer) TACHO_MUST_USE;
TACHO_ONNX_INFER_FUNCTIONS(TACHO_ONNX_INFER_DECLARE)
#undef TACHO_ONNX_INFER_DECLARE

#endif
