/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX Runtime's GroupQueryAttention, and its RotaryEmbedding. The sequences of a batch fill their
 * caches to different lengths, which are values of an input: new keys and values are written where
 * each sequence ends, and each token sees the keys up to its own place.
 */
#include "graph/expand_attention.h"

#include <float.h>
#include <inttypes.h>

/* ---- RotaryEmbedding ----------------------------------------------------------------------- */

/* Rows of the caches for |places|, [batch or 1, tokens]. */
static void take_rows(tacho_expander *self, tacho_rotation *how, size_t cosine, uint32_t places)
{
    tacho_expand_set_int(self, "axis", 0);
    how->cosine = TACHO_EXPAND_OP(self, "Gather", tacho_expand_input(self, cosine), places);
    tacho_expand_set_int(self, "axis", 0);
    how->sine = TACHO_EXPAND_OP(self, "Gather", tacho_expand_input(self, cosine + 1), places);
}

/* Heads of |x|: as given, or by the caches' width. */
static bool read_rotation(tacho_expander *self, tacho_rotation *how)
{
    const tacho_shape *shape = tacho_expand_shape(self, 0), *cache = tacho_expand_shape(self, 2);
    int64_t heads = tacho_expand_int(self, "num_heads", 0);
    memcpy(how->dims, shape->dims, sizeof(how->dims));
    how->width = tacho_expand_int(self, "rotary_embedding_dim", 0);
    how->heads_axis = 1;
    how->is_interleaved = tacho_expand_int(self, "interleaved", 0) != 0;
    if (shape->rank == 3) {
        int64_t width = heads > 0 ? shape->dims[2] / heads : 2 * cache->dims[1];
        if (width < 1 || shape->dims[2] % width != 0) {
            tacho_expand_fail(self, "heads of %" PRId64 " columns do not fit a width of %" PRId64,
                              width, shape->dims[2]);
            return false;
        }
        how->dims[2] = shape->dims[2] / width;
        how->dims[3] = width;
        how->heads_axis = 2;
    }
    how->width = how->width == 0 ? how->dims[3] : how->width;
    return true;
}

/* X, positions, caches of cosines and sines. One position is that of the first token. */
void tacho_expand_rotate(tacho_expander *self)
{
    tacho_rotation how;
    double scale = tacho_expand_real(self, "scale", 1);
    if (!tacho_expand_need(self, 0, 3, 4) || !tacho_expand_need(self, 1, 1, 2) ||
        !tacho_expand_need(self, 2, 2, 2) || !tacho_expand_need(self, 3, 2, 2) ||
        !read_rotation(self, &how)) {
        return;
    }
    self->is_declined = self->is_declined || scale < 1 || scale > 1 ||
                        tacho_expand_int(self, "is_packed_batching", 0) != 0;
    uint32_t x = tacho_expand_input(self, 0), places = tacho_expand_input(self, 1);
    bool is_flat = how.heads_axis == 2;
    int64_t tokens = how.dims[is_flat ? 1 : 2];
    if (tacho_expand_shape(self, 1)->rank == 1) {
        uint32_t rows = tacho_attention_rows(self, tokens, 0);
        rows = TACHO_EXPAND_OP(self, "Add", rows, tacho_expand_cast(self, places, TACHO_DTYPE_I64));
        places = tacho_expand_reshape(self, rows, (int64_t[]){1, tokens}, 2);
    }
    take_rows(self, &how, 2, places);
    x = is_flat ? tacho_expand_reshape(self, x, how.dims, 4) : x;
    uint32_t made = tacho_rotation_add(self, x, &how);
    if (is_flat) {
        made = tacho_expand_reshape(self, made, tacho_expand_shape(self, 0)->dims, 3);
    }
    tacho_expand_return(self, 0, made);
}

/* ---- GroupQueryAttention ------------------------------------------------------------------- */

enum {
    QUERY,
    KEY,
    VALUE,
    PAST_KEY,
    PAST_VALUE,
    LENGTHS,
    TOTAL,
    COSINE,
    SINE,
    PLACES,
    SUMMAND,
    SINK
};

/* One of them: its tacho_attention and further facts. */
typedef struct grouped {
    tacho_attention of;
    int64_t kv_tokens;
    int64_t past;    /* room of the caches that are given */
    uint32_t before; /* [batch, 1]: tokens before the new ones; TACHO_NONE: none */
    uint32_t places; /* [batch or 1, tokens] of the new ones */
} grouped;

/* |count| heads of the packed or separate tensor at |input|, [batch, heads, tokens, width]. */
static uint32_t take_heads(tacho_expander *self, const grouped *group, size_t input, int64_t count)
{
    const tacho_attention *of = &group->of;
    int64_t tokens = input == QUERY ? of->tokens : group->kv_tokens;
    int64_t dims[] = {of->batch, count, tokens, of->width};
    uint32_t tensor = tacho_expand_input(self, input);
    if (!tacho_expand_has(self, KEY)) {
        int64_t first = input == QUERY ? 0 : of->heads + (input == VALUE ? of->kv_heads : 0);
        tensor = tacho_expand_slice(self, tacho_expand_input(self, QUERY), 2, first * of->width,
                                    (first + count) * of->width);
    }
    return tacho_attention_split(self, tensor, dims);
}

