/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX Runtime's operators for attention: with the projection of the input before it, with caches
 * that sequences fill to different lengths, with rotary embeddings.
 */
#include "graph/expand_attention.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static const double default_filter = -10000; /* added to masked scores */

/* The least number of a type. */
static double lowest_of(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F16 ? -65504.0 : -(double)FLT_MAX;
}

static tacho_attention new_attention(const tacho_expander *self, tacho_dtype dtype)
{
    return (tacho_attention){.dtype = dtype,
                             .scale = tacho_expand_real(self, "scale", 0),
                             .allowed = TACHO_NONE,
                             .hidden = lowest_of(dtype),
                             .summand = TACHO_NONE,
                             .sink = TACHO_NONE};
}

/* ---- masks --------------------------------------------------------------------------------- */

/* |numbers| [batch] as [batch, 1, 1, 1] of 64 bits. */
static uint32_t by_sequence(tacho_expander *self, uint32_t numbers)
{
    numbers = tacho_expand_cast(self, numbers, TACHO_DTYPE_I64);
    return tacho_expand_reshape(self, numbers, (int64_t[]){-1, 1, 1, 1}, 4);
}

/* Keys before the end of each sequence, and with |has_starts| from its start, listed after ends. */
static uint32_t keys_within(tacho_expander *self, const tacho_attention *of, uint32_t mask,
                            bool has_starts)
{
    uint32_t columns = tacho_attention_columns(self, of->keys);
    uint32_t ends = has_starts ? tacho_expand_slice(self, mask, 0, 0, of->batch) : mask;
    uint32_t within = TACHO_EXPAND_OP(self, "Less", columns, by_sequence(self, ends));
    if (has_starts) {
        uint32_t starts = tacho_expand_slice(self, mask, 0, of->batch, 2 * of->batch);
        within = TACHO_EXPAND_OP(
            self, "And", within,
            TACHO_EXPAND_OP(self, "GreaterOrEqual", columns, by_sequence(self, starts)));
    }
    return within;
}

/* Which keys a mask shows, by its shape; TACHO_NONE and declined for the forms not known here. */
static uint32_t keys_shown(tacho_expander *self, const tacho_attention *of, size_t input)
{
    uint32_t mask = tacho_expand_input(self, input);
    if (!tacho_expand_need(self, input, 1, 4)) {
        return TACHO_NONE;
    }
    tacho_shape shape = *tacho_expand_shape(self, input);
    int64_t past = of->keys - of->tokens;
    if (shape.rank == 1) {
        bool has_starts = shape.dims[0] == 2 * of->batch;
        self->is_declined = self->is_declined || (!has_starts && shape.dims[0] != of->batch);
        return keys_within(self, of, mask, has_starts);
    }
    if (shape.rank == 4) {
        mask = tacho_expand_slice(self, mask, 2, past < 0 ? 0 : past, of->keys);
        mask = tacho_expand_slice(self, mask, 3, 0, of->keys);
    } else {
        int64_t dims[] = {shape.dims[0], 1, shape.rank == 3 ? shape.dims[1] : 1,
                          shape.dims[shape.rank - 1]};
        mask = tacho_expand_reshape(self, mask, dims, 4);
    }
    return TACHO_EXPAND_OP(self, "Greater", mask,
                           tacho_expand_number(self, tacho_expand_dtype(self, input), 0));
}

/* A mask that lowers scores rather than hiding them, and another summand. */
static void add_mask(tacho_expander *self, tacho_attention *of, size_t mask, size_t summand)
{
    if (tacho_expand_has(self, mask)) {
        double filter = tacho_expand_real(self, "mask_filter_value", default_filter);
        of->summand = TACHO_EXPAND_OP(self, "Where", keys_shown(self, of, mask),
                                      tacho_expand_number(self, of->dtype, 0),
                                      tacho_expand_number(self, of->dtype, filter));
    }
    if (tacho_expand_has(self, summand)) {
        uint32_t more = tacho_expand_input(self, summand);
        of->summand =
            of->summand == TACHO_NONE ? more : TACHO_EXPAND_OP(self, "Add", of->summand, more);
    }
}

