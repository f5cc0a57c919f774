/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers of images.
 */
#include "opencl/commands.h"

typedef int32_t get_info(tacho_cl_handle object, uint32_t param, size_t size, void *value,
                         size_t *out_size);

/* Bytes of a part of an image. */
static uint64_t size_of(tacho_cl_handle image, const size_t *region)
{
    get_info *next = (get_info *)tacho_cl_next(TACHO_CL_AT_GetImageInfo);
    size_t element = 0;
    uint64_t bytes = 0;
    bool is_known = next(image, TACHO_CL_IMAGE_ELEMENT_SIZE, sizeof(element), &element, NULL) == 0;
    return is_known && !__builtin_mul_overflow(tacho_cl_volume(region), element, &bytes) ? bytes
                                                                                         : 0;
}

static int32_t wrap_read(tacho_cl_handle queue, tacho_cl_handle image, uint32_t is_blocking,
                         const size_t *origin, const size_t *region, size_t row, size_t slice,
                         void *to, uint32_t wait_count, const tacho_cl_handle *waits,
                         tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueReadImage, queue, event);
    int32_t status =
        TACHO_CL_NEXT(EnqueueReadImage, wrap_read)(queue, image, is_blocking, origin, region, row,
                                                   slice, to, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Read image", TACHO_CLIENT_FROM_DEVICE,
        status == TACHO_CL_SUCCESS ? size_of(image, region) : 0, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_write(tacho_cl_handle queue, tacho_cl_handle image, uint32_t is_blocking,
                          const size_t *origin, const size_t *region, size_t row, size_t slice,
                          const void *from, uint32_t wait_count, const tacho_cl_handle *waits,
                          tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueWriteImage, queue, event);
    int32_t status =
        TACHO_CL_NEXT(EnqueueWriteImage, wrap_write)(queue, image, is_blocking, origin, region, row,
                                                     slice, from, wait_count, waits, command.event);
    const tacho_cl_command_facts facts = tacho_cl_transfer(
        "Write image", TACHO_CLIENT_TO_DEVICE,
        status == TACHO_CL_SUCCESS ? size_of(image, region) : 0, is_blocking != 0);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_copy(tacho_cl_handle queue, tacho_cl_handle from, tacho_cl_handle to,
                         const size_t *from_origin, const size_t *to_origin, const size_t *region,
                         uint32_t wait_count, const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueCopyImage, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueCopyImage, wrap_copy)(
        queue, from, to, from_origin, to_origin, region, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy image", TACHO_CLIENT_ON_DEVICE,
                          status == TACHO_CL_SUCCESS ? size_of(from, region) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_to_buffer(tacho_cl_handle queue, tacho_cl_handle image, tacho_cl_handle buffer,
                              const size_t *origin, const size_t *region, size_t offset,
                              uint32_t wait_count, const tacho_cl_handle *waits,
                              tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueCopyImageToBuffer, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueCopyImageToBuffer, wrap_to_buffer)(
        queue, image, buffer, origin, region, offset, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy image to buffer", TACHO_CLIENT_ON_DEVICE,
                          status == TACHO_CL_SUCCESS ? size_of(image, region) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_from_buffer(tacho_cl_handle queue, tacho_cl_handle buffer,
                                tacho_cl_handle image, size_t offset, const size_t *origin,
                                const size_t *region, uint32_t wait_count,
                                const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueCopyBufferToImage, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueCopyBufferToImage, wrap_from_buffer)(
        queue, buffer, image, offset, origin, region, wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Copy buffer to image", TACHO_CLIENT_ON_DEVICE,
                          status == TACHO_CL_SUCCESS ? size_of(image, region) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static int32_t wrap_fill(tacho_cl_handle queue, tacho_cl_handle image, const void *color,
                         const size_t *origin, const size_t *region, uint32_t wait_count,
                         const tacho_cl_handle *waits, tacho_cl_handle *event)
{
    tacho_cl_command command;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueFillImage, queue, event);
    int32_t status = TACHO_CL_NEXT(EnqueueFillImage, wrap_fill)(queue, image, color, origin, region,
                                                                wait_count, waits, command.event);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Fill image", TACHO_CLIENT_ON_DEVICE,
                          status == TACHO_CL_SUCCESS ? size_of(image, region) : 0, false);
    return tacho_cl_command_end(&command, &facts, status);
}

static void *wrap_map(tacho_cl_handle queue, tacho_cl_handle image, uint32_t is_blocking,
                      uint64_t flags, const size_t *origin, const size_t *region, size_t *out_row,
                      size_t *out_slice, uint32_t wait_count, const tacho_cl_handle *waits,
                      tacho_cl_handle *event, int32_t *out_error)
{
    tacho_cl_command command;
    int32_t error = TACHO_CL_SUCCESS;
    tacho_cl_command_begin(&command, TACHO_CL_EnqueueMapImage, queue, event);
    void *at = TACHO_CL_NEXT(EnqueueMapImage, wrap_map)(queue, image, is_blocking, flags, origin,
                                                        region, out_row, out_slice, wait_count,
                                                        waits, command.event, &error);
    const tacho_cl_command_facts facts =
        tacho_cl_transfer("Map image", TACHO_CLIENT_FROM_DEVICE,
                          error == TACHO_CL_SUCCESS ? size_of(image, region) : 0, is_blocking != 0);
    tacho_cl_command_end(&command, &facts, error);
    if (out_error != NULL) {
        *out_error = error;
    }
    return at;
}

tacho_cl_wrapper_list tacho_cl_image_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(EnqueueReadImage, wrap_read),
        TACHO_CL_WRAPS(EnqueueWriteImage, wrap_write),
        TACHO_CL_WRAPS(EnqueueCopyImage, wrap_copy),
        TACHO_CL_WRAPS(EnqueueCopyImageToBuffer, wrap_to_buffer),
        TACHO_CL_WRAPS(EnqueueCopyBufferToImage, wrap_from_buffer),
        TACHO_CL_WRAPS(EnqueueFillImage, wrap_fill),
        TACHO_CL_WRAPS(EnqueueMapImage, wrap_map),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
