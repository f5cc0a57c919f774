/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from 64-bit numbers, such as addresses that another program uses as names, to 64-bit
 * numbers. The hash is seeded: crafted keys cannot make it slow.
 */
#ifndef TACHO_BASE_NUMBER_MAP_H
#define TACHO_BASE_NUMBER_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tacho_number_pair {
    uint64_t key;
    uint64_t value;
} tacho_number_pair;

/* All zero is an empty map. */
typedef struct tacho_number_map {
    tacho_number_pair *slots;
    uint8_t *is_used; /* by slot */
    size_t slot_mask; /* slot count - 1 */
    size_t count;
    uint64_t seed;
} tacho_number_map;

void tacho_number_map_deinit(tacho_number_map *map);

/* The value of |key|; NULL where it has none. Good until the map changes. */
uint64_t *tacho_number_map_find(const tacho_number_map *map, uint64_t key);

/* Sets the value of |key|. */
tacho_status tacho_number_map_set(tacho_number_map *map, uint64_t key,
                                  uint64_t value) TACHO_MUST_USE;

/* Removes |key|, if present. */
void tacho_number_map_remove(tacho_number_map *map, uint64_t key);

/* Forgets all keys and keeps the memory. */
void tacho_number_map_clear(tacho_number_map *map);

#endif
