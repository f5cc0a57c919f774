/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call is made twice.
 */
#include "profile/events_fork.h"

static tacho_status fork_row(tacho_events *events, const tacho_row *row)
{
    const tacho_events_fork *self = (const tacho_events_fork *)events;
    TACHO_TRY(tacho_events_row(self->first, row));
    return tacho_events_row(self->second, row);
}

static tacho_status fork_end_part(tacho_events *events, uint32_t part)
{
    const tacho_events_fork *self = (const tacho_events_fork *)events;
    TACHO_TRY(tacho_events_end_part(self->first, part));
    return tacho_events_end_part(self->second, part);
}

static tacho_status fork_finish(tacho_events *events)
{
    const tacho_events_fork *self = (const tacho_events_fork *)events;
    TACHO_TRY(tacho_events_finish(self->first));
    return tacho_events_finish(self->second);
}

void tacho_events_fork_init(tacho_events_fork *fork, tacho_events *first, tacho_events *second)
{
    static const tacho_events_vtable vtable = {
        .row = fork_row, .end_part = fork_end_part, .finish = fork_finish};
    *fork = (tacho_events_fork){.events = {&vtable, first->dict}, .first = first, .second = second};
}
