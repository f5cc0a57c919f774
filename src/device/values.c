/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a device: those of its execution, or of its own functions.
 */
#include "device/device.h"

bool tacho_device_has_values(const tacho_device *device)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->has_values(device) : device->execution != NULL;
}

tacho_status tacho_device_set_input(tacho_device *device, size_t index, const tacho_array *value)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->set_input(device, index, value)
                          : tacho_execution_set_input(device->execution, index, value);
}

tacho_status tacho_device_output(tacho_device *device, size_t index, tacho_array *out_value)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->output(device, index, out_value)
                          : tacho_execution_output(device->execution, index, out_value);
}

tacho_execution_counts tacho_device_count(const tacho_device *device)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->count(device) : tacho_execution_count(device->execution);
}

uint64_t tacho_device_peak_bytes(const tacho_device *device)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->peak_bytes(device)
                          : tacho_execution_peak_bytes(device->execution);
}

bool tacho_device_computes_op(const tacho_device *device, uint32_t op)
{
    const tacho_device_values *values = device->type->values;
    return values != NULL ? values->computes_op(device, op)
                          : tacho_execution_computes_op(device->execution, op);
}
