/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking an analysis about files as the options of a view say how to read them.
 */
#ifndef TACHO_API_VIEW_ASK_H
#define TACHO_API_VIEW_ASK_H

#include "questions/analysis.h"
#include "api/view_files.h"
#include "api/tables.h"

typedef struct tacho_view_ask {
    const tacho_analysis *analysis; /* of events */
    const void *options;
    const char *const *paths;
    size_t path_count;
    const tacho_view_options *input; /* how to read them; NULL: as they are */
    bool adds_losses; /* a table of what could not be read, unless the analysis has it */
} tacho_view_ask;

/*
 * Adds its tables to |tables|. Of several inputs, those that cannot be read are skipped if the
 * options have somebody to hear of it.
 */
tacho_status tacho_view_ask_run(const tacho_view_ask *ask, tacho_tables *tables) TACHO_MUST_USE;

#endif
