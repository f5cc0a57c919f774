/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of ONNX Runtime's domain: with transposed operands, with fused activations, with weights
 * of a few bits.
 */
#include "graph/expand.h"

#include <inttypes.h>

/* ---- with fused operators ------------------------------------------------------------------ */

/* The activation that |activation| names, with parameters in |activation_alpha| and so on. */
static uint32_t add_activation(tacho_expander *self, uint32_t x)
{
    static const struct {
        const char *name;
        const char *first, *second; /* attributes */
    } known[] = {
        {"Relu", NULL, NULL},
        {"Tanh", NULL, NULL},
        {"Sigmoid", NULL, NULL},
        {"LeakyRelu", "alpha", NULL},
        {"HardSigmoid", "alpha", "beta"},
        {"Softplus", NULL, NULL},
        {"Elu", "alpha", NULL},
        {"Softsign", NULL, NULL},
        {"ThresholdedRelu", "alpha", NULL},
    };
    tacho_str name = tacho_expand_text(self, "activation");
    const tacho_attr *attrs = tacho_graph_attrs(self->graph, &self->origin);
    const tacho_attr *params = tacho_attr_find(attrs, self->origin.attr_count, "activation_params");
    double first = tacho_expand_real(self, "activation_alpha", 0);
    double second = tacho_expand_real(self, "activation_beta", 0);
    if (params != NULL && params->kind == TACHO_ATTR_REALS) {
        first = params->count > 0 ? params->value.as_reals[0] : first;
        second = params->count > 1 ? params->value.as_reals[1] : second;
    }
    if (name.len == 0) {
        return x;
    }
    if (tacho_str_equal(name, TACHO_STR("Clip"))) {
        tacho_dtype dtype = tacho_expand_dtype(self, 0);
        return TACHO_EXPAND_OP(self, "Clip", x, tacho_expand_number(self, dtype, first),
                               tacho_expand_number(self, dtype, second));
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(known[i].name))) {
            if (known[i].first != NULL) {
                tacho_expand_set_real(self, known[i].first, first);
            }
            if (known[i].second != NULL) {
                tacho_expand_set_real(self, known[i].second, second);
            }
            return TACHO_EXPAND_OP(self, known[i].name, x);
        }
    }
    tacho_expand_fail(self, "unknown activation '%.*s'", TACHO_STR_ARG(name));
    return TACHO_NONE;
}

static const char *const activation_attrs[] = {"activation",        "activation_alpha",
                                               "activation_beta",   "activation_gamma",
                                               "activation_params", NULL};

void tacho_expand_fused_gemm(tacho_expander *self)
{
    tacho_expand_need(self, 0, 2, 2);
    tacho_expand_need(self, 1, 2, 2);
    tacho_expand_copy_attrs(self, activation_attrs);
    uint32_t made = TACHO_EXPAND_OP(self, "Gemm", tacho_expand_input(self, 0),
                                    tacho_expand_input(self, 1), tacho_expand_input(self, 2));
    tacho_expand_return(self, 0, add_activation(self, made));
}

/* X, filters, bias, and a summand before the activation. */
void tacho_expand_fused_conv(tacho_expander *self)
{
    tacho_expand_need(self, 0, 3, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 3, TACHO_RANK_MAX);
    tacho_expand_copy_attrs(self, activation_attrs);
    uint32_t made = TACHO_EXPAND_OP(self, "Conv", tacho_expand_input(self, 0),
                                    tacho_expand_input(self, 1), tacho_expand_input(self, 2));
    if (tacho_expand_has(self, 3)) {
        made = TACHO_EXPAND_OP(self, "Add", made, tacho_expand_input(self, 3));
    }
    tacho_expand_return(self, 0, add_activation(self, made));
}

/* ---- transposed ---------------------------------------------------------------------------- */

/*
 * Operand |i| with its last two dimensions exchanged, and with |is_batch_turned| its first one
 * moved after the other batches before that.
 */
static uint32_t turn_operand(tacho_expander *self, size_t i, bool is_turned, bool is_batch_turned)
{
    int32_t rank = tacho_expand_shape(self, i)->rank;
    int64_t order[TACHO_RANK_MAX];
    uint32_t tensor = tacho_expand_input(self, i);
    if (rank < 2 || (!is_turned && !is_batch_turned)) {
        return tensor; /* a vector has nothing to exchange */
    }
    for (int32_t j = 0; j < rank; j++) {
        order[j] = j;
    }
    if (is_batch_turned) {
        for (int32_t j = 0; j + 2 < rank; j++) {
            order[j] = j + 1;
        }
        order[rank - 2] = 0;
    }
    if (is_turned) {
        int64_t last = order[rank - 1];
        order[rank - 1] = order[rank - 2];
        order[rank - 2] = last;
    }
    return tacho_expand_transpose(self, tensor, order, (size_t)rank);
}

