/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as qaic-runner does it: prints rates, and writes the files of each type of profile.
 */
#ifndef TACHO_VENDORS_QAIC_RUN_QAIC_H
#define TACHO_VENDORS_QAIC_RUN_QAIC_H

#include "session/run_job.h"
#include "vendors/qaic/qaic_files.h"

typedef struct tacho_qaic_run {
    tacho_run_request request;
    tacho_qaic_files files;
    tacho_arena arena;
} tacho_qaic_run;

tacho_run_job tacho_qaic_run_job(tacho_qaic_run *runner);

#endif
