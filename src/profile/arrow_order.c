/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of one time, from its first flow end on, are packed into items: a span with the flow
 * ends ahead of it, or any other row alone. An item is written after the previous item of its track
 * and after the items that its arrows leave from; these are followed back without recursion. A
 * cycle of arrows, which a damaged input may have, is broken where it closes.
 *
 * Spans of one track with equal names and times, such as two steps of an operator within one tick,
 * cannot be distinguished by their flow ends, which all precede the first. Arrows leave from the
 * first and arrive at the last, so that such spans never form a cycle.
 */
#include "profile/arrow_order.h"

#include "base/grow.h"
#include "profile/packed_row.h"

#include <stdlib.h>

/* A time with more than this is released in pieces: order is not worth all memory. */
enum { HELD_BYTES_MAX = 8 << 20 };

typedef struct held_item {
    size_t first_byte, end_byte; /* of its packed rows */
    uint32_t track;
    uint32_t before_on_track; /* item, or TACHO_NONE */
    uint32_t first_source;    /* of the items that lead to it, in |sources| */
    uint32_t next_source;     /* the next one to follow */
    int64_t start, end;       /* of its span */
    uint32_t name;            /* the same; TACHO_NONE for other rows */
    uint32_t first_alike;     /* item: the first of its track that is alike; itself, mostly */
    uint32_t last_alike;      /* of the first: the last, where its arrows arrive */
    bool is_begun;
} held_item;

/* One end of an arrow. */
typedef struct arrow_end {
    uint64_t id;
    uint32_t item;
    tacho_flow_phase phase;
} arrow_end;

/* A list entry: an item that another item waits for. */
typedef struct arrow_source {
    uint32_t item;
    uint32_t next;
} arrow_source;

struct tacho_arrow_order {
    tacho_events events;
    tacho_events *next;
    bool has_arrows; /* the part has: rows are held */
    int64_t held_ns;
    unsigned char *bytes; /* packed rows */
    size_t byte_count, byte_capacity;
    held_item *items;
    size_t item_count, item_capacity;
    bool is_open; /* the last item waits for its span */
    arrow_end *ends;
    size_t end_count, end_capacity;
    arrow_source *sources;
    size_t source_count, source_capacity;
    uint32_t *stack;
    size_t stack_capacity;
    uint32_t *last_items; /* by track: the last of this time, or TACHO_NONE */
    size_t track_count, track_capacity;
    tacho_unpacked_args args;
};

static tacho_arrow_order *order_of(tacho_events *events)
{
    return (tacho_arrow_order *)(void *)events;
}

/* ---- holding ---------------------------------------------------------------------------- */

static tacho_status pack(tacho_arrow_order *order, const tacho_row *row)
{
    size_t bound = 0;
    TACHO_TRY(tacho_packed_row_bound(row, &bound));
    TACHO_TRY(tacho_grow(&order->bytes, &order->byte_capacity, order->byte_count + bound));
    order->byte_count += tacho_packed_row_write(row, order->bytes + order->byte_count);
    return TACHO_OK;
}

/* The item before this one on |track|, which is the last from now on. */
static tacho_status follow_on_track(tacho_arrow_order *order, uint32_t track, uint32_t item,
                                    uint32_t *out_before)
{
    TACHO_TRY(tacho_grow(&order->last_items, &order->track_capacity, (size_t)track + 1));
    for (; order->track_count <= track; order->track_count++) {
        order->last_items[order->track_count] = TACHO_NONE;
    }
    *out_before = order->last_items[track];
    order->last_items[track] = item;
    return TACHO_OK;
}

static tacho_status begin_held(tacho_arrow_order *order, uint32_t track)
{
    TACHO_TRY(tacho_grow(&order->items, &order->item_capacity, order->item_count + 1));
    uint32_t index = (uint32_t)order->item_count++;
    held_item *item = &order->items[index];
    *item = (held_item){
        .first_byte = order->byte_count,
        .track = track,
        .first_source = TACHO_NONE,
        .name = TACHO_NONE,
        .first_alike = index,
        .last_alike = index,
    };
    return follow_on_track(order, track, index, &item->before_on_track);
}