/* No key after the token. */
static void add_order(tacho_expander *self, tacho_attention *of)
{
    if (tacho_expand_int(self, "unidirectional", 0) != 0) {
        uint32_t rows = tacho_attention_rows(self, of->tokens, of->keys - of->tokens);
        of->allowed =
            TACHO_EXPAND_OP(self, "LessOrEqual", tacho_attention_columns(self, of->keys), rows);
    }
}

static void return_joined(tacho_expander *self, tacho_attention *of)
{
    int64_t dims[] = {of->batch, of->heads, of->tokens, of->value_width};
    uint32_t made = tacho_attention_add(self, of);
    tacho_expand_return(self, 0, tacho_attention_join(self, made, dims));
}

/* ---- Attention, QAttention ----------------------------------------------------------------- */

/* Where the inputs of an operator are. */
typedef struct projected {
    uint32_t all; /* [batch, tokens, queries + keys + values] */
    size_t mask, past, summand;
    int64_t sizes[3];
} projected;

/* Part |i| of the projection, with heads before tokens. */
static uint32_t part_of(tacho_expander *self, const tacho_attention *of, const projected *from,
                        size_t i)
{
    int64_t begin = 0;
    for (size_t j = 0; j < i; j++) {
        begin += from->sizes[j];
    }
    int64_t dims[] = {of->batch, of->heads, of->tokens, from->sizes[i] / of->heads};
    uint32_t part = tacho_expand_slice(self, from->all, 2, begin, begin + from->sizes[i]);
    return tacho_attention_split(self, part, dims);
}

/* Keys or values of the past, [2, batch, heads, tokens, width], before those of now. */
static uint32_t after_past(tacho_expander *self, const tacho_attention *of, const projected *from,
                           size_t i)
{
    uint32_t now = part_of(self, of, from, i);
    if (!tacho_expand_has(self, from->past)) {
        return now;
    }
    int64_t first = (int64_t)i - 1;
    uint32_t before =
        tacho_expand_slice(self, tacho_expand_input(self, from->past), 0, first, first + 1);
    before = TACHO_EXPAND_OP(self, "Squeeze", before, TACHO_EXPAND_INTS(self, 0));
    return tacho_expand_concat(self, before, now, 2);
}

static bool check_projected(tacho_expander *self, const tacho_attention *of, const projected *from)
{
    bool is_fit = of->heads > 0;
    for (size_t i = 0; i < 3; i++) {
        is_fit = is_fit && from->sizes[i] > 0 && from->sizes[i] < INT32_MAX &&
                 from->sizes[i] % of->heads == 0;
    }
    if (!is_fit || from->sizes[0] != from->sizes[1]) {
        tacho_expand_fail(
            self, "num_heads is %" PRId64 ", sizes are %" PRId64 ", %" PRId64 " and %" PRId64,
            of->heads, from->sizes[0], from->sizes[1], from->sizes[2]);
        return false;
    }
    self->is_declined = self->is_declined || tacho_expand_int(self, "do_rotary", 0) != 0 ||
                        tacho_expand_int(self, "past_present_share_buffer", 0) != 0;
    return !self->is_declined;
}

static void attend_projected(tacho_expander *self, tacho_dtype dtype, const projected *from)
{
    tacho_attention of = new_attention(self, dtype);
    of.batch = tacho_expand_shape(self, 0)->dims[0];
    of.tokens = of.keys = tacho_expand_shape(self, 0)->dims[1];
    of.heads = of.kv_heads = tacho_expand_int(self, "num_heads", 0);
    if (!check_projected(self, &of, from)) {
        return;
    }
    of.width = from->sizes[0] / of.heads;
    of.value_width = from->sizes[2] / of.heads;
    of.query = part_of(self, &of, from, 0);
    of.key = after_past(self, &of, from, 1);
    of.value = after_past(self, &of, from, 2);
    if (tacho_expand_has(self, from->past) && tacho_expand_need(self, from->past, 5, 5)) {
        of.keys += tacho_expand_shape(self, from->past)->dims[3];
    }
    if (tacho_expand_wants(self, 1)) {
        uint32_t first = TACHO_EXPAND_INTS(self, 0);
        tacho_expand_return(
            self, 1,
            tacho_expand_concat(self, TACHO_EXPAND_OP(self, "Unsqueeze", of.key, first),
                                TACHO_EXPAND_OP(self, "Unsqueeze", of.value, first), 0));
    }
    add_mask(self, &of, from->mask, from->summand);
    add_order(self, &of);
    return_joined(self, &of);
}

