/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A skyline: pieces enter a heap as they start and leave it when they are on top and over. Each is
 * pushed and popped once, and the top can change only where one starts or ends.
 */
#include "analyses/sample_sweep.h"

#include "base/grow.h"
#include "base/heap.h"

#include <stdlib.h>

tacho_status tacho_sample_pieces_add(tacho_sample_pieces *pieces, const tacho_sample_piece *piece)
{
    TACHO_TRY(tacho_grow(&pieces->items, &pieces->item_capacity, pieces->item_count + 1));
    pieces->items[pieces->item_count++] = *piece;
    return TACHO_OK;
}

void tacho_sample_pieces_deinit(tacho_sample_pieces *pieces)
{
    free(pieces->items);
    *pieces = (tacho_sample_pieces){0};
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* A total order, so that the result does not depend on how the pieces came. */
static int compare_pieces(const void *left, const void *right)
{
    const tacho_sample_piece *a = left;
    const tacho_sample_piece *b = right;
    if (a->sample != b->sample) {
        return a->sample < b->sample ? -1 : 1;
    }
    if (a->axis != b->axis) {
        return a->axis < b->axis ? -1 : 1;
    }
    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->op != b->op ? (a->op < b->op ? -1 : 1) : compare_numbers(b->end_ns, a->end_ns);
}

/* Spans come by start, so that pieces are often in order already. */
static bool is_in_order(const tacho_sample_pieces *pieces)
{
    for (size_t i = 1; i < pieces->item_count; i++) {
        if (compare_pieces(&pieces->items[i - 1], &pieces->items[i]) > 0) {
            return false;
        }
    }
    return true;
}

typedef struct sweep {
    const tacho_sample_piece *pieces;
    size_t piece_count;
    size_t next; /* the first that has not started */
    const tacho_sweep_taker *taker;
    tacho_heap busy; /* by rank, then start, then place */
    int64_t now;
    int64_t gap_ns; /* since the last was busy */
} sweep;

/* Whether the next piece is on the time axis of the first. */
static bool is_on_axis(const sweep *self, const tacho_sample_piece *first)
{
    return self->next < self->piece_count && self->pieces[self->next].sample == first->sample &&
           self->pieces[self->next].axis == first->axis;
}

static tacho_status start_pieces(sweep *self, const tacho_sample_piece *first)
{
    while (is_on_axis(self, first) && self->pieces[self->next].start_ns <= self->now) {
        const tacho_sample_piece *piece = &self->pieces[self->next];
        uint64_t start = (uint64_t)piece->start_ns ^ UINT64_C(1) << 63; /* may be negative */
        tacho_u128 at = (tacho_u128)piece->rank << 64 | start;
        TACHO_TRY(self->taker->start(self->taker->self, piece));
        TACHO_TRY(tacho_heap_add(&self->busy, (tacho_moment){at, self->next, self->next}));
        self->next++;
    }
    return TACHO_OK;
}

/* The piece that counts now, NULL when none is busy. */
static const tacho_sample_piece *find_top(sweep *self)
{
    while (self->busy.item_count > 0) {
        const tacho_sample_piece *top = &self->pieces[self->busy.items[0].value];
        if (top->end_ns > self->now) {
            return top;
        }
        (void)tacho_heap_take(&self->busy);
    }
    return NULL;
}

/* From one change to the next. */
static tacho_status advance(sweep *self, const tacho_sample_piece *first)
{
    TACHO_TRY(start_pieces(self, first));
    const tacho_sample_piece *top = find_top(self);
    bool has_next = is_on_axis(self, first);
    int64_t next_ns = has_next ? self->pieces[self->next].start_ns : INT64_MAX;
    if (top == NULL) {
        self->gap_ns += has_next ? next_ns - self->now : 0;
        self->now = next_ns;
        return TACHO_OK;
    }
    int64_t until = top->end_ns < next_ns ? top->end_ns : next_ns;
    TACHO_TRY(self->taker->count(self->taker->self, top, until - self->now, self->gap_ns));
    self->gap_ns = 0;
    self->now = until;
    return TACHO_OK;
}

static tacho_status sweep_all(sweep *self)
{
    while (self->next < self->piece_count) {
        const tacho_sample_piece *first = &self->pieces[self->next];
        self->now = first->start_ns;
        self->gap_ns = 0;
        do {
            TACHO_TRY(advance(self, first));
        } while (is_on_axis(self, first) || find_top(self) != NULL);
    }
    return TACHO_OK;
}

tacho_status tacho_sample_pieces_sweep(tacho_sample_pieces *pieces, const tacho_sweep_taker *taker)
{
    if (pieces->item_count == 0) {
        return TACHO_OK;
    }
    if (!is_in_order(pieces)) {
        qsort(pieces->items, pieces->item_count, sizeof(*pieces->items), compare_pieces);
    }
    sweep self = {.pieces = pieces->items, .piece_count = pieces->item_count, .taker = taker};
    tacho_status status = sweep_all(&self);
    tacho_heap_deinit(&self.busy);
    return status;
}
