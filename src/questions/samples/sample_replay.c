/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans and arrows of one part after those of another.
 */
#include "questions/samples/sample_replay.h"

#include <stdlib.h>

typedef struct replay {
    const tacho_profile *profile;
    const bool *skips;
    tacho_events *to;
    size_t flow; /* the next arrow */
    tacho_arg *args;
    size_t arg_capacity;
} replay;

static tacho_status push_flow(const replay *self, const tacho_flow_end *end)
{
    const tacho_row row = {.kind = TACHO_ROW_FLOW,
                           .track = end->track,
                           .start = end->time,
                           .of.flow = {.id = end->id,
                                       .role = end->role,
                                       .phase = end->phase,
                                       .span_name = end->span_name,
                                       .span_end = end->span_end}};
    return tacho_events_row(self->to, &row);
}

/* Pushes the arrows of |part|; parts are pushed in order. */
static tacho_status push_flows(replay *self, uint32_t part)
{
    const tacho_dict *dict = self->profile->events.dict;
    for (; self->flow < self->profile->flow_end_count; self->flow++) {
        const tacho_flow_end *end = &self->profile->flow_ends[self->flow];
        uint32_t own = dict->tracks[end->track].part;
        if (own > part) {
            break;
        }
        TACHO_TRY(own == part ? push_flow(self, end) : TACHO_OK);
    }
    return TACHO_OK;
}

static tacho_status push_spans(replay *self)
{
    const tacho_profile *profile = self->profile;
    uint32_t part = 0;
    bool has_some = false;
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_row row;
        if (self->skips != NULL && self->skips[tacho_profile_span(profile, i).site]) {
            continue;
        }
        TACHO_TRY(tacho_profile_row(profile, i, &self->args, &self->arg_capacity, &row));
        uint32_t own = profile->events.dict->tracks[row.track].part;
        if (has_some && own != part) {
            TACHO_TRY(push_flows(self, part));
            TACHO_TRY(tacho_events_end_part(self->to, part));
        }
        part = own;
        has_some = true;
        row.of.span.run = (uint32_t)i;
        TACHO_TRY(tacho_events_row(self->to, &row));
    }
    TACHO_TRY(push_flows(self, part));
    return tacho_events_end_part(self->to, part);
}

tacho_status tacho_sample_replay(const tacho_profile *profile, const bool *skips, tacho_events *to)
{
    replay self = {.profile = profile, .skips = skips, .to = to};
    tacho_status status = push_spans(&self);
    free(self.args);
    return status;
}
