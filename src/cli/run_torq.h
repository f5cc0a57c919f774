/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as Torq's runtime writes it: what the host did with the blocks of the program (its NSS
 * programs), in microseconds. Action and job numbers are those of the program, so that the files
 * join with its debug information.
 */
#ifndef TACHO_CLI_RUN_TORQ_H
#define TACHO_CLI_RUN_TORQ_H

#include "session/session.h"
#include "table/table.h"

typedef enum tacho_run_torq_form {
    TACHO_RUN_R0, /* a row per job, when it was waited for */
    TACHO_RUN_R1, /* two rows per action of the host, with quoted locations */
    TACHO_RUN_R2, /* the same by dispatch and invocation, with their phases */
} tacho_run_torq_form;

/* "r0", "r1", "r2"; false when it is none. */
bool tacho_run_torq_form_find(const char *name, tacho_run_torq_form *out_form);

/*
 * Writes the recorded inferences of |session|; R0 and R1, which are one inference's, the first of
 * them. Times of the host are those of the device: it adds nothing of its own.
 */
tacho_status tacho_run_torq_write(const tacho_run_session *session, tacho_run_torq_form form,
                                  tacho_output *output) TACHO_MUST_USE;

/* How many of them that is. */
size_t tacho_run_torq_count(const tacho_run_session *session, tacho_run_torq_form form);

/* The same to the file |path|. */
tacho_status tacho_run_torq_write_file(const tacho_run_session *session, tacho_run_torq_form form,
                                       const char *path) TACHO_MUST_USE;

/*
 * tacho_run_check_output for a file of Torq's at |path|, and for the note that says of a simulated
 * one what it is; NULL is fine.
 */
tacho_status tacho_run_torq_check_output(tacho_run_session *session,
                                         const char *path) TACHO_MUST_USE;

/* USAGE where the program is for a machine whose runtime writes no such files. */
tacho_status tacho_run_torq_check(const tacho_run_session *session) TACHO_MUST_USE;

/* Says how the file of a simulated run at |path| is told from one that was measured. */
void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path);

/* One row per block of the first recorded inference: when it ran, and for how long. */
tacho_status tacho_run_blocks_table(const tacho_run_session *session,
                                    tacho_table *out_table) TACHO_MUST_USE;

#endif
