/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of patterns. A chain is elementwise work, one piece after the other on a stream; fused, it
 * takes about as long as its longest piece. Attention that is spelled out is a product of batches,
 * a softmax and a product of batches, with elementwise work between.
 */
#include "questions/breakdown/work_patterns.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* States of an attention that is spelled out, and how much may lie between its products. */
enum { ATTENTION_NONE, ATTENTION_PRODUCT, ATTENTION_SOFTMAX, BETWEEN_MAX = 12 };

/* Work of a forward pass before a backward pass counts as one. */
enum { FORWARD_LEAST = 8 };

/* Forgets the operators, for good. */
static void drop_ops(tacho_work_patterns *patterns)
{
    if (patterns->op_count > 0) {
        tacho_index_deinit(&patterns->index);
    }
    free(patterns->ops);
    patterns->ops = NULL;
    patterns->op_count = 0;
    patterns->op_capacity = 0;
    patterns->has_too_many = true;
}

void tacho_work_patterns_deinit(tacho_work_patterns *patterns)
{
    drop_ops(patterns);
    *patterns = (tacho_work_patterns){.op_count = 0};
}

void tacho_pattern_sum_add(tacho_pattern_sum *sum, int64_t start_ns, int64_t ns)
{
    sum->count++;
    sum->ns += ns;
    if (ns > sum->longest_ns || sum->count == 1) {
        sum->longest_ns = ns;
        sum->start_ns = start_ns;
    }
}

/* ---- operators ----------------------------------------------------------------------------- */

/* |*out_op| is NULL if there are too many. */
static tacho_status ensure_op(tacho_work_patterns *patterns, uint32_t site, tacho_op_sum **out_op)
{
    *out_op = NULL;
    if (patterns->has_too_many) {
        return TACHO_OK;
    }
    if (patterns->op_count == 0) {
        TACHO_TRY(tacho_grow(&patterns->ops, &patterns->op_capacity, 1));
        TACHO_TRY(tacho_index_init(&patterns->index));
    }
    const tacho_str key = tacho_str_make((const char *)&site, sizeof(site));
    uint32_t hash = tacho_index_hash(&patterns->index, key);
    size_t at = tacho_index_begin(&patterns->index, hash);
    for (uint32_t id; (id = tacho_index_next(&patterns->index, hash, &at)) != TACHO_NONE;) {
        if (patterns->ops[id].site == site) {
            *out_op = &patterns->ops[id];
            return TACHO_OK;
        }
    }
    if (patterns->op_count == TACHO_WORK_OPS_MAX) {
        drop_ops(patterns);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&patterns->ops, &patterns->op_capacity, patterns->op_count + 1));
    *out_op = &patterns->ops[patterns->op_count];
    **out_op = (tacho_op_sum){.site = site};
    return tacho_index_add(&patterns->index, hash, (uint32_t)patterns->op_count++);
}

static tacho_status add_op(tacho_work_patterns *patterns, const tacho_op_sum *more)
{
    tacho_op_sum *op = NULL;
    TACHO_TRY(ensure_op(patterns, more->site, &op));
    if (op == NULL) {
        return TACHO_OK;
    }
    op->count += more->count;
    op->ns += more->ns;
    for (size_t i = 0; i < TACHO_KERNEL_CLASS_COUNT; i++) {
        op->by_class[i] += more->by_class[i];
    }
    return TACHO_OK;
}

tacho_status tacho_work_patterns_add_time(tacho_work_patterns *patterns, uint32_t site, int64_t ns)
{
    tacho_op_sum *op = NULL;
    TACHO_TRY(ensure_op(patterns, site, &op));
    if (op != NULL) {
        op->count++;
        op->ns += ns;
    }
    return TACHO_OK;
}

tacho_status tacho_work_patterns_merge(tacho_work_patterns *patterns,
                                       const tacho_work_patterns *more)
{
    for (size_t i = 0; i < TACHO_PATTERN_COUNT; i++) {
        tacho_pattern_sum *to = &patterns->sums[i];
        const tacho_pattern_sum *from = &more->sums[i];
        to->count += from->count;
        to->ns += from->ns;
        if (from->longest_ns > to->longest_ns) {
            to->longest_ns = from->longest_ns;
            to->start_ns = from->start_ns;
        }
    }
    if (more->has_too_many && !patterns->has_too_many) {
        drop_ops(patterns);
    }
    for (size_t i = 0; i < more->op_count; i++) {
        TACHO_TRY(add_op(patterns, &more->ops[i]));
    }
    return TACHO_OK;
}

