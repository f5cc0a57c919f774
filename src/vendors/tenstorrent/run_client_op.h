/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operator of a run as a client reports it: what it is, its tensors, what the machine's
 * performance model says, and its times in the columns of the vendor's op table.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_RUN_CLIENT_OP_H
#define TACHO_VENDORS_TENSTORRENT_RUN_CLIENT_OP_H

#include "base/text.h"
#include "machine/machine.h"
#include "vendors/tenstorrent/run_op_times.h"
#include "vendors/tenstorrent/tt_join_columns.h"

#include <tacho/client.h>

enum { RUN_CLIENT_TENSORS_MAX = 32, RUN_CLIENT_ARGS_MAX = 64 };

/* What is the same for all operators of a program. */
typedef struct run_client_program {
    const tacho_program *program;
    const tacho_machine *machine;
    bool is_tenstorrent;  /* the vendor's names of operators, types and memories */
    bool is_simulated;    /* else its times are measured */
    const char *fidelity; /* or NULL */
    double passes;        /* of it */
    double ns_per_cycle;  /* of the core clock */
} run_client_program;

/* One operator in the making. Texts lie in the arena until the next one. */
typedef struct run_client_op {
    const run_client_program *of;
    tacho_arena arena;
    tacho_text text;
    tacho_client_op op;
    tacho_client_tensor inputs[RUN_CLIENT_TENSORS_MAX], outputs[RUN_CLIENT_TENSORS_MAX];
    uint32_t input_ids[RUN_CLIENT_TENSORS_MAX], output_ids[RUN_CLIENT_TENSORS_MAX];
    tacho_client_arg args[RUN_CLIENT_ARGS_MAX];
    uint64_t hash;
} run_client_op;

/* Where the operators of a device stand: for the time between two of them. */
typedef struct run_client_device {
    bool has_kernel, has_mover;
    uint64_t kernel_end, mover_end;
} run_client_device;

void run_client_op_init(run_client_op *self, const run_client_program *of);
void run_client_op_deinit(run_client_op *self);

/* Begins with operator |op| of the program: what it is, and its tensors on |device|. */
tacho_status run_client_op_begin(run_client_op *self, uint32_t op, uint32_t device) TACHO_MUST_USE;

/* Adds when it ran, what followed from it, and what the machine could do at best. */
tacho_status run_client_op_add_times(run_client_op *self, const tacho_op_times *times,
                                     run_client_device *device) TACHO_MUST_USE;

/* Adds a text that is copied. */
tacho_status run_client_op_add_text(run_client_op *self, const char *key,
                                    const char *text) TACHO_MUST_USE;

#endif
