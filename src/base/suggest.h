/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean": the known name that is nearest to the typed one.
 */
#ifndef TACHO_BASE_SUGGEST_H
#define TACHO_BASE_SUGGEST_H

#include "base/str.h"

/* Fill |typed|, offer names, read |name|: NULL when none is near. */
typedef struct tacho_suggestion {
    tacho_str typed;
    const char *name;
    size_t distance; /* of |name|: letters to insert, delete or replace */
} tacho_suggestion;

void tacho_suggestion_offer(tacho_suggestion *suggestion, const char *name);

#endif
