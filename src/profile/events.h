/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event interface: how rows travel from a source to their consumer.
 *
 *     source -> order -> select -> lanes -> trace sink        (convert: bounded memory)
 *     source -> order -> profile                              (analyses: all in memory)
 *
 * A row refers to the dictionary by id. Its pointers are good for the duration of the call.
 * Contract for sources: ids exist, 0 <= start <= end <= the clock's max_ticks. Order is free;
 * profile/order sorts rows into track order: per track by start, the longer span first. A part with
 * flows that find their span by time is put in time order across its tracks too. Parts are pushed
 * one after the other; tracks of one part share a tick length. Unreadable input is counted in the
 * dictionary (tacho_dict_add_loss).
 */
#ifndef TACHO_PROFILE_EVENTS_H
#define TACHO_PROFILE_EVENTS_H

#include "base/turns.h"
#include "profile/dict.h"

typedef enum tacho_arg_type {
    TACHO_ARG_INT,
    TACHO_ARG_UINT,
    TACHO_ARG_REAL,
    TACHO_ARG_BOOL,
    TACHO_ARG_STRING, /* a string of the dictionary: for values that repeat */
    TACHO_ARG_TEXT,   /* bytes of the row itself: for values that do not */
    TACHO_ARG_DICT,   /* as_uint > 0 arguments follow that belong to it, nested ones included */
    TACHO_ARG_ARRAY,  /* the same; the key of its elements is 0 and means nothing */
    TACHO_ARG_JSON,   /* as_text is a JSON value that fits none of the others: null, {}, [] */
} tacho_arg_type;

/* How deeply dictionaries and arrays may nest. */
enum { TACHO_ARG_DEPTH_MAX = 16 };

/* A named, typed value of a span. */
typedef struct tacho_arg {
    uint32_t key; /* string */
    tacho_arg_type type;
    tacho_unit unit;
    union {
        int64_t as_int;
        uint64_t as_uint;
        double as_real;
        bool as_bool;
        uint32_t as_string;
        tacho_str as_text;
    } value;
} tacho_arg;

/* Whether the value is text that belongs to the row. */
static inline bool tacho_arg_has_text(const tacho_arg *arg)
{
    return arg->type == TACHO_ARG_TEXT || arg->type == TACHO_ARG_JSON;
}

typedef enum tacho_row_kind {
    TACHO_ROW_FLOW, /* one end of an arrow */
    TACHO_ROW_SPAN,
    TACHO_ROW_SAMPLE,
} tacho_row_kind;

enum {
    TACHO_SPAN_ORIGIN_MASK = 3,  /* a tacho_origin; 0 means: as the part */
    TACHO_SPAN_INSTANT = 1 << 2, /* a moment, not a zero-length span */
    TACHO_SPAN_UNENDED = 1 << 3, /* the end is missing in the input */
    /* Bits from here on, in a part that keeps order: how many spans were open around it. */
    TACHO_SPAN_DEPTH_SHIFT = 8,
    TACHO_SPAN_DEPTH_MAX = 0xffff,
};

typedef enum tacho_flow_role {
    TACHO_FLOW_DATA,
    TACHO_FLOW_ORDER,
    TACHO_FLOW_LAUNCH,
} tacho_flow_role;

typedef enum tacho_flow_phase {
    TACHO_FLOW_LEAVES, /* the arrow begins here */
    TACHO_FLOW_PASSES, /* it arrives and leaves again */
    TACHO_FLOW_ARRIVES,
} tacho_flow_phase;

/*
 * Which span of its track a flow end belongs to, in place of that span's end. AROUND: the innermost
 * around its time, both ends included, which is one that starts there, an instant, or the tightest.
 */
#define TACHO_FLOW_AROUND INT64_MIN
#define TACHO_FLOW_NEXT INT64_MAX /* the first that starts at its time or later */

typedef struct tacho_row {
    tacho_row_kind kind;
    uint32_t track;
    int64_t start; /* ticks of the track's clock; the time of a sample or flow end */
    union {
        struct {
            int64_t end;
            uint32_t site;
            uint32_t op;  /* TACHO_NONE when not known */
            uint32_t run; /* TACHO_NONE when not known */
            uint32_t flags;
        } span;
        struct {
            double value;
        } sample;
        struct {
            uint64_t id; /* below 2^40; equal ids of a part are one arrow, or a chain of them */
            tacho_flow_role role : 8; /* the same for all ends of an arrow */
            tacho_flow_phase phase : 8;
            uint32_t span_name; /* string: that of its span, where it knows it; else 0 */
            int64_t span_end;   /* it belongs to the span of its start and this end, or see above */
        } flow;
    } of;
    const tacho_arg *args; /* of a span */
    size_t arg_count;
} tacho_row;

typedef struct tacho_events tacho_events;