/* Sizes of queries, keys and values in the columns of the weights. */
static bool read_sizes(tacho_expander *self, projected *out)
{
    size_t count;
    const int64_t *sizes = tacho_attr_ints(tacho_graph_attrs(self->graph, &self->origin),
                                           self->origin.attr_count, "qkv_hidden_sizes", &count);
    if (!tacho_expand_need(self, 0, 3, 3) || !tacho_expand_need(self, 1, 2, 2)) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        out->sizes[i] =
            sizes != NULL && count == 3 ? sizes[i] : tacho_expand_shape(self, 1)->dims[1] / 3;
    }
    return true;
}

/* Input, weights, bias, mask, past, summand. */
void tacho_expand_attention(tacho_expander *self)
{
    projected from = {.mask = 3, .past = 4, .summand = 5};
    if (!read_sizes(self, &from)) {
        return;
    }
    from.all =
        TACHO_EXPAND_OP(self, "MatMul", tacho_expand_input(self, 0), tacho_expand_input(self, 1));
    if (tacho_expand_has(self, 2)) {
        from.all = TACHO_EXPAND_OP(self, "Add", from.all, tacho_expand_input(self, 2));
    }
    attend_projected(self, tacho_expand_dtype(self, 0), &from);
}

/* Input and weights in bytes, bias, their scales, mask, their zero points, past. */
void tacho_expand_qattention(tacho_expander *self)
{
    projected from = {.mask = 5, .past = 8, .summand = SIZE_MAX};
    if (!read_sizes(self, &from) || !tacho_expand_need(self, 3, 0, 1) ||
        !tacho_expand_need(self, 4, 0, 1)) {
        return;
    }
    uint32_t product = TACHO_EXPAND_OP(self, "MatMulInteger", tacho_expand_input(self, 0),
                                       tacho_expand_input(self, 1), tacho_expand_input(self, 6),
                                       tacho_expand_input(self, 7));
    uint32_t scale =
        TACHO_EXPAND_OP(self, "Mul", tacho_expand_input(self, 3), tacho_expand_input(self, 4));
    from.all =
        TACHO_EXPAND_OP(self, "Mul", tacho_expand_cast(self, product, TACHO_DTYPE_F32), scale);
    if (tacho_expand_has(self, 2)) {
        from.all = TACHO_EXPAND_OP(self, "Add", from.all, tacho_expand_input(self, 2));
    }
    attend_projected(self, TACHO_DTYPE_F32, &from);
}

/* ---- MultiHeadAttention -------------------------------------------------------------------- */

enum { QUERY, KEY, VALUE, BIAS, PADDING, SUMMAND, PAST_KEY, PAST_VALUE };

/* |count| columns of the bias from |begin| on, added. */
static uint32_t add_bias(tacho_expander *self, uint32_t tensor, int64_t begin, int64_t count)
{
    if (!tacho_expand_has(self, BIAS)) {
        return tensor;
    }
    uint32_t bias =
        tacho_expand_slice(self, tacho_expand_input(self, BIAS), 0, begin, begin + count);
    return TACHO_EXPAND_OP(self, "Add", tensor, bias);
}

/* Part |i| of packed [batch, tokens, heads, parts, width], with heads before tokens. */
static uint32_t unpack(tacho_expander *self, size_t input, int64_t i)
{
    uint32_t part = tacho_expand_slice(self, tacho_expand_input(self, input), 3, i, i + 1);
    part = TACHO_EXPAND_OP(self, "Squeeze", part, TACHO_EXPAND_INTS(self, 3));
    return tacho_expand_transpose(self, part, (int64_t[]){0, 2, 1, 3}, 4);
}

