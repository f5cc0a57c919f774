/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of events and of their arguments, as they are spelled: with quotes, the colon and the space
 * around it. A key is mostly followed by the same next key, so each remembers which one followed; a
 * single comparison then recognizes the next key.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_KEYS_H
#define TACHO_SOURCES_CHROME_CHROME_KEYS_H

#include "codec/json_runs.h"

enum {
    CHROME_KEY_SLOT_BITS = 8,
    CHROME_KEY_SLOTS = 1 << CHROME_KEY_SLOT_BITS,
    CHROME_KEY_BYTES = 32,
};

typedef struct chrome_spelling {
    char bytes[CHROME_KEY_BYTES];
    uint32_t len;      /* of |bytes|; 0 for a free slot */
    uint32_t text_len; /* of the key itself, without quotes */
    uint32_t field;    /* of an event: chrome_event_find_field */
    uint32_t id;       /* of its string, filled on first use; TACHO_NONE until then */
    uint32_t next[2];  /* which keys followed it, the latest first */
} chrome_spelling;

/* All zero: no keys known. */
typedef struct chrome_keys {
    chrome_spelling slots[CHROME_KEY_SLOTS];
    uint32_t last;            /* of |slots|: the last key taken */
    chrome_spelling long_key; /* one that no slot holds */
} chrome_keys;

/* Whether the text at |at| begins with the spelling of |key|. */
static inline bool chrome_spelling_is_at(const chrome_spelling *key, const char *at)
{
#if TACHO_JSON_SSE2
    __m128i front = _mm_cmpeq_epi8(tacho_json_load(at), tacho_json_load(key->bytes));
    __m128i back = _mm_cmpeq_epi8(tacho_json_load(at + 16), tacho_json_load(key->bytes + 16));
    uint64_t same = (uint64_t)(unsigned)_mm_movemask_epi8(front) |
                    (uint64_t)(unsigned)_mm_movemask_epi8(back) << 16;
    return (~same & ((UINT64_C(1) << key->len) - 1)) == 0 && key->len != 0;
#else
    return key->len != 0 && memcmp(at, key->bytes, key->len) == 0;
#endif
}

/* The general case of chrome_keys_take. */
chrome_spelling *chrome_keys_take_slow(chrome_keys *keys, char *at, char **out_value);

/*
 * The key at |at|, in the memory of a JSON reader, and the start of its value; NULL when there is
 * no key or it needs a closer look. Valid until the next one is taken.
 */
static inline chrome_spelling *chrome_keys_take(chrome_keys *keys, char *at, char **out_value)
{
    chrome_spelling *last = &keys->slots[keys->last];
    uint32_t next = last->next[0];
    if (TACHO_UNLIKELY(!chrome_spelling_is_at(&keys->slots[next], at))) {
        next = last->next[1];
        if (TACHO_UNLIKELY(!chrome_spelling_is_at(&keys->slots[next], at))) {
            return chrome_keys_take_slow(keys, at, out_value);
        }
        last->next[1] = last->next[0];
        last->next[0] = next;
    }
    keys->last = next;
    *out_value = tacho_json_skip_space(at + keys->slots[next].len);
    return &keys->slots[next];
}

#endif
