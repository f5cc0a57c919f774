/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that are made of simpler ones. When inference meets one whose input shapes it knows,
 * the nodes that define it take its place. They are inferred, folded, fused, costed and computed
 * like nodes of the file, so a composed operator needs neither a kernel nor a cost of its own.
 *
 * The functions that build nodes remember the first failure and do nothing after it, so an
 * expansion is written as a sequence of operators; its caller reads |status| at the end.
 */
#ifndef TACHO_GRAPH_EXPAND_H
#define TACHO_GRAPH_EXPAND_H

#include "graph/infer.h"

enum {
    TACHO_EXPAND_OPSET = 23, /* of the nodes that are made */
    TACHO_EXPAND_INPUTS = 8, /* of such a node */
    TACHO_EXPAND_ATTRS = 16,
};

/* One operator being replaced. */
typedef struct tacho_expander {
    tacho_graph *graph;
    tacho_node origin;                    /* a copy: nodes move when others are added */
    size_t first_node;                    /* of the added nodes */
    tacho_attr attrs[TACHO_EXPAND_ATTRS]; /* of the next node */
    size_t attr_count;
    bool is_declined;    /* the operator stays as it is: shapes or an option are not known */
    tacho_status status; /* the first failure */
} tacho_expander;

/*
 * Adds the nodes that replace node |node| of the graph after its others; none when it has no
 * expansion, or its shapes are not known.
 */
tacho_status tacho_expand_run(tacho_graph *graph, size_t node) TACHO_MUST_USE;

/* ---- the operator's inputs and attributes ---- */

/* Input |i|, or TACHO_NONE when it is absent; its shape and type. */
uint32_t tacho_expand_input(const tacho_expander *self, size_t i);
bool tacho_expand_has(const tacho_expander *self, size_t i);
const tacho_shape *tacho_expand_shape(const tacho_expander *self, size_t i);
tacho_dtype tacho_expand_dtype(const tacho_expander *self, size_t i);

/* Whether output |i| is wanted. */
bool tacho_expand_wants(const tacho_expander *self, size_t i);

int64_t tacho_expand_int(const tacho_expander *self, const char *name, int64_t fallback);
double tacho_expand_real(const tacho_expander *self, const char *name, double fallback);
tacho_str tacho_expand_text(const tacho_expander *self, const char *name);

/*
 * Whether input |i| is present with a known shape of |min| to |max| dimensions. Fails when it is
 * absent or of another rank; declines when its shape or type is not known.
 */
bool tacho_expand_need(tacho_expander *self, size_t i, int32_t min, int32_t max);

/* The product of |count| dimensions; fails when it is too large. */
int64_t tacho_expand_product(tacho_expander *self, const int64_t *dims, size_t count);

/* Notes a failure that names the operator. */
void tacho_expand_fail(tacho_expander *self, const char *format, ...) TACHO_PRINTF(2, 3);

/* ---- its replacement ---- */

/* Attributes of the node that is added next. */
void tacho_expand_set_int(tacho_expander *self, const char *name, int64_t value);
void tacho_expand_set_real(tacho_expander *self, const char *name, double value);
void tacho_expand_set_text(tacho_expander *self, const char *name, const char *value);

/* Gives it the attributes of the operator, but for |without| and those that it has. */
void tacho_expand_copy_attrs(tacho_expander *self, const char *const *without);

/* Adds a node; its outputs are new tensors: the first is returned, and the others follow it. */
uint32_t tacho_expand_add(tacho_expander *self, const char *type, const uint32_t *inputs,
                          size_t input_count, size_t output_count);

/* The same, with inputs as arguments and one output. */
#define TACHO_EXPAND_OP(self, type, ...)                                                           \
    tacho_expand_add((self), (type), (const uint32_t[]){__VA_ARGS__},                              \
                     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), 1)

/* Constants: a list of integers, one number, a tensor that is one number throughout. */
uint32_t tacho_expand_ints(tacho_expander *self, const int64_t *values, size_t count);
uint32_t tacho_expand_number(tacho_expander *self, tacho_dtype dtype, double value);
uint32_t tacho_expand_int_number(tacho_expander *self, tacho_dtype dtype, int64_t value);
uint32_t tacho_expand_splat(tacho_expander *self, tacho_dtype dtype, const tacho_shape *shape,
                            double value);

/* A tensor of real numbers, as many as |shape| has elements. */
uint32_t tacho_expand_reals(tacho_expander *self, tacho_dtype dtype, const tacho_shape *shape,
                            const double *values);

