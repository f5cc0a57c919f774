/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run gives: its outputs' values, to files or printed.
 */
#ifndef TACHO_SESSION_RUN_OUTPUTS_H
#define TACHO_SESSION_RUN_OUTPUTS_H

#include "session/run.h"
#include "table/table.h"

/* Each of |texts|, for an output in turn: "@FILE", "-" to print it, "" for neither. */
typedef struct tacho_run_outputs {
    const char *const *texts;
    size_t text_count;
    uint64_t element_max; /* of one that is printed */
    /* Optional: what an output that is printed begins with, in place of "output 0 NAME: ". */
    void (*put_name)(size_t index, tacho_output *to);
} tacho_run_outputs;

/* Whether the texts fit the program; USAGE if not. */
tacho_status tacho_run_outputs_check(const tacho_run_outputs *outputs,
                                     tacho_run_session *session) TACHO_MUST_USE;

/* Writes those that go to files. */
tacho_status tacho_run_outputs_write(const tacho_run_outputs *outputs,
                                     const tacho_run_session *session) TACHO_MUST_USE;

/* Tells the notes of the run which files that were. */
void tacho_run_outputs_say(const tacho_run_outputs *outputs, const tacho_run_session *session);

/* Prints those that are not written, each on a line behind its name. */
tacho_status tacho_run_outputs_print(const tacho_run_outputs *outputs,
                                     const tacho_run_session *session,
                                     tacho_output *to) TACHO_MUST_USE;

#endif
