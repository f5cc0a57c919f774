/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which op of tt-metal a zone belongs to.
 */
#ifndef TACHO_PROFILE_TRACY_RUNS_H
#define TACHO_PROFILE_TRACY_RUNS_H

#include "profile/tracy_rows.h"

/* The run of the op that |span| names; TACHO_NONE where it names none. */
tacho_status tacho_tracy_rows_find_run(tacho_tracy_rows *rows, const tacho_tracy_span *span,
                                       uint32_t *out_run) TACHO_MUST_USE;

#endif
