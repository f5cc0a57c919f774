/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores, masks, softmax and sums of attention; and ONNX's own operators for it.
 */
#include "graph/expand_attention.h"

#include "graph/onnx_infer.h"

#include <inttypes.h>
#include <math.h>

/* ---- shapes -------------------------------------------------------------------------------- */

static uint32_t swap_middle(tacho_expander *self, uint32_t tensor)
{
    return tacho_expand_transpose(self, tensor, (int64_t[]){0, 2, 1, 3}, 4);
}

uint32_t tacho_attention_split(tacho_expander *self, uint32_t tensor, const int64_t dims[4])
{
    int64_t split[] = {dims[0], dims[2], dims[1], dims[3]};
    return swap_middle(self, tacho_expand_reshape(self, tensor, split, 4));
}

uint32_t tacho_attention_join(tacho_expander *self, uint32_t tensor, const int64_t dims[4])
{
    int64_t width = tacho_expand_product(self, (int64_t[]){dims[1], dims[3]}, 2);
    int64_t joined[] = {dims[0], dims[2], width};
    return tacho_expand_reshape(self, swap_middle(self, tensor), joined, 3);
}

static uint32_t add_count(tacho_expander *self, int64_t count, int64_t first, bool is_column)
{
    tacho_dtype type = TACHO_DTYPE_I64;
    int64_t dims[] = {is_column ? count : 1, is_column ? 1 : count};
    int64_t end;
    if (count < 0 || __builtin_add_overflow(first, count, &end)) {
        tacho_expand_fail(self, "its sizes are too large");
        end = first;
    }
    uint32_t numbers = TACHO_EXPAND_OP(self, "Range", tacho_expand_int_number(self, type, first),
                                       tacho_expand_int_number(self, type, end),
                                       tacho_expand_int_number(self, type, 1));
    return tacho_expand_reshape(self, numbers, dims, 2);
}

uint32_t tacho_attention_columns(tacho_expander *self, int64_t keys)
{
    return add_count(self, keys, 0, false);
}

uint32_t tacho_attention_rows(tacho_expander *self, int64_t tokens, int64_t first)
{
    return add_count(self, tokens, first, true);
}

uint32_t tacho_attention_both(tacho_expander *self, uint32_t a, uint32_t b)
{
    return a == TACHO_NONE ? b : b == TACHO_NONE ? a : TACHO_EXPAND_OP(self, "And", a, b);
}

/* ---- scores -------------------------------------------------------------------------------- */

/* Scores [batch, heads, tokens, keys]: heads that share a key are rows of one product. */
static uint32_t add_scores(tacho_expander *self, const tacho_attention *of)
{
    int64_t rows = tacho_expand_product(self, (int64_t[]){of->heads / of->kv_heads, of->tokens}, 2);
    double scale = of->scale > 0 || of->scale < 0 ? of->scale : 1 / sqrt((double)of->width);
    uint32_t query =
        TACHO_EXPAND_OP(self, "Mul", of->query, tacho_expand_number(self, of->dtype, scale));
    uint32_t key = tacho_expand_transpose(self, of->key, (int64_t[]){0, 1, 3, 2}, 4);
    bool is_grouped = of->heads != of->kv_heads;
    if (is_grouped) {
        query = tacho_expand_reshape(self, query,
                                     (int64_t[]){of->batch, of->kv_heads, rows, of->width}, 4);
    }
    uint32_t scores = TACHO_EXPAND_OP(self, "MatMul", query, key);
    if (is_grouped) {
        scores = tacho_expand_reshape(self, scores,
                                      (int64_t[]){of->batch, of->heads, of->tokens, of->keys}, 4);
    }
    return scores;
}

static uint32_t add_cap(tacho_expander *self, const tacho_attention *of, uint32_t scores)
{
    if (!(of->softcap > 0)) {
        return scores;
    }
    uint32_t cap = tacho_expand_number(self, of->dtype, of->softcap);
    scores = TACHO_EXPAND_OP(self, "Tanh", TACHO_EXPAND_OP(self, "Div", scores, cap));
    return TACHO_EXPAND_OP(self, "Mul", scores, cap);
}

