/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a program in the order of the host's actions, and when the host was done with each:
 * it starts a block and waits for it before it starts the next.
 */
#ifndef TACHO_PROGRAM_BLOCK_ORDER_H
#define TACHO_PROGRAM_BLOCK_ORDER_H

#include "program/recording.h"

typedef struct tacho_block_order {
    const tacho_program *program;
    uint32_t *blocks; /* by start action */
    uint32_t *marks;  /* by op: the last round that it was met in */
    uint32_t round;   /* of |marks| */
} tacho_block_order;

/* UNSUPPORTED if the device has no times of blocks. Call deinit even after a failure. */
tacho_status tacho_block_order_init(tacho_block_order *order,
                                    const tacho_recording *recording) TACHO_MUST_USE;
void tacho_block_order_deinit(tacho_block_order *order);

/*
 * The span of the |i|-th block, |shift_ns| later than recorded; |span| holds that of the previous
 * one. The host starts a block when it has waited for the previous one, although the accelerator
 * may have begun to load its data.
 */
void tacho_block_order_span(const tacho_block_order *order, const tacho_device_result *result,
                            size_t i, int64_t shift_ns, int64_t span[2]);

/* The operators of a block, each once: begin, then next until it is TACHO_NONE; |at| starts at 0.
 */
void tacho_block_order_begin_ops(tacho_block_order *order);
uint32_t tacho_block_order_next_op(tacho_block_order *order, const tacho_block *block,
                                   uint32_t *at);

/* How many there are, |most| at most. */
uint32_t tacho_block_order_count_ops(tacho_block_order *order, const tacho_block *block,
                                     uint32_t most);

#endif
