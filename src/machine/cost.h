/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long one job takes when it has its engine or queue to itself, in cycles of the core clock.
 * Pure functions of the description; all schedulers of jobs (compile, the simulated device) take
 * times from here and nowhere else. A cost that does not fit 63 bits is a failure.
 */
#ifndef TACHO_MACHINE_COST_H
#define TACHO_MACHINE_COST_H

#include "machine/machine.h"

/* A product of m x k by k x n on one engine. */
typedef struct tacho_product {
    uint64_t m, n, k;
    tacho_dtype dtype;
    uint32_t fidelity; /* index + 1; 0: the machine's default */
} tacho_product;

/*
 * The rate at which |engine| works on |dtype|: its own, else that of a type as wide, else the
 * slowest it has. NULL when it has none at all.
 */
const tacho_rate *tacho_cost_mac_rate(const tacho_engine *engine, tacho_dtype dtype);
const tacho_rate *tacho_cost_element_rate(const tacho_engine *engine, tacho_dtype dtype);

/* Passes over operands of |dtype| at |fidelity|, 1 where the machine has no such choice. */
int64_t tacho_cost_passes(const tacho_machine *machine, uint32_t fidelity, tacho_dtype dtype);

/* Whether reals of 32 bits are multiplied as TF32: a GPU's fidelity of that name. */
bool tacho_cost_is_tf32(const tacho_machine *machine, uint32_t fidelity, tacho_dtype dtype);

/* m, n and k padded to multiples of the engine's alignment. */
tacho_product tacho_cost_pad(const tacho_engine *engine, tacho_product product);

/* Cycles of a product, padded, with start-up. */
tacho_status tacho_cost_matrix(const tacho_machine *machine, const tacho_engine *engine,
                               tacho_product product, int64_t *out_cycles) TACHO_MUST_USE;

/* Cycles of |steps| elementary steps on each of |elements|, with start-up. */
tacho_status tacho_cost_vector(const tacho_engine *engine, uint64_t elements, uint64_t steps,
                               tacho_dtype dtype, int64_t *out_cycles) TACHO_MUST_USE;

/* Bytes per cycle that a queue reaches: efficiency and bursts taken off. */
tacho_status tacho_cost_dma_rate(const tacho_dma *dma, tacho_ratio *out_rate) TACHO_MUST_USE;

/* Cycles of a transfer at the queue's |rate|, with start-up; at least 1 where there are bytes. */
tacho_status tacho_cost_transfer_at(const tacho_dma *dma, tacho_ratio rate, uint64_t bytes,
                                    int64_t *out_cycles) TACHO_MUST_USE;

/* The same, at the rate of tacho_cost_dma_rate. */
tacho_status tacho_cost_transfer(const tacho_dma *dma, uint64_t bytes,
                                 int64_t *out_cycles) TACHO_MUST_USE;

/* Bytes per cycle that a memory gives to all who share it. */
tacho_status tacho_cost_memory_rate(const tacho_memory *memory,
                                    tacho_ratio *out_rate) TACHO_MUST_USE;

/* The same for writing. */
tacho_status tacho_cost_memory_write_rate(const tacho_memory *memory,
                                          tacho_ratio *out_rate) TACHO_MUST_USE;

#endif
