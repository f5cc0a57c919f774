/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as Torq's runtime writes it: the host's work with the blocks of the program (its NSS
 * programs), in microseconds. Action and job numbers are those of the program, so that the files
 * join with its debug information.
 */
#ifndef TACHO_SINKS_TORQ_RUNTIME_H
#define TACHO_SINKS_TORQ_RUNTIME_H

#include "base/output.h"
#include "program/recording.h"

typedef enum tacho_run_torq_form {
    TACHO_RUN_R0, /* a row per job, at the end of the wait for it */
    TACHO_RUN_R1, /* two rows per action of the host, with quoted locations */
    TACHO_RUN_R2, /* likewise, by dispatch and invocation, with their phases */
} tacho_run_torq_form;

/* "r0", "r1", "r2"; false for other names. */
bool tacho_run_torq_form_find(const char *name, tacho_run_torq_form *out_form);

/* Like tacho_run_torq_write, to the file |path|. */
tacho_status tacho_run_torq_write_file(const tacho_recording *recording, tacho_run_torq_form form,
                                       const char *path) TACHO_MUST_USE;

#endif
