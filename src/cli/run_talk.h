/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees while a program runs, and how it ends.
 */
#ifndef TACHO_CLI_RUN_TALK_H
#define TACHO_CLI_RUN_TALK_H

#include "session/session.h"

/* tacho_run_open, and notes on what the file is that could not be compiled. */
tacho_status tacho_run_talk_open(tacho_run_session *session,
                                 const tacho_run_request *request) TACHO_MUST_USE;

/* Runs the inferences, with a line of progress where standard error is a terminal. */
tacho_status tacho_run_talk_go(tacho_run_session *session) TACHO_MUST_USE;

/* Prints |status|, closes the session, and returns the exit code of the command. */
int tacho_run_talk_close(tacho_run_session *session, tacho_status status, bool is_lossy);

#endif