size_t tacho_work_patterns_top(const tacho_work_patterns *patterns, const tacho_op_sum **out_ops,
                               size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < patterns->op_count; i++) {
        const tacho_op_sum *op = &patterns->ops[i];
        tacho_kernel_class kind = tacho_op_sum_class(op);
        if (kind == TACHO_KERNEL_COMMUNICATION || kind == TACHO_KERNEL_TRANSFER) {
            continue;
        }
        size_t at = found;
        while (at > 0 && out_ops[at - 1]->ns < op->ns) {
            at--;
        }
        if (at < count) {
            found += found < count ? 1 : 0;
            memmove(&out_ops[at + 1], &out_ops[at],
                    (found - at - 1) * sizeof(const tacho_op_sum *));
            out_ops[at] = op;
        }
    }
    return found;
}

tacho_kernel_class tacho_op_sum_class(const tacho_op_sum *op)
{
    size_t most = 0;
    for (size_t i = 1; i < TACHO_KERNEL_CLASS_COUNT; i++) {
        most = op->by_class[i] > op->by_class[most] ? i : most;
    }
    return (tacho_kernel_class)most;
}

/* ---- patterns of single pieces ------------------------------------------------------------- */

static uint32_t bit(tacho_pattern pattern)
{
    return UINT32_C(1) << pattern;
}

static uint32_t patterns_of_copy(const tacho_kernel_traits *traits)
{
    static const uint32_t ways[TACHO_COPY_WAY_COUNT] = {
        [TACHO_COPY_TO_DEVICE] = UINT32_C(1) << TACHO_PATTERN_COPY_IN,
        [TACHO_COPY_PAGED] = UINT32_C(1) << TACHO_PATTERN_COPY_PAGED,
        [TACHO_COPY_FROM_DEVICE] = UINT32_C(1) << TACHO_PATTERN_COPY_OUT,
        [TACHO_COPY_WITHIN_DEVICE] = UINT32_C(1) << TACHO_PATTERN_COPY_WITHIN,
    };
    return ways[traits->way];
}

static uint32_t patterns_of_kernel(const tacho_pattern_work *work)
{
    const tacho_kernel_traits *traits = work->traits;
    bool is_product = traits->kind == TACHO_KERNEL_PRODUCT;
    if (traits->kind == TACHO_KERNEL_COMMUNICATION) {
        return 0;
    }
    bool is_cast = traits->kind == TACHO_KERNEL_COPY && (work->calls.bits & TACHO_CALL_CAST) != 0;
    uint32_t bits = 0;
    bits |= traits->is_scalar ? bit(TACHO_PATTERN_SCALAR) : 0;
    bits |= traits->is_f32 && !is_product ? bit(TACHO_PATTERN_F32) : 0;
    bits |= traits->is_f32 && traits->kind == TACHO_KERNEL_NORM ? bit(TACHO_PATTERN_F32_NORM) : 0;
    bits |= is_product && traits->is_half ? bit(TACHO_PATTERN_HALF) : 0;
    bits |= traits->is_misaligned ? bit(TACHO_PATTERN_MISALIGNED) : 0;
    bits |= traits->kind == TACHO_KERNEL_LAYOUT ? bit(TACHO_PATTERN_LAYOUT) : 0;
    bits |= is_cast ? bit(TACHO_PATTERN_CAST) : 0;
    bits |= work->ns < TACHO_SMALL_NS ? bit(TACHO_PATTERN_SMALL) : 0;
    return bits;
}

static uint32_t patterns_of(const tacho_pattern_work *work)
{
    bool is_transfer = work->traits->kind == TACHO_KERNEL_TRANSFER;
    bool is_optimizer = (work->calls.bits & TACHO_CALL_OPTIMIZER) != 0;
    return (is_transfer ? patterns_of_copy(work->traits) : patterns_of_kernel(work)) |
           (is_optimizer ? bit(TACHO_PATTERN_OPTIMIZER) : 0);
}

/* ---- sequences ----------------------------------------------------------------------------- */

/* What the piece adds to a sequence: time and pieces that fusing would save. */
typedef struct sequence_gain {
    uint64_t count;
    int64_t ns;
} sequence_gain;

