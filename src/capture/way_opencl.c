/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable is all that it takes: loaders read the layers to load from OPENCL_LAYERS. Layers that
 * were there stay.
 */
#include "capture/way_opencl.h"

#include "base/beside.h"

#include <stdio.h>
#include <stdlib.h>

#define LAYERS "OPENCL_LAYERS"

typedef struct way_opencl {
    tacho_way base;
    char path[TACHO_WAY_VARIABLE_MAX];
} way_opencl;

static void opencl_close(tacho_way *way)
{
    free(way);
}

/* A path with a colon would be two in the list. */
static tacho_status opencl_open(const tacho_way_context *context, tacho_way **out_way)
{
    way_opencl *self = calloc(1, sizeof(*self));
    (void)context;
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_way_opencl;
    if (!tacho_beside_find("libtacho-opencl.so", self->path, sizeof(self->path)) ||
        strchr(self->path, ':') != NULL) {
        free(self); /* it is not installed here */
        return TACHO_OK;
    }
    *out_way = &self->base;
    return TACHO_OK;
}

static void opencl_variable(const tacho_way *way, char out_text[TACHO_WAY_VARIABLE_MAX])
{
    const char *path = ((const way_opencl *)way)->path;
    const char *others = getenv(LAYERS);
    bool has_others = others != NULL && others[0] != '\0';
    int len = snprintf(out_text, TACHO_WAY_VARIABLE_MAX, LAYERS "=%s%s%s", path,
                       has_others ? ":" : "", has_others ? others : "");
    if (len < 0 || len >= TACHO_WAY_VARIABLE_MAX) {
        out_text[0] = '\0'; /* others' layers are not to be lost */
    }
}

/* Events come through the collector: there is nothing to do here. */
static void opencl_handle(tacho_way *way, uint64_t event)
{
    (void)way;
    (void)event;
}

static int64_t opencl_drain(tacho_way *way, int64_t now_ns)
{
    (void)way;
    (void)now_ns;
    return TACHO_WAY_IDLE;
}

static void opencl_finish(tacho_way *way, int64_t now_ns)
{
    (void)way;
    (void)now_ns;
}

static void opencl_count(const tacho_way *way, tacho_way_counts *counts)
{
    (void)way;
    (void)counts;
}

const tacho_way_type tacho_way_opencl = {
    .name = "OpenCL",
    .needs = "programs that use OpenCL through a loader with layers, such as ocl-icd 2.3",
    .open = opencl_open,
    .variable = opencl_variable,
    .handle = opencl_handle,
    .drain = opencl_drain,
    .finish = opencl_finish,
    .count = opencl_count,
    .close = opencl_close,
};