static uint32_t add_masks(tacho_expander *self, const tacho_attention *of, uint32_t scores)
{
    if (of->summand != TACHO_NONE) {
        scores = TACHO_EXPAND_OP(self, "Add", scores, of->summand);
    }
    if (of->allowed != TACHO_NONE) {
        scores = TACHO_EXPAND_OP(self, "Where", of->allowed, scores,
                                 tacho_expand_number(self, of->dtype, of->hidden));
    }
    return scores;
}

/* Shares of one row; with a sink, one score more takes a share that goes nowhere. */
static uint32_t add_shares(tacho_expander *self, const tacho_attention *of, uint32_t scores)
{
    bool is_cast = of->softmax_type != TACHO_DTYPE_NONE && of->softmax_type != of->dtype;
    if (of->sink != TACHO_NONE) {
        uint32_t dims = TACHO_EXPAND_INTS(self, of->batch, of->heads, of->tokens, 1);
        scores =
            tacho_expand_concat(self, scores, TACHO_EXPAND_OP(self, "Expand", of->sink, dims), 3);
    }
    if (is_cast) {
        scores = tacho_expand_cast(self, scores, of->softmax_type);
    }
    tacho_expand_set_int(self, "axis", -1);
    uint32_t shares = TACHO_EXPAND_OP(self, "Softmax", scores);
    if (is_cast) {
        shares = tacho_expand_cast(self, shares, of->dtype);
    }
    if (of->sink != TACHO_NONE) {
        shares = tacho_expand_slice(self, shares, 3, 0, of->keys);
    }
    if (of->allowed != TACHO_NONE && of->may_be_empty) {
        shares = TACHO_EXPAND_OP(self, "Where", of->allowed, shares,
                                 tacho_expand_number(self, of->dtype, 0));
    }
    return shares;
}

static uint32_t add_sums(tacho_expander *self, const tacho_attention *of, uint32_t shares)
{
    bool is_grouped = of->heads != of->kv_heads;
    int64_t rows = tacho_expand_product(self, (int64_t[]){of->heads / of->kv_heads, of->tokens}, 2);
    if (is_grouped) {
        shares = tacho_expand_reshape(self, shares,
                                      (int64_t[]){of->batch, of->kv_heads, rows, of->keys}, 4);
    }
    uint32_t made = TACHO_EXPAND_OP(self, "MatMul", shares, of->value);
    if (is_grouped) {
        made = tacho_expand_reshape(
            self, made, (int64_t[]){of->batch, of->heads, of->tokens, of->value_width}, 4);
    }
    return made;
}

uint32_t tacho_attention_add(tacho_expander *self, tacho_attention *of)
{
    if (of->heads < 1 || of->kv_heads < 1 || of->heads % of->kv_heads != 0) {
        tacho_expand_fail(self, "%" PRId64 " heads cannot share %" PRId64 " of key and value",
                          of->heads, of->kv_heads);
        return TACHO_NONE;
    }
    of->shown[TACHO_SCORES_PRODUCT] = add_scores(self, of);
    of->shown[TACHO_SCORES_CAPPED] = add_cap(self, of, of->shown[TACHO_SCORES_PRODUCT]);
    of->shown[TACHO_SCORES_MASKED] = add_masks(self, of, of->shown[TACHO_SCORES_CAPPED]);
    of->shown[TACHO_SCORES_SHARES] = add_shares(self, of, of->shown[TACHO_SCORES_MASKED]);
    return add_sums(self, of, of->shown[TACHO_SCORES_SHARES]);
}

/* ---- rotary embeddings --------------------------------------------------------------------- */

/* The first (|part| 0) or second of each pair. */
static uint32_t part_of(tacho_expander *self, const tacho_rotation *how, uint32_t tensor,
                        int64_t part)
{
    int64_t half = how->width / 2;
    if (!how->is_interleaved) {
        return tacho_expand_slice(self, tensor, 3, part * half, (part + 1) * half);
    }
    int64_t pairs[] = {how->dims[0], how->dims[1], how->dims[2], half, 2};
    int64_t singles[] = {how->dims[0], how->dims[1], how->dims[2], half};
    tensor = tacho_expand_reshape(self, tensor, pairs, 5);
    return tacho_expand_reshape(self, tacho_expand_slice(self, tensor, 4, part, part + 1), singles,
                                4);
}