#define TACHO_EXPAND_INTS(self, ...)                                                               \
    tacho_expand_ints((self), (const int64_t[]){__VA_ARGS__},                                      \
                      sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* The constant |tensor| with its bytes read as another type and shape; fails if it has none. */
uint32_t tacho_expand_reread(tacho_expander *self, uint32_t tensor, tacho_dtype dtype,
                             const tacho_shape *shape);

/* Common operators, with inputs that parametrise them. */
uint32_t tacho_expand_reshape(tacho_expander *self, uint32_t tensor, const int64_t *dims,
                              size_t count);
uint32_t tacho_expand_transpose(tacho_expander *self, uint32_t tensor, const int64_t *order,
                                size_t count);
uint32_t tacho_expand_slice(tacho_expander *self, uint32_t tensor, int64_t axis, int64_t begin,
                            int64_t end);
uint32_t tacho_expand_concat(tacho_expander *self, uint32_t a, uint32_t b, int64_t axis);
uint32_t tacho_expand_cast(tacho_expander *self, uint32_t tensor, tacho_dtype dtype);

/* Makes |tensor| output |output| of the operator. */
void tacho_expand_return(tacho_expander *self, size_t output, uint32_t tensor);

/* ---- the expansions, by file ---- */

#define TACHO_EXPANSIONS(X)                                                                        \
    /* expand_attention.c */                                                                       \
    X("Attention", onnx_attention)                                                                 \
    X("RotaryEmbedding", rotary_embedding)                                                         \
    /* expand_gated.c */                                                                           \
    X("CausalConvWithState", causal_conv)                                                          \
    X("SwiGLU", swiglu)                                                                            \
    /* expand_norm.c */                                                                            \
    X("SimplifiedLayerNormalization", simplified_layer_norm)                                       \
    X("com.microsoft.BiasGelu", bias_gelu)                                                         \
    X("com.microsoft.EmbedLayerNormalization", embed_layer_norm)                                   \
    X("com.microsoft.FastGelu", fast_gelu)                                                         \
    X("com.microsoft.Gelu", gelu)                                                                  \
    X("com.microsoft.QuickGelu", quick_gelu)                                                       \
    X("com.microsoft.SkipLayerNormalization", skip_layer_norm)                                     \
    X("com.microsoft.SkipSimplifiedLayerNormalization", skip_simplified_layer_norm)                \
    /* expand_gather.c */                                                                          \
    X("com.microsoft.GatherBlockQuantized", gather_block_quantised)                                \
    X("com.microsoft.NhwcMaxPool", nhwc_max_pool)                                                  \
    X("com.microsoft.Trilu", trilu)                                                                \
    /* expand_sequence.c */                                                                        \
    X("ConcatFromSequence", concat_sequence)                                                       \
    X("OptionalGetElement", optional_get)                                                          \
    X("OptionalHasElement", optional_has)                                                          \
    X("SequenceAt", sequence_at)                                                                   \
    X("SequenceLength", sequence_length)                                                           \
    /* expand_picture.c */                                                                         \
    X("Crop", crop)                                                                                \
    X("ImageScaler", image_scaler)                                                                 \
    /* expand_group_query.c */                                                                     \
    X("com.microsoft.GroupQueryAttention", group_query_attention)                                  \
    X("com.microsoft.RotaryEmbedding", rotate)                                                     \
    /* expand_heads.c */                                                                           \
    X("com.microsoft.Attention", attention)                                                        \
    X("com.microsoft.MultiHeadAttention", multi_head_attention)                                    \
    X("com.microsoft.QAttention", qattention)                                                      \
    /* expand_matmul.c */                                                                          \
    X("com.microsoft.DynamicQuantizeLSTM", dynamic_quantise_lstm)                                  \
    X("com.microsoft.FusedGemm", fused_gemm)                                                       \
    X("com.microsoft.FusedConv", fused_conv)                                                       \
    X("com.microsoft.FusedMatMul", fused_matmul)                                                   \
    X("com.microsoft.MatMulNBits", matmul_nbits)                                                   \
    X("com.microsoft.TransposeMatMul", fused_matmul)                                               \
    /* expand_quantised.c */                                                                       \
    X("QuantizeLinear", quantised_softmax)                                                         \
    X("com.microsoft.DequantizeLinear", dequantise_linear)                                         \
    X("com.microsoft.DynamicQuantizeMatMul", dynamic_quantise_matmul)                              \
    X("com.microsoft.MatMulIntegerToFloat", matmul_integer_to_float)                               \
    X("com.microsoft.QGemm", qgemm)                                                                \
    X("com.microsoft.QLinearAdd", qlinear_add)                                                     \
    X("com.microsoft.QLinearAveragePool", qlinear_average_pool)                                    \
    X("com.microsoft.QLinearConcat", qlinear_concat)                                               \
    X("com.microsoft.QLinearConv", qlinear_conv)                                                   \
    X("com.microsoft.QLinearGlobalAveragePool", qlinear_global_average_pool)                       \
    X("com.microsoft.QLinearLeakyRelu", qlinear_leaky_relu)                                        \
    X("com.microsoft.QLinearMul", qlinear_mul)                                                     \
    X("com.microsoft.QLinearReduceMean", qlinear_reduce_mean)                                      \
    X("com.microsoft.QLinearSigmoid", qlinear_sigmoid)                                             \
    X("com.microsoft.QLinearSoftmax", qlinear_softmax)                                             \
    X("com.microsoft.QLinearWhere", qlinear_where)                                                 \
    X("com.microsoft.QuantizeLinear", quantise_linear)

/* A second operator of the same expansion declares it again, which is the same. */
#define TACHO_EXPANSION_DECLARE(name, function) void tacho_expand_##function(tacho_expander *self);
TACHO_EXPANSIONS(TACHO_EXPANSION_DECLARE)
#undef TACHO_EXPANSION_DECLARE

#endif
