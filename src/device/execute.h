/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution: the values of a compiled program, step by step. Memory is planned and kernels are
 * prepared once; then inputs are set, ops run in order and outputs are read, any number of times.
 *
 * Fast kernels are those of oneDNN, where it was built in and supports the step, and quick ones of
 * our own; every other step runs its reference kernel. Reference kernels alone give the same bits
 * on every computer.
 */
#ifndef TACHO_DEVICE_EXECUTE_H
#define TACHO_DEVICE_EXECUTE_H

#include "kernels/gate.h"
#include "program/program.h"

typedef enum tacho_kernel_choice {
    TACHO_KERNELS_FAST,
    TACHO_KERNELS_REFERENCE,
} tacho_kernel_choice;

typedef struct tacho_execution tacho_execution;

/*
 * Memory of an execution piece by piece, for callers that want each tensor in its own allocation,
 * so that an access outside a tensor can be found.
 */
typedef struct tacho_execution_memory {
    void *(*take)(void *self, uint64_t bytes); /* zeros, that outlive the execution, or NULL */
    void *self;
} tacho_execution_memory;

typedef struct tacho_execution_options {
    tacho_kernel_choice choice;
    uint32_t threads; /* that a fast kernel may use; 0: all cores */
    /* Checks every step before any runs; a program that it rejects is damaged: BAD_DATA. NULL: the
     * program was made here, and is right. */
    const tacho_gate *gate;
    uint64_t work_max; /* operations that the gate lets through; 0: see tacho_execution_open */
    const tacho_execution_memory *memory; /* NULL: its own, in one block */
    uint64_t free_bytes;                  /* of memory; 0: as the system reports */
    /* Steps of which there may be two executions at a time, see tacho_execution_output; 0: 2^18 */
    uint32_t twice_max;
} tacho_execution_options;

/*
 * Plans memory and prepares the kernel of every step. |program| outlives the execution. A step
 * without a kernel, or of tensors whose shapes only a run can determine, is UNSUPPORTED: the
 * message names operator, type and location. More work than |work_max|, or than both 2^38
 * operations and 2^14 for each byte of inputs, outputs and constants that are read, is LIMIT. So
 * are activations of more than 4 GiB and 64 bytes for each byte of constants in the file, or of
 * more than is free; a |work_max| of UINT64_MAX lets them through.
 */
tacho_status tacho_execution_open(const tacho_program *program,
                                  const tacho_execution_options *options,
                                  tacho_execution **out) TACHO_MUST_USE;
/* The same of a program that is right, without a gate. */
tacho_status tacho_execution_create(const tacho_program *program, tacho_kernel_choice choice,
                                    uint32_t threads, tacho_execution **out) TACHO_MUST_USE;
void tacho_execution_free(tacho_execution *execution); /* also NULL */

/*
 * Copies the value of input |index|, which stays until it is set again. A type or shape that is not
 * the program's is USAGE: the message names the input, the expected type and shape and those given.
 */
tacho_status tacho_execution_set_input(tacho_execution *execution, size_t index,
                                       const tacho_array *value) TACHO_MUST_USE;

/*
 * Runs all steps of op |op|; ops have to run in order, each after those before it. Steps that no
 * op claims run with the op before them. Nothing is allocated here but by reference kernels, and by
 * fast ones the first time.
 */
tacho_status tacho_execution_run_op(tacho_execution *execution, uint32_t op) TACHO_MUST_USE;

/* Runs all ops. */
tacho_status tacho_execution_run(tacho_execution *execution) TACHO_MUST_USE;

/*
 * The value of output |index|, row-major; its memory is valid until the next run. Where fast
 * kernels met or made NaN, which some of them lose, reference kernels compute the outputs when the
 * first is requested. They have an execution of their own for that; but one of more than
 * |twice_max| steps switches to reference kernels for good, since two would take too much memory.
 */
tacho_status tacho_execution_output(tacho_execution *execution, size_t index,
                                    tacho_array *out) TACHO_MUST_USE;

/* Bytes of the block that inputs, activations and outputs share. */
uint64_t tacho_execution_peak_bytes(const tacho_execution *execution);

/* Whether op |op| computes anything itself: else its steps are views, or part of a kernel that runs
 * with another op. */
bool tacho_execution_computes_op(const tacho_execution *execution, uint32_t op);

/* How the steps run, for reports: by fast kernels (several may be one), by reference kernels, or
 * not at all, as they are views or depend on constants alone. */
typedef struct tacho_execution_counts {
    uint32_t fast, reference, free;
    uint32_t kernels;    /* fast ones */
    uint32_t nbits;      /* of those, products with weights of 4, 8 or 16 bits */
    uint32_t reorders;   /* between layouts, at the borders of fast kernels */
    uint32_t recomputed; /* runs whose outputs are those of reference kernels, on account of NaN */
} tacho_execution_counts;

tacho_execution_counts tacho_execution_count(const tacho_execution *execution);

/* Whether there are fast kernels for an operator: of reals, and of bytes in quantised networks.
 * Types, shapes or attributes may still be none that they compute. */
bool tacho_execution_knows_reals(tacho_str type);
bool tacho_execution_knows_bytes(tacho_str type);

#endif
