/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention as products, a softmax and masks: shared by the operators that compute it.
 */
#ifndef TACHO_GRAPH_EXPAND_ATTENTION_H
#define TACHO_GRAPH_EXPAND_ATTENTION_H

#include "graph/expand.h"

/* The stage of the scores that an output shows. */
typedef enum tacho_scores_stage {
    TACHO_SCORES_PRODUCT, /* query times key, scaled */
    TACHO_SCORES_CAPPED,
    TACHO_SCORES_MASKED,
    TACHO_SCORES_SHARES, /* after the softmax */
    TACHO_SCORES_STAGES
} tacho_scores_stage;

/*
 * One attention. Query [batch, heads, tokens, width], key [batch, kv_heads, keys, width] and value
 * [batch, kv_heads, keys, value_width]; each key serves heads / kv_heads heads that are neighbours.
 * Masks have shapes that can be broadcast to [batch, heads, tokens, keys].
 */
typedef struct tacho_attention {
    tacho_dtype dtype;
    int64_t batch, heads, kv_heads, tokens, keys, width, value_width;
    uint32_t query, key, value;
    double scale;             /* of scores; 0: 1 / sqrt(width) */
    double softcap;           /* 0: none */
    uint32_t allowed;         /* bool: scores elsewhere become |hidden|; or TACHO_NONE */
    double hidden;            /* -INFINITY, or a number in its place */
    bool may_be_empty;        /* a token may be allowed nothing: it gets zeros */
    uint32_t summand;         /* added to scores, or TACHO_NONE */
    uint32_t sink;            /* [1, heads, 1, 1], a score that gives nothing, or TACHO_NONE */
    tacho_dtype softmax_type; /* NONE: the scores' own */
    uint32_t shown[TACHO_SCORES_STAGES]; /* set: scores on the way */
} tacho_attention;

/* [batch, heads, tokens, value_width]. */
uint32_t tacho_attention_add(tacho_expander *self, tacho_attention *attention);

/* |tensor| [batch, tokens, heads * width] with heads before tokens, and back. */
uint32_t tacho_attention_split(tacho_expander *self, uint32_t tensor, const int64_t dims[4]);
uint32_t tacho_attention_join(tacho_expander *self, uint32_t tensor, const int64_t dims[4]);

/* Numbers 0, 1, 2 ... of keys as [1, keys], of tokens as [tokens, 1], the first of them |first|. */
uint32_t tacho_attention_columns(tacho_expander *self, int64_t keys);
uint32_t tacho_attention_rows(tacho_expander *self, int64_t tokens, int64_t first);

/* Both conditions; either may be TACHO_NONE, which all meet. */
uint32_t tacho_attention_both(tacho_expander *self, uint32_t a, uint32_t b);

/* The layout of a rotary embedding. */
typedef struct tacho_rotation {
    int64_t dims[4];       /* of the data */
    int32_t heads_axis;    /* 1: before tokens, 2: after them */
    int64_t width;         /* of the rotated part, the first of each head */
    bool is_interleaved;   /* pairs are neighbours, not halves */
    uint32_t cosine, sine; /* [batch or 1, tokens, width / 2] */
} tacho_rotation;

uint32_t tacho_rotation_add(tacho_expander *self, uint32_t tensor, const tacho_rotation *rotation);

#endif
