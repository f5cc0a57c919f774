/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings of a process, each once, in the first segment. A slot of the table is a hash and an id;
 * it is set when the string is complete, so who reads it with acquire may use it. Two threads that
 * add the same string at once may both write it: one of them is never found again, and wrong is
 * neither.
 */
#include "client/local.h"

#include <string.h>

enum { SLOT_TRIES = 64, ALIGN = 8 };

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* By words of 8 bytes: names of kernels have hundreds, and each record of one has its name. */
static uint32_t hash_of(const char *text, size_t len)
{
    uint64_t hash = len, word;
    for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        hash = mix(hash, word);
    }
    word = 0;
    for (size_t i = 0; i < len; i++) {
        word = word << 8 | (unsigned char)text[i];
    }
    return (uint32_t)mix(hash, word);
}

static _Atomic uint64_t *slots(void)
{
    return (_Atomic uint64_t *)(void *)((char *)tacho_client_process.segments[0] +
                                        TACHO_WIRE_AT_SLOTS);
}

static tacho_wire_entry *entry_at(uint32_t id)
{
    return (tacho_wire_entry *)(void *)((char *)tacho_client_process.segments[0] +
                                        TACHO_WIRE_AT_STRINGS + (size_t)id * ALIGN);
}

/* Room for an entry of |bytes|: its id, or TACHO_WIRE_NO_TEXT. */
static uint32_t take_room(size_t bytes)
{
    tacho_wire_header *header = client_header();
    size_t rounded = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    uint64_t at = atomic_load_explicit(&header->string_bytes, memory_order_relaxed);
    do {
        if (at + rounded > TACHO_WIRE_STRINGS) {
            atomic_fetch_add_explicit(&header->strings_lost, 1, memory_order_relaxed);
            return TACHO_WIRE_NO_TEXT;
        }
    } while (!atomic_compare_exchange_weak_explicit(&header->string_bytes, &at, at + rounded,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (uint32_t)(at / ALIGN);
}

static bool is_text(uint32_t id, const char *text, size_t len)
{
    const tacho_wire_entry *entry = entry_at(id);
    return entry->kind == TACHO_WIRE_TEXT && entry->len == len && memcmp(entry + 1, text, len) == 0;
}

static uint32_t add_text(const char *text, size_t len)
{
    uint32_t id = take_room(sizeof(tacho_wire_entry) + len);
    if (id != TACHO_WIRE_NO_TEXT) {
        tacho_wire_entry *entry = entry_at(id);
        memcpy(entry + 1, text, len);
        *entry = (tacho_wire_entry){TACHO_WIRE_TEXT, (uint32_t)len};
    }
    return id;
}

uint32_t tacho_client_intern(const char *text, size_t len)
{
    len = len < TACHO_WIRE_STRING_MAX ? len : TACHO_WIRE_STRING_MAX;
    if (len == 0) {
        return 0;
    }
    uint32_t hash = hash_of(text, len);
    uint32_t id = 0;
    for (uint32_t i = 0; i < SLOT_TRIES; i++) {
        _Atomic uint64_t *slot = &slots()[(hash + i) & (TACHO_WIRE_SLOTS - 1)];
        uint64_t found = atomic_load_explicit(slot, memory_order_acquire);
        if (found == 0) {
            id = id != 0 ? id : add_text(text, len);
            uint64_t mine = (uint64_t)hash << 32 | id;
            if (id == TACHO_WIRE_NO_TEXT ||
                atomic_compare_exchange_strong_explicit(slot, &found, mine, memory_order_release,
                                                        memory_order_acquire)) {
                return id;
            }
        }
        if ((uint32_t)(found >> 32) == hash && is_text((uint32_t)found, text, len)) {
            return (uint32_t)found;
        }
    }
    return id != 0 ? id : add_text(text, len); /* too many in this place: it is not found again */
}

static uint32_t intern_cstring(const char *text)
{
    return text != NULL ? tacho_client_intern(text, strlen(text)) : 0;
}

uint32_t tacho_client_intern_site(tacho_client_site *site, uint32_t generation)
{
    const tacho_wire_site made = {
        .entry = {TACHO_WIRE_SITE, sizeof(made) - sizeof(made.entry)},
        .name = intern_cstring(site->name),
        .category = intern_cstring(site->category),
        .file = intern_cstring(site->file),
        .line = site->line,
    };
    uint32_t id = take_room(sizeof(made));
    if (id != TACHO_WIRE_NO_TEXT) {
        memcpy(entry_at(id), &made, sizeof(made));
        __atomic_store_n(&site->id, (uint64_t)generation << 32 | id, __ATOMIC_RELEASE);
    }
    return id;
}
