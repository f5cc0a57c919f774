/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass mode remembers one row per track; sort mode leaves the work to the spool.
 */
#include "profile/order.h"

#include "base/grow.h"
#include "profile/spool.h"

#include <stdlib.h>

enum { KEPT_ARGS_MAX = 2 };

/* The last row of a track, with its arguments if they are few. */
typedef struct last_row {
    tacho_row row; /* its |args| are gone */
    tacho_arg args[KEPT_ARGS_MAX];
    uint64_t round; /* of the order, in which the row was kept */
} last_row;

struct tacho_order {
    tacho_events events;
    tacho_events *next;
    tacho_spool *spool; /* NULL in pass mode */
    /* Pass mode: the last row of each track; a flow at INT64_MIN before the first. */
    last_row *last_rows;
    size_t last_count, last_capacity;
    uint64_t part_row_count;
    int64_t earliest_start; /* of the current part, in its clock's ticks */
    int64_t latest_start;
    int latest_rank; /* the highest of the rows at |latest_start| */
    bool part_has_flows;
    uint64_t round; /* counts groups of rows */
};

static tacho_order *order_of(tacho_events *events)
{
    return (tacho_order *)(void *)events;
}

static tacho_status grow_last_rows(tacho_order *order, uint32_t track)
{
    TACHO_TRY(tacho_grow(&order->last_rows, &order->last_capacity, (size_t)track + 1));
    for (; order->last_count <= track; order->last_count++) {
        order->last_rows[order->last_count] =
            (last_row){.row = {.kind = TACHO_ROW_FLOW, .start = INT64_MIN}};
    }
    return TACHO_OK;
}

static tacho_status out_of_order(void)
{
    return tacho_fail(TACHO_CODE_OUT_OF_ORDER, "events are not in time order; sort them first");
}

static tacho_clock *part_clock(tacho_order *order, uint32_t track)
{
    tacho_dict *dict = order->events.dict;
    return &dict->clocks[dict->parts[dict->tracks[track].part].clock];
}

/* The zero of a part whose first row is |row|: a source that gives rows as they end knows more. */
static int64_t first_start(const tacho_order *order, const tacho_row *row)
{
    const tacho_dict *dict = order->events.dict;
    int64_t met = dict->parts[dict->tracks[row->track].part].first_start;
    return met >= 0 && met < row->start ? met : row->start;
}

/* A part starts at its first event, unless its clock has a fixed zero. */
static void set_zero(tacho_clock *clock, int64_t ticks)
{
    clock->zero_ticks = clock->has_fixed_zero ? clock->zero_ticks : ticks;
}

/* Whether |row| is too late in a part with flows by time, where time order is global. */
static bool breaks_flow_order(tacho_order *order, const tacho_row *row)
{
    order->part_has_flows = order->part_has_flows || tacho_row_is_around(row);
    return order->part_has_flows &&
           (row->start < order->latest_start ||
            (row->start == order->latest_start && tacho_row_rank(row) < order->latest_rank));
}

/* Whether the arguments of |last| are at hand: they are few and none has text of its own. */
static bool has_args(const last_row *last)
{
    size_t count = last->row.arg_count;
    bool is_kept = count <= KEPT_ARGS_MAX;
    for (size_t i = 0; i < count && is_kept; i++) {
        is_kept = !tacho_arg_has_text(&last->args[i]);
    }
    return is_kept;
}

/*
 * Whether |row| must not follow |last|. Rows that differ only in arguments which were not kept
 * cannot be distinguished here; sorting can.
 */
static bool is_misplaced(const tacho_order *order, const last_row *last, const tacho_row *row)
{
    const tacho_dict *dict = order->events.dict;
    bool keeps_order = dict->parts[dict->tracks[row->track].part].keeps_order;
    tacho_row before = last->row;
    tacho_row bare = *row;
    if (has_args(last)) {
        before.args = last->args;
        return tacho_row_compare(order->events.dict, &before, row) > 0;
    }
    before.arg_count = 0;
    bare.arg_count = 0;
    int difference = tacho_row_compare(order->events.dict, &before, &bare);
    return difference > 0 ||
           (difference == 0 && !keeps_order && last->row.arg_count + row->arg_count > 0);
}

/*
 * Call it when the row has been passed on: its maker has written it a field at a time just before,
 * and to copy it in larger pieces would wait until all of that has reached memory.
 */
static inline void keep_row(last_row *last, const tacho_row *row)
{
    last->row = *row;
    size_t count = row->arg_count;
    if (count > 0) {
        last->args[0] = row->args[0];
    }
    if (count > 1) {
        last->args[1] = row->args[1];
    }
}

/* Whether the row is the first flow end of its part that finds its span by time. */
static bool is_first_around(const tacho_dict *dict, const tacho_row *row)
{
    return TACHO_UNLIKELY(tacho_row_is_around(row)) &&
           !dict->parts[dict->tracks[row->track].part].has_flows_around;
}

/* Sinks must know of such flow ends before the spans that they belong to. */
static void note_flow(tacho_dict *dict, const tacho_row *row)
{
    if (TACHO_UNLIKELY(tacho_row_is_around(row))) {
        dict->parts[dict->tracks[row->track].part].has_flows_around = true;
    }
}

