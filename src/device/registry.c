/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All kinds of devices.
 */
#include "device/types.h"

#include <stdio.h>
#include <stdlib.h>

static const tacho_device_type *const types[] = {
    &tacho_device_sim,
    &tacho_device_cpu,
    &tacho_device_null,
    NULL,
};

const tacho_device_type *const *tacho_device_types(void)
{
    return types;
}

static tacho_status fail_unknown(tacho_str name)
{
    char known[256] = "";
    for (size_t i = 0; types[i] != NULL; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s%s", i > 0 ? ", " : "", types[i]->name,
                 types[i]->has_argument ? "[:MACHINE]" : "");
    }
    return tacho_fail(TACHO_CODE_NOT_FOUND, "unknown device '%.*s'; use one of: %s",
                      TACHO_STR_ARG(name), known);
}

tacho_status tacho_device_open(tacho_str name, const tacho_device_options *options,
                               tacho_device **out_device)
{
    *out_device = NULL;
    size_t colon = tacho_str_find_byte(name, ':');
    tacho_str kind = tacho_str_make(name.data, colon);
    tacho_str argument = tacho_str_from(name, colon < name.len ? colon + 1 : name.len);
    for (size_t i = 0; types[i] != NULL; i++) {
        if (!tacho_str_equal(kind, tacho_str_from_cstring(types[i]->name))) {
            continue;
        }
        if (colon < name.len && (!types[i]->has_argument || argument.len == 0)) {
            return tacho_fail(TACHO_CODE_USAGE, "device '%.*s': %s", TACHO_STR_ARG(name),
                              types[i]->has_argument ? "a machine is missing after the colon"
                                                     : "it takes nothing after a colon");
        }
        return types[i]->open(options, argument, out_device);
    }
    return fail_unknown(name);
}

void tacho_device_close(tacho_device *device)
{
    if (device != NULL) {
        tacho_execution_free(device->execution);
        device->type->close(device);
    }
}

const char *tacho_device_missing(const tacho_device *device)
{
    return device->type->missing != NULL ? device->type->missing(device) : NULL;
}

tacho_execution_options tacho_device_execution_options(const tacho_device_options *options)
{
    return (tacho_execution_options){
        .choice = options->kernels,
        .threads = options->threads > 0 ? options->threads : 1,
        .gate = options->gate,
        .work_max = options->is_forced ? UINT64_MAX : 0,
    };
}
