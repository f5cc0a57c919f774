/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first end of an arrow gives it the next number, whichever end it is.
 */
#include "sources/xplane/arrows.h"

/* Directions of flows; an arrow leads past an event that has both. */
enum { FLOW_IN = 1, FLOW_OUT = 2 };

void xp_arrows_deinit(xp_arrows *arrows)
{
    for (size_t i = 0; i < XP_ARROW_TYPES; i++) {
        tacho_number_map_deinit(&arrows->typed[i]);
    }
    tacho_number_map_deinit(&arrows->flows);
    tacho_number_map_deinit(&arrows->launches);
}

typedef struct arrow_end {
    tacho_number_map *map;
    uint64_t key;
    tacho_flow_role role;
    tacho_flow_phase phase;
} arrow_end;

static tacho_status push_end(xp_arrows *arrows, const arrow_end *end, const tacho_row *span,
                             tacho_events *events)
{
    const uint64_t *known = tacho_number_map_find(end->map, end->key);
    uint64_t id = known != NULL ? *known : arrows->count;
    if (known == NULL) {
        TACHO_TRY(tacho_number_map_set(end->map, end->key, id));
        arrows->count++;
    }
    const tacho_row row = {
        .kind = TACHO_ROW_FLOW,
        .track = span->track,
        .start = span->start,
        .of.flow = {.id = id,
                    .role = end->role,
                    .phase = end->phase,
                    .span_name = events->dict->sites[span->of.span.site].name,
                    .span_end = span->of.span.end},
    };
    return tacho_events_row(events, &row);
}

static bool has(const xp_arrow_ends *ends, xp_role role)
{
    return (ends->has >> role & 1) != 0;
}

/* An end that is named by a type and an id; types that are not small numbers are not in use. */
static tacho_status push_typed(xp_arrows *arrows, const xp_arrow_ends *ends, xp_role type_role,
                               const tacho_row *span, tacho_events *events)
{
    bool leaves = type_role == XP_ROLE_PRODUCER_TYPE;
    xp_role id_role = leaves ? XP_ROLE_PRODUCER : XP_ROLE_CONSUMER;
    if (!has(ends, type_role) || !has(ends, id_role) || ends->values[type_role] >= XP_ARROW_TYPES) {
        return TACHO_OK;
    }
    arrow_end end = {.map = &arrows->typed[ends->values[type_role]],
                     .key = ends->values[id_role],
                     .role = TACHO_FLOW_DATA,
                     .phase = leaves ? TACHO_FLOW_LEAVES : TACHO_FLOW_ARRIVES};
    return push_end(arrows, &end, span, events);
}

tacho_status xp_arrows_push(xp_arrows *arrows, const xp_arrow_ends *ends, const tacho_row *span,
                            bool is_device, tacho_events *events)
{
    TACHO_TRY(push_typed(arrows, ends, XP_ROLE_CONSUMER_TYPE, span, events));
    TACHO_TRY(push_typed(arrows, ends, XP_ROLE_PRODUCER_TYPE, span, events));
    uint64_t flow = ends->values[XP_ROLE_FLOW]; /* its direction in the lowest two bits */
    if (has(ends, XP_ROLE_FLOW) && ((flow & 3) == FLOW_IN || (flow & 3) == FLOW_OUT)) {
        arrow_end end = {&arrows->flows, flow >> 2, TACHO_FLOW_DATA,
                         (flow & 3) == FLOW_IN ? TACHO_FLOW_ARRIVES : TACHO_FLOW_LEAVES};
        TACHO_TRY(push_end(arrows, &end, span, events));
    }
    if (has(ends, XP_ROLE_CORRELATION) && ends->values[XP_ROLE_CORRELATION] != 0) {
        arrow_end end = {&arrows->launches, ends->values[XP_ROLE_CORRELATION], TACHO_FLOW_LAUNCH,
                         is_device ? TACHO_FLOW_ARRIVES : TACHO_FLOW_LEAVES};
        TACHO_TRY(push_end(arrows, &end, span, events));
    }
    return TACHO_OK;
}
