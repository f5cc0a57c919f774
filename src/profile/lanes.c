/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-fit lanes. Per lane the ends of its open spans are kept as a stack; a lane of an engine
 * never holds more than one, so there heaps find the lowest free lane.
 *
 * A flow end goes to the lane of its span, directly ahead of it where it knows its span; it waits
 * for that. One that belongs to no span is counted as lost.
 */
#include "profile/lanes.h"

#include "base/grow.h"

#include <stdlib.h>

/* Viewers show no more levels than this on one track. */
enum { LANE_DEPTH_MAX = 512 };

typedef struct lane {
    uint32_t track;
    int64_t *ends; /* of open spans, outermost first; an engine's lane has at most one */
    size_t end_count, end_capacity;
} lane;

typedef struct lane_set {
    lane *lanes; /* lane 0 is the track itself */
    size_t lane_count, lane_capacity;
    /*
     * Engines: heaps of lane numbers, so that many lanes cost no more than few. Busy ones with
     * the first to end on top, free ones with the lowest number on top.
     */
    uint32_t *busy;
    size_t busy_count, busy_capacity;
    uint32_t *idle;
    size_t idle_count, idle_capacity;
    tacho_row *flows; /* that wait for their span */
    size_t flow_count, flow_capacity;
} lane_set;

struct tacho_lanes {
    tacho_events events;
    tacho_events *next;
    lane_set *sets; /* by track */
    size_t set_count, set_capacity;
};

static tacho_lanes *lanes_of(tacho_events *events)
{
    return (tacho_lanes *)(void *)events;
}

static tacho_status ensure_set(tacho_lanes *lanes, uint32_t track, lane_set **out_set)
{
    if (TACHO_UNLIKELY(track >= lanes->set_count)) {
        TACHO_TRY(tacho_grow(&lanes->sets, &lanes->set_capacity, (size_t)track + 1));
        for (; lanes->set_count <= track; lanes->set_count++) {
            lanes->sets[lanes->set_count] = (lane_set){0};
        }
    }
    *out_set = &lanes->sets[track];
    return TACHO_OK;
}

static tacho_status add_lane(tacho_lanes *lanes, lane_set *set, uint32_t track)
{
    TACHO_TRY(tacho_grow(&set->lanes, &set->lane_capacity, set->lane_count + 1));
    lane added = {.track = track};
    if (set->lane_count > 0) {
        tacho_track facts = lanes->events.dict->tracks[track];
        facts.lane_of = track;
        TACHO_TRY(tacho_dict_add_track(lanes->events.dict, &facts, &added.track));
    }
    set->lanes[set->lane_count++] = added;
    return TACHO_OK;
}

/* ---- engines ---------------------------------------------------------------------------- */

/* Whether lane |a| belongs below lane |b| in the heap: ends later, or has a higher number. */
static bool is_below(const lane_set *set, bool by_end, uint32_t a, uint32_t b)
{
    return by_end ? set->lanes[a].ends[0] > set->lanes[b].ends[0] : a > b;
}

