/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of distant ends.
 */
#include "sinks/perfetto_ends.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { MOVED = PF_ENDS_NEAR / 2 /* moved at once between the two */ };

static bool ends_after(const pf_span_end *a, const pf_span_end *b)
{
    return a->end_ns != b->end_ns ? a->end_ns > b->end_ns : a->sequence < b->sequence;
}

static void heap_push(pf_ends *ends, pf_span_end added)
{
    size_t at = ends->far_count++;
    while (at > 0 && ends_after(&ends->far[(at - 1) / 2], &added)) {
        ends->far[at] = ends->far[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ends->far[at] = added;
}

static pf_span_end heap_pop(pf_ends *ends)
{
    pf_span_end *heap = ends->far;
    pf_span_end top = heap[0];
    size_t count = --ends->far_count;
    pf_span_end moved = heap[count];
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && ends_after(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!ends_after(&moved, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return top;
}

void pf_ends_refill(pf_ends *ends)
{
    ends->near_count = ends->far_count < MOVED ? ends->far_count : MOVED;
    for (size_t i = ends->near_count; i > 0; i--) {
        ends->near[i - 1] = heap_pop(ends);
    }
}

tacho_status pf_ends_add(pf_ends *ends, int64_t end_ns, uint64_t place)
{
    if (TACHO_UNLIKELY(!pf_ends_has_room(ends, end_ns))) {
        TACHO_TRY(tacho_grow(&ends->far, &ends->far_capacity, ends->far_count + MOVED + 1));
    }
    if (ends->near_count == PF_ENDS_NEAR) {
        for (size_t i = 0; i < MOVED; i++) {
            heap_push(ends, ends->near[i]);
        }
        ends->near_count -= MOVED;
        memmove(ends->near, ends->near + MOVED, ends->near_count * sizeof(ends->near[0]));
    }
    if (pf_ends_has_room(ends, end_ns)) {
        pf_ends_put(ends, end_ns, place);
    } else {
        heap_push(ends, (pf_span_end){end_ns, ends->next_sequence++, place});
    }
    return TACHO_OK;
}

void pf_ends_deinit(pf_ends *ends)
{
    free(ends->far);
    *ends = (pf_ends){0};
}
