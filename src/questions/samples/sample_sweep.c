/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A skyline: pieces enter a heap as they start and leave it when they are on top and over. Each is
 * pushed and popped once, and the top can change only at a start or an end.
 */
#include "questions/samples/sample_sweep.h"

#include "base/grow.h"
#include "base/heap.h"

#include <stdlib.h>

tacho_status tacho_sample_pieces_reserve(tacho_sample_pieces *pieces, size_t count)
{
    return tacho_grow(&pieces->items, &pieces->item_capacity, count);
}

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

/* A total order, so that the result does not depend on the order of adding. */
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

/* ---- order ----------------------------------------------------------------------------------- */

/* Spans of a track are added in order of start, calls in order of end: pieces are near their
 * places, or in sorted runs. */
typedef struct sorting {
    const tacho_sample_piece *pieces;
    size_t count;
    size_t *order, *merged; /* places of pieces */
} sorting;

static bool is_after(const sorting *self, size_t left, size_t right)
{
    return compare_pieces(&self->pieces[left], &self->pieces[right]) > 0;
}

/* Moves up pieces that are a few places late. */
static void move_up(sorting *self)
{
    enum { DISTANCE_MAX = 16 };
    for (size_t i = 1; i < self->count; i++) {
        size_t place = self->order[i], at = i;
        size_t first = i > DISTANCE_MAX ? i - DISTANCE_MAX : 0;
        for (; at > first && is_after(self, self->order[at - 1], place); at--) {
            self->order[at] = self->order[at - 1];
        }
        self->order[at] = place;
    }
}

/* The end of the run that begins at |start|. */
static size_t find_run_end(const sorting *self, size_t start)
{
    size_t end = start + 1;
    while (end < self->count && !is_after(self, self->order[end - 1], self->order[end])) {
        end++;
    }
    return end;
}

/* Merges the runs [left, right) and [right, end); stable. */
static void merge(sorting *self, size_t left, size_t right, size_t end)
{
    const size_t *order = self->order;
    size_t middle = right;
    for (size_t to = left; to < end; to++) {
        bool takes_right =
            left == middle || (right < end && is_after(self, order[left], order[right]));
        self->merged[to] = takes_right ? order[right++] : order[left++];
    }
}

/* Merges each run with the next; returns the number of runs left. */
static size_t merge_runs(sorting *self)
{
    size_t run_count = 0, end = 0;
    for (size_t start = 0; start < self->count; start = end) {
        size_t middle = find_run_end(self, start);
        end = middle < self->count ? find_run_end(self, middle) : middle;
        merge(self, start, middle, end);
        run_count++;
    }
    size_t *merged = self->merged;
    self->merged = self->order;
    self->order = merged;
    return run_count;
}

/* The places of pieces in order; the caller frees them. */
static tacho_status sort_pieces(const tacho_sample_pieces *pieces, size_t **out_order)
{
    sorting self = {.pieces = pieces->items, .count = pieces->item_count};
    tacho_status status = tacho_items_make(&self.order, self.count);
    status = status == TACHO_OK ? tacho_items_make(&self.merged, self.count) : status;
    if (status == TACHO_OK) {
        for (size_t i = 0; i < self.count; i++) {
            self.order[i] = i;
        }
        move_up(&self);
        while (merge_runs(&self) > 1) {
        }
    }
    free(self.merged);
    *out_order = self.order;
    return status;
}

/* ---- the sweep ------------------------------------------------------------------------------- */

typedef struct sweep {
    const tacho_sample_piece *pieces;
    const size_t *order;
    size_t piece_count;
    size_t next; /* the first that has not started */
    const tacho_sweep_taker *taker;
    tacho_heap busy; /* by rank, then start, then place */
    int64_t now;
    int64_t gap_ns; /* since the last one ended */
} sweep;

static const tacho_sample_piece *piece_at(const sweep *self, size_t place)
{
    return &self->pieces[self->order[place]];
}

/* Whether the next piece is on the time axis of the first. */
static bool is_on_axis(const sweep *self, const tacho_sample_piece *first)
{
    return self->next < self->piece_count && piece_at(self, self->next)->sample == first->sample &&
           piece_at(self, self->next)->axis == first->axis;
}

static tacho_status start_pieces(sweep *self, const tacho_sample_piece *first)
{
    while (is_on_axis(self, first) && piece_at(self, self->next)->start_ns <= self->now) {
        const tacho_sample_piece *piece = piece_at(self, self->next);
        uint64_t start = (uint64_t)piece->start_ns ^ UINT64_C(1) << 63; /* may be negative */
        tacho_u128 at = (tacho_u128)piece->rank << 64 | start;
        TACHO_TRY(self->taker->start(self->taker->self, piece));
        TACHO_TRY(tacho_heap_add(&self->busy, (tacho_moment){at, self->next, self->next}));
        self->next++;
    }
    return TACHO_OK;
}

/* The piece that counts now, NULL if none is busy. */
static const tacho_sample_piece *find_top(sweep *self)
{
    while (self->busy.item_count > 0) {
        const tacho_sample_piece *top = piece_at(self, self->busy.items[0].value);
        if (top->end_ns > self->now) {
            return top;
        }
        (void)tacho_heap_take(&self->busy);
    }
    return NULL;
}

/* Advances to the next change. */
static tacho_status advance(sweep *self, const tacho_sample_piece *first)
{
    TACHO_TRY(start_pieces(self, first));
    const tacho_sample_piece *top = find_top(self);
    bool has_next = is_on_axis(self, first);
    int64_t next_ns = has_next ? piece_at(self, self->next)->start_ns : INT64_MAX;
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
        const tacho_sample_piece *first = piece_at(self, self->next);
        self->now = first->start_ns;
        self->gap_ns = 0;
        do {
            TACHO_TRY(advance(self, first));
        } while (is_on_axis(self, first) || find_top(self) != NULL);
    }
    return TACHO_OK;
}

tacho_status tacho_sample_pieces_sweep(const tacho_sample_pieces *pieces,
                                       const tacho_sweep_taker *taker)
{
    if (pieces->item_count == 0) {
        return TACHO_OK;
    }
    sweep self = {.pieces = pieces->items, .piece_count = pieces->item_count, .taker = taker};
    size_t *order = NULL;
    tacho_status status = sort_pieces(pieces, &order);
    self.order = order;
    status = status == TACHO_OK ? sweep_all(&self) : status;
    tacho_heap_deinit(&self.busy);
    free(order);
    return status;
}
