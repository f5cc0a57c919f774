/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run from its request to what it leaves, in the way of one tool: tacho's own, Torq's runtime, or
 * Qualcomm's runner. Whoever runs it opens the session, calls |check|, runs the inferences and
 * calls |finish|; what there is to be said goes to the request's notes.
 */
#ifndef TACHO_SESSION_RUN_JOB_H
#define TACHO_SESSION_RUN_JOB_H

#include "session/qaic_files.h"
#include "session/run_outputs.h"
#include "session/run_profile_file.h"
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

/* As IREE's and Torq's run-module do it: prints results, and with profiles the time of each block.
 */
typedef struct tacho_module_run {
    tacho_run_request request;
    tacho_run_outputs outputs;
    tacho_run_profile_file jobs, host; /* of Torq's forms */
    bool is_torq;                      /* the program has to be */
} tacho_module_run;

tacho_run_job tacho_module_run_job(tacho_module_run *module);

/* As qaic-runner does it: prints rates, and writes what its types of profiling ask for. */
typedef struct tacho_qaic_run {
    tacho_run_request request;
    tacho_qaic_files files;
    tacho_arena arena;
} tacho_qaic_run;

tacho_run_job tacho_qaic_run_job(tacho_qaic_run *runner);

#endif
