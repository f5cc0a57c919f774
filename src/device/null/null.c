/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that does nothing: the skeleton of every other (docs/devices.md). It loads any
 * program, computes no values, takes no time, and records threads that started and ended at once.
 */
#include <stdlib.h>

#include "device/recorder.h"
#include "device/types.h"

typedef struct null_device {
    tacho_device base;
    uint64_t run_count;
} null_device;

static tacho_status null_open(const tacho_device_options *options, tacho_str argument,
                              tacho_device **out_device)
{
    (void)options;
    (void)argument;
    null_device *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    self->base.type = &tacho_device_null;
    *out_device = &self->base;
    return TACHO_OK;
}

static tacho_status null_load(tacho_device *device, const tacho_program *program)
{
    device->program = program;
    return TACHO_OK;
}

static tacho_status null_run(tacho_device *device, uint64_t inference, bool records,
                             tacho_device_result *out_result)
{
    (void)device;
    (void)inference;
    (void)records;
    *out_result = (tacho_device_result){.cycles = -1};
    return TACHO_OK;
}

static void null_close(tacho_device *device)
{
    free(device);
}

const tacho_device_type tacho_device_null = {
    .name = "null",
    .about = "runs nothing: the skeleton of a device",
    .is_simulated = true,
    .open = null_open,
    .load = null_load,
    .run = null_run,
    .close = null_close,
};
