/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stretches are sorted by id and found by binary search.
 */
#include "sources/tacho/id_map.h"

#include "base/grow.h"

#include <stdlib.h>

void id_map_deinit(id_map *map)
{
    free(map->items);
    free(map->stretches);
    *map = (id_map){0};
}

static size_t stretch_len(const id_map *map, size_t stretch)
{
    size_t end =
        stretch + 1 < map->stretch_count ? map->stretches[stretch + 1].offset : map->item_count;
    return end - map->stretches[stretch].offset;
}

uint32_t id_map_find_slow(const id_map *map, uint32_t id)
{
    size_t low = 0; /* stretches below it begin at |id| or before */
    size_t high = map->stretch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->stretches[middle].first <= id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || id - map->stretches[low - 1].first >= stretch_len(map, low - 1)) {
        return TACHO_NONE;
    }
    const id_stretch *found = &map->stretches[low - 1];
    return map->items[found->offset + (id - found->first)];
}

uint64_t id_map_next(const id_map *map)
{
    if (map->stretch_count == 0) {
        return 0;
    }
    size_t last = map->stretch_count - 1;
    return (uint64_t)map->stretches[last].first + stretch_len(map, last);
}

tacho_status id_map_add(id_map *map, uint32_t id, uint32_t ours)
{
    if (map->stretch_count == 0 || id != id_map_next(map)) {
        TACHO_TRY(tacho_grow(&map->stretches, &map->stretch_capacity, map->stretch_count + 1));
        map->stretches[map->stretch_count++] = (id_stretch){id, map->item_count};
    }
    TACHO_TRY(tacho_grow(&map->items, &map->item_capacity, map->item_count + 1));
    map->items[map->item_count++] = ours;
    return TACHO_OK;
}
