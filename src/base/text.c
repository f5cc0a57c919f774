/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grows with its pieces; never shrinks.
 */
#include "base/text.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_text_deinit(tacho_text *text)
{
    free(text->items);
    *text = (tacho_text){0};
}

tacho_status tacho_text_put(tacho_text *text, tacho_str piece)
{
    TACHO_TRY(tacho_grow(&text->items, &text->item_capacity, text->item_count + piece.len + 1));
    if (piece.len > 0) {
        memcpy(text->items + text->item_count, piece.data, piece.len);
    }
    text->item_count += piece.len;
    return TACHO_OK;
}

tacho_str tacho_text_take(tacho_text *text)
{
    tacho_str whole = tacho_str_make(text->item_count > 0 ? text->items : "", text->item_count);
    text->item_count = 0;
    return whole;
}
