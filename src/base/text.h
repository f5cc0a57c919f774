/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text that is put together from pieces, again and again in the same memory.
 *
 *     tacho_text text = {0};
 *     TACHO_TRY(tacho_text_put(&text, TACHO_STR("a")));
 *     tacho_str whole = tacho_text_take(&text);
 *     tacho_text_deinit(&text);
 */
#ifndef TACHO_BASE_TEXT_H
#define TACHO_BASE_TEXT_H

#include "base/status.h"
#include "base/str.h"

typedef struct tacho_text {
    char *items;
    size_t item_count, item_capacity;
} tacho_text;

void tacho_text_deinit(tacho_text *text);

tacho_status tacho_text_put(tacho_text *text, tacho_str piece) TACHO_MUST_USE;

/* Takes the assembled text, valid until the next piece, and starts afresh. */
tacho_str tacho_text_take(tacho_text *text);

#endif
