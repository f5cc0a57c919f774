/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as Torq's runtime writes it: what the host did with the blocks of the program (its NSS
 * programs), in microseconds. Action and job numbers are those of the program, so that the files
 * join with its debug information.
 */
#ifndef TACHO_SINKS_TORQ_RUNTIME_H
#define TACHO_SINKS_TORQ_RUNTIME_H

#include "base/output.h"
#include "program/recording.h"

typedef enum tacho_run_torq_form {
    TACHO_RUN_R0, /* a row per job, when it was waited for */
    TACHO_RUN_R1, /* two rows per action of the host, with quoted locations */
    TACHO_RUN_R2, /* the same by dispatch and invocation, with their phases */
} tacho_run_torq_form;

/* "r0", "r1", "r2"; false when it is none. */
bool tacho_run_torq_form_find(const char *name, tacho_run_torq_form *out_form);

/*
 * Writes the recorded inferences of |recording|; R0 and R1, which are one inference's, the first of
 * them. Times of the host are those of the device: it adds nothing of its own.
 */
tacho_status tacho_run_torq_write(const tacho_recording *recording, tacho_run_torq_form form,
                                  tacho_output *output) TACHO_MUST_USE;

/* How many of |sample_count| that is. */
size_t tacho_run_torq_count(tacho_run_torq_form form, size_t sample_count);

/* The same to the file |path|. */
tacho_status tacho_run_torq_write_file(const tacho_recording *recording, tacho_run_torq_form form,
                                       const char *path) TACHO_MUST_USE;

#endif
