/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that have begun and not ended, for formats with separate begin and end events (Chrome B and
 * E, b and e, Perfetto slices). They are kept on stacks, one for each thread or other unit by which
 * the format pairs; the source numbers the stacks from 0.
 *
 * An end without a name closes the innermost span of its stack. An end with a name closes the
 * innermost span of that name among the 4096 on top, since the name distinguishes overlapping work.
 * An ended span becomes a row, after the flow ends that were noted for it.
 */
#ifndef TACHO_SOURCES_OPEN_SPANS_H
#define TACHO_SOURCES_OPEN_SPANS_H

#include "profile/events.h"
#include "profile/packed_row.h"

typedef struct tacho_open_span tacho_open_span;

typedef struct tacho_open_stack {
    uint32_t top; /* slot of the innermost span, or TACHO_NONE */
} tacho_open_stack;

typedef struct tacho_open_spans {
    tacho_events *events; /* receives the rows */
    tacho_open_span *slots;
    size_t slot_count, slot_capacity;
    uint32_t free_slot;
    tacho_open_stack *stacks;
    size_t stack_count, stack_capacity;
    tacho_unpacked_args unpacked;
    tacho_arg *merged; /* arguments of begin and end together */
    size_t merged_capacity;
} tacho_open_spans;

void tacho_open_spans_init(tacho_open_spans *open, tacho_events *events);
void tacho_open_spans_deinit(tacho_open_spans *open);

/* Begins a span on |stack|; the row is copied, its end is ignored. */
tacho_status tacho_open_spans_begin(tacho_open_spans *open, uint32_t stack,
                                    const tacho_row *row) TACHO_MUST_USE;

/*
 * Notes a flow end of the innermost span of |stack|: its id, role and phase; false: no span is
 * open.
 */
tacho_status tacho_open_spans_flow(tacho_open_spans *open, uint32_t stack, const tacho_row *flow,
                                   bool *out_noted) TACHO_MUST_USE;

/* The end that the row of the innermost span of |stack| was given; a span must be open. */
int64_t tacho_open_spans_given_end(const tacho_open_spans *open, uint32_t stack);

/* The end of a span. */
typedef struct tacho_span_end {
    int64_t time;
    uint32_t name;         /* string that the span must have, TACHO_NONE for any */
    const tacho_arg *args; /* added to those of the begin */
    size_t arg_count;
} tacho_span_end;

/*
 * Ends a span and pushes it. |*out_ended| is false, and nothing has changed, when no span matches
 * or the end is before the begin.
 */
tacho_status tacho_open_spans_end(tacho_open_spans *open, uint32_t stack, const tacho_span_end *end,
                                  bool *out_ended) TACHO_MUST_USE;

/* Pushes all open spans on |stack| as unended, up to |time| or their own start, outer first. */
tacho_status tacho_open_spans_finish_stack(tacho_open_spans *open, uint32_t stack,
                                           int64_t time) TACHO_MUST_USE;

/* Like tacho_open_spans_finish_stack, for all stacks. */
tacho_status tacho_open_spans_finish(tacho_open_spans *open, int64_t time) TACHO_MUST_USE;

/* Whether anything is open on |stack|. */
bool tacho_open_spans_has(const tacho_open_spans *open, uint32_t stack);

#endif