static sequence_gain follow_chain(tacho_pattern_stream *stream, const tacho_pattern_work *work)
{
    bool is_link = (work->traits->kind == TACHO_KERNEL_ELEMENTWISE ||
                    work->traits->kind == TACHO_KERNEL_COPY) &&
                   (work->calls.bits & TACHO_CALL_OPTIMIZER) == 0;
    int64_t longest_ns = stream->chain_longest_ns;
    if (!is_link) {
        stream->chain_longest_ns = 0;
        return (sequence_gain){0};
    }
    stream->chain_longest_ns = work->ns > longest_ns ? work->ns : longest_ns;
    /* All but the longest is saved: with a longer piece, the one that was the longest. */
    return longest_ns > 0 ? (sequence_gain){1, work->ns < longest_ns ? work->ns : longest_ns}
                          : (sequence_gain){0};
}

static sequence_gain end_attention(tacho_pattern_stream *stream)
{
    sequence_gain gain = {0};
    if (stream->attention == ATTENTION_SOFTMAX) {
        gain = (sequence_gain){(uint64_t)stream->between_count, stream->between_ns};
    }
    stream->attention = ATTENTION_PRODUCT;
    stream->between_count = 0;
    stream->between_ns = 0;
    return gain;
}

static sequence_gain follow_attention(tacho_pattern_stream *stream, const tacho_pattern_work *work)
{
    tacho_kernel_class kind = work->traits->kind;
    if (kind == TACHO_KERNEL_PRODUCT && (work->calls.bits & TACHO_CALL_PRODUCT) != 0) {
        return end_attention(stream);
    }
    bool is_between = kind != TACHO_KERNEL_PRODUCT && kind != TACHO_KERNEL_ATTENTION &&
                      kind != TACHO_KERNEL_NORM && stream->between_count < BETWEEN_MAX;
    if (!is_between || stream->attention == ATTENTION_NONE) {
        stream->attention = ATTENTION_NONE;
        return (sequence_gain){0};
    }
    stream->attention = kind == TACHO_KERNEL_SOFTMAX ? ATTENTION_SOFTMAX : stream->attention;
    stream->between_count++;
    stream->between_ns += work->ns;
    return (sequence_gain){0};
}

/* Whether a backward pass begins with |work|. */
static bool begins_backward(tacho_pattern_stream *stream, const tacho_pattern_work *work)
{
    const uint32_t others = TACHO_CALL_OPTIMIZER | TACHO_CALL_GRADIENTS;
    if ((work->calls.bits & others) != 0 || work->calls.op == TACHO_NONE) {
        return false;
    }
    bool was_backward = stream->is_backward;
    bool has_forward = stream->forward_count >= FORWARD_LEAST;
    stream->is_backward = (work->calls.bits & TACHO_CALL_BACKWARD) != 0;
    stream->forward_count = stream->is_backward ? 0 : stream->forward_count + 1;
    return stream->is_backward && !was_backward && has_forward;
}

static void add_sequence(tacho_pattern_sum *sum, const tacho_pattern_work *work,
                         const sequence_gain *gain)
{
    if (gain->count > 0) {
        tacho_pattern_sum_add(sum, work->start_ns, gain->ns);
        sum->count += gain->count - 1;
    }
}

tacho_status tacho_work_patterns_add(tacho_work_patterns *const *to, size_t count,
                                     tacho_pattern_stream *stream, const tacho_pattern_work *work)
{
    const sequence_gain chain = follow_chain(stream, work);
    const sequence_gain attention = follow_attention(stream, work);
    bool has_pass = begins_backward(stream, work);
    uint32_t bits = patterns_of(work);
    tacho_op_sum op = {
        work->calls.op != TACHO_NONE ? work->calls.op : work->site, 1, work->ns, {0}};
    op.by_class[work->traits->kind] = work->ns;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t left = bits; left != 0; left &= left - 1) {
            tacho_pattern_sum_add(&to[i]->sums[__builtin_ctz(left)], work->start_ns, work->ns);
        }
        add_sequence(&to[i]->sums[TACHO_PATTERN_CHAIN], work, &chain);
        add_sequence(&to[i]->sums[TACHO_PATTERN_ATTENTION], work, &attention);
        to[i]->sums[TACHO_PATTERN_PASS].count += has_pass ? 1 : 0;
        TACHO_TRY(add_op(to[i], &op));
    }
    return TACHO_OK;
}
