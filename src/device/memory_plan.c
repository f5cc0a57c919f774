/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Greedy by size. Pieces that were placed are kept by offset, so one pass over them finds the first
 * gap among those that live at the same time. That is quadratic, so it is for the largest pieces;
 * the others follow one another in time and take over places of their class of size.
 */
#include "device/memory_plan.h"

#include "base/grow.h"

#include <stdlib.h>

enum { PLACED_MAX = 8192 }; /* above it, the square of their number would be felt */

/* Larger first; equal ones in order of time, so that plans do not depend on qsort. */
static int by_size(const void *a, const void *b)
{
    const tacho_memory_piece *x = *(tacho_memory_piece *const *)a;
    const tacho_memory_piece *y = *(tacho_memory_piece *const *)b;
    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x < y ? -1 : x > y ? 1 : 0;
}

static bool round_up(uint64_t bytes, uint64_t *out_rounded)
{
    uint64_t sum;
    bool is_fine =
        !__builtin_add_overflow(bytes, (uint64_t)TACHO_MEMORY_ALIGN - 1, &sum) && sum <= INT64_MAX;
    *out_rounded = sum / TACHO_MEMORY_ALIGN * TACHO_MEMORY_ALIGN;
    return is_fine;
}

static bool live_together(const tacho_memory_piece *a, const tacho_memory_piece *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Puts |piece| in the first gap and into |placed|, which stays sorted by offset. */
static bool place(tacho_memory_piece *piece, tacho_memory_piece **placed, size_t placed_count)
{
    uint64_t at = 0, end, size;
    if (!round_up(piece->bytes, &size)) {
        return false;
    }
    for (size_t i = 0; i < placed_count; i++) {
        const tacho_memory_piece *other = placed[i];
        if (!live_together(piece, other)) {
            continue;
        }
        if (other->offset >= at && other->offset - at >= size) {
            break;
        }
        if (!round_up(other->offset + other->bytes, &end)) {
            return false;
        }
        at = end > at ? end : at;
    }
    piece->offset = at;
    size_t to = placed_count;
    for (; to > 0 && placed[to - 1]->offset > at; to--) {
        placed[to] = placed[to - 1];
    }
    placed[to] = piece;
    return at <= INT64_MAX - size;
}

static bool place_largest(tacho_memory_piece **order, size_t piece_count,
                          tacho_memory_piece **placed, uint64_t *out_bytes)
{
    uint64_t total = 0;
    for (size_t i = 0; i < piece_count; i++) {
        uint64_t size;
        if (!place(order[i], placed, i) || !round_up(order[i]->bytes, &size) ||
            size > INT64_MAX - order[i]->offset) {
            return false;
        }
        uint64_t end = order[i]->offset + size;
        total = end > total ? end : total;
    }
    *out_bytes = total;
    return true;
}

/* ---- many small pieces --------------------------------------------------------------------- */

/* Classes of size: four for each power of two, so that at most a quarter of a place is unused. */
enum { CLASS_COUNT = 256, CLASS_STEPS = 4 };

/* Places that are in use, the one that is free again first on top, and those that are free. */
typedef struct places {
    tacho_memory_piece **pieces; /* in order of time */
    uint32_t *heap;              /* of those in use */
    size_t heap_count;
    uint32_t *next; /* by piece that is gone: the next of its class, or NOBODY */
    uint32_t gone[CLASS_COUNT];
} places;

static const uint32_t nobody = UINT32_MAX;

static int by_time(const void *a, const void *b)
{
    const tacho_memory_piece *x = *(tacho_memory_piece *const *)a;
    const tacho_memory_piece *y = *(tacho_memory_piece *const *)b;
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x < y ? -1 : x > y ? 1 : 0;
}

/* The class of a piece, and the bytes of its places. */
static size_t class_of(uint64_t bytes, uint64_t *out_bytes)
{
    uint64_t units = bytes / TACHO_MEMORY_ALIGN + (bytes % TACHO_MEMORY_ALIGN > 0 ? 1 : 0);
    unsigned shift = 0;
    while (units > 0 && (units - 1) >> shift >= 2 * CLASS_STEPS) {
        shift++;
    }
    uint64_t steps = units > 0 ? ((units - 1) >> shift) + 1 : 0;
    *out_bytes = (steps << shift) * TACHO_MEMORY_ALIGN;
    return (size_t)shift * CLASS_STEPS + (size_t)steps;
}

static void push_live(places *self, uint32_t piece)
{
    size_t at = self->heap_count++;
    uint32_t last = self->pieces[piece]->last;
    for (; at > 0 && self->pieces[self->heap[(at - 1) / 2]]->last > last; at = (at - 1) / 2) {
        self->heap[at] = self->heap[(at - 1) / 2];
    }
    self->heap[at] = piece;
}

static uint32_t pop_live(places *self)
{
    uint32_t top = self->heap[0], moved = self->heap[--self->heap_count];
    uint32_t last = self->pieces[moved]->last;
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < self->heap_count; at = child) {
        if (child + 1 < self->heap_count &&
            self->pieces[self->heap[child + 1]]->last < self->pieces[self->heap[child]]->last) {
            child++;
        }
        if (last <= self->pieces[self->heap[child]]->last) {
            break;
        }
        self->heap[at] = self->heap[child];
    }
    self->heap[at] = moved;
    return top;
}

