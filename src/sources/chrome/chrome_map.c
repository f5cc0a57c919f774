/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries in an array, found through an index.
 */
#include "sources/chrome/chrome_map.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status chrome_map_init(chrome_map *map)
{
    *map = (chrome_map){.items = NULL};
    return tacho_index_init(&map->index);
}

void chrome_map_deinit(chrome_map *map)
{
    tacho_index_deinit(&map->index);
    free(map->items);
    *map = (chrome_map){.items = NULL};
}

tacho_status chrome_map_ensure(chrome_map *map, const chrome_key *key, uint32_t new_value,
                               uint32_t *out_value)
{
    uint32_t hash =
        tacho_index_hash(&map->index, tacho_str_make((const char *)key->words, sizeof(key->words)));
    size_t at = tacho_index_begin(&map->index, hash);
    for (uint32_t id; (id = tacho_index_next(&map->index, hash, &at)) != TACHO_NONE;) {
        if (memcmp(&map->items[id].key, key, sizeof(*key)) == 0) {
            *out_value = map->items[id].value;
            return TACHO_OK;
        }
    }
    if (map->item_count >= TACHO_NONE - 1) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 ids");
    }
    TACHO_TRY(tacho_grow(&map->items, &map->item_capacity, map->item_count + 1));
    TACHO_TRY(tacho_index_add(&map->index, hash, (uint32_t)map->item_count));
    map->items[map->item_count++] = (chrome_map_entry){*key, new_value};
    *out_value = new_value;
    return TACHO_OK;
}
