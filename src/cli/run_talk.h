/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees while a program runs.
 */
#ifndef TACHO_CLI_RUN_TALK_H
#define TACHO_CLI_RUN_TALK_H

#include "session/session.h"

/* tacho_run_open, and notes on what the file is that could not be compiled. */
tacho_status tacho_run_talk_open(tacho_run_session *session,
                                 const tacho_run_request *request) TACHO_MUST_USE;

/* Runs the inferences, with a line of progress where standard error is a terminal. */
tacho_status tacho_run_talk_go(tacho_run_session *session) TACHO_MUST_USE;

/* Says once that simulated times are no measurements, and what the device cannot record. */
void tacho_run_say_device(const tacho_run_session *session);

/* Says how many inputs were random, if any; |has_seed|: and by which option to choose others. */
void tacho_run_say_random(const tacho_run_session *session, bool has_seed);

/* Says how the file of a simulated run at |path| is told from one that was measured. */
void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path);

#endif