/* The last item is that of |span|; without flow ends of its own it may be like the one before. */
static void note_span(tacho_arrow_order *order, const tacho_row *span, bool has_ends)
{
    uint32_t index = (uint32_t)order->item_count - 1;
    held_item *item = &order->items[index];
    item->start = span->start;
    item->end = span->of.span.end;
    item->name = order->events.dict->sites[span->of.span.site].name;
    if (has_ends || item->before_on_track == TACHO_NONE) {
        return;
    }
    const held_item *before = &order->items[item->before_on_track];
    if (before->name == item->name && before->start == item->start && before->end == item->end) {
        item->first_alike = before->first_alike;
        order->items[before->first_alike].last_alike = index;
    }
}

static tacho_status hold(tacho_arrow_order *order, const tacho_row *row)
{
    bool has_ends = order->is_open;
    TACHO_TRY(has_ends ? TACHO_OK : begin_held(order, row->track));
    if (row->kind == TACHO_ROW_SPAN) {
        note_span(order, row, has_ends);
    }
    if (row->kind == TACHO_ROW_FLOW) {
        TACHO_TRY(tacho_grow(&order->ends, &order->end_capacity, order->end_count + 1));
        order->ends[order->end_count++] =
            (arrow_end){row->of.flow.id, (uint32_t)order->item_count - 1, row->of.flow.phase};
    }
    order->is_open = tacho_row_is_bound(row);
    TACHO_TRY(pack(order, row));
    order->items[order->item_count - 1].end_byte = order->byte_count;
    return TACHO_OK;
}

/* ---- releasing -------------------------------------------------------------------------- */

static int compare_ends(const void *a, const void *b)
{
    const arrow_end *x = a;
    const arrow_end *y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->phase != y->phase ? (int)x->phase - (int)y->phase
                                : (x->item > y->item) - (x->item < y->item);
}

/* The item that an end is written with. */
static uint32_t place_of(const tacho_arrow_order *order, const arrow_end *end)
{
    return end->phase == TACHO_FLOW_ARRIVES ? order->items[end->item].last_alike : end->item;
}

/* Notes for each item which items lead to it: of one arrow the first end leads to all others. */
static tacho_status find_sources(tacho_arrow_order *order)
{
    qsort(order->ends, order->end_count, sizeof(*order->ends), compare_ends);
    order->source_count = 0;
    size_t first = 0;
    for (size_t i = 1; i < order->end_count; i++) {
        const arrow_end *from = &order->ends[first];
        const arrow_end *to = &order->ends[i];
        if (from->id != to->id) {
            first = i;
            continue;
        }
        uint32_t place = place_of(order, to);
        if (from->item == place) {
            continue;
        }
        TACHO_TRY(tacho_grow(&order->sources, &order->source_capacity, order->source_count + 1));
        held_item *item = &order->items[place];
        order->sources[order->source_count] = (arrow_source){from->item, item->first_source};
        item->first_source = (uint32_t)order->source_count++;
    }
    return TACHO_OK;
}

typedef enum rows_written { ALL_ROWS, ARRIVING_ENDS, ALL_BUT_ARRIVING_ENDS } rows_written;

static tacho_status write_rows(tacho_arrow_order *order, const held_item *item, rows_written which)
{
    for (size_t at = item->first_byte; at < item->end_byte;) {
        const tacho_packed_row *packed = (const void *)(order->bytes + at);
        tacho_row row;
        TACHO_TRY(tacho_packed_row_read(packed, &order->args, &row));
        bool arrives = row.kind == TACHO_ROW_FLOW && row.of.flow.phase == TACHO_FLOW_ARRIVES;
        if (which == ALL_ROWS || arrives == (which == ARRIVING_ENDS)) {
            TACHO_TRY(tacho_events_row(order->next, &row));
        }
        at += packed->size_bytes;
    }
    return TACHO_OK;
}

static tacho_status write_item(tacho_arrow_order *order, uint32_t index)
{
    held_item *item = &order->items[index];
    const held_item *first = &order->items[item->first_alike];
    if (item->last_alike != index) { /* the first of several */
        return write_rows(order, item, ALL_BUT_ARRIVING_ENDS);
    }
    if (first != item && first->last_alike == index) {
        TACHO_TRY(write_rows(order, first, ARRIVING_ENDS));
    }
    return write_rows(order, item, ALL_ROWS);
}