static uint32_t join_parts(tacho_expander *self, const tacho_rotation *how, uint32_t first,
                           uint32_t second)
{
    if (!how->is_interleaved) {
        return tacho_expand_concat(self, first, second, 3);
    }
    int64_t each[] = {how->dims[0], how->dims[1], how->dims[2], how->width / 2, 1};
    int64_t all[] = {how->dims[0], how->dims[1], how->dims[2], how->width};
    uint32_t pairs = tacho_expand_concat(self, tacho_expand_reshape(self, first, each, 5),
                                         tacho_expand_reshape(self, second, each, 5), 4);
    return tacho_expand_reshape(self, pairs, all, 4);
}

uint32_t tacho_rotation_add(tacho_expander *self, uint32_t tensor, const tacho_rotation *how)
{
    int64_t width = how->dims[3];
    if (how->width < 0 || how->width > width || how->width % 2 != 0) {
        tacho_expand_fail(self, "%" PRId64 " of %" PRId64 " columns cannot be rotated in pairs",
                          how->width, width);
        return TACHO_NONE;
    }
    uint32_t axis = TACHO_EXPAND_INTS(self, how->heads_axis);
    uint32_t cosine = TACHO_EXPAND_OP(self, "Unsqueeze", how->cosine, axis);
    uint32_t sine = TACHO_EXPAND_OP(self, "Unsqueeze", how->sine, axis);
    uint32_t turned = tensor;
    if (how->width < width) {
        turned = tacho_expand_slice(self, tensor, 3, 0, how->width);
    }
    uint32_t a = part_of(self, how, turned, 0), b = part_of(self, how, turned, 1);
    uint32_t first = TACHO_EXPAND_OP(self, "Sub", TACHO_EXPAND_OP(self, "Mul", a, cosine),
                                     TACHO_EXPAND_OP(self, "Mul", b, sine));
    uint32_t second = TACHO_EXPAND_OP(self, "Add", TACHO_EXPAND_OP(self, "Mul", a, sine),
                                      TACHO_EXPAND_OP(self, "Mul", b, cosine));
    turned = join_parts(self, how, first, second);
    if (how->width < width) {
        turned = tacho_expand_concat(self, turned,
                                     tacho_expand_slice(self, tensor, 3, how->width, width), 3);
    }
    return turned;
}

/* X, caches of cosines and sines, positions; without these the caches are for each token. */
void tacho_expand_rotary_embedding(tacho_expander *self)
{
    tacho_rotation how = {.heads_axis = 1,
                          .width = tacho_expand_int(self, "rotary_embedding_dim", 0)};
    uint32_t x = tacho_expand_input(self, 0), caches[2];
    if (!tacho_expand_need(self, 0, 3, 4) || !tacho_expand_need(self, 1, 2, 3) ||
        !tacho_expand_need(self, 2, 2, 3)) {
        return;
    }
    const tacho_shape *shape = tacho_expand_shape(self, 0);
    memcpy(how.dims, shape->dims, sizeof(how.dims));
    if (shape->rank == 3) {
        int64_t heads = tacho_expand_int(self, "num_heads", 0);
        if (heads < 1 || shape->dims[2] % heads != 0) {
            tacho_expand_fail(self, "num_heads is %" PRId64 " for a width of %" PRId64, heads,
                              shape->dims[2]);
            return;
        }
        how.dims[2] = heads;
        how.dims[3] = shape->dims[2] / heads;
        how.heads_axis = 2;
        x = tacho_expand_reshape(self, x, how.dims, 4);
    }
    how.width = how.width == 0 ? how.dims[3] : how.width;
    how.is_interleaved = tacho_expand_int(self, "interleaved", 0) != 0;
    for (size_t i = 0; i < 2; i++) {
        caches[i] = tacho_expand_input(self, i + 1);
        if (tacho_expand_has(self, 3)) {
            tacho_expand_set_int(self, "axis", 0);
            caches[i] = TACHO_EXPAND_OP(self, "Gather", caches[i], tacho_expand_input(self, 3));
        }
    }
    how.cosine = caches[0];
    how.sine = caches[1];
    uint32_t made = tacho_rotation_add(self, x, &how);
    if (shape->rank == 3) {
        made = tacho_expand_reshape(self, made, tacho_expand_shape(self, 0)->dims, 3);
    }
    tacho_expand_return(self, 0, made);
}

