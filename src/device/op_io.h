/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources and destinations of the tensors of ops beyond their own device: the host, other devices.
 */
#ifndef TACHO_DEVICE_OP_IO_H
#define TACHO_DEVICE_OP_IO_H

#include "program/program.h"

typedef struct tacho_op_io {
    uint32_t device;                    /* that its jobs run on; TACHO_NONE: it has none */
    uint32_t first_source, last_source; /* of operands on other devices, or TACHO_NONE */
    bool reads_input;                   /* of the network */
    bool writes_output;
} tacho_op_io;

/* An op of another device that made an operand, or had it brought to itself before. */
typedef struct tacho_op_source {
    uint32_t op;
    uint32_t next; /* of the same reader, or TACHO_NONE */
} tacho_op_source;

typedef struct tacho_op_ios {
    tacho_op_io *items; /* by op, and one more that stands for jobs of no op */
    tacho_op_source *sources;
    size_t source_count, source_capacity;
} tacho_op_ios;

/* Call deinit even after a failure. */
tacho_status tacho_op_ios_init(tacho_op_ios *ios, const tacho_program *program) TACHO_MUST_USE;
void tacho_op_ios_deinit(tacho_op_ios *ios);

/* The op of |device| that |op| has its first operand there from, or TACHO_NONE. */
uint32_t tacho_op_ios_source(const tacho_op_ios *ios, uint32_t op, uint32_t device);

#endif
