/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-fit lanes. Per lane the ends of its open spans are kept as a stack; a lane of an engine
 * never holds more than one, so there heaps find the lowest free lane. On a stack of several lanes
 * a heap of all open spans finds the lanes that have changed, and a tree of the innermost ends
 * finds the lowest lane in which a span fits.
 *
 * A flow end goes to the lane of its span, directly ahead of it where it knows its span; it waits
 * for that. One that belongs to no span is counted as lost.
 */
#include "profile/lanes.h"

#include "base/grow.h"
#include "profile/arrow_order.h"

#include <stdlib.h>

/* Viewers show no more levels than this on one track. */
enum { LANE_DEPTH_MAX = 512 };

typedef struct lane {
    uint32_t track;
    int64_t *ends; /* of open spans, outermost first; an engine's lane has at most one */
    size_t end_count, end_capacity;
} lane;

/* The end of an open span, and the span's lane. */
typedef struct open_end {
    int64_t end;
    uint32_t lane;
} open_end;

/* Where a span went. */
typedef struct placed_span {
    int64_t start;
    uint32_t track; /* of its lane; TACHO_NONE for no span */
} placed_span;

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
    /* Stacks of several lanes. */
    open_end *open; /* a heap, the first to end on top; lanes may have closed some already */
    size_t open_count, open_capacity;
    int64_t *tree; /* by lane: the latest end that fits in it; nodes above hold the largest below */
    size_t tree_width, tree_capacity; /* a power of two, 0 while there is one lane */
    tacho_row *flows; /* that know their span, which starts at their time, and wait for it */
    size_t flow_count, flow_capacity;
    tacho_row *next_flows; /* that wait for any span */
    size_t next_count, next_capacity;
    int64_t *only_end; /* of an engine that has one lane: when that is free; else NULL */
    bool is_waiting;   /* listed in |waiting| of the lanes */
    placed_span last_real, last_empty,
        last_instant; /* placed last: with a length, without, marks */
} lane_set;

struct tacho_lanes {
    tacho_events events;
    tacho_arrow_order *arrow_order;
    tacho_events *sink;
    tacho_events
        *next;       /* |sink|, or the order's from a part's first arrow that knows its span on */
    lane_set **sets; /* by track; NULL before its first row */
    size_t set_count, set_capacity;
    uint32_t *waiting; /* tracks of this part on which flows wait, or have waited, for a span */
    size_t waiting_count, waiting_capacity;
};

static tacho_lanes *lanes_of(tacho_events *events)
{
    return (tacho_lanes *)(void *)events;
}

static tacho_status ensure_set(tacho_lanes *lanes, uint32_t track, lane_set **out_set)
{
    if (TACHO_UNLIKELY(track >= lanes->set_count)) {
        TACHO_TRY(tacho_grow(&lanes->sets, &lanes->set_capacity, (size_t)track + 1));
        while (lanes->set_count <= track) {
            lanes->sets[lanes->set_count++] = NULL;
        }
    }
    lane_set *set = lanes->sets[track];
    if (TACHO_UNLIKELY(set == NULL)) {
        TACHO_TRY(tacho_struct_make(&set));
        set->last_real.track = TACHO_NONE;
        set->last_empty.track = TACHO_NONE;
        set->last_instant.track = TACHO_NONE;
        lanes->sets[track] = set;
    }
    *out_set = set;
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
    set->only_end = set->lane_count == 1 ? found->ends : NULL;
    found->ends[0] = row->of.span.end;
    found->end_count = 1;
    set->busy[set->busy_count] = number;
    sift_up(set, true, set->busy, set->busy_count++);
    *out_lane = found;
    return TACHO_OK;
}

/* ---- stacks ----------------------------------------------------------------------------- */

/* Closes spans that have ended at |time|. */
static void close_ended(lane *at, int64_t time)
{
    while (at->end_count > 0 && at->ends[at->end_count - 1] <= time) {
        at->end_count--;
    }
}

/* The latest end of a span that fits in this lane; INT64_MIN when the lane is full. */
static int64_t latest_end(const lane *at)
{
    if (at->end_count == 0) {
        return INT64_MAX;
    }
    return at->end_count < LANE_DEPTH_MAX ? at->ends[at->end_count - 1] : INT64_MIN;
}

static void update_tree(lane_set *set, size_t number)
{
    size_t at = set->tree_width + number;
    set->tree[at] = latest_end(&set->lanes[number]);
    for (at /= 2; at > 0; at /= 2) {
        int64_t left = set->tree[2 * at];
        int64_t right = set->tree[2 * at + 1];
        set->tree[at] = left > right ? left : right;
    }
}

