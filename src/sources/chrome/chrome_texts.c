/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the small table does not know.
 */
#include "sources/chrome/chrome_texts.h"

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
