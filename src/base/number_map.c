/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing; later keys move into the slot of a removed one, so that no
 * tombstones stay.
 */
#include "base/number_map.h"

#include "base/grow.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 16 };

static size_t slot_of(const tacho_number_map *map, uint64_t key)
{
    uint64_t mixed = (key ^ map->seed) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(mixed ^ mixed >> 32) & map->slot_mask;
}

void tacho_number_map_deinit(tacho_number_map *map)
{
    free(map->slots);
    free(map->is_used);
    *map = (tacho_number_map){0};
}

/* The slot of |key|, or the free one where it would go. */
static size_t find_slot(const tacho_number_map *map, uint64_t key)
{
    size_t at = slot_of(map, key);
    while (map->is_used[at] && map->slots[at].key != key) {
        at = (at + 1) & map->slot_mask;
    }
    return at;
}

uint64_t *tacho_number_map_find(const tacho_number_map *map, uint64_t key)
{
    if (map->count == 0) {
        return NULL;
    }
    size_t at = find_slot(map, key);
    return map->is_used[at] ? &map->slots[at].value : NULL;
}

static tacho_status enlarge(tacho_number_map *map)
{
    tacho_number_map larger = {.count = map->count, .seed = map->seed};
    size_t slot_count = map->slots == NULL ? FIRST_SLOTS : 2 * (map->slot_mask + 1);
    if (map->slots == NULL) {
        tacho_index seeded;
        TACHO_TRY(tacho_index_init(&seeded));
        larger.seed = seeded.seed;
        tacho_index_deinit(&seeded);
    }
    larger.slot_mask = slot_count - 1;
    TACHO_TRY(tacho_items_make(&larger.slots, slot_count));
    tacho_status status = tacho_items_make(&larger.is_used, slot_count);
    if (status != TACHO_OK) {
        free(larger.slots);
        return status;
    }
    for (size_t i = 0; map->slots != NULL && i <= map->slot_mask; i++) {
        if (map->is_used[i]) {
            size_t at = find_slot(&larger, map->slots[i].key);
            larger.slots[at] = map->slots[i];
            larger.is_used[at] = 1;
        }
    }
    free(map->slots);
    free(map->is_used);
    *map = larger;
    return TACHO_OK;
}

tacho_status tacho_number_map_set(tacho_number_map *map, uint64_t key, uint64_t value)
{
    if (map->slots == NULL || 2 * map->count >= map->slot_mask + 1) {
        TACHO_TRY(enlarge(map));
    }
    size_t at = find_slot(map, key);
    map->count += map->is_used[at] ? 0 : 1;
    map->is_used[at] = 1;
    map->slots[at] = (tacho_number_pair){key, value};
    return TACHO_OK;
}

void tacho_number_map_remove(tacho_number_map *map, uint64_t key)
{
    if (map->count == 0) {
        return;
    }
    size_t hole = find_slot(map, key);
    if (!map->is_used[hole]) {
        return;
    }
    map->is_used[hole] = 0;
    map->count--;
    for (size_t at = (hole + 1) & map->slot_mask; map->is_used[at];
         at = (at + 1) & map->slot_mask) {
        size_t wanted = slot_of(map, map->slots[at].key);
        if (((at - wanted) & map->slot_mask) >= ((at - hole) & map->slot_mask)) {
            map->slots[hole] = map->slots[at];
            map->is_used[hole] = 1;
            map->is_used[at] = 0;
            hole = at;
        }
    }
}

void tacho_number_map_clear(tacho_number_map *map)
{
    if (map->slots != NULL) {
        memset(map->is_used, 0, map->slot_mask + 1);
    }
    map->count = 0;
}
