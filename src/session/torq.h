/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known before a run that shall be written as Torq's runtime would: whether it can be.
 */
#ifndef TACHO_SESSION_TORQ_H
#define TACHO_SESSION_TORQ_H

#include "session/session.h"

/* USAGE where the program is for a machine whose runtime writes no such files. */
tacho_status tacho_run_torq_check(const tacho_run_session *session) TACHO_MUST_USE;

/*
 * tacho_run_check_output for a file of Torq's at |path|, and for the note that says of a simulated
 * one what it is; NULL is fine.
 */
tacho_status tacho_run_torq_check_output(tacho_run_session *session,
                                         const char *path) TACHO_MUST_USE;

#endif
