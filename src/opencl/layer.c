/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader's interface to a layer: its version, and a table of functions in place of those below.
 */
#include "opencl/layer.h"

#include <string.h>

#define LAYER_API __attribute__((visibility("default")))

static const char layer_name[] = "tacho";

LAYER_API int32_t clGetLayerInfo(uint32_t param, size_t value_size, void *value, size_t *out_size);
LAYER_API int32_t clInitLayer(uint32_t count, const tacho_cl_function *target, uint32_t *out_count,
                              const tacho_cl_function **out_table);

/* One process has one loader, which initialises the layer once. */
static struct {
    const tacho_cl_function *target;
    size_t target_count;
    tacho_cl_function table[TACHO_CL_TABLE_MAX];
} layer;

tacho_cl_function tacho_cl_next(size_t place)
{
    return layer.target[place];
}

tacho_client_site *tacho_cl_site(tacho_cl_call call)
{
#define SITE(name, place) {"cl" #name, "opencl", NULL, 0, 0, 0},
    static tacho_client_site sites[] = {TACHO_CL_FUNCTIONS(SITE)};
#undef SITE
    return &sites[call];
}

int32_t clGetLayerInfo(uint32_t param, size_t value_size, void *value, size_t *out_size)
{
    const uint32_t version = TACHO_CL_LAYER_API_VERSION_100;
    const void *answer = param == TACHO_CL_LAYER_NAME ? (const void *)layer_name : &version;
    size_t size = param == TACHO_CL_LAYER_NAME ? sizeof(layer_name) : sizeof(version);
    if (param != TACHO_CL_LAYER_NAME && param != TACHO_CL_LAYER_API_VERSION) {
        return TACHO_CL_INVALID_VALUE;
    }
    if (value != NULL && value_size < size) {
        return TACHO_CL_INVALID_VALUE;
    }
    if (value != NULL) {
        memcpy(value, answer, size);
    }
    if (out_size != NULL) {
        *out_size = size;
    }
    return TACHO_CL_SUCCESS;
}

/* Replaces the functions with wrappers; functions that are missing below stay missing. */
static void wrap(tacho_cl_wrapper_list list)
{
    for (size_t i = 0; i < list.item_count; i++) {
        size_t place = list.items[i].place;
        if (place < layer.target_count && layer.target[place] != NULL) {
            layer.table[place] = list.items[i].function;
        }
    }
}

/* Whether all functions are available that commands are timed with. */
static bool can_time(void)
{
    static const size_t needed[] = {
        TACHO_CL_AT_GetDeviceInfo,      TACHO_CL_AT_GetCommandQueueInfo,
        TACHO_CL_AT_GetMemObjectInfo,   TACHO_CL_AT_GetImageInfo,
        TACHO_CL_AT_GetKernelInfo,      TACHO_CL_AT_GetEventInfo,
        TACHO_CL_AT_RetainEvent,        TACHO_CL_AT_ReleaseEvent,
        TACHO_CL_AT_CreateCommandQueue, TACHO_CL_AT_GetEventProfilingInfo,
        TACHO_CL_AT_SetEventCallback,
    };
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (needed[i] >= layer.target_count || layer.target[needed[i]] == NULL) {
            return false;
        }
    }
    return true;
}

/* Without a collector the table is that of the layer below. */
int32_t clInitLayer(uint32_t count, const tacho_cl_function *target, uint32_t *out_count,
                    const tacho_cl_function **out_table)
{
    if (target == NULL || out_count == NULL || out_table == NULL) {
        return TACHO_CL_INVALID_VALUE;
    }
    layer.target = target;
    layer.target_count = count < TACHO_CL_TABLE_MAX ? count : TACHO_CL_TABLE_MAX;
    memcpy(layer.table, target, layer.target_count * sizeof(target[0]));
    if (tacho_client_is_active() && can_time()) {
        wrap(tacho_cl_buffer_wrappers());
        wrap(tacho_cl_image_wrappers());
        wrap(tacho_cl_kernel_wrappers());
        wrap(tacho_cl_queue_wrappers());
        wrap(tacho_cl_shared_wrappers());
        wrap(tacho_cl_wait_wrappers());
    }
    *out_count = (uint32_t)layer.target_count;
    *out_table = layer.table;
    return TACHO_CL_SUCCESS;
}
