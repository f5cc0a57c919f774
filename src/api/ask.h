/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking an analysis of the registry about files. Rows stream through; should they turn out not to
 * be in order, all is done again, sorted.
 */
#ifndef TACHO_API_ASK_H
#define TACHO_API_ASK_H

#include "questions/analysis.h"
#include "api/request.h"
#include "api/tables.h"

typedef struct tacho_ask {
    const tacho_analysis *analysis; /* of events */
    const void *options;
    const char *const *paths;
    size_t path_count;
    const tacho_view_options *input; /* how to read them; NULL: as they are */
    bool adds_losses; /* a table of what could not be read, which it has not itself */
} tacho_ask;

/* Adds its tables to |tables|. */
tacho_status tacho_ask_files(const tacho_ask *ask, tacho_tables *tables) TACHO_MUST_USE;

#endif