typedef struct tacho_events_vtable {
    tacho_status (*row)(tacho_events *self, const tacho_row *row);
    /* |count| > 0 spans and samples, as if pushed one by one. (optional: they are) */
    tacho_status (*rows)(tacho_events *self, const tacho_row *rows, size_t count);
    /* The part is complete: no more rows for its tracks. (optional: nothing to do) */
    tacho_status (*end_part)(tacho_events *self, uint32_t part);
    /* All parts are complete. A filter passes it on. (optional: nothing to do) */
    tacho_status (*finish)(tacho_events *self);
    /*
     * The callbacks for threads that take turns to push rows. NULL where one thread should push all
     * rows, because the sums would otherwise move from processor to processor. A filter asks the
     * next one. (optional: NULL)
     */
    const tacho_shared *(*shared)(tacho_events *self);
} tacho_events_vtable;

/* Embedded first in whatever implements it. */
struct tacho_events {
    const tacho_events_vtable *vtable;
    tacho_dict *dict;
};

TACHO_MUST_USE static inline tacho_status tacho_events_row(tacho_events *events,
                                                           const tacho_row *row)
{
    return events->vtable->row(events, row);
}

/* Passes |rows| on one by one. */
tacho_status tacho_events_each_row(tacho_events *events, const tacho_row *rows,
                                   size_t count) TACHO_MUST_USE;

/* Several rows at once, none of them a flow. */
TACHO_MUST_USE static inline tacho_status tacho_events_rows(tacho_events *events,
                                                            const tacho_row *rows, size_t count)
{
    return events->vtable->rows != NULL ? events->vtable->rows(events, rows, count)
                                        : tacho_events_each_row(events, rows, count);
}

TACHO_MUST_USE static inline tacho_status tacho_events_end_part(tacho_events *events, uint32_t part)
{
    return events->vtable->end_part != NULL ? events->vtable->end_part(events, part) : TACHO_OK;
}

TACHO_MUST_USE static inline tacho_status tacho_events_finish(tacho_events *events)
{
    return events->vtable->finish != NULL ? events->vtable->finish(events) : TACHO_OK;
}

static inline const tacho_shared *tacho_events_shared(tacho_events *events)
{
    return events->vtable->shared != NULL ? events->vtable->shared(events) : NULL;
}

enum { TACHO_FLOW_ROLE_SHIFT = 62 };

/* A flow's id in a file of several parts: arrows never lead from one part to another. */
static inline uint64_t tacho_row_flow_id(const tacho_dict *dict, const tacho_row *row)
{
    return (uint64_t)dict->tracks[row->track].part << 40 | row->of.flow.id;
}

/* "data", "order" or "launch"; "leaves", "passes" or "arrives". */
const char *tacho_flow_role_name(tacho_flow_role role);
const char *tacho_flow_phase_name(tacho_flow_phase phase);

/* Whether the row is a flow end that finds its span by time. */
static inline bool tacho_row_is_around(const tacho_row *row)
{
    return row->kind == TACHO_ROW_FLOW && row->of.flow.span_end == TACHO_FLOW_AROUND;
}

/* Whether the row is a flow end that knows its span. */
static inline bool tacho_row_is_bound(const tacho_row *row)
{
    return row->kind == TACHO_ROW_FLOW && row->of.flow.span_end != TACHO_FLOW_AROUND &&
           row->of.flow.span_end != TACHO_FLOW_NEXT;
}

/* Whether |flow|, which knows its span, belongs to |span|, which starts at its time. */
static inline bool tacho_row_is_flow_of(const tacho_dict *dict, const tacho_row *flow,
                                        const tacho_row *span)
{
    uint32_t name = flow->of.flow.span_name;
    return flow->of.flow.span_end == span->of.span.end &&
           (name == 0 || name == dict->sites[span->of.span.site].name);
}

/*
 * Order of rows of one time: flows that wait for their span precede it; flows that belong to the
 * span around them follow when all spans of that time have started.
 */
static inline int tacho_row_rank(const tacho_row *row)
{
    return row->kind != TACHO_ROW_FLOW ? 1 : (tacho_row_is_around(row) ? 2 : 0);
}

/* The end of a row: of a span its end, of a flow that of its span where known, else its time. */
static inline int64_t tacho_row_end(const tacho_row *row)
{
    if (row->kind == TACHO_ROW_SPAN) {
        return row->of.span.end;
    }
    return tacho_row_is_bound(row) ? row->of.flow.span_end : row->start;
}

/*
 * Track order of two rows of one track: <0, 0 or >0. By start, then rank; on a stack the longer
 * span first, on an engine an empty span before a real one; then, in a part that keeps order, by
 * depth, else by content, so that the order does not depend on how the input was shuffled.
 */
int tacho_row_compare(const tacho_dict *dict, const tacho_row *a, const tacho_row *b);

#endif
