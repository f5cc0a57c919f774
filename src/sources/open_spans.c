/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots with a buffer each are reused, so that a trace of any length allocates memory only until it
 * has reached its greatest depth.
 */
#include "sources/open_spans.h"

#include "base/grow.h"

#include <stdlib.h>

/* Depth to which a name is searched for: unmatched ends must not take quadratic time. */
enum { SEARCH_DEPTH_MAX = 4096 };

struct tacho_open_span {
    uint32_t outer;        /* the span around it on its stack; of a free slot the next free one */
    uint32_t depth;        /* how many were open around it */
    unsigned char *packed; /* the row */
    size_t packed_capacity;
    tacho_row *flows; /* their track, start and end are set when the span ends */
    size_t flow_count, flow_capacity;
};

void tacho_open_spans_init(tacho_open_spans *open, tacho_events *events)
{
    *open = (tacho_open_spans){.events = events, .free_slot = TACHO_NONE};
}

void tacho_open_spans_deinit(tacho_open_spans *open)
{
    for (size_t i = 0; i < open->slot_count; i++) {
        free(open->slots[i].packed);
        free(open->slots[i].flows);
    }
    free(open->slots);
    free(open->stacks);
    free(open->unpacked.items);
    free(open->merged);
}

bool tacho_open_spans_has(const tacho_open_spans *open, uint32_t stack)
{
    return stack < open->stack_count && open->stacks[stack].top != TACHO_NONE;
}

static tacho_status ensure_stack(tacho_open_spans *open, uint32_t stack)
{
    TACHO_TRY(tacho_grow(&open->stacks, &open->stack_capacity, (size_t)stack + 1));
    for (; open->stack_count <= stack; open->stack_count++) {
        open->stacks[open->stack_count].top = TACHO_NONE;
    }
    return TACHO_OK;
}

static tacho_status take_slot(tacho_open_spans *open, uint32_t *out_slot)
{
    *out_slot = open->free_slot;
    if (*out_slot != TACHO_NONE) {
        open->free_slot = open->slots[*out_slot].outer;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&open->slots, &open->slot_capacity, open->slot_count + 1));
    *out_slot = (uint32_t)open->slot_count;
    open->slots[open->slot_count++] = (tacho_open_span){0};
    return TACHO_OK;
}

static void give_slot(tacho_open_spans *open, uint32_t slot)
{
    open->slots[slot].outer = open->free_slot;
    open->slots[slot].flow_count = 0;
    open->free_slot = slot;
}

tacho_status tacho_open_spans_begin(tacho_open_spans *open, uint32_t stack, const tacho_row *row)
{
    size_t bound = 0;
    uint32_t slot = TACHO_NONE;
    TACHO_TRY(tacho_packed_row_bound(row, &bound));
    TACHO_TRY(ensure_stack(open, stack));
    TACHO_TRY(take_slot(open, &slot));
    tacho_open_span *span = &open->slots[slot];
    tacho_status status = tacho_grow(&span->packed, &span->packed_capacity, bound);
    if (status != TACHO_OK) {
        give_slot(open, slot);
        return status;
    }
    span->outer = open->stacks[stack].top;
    span->depth = span->outer == TACHO_NONE ? 0 : open->slots[span->outer].depth + 1;
    tacho_row deep = *row;
    uint32_t shown = span->depth < TACHO_SPAN_DEPTH_MAX ? span->depth : TACHO_SPAN_DEPTH_MAX;
    deep.of.span.flags |= shown << TACHO_SPAN_DEPTH_SHIFT;
    tacho_packed_row_write(&deep, span->packed);
    open->stacks[stack].top = slot;
    return TACHO_OK;
}

tacho_status tacho_open_spans_flow(tacho_open_spans *open, uint32_t stack, const tacho_row *flow,
                                   bool *out_noted)
{
    *out_noted = tacho_open_spans_has(open, stack);
    if (!*out_noted) {
        return TACHO_OK;
    }
    tacho_open_span *span = &open->slots[open->stacks[stack].top];
    TACHO_TRY(tacho_grow(&span->flows, &span->flow_capacity, span->flow_count + 1));
    span->flows[span->flow_count++] = *flow;
    return TACHO_OK;
}

static const tacho_packed_row *packed_of(const tacho_open_spans *open, uint32_t slot)
{
    return (const tacho_packed_row *)(const void *)open->slots[slot].packed;
}

int64_t tacho_open_spans_given_end(const tacho_open_spans *open, uint32_t stack)
{
    tacho_row row;
    memcpy(&row.of, packed_of(open, open->stacks[stack].top)->payload, sizeof(row.of));
    return row.of.span.end;
}

