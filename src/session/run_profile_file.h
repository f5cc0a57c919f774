/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a run's recording goes to: a trace, or one of the files that Torq's runtime writes.
 */
#ifndef TACHO_SESSION_RUN_PROFILE_FILE_H
#define TACHO_SESSION_RUN_PROFILE_FILE_H

#include "session/session.h"
#include "sinks/torq/runtime.h"
#include "sinks/trace_sink.h"

typedef struct tacho_run_profile_file {
    const char *path;             /* NULL: none is wanted */
    const tacho_trace_sink *sink; /* NULL: a Torq file */
    tacho_run_torq_form torq_form;
} tacho_run_profile_file;

/* Before inferences run: whether there will be something to write, and where it can be written. */
tacho_status tacho_run_profile_file_check(const tacho_run_profile_file *file,
                                          tacho_run_session *session) TACHO_MUST_USE;

tacho_status tacho_run_profile_file_write(const tacho_run_profile_file *file,
                                          const tacho_run_session *session) TACHO_MUST_USE;

/* Tells the notes of the run what was written; Torq's older forms are of one inference. */
void tacho_run_profile_file_say(const tacho_run_profile_file *file,
                                const tacho_run_session *session);

/* Writes and says it when a second interrupt ends a run; |user| is a tacho_run_rescued. */
typedef struct tacho_run_rescued {
    const tacho_run_profile_file *file;
    const tacho_run_session *session;
    tacho_status status; /* what became of it, for the caller */
} tacho_run_rescued;
void tacho_run_profile_file_rescue(tacho_run_rescued *rescued);

#endif
