/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing, at most half full.
 */
#include "base/index.h"

#include "base/budget.h"
#include "base/maths.h"
#include "base/pages.h"

#include <stdlib.h>
#include <sys/auxv.h>

enum { FIRST_SLOT_COUNT = 64 };

static tacho_status allocate_slots(tacho_index *index, size_t slot_count)
{
    TACHO_TRY(tacho_budget_take(slot_count * sizeof(tacho_index_slot)));
    tacho_index_slot *slots = tacho_pages_alloc(slot_count * sizeof(*slots));
    if (slots == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for an index of %zu slots",
                          slot_count);
    }
    for (size_t i = 0; i < slot_count; i++) {
        slots[i] = (tacho_index_slot){0, TACHO_NONE};
    }
    index->slots = slots;
    index->slot_mask = slot_count - 1;
    return TACHO_OK;
}

tacho_status tacho_index_init(tacho_index *index)
{
    *index = (tacho_index){0};
    /* Sixteen random bytes that the kernel gives every process; absent only on odd systems. */
    const unsigned char *random_bytes = (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM);
    if (random_bytes != NULL) {
        memcpy(&index->seed, random_bytes, sizeof(index->seed));
    }
    return allocate_slots(index, FIRST_SLOT_COUNT);
}

void tacho_index_deinit(tacho_index *index)
{
    free(index->slots);
    *index = (tacho_index){0};
}

static void place(tacho_index *index, tacho_index_slot slot)
{
    size_t at = slot.hash & index->slot_mask;
    while (index->slots[at].id != TACHO_NONE) {
        at = (at + 1) & index->slot_mask;
    }
    index->slots[at] = slot;
}

static tacho_status double_slots(tacho_index *index)
{
    tacho_index_slot *old_slots = index->slots;
    size_t old_count = index->slot_mask + 1;
    TACHO_TRY(allocate_slots(index, old_count * 2));
    for (size_t i = 0; i < old_count; i++) {
        if (old_slots[i].id != TACHO_NONE) {
            place(index, old_slots[i]);
        }
    }
    free(old_slots);
    return TACHO_OK;
}

tacho_status tacho_index_add(tacho_index *index, uint32_t hash, uint32_t id)
{
    if ((index->used_count + 1) * 2 > index->slot_mask + 1) {
        TACHO_TRY(double_slots(index));
    }
    place(index, (tacho_index_slot){hash, id});
    index->used_count++;
    return TACHO_OK;
}

/* Empties a slot and moves up later ones that would not be found past a free one. */
static void take_out(tacho_index *index, size_t hole)
{
    size_t mask = index->slot_mask;
    for (size_t at = (hole + 1) & mask; index->slots[at].id != TACHO_NONE; at = (at + 1) & mask) {
        size_t home = index->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->slots[hole] = index->slots[at];
            hole = at;
        }
    }
    index->slots[hole].id = TACHO_NONE;
    index->used_count--;
}

/* All at once: nothing has to move up. */
static void clear(tacho_index *index)
{
    for (size_t at = 0; at <= index->slot_mask; at++) {
        index->slots[at] = (tacho_index_slot){0, TACHO_NONE};
    }
    index->used_count = 0;
}

void tacho_index_forget(tacho_index *index, uint32_t first_id)
{
    if (index->used_count == 0) {
        return;
    }
    if (first_id == 0) {
        clear(index);
        return;
    }
    for (size_t at = 0; at <= index->slot_mask; at++) {
        while (index->slots[at].id != TACHO_NONE && index->slots[at].id >= first_id) {
            take_out(index, at);
        }
    }
}

/* Folds the 128-bit product of two words: every input bit reaches every output bit. */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
    tacho_u128 product = (tacho_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load64(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t load32(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Fewer than eight bytes, at least one, as one word; the length is mixed apart. */
static inline uint64_t load_few(const char *bytes, size_t len)
{
    if (len >= 4) {
        return load32(bytes) | load32(bytes + len - 4) << 32;
    }
    const unsigned char *at = (const unsigned char *)bytes;
    return at[0] | (uint64_t)at[len / 2] << 8 | (uint64_t)at[len - 1] << 16;
}

/* Mixes the two words of 16 bytes into the state. */
static inline uint64_t mix_block(uint64_t state, uint64_t second, const char *block)
{
    return mix(state ^ load64(block), second ^ load64(block + 8));
}

/*
 * Sixteen bytes a round. Both factors hold something of the seed, lest crafted bytes make one of
 * them zero and with that everything before them forgotten. Blocks overlap where the length is no
 * multiple: how many bytes are left no processor can guess, so few branches hang on it.
 */
uint32_t tacho_index_hash(const tacho_index *index, tacho_str bytes)
{
    const uint64_t odd_a = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    const uint64_t odd_b = 0xd1342543de82ef95u; /* a multiplier with good spectral figures */
    uint64_t second = (index->seed << 32 | index->seed >> 32) ^ odd_a;
    uint64_t state = index->seed ^ (bytes.len * odd_b);
    const char *at = bytes.data; /* NULL, of no bytes */
    if (bytes.len > 16) {
        const char *last = at + bytes.len - 16;
        for (; last - at > 48; at += 16) {
            state = mix_block(state, second, at);
        }
        state = mix_block(state, second, at);
        if (last - at > 16) {
            state = mix_block(state, second, at + 16);
            state = mix_block(state, second, last - at > 32 ? at + 32 : last);
        }
        state = mix_block(state, second, last);
    } else if (bytes.len >= 8) {
        state = mix(state ^ load64(at), second ^ load64(at + bytes.len - 8));
    } else if (bytes.len > 0) {
        state = mix(state ^ load_few(at, bytes.len), second);
    }
    state = mix(state, odd_b);
    return (uint32_t)(state ^ (state >> 32));
}
