/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking an analysis of events about files, for every door: its tables go to a file or to the
 * caller, in between a verdict, processes and agreement where a format tells tables apart. Of
 * several inputs, those that cannot be read are skipped and the rest is shown. If one breaks off
 * while it is read, those after it are tried, and all that are good are read once more.
 */
#ifndef TACHO_PIPELINE_ASK_H
#define TACHO_PIPELINE_ASK_H

#include "questions/analysis.h"
#include "pipeline/agreement.h"
#include "pipeline/intake.h"
#include "sinks/table_sink.h"

typedef struct tacho_ask {
    tacho_intake *intake; /* of |inputs|, which become fewer */
    tacho_intake_input *inputs;
    const tacho_selection *selection;
    const tacho_analysis *analysis;
    const void *options; /* of the analysis */
    /* Asked as well, without options, if the format tells tables apart: the tables of one are
     * first, those of the other last, if they have rows. (optional) */
    const tacho_analysis *verdict, *also;
    /* If two inputs differ in origin, how they agree follows that. (optional) */
    const tacho_agreement_options *agreement;
    tacho_table_target to;
    bool is_strict;           /* an input that cannot be read, or a loss, is a failure */
    bool fails_for_input;     /* one that cannot be read is a failure, a loss is none */
    bool adds_losses;         /* a table of what could not be read ends the others */
    bool shows_losses;        /* the tables of the analysis have them: there are no notes */
    bool says_inputs;         /* as notes: what was read of each */
    const tacho_notes *notes; /* of losses and of selections that leave nothing (optional) */
    /* Reads an input that is no profile, if it is for the caller. (optional: all are profiles) */
    tacho_status (*divert)(void *user, const char *path, bool *out_is_diverted);
    /* All is read, nothing is written. (optional: nothing to check) */
    tacho_status (*check)(void *user);
    /* Adds tables of what is no profile. (optional: there are none) */
    tacho_status (*write)(void *user, const tacho_table_taker *to);
    /* Takes over why an input is skipped. (optional) */
    void (*skip)(void *user, const tacho_intake *only, tacho_status status);
    /* Reading is over, or something is about to be said. (optional) */
    void (*pause)(void *user);
    void *user;
    /* Results. */
    size_t skipped_count, diverted_count;
    bool has_losses;
    /* While it runs. */
    bool is_alone;     /* there is one input only */
    bool tells_tables; /* its format does */
    size_t current;    /* the input that is read */
} tacho_ask;

/* Reads and writes. Results are set even after a failure. */
tacho_status tacho_ask_run(tacho_ask *ask) TACHO_MUST_USE;

#endif
