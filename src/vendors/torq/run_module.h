/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as the run-module tools of IREE and Torq do it: prints results and, with profiles, the time
 * of each block.
 */
#ifndef TACHO_VENDORS_TORQ_RUN_MODULE_H
#define TACHO_VENDORS_TORQ_RUN_MODULE_H

#include "session/run_job.h"
#include "sinks/torq/runtime.h"

typedef struct tacho_torq_run_file {
    const char *path; /* NULL: not wanted */
    tacho_run_torq_form torq_form;
} tacho_torq_run_file;

typedef struct tacho_module_run {
    tacho_run_request request;
    tacho_run_outputs outputs;
    tacho_torq_run_file jobs, host;
    bool is_torq; /* the program has to be */
} tacho_module_run;

tacho_run_job tacho_module_run_job(tacho_module_run *module);

#endif
