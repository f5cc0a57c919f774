/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where 'tacho diff' writes: standard output or -o in one format, and files of --also in others.
 */
#ifndef TACHO_API_REQUESTS_DIFF_OUTPUTS_H
#define TACHO_API_REQUESTS_DIFF_OUTPUTS_H

#include "api/requests/options.h"
#include "pipeline/comparing.h"

enum { TACHO_DIFF_OUTPUTS_MAX = 8 };

typedef struct tacho_diff_outputs {
    tacho_table_target items[TACHO_DIFF_OUTPUTS_MAX];
    size_t item_count;
} tacho_diff_outputs;

/* Fills |outputs|; prints what is wrong, and returns the exit status of a command that cannot run.
 */
int tacho_diff_outputs_choose(tacho_diff_outputs *outputs, tacho_request *given);

/* Refuses formats that hold nothing but verdicts; for a command without a gate. */
int tacho_diff_outputs_refuse_verdicts(const tacho_diff_outputs *outputs, tacho_request *given);

#endif