/* alpha * A * B, each maybe transposed. */
void tacho_expand_fused_matmul(tacho_expander *self)
{
    tacho_expand_need(self, 0, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 1, TACHO_RANK_MAX);
    double alpha = tacho_expand_real(self, "alpha", 1);
    uint32_t a = turn_operand(self, 0, tacho_expand_int(self, "transA", 0) != 0,
                              tacho_expand_int(self, "transBatchA", 0) != 0);
    uint32_t b = turn_operand(self, 1, tacho_expand_int(self, "transB", 0) != 0,
                              tacho_expand_int(self, "transBatchB", 0) != 0);
    uint32_t made = TACHO_EXPAND_OP(self, "MatMul", a, b);
    if (alpha < 1 || alpha > 1) {
        made = TACHO_EXPAND_OP(self, "Mul", made,
                               tacho_expand_number(self, tacho_expand_dtype(self, 0), alpha));
    }
    tacho_expand_return(self, 0, made);
}

/* ---- weights of few bits ------------------------------------------------------------------- */

/* Sizes of a MatMulNBits. */
typedef struct nbits {
    int64_t depth, columns, block, blocks, bits;
    tacho_dtype dtype; /* of the weights */
} nbits;

static bool read_nbits(tacho_expander *self, nbits *out)
{
    *out = (nbits){.depth = tacho_expand_int(self, "K", 0),
                   .columns = tacho_expand_int(self, "N", 0),
                   .block = tacho_expand_int(self, "block_size", 0),
                   .bits = tacho_expand_int(self, "bits", 4)};
    if (!tacho_expand_need(self, 0, 1, TACHO_RANK_MAX) ||
        !tacho_expand_need(self, 1, 1, TACHO_RANK_MAX) ||
        !tacho_expand_need(self, 2, 1, TACHO_RANK_MAX)) {
        return false;
    }
    const tacho_shape *a = tacho_expand_shape(self, 0);
    if (out->depth < 1 || out->columns < 1 || out->block < 1 || out->block > 1 << 20 ||
        out->depth > INT32_MAX || out->columns > INT32_MAX || a->dims[a->rank - 1] != out->depth) {
        tacho_expand_fail(self,
                          "K is %" PRId64 ", N %" PRId64 ", block_size %" PRId64
                          "; the input has %" PRId64 " columns",
                          out->depth, out->columns, out->block, a->dims[a->rank - 1]);
        return false;
    }
    out->blocks = (out->depth + out->block - 1) / out->block;
    out->dtype = out->bits == 4 ? TACHO_DTYPE_U4 : TACHO_DTYPE_U8;
    self->is_declined = self->is_declined || (out->bits != 4 && out->bits != 8) ||
                        tacho_expand_has(self, 4) || /* groups by column: deprecated */
                        tacho_expand_int(self, "weight_prepacked", 0) != 0 ||
                        tacho_expand_dtype(self, 1) != TACHO_DTYPE_U8;
    return !self->is_declined;
}

/* A constant of |count| equal bytes. */
static uint32_t add_filled(tacho_expander *self, tacho_dtype dtype, const tacho_shape *shape,
                           int byte)
{
    uint64_t count = 0, bytes = 0;
    (void)(tacho_shape_elements(shape, &count) && tacho_dtype_bytes(dtype, count, &bytes));
    uint32_t of_bytes = tacho_expand_splat(
        self, TACHO_DTYPE_U8, &(tacho_shape){.rank = 1, .dims = {(int64_t)bytes}}, byte);
    return tacho_expand_reread(self, of_bytes, dtype, shape);
}

/* One zero point for each block: 2^(bits - 1), given, or packed in rows of whole bytes. */
static uint32_t add_zeros(tacho_expander *self, const nbits *sizes)
{
    tacho_shape shape = {.rank = 2, .dims = {sizes->columns, sizes->blocks}};
    if (!tacho_expand_has(self, 3)) {
        return add_filled(self, sizes->dtype, &shape, sizes->bits == 4 ? 0x88 : 0x80);
    }
    bool is_odd = sizes->bits == 4 && sizes->blocks % 2 == 1;
    shape.dims[1] += is_odd ? 1 : 0;
    uint32_t zeros = tacho_expand_reread(self, tacho_expand_input(self, 3), sizes->dtype, &shape);
    if (is_odd) {
        zeros = tacho_expand_cast(self, zeros, TACHO_DTYPE_U8);
        zeros = tacho_expand_slice(self, zeros, 1, 0, sizes->blocks);
        zeros = tacho_expand_cast(self, zeros, sizes->dtype);
    }
    return zeros;
}

