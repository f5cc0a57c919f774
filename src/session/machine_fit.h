/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of a machine's description fitted to a table of measured operators.
 */
#ifndef TACHO_SESSION_MACHINE_FIT_H
#define TACHO_SESSION_MACHINE_FIT_H

#include "base/notes.h"
#include "table/table.h"

enum { TACHO_FIT_FOLDS_DEFAULT = 5, TACHO_FIT_FOLDS_MAX = 20 };

typedef struct tacho_machine_fit_request {
    const char *machine;    /* name or file */
    const char *table_path; /* of what was measured */
    const char *constants;  /* paths with commas; NULL: those that the description lists */
    uint32_t folds;         /* for rows that are held out: each is, once */
    const char *out_path;   /* of the new description; NULL: none is written */
    const tacho_notes *notes;
} tacho_machine_fit_request;

/* What came of it: the numbers before and after, and the errors. */
typedef struct tacho_machine_fit_tables {
    tacho_table constants, errors;
} tacho_machine_fit_tables;

/*
 * Fits, and writes a new description where one is asked for; nothing else changes. A number that
 * the table does not determine is refused (USAGE), with those that it does; then, and when rows
 * that were held out are no better for it, nothing is written. Deinitialise the tables even after a
 * failure.
 */
tacho_status tacho_machine_fit(const tacho_machine_fit_request *request,
                               tacho_machine_fit_tables *out_tables) TACHO_MUST_USE;
void tacho_machine_fit_deinit(tacho_machine_fit_tables *tables);

#endif
