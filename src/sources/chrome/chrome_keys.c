/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that do not follow the previous key as before.
 */
#include "sources/chrome/chrome_keys.h"

#include "sources/chrome/chrome_event.h"

enum { PROBE_COUNT = 8 };

/* The slot of the key |text| with the spelling at |at|; else a free slot, or one to reuse. */
static size_t find_slot(const chrome_keys *keys, tacho_str text, const char *at)
{
    size_t first = chrome_text_hash(chrome_text_ends_of(text), text.len) >>
                   (CHROME_TEXT_SLOT_BITS - CHROME_KEY_SLOT_BITS);
    for (size_t i = 0; i < PROBE_COUNT; i++) {
        size_t slot = (first + i) % CHROME_KEY_SLOTS;
        const chrome_spelling *key = &keys->slots[slot];
        if (key->len == 0 || (key->text_len == text.len && chrome_spelling_is_at(key, at))) {
            return slot;
        }
    }
    return first;
}

/* Fills in the entry of the key |text|, whose spelling is |spelled|. */
static void set_key(chrome_spelling *key, tacho_str text, tacho_str spelled)
{
    *key = (chrome_spelling){
        .len = (uint32_t)spelled.len,
        .text_len = (uint32_t)text.len,
        .field = chrome_event_find_field(text),
        .id = TACHO_NONE,
    };
    memcpy(key->bytes, spelled.data, spelled.len);
}

chrome_spelling *chrome_keys_take_slow(chrome_keys *keys, char *at, char **out_value)
{
    char *end = *at == '"' ? tacho_json_find_plain_end(at + 1) : NULL;
    char *colon = end != NULL ? tacho_json_skip_space(end + 1) : NULL;
    if (colon == NULL || *colon != ':') {
        return NULL;
    }
    *out_value = tacho_json_skip_space(colon + 1);
    tacho_str text = tacho_str_make(at + 1, (size_t)(end - at - 1));
    tacho_str spelled = tacho_str_make(at, (size_t)(*out_value - at));
    if (spelled.len > CHROME_KEY_BYTES) {
        set_key(&keys->long_key, text, tacho_str_make(at, 0));
        return &keys->long_key;
    }
    size_t slot = find_slot(keys, text, at);
    chrome_spelling *key = &keys->slots[slot];
    if (key->text_len != text.len || !chrome_spelling_is_at(key, at)) {
        set_key(key, text, spelled);
    }
    chrome_spelling *last = &keys->slots[keys->last];
    last->next[1] = last->next[0];
    last->next[0] = (uint32_t)slot;
    keys->last = (uint32_t)slot;
    return key;
}
