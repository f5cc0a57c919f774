/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run from its request to its files and tables, in the manner of one tool: tacho's own here,
 * those of vendors in rooms above. The caller opens the session, calls |check|, runs the inferences
 * and calls |finish|; messages go to the request's notes.
 */
#ifndef TACHO_SESSION_RUN_JOB_H
#define TACHO_SESSION_RUN_JOB_H

#include "session/run_outputs.h"
#include "session/run_file.h"
#include "session/run_report.h"

typedef struct tacho_run_job {
    const tacho_run_request *request;
    const char *wants; /* what a file must be that cannot be read: "must be ..."; or NULL */
    /* Refuses what would be found only at the end. */
    tacho_status (*check)(void *self, tacho_run_session *session);
    /* Writes files and tables. */
    tacho_status (*finish)(void *self, tacho_run_session *session, bool *out_is_lossy);
    void *self;
} tacho_run_job;

/* As tacho does it. */
typedef struct tacho_run_whole {
    tacho_run_request request;
    tacho_run_report report;
    tacho_run_outputs outputs;
    tacho_run_profile_file profile;
    bool has_top; /* so many operators are asked for */
    tacho_run_rescued rescued;
} tacho_run_whole;

tacho_run_job tacho_run_whole_job(tacho_run_whole *whole);

#endif