/* ---- ONNX's Attention ---------------------------------------------------------------------- */

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS };

/* Sizes of a query, key or value: heads before tokens, or tokens of |heads| heads. */
static bool read_heads(tacho_expander *self, size_t input, const char *attr, int64_t out_dims[4])
{
    if (!tacho_expand_need(self, input, 3, 4)) {
        return false;
    }
    const tacho_shape *shape = tacho_expand_shape(self, input);
    int64_t heads = tacho_expand_int(self, attr, 0);
    memcpy(out_dims, shape->dims, 4 * sizeof(*out_dims));
    if (shape->rank == 4) {
        return true;
    }
    if (heads < 1 || shape->dims[2] % heads != 0) {
        tacho_expand_fail(self, "%s is %" PRId64 " for a width of %" PRId64, attr, heads,
                          shape->dims[2]);
        return false;
    }
    out_dims[1] = heads;
    out_dims[2] = shape->dims[1];
    out_dims[3] = shape->dims[2] / heads;
    return true;
}

static uint32_t with_heads(tacho_expander *self, size_t input, const int64_t dims[4])
{
    uint32_t tensor = tacho_expand_input(self, input);
    bool is_split = tacho_expand_shape(self, input)->rank == 4;
    return is_split ? tensor : tacho_attention_split(self, tensor, dims);
}

/* The past at input |past|, and then |tensor|. */
static uint32_t with_past(tacho_expander *self, size_t past, uint32_t tensor)
{
    return tacho_expand_has(self, past)
               ? tacho_expand_concat(self, tacho_expand_input(self, past), tensor, 2)
               : tensor;
}

/* Tokens before the first query: of the past, or of a cache that is filled so far. */
static uint32_t add_places(tacho_expander *self, const tacho_attention *of)
{
    int64_t past =
        tacho_expand_has(self, PAST_KEY) ? tacho_expand_shape(self, PAST_KEY)->dims[2] : 0;
    uint32_t places = tacho_attention_rows(self, of->tokens, past);
    if (past == 0 && tacho_expand_has(self, LENGTHS)) {
        uint32_t more = TACHO_EXPAND_OP(self, "Sub", tacho_expand_input(self, LENGTHS),
                                        TACHO_EXPAND_INTS(self, of->tokens));
        more = tacho_expand_reshape(self, more, (int64_t[]){-1, 1, 1, 1}, 4);
        places = TACHO_EXPAND_OP(self, "Add", places, more);
    }
    return places;
}

/* Keys that are not after the token, within its window, and not padding. */
static void add_order(tacho_expander *self, tacho_attention *of)
{
    int64_t left = tacho_expand_int(self, "left_window_size", -1);
    int64_t right = tacho_expand_int(self, "right_window_size", -1);
    bool is_causal = tacho_expand_int(self, "is_causal", 0) != 0;
    if (!is_causal && left < 0 && right < 0 && !tacho_expand_has(self, LENGTHS)) {
        return;
    }
    uint32_t columns = tacho_attention_columns(self, of->keys), places = add_places(self, of);
    if (is_causal) {
        of->allowed = tacho_attention_both(self, of->allowed,
                                           TACHO_EXPAND_OP(self, "LessOrEqual", columns, places));
    }
    if (left >= 0) {
        uint32_t first = TACHO_EXPAND_OP(self, "Sub", places, TACHO_EXPAND_INTS(self, left));
        of->allowed = tacho_attention_both(self, of->allowed,
                                           TACHO_EXPAND_OP(self, "GreaterOrEqual", columns, first));
    }
    if (right >= 0) {
        uint32_t last = TACHO_EXPAND_OP(self, "Add", places, TACHO_EXPAND_INTS(self, right));
        of->allowed = tacho_attention_both(self, of->allowed,
                                           TACHO_EXPAND_OP(self, "LessOrEqual", columns, last));
    }
    if (tacho_expand_has(self, LENGTHS)) {
        uint32_t lengths = tacho_expand_reshape(self, tacho_expand_input(self, LENGTHS),
                                                (int64_t[]){-1, 1, 1, 1}, 4);
        of->allowed = tacho_attention_both(self, of->allowed,
                                           TACHO_EXPAND_OP(self, "Less", columns, lengths));
    }
    of->may_be_empty =
        of->may_be_empty || left >= 0 || right >= 0 || tacho_expand_has(self, LENGTHS);
}

