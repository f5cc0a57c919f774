/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a file to strings of the dictionary. The same few come over and over, so a small table
 * of the latest stands before the dictionary: a hit costs one comparison.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_TEXTS_H
#define TACHO_SOURCES_CHROME_CHROME_TEXTS_H

#include "base/attributes.h"
#include "profile/events.h"

enum {
    CHROME_TEXT_SLOT_BITS = 11,
    CHROME_VALUE_BYTES_MAX = 64,    /* longer values are text of their row */
    CHROME_VALUE_COUNT_MAX = 65536, /* so many different values the dictionary takes */
};

/* All zero is the empty string, which is id 0. */
typedef struct chrome_text_slot {
    const char *data; /* in the dictionary */
    uint32_t len;
    uint32_t id;
} chrome_text_slot;

typedef struct chrome_texts {
    tacho_dict *dict;
    size_t value_count; /* strings that exist for values of arguments only */
    chrome_text_slot slots[1 << CHROME_TEXT_SLOT_BITS];
} chrome_texts;

static inline uint64_t chrome_load_8(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t chrome_load_4(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* A hash of some of the bytes: good enough to choose a slot. */
static inline size_t chrome_text_hash(tacho_str text)
{
    uint64_t bits = text.len;
    if (text.len >= 8) {
        bits ^= chrome_load_8(text.data) * 0x9e3779b97f4a7c15u;
        bits += chrome_load_8(text.data + text.len / 2 - 4);
        bits ^= chrome_load_8(text.data + text.len - 8) << 1;
    } else if (text.len >= 4) {
        bits ^= chrome_load_4(text.data) << 32 | chrome_load_4(text.data + text.len - 4);
    } else if (text.len > 0) {
        bits ^= (uint64_t)(unsigned char)text.data[0] << 40 |
                (uint64_t)(unsigned char)text.data[text.len / 2] << 24 |
                (uint64_t)(unsigned char)text.data[text.len - 1] << 8;
    }
    return (size_t)(bits * 0xd1342543de82ef95u >> (64 - CHROME_TEXT_SLOT_BITS));
}

static inline bool chrome_text_slot_is(const chrome_text_slot *slot, tacho_str text)
{
    return slot->len == text.len && (text.len == 0 || memcmp(slot->data, text.data, text.len) == 0);
}

/* Looks in the dictionary and remembers |text| in |slot|. */
tacho_status chrome_texts_ensure_slow(chrome_texts *texts, tacho_str text, chrome_text_slot *slot,
                                      uint32_t *out_id) TACHO_MUST_USE;

/* The string |text|. */
TACHO_MUST_USE static inline tacho_status chrome_texts_ensure(chrome_texts *texts, tacho_str text,
                                                              uint32_t *out_id)
{
    chrome_text_slot *slot = &texts->slots[chrome_text_hash(text)];
    if (TACHO_LIKELY(chrome_text_slot_is(slot, text))) {
        *out_id = slot->id;
        return TACHO_OK;
    }
    return chrome_texts_ensure_slow(texts, text, slot, out_id);
}

/* Makes |text| the value of |arg|: a string while there is room for more of them, else text. */
tacho_status chrome_texts_set_value(chrome_texts *texts, tacho_str text,
                                    tacho_arg *arg) TACHO_MUST_USE;

#endif
