/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of the timeline are numbers of calls plus one; 0 is none.
 */
#include "estimates/roofline/roof_links.h"

#include "questions/timeline/timeline.h"
#include "base/grow.h"

#include <stdlib.h>

/* A piece of work and the number of its call, in the order of tacho_roof_links_add_call;
 * TACHO_NONE: not known. */
typedef struct roof_link {
    uint64_t serial;
    uint32_t call;
} roof_link;

/* The open calls of a track, the innermost last; and its latest work. */
typedef struct roof_stack {
    struct open_call {
        int64_t end_ns;
        uint32_t place;
    } * items;
    size_t item_count, item_capacity;
    uint32_t last_link;
} roof_stack;

struct tacho_roof_links {
    tacho_timeline timeline;
    uint64_t serial; /* of the next span */
    uint64_t *calls; /* serials, by call */
    size_t call_count, call_capacity;
    roof_stack *stacks; /* by track */
    size_t stack_count, stack_capacity;
    roof_link *items; /* by serial, once sorted */
    size_t item_count, item_capacity;
};

static int compare_serials(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

static uint32_t place_on(void *user, uint32_t track, int64_t now_ns)
{
    tacho_roof_links *self = user;
    if (track >= self->stack_count) {
        return 0;
    }
    roof_stack *stack = &self->stacks[track];
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end_ns <= now_ns) {
        stack->item_count--;
    }
    return stack->item_count > 0 ? stack->items[stack->item_count - 1].place : 0;
}

static tacho_status take_call(void *user, const tacho_timeline_span *span)
{
    tacho_roof_links *self = user;
    const uint64_t *call = self->call_count > 0
                               ? bsearch(&span->serial, self->calls, self->call_count,
                                         sizeof(*self->calls), compare_serials)
                               : NULL;
    if (call == NULL) {
        return TACHO_OK;
    }
    (void)place_on(self, span->row->track, span->start_ns);
    roof_stack *stack = &self->stacks[span->row->track];
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count].end_ns = span->end_ns;
    stack->items[stack->item_count++].place = (uint32_t)(call - self->calls) + 1;
    return TACHO_OK;
}

static tacho_status take_work(void *user, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_roof_links *self = user;
    bool is_known = work->has_caller && work->caller > 0;
    *out_tag = self->stacks[work->span.row->track].last_link = (uint32_t)self->item_count;
    TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, self->item_count + 1));
    self->items[self->item_count++] =
        (roof_link){work->span.serial, is_known ? work->caller - 1 : TACHO_NONE};
    return TACHO_OK;
}

static tacho_status take_late(void *user, uint32_t tag, uint32_t caller)
{
    tacho_roof_links *self = user;
    if (caller > 0) {
        self->items[tag].call = caller - 1;
    }
    return TACHO_OK;
}

/* An arrow may arrive after the work that it leads to. */
static tacho_status take_launch(void *user, uint32_t track, const tacho_launch *launch)
{
    tacho_roof_links *self = user;
    return take_late(self, self->stacks[track].last_link, launch->place);
}

static tacho_status begin_part(void *user, uint32_t part)
{
    tacho_roof_links *self = user;
    size_t count = self->timeline.events.dict->track_count;
    (void)part;
    TACHO_TRY(tacho_grow(&self->stacks, &self->stack_capacity, count));
    while (self->stack_count < count) {
        self->stacks[self->stack_count++] = (roof_stack){.items = NULL};
    }
    return TACHO_OK;
}

tacho_status tacho_roof_links_create(tacho_dict *dict, tacho_roof_links **out_links)
{
    tacho_roof_links *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    const tacho_timeline_taker taker = {.self = self,
                                        .call = take_call,
                                        .work = take_work,
                                        .launch = take_launch,
                                        .late = take_late,
                                        .place = place_on,
                                        .begin_part = begin_part,
                                        .needs_serials = true};
    tacho_timeline_init(&self->timeline, dict, &taker);
    *out_links = self;
    return TACHO_OK;
}

void tacho_roof_links_destroy(tacho_roof_links *links)
{
    if (links == NULL) {
        return;
    }
    for (size_t i = 0; i < links->stack_count; i++) {
        free(links->stacks[i].items);
    }
    free(links->stacks);
    free(links->calls);
    free(links->items);
    tacho_timeline_deinit(&links->timeline);
    free(links);
}

tacho_status tacho_roof_links_end_part(tacho_roof_links *links, uint32_t part)
{
    return tacho_events_end_part(&links->timeline.events, part);
}

uint64_t tacho_roof_links_serial(const tacho_roof_links *links)
{
    return links->serial;
}

tacho_status tacho_roof_links_add_call(tacho_roof_links *links)
{
    TACHO_TRY(tacho_grow(&links->calls, &links->call_capacity, links->call_count + 1));
    links->calls[links->call_count++] = links->serial;
    return TACHO_OK;
}

tacho_status tacho_roof_links_push(tacho_roof_links *links, const tacho_row *row)
{
    links->serial += row->kind == TACHO_ROW_SPAN ? 1 : 0;
    return tacho_events_row(&links->timeline.events, row);
}

static int compare_links(const void *left, const void *right)
{
    const roof_link *a = left;
    const roof_link *b = right;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

void tacho_roof_links_sort(tacho_roof_links *links)
{
    if (links->item_count > 0) {
        qsort(links->items, links->item_count, sizeof(*links->items), compare_links);
    }
}

uint32_t tacho_roof_links_find(const tacho_roof_links *links, uint64_t serial)
{
    const roof_link key = {.serial = serial};
    const roof_link *link = links->item_count > 0 ? bsearch(&key, links->items, links->item_count,
                                                            sizeof(key), compare_links)
                                                  : NULL;
    return link != NULL ? link->call : TACHO_NONE;
}