static bool read_group(tacho_expander *self, grouped *out)
{
    tacho_attention *of = &out->of;
    if (!tacho_expand_need(self, QUERY, 3, 3) || !tacho_expand_need(self, LENGTHS, 1, 2)) {
        return false;
    }
    const tacho_shape *query = tacho_expand_shape(self, QUERY);
    *of = (tacho_attention){
        .dtype = tacho_expand_dtype(self, QUERY),
        .batch = query->dims[0],
        .heads = tacho_expand_int(self, "num_heads", 0),
        .kv_heads = tacho_expand_int(self, "kv_num_heads", 0),
        .tokens = query->dims[1],
        .scale = tacho_expand_real(self, "scale", 0),
        .softcap = tacho_expand_real(self, "softcap", 0),
        .allowed = TACHO_NONE,
        .hidden = tacho_expand_dtype(self, QUERY) == TACHO_DTYPE_F16 ? -65504.0 : -(double)FLT_MAX,
        .summand = tacho_expand_input(self, SUMMAND),
        .sink = TACHO_NONE};
    bool is_packed = !tacho_expand_has(self, KEY);
    int64_t columns = is_packed ? of->heads + 2 * of->kv_heads : of->heads;
    if (of->heads < 1 || of->kv_heads < 1 || of->heads > INT32_MAX || of->kv_heads > INT32_MAX ||
        query->dims[2] % columns != 0) {
        tacho_expand_fail(self, "%" PRId64 " and %" PRId64 " heads do not fit a width of %" PRId64,
                          of->heads, of->kv_heads, query->dims[2]);
        return false;
    }
    of->width = of->value_width = query->dims[2] / columns;
    out->kv_tokens = of->tokens;
    if (!is_packed && tacho_expand_need(self, KEY, 3, 3) && tacho_expand_need(self, VALUE, 3, 3)) {
        out->kv_tokens = tacho_expand_shape(self, KEY)->dims[1];
    }
    if (tacho_expand_has(self, PAST_KEY) && tacho_expand_need(self, PAST_KEY, 4, 4) &&
        tacho_expand_need(self, PAST_VALUE, 4, 4)) {
        out->past = tacho_expand_shape(self, PAST_KEY)->dims[2];
    }
    bool is_quantised = tacho_expand_has(self, 12) || tacho_expand_has(self, 13);
    bool is_other = tacho_expand_has(self, 14) || tacho_expand_wants(self, 3) ||
                    tacho_expand_int(self, "sliding_window_cache", 0) != 0 ||
                    out->kv_tokens != of->tokens;
    self->is_declined = self->is_declined || is_quantised || is_other;
    return self->status == TACHO_OK && !self->is_declined;
}

/* How many tokens the caches have room for at the end: as the model declares, or all tokens. */
static int64_t room_of(const tacho_expander *self, const grouped *group)
{
    const tacho_tensor *present = tacho_graph_output(self->graph, &self->origin, 1);
    tacho_infer infer = {self->graph, &self->origin};
    int64_t total, room = group->past + group->kv_tokens;
    size_t count;
    if (present != NULL && present->shape->rank == 4 && present->shape->dims[2] > 0) {
        room = present->shape->dims[2];
    } else if (tacho_infer_ints(&infer, TOTAL, &total, 1, &count) && count == 1 && total > 0) {
        room = total > group->past ? total : group->past;
    }
    return room < group->past ? group->past : room;
}

/* The places of the new tokens of each sequence: after the existing ones. */
static void find_places(tacho_expander *self, grouped *group)
{
    tacho_attention *of = &group->of;
    uint32_t rows = tacho_expand_reshape(self, tacho_attention_rows(self, of->tokens, 0),
                                         (int64_t[]){1, of->tokens}, 2);
    group->before = TACHO_NONE;
    group->places = rows;
    if (group->past > 0) {
        uint32_t lengths =
            tacho_expand_cast(self, tacho_expand_input(self, LENGTHS), TACHO_DTYPE_I64);
        lengths = tacho_expand_reshape(self, lengths, (int64_t[]){of->batch, 1}, 2);
        lengths = TACHO_EXPAND_OP(self, "Sub", lengths, TACHO_EXPAND_INTS(self, of->tokens - 1));
        group->before = TACHO_EXPAND_OP(self, "Max", lengths, TACHO_EXPAND_INTS(self, 0));
        group->places = TACHO_EXPAND_OP(self, "Add", rows, group->before);
    }
}

