/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from a few words to one: threads by process and number, flows by their ids and so on.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_MAP_H
#define TACHO_SOURCES_CHROME_CHROME_MAP_H

#include "base/index.h"

enum { CHROME_KEY_WORDS = 6 };

/* Words that a kind of key does not need are 0. */
typedef struct chrome_key {
    uint32_t words[CHROME_KEY_WORDS];
} chrome_key;

typedef struct chrome_map_entry {
    chrome_key key;
    uint32_t value;
} chrome_map_entry;

typedef struct chrome_map {
    tacho_index index;
    chrome_map_entry *items;
    size_t item_count, item_capacity;
} chrome_map;

tacho_status chrome_map_init(chrome_map *map) TACHO_MUST_USE;
void chrome_map_deinit(chrome_map *map);

/* The value of |key|, which is |new_value| from now on if there was none. */
tacho_status chrome_map_ensure(chrome_map *map, const chrome_key *key, uint32_t new_value,
                               uint32_t *out_value) TACHO_MUST_USE;

/* Identifies a flow or an asynchronous operation: a number, or a text by its id. */
typedef struct chrome_id {
    uint32_t kind;
    uint32_t low, high;
} chrome_id;

#endif
