/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable is all that it takes. Values from others are kept: layers of OpenCL are a list, and
 * where the program is to load another profiler for CUDA, it does.
 */
#include "capture/way_library.h"

#include "base/beside.h"

#include <stdio.h>
#include <stdlib.h>

/* Which library it is, and who loads it. */
typedef struct library_facts {
    const char *file, *variable;
    bool is_list; /* the variable names several, with colons between them */
} library_facts;

typedef struct way_library {
    tacho_way base;
    const library_facts *facts;
    char path[TACHO_WAY_VARIABLE_MAX];
} way_library;

static const library_facts opencl = {"libtacho-opencl.so", "OPENCL_LAYERS", true};
static const library_facts cuda = {"libtacho-cuda.so", "CUDA_INJECTION64_PATH", false};
static const library_facts nvtx = {"libtacho-cuda.so", "NVTX_INJECTION64_PATH", false};

static void library_close(tacho_way *way)
{
    free(way);
}

/* A path with a colon would be two in a list. */
static tacho_status open_library(const tacho_way_type *type, const library_facts *facts,
                                 tacho_way **out_way)
{
    way_library *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = type;
    self->facts = facts;
    if (!tacho_beside_find(facts->file, self->path, sizeof(self->path)) ||
        (facts->is_list && strchr(self->path, ':') != NULL)) {
        free(self); /* it is not installed here */
        return TACHO_OK;
    }
    *out_way = &self->base;
    return TACHO_OK;
}

static tacho_status opencl_open(const tacho_way_context *context, tacho_way **out_way)
{
    (void)context;
    return open_library(&tacho_way_opencl, &opencl, out_way);
}

static tacho_status cuda_open(const tacho_way_context *context, tacho_way **out_way)
{
    (void)context;
    return open_library(&tacho_way_cuda, &cuda, out_way);
}

static tacho_status nvtx_open(const tacho_way_context *context, tacho_way **out_way)
{
    (void)context;
    return open_library(&tacho_way_nvtx, &nvtx, out_way);
}

static void library_variable(const tacho_way *way, char out_text[TACHO_WAY_VARIABLE_MAX])
{
    const way_library *self = (const way_library *)way;
    const library_facts *facts = self->facts;
    const char *others = getenv(facts->variable);
    bool has_others = others != NULL && others[0] != '\0';
    int len = snprintf(out_text, TACHO_WAY_VARIABLE_MAX, "%s=%s%s%s", facts->variable, self->path,
                       has_others ? ":" : "", has_others ? others : "");
    if (len < 0 || len >= TACHO_WAY_VARIABLE_MAX || (has_others && !facts->is_list)) {
        out_text[0] = '\0'; /* others are not to be lost */
    }
}

/* Events arrive through the collector: there is nothing to do here. */
static void library_handle(tacho_way *way, uint64_t event)
{
    (void)way;
    (void)event;
}

static int64_t library_drain(tacho_way *way, int64_t now_ns)
{
    (void)way;
    (void)now_ns;
    return TACHO_WAY_IDLE;
}

static void library_finish(tacho_way *way, int64_t now_ns)
{
    (void)way;
    (void)now_ns;
}

static void library_count(const tacho_way *way, tacho_way_counts *counts)
{
    (void)way;
    (void)counts;
}

#define LIBRARY_TYPE(way_name, programs, open_function)                                            \
    {                                                                                              \
        .name = way_name, .needs = programs, .open = open_function, .variable = library_variable,  \
        .handle = library_handle, .drain = library_drain, .finish = library_finish,                \
        .count = library_count, .close = library_close,                                            \
    }

const tacho_way_type tacho_way_opencl = LIBRARY_TYPE(
    "OpenCL", "programs that use OpenCL through a loader with layers, such as ocl-icd 2.3",
    opencl_open);
const tacho_way_type tacho_way_cuda = LIBRARY_TYPE(
    "CUDA", "programs that use CUDA 12 or later, where its libcupti.so is installed", cuda_open);
const tacho_way_type tacho_way_nvtx = LIBRARY_TYPE("NVTX", "programs with NVTX ranges", nvtx_open);
