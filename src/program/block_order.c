/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks by the number of the action that starts them.
 */
#include "program/block_order.h"

#include "base/grow.h"

#include <stdlib.h>

/* While they are sorted. */
typedef struct numbered_block {
    uint32_t action;
    uint32_t block;
} numbered_block;

static int compare_blocks(const void *left, const void *right)
{
    const numbered_block *a = left;
    const numbered_block *b = right;
    if (a->action != b->action) {
        return a->action < b->action ? -1 : 1;
    }
    return a->block < b->block ? -1 : a->block > b->block;
}

static tacho_status sort_blocks(tacho_block_order *self)
{
    size_t count = self->program->block_count;
    numbered_block *numbered = tacho_items_alloc(count, sizeof(*numbered));
    self->blocks = tacho_items_alloc(count, sizeof(*self->blocks));
    self->marks = tacho_items_alloc(self->program->op_count, sizeof(*self->marks));
    if (numbered == NULL || self->blocks == NULL || self->marks == NULL) {
        free(numbered);
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu blocks", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        numbered[i] = (numbered_block){self->program->blocks[i].start_action, i};
    }
    qsort(numbered, count, sizeof(*numbered), compare_blocks);
    for (size_t i = 0; i < count; i++) {
        self->blocks[i] = numbered[i].block;
    }
    free(numbered);
    return TACHO_OK;
}

tacho_status tacho_block_order_init(tacho_block_order *order, const tacho_recording *recording)
{
    *order = (tacho_block_order){.program = recording->program};
    for (size_t i = 0; i < recording->sample_count; i++) {
        if (recording->samples[i].result.block_count != order->program->block_count) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED, "the device %s does not tell when blocks ran",
                              recording->device.name);
        }
    }
    return sort_blocks(order);
}

void tacho_block_order_deinit(tacho_block_order *order)
{
    free(order->blocks);
    free(order->marks);
}

void tacho_block_order_span(const tacho_block_order *order, const tacho_device_result *result,
                            size_t i, int64_t shift_ns, int64_t span[2])
{
    const tacho_block_time *time = &result->blocks[order->blocks[i]];
    int64_t now_ns = span[1];
    int64_t start = time->start_ns + shift_ns;
    int64_t end = time->end_ns + shift_ns;
    span[0] = start > now_ns ? start : now_ns;
    span[1] = end > span[0] ? end : span[0];
}

void tacho_block_order_begin_ops(tacho_block_order *order)
{
    order->round++;
}

uint32_t tacho_block_order_next_op(tacho_block_order *order, const tacho_block *block, uint32_t *at)
{
    while (*at < block->job_count) {
        uint32_t op = order->program->jobs[block->first_job + (*at)++].op;
        if (op != TACHO_NONE && order->marks[op] != order->round) {
            order->marks[op] = order->round;
            return op;
        }
    }
    return TACHO_NONE;
}

uint32_t tacho_block_order_count_ops(tacho_block_order *order, const tacho_block *block,
                                     uint32_t most)
{
    uint32_t at = 0;
    uint32_t count = 0;
    tacho_block_order_begin_ops(order);
    while (count < most && tacho_block_order_next_op(order, block, &at) != TACHO_NONE) {
        count++;
    }
    return count;
}
