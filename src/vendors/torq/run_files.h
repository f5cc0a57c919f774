/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of Torq's runtime as formats of a run, and what is checked before a run that shall
 * write them.
 */
#ifndef TACHO_VENDORS_TORQ_RUN_FILES_H
#define TACHO_VENDORS_TORQ_RUN_FILES_H

#include "session/run_file.h"
#include "sinks/torq/runtime.h"

/* "r0", "r1", "r2"; NULL for other names. */
const tacho_run_file_format *tacho_run_torq_format_find(const char *name);

/* USAGE where the program is for a machine whose runtime writes no such files. */
tacho_status tacho_run_torq_check(const tacho_run_session *session) TACHO_MUST_USE;

/*
 * tacho_run_check_output for a file of Torq's at |path|, and for the note that says of a simulated
 * one what it is; NULL is fine.
 */
tacho_status tacho_run_torq_check_output(tacho_run_session *session,
                                         const char *path) TACHO_MUST_USE;

/* How the file of a simulated run at |path| differs from one that was measured. */
void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path);

#endif
