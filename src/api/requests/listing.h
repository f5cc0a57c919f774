/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a verb that reads profiles and prints tables: inputs, sink, output, progress, losses,
 * exit code. A verb says which analysis it asks.
 * Of several inputs, those that cannot be read are named and skipped; the exit code says so.
 */
#ifndef TACHO_API_REQUESTS_LISTING_H
#define TACHO_API_REQUESTS_LISTING_H

#include "questions/analysis.h"
#include "pipeline/agreement.h"
#include "pipeline/intake.h"
#include "api/requests/outputs.h"
#include "api/requests/selection.h"
#include "api/requests/request.h"
#include "sinks/table_sink.h"

typedef struct tacho_listing {
    tacho_intake intake;
    tacho_request_selection selection;
    const tacho_table_sink *sink;
    const char *output_path;
    bool is_strict;
    bool is_quiet, is_verbose;
    bool has_problems; /* said already; the exit code shall tell */
    bool omits_advice;
    const void *options; /* of the verb's analysis, which |choose| may set */
    /* How two inputs agree, where outputs have several tables; |choose| may set it. */
    const tacho_agreement_options *agreement;
} tacho_listing;

/* Functions get the |self| that was given to tacho_listing_run. */
typedef struct tacho_listing_verb {
    /* Takes the verb's own options; false when one is wrong, and said so. (optional: has none) */
    bool (*choose)(void *self, tacho_request *given, tacho_listing *listing);
    /* Reads an input that is no profile, if it is for the verb. (optional: all are profiles) */
    tacho_status (*divert)(void *self, const tacho_listing *listing, const char *path,
                           bool *out_is_diverted);
    const tacho_analysis *analysis; /* of events: its tables are the listing's */
    /* Asked as well, for people and scripts that tell tables apart: its rows come last. (optional)
     */
    const tacho_analysis *also;
    bool has_verdict; /* what limits the devices comes first, unless --no-advice */
    /* All is read, nothing is written. (optional: nothing to check) */
    tacho_status (*check)(void *self, tacho_listing *listing);
    /* Adds tables of what is no profile. (optional: there are none) */
    tacho_status (*write)(void *self, const tacho_table_taker *to);
    /* A format that no other verb writes, by its name or suffix. (optional: there is none) */
    const tacho_table_sink *own_sink;
    bool shows_losses; /* as one of its tables; else they are said on standard error */
} tacho_listing_verb;

/* Runs the verb and returns the exit code. */
int tacho_listing_run(tacho_request *given, const tacho_listing_verb *verb, void *self);

#endif
