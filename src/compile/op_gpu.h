/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on a GPU: each is one kernel or several, one after the other, and each kernel has all
 * cores and both memories to itself. See tacho_gpu in machine/machine.h for what the numbers mean;
 * compile/gpu_form.h maps an operator to its kernels.
 */
#ifndef TACHO_COMPILE_OP_GPU_H
#define TACHO_COMPILE_OP_GPU_H

#include "compile/op_split.h"

/* One kernel, or several together. */
typedef struct tacho_gpu_time {
    int64_t cycles;
    int64_t compute;      /* of engines */
    int64_t memory;       /* of L2 and shared memory */
    int64_t start;        /* launch and tail */
    uint64_t padded_macs; /* of products: tiles are whole */
    uint64_t kernels;
    uint64_t blocks; /* of threads: tiles of results; 0: as many as there are cores */
} tacho_gpu_time;

/* The machine and an operator, as all rules need them. */
typedef struct tacho_gpu_task {
    const tacho_machine *machine;
    const tacho_gpu *gpu;
    const tacho_work *work;
    const tacho_engine *engine; /* NULL: none */
    tacho_dtype dtype;          /* that is computed in */
    uint64_t cores;
    uint64_t element_bytes; /* of the type, at least 1 */
    tacho_ratio shared_rate;
    bool is_tf32;
} tacho_gpu_task;

/* A product of m x k by k x n, |batch| times. */
typedef struct tacho_gpu_shape {
    uint64_t batch, m, n, k;
} tacho_gpu_shape;

/* All that the operator reads and writes. */
static inline uint64_t tacho_gpu_bytes(const tacho_work *work)
{
    return work->input.bytes + work->weights.bytes + work->output.bytes; /* 60 bits each */
}

/* |bytes| of a kernel that it finds in L2. */
uint64_t tacho_op_gpu_hot(const tacho_gpu *gpu, uint64_t bytes);

/* Parts of |work| on a GPU; as op_split.h and op_mesh.h have it for other machines. */
tacho_status tacho_op_gpu_parts(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_parts *out_parts) TACHO_MUST_USE;

/* ---- for op_gpu*.c ------------------------------------------------------------------------- */

/* |amount| / |rate| and |amount| * |factor|, rounded up; INT64_MAX where it does not fit. */
int64_t tacho_gpu_over(uint64_t amount, tacho_ratio rate);
int64_t tacho_gpu_times(uint64_t amount, const tacho_quantity *factor);

/* Launch and tail of a kernel whose own are |cycles|. */
int64_t tacho_gpu_start(const tacho_gpu_task *task, const tacho_quantity *cycles);

/* Cycles of moving |bytes|, some of them in L2. */
int64_t tacho_gpu_memory(const tacho_gpu_task *task, uint64_t bytes);

/* The same for an operator's operands, |bytes| in all: in a network its weights are never in L2. */
int64_t tacho_gpu_operands(const tacho_gpu_task *task, uint64_t bytes);

/* A kernel of this form over |reach| elements in |lines|, which moves |bytes|. */
tacho_gpu_time tacho_gpu_kernel(const tacho_gpu_task *task, tacho_form form, uint64_t reach,
                                uint64_t lines, uint64_t bytes);

/* Multiply-accumulates of a core in a cycle: the share of the engine's peak in the inner loop. */
tacho_ratio tacho_gpu_rate(const tacho_gpu_task *task, const tacho_gpu_product *how);

/* One after the other. */
void tacho_gpu_then(tacho_gpu_time *time, tacho_gpu_time next);
void tacho_gpu_repeat(tacho_gpu_time *time, uint64_t count);

/* Products, convolutions and attention, with the kernels around them. */
tacho_gpu_time tacho_gpu_product_time(const tacho_gpu_task *task);
tacho_gpu_time tacho_gpu_convolution_time(const tacho_gpu_task *task);
tacho_gpu_time tacho_gpu_attention_time(const tacho_gpu_task *task);

#endif
