/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Greedy by size. Pieces that were placed are kept by offset, so one pass over them finds the first
 * gap among those that live at the same time.
 */
#include "device/memory_plan.h"

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

static bool place_all(tacho_memory_piece **order, size_t piece_count, tacho_memory_piece **placed,
                      uint64_t *out_bytes)
{
    uint64_t total = 0;
    for (size_t i = 0; i < piece_count; i++) {
        uint64_t size;
        if (i < PLACED_MAX) {
            if (!place(order[i], placed, i)) {
                return false;
            }
        } else {
            order[i]->offset = total;
        }
        if (!round_up(order[i]->bytes, &size) || size > INT64_MAX - order[i]->offset) {
            return false;
        }
        uint64_t end = order[i]->offset + size;
        total = end > total ? end : total;
    }
    *out_bytes = total;
    return true;
}

tacho_status tacho_memory_plan(tacho_memory_piece *pieces, size_t piece_count, uint64_t *out_bytes)
{
    *out_bytes = 0;
    tacho_memory_piece **order = calloc(piece_count + 1, sizeof(*order));
    tacho_memory_piece **placed = calloc(PLACED_MAX + 1, sizeof(*placed));
    tacho_status status = TACHO_OK;
    if (order == NULL || placed == NULL) {
        status = tacho_fail(TACHO_CODE_NO_MEMORY, "no memory to plan memory");
    } else {
        for (size_t i = 0; i < piece_count; i++) {
            order[i] = &pieces[i];
        }
        qsort(order, piece_count, sizeof(*order), by_size);
        if (!place_all(order, piece_count, placed, out_bytes)) {
            status = tacho_fail(TACHO_CODE_LIMIT, "tensors of more than 2^63 bytes at once");
        }
    }
    free(order);
    free(placed);
    return status;
}

/* What lives changes at moments: a piece comes or goes. */
typedef struct change {
    uint64_t moment; /* twice; one more when a piece is gone behind it */
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
    change *changes = calloc(2 * piece_count + 1, sizeof(*changes));
    uint64_t live = 0;
    *out_bytes = 0;
    if (changes == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "no memory to plan memory");
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
