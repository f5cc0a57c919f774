/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels, and the commands that only keep others in order.
 */
#include "opencl/commands.h"

#include <stdio.h>
#include <string.h>

typedef int32_t get_info(tacho_cl_handle kernel, uint32_t param, size_t size, void *value,
                         size_t *out_size);
typedef void host_function(void *args);

/* The name of a kernel; one that is too long is cut. */
static void put_kernel_name(tacho_cl_handle kernel, char name[TACHO_CL_NAME_MAX])
{
    char whole[4096];
    get_info *next = (get_info *)tacho_cl_next(TACHO_CL_AT_GetKernelInfo);
    if (next(kernel, TACHO_CL_KERNEL_FUNCTION_NAME, sizeof(whole) - 1, whole, NULL) != 0) {
        memcpy(whole, "kernel", sizeof("kernel"));
    }
    whole[sizeof(whole) - 1] = '\0';
    snprintf(name, TACHO_CL_NAME_MAX, "%.*s", TACHO_CL_NAME_MAX - 1, whole);
}

static void copy_sizes(size_t *to, const size_t *from, uint32_t count)
{
    if (from != NULL) {
        memcpy(to, from, count * sizeof(from[0]));
    }
}

static int32_t wrap_kernel(tacho_cl_handle queue, tacho_cl_handle kernel, uint32_t dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           uint32_t wait_count, const tacho_cl_handle *waits,
                           tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_facts facts = {.engine = TACHO_CLIENT_COMPUTE};
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueNDRangeKernel, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueNDRangeKernel, wrap_kernel)(
        queue, kernel, dimensions, offset, global, local, wait_count, waits, command.event);
    if (status == TACHO_CL_SUCCESS) {
        facts.dimensions = dimensions <= TACHO_CL_DIMENSIONS ? dimensions : 0;
        facts.has_local = local != NULL;
        facts.has_offset = offset != NULL;
        copy_sizes(facts.global, global, facts.dimensions);
        copy_sizes(facts.local, local, facts.dimensions);
        copy_sizes(facts.offset, offset, facts.dimensions);
        put_kernel_name(kernel, facts.name);
    }
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_task(tacho_cl_handle queue, tacho_cl_handle kernel, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_facts facts = {.engine = TACHO_CLIENT_COMPUTE, .dimensions = 1, .global = {1}};
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueTask, queue, event);
    int32_t status =
        TACHO_CL_NEXT(EnqueueTask, wrap_task)(queue, kernel, wait_count, waits, command.event);
    if (status == TACHO_CL_SUCCESS) {
        put_kernel_name(kernel, facts.name);
    }
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_native(tacho_cl_handle queue, host_function *function, void *args,
                           size_t args_size, uint32_t object_count, const tacho_cl_handle *objects,
                           const void **places, uint32_t wait_count, const tacho_cl_handle *waits,
                           tacho_cl_handle *event)
{
    static const tacho_cl_command_facts facts = {.name = "Native kernel",
                                                 .engine = TACHO_CLIENT_COMPUTE};
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueNativeKernel, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueNativeKernel,
                                   wrap_native)(queue, function, args, args_size, object_count,
                                                objects, places, wait_count, waits, command.event);
    return tacho_cl_command_end(&command, &facts, status);
}

static const tacho_cl_command_facts marker = {.name = "Marker", .engine = TACHO_CLIENT_SYNC};
static const tacho_cl_command_facts barrier = {.name = "Barrier", .engine = TACHO_CLIENT_SYNC};

static int32_t wrap_old_marker(tacho_cl_handle queue, tacho_cl_handle *event)
{
    tacho_cl_command command;
    if (event == NULL) { /* an error that is the driver's to report */
        return TACHO_CL_NEXT(EnqueueMarker, wrap_old_marker)(queue, event);
    }
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueMarker, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueMarker, wrap_old_marker)(queue, command.event);
    return tacho_cl_command_end(&command, &marker, status);
}

static int32_t wrap_marker(tacho_cl_handle queue, uint32_t wait_count, const tacho_cl_handle *waits,
                           tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueMarkerWithWaitList, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueMarkerWithWaitList, wrap_marker)(queue, wait_count, waits,
                                                                           command.event);
    return tacho_cl_command_end(&command, &marker, status);
}

static int32_t wrap_barrier(tacho_cl_handle queue, uint32_t wait_count,
                            const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueBarrierWithWaitList, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueBarrierWithWaitList, wrap_barrier)(queue, wait_count,
                                                                             waits, command.event);
    return tacho_cl_command_end(&command, &barrier, status);
}

tacho_cl_wrapper_list tacho_cl_kernel_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(EnqueueNDRangeKernel, wrap_kernel),
        TACHO_CL_WRAPS(EnqueueTask, wrap_task),
        TACHO_CL_WRAPS(EnqueueNativeKernel, wrap_native),
        TACHO_CL_WRAPS(EnqueueMarker, wrap_old_marker),
        TACHO_CL_WRAPS(EnqueueMarkerWithWaitList, wrap_marker),
        TACHO_CL_WRAPS(EnqueueBarrierWithWaitList, wrap_barrier),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
