/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees while a program runs, and how it ends.
 */
#ifndef TACHO_API_REQUESTS_RUN_TALK_H
#define TACHO_API_REQUESTS_RUN_TALK_H

#include "api/requests/request.h"
#include "session/run_job.h"

/* Runs |job|, with a line of progress where standard error is a terminal; an exit code. */
int tacho_run_talk(tacho_request *given, const tacho_run_job *job);

#endif
