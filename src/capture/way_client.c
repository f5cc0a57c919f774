/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector as a way to capture.
 */
#include "capture/way_client.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUSY_SHARE = 16 /* of a ring: fuller ones are taken again at once */ };

static const int64_t drain_ns = 5 * 1000000;

typedef struct way_client {
    tacho_way base;
    tacho_collector collector;
} way_client;

static way_client *of(tacho_way *way)
{
    return (way_client *)way;
}

static void client_close(tacho_way *way)
{
    tacho_collector_close(&of(way)->collector);
    free(way);
}

static tacho_status client_open(const tacho_way_context *context, tacho_way **out_way)
{
    way_client *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_way_client;
    tacho_status status = tacho_collector_open(&self->collector, context);
    if (status != TACHO_OK) {
        client_close(&self->base);
        return status;
    }
    *out_way = &self->base;
    return TACHO_OK;
}

static void client_variable(const tacho_way *way, char out_text[TACHO_WAY_VARIABLE_MAX])
{
    const tacho_collector *collector = &((const way_client *)way)->collector;
    if (collector->tcp.port != 0) {
        snprintf(out_text, TACHO_WAY_VARIABLE_MAX, "%s=127.0.0.1:%u", TACHO_WIRE_VARIABLE,
                 (unsigned)collector->tcp.port);
    } else {
        snprintf(out_text, TACHO_WAY_VARIABLE_MAX, "%s=%s", TACHO_WIRE_VARIABLE,
                 collector->socket.path);
    }
}

static void client_handle(tacho_way *way, uint64_t event)
{
    tacho_collector_handle(&of(way)->collector, event);
}

static int64_t client_drain(tacho_way *way, int64_t now_ns)
{
    tacho_collector *collector = &of(way)->collector;
    if (!tacho_collector_has_clients(collector)) {
        return TACHO_WAY_IDLE;
    }
    uint64_t most = tacho_collector_drain(collector);
    return most > TACHO_WIRE_RECORDS / BUSY_SHARE ? now_ns : now_ns + drain_ns;
}

static void client_end(tacho_way *way, pid_t pid, int64_t now_ns)
{
    tacho_collector_end(&of(way)->collector, pid, now_ns);
}

static void client_finish(tacho_way *way, int64_t now_ns)
{
    tacho_collector_finish(&of(way)->collector, now_ns);
}

static void client_count(const tacho_way *way, tacho_way_counts *counts)
{
    const tacho_collector *collector = &((const way_client *)way)->collector;
    counts->programs = collector->counts.processes;
    counts->events = collector->counts.events;
}

tacho_collector_counts tacho_way_client_counts(const tacho_way *way)
{
    return ((const way_client *)way)->collector.counts;
}

uint16_t tacho_way_client_port(const tacho_way *way)
{
    return ((const way_client *)way)->collector.tcp.port;
}

const tacho_way_type tacho_way_client = {
    .name = "libtacho-client",
    .needs = "programs that use libtacho-client, as tacho's own runs do",
    .open = client_open,
    .variable = client_variable,
    .handle = client_handle,
    .drain = client_drain,
    .end = client_end,
    .finish = client_finish,
    .count = client_count,
    .close = client_close,
};
