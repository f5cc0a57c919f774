/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that write the last phase: dump_targets.c the functions, dump_tasks.c the
 * tasks of a sequencer's program, dump_operators.c the operators of the model.
 */
#ifndef TACHO_COMPILE_DUMP_TARGETS_H
#define TACHO_COMPILE_DUMP_TARGETS_H

#include "base/output.h"
#include "compile/fuse.h"
#include "program/program.h"

/* The engines that the operations distinguish. Slices move data within local memory: Torq's CDMA
 * only transfers to and from other memories. */
typedef enum tacho_target_engine {
    TACHO_TARGET_SLICE,
    TACHO_TARGET_CSS,
    TACHO_TARGET_DMA_IN,
    TACHO_TARGET_DMA_OUT,
    TACHO_TARGET_HOST,
} tacho_target_engine;

typedef struct tacho_targets {
    const tacho_program *program;
    const tacho_fusion *fusion; /* or NULL: the model's operators are left out */
    tacho_output *output;
    bool has_profile;
    uint32_t dispatch;
    uint64_t shared_bytes;    /* of tensors and weights in shared memory */
    uint32_t *engine_ids;     /* by engine: its number among those of its class */
    uint32_t *buffer_marks;   /* by buffer: 1 + the dispatch that has shown it */
    uint32_t *kernel_marks;   /* by kernel, the same */
    uint32_t *argument_marks; /* by kernel: the round in which it was listed */
    uint32_t round;
    uint32_t *block_order;  /* by dispatch */
    uint32_t *first_blocks; /* by dispatch: where its blocks begin in |block_order| */
    uint32_t task_count;    /* in this dispatch */
} tacho_targets;

tacho_target_engine tacho_targets_engine(const tacho_targets *self, const tacho_job *job);

/* " loc(#loc<op>)" and the end of the line. */
void tacho_targets_location(const tacho_targets *self, uint32_t op);

/* The type of a buffer; TACHO_NONE: of shared memory. */
void tacho_targets_buffer_type(const tacho_targets *self, uint32_t buffer);

/* Start and end as attributes, when cycles are wanted. */
void tacho_targets_times(const tacho_targets *self, int64_t start, int64_t end);

/*
 * "tacho.operators" of each operator that the model locates by a name: those of all nodes that were
 * fused into it, each with its name.
 */
tacho_status tacho_targets_operators(const tacho_fusion *fusion,
                                     tacho_output *output) TACHO_MUST_USE;

/*
 * "#loc<op> = loc(...)": where the model has the operator, and all that was fused into it unless
 * the model locates by names.
 */
tacho_status tacho_targets_alias(const tacho_fusion *fusion, uint32_t op,
                                 tacho_output *output) TACHO_MUST_USE;

/* The tasks of a block. */
tacho_status tacho_targets_tasks(tacho_targets *self, uint32_t block) TACHO_MUST_USE;

#endif