/* A mask of fewer keys than there are hides the others. */
static void add_given_mask(tacho_expander *self, tacho_attention *of)
{
    if (!tacho_expand_has(self, MASK) || !tacho_expand_need(self, MASK, 1, 4)) {
        return;
    }
    tacho_shape shape = *tacho_expand_shape(self, MASK);
    bool is_bool = tacho_expand_dtype(self, MASK) == TACHO_DTYPE_BOOL;
    uint32_t mask = tacho_expand_input(self, MASK);
    if (!is_bool && tacho_expand_dtype(self, MASK) != of->dtype) {
        tacho_expand_fail(self, "a mask of %s; expected bool, or %s as the query",
                          tacho_dtype_name(tacho_expand_dtype(self, MASK)),
                          tacho_dtype_name(of->dtype));
        return;
    }
    int64_t *last = &shape.dims[shape.rank - 1];
    if (*last != 1 && *last < of->keys) {
        *last = of->keys - *last;
        mask = tacho_expand_concat(self, mask,
                                   tacho_expand_splat(self, tacho_expand_dtype(self, MASK), &shape,
                                                      is_bool ? 0 : -(double)INFINITY),
                                   shape.rank - 1);
    }
    if (is_bool) {
        of->allowed = mask;
        of->may_be_empty = true;
    } else {
        of->summand = mask;
    }
}

/* Q, K, V, mask, past keys and values, lengths of caches. */
void tacho_expand_onnx_attention(tacho_expander *self)
{
    int64_t query[4], key[4], value[4];
    if (!read_heads(self, QUERY, "q_num_heads", query) ||
        !read_heads(self, KEY, "kv_num_heads", key) ||
        !read_heads(self, VALUE, "kv_num_heads", value) ||
        (tacho_expand_has(self, PAST_KEY) && !tacho_expand_need(self, PAST_KEY, 4, 4)) ||
        (tacho_expand_has(self, PAST_VALUE) && !tacho_expand_need(self, PAST_VALUE, 4, 4)) ||
        (tacho_expand_has(self, LENGTHS) && !tacho_expand_need(self, LENGTHS, 1, 1))) {
        return;
    }
    uint32_t keys = with_past(self, PAST_KEY, with_heads(self, KEY, key));
    uint32_t values = with_past(self, PAST_VALUE, with_heads(self, VALUE, value));
    int64_t past =
        tacho_expand_has(self, PAST_KEY) ? tacho_expand_shape(self, PAST_KEY)->dims[2] : 0;
    tacho_attention of = {.dtype = tacho_expand_dtype(self, QUERY),
                          .batch = query[0],
                          .heads = query[1],
                          .kv_heads = key[1],
                          .tokens = query[2],
                          .width = query[3],
                          .value_width = value[3],
                          .query = with_heads(self, QUERY, query),
                          .key = keys,
                          .value = values,
                          .scale = tacho_expand_real(self, "scale", 0),
                          .softcap = tacho_expand_real(self, "softcap", 0),
                          .allowed = TACHO_NONE,
                          .hidden = -(double)INFINITY,
                          .summand = TACHO_NONE,
                          .sink = TACHO_NONE,
                          .softmax_type =
                              tacho_onnx_dtype_of(tacho_expand_int(self, "softmax_precision", 0))};
    if (__builtin_add_overflow(key[2], past, &of.keys)) {
        tacho_expand_fail(self, "too many tokens");
        return;
    }
    add_given_mask(self, &of);
    add_order(self, &of);
    uint32_t made = tacho_attention_add(self, &of);
    int64_t mode = tacho_expand_int(self, "qk_matmul_output_mode", 0);
    int64_t joined[] = {query[0], query[1], query[2], value[3]};
    if (tacho_expand_shape(self, QUERY)->rank == 3) {
        made = tacho_attention_join(self, made, joined);
    }
    tacho_expand_return(self, 3, of.shown[mode >= 0 && mode < TACHO_SCORES_STAGES ? mode : 0]);
    tacho_expand_return(self, 1, keys);
    tacho_expand_return(self, 2, values);
    tacho_expand_return(self, 0, made);
}
