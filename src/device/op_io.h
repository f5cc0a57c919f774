/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the tensors of ops come from and go to, beyond their own device: the host, other devices.
 */
#ifndef TACHO_DEVICE_OP_IO_H
#define TACHO_DEVICE_OP_IO_H

#include "program/program.h"

typedef struct tacho_op_io {
    uint32_t device;      /* that its jobs run on; TACHO_NONE: it has none */
    uint32_t from_device; /* another one that made an operand, or TACHO_NONE ... */
    uint32_t from_op;     /* ... and the op that did */
    uint32_t to_device;   /* another one that reads a result, or TACHO_NONE */
    bool reads_input;     /* of the network */
    bool writes_output;
} tacho_op_io;

/* By op, and one more that stands for jobs of no op. The caller frees it. */
tacho_status tacho_op_io_create(const tacho_program *program, tacho_op_io **out_ios) TACHO_MUST_USE;

#endif
