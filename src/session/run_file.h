/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a run's recording goes to: a trace, or a file of a vendor's runtime.
 */
#ifndef TACHO_SESSION_RUN_FILE_H
#define TACHO_SESSION_RUN_FILE_H

#include "session/run.h"
#include "sinks/trace_sink.h"

/* A file of a vendor's runtime; rooms above have them. */
typedef struct tacho_run_file_format {
    /* Before inferences run: whether there will be something to write, and |path| can take it. */
    tacho_status (*check)(tacho_run_session *session, const char *path);
    tacho_status (*write)(const tacho_recording *recording, const char *path);
    const char
        *sole_note; /* for a format that holds one inference of several; NULL: it holds all */
    /* Adds what readers of the file at |path| should know of it. */
    void (*note)(const tacho_run_session *session, const char *path);
} tacho_run_file_format;

typedef struct tacho_run_profile_file {
    const char *path;             /* NULL: none is wanted */
    const tacho_trace_sink *sink; /* or NULL: */
    const tacho_run_file_format *format;
} tacho_run_profile_file;

/* Before inferences run: whether there will be something to write, and where it can be written. */
tacho_status tacho_run_profile_file_check(const tacho_run_profile_file *file,
                                          tacho_run_session *session) TACHO_MUST_USE;

tacho_status tacho_run_profile_file_write(const tacho_run_profile_file *file,
                                          const tacho_run_session *session) TACHO_MUST_USE;

/* Notes what was written. */
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
