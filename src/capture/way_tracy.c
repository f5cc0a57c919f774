/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hub of Tracy clients as a way to capture.
 */
#include "capture/way_tracy.h"

#include "capture/tracy_hub.h"

#include "base/tcp_socket.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct way_tracy {
    tacho_way base;
    tacho_tracy_hub hub;
    uint16_t port; /* set in the client's environment; 0: none */
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

/* A client that cannot have its port runs on and loses all it records, so the port must be free. */
static tacho_status check_port(uint16_t port)
{
    tacho_tcp_socket tcp;
    tacho_status status = tacho_tcp_socket_open(&tcp, port);
    tacho_tcp_socket_close(&tcp);
    return status;
}

static tacho_status tracy_open(const tacho_way_context *context, tacho_way **out_way)
{
    *out_way = NULL;
    if (context->omits_tracy) {
        return TACHO_OK;
    }
    if (context->tracy_port > 0) {
        TACHO_TRY_NOTE(check_port(context->tracy_port), "the port for Tracy clients");
    }
    way_tracy *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_way_tracy;
    self->port = context->tracy_port;
    tacho_status status = tacho_tracy_hub_open(&self->hub, context->recorder, context->sampler,
                                               context->epoll_fd, context->event_base);
    if (status != TACHO_OK) {
        tracy_close(&self->base);
        return status;
    }
    if (self->port > 0) {
        self->hub.extra_port = self->port;
    }
    *out_way = &self->base;
    return TACHO_OK;
}

static void tracy_variable(const tacho_way *way, char out_text[TACHO_WAY_VARIABLE_MAX])
{
    uint16_t port = ((const way_tracy *)way)->port;
    out_text[0] = '\0';
    if (port > 0) {
        snprintf(out_text, TACHO_WAY_VARIABLE_MAX, "TRACY_PORT=%u", (unsigned)port);
    }
}

static void tracy_handle(tacho_way *way, uint64_t event)
{
    tacho_tracy_hub_handle(hub_of(way), event);
}

static int64_t tracy_drain(tacho_way *way, int64_t now_ns)
{
    return tacho_tracy_hub_look(hub_of(way), now_ns);
}

static void tracy_end(tacho_way *way, pid_t pid, int64_t now_ns)
{
    (void)pid;
    (void)now_ns;
    tacho_tracy_hub_end_process(hub_of(way));
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
    counts->foreign = hub->counts.foreign;
    counts->damaged = hub->counts.damaged;
    counts->missed = hub->counts.missed;
    counts->portless = tacho_tracy_count_portless(hub);
}

const tacho_way_type tacho_way_tracy = {
    .name = "Tracy",
    .needs = "programs that are instrumented with Tracy, as tt-metal's are",
    .open = tracy_open,
    .variable = tracy_variable,
    .handle = tracy_handle,
    .drain = tracy_drain,
    .end = tracy_end,
    .finish = tracy_finish,
    .count = tracy_count,
    .close = tracy_close,
};
