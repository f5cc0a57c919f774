/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of open spans. The next ones are few and sorted, so that nearly all are added and
 * removed at the end of an array; with many open spans, the others wait in a heap.
 */
#ifndef TACHO_SINKS_PERFETTO_ENDS_H
#define TACHO_SINKS_PERFETTO_ENDS_H

#include "base/attributes.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_ENDS_NEAR = 32 };

/*
 * The end of an open span. Its words are written and read whole: a load across two recent stores
 * would wait until these have reached memory.
 */
typedef struct pf_span_end {
    int64_t end_ns;
    uint64_t sequence; /* by begin; of spans with one end the last begun ends first */
    uint64_t place;    /* pf_place */
} pf_span_end;

typedef struct pf_ends {
    pf_span_end near[PF_ENDS_NEAR]; /* the next to end last; empty only if |far| is */
    size_t near_count;
    pf_span_end *far; /* a heap, the next to end on top: later than all of |near| */
    size_t far_count, far_capacity;
    uint64_t next_sequence;
} pf_ends;

/* The track of a span and the slot of its pf_open_span, TACHO_NONE for a plain one. */
static inline uint64_t pf_place(uint32_t track, uint32_t slot)
{
    return track | (uint64_t)slot << 32;
}

static inline uint32_t pf_place_track(uint64_t place)
{
    return (uint32_t)place;
}

static inline uint32_t pf_place_slot(uint64_t place)
{
    return (uint32_t)(place >> 32);
}

/* The next to end, if it ends at |time_ns| or before; else NULL. */
static inline const pf_span_end *pf_ends_due(const pf_ends *ends, int64_t time_ns)
{
    size_t count = ends->near_count;
    return count > 0 && ends->near[count - 1].end_ns <= time_ns ? &ends->near[count - 1] : NULL;
}

/* Moves some of the others to |near|, which is empty. */
void pf_ends_refill(pf_ends *ends);

/* Removes the next to end. */
static inline void pf_ends_pop(pf_ends *ends)
{
    ends->near_count--;
    if (TACHO_UNLIKELY(ends->near_count == 0 && ends->far_count > 0)) {
        pf_ends_refill(ends);
    }
}

/* Whether a span that ends at |end_ns| can be added at once. */
static inline bool pf_ends_has_room(const pf_ends *ends, int64_t end_ns)
{
    return ends->near_count < PF_ENDS_NEAR &&
           (ends->far_count == 0 || end_ns <= ends->far[0].end_ns);
}

/* Adds a span; there must be room for it. */
static inline void pf_ends_put(pf_ends *ends, int64_t end_ns, uint64_t place)
{
    size_t at = ends->near_count++;
    for (; at > 0 && ends->near[at - 1].end_ns < end_ns; at--) {
        ends->near[at] = ends->near[at - 1];
    }
    ends->near[at] = (pf_span_end){end_ns, ends->next_sequence++, place};
}

/* Adds any span. */
tacho_status pf_ends_add(pf_ends *ends, int64_t end_ns, uint64_t place) TACHO_MUST_USE;

void pf_ends_deinit(pf_ends *ends);

#endif