static void sift_up(const lane_set *set, bool by_end, uint32_t *heap, size_t at)
{
    uint32_t moved = heap[at];
    while (at > 0 && is_below(set, by_end, heap[(at - 1) / 2], moved)) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

static uint32_t pop_top(const lane_set *set, bool by_end, uint32_t *heap, size_t *count)
{
    uint32_t top = heap[0];
    uint32_t moved = heap[--*count];
    size_t at = 0;
    for (size_t child = 1; child < *count; child = 2 * at + 1) {
        if (child + 1 < *count && is_below(set, by_end, heap[child], heap[child + 1])) {
            child++;
        }
        if (!is_below(set, by_end, moved, heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return top;
}

/* The lowest lane that is free at |start|, and makes it busy until |end|. */
static tacho_status take_engine_lane(tacho_lanes *lanes, lane_set *set, const tacho_row *row,
                                     lane **out_lane)
{
    if (TACHO_LIKELY(set->lane_count == 1 && set->lanes[0].ends[0] <= row->start)) {
        set->lanes[0].ends[0] = row->of.span.end; /* alone, it stays on top of its heap */
        *out_lane = &set->lanes[0];
        return TACHO_OK;
    }
    while (set->busy_count > 0 && set->lanes[set->busy[0]].ends[0] <= row->start) {
        uint32_t number = pop_top(set, true, set->busy, &set->busy_count);
        set->idle[set->idle_count] = number;
        sift_up(set, false, set->idle, set->idle_count++);
    }
    if (set->idle_count == 0) {
        TACHO_TRY(add_lane(lanes, set, row->track));
        TACHO_TRY(tacho_grow(&set->busy, &set->busy_capacity, set->lane_count));
        TACHO_TRY(tacho_grow(&set->idle, &set->idle_capacity, set->lane_count));
        set->idle[set->idle_count++] = (uint32_t)set->lane_count - 1;
    }
    uint32_t number = pop_top(set, false, set->idle, &set->idle_count);
    lane *found = &set->lanes[number];
    TACHO_TRY(tacho_grow(&found->ends, &found->end_capacity, 1));
    found->ends[0] = row->of.span.end;
    found->end_count = 1;
    set->busy[set->busy_count] = number;
    sift_up(set, true, set->busy, set->busy_count++);
    *out_lane = found;
    return TACHO_OK;
}

/* ---- stacks ----------------------------------------------------------------------------- */

/* Whether the span may lie in this lane; what has ended at its start is closed on the way. */
static bool fits(lane *at, const tacho_row *row)
{
    while (at->end_count > 0 && at->ends[at->end_count - 1] <= row->start) {
        at->end_count--;
    }
    return at->end_count == 0 ||
           (at->end_count < LANE_DEPTH_MAX && row->of.span.end <= at->ends[at->end_count - 1]);
}

static tacho_status take_stack_lane(tacho_lanes *lanes, lane_set *set, const tacho_row *row,
                                    lane **out_lane)
{
    size_t number = 0;
    while (number < set->lane_count && !fits(&set->lanes[number], row)) {
        number++;
    }
    if (number == set->lane_count) {
        TACHO_TRY(add_lane(lanes, set, row->track));
    }
    lane *found = &set->lanes[number];
    TACHO_TRY(tacho_grow(&found->ends, &found->end_capacity, found->end_count + 1));
    found->ends[found->end_count++] = row->of.span.end;
    *out_lane = found;
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static bool is_flow_of(const tacho_row *flow, const tacho_row *span)
{
    return flow->of.flow.span_end == TACHO_FLOW_NEXT ||
           (flow->start == span->start && flow->of.flow.span_end == span->of.span.end);
}

/* Sends the waiting flow ends that belong to |span| ahead of it, to its lane |track|. */
static tacho_status push_flows_of(tacho_lanes *lanes, lane_set *set, const tacho_row *span,
                                  uint32_t track)
{
    size_t kept_count = 0;
    for (size_t i = 0; i < set->flow_count; i++) {
        tacho_row flow = set->flows[i];
        if (is_flow_of(&flow, span)) {
            flow.track = track;
            TACHO_TRY(tacho_events_row(lanes->next, &flow));
        } else {
            set->flows[kept_count++] = flow;
        }
    }
    set->flow_count = kept_count;
    return TACHO_OK;
}

/*
 * Gives up waiting flow ends whose span cannot come any more, because |next| is the next row of
 * their track, or NULL: they belong to nothing, and are counted.
 */
static tacho_status drop_flows(tacho_lanes *lanes, lane_set *set, const tacho_row *next)
{
    size_t kept_count = 0;
    for (size_t i = 0; i < set->flow_count; i++) {
        tacho_row flow = set->flows[i];
        bool is_due = next != NULL && next->start == flow.start;
        bool may_come = is_due || (next != NULL && flow.of.flow.span_end == TACHO_FLOW_NEXT);
        if (may_come) {
            set->flows[kept_count++] = flow;
        }
    }
    uint64_t dropped_count = set->flow_count - kept_count;
    uint32_t track = set->flows[0].track;
    set->flow_count = kept_count;
    tacho_loss loss = {lanes->events.dict->tracks[track].part, TACHO_LOSS_UNBOUND_FLOW,
                       dropped_count, 0, 0};
    return dropped_count > 0 ? tacho_dict_add_loss(lanes->events.dict, &loss) : TACHO_OK;
}

/* The lane with a span around |time|: the outermost of a lane is the last to end. */
static uint32_t lane_around(const lane_set *set, int64_t time)
{
    for (size_t i = 0; i < set->lane_count; i++) {
        const lane *at = &set->lanes[i];
        if (at->end_count > 0 && at->ends[0] > time) {
            return at->track;
        }
    }
    return TACHO_NONE;
}

/* A moment takes no time, so it crosses nothing and stays on its track. */
static tacho_status place_span(tacho_lanes *lanes, lane_set *set, const tacho_row *row)
{
    uint32_t track = row->track;
    if ((row->of.span.flags & TACHO_SPAN_INSTANT) == 0) {
        lane *found = NULL;
        TACHO_TRY(lanes->events.dict->tracks[track].nesting == TACHO_NESTING_ENGINE
                      ? take_engine_lane(lanes, set, row, &found)
                      : take_stack_lane(lanes, set, row, &found));
        track = found->track;
    }
    if (TACHO_UNLIKELY(set->flow_count > 0)) {
        TACHO_TRY(push_flows_of(lanes, set, row, track));
    }
    if (TACHO_LIKELY(track == row->track)) {
        return tacho_events_row(lanes->next, row);
    }
    tacho_row moved = *row;
    moved.track = track;
    return tacho_events_row(lanes->next, &moved);
}

/* Sends a flow end to the span around it, or holds it until its span comes. */
static tacho_status place_flow(tacho_lanes *lanes, lane_set *set, const tacho_row *row)
{
    if (!tacho_row_is_around(row)) {
        TACHO_TRY(tacho_grow(&set->flows, &set->flow_capacity, set->flow_count + 1));
        set->flows[set->flow_count++] = *row;
        return TACHO_OK;
    }
    tacho_row moved = *row;
    moved.track = lane_around(set, row->start);
    if (moved.track == TACHO_NONE) {
        tacho_loss loss = {lanes->events.dict->tracks[row->track].part, TACHO_LOSS_UNBOUND_FLOW, 1,
                           0, 0};
        return tacho_dict_add_loss(lanes->events.dict, &loss);
    }
    return tacho_events_row(lanes->next, &moved);
}

static tacho_status lanes_row(tacho_events *events, const tacho_row *row)
{
    tacho_lanes *lanes = lanes_of(events);
    if (row->kind == TACHO_ROW_SAMPLE) {
        return tacho_events_row(lanes->next, row);
    }
    lane_set *set = NULL;
    TACHO_TRY(ensure_set(lanes, row->track, &set));
    if (TACHO_UNLIKELY(set->flow_count > 0)) {
        TACHO_TRY(drop_flows(lanes, set, row));
    }
    return row->kind == TACHO_ROW_FLOW ? place_flow(lanes, set, row) : place_span(lanes, set, row);
}

static tacho_status lanes_end_part(tacho_events *events, uint32_t part)
{
    tacho_lanes *lanes = lanes_of(events);
    for (size_t i = 0; i < lanes->set_count; i++) {
        if (lanes->sets[i].flow_count > 0) {
            TACHO_TRY(drop_flows(lanes, &lanes->sets[i], NULL));
        }
    }
    return tacho_events_end_part(lanes->next, part);
}

static tacho_status lanes_finish(tacho_events *events)
{
    return tacho_events_finish(lanes_of(events)->next);
}

static const tacho_events_vtable lanes_vtable = {lanes_row, lanes_end_part, lanes_finish};

tacho_status tacho_lanes_create(tacho_events *next, tacho_lanes **out_lanes)
{
    tacho_lanes *lanes = calloc(1, sizeof(*lanes));
    if (lanes == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for lanes");
    }
    lanes->events = (tacho_events){&lanes_vtable, next->dict};
    lanes->next = next;
    *out_lanes = lanes;
    return TACHO_OK;
}

void tacho_lanes_destroy(tacho_lanes *lanes)
{
    if (lanes == NULL) {
        return;
    }
    for (size_t i = 0; i < lanes->set_count; i++) {
        lane_set *set = &lanes->sets[i];
        for (size_t k = 0; k < set->lane_count; k++) {
            free(set->lanes[k].ends);
        }
        free(set->lanes);
        free(set->busy);
        free(set->idle);
        free(set->flows);
    }
    free(lanes->sets);
    free(lanes);
}

tacho_events *tacho_lanes_events(tacho_lanes *lanes)
{
    return &lanes->events;
}