/* Makes the tree wide enough for all lanes, anew when it was not. */
static tacho_status widen_tree(lane_set *set)
{
    if (set->lane_count <= set->tree_width) {
        return TACHO_OK;
    }
    size_t width = set->tree_width < 4 ? 4 : 2 * set->tree_width;
    TACHO_TRY(tacho_grow(&set->tree, &set->tree_capacity, 2 * width));
    for (size_t i = 0; i < 2 * width; i++) {
        set->tree[i] = INT64_MIN;
    }
    set->tree_width = width;
    for (size_t i = 0; i < set->lane_count; i++) {
        update_tree(set, i);
    }
    return TACHO_OK;
}

/* The lowest lane in which a span may end at |end|; TACHO_NONE when there is none. */
static uint32_t find_in_tree(const lane_set *set, int64_t end)
{
    if (set->tree[1] < end) {
        return TACHO_NONE;
    }
    size_t at = 1;
    while (at < set->tree_width) {
        at = set->tree[2 * at] >= end ? 2 * at : 2 * at + 1;
    }
    return (uint32_t)(at - set->tree_width);
}

static tacho_status push_open(lane_set *set, open_end added)
{
    TACHO_TRY(tacho_grow(&set->open, &set->open_capacity, set->open_count + 1));
    size_t at = set->open_count++;
    while (at > 0 && set->open[(at - 1) / 2].end > added.end) {
        set->open[at] = set->open[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    set->open[at] = added;
    return TACHO_OK;
}

static open_end pop_open(lane_set *set)
{
    open_end top = set->open[0];
    open_end moved = set->open[--set->open_count];
    size_t at = 0;
    for (size_t child = 1; child < set->open_count; child = 2 * at + 1) {
        if (child + 1 < set->open_count && set->open[child].end > set->open[child + 1].end) {
            child++;
        }
        if (moved.end <= set->open[child].end) {
            break;
        }
        set->open[at] = set->open[child];
        at = child;
    }
    set->open[at] = moved;
    return top;
}

/* Brings all lanes to |time|. */
static void close_lanes(lane_set *set, int64_t time)
{
    while (set->open_count > 0 && set->open[0].end <= time) {
        uint32_t number = pop_open(set).lane;
        close_ended(&set->lanes[number], time);
        update_tree(set, number);
    }
}

/* A second lane: from here on there are a heap and a tree. */
static tacho_status add_stack_lane(tacho_lanes *lanes, lane_set *set, uint32_t track)
{
    bool is_second = set->lane_count == 1;
    TACHO_TRY(add_lane(lanes, set, track));
    if (is_second) {
        for (size_t i = 0; i < set->lanes[0].end_count; i++) {
            TACHO_TRY(push_open(set, (open_end){set->lanes[0].ends[i], 0}));
        }
    }
    TACHO_TRY(set->lane_count > 1 ? widen_tree(set) : TACHO_OK);
    if (set->lane_count > 1) {
        update_tree(set, set->lane_count - 1);
    }
    return TACHO_OK;
}

static tacho_status find_stack_lane(tacho_lanes *lanes, lane_set *set, const tacho_row *row,
                                    uint32_t *out_number)
{
    *out_number = TACHO_NONE;
    if (TACHO_LIKELY(set->lane_count == 1)) {
        close_ended(&set->lanes[0], row->start);
        *out_number = latest_end(&set->lanes[0]) >= row->of.span.end ? 0 : TACHO_NONE;
    } else if (set->lane_count > 1) {
        close_lanes(set, row->start);
        *out_number = find_in_tree(set, row->of.span.end);
    }
    if (*out_number == TACHO_NONE) {
        TACHO_TRY(add_stack_lane(lanes, set, row->track));
        *out_number = (uint32_t)set->lane_count - 1;
    }
    return TACHO_OK;
}

static tacho_status take_stack_lane(tacho_lanes *lanes, lane_set *set, const tacho_row *row,
                                    lane **out_lane)
{
    uint32_t number = 0;
    TACHO_TRY(find_stack_lane(lanes, set, row, &number));
    lane *found = &set->lanes[number];
    TACHO_TRY(tacho_grow(&found->ends, &found->end_capacity, found->end_count + 1));
    found->ends[found->end_count++] = row->of.span.end;
    if (set->lane_count > 1) {
        TACHO_TRY(push_open(set, (open_end){row->of.span.end, number}));
        update_tree(set, number);
    }
    *out_lane = found;
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Sends the flow ends of a list that belong to |span| ahead of it, to its lane |track|. */
static tacho_status push_flows_of(tacho_lanes *lanes, lane_set *set, const tacho_row *span,
                                  uint32_t track)
{
    for (size_t i = 0; i < set->next_count; i++) {
        set->next_flows[i].track = track;
        TACHO_TRY(tacho_events_row(lanes->next, &set->next_flows[i]));
    }
    set->next_count = 0;
    size_t kept_count = 0;
    for (size_t i = 0; i < set->flow_count; i++) {
        tacho_row flow = set->flows[i];
        if (tacho_row_is_flow_of(lanes->events.dict, &flow, span)) {
            flow.track = track;
            lanes->next = tacho_arrow_order_events(lanes->arrow_order);
            TACHO_TRY(tacho_events_row(lanes->next, &flow));
        } else {
            set->flows[kept_count++] = flow;
        }
    }
    set->flow_count = kept_count;
    return TACHO_OK;
}

/* Counts flow ends whose span cannot arrive any more as lost. */
static tacho_status lose_flows(tacho_lanes *lanes, uint32_t track, size_t *count)
{
    tacho_loss loss = {lanes->events.dict->tracks[track].part, TACHO_LOSS_UNBOUND_FLOW, *count, 0,
                       0};
    *count = 0;
    return loss.count > 0 ? tacho_dict_add_loss(lanes->events.dict, &loss) : TACHO_OK;
}

/* The end of the innermost span of a lane that reaches |time|; INT64_MAX if none does. */
static int64_t innermost_end(const lane *at, int64_t time)
{
    for (size_t i = at->end_count; i > 0; i--) {
        if (at->ends[i - 1] >= time) {
            return at->ends[i - 1];
        }
    }
    return INT64_MAX;
}

/*
 * The lane of the span that a flow end at |time| belongs to: of one that starts there, rather one
 * with a length, else of an instant there, else of the one around it that ends first.
 */
static uint32_t lane_around(const lane_set *set, int64_t time)
{
    const placed_span *there[] = {&set->last_real, &set->last_empty, &set->last_instant};
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        if (there[i]->start == time && there[i]->track != TACHO_NONE) {
            return there[i]->track;
        }
    }
    uint32_t track = TACHO_NONE;
    int64_t first_end = INT64_MAX;
    for (size_t i = 0; i < set->lane_count; i++) {
        int64_t end = innermost_end(&set->lanes[i], time);
        if (end < first_end) {
            first_end = end;
            track = set->lanes[i].track;
        }
    }
    return track;
}

static inline void note_placed(lane_set *set, const tacho_row *row, uint32_t track)
{
    bool is_empty = row->of.span.end == row->start;
    *(is_empty ? &set->last_empty : &set->last_real) = (placed_span){row->start, track};
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
        note_placed(set, row, track);
    } else {
        set->last_instant = (placed_span){row->start, track};
    }
    if (TACHO_UNLIKELY(set->flow_count + set->next_count > 0)) {
        TACHO_TRY(push_flows_of(lanes, set, row, track));
    }
    if (TACHO_LIKELY(track == row->track)) {
        return tacho_events_row(lanes->next, row);
    }
    tacho_row moved = *row;
    moved.track = track;
    return tacho_events_row(lanes->next, &moved);
}

/* Notes that flows wait on |track|, for the end of the part. */
static tacho_status list_waiting(tacho_lanes *lanes, lane_set *set, uint32_t track)
{
    if (!set->is_waiting) {
        TACHO_TRY(tacho_grow(&lanes->waiting, &lanes->waiting_capacity, lanes->waiting_count + 1));
        lanes->waiting[lanes->waiting_count++] = track;
        set->is_waiting = true;
    }
    return TACHO_OK;
}

/* Sends a flow end to the span around it, or holds it until its span arrives. */
static tacho_status place_flow(tacho_lanes *lanes, lane_set *set, const tacho_row *row)
{
    if (row->of.flow.span_end == TACHO_FLOW_NEXT) {
        TACHO_TRY(list_waiting(lanes, set, row->track));
        TACHO_TRY(tacho_grow(&set->next_flows, &set->next_capacity, set->next_count + 1));
        set->next_flows[set->next_count++] = *row;
        return TACHO_OK;
    }
    if (!tacho_row_is_around(row)) {
        TACHO_TRY(list_waiting(lanes, set, row->track));
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

/* A span on an engine that is free and for which nothing waits: alone, its lane stays on top. */
static inline bool stays_in_lane(const lane_set *set, const tacho_row *row)
{
    return set->only_end != NULL && *set->only_end <= row->start &&
           (row->of.span.flags & TACHO_SPAN_INSTANT) == 0 && set->flow_count + set->next_count == 0;
}

/* Whether a row of any track stays in its lane, which then is busy until its end. */
static inline bool try_stay(tacho_lanes *lanes, const tacho_row *row)
{
    if (row->kind != TACHO_ROW_SPAN || TACHO_UNLIKELY(row->track >= lanes->set_count)) {
        return false;
    }
    lane_set *set = lanes->sets[row->track];
    if (TACHO_UNLIKELY(set == NULL || !stays_in_lane(set, row))) {
        return false;
    }
    *set->only_end = row->of.span.end;
    note_placed(set, row, row->track);
    return true;
}

static tacho_status lanes_row(tacho_events *events, const tacho_row *row)
{
    tacho_lanes *lanes = lanes_of(events);
    if (TACHO_LIKELY(try_stay(lanes, row))) {
        return tacho_events_row(lanes->next, row);
    }
    if (row->kind == TACHO_ROW_SAMPLE) {
        return tacho_events_row(lanes->next, row);
    }
    lane_set *set = NULL;
    TACHO_TRY(ensure_set(lanes, row->track, &set));
    if (TACHO_UNLIKELY(set->flow_count > 0 && set->flows[0].start != row->start)) {
        TACHO_TRY(lose_flows(lanes, row->track, &set->flow_count));
    }
    return row->kind == TACHO_ROW_FLOW ? place_flow(lanes, set, row) : place_span(lanes, set, row);
}

static tacho_status lanes_rows(tacho_events *events, const tacho_row *rows, size_t count)
{
    tacho_lanes *lanes = lanes_of(events);
    size_t first = 0; /* of the rows not passed on yet */
    for (size_t i = 0; i < count; i++) {
        if (TACHO_UNLIKELY(!try_stay(lanes, &rows[i]))) {
            if (i > first) {
                TACHO_TRY(tacho_events_rows(lanes->next, rows + first, i - first));
            }
            TACHO_TRY(lanes_row(events, &rows[i]));
            first = i + 1;
        }
    }
    return count > first ? tacho_events_rows(lanes->next, rows + first, count - first) : TACHO_OK;
}

static tacho_status lanes_end_part(tacho_events *events, uint32_t part)
{
    tacho_lanes *lanes = lanes_of(events);
    for (size_t i = 0; i < lanes->waiting_count; i++) {
        lane_set *set = lanes->sets[lanes->waiting[i]];
        TACHO_TRY(lose_flows(lanes, lanes->waiting[i], &set->flow_count));
        TACHO_TRY(lose_flows(lanes, lanes->waiting[i], &set->next_count));
        set->is_waiting = false;
    }
    lanes->waiting_count = 0;
    lanes->next = lanes->sink;
    return tacho_events_end_part(tacho_arrow_order_events(lanes->arrow_order), part);
}

static tacho_status lanes_finish(tacho_events *events)
{
    return tacho_events_finish(tacho_arrow_order_events(lanes_of(events)->arrow_order));
}

static const tacho_shared *lanes_shared(tacho_events *events)
{
    return tacho_events_shared(lanes_of(events)->sink);
}

static const tacho_events_vtable lanes_vtable = {.row = lanes_row,
                                                 .rows = lanes_rows,
                                                 .end_part = lanes_end_part,
                                                 .finish = lanes_finish,
                                                 .shared = lanes_shared};

tacho_status tacho_lanes_create(tacho_events *next, tacho_lanes **out_lanes)
{
    tacho_lanes *lanes = calloc(1, sizeof(*lanes));
    if (lanes == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = tacho_arrow_order_create(next, &lanes->arrow_order);
    if (status != TACHO_OK) {
        free(lanes);
        return status;
    }
    lanes->events = (tacho_events){&lanes_vtable, next->dict};
    lanes->sink = next;
    lanes->next = next;
    *out_lanes = lanes;
    return TACHO_OK;
}

static void destroy_set(lane_set *set)
{
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i < set->lane_count; i++) {
        free(set->lanes[i].ends);
    }
    free(set->lanes);
    free(set->busy);
    free(set->idle);
    free(set->open);
    free(set->tree);
    free(set->flows);
    free(set->next_flows);
    free(set);
}

void tacho_lanes_destroy(tacho_lanes *lanes)
{
    if (lanes == NULL) {
        return;
    }
    for (size_t i = 0; i < lanes->set_count; i++) {
        destroy_set(lanes->sets[i]);
    }
    tacho_arrow_order_destroy(lanes->arrow_order);
    free(lanes->sets);
    free(lanes->waiting);
    free(lanes);
}

tacho_events *tacho_lanes_events(tacho_lanes *lanes)
{
    return &lanes->events;
}
