/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that the small table does not hold.
 */
#include "sources/chrome/chrome_texts.h"

#include "base/arena.h"
#include "profile/facts.h"

void chrome_texts_fetch_slot(const chrome_texts *texts, tacho_str text)
{
    const tacho_index *index = &texts->dict->strings.index;
    if (index->slots != NULL) {
        uint32_t hash = tacho_index_hash(index, text);
        __builtin_prefetch(&index->slots[tacho_index_begin(index, hash)]);
    }
    __builtin_prefetch(&texts->slots[chrome_text_hash(chrome_text_ends_of(text), text.len)]);
}

tacho_status chrome_texts_ensure_slow(chrome_texts *texts, tacho_str text, chrome_text_slot *slot,
                                      uint32_t *out_id)
{
    TACHO_TRY(tacho_dict_ensure_string(texts->dict, text, out_id));
    tacho_str kept = tacho_dict_string(texts->dict, *out_id);
    *slot = (chrome_text_slot){chrome_text_ends_of(text), kept.data, (uint32_t)kept.len, *out_id};
    return TACHO_OK;
}

/* The sink widens no name that has closing brackets alone. */
static bool has_wide_open(tacho_str name)
{
    while (name.len > 0 && !tacho_str_starts_with(name, TACHO_STR(TACHO_WIDE_OPEN))) {
        tacho_str rest = tacho_str_from(name, 1);
        name = tacho_str_from(rest, tacho_str_find_byte(rest, TACHO_WIDE_OPEN[0]));
    }
    return name.len > 0;
}

/*
 * Writes |name| with plain brackets for wide ones to |out|, which has room for it. Returns the
 * length.
 */
static size_t narrow(tacho_str name, char *out)
{
    size_t len = 0;
    while (name.len > 0) {
        bool is_open = tacho_str_starts_with(name, TACHO_STR(TACHO_WIDE_OPEN));
        bool is_wide = is_open || tacho_str_starts_with(name, TACHO_STR(TACHO_WIDE_CLOSE));
        out[len++] = is_open ? '[' : is_wide ? ']' : name.data[0];
        name = tacho_str_from(name, is_wide ? sizeof(TACHO_WIDE_OPEN) - 1 : 1);
    }
    return len;
}

tacho_status chrome_texts_ensure_wide_name(chrome_texts *texts, tacho_str name, uint32_t *out_id)
{
    if (!has_wide_open(name)) {
        return chrome_texts_ensure(texts, name, out_id);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    void *memory = NULL;
    tacho_status status = tacho_arena_alloc(&arena, name.len, &memory);
    if (status == TACHO_OK) {
        tacho_str narrowed = tacho_str_make(memory, narrow(name, memory));
        status = tacho_dict_ensure_string(texts->dict, narrowed, out_id);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status chrome_texts_set_value_slow(chrome_texts *texts, tacho_str text,
                                         chrome_text_slot *slot, tacho_arg *arg)
{
    uint32_t id = TACHO_NONE;
    arg->type = TACHO_ARG_TEXT;
    arg->value.as_text = text;
    if (slot != NULL && texts->value_count < CHROME_VALUE_COUNT_MAX) {
        size_t before = texts->dict->strings.item_count;
        TACHO_TRY(chrome_texts_ensure_slow(texts, text, slot, &id));
        texts->value_count += texts->dict->strings.item_count - before;
    } else if (slot != NULL) {
        id = tacho_strings_find(&texts->dict->strings, text);
    }
    if (id != TACHO_NONE) {
        arg->type = TACHO_ARG_STRING;
        arg->value.as_string = id;
    }
    return TACHO_OK;
}