/* The arguments of |row| and those of its end in one array. */
static tacho_status merge_args(tacho_open_spans *open, tacho_row *row, const tacho_span_end *end)
{
    if (end->arg_count == 0) {
        return TACHO_OK;
    }
    size_t count = row->arg_count + end->arg_count;
    TACHO_TRY(tacho_grow(&open->merged, &open->merged_capacity, count));
    if (row->arg_count > 0) {
        memcpy(open->merged, row->args, row->arg_count * sizeof(*open->merged));
    }
    memcpy(open->merged + row->arg_count, end->args, end->arg_count * sizeof(*open->merged));
    row->args = open->merged;
    row->arg_count = count;
    return TACHO_OK;
}

/* Pushes the span of |slot| and its flow ends. */
static tacho_status push(tacho_open_spans *open, uint32_t slot, const tacho_span_end *end,
                         uint32_t flags)
{
    tacho_row row;
    TACHO_TRY(tacho_packed_row_read(packed_of(open, slot), &open->unpacked, &row));
    TACHO_TRY(merge_args(open, &row, end));
    row.of.span.end = end->time;
    row.of.span.flags |= flags;
    for (size_t i = 0; i < open->slots[slot].flow_count; i++) {
        tacho_row flow = open->slots[slot].flows[i];
        flow.kind = TACHO_ROW_FLOW;
        flow.track = row.track;
        flow.start = row.start;
        flow.of.flow.span_end = end->time;
        flow.of.flow.span_name = open->events->dict->sites[row.of.span.site].name;
        TACHO_TRY(tacho_events_row(open->events, &flow));
    }
    return tacho_events_row(open->events, &row);
}

/* The name of the span in |slot|, unpacked alone. */
static uint32_t name_of(const tacho_open_spans *open, uint32_t slot)
{
    tacho_row row;
    memcpy(&row.of, packed_of(open, slot)->payload, sizeof(row.of));
    return open->events->dict->sites[row.of.span.site].name;
}

/* The link to the matching span, and the slot itself; TACHO_NONE when there is none. */
static uint32_t find(tacho_open_spans *open, uint32_t stack, uint32_t name, uint32_t **out_link)
{
    uint32_t *link = &open->stacks[stack].top;
    size_t depth = 0;
    while (*link != TACHO_NONE && name != TACHO_NONE && name_of(open, *link) != name) {
        link = &open->slots[*link].outer;
        if (++depth == SEARCH_DEPTH_MAX) {
            return TACHO_NONE;
        }
    }
    *out_link = link;
    return *link;
}

tacho_status tacho_open_spans_end(tacho_open_spans *open, uint32_t stack, const tacho_span_end *end,
                                  bool *out_ended)
{
    *out_ended = false;
    if (!tacho_open_spans_has(open, stack)) {
        return TACHO_OK;
    }
    uint32_t *link = NULL;
    uint32_t slot = find(open, stack, end->name, &link);
    if (slot == TACHO_NONE || end->time < packed_of(open, slot)->start) {
        return TACHO_OK;
    }
    *out_ended = true;
    *link = open->slots[slot].outer;
    tacho_status status = push(open, slot, end, 0);
    give_slot(open, slot);
    return status;
}

/* Reverses a stack, so that its outermost span is on top. */
static void reverse(tacho_open_spans *open, uint32_t stack)
{
    uint32_t slot = open->stacks[stack].top;
    uint32_t before = TACHO_NONE;
    while (slot != TACHO_NONE) {
        uint32_t outer = open->slots[slot].outer;
        open->slots[slot].outer = before;
        before = slot;
        slot = outer;
    }
    open->stacks[stack].top = before;
}

tacho_status tacho_open_spans_finish_stack(tacho_open_spans *open, uint32_t stack, int64_t time)
{
    reverse(open, stack);
    while (open->stacks[stack].top != TACHO_NONE) {
        uint32_t slot = open->stacks[stack].top;
        int64_t start = packed_of(open, slot)->start;
        tacho_span_end end = {.time = time > start ? time : start, .name = TACHO_NONE};
        open->stacks[stack].top = open->slots[slot].outer;
        TACHO_TRY(push(open, slot, &end, TACHO_SPAN_UNENDED));
        give_slot(open, slot);
    }
    return TACHO_OK;
}

tacho_status tacho_open_spans_finish(tacho_open_spans *open, int64_t time)
{
    for (uint32_t stack = 0; stack < open->stack_count; stack++) {
        TACHO_TRY(tacho_open_spans_finish_stack(open, stack, time));
    }
    return TACHO_OK;
}
