/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubling growth, and arrays of one size, with checked sizes.
 */
#include "base/grow.h"

#include "base/budget.h"
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Below, a copy costs less than the pages of a block that does not start with a large one. */
enum { MOVED_BYTES_MIN = 16 << 20, FIRST_BYTES = 64 };

/*
 * A large block is made anew, to start with a large page. A very large one is moved: for a while,
 * two of it would be there.
 */
static void *resize(void *items, size_t old_bytes, size_t bytes)
{
    if (bytes < TACHO_PAGES_LARGE_BYTES || bytes > MOVED_BYTES_MIN) {
        void *moved = realloc(items, bytes);
        tacho_pages_advise(moved, moved != NULL ? bytes : 0);
        return moved;
    }
    void *grown = tacho_pages_alloc(bytes);
    if (grown != NULL && old_bytes > 0) {
        memcpy(grown, items, old_bytes);
        free(items);
    }
    return grown;
}

/*
 * Small at first: an array of each of many tracks mostly has an element or two, and sixteen of a
 * large struct would take more memory than all else that is known of the track.
 */
static size_t first_capacity(size_t element_size)
{
    size_t count = FIRST_BYTES / element_size;
    return count < 1 ? 1 : count < 16 ? count : 16;
}

tacho_status tacho_grow_bytes(void *items, size_t *capacity, size_t need, size_t element_size)
{
    if (need <= *capacity) {
        return TACHO_OK;
    }
    size_t wanted = *capacity == 0 ? first_capacity(element_size) : *capacity * 2;
    if (wanted < need) {
        wanted = need;
    }
    /* Copied in and out, since the owner's pointer has a type of its own. */
    void *old_items = NULL;
    memcpy(&old_items, items, sizeof(old_items));
    size_t bytes = 0;
    void *grown = NULL;
    if (!__builtin_mul_overflow(wanted, element_size, &bytes)) {
        TACHO_TRY(tacho_budget_take(bytes - *capacity * element_size));
        grown = resize(old_items, *capacity * element_size, bytes);
    }
    if (grown == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu elements of %zu bytes",
                          wanted, element_size);
    }
    memcpy(items, &grown, sizeof(grown));
    *capacity = wanted;
    return TACHO_OK;
}

void tacho_grow_trim_bytes(void *items, size_t *capacity, size_t count, size_t element_size)
{
    void *old_items = NULL;
    memcpy(&old_items, items, sizeof(old_items));
    if (count == 0 || count == *capacity) {
        return;
    }
    void *trimmed = realloc(old_items, count * element_size);
    if (trimmed != NULL) {
        memcpy(items, &trimmed, sizeof(trimmed));
        *capacity = count;
    }
}

void *tacho_items_alloc(size_t count, size_t element_size)
{
    size_t bytes = 0;
    bool is_countable =
        count < SIZE_MAX && !__builtin_mul_overflow(count + 1, element_size, &bytes);
    return is_countable ? calloc(1, bytes) : NULL;
}

tacho_status tacho_items_make_bytes(void *out_items, size_t count, size_t element_size)
{
    void *items = NULL;
    size_t bytes = 0;
    if (!__builtin_mul_overflow(count, element_size, &bytes)) {
        TACHO_TRY(tacho_budget_take(bytes));
        items = tacho_items_alloc(count, element_size);
    }
    memcpy(out_items, &items, sizeof(items));
    return items != NULL ? TACHO_OK : tacho_no_memory();
}
