/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena for the bytes, an array for the views, an index to find them.
 */
#include "base/strings.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_strings_init(tacho_strings *strings)
{
    *strings = (tacho_strings){0};
    tacho_arena_init(&strings->arena);
    TACHO_TRY(tacho_index_init(&strings->index));
    uint32_t empty_id = 0;
    return tacho_strings_ensure(strings, TACHO_STR(""), &empty_id);
}

void tacho_strings_deinit(tacho_strings *strings)
{
    tacho_arena_deinit(&strings->arena);
    tacho_index_deinit(&strings->index);
    free(strings->items);
    *strings = (tacho_strings){0};
}

static uint32_t find_hashed(const tacho_strings *strings, tacho_str text, uint32_t hash)
{
    size_t at = tacho_index_begin(&strings->index, hash);
    for (;;) {
        uint32_t id = tacho_index_next(&strings->index, hash, &at);
        if (id == TACHO_NONE || tacho_str_equal(strings->items[id], text)) {
            return id;
        }
    }
}

uint32_t tacho_strings_find(const tacho_strings *strings, tacho_str text)
{
    return find_hashed(strings, text, tacho_index_hash(&strings->index, text));
}

tacho_status tacho_strings_ensure(tacho_strings *strings, tacho_str text, uint32_t *out_id)
{
    uint32_t hash = tacho_index_hash(&strings->index, text);
    *out_id = find_hashed(strings, text, hash);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    if (strings->item_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 distinct strings");
    }
    TACHO_TRY(tacho_grow(&strings->items, &strings->item_capacity, strings->item_count + 1));
    uint32_t id = (uint32_t)strings->item_count;
    TACHO_TRY(tacho_arena_copy(&strings->arena, text, &strings->items[id]));
    TACHO_TRY(tacho_index_add(&strings->index, hash, id));
    strings->item_count++;
    *out_id = id;
    return TACHO_OK;
}
