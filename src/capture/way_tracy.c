/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hub of Tracy clients as a way to capture.
 */
#include "capture/way_tracy.h"

#include "capture/tracy_hub.h"

#include <stdlib.h>

typedef struct way_tracy {
    tacho_way base;
    tacho_tracy_hub hub;
} way_tracy;

static tacho_tracy_hub *hub_of(tacho_way *way)
{
    return &((way_tracy *)way)->hub;
}

static void tracy_close(tacho_way *way)
{
    tacho_tracy_hub_close(hub_of(way));
    free(way);
}

static tacho_status tracy_open(const tacho_way_context *context, tacho_way **out_way)
{
    way_tracy *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_way_tracy;
    tacho_status status = tacho_tracy_hub_open(&self->hub, context->recorder, context->sampler,
                                               context->epoll_fd, context->event_base);
    if (status != TACHO_OK) {
        tracy_close(&self->base);
        return status;
    }
    *out_way = &self->base;
    return TACHO_OK;
}

static void tracy_handle(tacho_way *way, uint64_t event)
{
    tacho_tracy_hub_handle(hub_of(way), event);
}

static int64_t tracy_drain(tacho_way *way, int64_t now_ns)
{
    return tacho_tracy_hub_look(hub_of(way), now_ns);
}

static void tracy_finish(tacho_way *way, int64_t now_ns)
{
    (void)now_ns;
    tacho_tracy_hub_finish(hub_of(way));
}

static void tracy_count(const tacho_way *way, tacho_way_counts *counts)
{
    const tacho_tracy_hub *hub = &((const way_tracy *)way)->hub;
    counts->programs = hub->counts.programs;
    counts->events = hub->counts.events;
    counts->refused = hub->counts.refused + hub->counts.silent;
    counts->damaged = hub->counts.damaged;
}

const tacho_way_type tacho_way_tracy = {
    .name = "Tracy",
    .needs = "programs that are instrumented with Tracy, as tt-metal's are",
    .open = tracy_open,
    .handle = tracy_handle,
    .drain = tracy_drain,
    .finish = tracy_finish,
    .count = tracy_count,
    .close = tracy_close,
};
