/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances between words, row by row.
 */
#include "base/suggest.h"

enum { LETTERS_MAX = 64, DISTANCE_MAX = 2, SHORT_LETTERS = 4 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete or replace to get from one to the other; neither is too long. */
static size_t distance_of(tacho_str a, tacho_str b)
{
    size_t row[LETTERS_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t replaced = corner + (a.data[i - 1] != b.data[j - 1] ? 1 : 0);
            corner = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.len];
}

void tacho_suggestion_offer(tacho_suggestion *suggestion, const char *name)
{
    tacho_str known = tacho_str_from_cstring(name);
    tacho_str typed = suggestion->typed;
    if (known.len > LETTERS_MAX || typed.len > LETTERS_MAX) {
        return;
    }
    size_t distance = distance_of(typed, known);
    size_t most = least(typed.len, known.len) < SHORT_LETTERS ? 1 : DISTANCE_MAX;
    if (distance <= most && distance < known.len &&
        (suggestion->name == NULL || distance < suggestion->distance)) {
        suggestion->name = name;
        suggestion->distance = distance;
    }
}
