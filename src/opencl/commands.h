/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands from the call that enqueues them to the report of their times.
 */
#ifndef TACHO_OPENCL_COMMANDS_H
#define TACHO_OPENCL_COMMANDS_H

#include "opencl/queues.h"

enum { TACHO_CL_DIMENSIONS = 3 };

/* The work of a command. */
typedef struct tacho_cl_command_facts {
    char name[TACHO_CL_NAME_MAX]; /* of the kernel, or of the kind of command */
    tacho_client_engine engine;
    bool has_bytes, is_blocking;
    uint64_t bytes;
    uint32_t dimensions; /* of a kernel; 0: not a kernel */
    size_t offset[TACHO_CL_DIMENSIONS], global[TACHO_CL_DIMENSIONS], local[TACHO_CL_DIMENSIONS];
    bool has_offset, has_local;
} tacho_cl_command_facts;

/* A call that enqueues a command. */
typedef struct tacho_cl_command {
    tacho_client_zone zone;
    tacho_cl_handle queue;
    tacho_cl_handle *event; /* to be passed on: the program's, or our own */
    tacho_cl_handle own_event;
    uint64_t before_ns;
} tacho_cl_command;

void tacho_cl_command_begin(tacho_cl_command *command, tacho_cl_call call, tacho_cl_handle queue,
                            tacho_cl_handle *event);

/* The call has returned |status|, which is returned. */
int32_t tacho_cl_command_end(tacho_cl_command *command, const tacho_cl_command_facts *facts,
                             int32_t status);

/* Reports all commands that have ended: for calls after which programs may exit. */
void tacho_cl_commands_sweep(void);

/* Facts of a transfer. */
tacho_cl_command_facts tacho_cl_transfer(const char *name, tacho_client_engine engine,
                                         uint64_t bytes, bool is_blocking);

/* The product of three sizes; UINT64_MAX where it does not fit. */
uint64_t tacho_cl_volume(const size_t sizes[TACHO_CL_DIMENSIONS]);

#endif
