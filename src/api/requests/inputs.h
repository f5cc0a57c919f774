/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a verb, the same for all: plain words are files, directories or standard input. A
 * directory stands for the files in it, and --from says how to read them.
 */
#ifndef TACHO_API_REQUESTS_INPUTS_H
#define TACHO_API_REQUESTS_INPUTS_H

#include "api/requests/options.h"
#include "pipeline/input_set.h"

/* What the verb says about its words. */
typedef struct tacho_request_inputs_options {
    size_t first_word; /* those before it are not inputs */
    size_t word_end;   /* nor is this one, or those behind it; 0: all are */
    tacho_input_set_options set;
} tacho_request_inputs_options;

/*
 * Fills |out_intake| with the inputs that |given| name. Refuses the request for what is
 * wrong; returns the outcome, TACHO_OUTCOME_DONE if it can go on. Close |set| even after a
 * failure.
 */
int tacho_request_inputs_open(tacho_input_set *set, tacho_request *given,
                              const tacho_request_inputs_options *options,
                              tacho_intake *out_intake);

/* Notes which file of a directory is skipped, and why. */
tacho_input_skips tacho_request_input_skips(tacho_request *given);

/* The source that --from names, NULL for none; false when it is unknown. */
bool tacho_request_inputs_source(tacho_request *given, const tacho_source **out_source);

#endif
