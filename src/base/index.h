/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash index: finds 32-bit ids by the hash of their keys. It does not store the keys; the owner
 * compares the candidates it offers:
 *
 *     uint32_t hash = tacho_index_hash(&index, key);
 *     size_t at = tacho_index_begin(&index, hash);
 *     for (uint32_t id; (id = tacho_index_next(&index, hash, &at)) != TACHO_NONE;)
 *         if (equal(id, key)) return id;
 *
 * The hash is seeded per process, so that crafted input cannot make every key collide. Ids are
 * the owner's, hence results never depend on the seed.
 */
#ifndef TACHO_BASE_INDEX_H
#define TACHO_BASE_INDEX_H

#include "base/status.h"
#include "base/str.h"

/* The id of nothing. */
#define TACHO_NONE UINT32_MAX

typedef struct tacho_index_slot {
    uint32_t hash;
    uint32_t id; /* TACHO_NONE when free */
} tacho_index_slot;

typedef struct tacho_index {
    tacho_index_slot *slots;
    size_t slot_mask; /* slot count - 1, a power of two less one */
    size_t used_count;
    uint64_t seed;
} tacho_index;

tacho_status tacho_index_init(tacho_index *index) TACHO_MUST_USE;
void tacho_index_deinit(tacho_index *index);

/* Adds |id| under |hash|; the caller has made sure that it is not there. */
tacho_status tacho_index_add(tacho_index *index, uint32_t hash, uint32_t id) TACHO_MUST_USE;

/* Forgets every id from |first_id| on. */
void tacho_index_forget(tacho_index *index, uint32_t first_id);

/* A seeded hash of |bytes|. */
uint32_t tacho_index_hash(const tacho_index *index, tacho_str bytes);

static inline size_t tacho_index_begin(const tacho_index *index, uint32_t hash)
{
    return hash & index->slot_mask;
}

/* The next id filed under |hash|, TACHO_NONE after the last. */
static inline uint32_t tacho_index_next(const tacho_index *index, uint32_t hash, size_t *cursor)
{
    for (;;) {
        tacho_index_slot slot = index->slots[*cursor];
        *cursor = (*cursor + 1) & index->slot_mask;
        if (slot.id == TACHO_NONE || slot.hash == hash) {
            return slot.id;
        }
    }
}

#endif
