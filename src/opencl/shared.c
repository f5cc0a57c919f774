/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that host and device share: its transfers.
 */
#include "opencl/commands.h"

typedef void free_callback(tacho_cl_handle queue, uint32_t count, void *memory[], void *self);

static uint64_t sum_of(uint32_t count, const size_t *sizes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; sizes != NULL && i < count; i++) {
        sum += sizes[i];
    }
    return sum;
}

static int32_t wrap_free(tacho_cl_handle queue, uint32_t count, void *memory[],
                         free_callback *callback, void *self, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMFree, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueSVMFree, wrap_free)(queue, count, memory, callback, self,
                                                              wait_count, waits, command.event);
    const tacho_cl_command_facts facts = {.name = "Free shared memory",
                                          .engine = TACHO_CLIENT_SYNC};
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_copy(tacho_cl_handle queue, uint32_t is_blocking, void *to, const void *from,
                         size_t size, uint32_t wait_count, const tacho_cl_handle *waits,
                         tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMMemcpy, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueSVMMemcpy, wrap_copy)(queue, is_blocking, to, from, size,
                                                                wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy shared memory", TACHO_CLIENT_ON_DEVICE, size, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_fill(tacho_cl_handle queue, void *to, const void *pattern, size_t pattern_size,
                         size_t size, uint32_t wait_count, const tacho_cl_handle *waits,
                         tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMMemFill, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueSVMMemFill, wrap_fill)(
        queue, to, pattern, pattern_size, size, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Fill shared memory", TACHO_CLIENT_ON_DEVICE, size, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_map(tacho_cl_handle queue, uint32_t is_blocking, uint64_t flags, void *memory,
                        size_t size, uint32_t wait_count, const tacho_cl_handle *waits,
                        tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMMap, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueSVMMap, wrap_map)(queue, is_blocking, flags, memory, size,
                                                            wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Map shared memory", TACHO_CLIENT_FROM_DEVICE, size, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_unmap(tacho_cl_handle queue, void *memory, uint32_t wait_count,
                          const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMUnmap, queue, event);
    int32_t status =
        TACHO_CL_NEXT(EnqueueSVMUnmap, wrap_unmap)(queue, memory, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = {.name = "Unmap shared memory",
                                          .engine = TACHO_CLIENT_TO_DEVICE};
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_migrate(tacho_cl_handle queue, uint32_t count, const void **memory,
                            const size_t *sizes, uint64_t flags, uint32_t wait_count,
                            const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueSVMMigrateMem, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueSVMMigrateMem, wrap_migrate)(
        queue, count, memory, sizes, flags, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Migrate shared memory",
        (flags & TACHO_CL_MIGRATE_TO_HOST) != 0 ? TACHO_CLIENT_FROM_DEVICE : TACHO_CLIENT_TO_DEVICE,
        status == TACHO_CL_SUCCESS ? sum_of(count, sizes) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

tacho_cl_wrapper_list tacho_cl_shared_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(EnqueueSVMFree, wrap_free),
        TACHO_CL_WRAPS(EnqueueSVMMemcpy, wrap_copy),
        TACHO_CL_WRAPS(EnqueueSVMMemFill, wrap_fill),
        TACHO_CL_WRAPS(EnqueueSVMMap, wrap_map),
        TACHO_CL_WRAPS(EnqueueSVMUnmap, wrap_unmap),
        TACHO_CL_WRAPS(EnqueueSVMMigrateMem, wrap_migrate),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
