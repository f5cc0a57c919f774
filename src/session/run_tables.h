/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of what a run recorded, as tables.
 */
#ifndef TACHO_SESSION_RUN_TABLES_H
#define TACHO_SESSION_RUN_TABLES_H

#include "session/run_profile.h"
#include "session/run.h"
#include "profile/select.h"
#include "table/table.h"

/* How busy the engines were in |first|, the first recorded inference. Call deinit even if this
 * fails. */
tacho_status tacho_run_overview_table(const tacho_run_session *session,
                                      const tacho_run_profile *first,
                                      tacho_table *out_table) TACHO_MUST_USE;

/* Which operators. */
typedef struct tacho_run_ops_choice {
    size_t top;               /* at most; 0: all */
    tacho_name_filter filter; /* accepts is NULL: all */
} tacho_run_ops_choice;

/* Operators of all recorded inferences, of which |first| is the first. Call deinit even if this
 * fails. */
tacho_status tacho_run_ops_table(const tacho_run_session *session, const tacho_run_profile *first,
                                 const tacho_run_ops_choice *choice,
                                 tacho_table *out_table) TACHO_MUST_USE;

#endif