/* (q - zero) * scale with zeros that are reals. */
static uint32_t add_real_weights(tacho_expander *self, const nbits *sizes, uint32_t weights,
                                 uint32_t scales)
{
    tacho_dtype dtype = tacho_expand_dtype(self, 0);
    int64_t by_block[] = {sizes->columns, sizes->blocks, sizes->block};
    int64_t one_each[] = {sizes->columns, sizes->blocks, 1};
    uint32_t q = tacho_expand_reshape(self, tacho_expand_cast(self, weights, dtype), by_block, 3);
    uint32_t zeros = tacho_expand_reshape(self, tacho_expand_input(self, 3), one_each, 3);
    q = TACHO_EXPAND_OP(self, "Sub", q, zeros);
    q = TACHO_EXPAND_OP(self, "Mul", q, tacho_expand_reshape(self, scales, one_each, 3));
    return tacho_expand_reshape(self, q, (int64_t[]){sizes->columns, sizes->blocks * sizes->block},
                                2);
}

/* N x K in reals; a last block that is cut has values that count for nothing. */
static uint32_t add_weights(tacho_expander *self, const nbits *sizes)
{
    int64_t padded = sizes->blocks * sizes->block;
    tacho_shape shape = {.rank = 2, .dims = {sizes->columns, padded}};
    uint32_t weights = tacho_expand_reread(self, tacho_expand_input(self, 1), sizes->dtype, &shape);
    uint32_t scales = tacho_expand_reshape(self, tacho_expand_input(self, 2),
                                           (int64_t[]){sizes->columns, sizes->blocks}, 2);
    uint32_t made;
    if (tacho_expand_has(self, 3) && tacho_expand_dtype(self, 3) != TACHO_DTYPE_U8) {
        made = add_real_weights(self, sizes, weights, scales);
    } else {
        uint32_t zeros = add_zeros(self, sizes);
        tacho_expand_set_int(self, "axis", 1);
        tacho_expand_set_int(self, "block_size", sizes->block);
        made = TACHO_EXPAND_OP(self, "DequantizeLinear", weights, scales, zeros);
    }
    return padded == sizes->depth ? made : tacho_expand_slice(self, made, 1, 0, sizes->depth);
}

/* A, N rows of packed weights, scales, zero points, (groups,) a bias. */
void tacho_expand_matmul_nbits(tacho_expander *self)
{
    nbits sizes;
    if (!read_nbits(self, &sizes)) {
        return;
    }
    const tacho_shape *a = tacho_expand_shape(self, 0);
    int64_t dims[TACHO_RANK_MAX];
    for (int32_t i = 0; i < a->rank; i++) {
        dims[i] = i == a->rank - 1 ? sizes.columns : a->dims[i];
    }
    int64_t rows = tacho_expand_product(self, a->dims, (size_t)a->rank - 1);
    uint32_t flat =
        tacho_expand_reshape(self, tacho_expand_input(self, 0), (int64_t[]){rows, sizes.depth}, 2);
    uint32_t weights = add_weights(self, &sizes);
    tacho_expand_set_int(self, "transB", 1);
    uint32_t made = TACHO_EXPAND_OP(self, "Gemm", flat, weights, tacho_expand_input(self, 5));
    tacho_expand_return(self, 0, tacho_expand_reshape(self, made, dims, (size_t)a->rank));
}

/* ---- recurrent ----------------------------------------------------------------------------- */

/* LSTM has the weights [directions, in, 4 * hidden] as [directions, 4 * hidden, in]. */
static uint32_t add_gates(tacho_expander *self, size_t weights)
{
    tacho_expand_need(self, weights, 3, 3);
    return self->status != TACHO_OK || self->is_declined
               ? TACHO_NONE
               : tacho_expand_transpose(self, tacho_expand_input(self, weights),
                                        (int64_t[]){0, 2, 1}, 3);
}

/*
 * LSTM with weights of 8 bits. Their factors are quantised, too: the inputs of all steps at once
 * here, the hidden state in each step.
 */
void tacho_expand_dynamic_quantise_lstm(tacho_expander *self)
{
    static const char *const none[] = {NULL};
    uint32_t inputs[14], x = tacho_expand_input(self, 0);
    tacho_expand_need(self, 0, 3, 3);
    uint32_t bytes = tacho_expand_add(self, "DynamicQuantizeLinear", &x, 1, 3);
    inputs[0] = bytes;
    inputs[1] = add_gates(self, 1);
    inputs[2] = add_gates(self, 2);
    for (size_t i = 3; i < 8; i++) {
        inputs[i] = tacho_expand_input(self, i);
    }
    inputs[8] = bytes == TACHO_NONE ? TACHO_NONE : bytes + 1;
    inputs[9] = bytes == TACHO_NONE ? TACHO_NONE : bytes + 2;
    for (size_t i = 0; i < 4; i++) {
        inputs[10 + i] = tacho_expand_input(self, 8 + i);
    }
    tacho_expand_copy_attrs(self, none);
    uint32_t made = tacho_expand_add(self, "tacho.QuantisedLSTM", inputs, 14, 3);
    for (uint32_t i = 0; i < 3; i++) {
        tacho_expand_return(self, i, made == TACHO_NONE ? TACHO_NONE : made + i);
    }
}
