/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a file to strings of the dictionary. The same few texts repeat, so a small table of the
 * latest ones stands before the dictionary: a hit costs one comparison.
 *
 * Texts are in the buffer of the JSON reader, where some more bytes after the text are readable;
 * that spares the branches on their length. CHROME_TEXT makes such a text of a literal.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_TEXTS_H
#define TACHO_SOURCES_CHROME_CHROME_TEXTS_H

#include "base/attributes.h"
#include "codec/json_reader.h"
#include "profile/events.h"
#include "sources/chrome/chrome_keys.h"

#include <assert.h>

enum {
    CHROME_TEXT_SLOT_BITS = 11,
    CHROME_VALUE_BYTES_MAX = 64,    /* longer values are text of their row */
    CHROME_VALUE_COUNT_MAX = 65536, /* number of different values that the dictionary takes */
    CHROME_TEXT_MANY = 8192,        /* strings, of which the index fills a small cache */
};

#define CHROME_TEXT(literal) tacho_str_make(literal "\0\0\0\0\0\0\0", sizeof(literal) - 1)

/* The first and the last eight bytes of a text; a shorter one is in both, filled up with zeros. */
typedef struct chrome_text_ends {
    uint64_t first, last;
} chrome_text_ends;

/* All zero: the empty string, which has id 0. */
typedef struct chrome_text_slot {
    chrome_text_ends ends;
    const char *data; /* in the dictionary */
    uint32_t len;
    uint32_t id;
} chrome_text_slot;

typedef struct chrome_texts {
    tacho_dict *dict;
    size_t value_count;  /* strings that exist for values of arguments only */
    bool has_wide_names; /* brackets in names of arguments are wide (profile/facts.h) */
    chrome_text_slot slots[1 << CHROME_TEXT_SLOT_BITS];
    chrome_keys keys; /* of objects that are read without tokens */
} chrome_texts;

/* The general case of chrome_texts_fetch. */
void chrome_texts_fetch_slot(const chrome_texts *texts, tacho_str text);

/* Prefetches the table entry of |text|, for a table larger than the caches. */
static inline void chrome_texts_fetch(const chrome_texts *texts, tacho_str text)
{
    if (TACHO_UNLIKELY(texts->dict->strings.item_count >= CHROME_TEXT_MANY)) {
        chrome_texts_fetch_slot(texts, text);
    }
}

static inline uint64_t chrome_load_8(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static_assert(TACHO_JSON_READABLE_BYTES >= sizeof(uint64_t), "a word of any text can be read");

static inline chrome_text_ends chrome_text_ends_of(tacho_str text)
{
    uint64_t mask = UINT64_MAX;
    if (text.len < sizeof(mask)) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        mask = ~(mask >> 8 * text.len);
#else
        mask = ~(mask << 8 * text.len);
#endif
    }
    size_t last = text.len > sizeof(mask) ? text.len - sizeof(mask) : 0;
    return (chrome_text_ends){chrome_load_8(text.data) & mask,
                              chrome_load_8(text.data + last) & mask};
}

/* A cheap hash to choose a slot. */
static inline size_t chrome_text_hash(chrome_text_ends ends, size_t len)
{
    uint64_t bits = (ends.first + len) * 0x9e3779b97f4a7c15u + ends.last * 0xd1342543de82ef95u;
    return (size_t)(bits >> (64 - CHROME_TEXT_SLOT_BITS));
}

static inline bool chrome_text_slot_is(const chrome_text_slot *slot, tacho_str text,
                                       chrome_text_ends ends)
{
    uint64_t difference = (slot->ends.first ^ ends.first) | (slot->ends.last ^ ends.last);
    return (difference | (slot->len ^ text.len)) == 0 &&
           (text.len <= 2 * sizeof(ends.first) ||
            memcmp(slot->data + 8, text.data + 8, text.len - 16) == 0);
}

/* Looks in the dictionary and remembers |text| in |slot|. */
tacho_status chrome_texts_ensure_slow(chrome_texts *texts, tacho_str text, chrome_text_slot *slot,
                                      uint32_t *out_id) TACHO_MUST_USE;

/* The string |text|. */
TACHO_MUST_USE static inline tacho_status chrome_texts_ensure(chrome_texts *texts, tacho_str text,
                                                              uint32_t *out_id)
{
    chrome_text_ends ends = chrome_text_ends_of(text);
    chrome_text_slot *slot = &texts->slots[chrome_text_hash(ends, text.len)];
    if (TACHO_LIKELY(chrome_text_slot_is(slot, text, ends))) {
        *out_id = slot->id;
        return TACHO_OK;
    }
    return chrome_texts_ensure_slow(texts, text, slot, out_id);
}

/* The general case of chrome_texts_ensure_name. */
tacho_status chrome_texts_ensure_wide_name(chrome_texts *texts, tacho_str name,
                                           uint32_t *out_id) TACHO_MUST_USE;

/* The string |name|, that of an argument. */
TACHO_MUST_USE static inline tacho_status chrome_texts_ensure_name(chrome_texts *texts,
                                                                   tacho_str name, uint32_t *out_id)
{
    return TACHO_UNLIKELY(texts->has_wide_names)
               ? chrome_texts_ensure_wide_name(texts, name, out_id)
               : chrome_texts_ensure(texts, name, out_id);
}

/* The general case of chrome_texts_set_value; |slot| is NULL for a text that is too long. */
tacho_status chrome_texts_set_value_slow(chrome_texts *texts, tacho_str text,
                                         chrome_text_slot *slot, tacho_arg *arg) TACHO_MUST_USE;

/* Makes |text| the value of |arg|: a string while there is room for more of them, else text. */
TACHO_MUST_USE static inline tacho_status chrome_texts_set_value(chrome_texts *texts,
                                                                 tacho_str text, tacho_arg *arg)
{
    if (TACHO_UNLIKELY(text.len > CHROME_VALUE_BYTES_MAX)) {
        return chrome_texts_set_value_slow(texts, text, NULL, arg);
    }
    chrome_text_ends ends = chrome_text_ends_of(text);
    chrome_text_slot *slot = &texts->slots[chrome_text_hash(ends, text.len)];
    if (TACHO_UNLIKELY(!chrome_text_slot_is(slot, text, ends))) {
        return chrome_texts_set_value_slow(texts, text, slot, arg);
    }
    arg->type = TACHO_ARG_STRING;
    arg->value.as_string = slot->id;
    return TACHO_OK;
}

#endif
