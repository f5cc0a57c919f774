/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubling growth, and arrays of one size, with checked sizes.
 */
#include "base/grow.h"

#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

tacho_status tacho_grow_bytes(void *items, size_t *capacity, size_t need, size_t element_size)
{
    if (need <= *capacity) {
        return TACHO_OK;
    }
    size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
    if (wanted < need) {
        wanted = need;
    }
    /* Copied in and out, since the owner's pointer has a type of its own. */
    void *old_items = NULL;
    memcpy(&old_items, items, sizeof(old_items));
    size_t bytes = 0;
    void *grown = NULL;
    if (!__builtin_mul_overflow(wanted, element_size, &bytes)) {
        grown = realloc(old_items, bytes);
    }
    if (grown == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu elements of %zu bytes",
                          wanted, element_size);
    }
    tacho_pages_advise(grown, bytes);
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
    void *items = tacho_items_alloc(count, element_size);
    memcpy(out_items, &items, sizeof(items));
    return items != NULL ? TACHO_OK : tacho_no_memory();
}