static bool place_next(places *self, uint32_t piece, uint64_t *total)
{
    tacho_memory_piece *at = self->pieces[piece];
    uint64_t bytes;
    while (self->heap_count > 0 && self->pieces[self->heap[0]]->last < at->first) {
        uint32_t done = pop_live(self);
        uint32_t *gone = &self->gone[class_of(self->pieces[done]->bytes, &bytes)];
        self->next[done] = *gone;
        *gone = done;
    }
    uint32_t *gone = &self->gone[class_of(at->bytes, &bytes)];
    if (*gone != nobody) {
        at->offset = self->pieces[*gone]->offset;
        *gone = self->next[*gone];
    } else {
        at->offset = *total;
        if (bytes > INT64_MAX - *total) {
            return false;
        }
        *total += bytes;
    }
    push_live(self, piece);
    return true;
}

/* Places them after the first |*total| bytes. */
static bool place_small(tacho_memory_piece **pieces, size_t count, uint32_t *memory,
                        uint64_t *total)
{
    places self = {.pieces = pieces, .heap = memory, .next = memory + count};
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        self.gone[i] = nobody;
    }
    qsort(pieces, count, sizeof(*pieces), by_time);
    bool is_fine = true;
    for (uint32_t i = 0; i < count && is_fine; i++) {
        is_fine = place_next(&self, i, total);
    }
    return is_fine;
}

tacho_status tacho_memory_plan(tacho_memory_piece *pieces, size_t piece_count, uint64_t *out_bytes)
{
    *out_bytes = 0;
    size_t large = piece_count < PLACED_MAX ? piece_count : PLACED_MAX;
    size_t small = piece_count - large;
    tacho_memory_piece **order = tacho_items_alloc(piece_count, sizeof(*order));
    tacho_memory_piece **placed = tacho_items_alloc(PLACED_MAX, sizeof(*placed));
    uint32_t *memory = tacho_items_alloc(2 * small, sizeof(*memory));
    tacho_status status = TACHO_OK;
    if (order == NULL || placed == NULL || memory == NULL) {
        status = tacho_no_memory();
    } else {
        for (size_t i = 0; i < piece_count; i++) {
            order[i] = &pieces[i];
        }
        qsort(order, piece_count, sizeof(*order), by_size);
        if (!place_largest(order, large, placed, out_bytes) ||
            (small > 0 && !place_small(order + large, small, memory, out_bytes))) {
            status = tacho_fail(TACHO_CODE_LIMIT, "tensors of more than 2^63 bytes at once");
        }
    }
    free(order);
    free(placed);
    free(memory);
    return status;
}

/* The live bytes change at moments: a piece begins or ends. */
typedef struct change {
    uint64_t moment; /* twice the task's number, plus one for the end of a piece */
    uint64_t bytes;
    bool comes;
} change;

static int by_moment(const void *a, const void *b)
{
    const change *x = a, *y = b;
    return x->moment < y->moment ? -1 : x->moment > y->moment ? 1 : 0;
}

tacho_status tacho_memory_plan_bound(const tacho_memory_piece *pieces, size_t piece_count,
                                     uint64_t *out_bytes)
{
    change *changes = tacho_items_alloc(2 * piece_count, sizeof(*changes));
    uint64_t live = 0;
    *out_bytes = 0;
    if (changes == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < piece_count; i++) {
        const tacho_memory_piece *piece = &pieces[i];
        changes[2 * i] = (change){2 * (uint64_t)piece->first, piece->bytes, true};
        changes[2 * i + 1] = (change){2 * (uint64_t)piece->last + 1, piece->bytes, false};
    }
    qsort(changes, 2 * piece_count, sizeof(*changes), by_moment);
    for (size_t i = 0; i < 2 * piece_count; i++) {
        live = changes[i].comes ? live + changes[i].bytes : live - changes[i].bytes;
        *out_bytes = live > *out_bytes ? live : *out_bytes;
    }
    free(changes);
    return TACHO_OK;
}
