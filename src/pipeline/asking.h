/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking an analysis of events about files, and writing its tables. Of several inputs, those that
 * cannot be read are skipped and the rest is shown. Once one breaks off while it is read, those
 * behind it are tried, and all that are good are read once more.
 */
#ifndef TACHO_PIPELINE_ASKING_H
#define TACHO_PIPELINE_ASKING_H

#include "questions/analysis.h"
#include "pipeline/agreement.h"
#include "pipeline/intake.h"
#include "sinks/table_sink.h"

typedef struct tacho_asking {
    tacho_intake *intake; /* of |inputs|, which become fewer */
    tacho_intake_input *inputs;
    const tacho_selection *selection;
    const tacho_analysis *analysis;
    const void *options; /* of the analysis */
    /* Asked as well, without options: the tables of one come first, those of the other last, if
     * they have rows. (optional) */
    const tacho_analysis *verdict, *also;
    /* Of two inputs of different origin, how they agree comes behind that. (optional) */
    const tacho_agreement_options *agreement;
    tacho_table_target to;
    bool is_strict; /* an input that cannot be read, or a loss, is a failure */
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
    /* What became of it. */
    size_t skipped_count, diverted_count;
    /* While it runs. */
    bool is_alone;  /* there is one input only */
    size_t current; /* the input that is read */
} tacho_asking;

/* Reads and writes; |dict| is empty, and says what was lost. */
tacho_status tacho_asking_run(tacho_asking *asking, tacho_dict *dict) TACHO_MUST_USE;

#endif