/* An item that |item| waits for and that has not been begun, or TACHO_NONE. */
static uint32_t next_awaited(tacho_arrow_order *order, held_item *item)
{
    uint32_t before = item->before_on_track;
    if (before != TACHO_NONE && !order->items[before].is_begun) {
        return before;
    }
    while (item->next_source != TACHO_NONE) {
        const arrow_source *source = &order->sources[item->next_source];
        item->next_source = source->next;
        if (!order->items[source->item].is_begun) {
            return source->item;
        }
    }
    return TACHO_NONE;
}

static void begin_item(tacho_arrow_order *order, uint32_t index, size_t *depth)
{
    held_item *item = &order->items[index];
    item->is_begun = true;
    item->next_source = item->first_source;
    order->stack[(*depth)++] = index;
}

/* Writes item |index| after all items that it waits for. */
static tacho_status write_behind(tacho_arrow_order *order, uint32_t index)
{
    size_t depth = 0;
    begin_item(order, index, &depth);
    while (depth > 0) {
        uint32_t at = order->stack[depth - 1];
        uint32_t awaited = next_awaited(order, &order->items[at]);
        if (awaited != TACHO_NONE) {
            begin_item(order, awaited, &depth);
            continue;
        }
        depth--;
        TACHO_TRY(write_item(order, at));
    }
    return TACHO_OK;
}

static tacho_status release(tacho_arrow_order *order)
{
    if (order->item_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(find_sources(order));
    TACHO_TRY(tacho_grow(&order->stack, &order->stack_capacity, order->item_count));
    for (size_t i = 0; i < order->item_count; i++) {
        if (!order->items[i].is_begun) {
            TACHO_TRY(write_behind(order, (uint32_t)i));
        }
    }
    for (size_t i = 0; i < order->item_count; i++) {
        order->last_items[order->items[i].track] = TACHO_NONE;
    }
    order->item_count = order->end_count = order->byte_count = 0;
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_status order_row(tacho_events *events, const tacho_row *row)
{
    tacho_arrow_order *order = order_of(events);
    order->has_arrows = order->has_arrows || tacho_row_is_bound(row);
    if (TACHO_LIKELY(!order->has_arrows)) {
        return tacho_events_row(order->next, row);
    }
    int64_t ns = tacho_clock_ns(tacho_dict_track_clock(events->dict, row->track), row->start);
    bool is_full = order->byte_count > HELD_BYTES_MAX && !order->is_open;
    if (ns != order->held_ns || is_full) {
        TACHO_TRY(release(order));
        order->held_ns = ns;
    }
    /* Rows before the first flow end of their time wait for nothing. */
    bool is_first = order->item_count == 0 && row->kind != TACHO_ROW_FLOW;
    return is_first ? tacho_events_row(order->next, row) : hold(order, row);
}

static tacho_status order_end_part(tacho_events *events, uint32_t part)
{
    tacho_arrow_order *order = order_of(events);
    TACHO_TRY(release(order));
    order->has_arrows = false;
    return tacho_events_end_part(order->next, part);
}

static tacho_status order_finish(tacho_events *events)
{
    tacho_arrow_order *order = order_of(events);
    TACHO_TRY(release(order));
    return tacho_events_finish(order->next);
}

static const tacho_events_vtable order_vtable = {
    .row = order_row, .end_part = order_end_part, .finish = order_finish};

tacho_status tacho_arrow_order_create(tacho_events *next, tacho_arrow_order **out_order)
{
    tacho_arrow_order *order = calloc(1, sizeof(*order));
    if (order == NULL) {
        return tacho_no_memory();
    }
    order->events = (tacho_events){&order_vtable, next->dict};
    order->next = next;
    *out_order = order;
    return TACHO_OK;
}

void tacho_arrow_order_destroy(tacho_arrow_order *order)
{
    if (order == NULL) {
        return;
    }
    free(order->bytes);
    free(order->items);
    free(order->ends);
    free(order->sources);
    free(order->stack);
    free(order->last_items);
    free(order->args.items);
    free(order);
}

tacho_events *tacho_arrow_order_events(tacho_arrow_order *order)
{
    return &order->events;
}