static uint32_t rotate_heads(tacho_expander *self, const grouped *group, uint32_t tensor,
                             int64_t heads)
{
    const tacho_attention *of = &group->of;
    if (tacho_expand_int(self, "do_rotary", 0) == 0) {
        return tensor;
    }
    if (!tacho_expand_need(self, COSINE, 2, 2) || !tacho_expand_need(self, SINE, 2, 2)) {
        return TACHO_NONE;
    }
    tacho_rotation how = {.dims = {of->batch, heads, of->tokens, of->width},
                          .heads_axis = 1,
                          .width = 2 * tacho_expand_shape(self, COSINE)->dims[1],
                          .is_interleaved = tacho_expand_int(self, "rotary_interleaved", 0) != 0};
    take_rows(self, &how, COSINE,
              tacho_expand_has(self, PLACES) ? tacho_expand_input(self, PLACES) : group->places);
    return tacho_rotation_add(self, tensor, &how);
}

/* New keys or values in the cache, or alone where there is none. */
static uint32_t write_cache(tacho_expander *self, const grouped *group, size_t past, uint32_t now)
{
    const tacho_attention *of = &group->of;
    if (group->past == 0) {
        return now;
    }
    uint32_t cache = tacho_expand_input(self, past);
    if (of->keys > group->past) {
        tacho_shape more = {.rank = 4,
                            .dims = {of->batch, of->kv_heads, of->keys - group->past, of->width}};
        cache = tacho_expand_concat(self, cache, tacho_expand_splat(self, of->dtype, &more, 0), 2);
    }
    uint32_t starts = tacho_expand_reshape(self, group->before, (int64_t[]){of->batch}, 1);
    tacho_expand_set_int(self, "axis", 2);
    return TACHO_EXPAND_OP(self, "TensorScatter", cache, now, starts);
}

/* Keys up to the place of each token, or up to the end of its sequence; none before its window. */
static void add_order(tacho_expander *self, grouped *group)
{
    tacho_attention *of = &group->of;
    int64_t window = tacho_expand_int(self, "local_window_size", -1);
    uint32_t columns = tacho_attention_columns(self, of->keys);
    uint32_t places =
        tacho_expand_reshape(self, group->places, (int64_t[]){-1, 1, of->tokens, 1}, 4);
    if (tacho_expand_int(self, "causal", 1) != 0) {
        of->allowed = TACHO_EXPAND_OP(self, "LessOrEqual", columns, places);
    } else {
        uint32_t last = tacho_expand_cast(self, tacho_expand_input(self, LENGTHS), TACHO_DTYPE_I64);
        last = tacho_expand_reshape(self, last, (int64_t[]){of->batch, 1, 1, 1}, 4);
        of->allowed = TACHO_EXPAND_OP(self, "LessOrEqual", columns, last);
    }
    if (window >= 0) {
        uint32_t first = TACHO_EXPAND_OP(self, "Sub", places, TACHO_EXPAND_INTS(self, window));
        of->allowed = tacho_attention_both(self, of->allowed,
                                           TACHO_EXPAND_OP(self, "Greater", columns, first));
    }
}

/* A score for each head that takes its share of the softmax and gives nothing. */
static void add_sink(tacho_expander *self, tacho_attention *of)
{
    int64_t dims[] = {1, of->heads, 1, 1};
    if (tacho_expand_has(self, SINK)) {
        of->sink = tacho_expand_reshape(self, tacho_expand_input(self, SINK), dims, 4);
    } else if (tacho_expand_int(self, "smooth_softmax", 0) == 1) {
        tacho_shape shape = {.rank = 4, .dims = {1, of->heads, 1, 1}};
        of->sink = tacho_expand_splat(self, of->dtype, &shape, 0);
    }
}

/* Query, key, value, past keys and values, lengths, their largest, rotary caches, positions ... */
void tacho_expand_group_query_attention(tacho_expander *self)
{
    grouped group = {.past = 0};
    tacho_attention *of = &group.of;
    if (!read_group(self, &group)) {
        return;
    }
    of->keys = room_of(self, &group);
    find_places(self, &group);
    of->query = rotate_heads(self, &group, take_heads(self, &group, QUERY, of->heads), of->heads);
    uint32_t key = take_heads(self, &group, KEY, of->kv_heads);
    key = rotate_heads(self, &group, key, of->kv_heads);
    if (group.past == 0) {
        of->keys = group.kv_tokens;
    }
    of->key = write_cache(self, &group, PAST_KEY, key);
    of->value =
        write_cache(self, &group, PAST_VALUE, take_heads(self, &group, VALUE, of->kv_heads));
    add_order(self, &group);
    add_sink(self, of);
    int64_t dims[] = {of->batch, of->heads, of->tokens, of->width};
    uint32_t made = tacho_attention_join(self, tacho_attention_add(self, of), dims);
    tacho_expand_return(self, 1, of->key);
    tacho_expand_return(self, 2, of->value);
    tacho_expand_return(self, 0, made);
}
