/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees while a program runs, and how it ends.
 */
#ifndef TACHO_CLI_RUN_TALK_H
#define TACHO_CLI_RUN_TALK_H

#include "session/run_job.h"

/* Runs |job|, with a line of progress where standard error is a terminal; an exit code. */
int tacho_run_talk(const tacho_run_job *job);

#endif
