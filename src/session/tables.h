/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of what a run recorded, as tables.
 */
#ifndef TACHO_SESSION_TABLES_H
#define TACHO_SESSION_TABLES_H

#include "session/profile.h"
#include "session/session.h"
#include "table/table.h"

/* How busy the engines were in |first|, the first recorded inference. deinit in any case. */
tacho_status tacho_run_overview_table(const tacho_run_session *session,
                                      const tacho_run_profile *first,
                                      tacho_table *out_table) TACHO_MUST_USE;

/*
 * The |top| operators (0: all) of all recorded inferences, of which |first| is the first. deinit in
 * any case.
 */
tacho_status tacho_run_ops_table(const tacho_run_session *session, const tacho_run_profile *first,
                                 size_t top, tacho_table *out_table) TACHO_MUST_USE;

#endif