/* Sets sizes and query, key and value of the form that the inputs have. */
static bool read_parts(tacho_expander *self, tacho_attention *of)
{
    const tacho_shape *query = tacho_expand_shape(self, QUERY);
    const tacho_shape *key = tacho_expand_shape(self, KEY),
                      *value = tacho_expand_shape(self, VALUE);
    of->heads = of->kv_heads = tacho_expand_int(self, "num_heads", 0);
    of->batch = query->dims[0];
    of->tokens = of->keys = query->dims[1];
    if (query->rank == 5) {
        of->width = of->value_width = query->dims[4];
        of->query = unpack(self, QUERY, 0);
        of->key = unpack(self, QUERY, 1);
        of->value = unpack(self, QUERY, 2);
        self->is_declined = self->is_declined || tacho_expand_has(self, BIAS);
        return query->dims[3] == 3 && query->dims[2] == of->heads;
    }
    if (of->heads < 1 || query->rank != 3 || query->dims[2] % of->heads != 0 ||
        !tacho_expand_need(self, KEY, 3, 5)) {
        return false;
    }
    of->width = of->value_width = query->dims[2] / of->heads;
    int64_t dims[] = {of->batch, of->heads, of->tokens, of->width};
    of->query = tacho_attention_split(
        self, add_bias(self, tacho_expand_input(self, QUERY), 0, query->dims[2]), dims);
    of->keys = key->dims[key->rank == 4 ? 2 : 1];
    if (key->rank == 5) {
        of->key = unpack(self, KEY, 0);
        of->value = unpack(self, KEY, 1);
        return key->dims[3] == 2;
    }
    if (!tacho_expand_need(self, VALUE, key->rank, key->rank)) {
        return false;
    }
    of->key = tacho_expand_input(self, KEY);
    of->value = tacho_expand_input(self, VALUE);
    if (key->rank == 4) { /* of an encoder: heads are before tokens, biases are added */
        of->value_width = value->dims[3];
        return true;
    }
    int64_t key_dims[] = {of->batch, of->heads, of->keys, of->width};
    int64_t value_dims[] = {of->batch, of->heads, of->keys, value->dims[2] / of->heads};
    of->value_width = value_dims[3];
    of->key = tacho_attention_split(self, add_bias(self, of->key, query->dims[2], key->dims[2]),
                                    key_dims);
    of->value = tacho_attention_split(
        self, add_bias(self, of->value, 2 * query->dims[2], value->dims[2]), value_dims);
    return value->dims[2] % of->heads == 0;
}

/* Query, key, value, bias, padding mask, summand, past keys and values. */
void tacho_expand_multi_head_attention(tacho_expander *self)
{
    tacho_attention of = new_attention(self, tacho_expand_dtype(self, QUERY));
    if (!tacho_expand_need(self, QUERY, 3, 5)) {
        return;
    }
    self->is_declined = self->is_declined || tacho_expand_has(self, 8) ||
                        tacho_expand_has(self, 9) || tacho_expand_wants(self, 3);
    if (!read_parts(self, &of)) {
        tacho_expand_fail(self, "the shapes of query, key and value do not fit num_heads, %" PRId64,
                          of.heads);
        return;
    }
    if (tacho_expand_has(self, PAST_KEY) && tacho_expand_need(self, PAST_KEY, 4, 4) &&
        tacho_expand_need(self, PAST_VALUE, 4, 4)) {
        of.keys += tacho_expand_shape(self, PAST_KEY)->dims[2];
        of.key = tacho_expand_concat(self, tacho_expand_input(self, PAST_KEY), of.key, 2);
        of.value = tacho_expand_concat(self, tacho_expand_input(self, PAST_VALUE), of.value, 2);
    }
    add_mask(self, &of, PADDING, SUMMAND);
    add_order(self, &of);
    return_joined(self, &of);
    tacho_expand_return(self, 1, of.key);
    tacho_expand_return(self, 2, of.value);
}
