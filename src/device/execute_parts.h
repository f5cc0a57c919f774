/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an execution is made of. Only device/execute*.c include this.
 */
#ifndef TACHO_DEVICE_EXECUTE_PARTS_H
#define TACHO_DEVICE_EXECUTE_PARTS_H

#include "base/index.h"
#include "device/execute.h"
#include "device/memory_plan.h"
#include "kernels/kernel.h"

typedef enum tacho_value_state {
    TACHO_VALUE_NONE, /* nothing has made it so far */
    TACHO_VALUE_CONSTANT,
    TACHO_VALUE_LIVE, /* an input, or made by a task */
} tacho_value_state;

/* A tensor of the program. */
typedef struct tacho_value {
    tacho_value_state state;
    tacho_array array; /* its type and shape; constants have |data| from the start */
    uint64_t bytes;
    uint32_t root;  /* value whose memory it shares, being a view; itself otherwise */
    uint32_t piece; /* of a root that is live: memory; TACHO_NONE before it has some */
} tacho_value;

/* One kernel at work. */
typedef struct tacho_task {
    uint32_t step; /* that messages name */
    const tacho_kernel *kernel;
    tacho_kernel_call call;
    uint32_t first_output; /* links of its outputs */
} tacho_task;

struct tacho_execution {
    const tacho_program *program;
    tacho_kernel_choice choice;
    uint32_t threads;
    tacho_value *values; /* by tensor of the program */
    tacho_task *tasks;
    size_t task_count, task_capacity;
    uint32_t *op_tasks; /* by op: its first task; one more at the end */
    tacho_memory_piece *pieces;
    size_t piece_count, piece_capacity;
    void **blocks; /* of constants that are not the program's own bytes */
    size_t block_count, block_capacity;
    uint64_t block_bytes;
    void *memory; /* for all pieces */
    uint64_t memory_bytes;
    tacho_arena arena; /* of what tasks point to */
    tacho_execution_counts counts;
    bool has_run;
};

/* Bytes of constants and of activations; more is LIMIT. */
static const uint64_t tacho_execution_bytes_max = (uint64_t)1 << 34;

/* A failure that names the step's operator, type and location. */
tacho_status tacho_step_fail(const tacho_execution *self, uint32_t step, tacho_code code,
                             const char *problem);
/* The same with the code and message of |status|, which is freed; TACHO_OK stays. */
tacho_status tacho_step_blame(const tacho_execution *self, uint32_t step, tacho_status status);

/* The type of a step: "Conv". */
tacho_str tacho_step_type(const tacho_execution *self, uint32_t step);
/* Its input or output |i|: tensor, or TACHO_NONE. */
uint32_t tacho_step_input(const tacho_execution *self, uint32_t step, size_t i);
uint32_t tacho_step_output(const tacho_execution *self, uint32_t step, size_t i);

/* Constants, see execute_constants.c. */

/* Zeroed memory for a constant, freed with the execution. */
tacho_status tacho_execution_block(tacho_execution *self, uint64_t bytes,
                                   void **out_memory) TACHO_MUST_USE;
/* Gives the value of a constant its bytes, where they are not there yet. */
tacho_status tacho_execution_bring(tacho_execution *self, uint32_t tensor) TACHO_MUST_USE;

/* Fills in what a reference kernel is called with; outputs get memory later. */
tacho_status tacho_task_describe(tacho_execution *self, uint32_t step,
                                 tacho_task *out_task) TACHO_MUST_USE;

/* Values, tasks and memory of an execution that has nothing but its program. */
tacho_status tacho_execution_prepare(tacho_execution *self) TACHO_MUST_USE;

#endif
