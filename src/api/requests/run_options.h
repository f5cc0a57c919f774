/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho run, and what the drop-in names that run share with it. What is wrong is printed
 * as a usage error.
 */
#ifndef TACHO_API_REQUESTS_RUN_OPTIONS_H
#define TACHO_API_REQUESTS_RUN_OPTIONS_H

#include "api/requests/selection.h"
#include "session/compile_spec.h"
#include "session/run_device.h"
#include "session/run_job.h"
#include "session/run_request.h"

/* What the command line says. */
typedef struct tacho_run_choice {
    tacho_run_whole whole;
    tacho_text_filter filter;
    tacho_arena arena; /* of all that the request points to */
} tacho_run_choice;

/* Fills |choice| from all options of tacho run; an exit code. */
int tacho_run_choose(tacho_request *given, tacho_run_choice *choice);

/* The values of a repeated option as a list in |arena|, each behind |prefix|; an exit code. */
int tacho_run_choose_list(tacho_request *given, const char *option, const char *prefix,
                          tacho_arena *arena, const char *const **out_list, size_t *out_count);

#endif
