/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena for the bytes, an array for the views, an index to find them.
 */
#include "base/strings.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_strings_init(tacho_strings *strings)
{
    *strings = (tacho_strings){0};
    tacho_arena_init(&strings->arena);
    TACHO_TRY(tacho_index_init(&strings->index));
    uint32_t empty_id = 0;
    return tacho_strings_ensure(strings, TACHO_STR(""), &empty_id);
}

void tacho_strings_deinit(tacho_strings *strings)
{
    tacho_arena_deinit(&strings->arena);
    tacho_index_deinit(&strings->index);
    free(strings->items);
    *strings = (tacho_strings){0};
}

void tacho_strings_pack(tacho_strings *strings)
{
    free(strings->index.slots);
    strings->index.slots = NULL;
    tacho_grow_trim(&strings->items, &strings->item_capacity, strings->item_count);
}

static tacho_status unpack(tacho_strings *strings)
{
    tacho_status status = tacho_index_init(&strings->index);
    for (uint32_t id = 0; status == TACHO_OK && id < strings->item_count; id++) {
        uint32_t hash = tacho_index_hash(&strings->index, tacho_strings_get(strings, id));
        status = tacho_index_add(&strings->index, hash, id);
    }
    if (status != TACHO_OK) {
        tacho_strings_pack(strings); /* half an index would find half the strings */
    }
    return status;
}

static uint32_t find_packed(const tacho_strings *strings, tacho_str text)
{
    for (uint32_t id = 0; id < strings->item_count; id++) {
        if (tacho_str_equal(tacho_strings_get(strings, id), text)) {
            return id;
        }
    }
    return TACHO_NONE;
}

static uint32_t find_hashed(const tacho_strings *strings, tacho_str text, uint32_t hash)
{
    size_t at = tacho_index_begin(&strings->index, hash);
    for (;;) {
        uint32_t id = tacho_index_next(&strings->index, hash, &at);
        if (id == TACHO_NONE || tacho_str_equal(tacho_strings_get(strings, id), text)) {
            return id;
        }
    }
}

uint32_t tacho_strings_find(const tacho_strings *strings, tacho_str text)
{
    return strings->index.slots == NULL
               ? find_packed(strings, text)
               : find_hashed(strings, text, tacho_index_hash(&strings->index, text));
}

/* Copies |text| with its length before it and a NUL after it. */
static tacho_status copy(tacho_strings *strings, tacho_str text, const char **out_text)
{
    char *at = NULL;
    bool is_long = text.len >= TACHO_STRINGS_LONG;
    size_t before = is_long ? sizeof(text.len) + 1 : 1;
    TACHO_TRY(tacho_arena_alloc_bytes(&strings->arena, before + text.len + 1, &at));
    if (is_long) {
        memcpy(at, &text.len, sizeof(text.len));
    }
    at += before;
    at[-1] = (char)(unsigned char)(is_long ? TACHO_STRINGS_LONG : text.len);
    if (text.len > 0) {
        memcpy(at, text.data, text.len);
    }
    *out_text = at;
    return TACHO_OK;
}

tacho_status tacho_strings_ensure(tacho_strings *strings, tacho_str text, uint32_t *out_id)
{
    if (strings->index.slots == NULL) {
        TACHO_TRY(unpack(strings));
    }
    uint32_t hash = tacho_index_hash(&strings->index, text);
    *out_id = find_hashed(strings, text, hash);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    if (strings->item_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 distinct strings");
    }
    TACHO_TRY(tacho_grow(&strings->items, &strings->item_capacity, strings->item_count + 1));
    uint32_t id = (uint32_t)strings->item_count;
    TACHO_TRY(copy(strings, text, &strings->items[id]));
    TACHO_TRY(tacho_index_add(&strings->index, hash, id));
    strings->item_count++;
    *out_id = id;
    return TACHO_OK;
}
