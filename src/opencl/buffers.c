/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers of buffers.
 */
#include "opencl/commands.h"

typedef int32_t get_info(tacho_cl_handle object, uint32_t param, size_t size, void *value,
                         size_t *out_size);

/* Bytes of |count| memory objects. */
static uint64_t size_of(uint32_t count, const tacho_cl_handle *objects)
{
    get_info *next = (get_info *)tacho_cl_next(TACHO_CL_AT_GetMemObjectInfo);
    uint64_t sum = 0;
    for (uint32_t i = 0; objects != NULL && i < count; i++) {
        size_t bytes = 0;
        bool is_known = next(objects[i], TACHO_CL_MEM_SIZE, sizeof(bytes), &bytes, NULL) == 0;
        sum += is_known ? bytes : 0;
    }
    return sum;
}

static int32_t wrap_read(tacho_cl_handle queue, tacho_cl_handle buffer, uint32_t is_blocking,
                         size_t offset, size_t size, void *to, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueReadBuffer, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueReadBuffer, wrap_read)(
        queue, buffer, is_blocking, offset, size, to, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Read buffer", TACHO_CLIENT_FROM_DEVICE, size, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_write(tacho_cl_handle queue, tacho_cl_handle buffer, uint32_t is_blocking,
                          size_t offset, size_t size, const void *from, uint32_t wait_count,
                          const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueWriteBuffer, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueWriteBuffer, wrap_write)(
        queue, buffer, is_blocking, offset, size, from, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Write buffer", TACHO_CLIENT_TO_DEVICE, size, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_copy(tacho_cl_handle queue, tacho_cl_handle from, tacho_cl_handle to,
                         size_t from_offset, size_t to_offset, size_t size, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueCopyBuffer, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueCopyBuffer, wrap_copy)(
        queue, from, to, from_offset, to_offset, size, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy buffer", TACHO_CLIENT_ON_DEVICE, size, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_fill(tacho_cl_handle queue, tacho_cl_handle buffer, const void *pattern,
                         size_t pattern_size, size_t offset, size_t size, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueFillBuffer, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueFillBuffer, wrap_fill)(
        queue, buffer, pattern, pattern_size, offset, size, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Fill buffer", TACHO_CLIENT_ON_DEVICE, size, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_read_rect(tacho_cl_handle queue, tacho_cl_handle buffer, uint32_t is_blocking,
                              const size_t *buffer_origin, const size_t *host_origin,
                              const size_t *region, size_t buffer_row, size_t buffer_slice,
                              size_t host_row, size_t host_slice, void *to, uint32_t wait_count,
                              const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueReadBufferRect, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueReadBufferRect, wrap_read_rect)(
        queue, buffer, is_blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice,
        host_row, host_slice, to, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Read buffer", TACHO_CLIENT_FROM_DEVICE,
        status == TACHO_CL_SUCCESS ? tacho_cl_volume(region) : 0, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_write_rect(tacho_cl_handle queue, tacho_cl_handle buffer, uint32_t is_blocking,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row, size_t buffer_slice,
                               size_t host_row, size_t host_slice, const void *from,
                               uint32_t wait_count, const tacho_cl_handle *waits,
                               tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueWriteBufferRect, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueWriteBufferRect, wrap_write_rect)(
        queue, buffer, is_blocking, buffer_origin, host_origin, region, buffer_row, buffer_slice,
        host_row, host_slice, from, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Write buffer", TACHO_CLIENT_TO_DEVICE,
        status == TACHO_CL_SUCCESS ? tacho_cl_volume(region) : 0, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_copy_rect(tacho_cl_handle queue, tacho_cl_handle from, tacho_cl_handle to,
                              const size_t *from_origin, const size_t *to_origin,
                              const size_t *region, size_t from_row, size_t from_slice,
                              size_t to_row, size_t to_slice, uint32_t wait_count,
                              const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueCopyBufferRect, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueCopyBufferRect, wrap_copy_rect)(
        queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice,
        wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy buffer", TACHO_CLIENT_ON_DEVICE,
                          status == TACHO_CL_SUCCESS ? tacho_cl_volume(region) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static void *wrap_map(tacho_cl_handle queue, tacho_cl_handle buffer, uint32_t is_blocking,
                      uint64_t flags, size_t offset, size_t size, uint32_t wait_count,
                      const tacho_cl_handle *waits, tacho_cl_handle *event, int32_t *out_error)
{
    tacho_cl_command command;
    int32_t error = TACHO_CL_SUCCESS;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueMapBuffer, queue, event);
    void *at = TACHO_CL_NEXT(EnqueueMapBuffer, wrap_map)(
        queue, buffer, is_blocking, flags, offset, size, wait_count, waits, command.event, &error);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Map buffer", TACHO_CLIENT_FROM_DEVICE, size, is_blocking != 0);
    tacho_cl_command_end(&command, &facts, error);
    if (out_error != NULL) {
        *out_error = error;
    }
    return at;
}

static int32_t wrap_unmap(tacho_cl_handle queue, tacho_cl_handle object, void *at,
                          uint32_t wait_count, const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueUnmapMemObject, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueUnmapMemObject, wrap_unmap)(queue, object, at, wait_count,
                                                                      waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Unmap", TACHO_CLIENT_TO_DEVICE, size_of(1, &object), false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_migrate(tacho_cl_handle queue, uint32_t count, const tacho_cl_handle *objects,
                            uint64_t flags, uint32_t wait_count, const tacho_cl_handle *waits,
                            tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueMigrateMemObjects, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueMigrateMemObjects, wrap_migrate)(
        queue, count, objects, flags, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Migrate",
        (flags & TACHO_CL_MIGRATE_TO_HOST) != 0 ? TACHO_CLIENT_FROM_DEVICE : TACHO_CLIENT_TO_DEVICE,
        status == TACHO_CL_SUCCESS ? size_of(count, objects) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

tacho_cl_wrapper_list tacho_cl_buffer_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(EnqueueReadBuffer, wrap_read),
        TACHO_CL_WRAPS(EnqueueWriteBuffer, wrap_write),
        TACHO_CL_WRAPS(EnqueueCopyBuffer, wrap_copy),
        TACHO_CL_WRAPS(EnqueueFillBuffer, wrap_fill),
        TACHO_CL_WRAPS(EnqueueReadBufferRect, wrap_read_rect),
        TACHO_CL_WRAPS(EnqueueWriteBufferRect, wrap_write_rect),
        TACHO_CL_WRAPS(EnqueueCopyBufferRect, wrap_copy_rect),
        TACHO_CL_WRAPS(EnqueueMapBuffer, wrap_map),
        TACHO_CL_WRAPS(EnqueueUnmapMemObject, wrap_unmap),
        TACHO_CL_WRAPS(EnqueueMigrateMemObjects, wrap_migrate),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
