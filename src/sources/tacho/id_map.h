/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps ids of a file to ids of the dictionary. Ids are in ascending order; where some are missing
 * because their chunk is damaged, the map has a hole that takes no memory however large it is.
 */
#ifndef TACHO_SOURCES_TACHO_ID_MAP_H
#define TACHO_SOURCES_TACHO_ID_MAP_H

#include "base/index.h"

/* Consecutive ids from |first| on. */
typedef struct id_stretch {
    uint32_t first;
    size_t offset; /* of its items */
} id_stretch;

typedef struct id_map {
    uint32_t *items;
    size_t item_count, item_capacity;
    id_stretch *stretches;
    size_t stretch_count, stretch_capacity;
} id_map;

void id_map_deinit(id_map *map);

/* id_map_find for an id outside of the first stretch. */
uint32_t id_map_find_slow(const id_map *map, uint32_t id);

/* The dictionary's id for the file's |id|, TACHO_NONE if it is unknown. */
static inline uint32_t id_map_find(const id_map *map, uint32_t id)
{
    if (TACHO_LIKELY(map->stretch_count == 1 && id >= map->stretches[0].first &&
                     id - map->stretches[0].first < map->item_count)) {
        return map->items[id - map->stretches[0].first];
    }
    return id_map_find_slow(map, id);
}

/* The lowest id that may be added. */
uint64_t id_map_next(const id_map *map);

/* Adds |id|, which is not below id_map_next. */
tacho_status id_map_add(id_map *map, uint32_t id, uint32_t ours) TACHO_MUST_USE;

#endif
