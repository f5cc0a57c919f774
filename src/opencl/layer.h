/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer: a library that OpenCL's loader puts between a program and its devices. It times every
 * command of every queue and reports it through libtacho-client; the program sees no difference.
 *
 * Each wrapper looks like this:
 *
 *     tacho_cl_command command;
 *     tacho_cl_command_begin(&command, TACHO_CL_EnqueueX, queue, event);
 *     int32_t status = TACHO_CL_NEXT(EnqueueX, enqueue_x)(queue, ..., command.event);
 *     return tacho_cl_command_end(&command, &facts, status);
 */
#ifndef TACHO_OPENCL_LAYER_H
#define TACHO_OPENCL_LAYER_H

#include "opencl/abi.h"

#include <stdbool.h>
#include <tacho/client.h>

/* The next function below the layer. */
tacho_cl_function tacho_cl_next(size_t place);

/* The function |name| below, of the type of |wrapper|. */
#define TACHO_CL_NEXT(name, wrapper) ((__typeof__(&(wrapper)))tacho_cl_next(TACHO_CL_AT_##name))

/* Wrappers of a file, and where they go. */
typedef struct tacho_cl_wrapper {
    size_t place;
    tacho_cl_function function;
} tacho_cl_wrapper;

#define TACHO_CL_WRAPS(name, wrapper)                                                              \
    {                                                                                              \
        TACHO_CL_AT_##name, (tacho_cl_function)(wrapper)                                           \
    }

typedef struct tacho_cl_wrapper_list {
    const tacho_cl_wrapper *items;
    size_t item_count;
} tacho_cl_wrapper_list;

tacho_cl_wrapper_list tacho_cl_buffer_wrappers(void);
tacho_cl_wrapper_list tacho_cl_image_wrappers(void);
tacho_cl_wrapper_list tacho_cl_kernel_wrappers(void);
tacho_cl_wrapper_list tacho_cl_queue_wrappers(void);
tacho_cl_wrapper_list tacho_cl_shared_wrappers(void);
tacho_cl_wrapper_list tacho_cl_wait_wrappers(void);

/* Where the collector shows calls of that kind. */
tacho_client_site *tacho_cl_site(tacho_cl_call call);

#endif