/* A row that is the first of its part or track, a flow, or not later than the one before it. */
static tacho_status check_row(tacho_order *order, const tacho_row *row)
{
    tacho_dict *dict = order->events.dict;
    if (is_first_around(dict, row) && order->part_row_count > 0) {
        return out_of_order();
    }
    note_flow(dict, row);
    if (order->part_row_count == 0) {
        order->earliest_start = first_start(order, row);
        order->latest_start = INT64_MIN;
        order->part_has_flows = false;
        set_zero(part_clock(order, row->track), order->earliest_start);
    }
    if (row->track >= order->last_count) {
        TACHO_TRY(grow_last_rows(order, row->track));
    }
    const last_row *last = &order->last_rows[row->track];
    bool is_late = row->start < order->earliest_start ||
                   (row->start <= last->row.start && is_misplaced(order, last, row));
    return is_late || breaks_flow_order(order, row) ? out_of_order() : TACHO_OK;
}

/* Whether a row needs no further checks: a span after all others of its track. */
static inline bool is_plain(const tacho_order *order, const tacho_row *row)
{
    return row->kind != TACHO_ROW_FLOW && !order->part_has_flows && order->part_row_count > 0 &&
           row->track < order->last_count && row->start >= order->earliest_start &&
           row->start > order->last_rows[row->track].row.start;
}

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    tacho_order *order = order_of(events);
    if (TACHO_UNLIKELY(!is_plain(order, row))) {
        TACHO_TRY(check_row(order, row));
    }
    if (row->start >= order->latest_start) {
        order->latest_start = row->start;
        order->latest_rank = tacho_row_rank(row);
    }
    order->part_row_count++;
    TACHO_TRY(tacho_events_row(order->next, row));
    keep_row(&order->last_rows[row->track], row);
    return TACHO_OK;
}

/* Passes plain rows on and keeps the last one of each track. */
static tacho_status pass_plain(tacho_order *order, const tacho_row *rows, size_t count)
{
    if (count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_events_rows(order->next, rows, count));
    uint64_t round = ++order->round;
    while (count-- > 0) {
        last_row *last = &order->last_rows[rows[count].track];
        if (last->round != round) {
            last->round = round;
            keep_row(last, &rows[count]);
        }
    }
    return TACHO_OK;
}

/* The start of a plain row is noted at once; the rest of it when it has been passed on. */
static tacho_status pass_rows(tacho_events *events, const tacho_row *rows, size_t count)
{
    tacho_order *order = order_of(events);
    size_t first = 0; /* of the rows not passed on yet */
    for (size_t i = 0; i < count; i++) {
        const tacho_row *row = &rows[i];
        if (TACHO_UNLIKELY(!is_plain(order, row))) {
            TACHO_TRY(pass_plain(order, rows + first, i - first));
            TACHO_TRY(pass_row(events, row));
            first = i + 1;
            continue;
        }
        order->last_rows[row->track].row.start = row->start;
        if (row->start >= order->latest_start) {
            order->latest_start = row->start;
            order->latest_rank = tacho_row_rank(row);
        }
        order->part_row_count++;
    }
    return pass_plain(order, rows + first, count - first);
}

static tacho_status sort_row(tacho_events *events, const tacho_row *row)
{
    tacho_order *order = order_of(events);
    note_flow(events->dict, row);
    if (order->part_row_count == 0 || row->start < order->earliest_start) {
        order->earliest_start = first_start(order, row);
    }
    order->part_row_count++;
    return tacho_spool_add(order->spool, row);
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_order *order = order_of(events);
    if (order->spool != NULL && order->part_row_count > 0) {
        tacho_dict *dict = events->dict;
        set_zero(&dict->clocks[dict->parts[part].clock], order->earliest_start);
        TACHO_TRY(tacho_spool_drain(order->spool, order->next));
    }
    events->dict->parts[part].row_count = order->part_row_count;
    order->part_row_count = 0;
    return tacho_events_end_part(order->next, part);
}

static tacho_status pass_finish(tacho_events *events)
{
    return tacho_events_finish(order_of(events)->next);
}

/* Rows that will be sorted are not passed on while they are pushed. */
static const tacho_shared *sort_shared(tacho_events *events)
{
    (void)events;
    return &tacho_shared_quiet;
}

static const tacho_shared *pass_shared(tacho_events *events)
{
    return tacho_events_shared(order_of(events)->next);
}

static const tacho_events_vtable pass_vtable = {.row = pass_row,
                                                .rows = pass_rows,
                                                .end_part = end_part,
                                                .finish = pass_finish,
                                                .shared = pass_shared};
static const tacho_events_vtable sort_vtable = {
    .row = sort_row, .end_part = end_part, .finish = pass_finish, .shared = sort_shared};

tacho_status tacho_order_create(tacho_events *next, tacho_order_mode mode, size_t memory_bytes,
                                tacho_order **out_order)
{
    tacho_order *order = calloc(1, sizeof(*order));
    if (order == NULL) {
        return tacho_no_memory();
    }
    bool sorts = mode != TACHO_ORDER_PASS;
    order->events = (tacho_events){sorts ? &sort_vtable : &pass_vtable, next->dict};
    order->next = next;
    tacho_status status =
        sorts ? tacho_spool_create(next->dict, memory_bytes, &order->spool) : TACHO_OK;
    if (status != TACHO_OK) {
        tacho_order_destroy(order);
        return status;
    }
    *out_order = order;
    return TACHO_OK;
}

void tacho_order_destroy(tacho_order *order)
{
    if (order == NULL) {
        return;
    }
    tacho_spool_destroy(order->spool);
    free(order->last_rows);
    free(order);
}

tacho_events *tacho_order_events(tacho_order *order)
{
    return &order->events;
}
