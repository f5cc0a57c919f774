/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an annotation for a person: outputs by suffix, progress, warnings, summary, exit code.
 * Shared by `annotate` and the drop-in name that annotates.
 */
#ifndef TACHO_API_REQUESTS_ANNOTATE_RUN_H
#define TACHO_API_REQUESTS_ANNOTATE_RUN_H

#include "api/requests/options.h"
#include "vendors/torq/annotate_job.h"

/*
 * Fills |out_output| by the suffix of |path|; false, and said so, when it is none of those that
 * there are. |format| is the name of a table format, or NULL.
 */
bool tacho_annotate_choose_output(tacho_request *given, const char *path, const char *format,
                                  tacho_annotate_output *out_output);

/* Runs the job and returns the exit code. */
int tacho_annotate_run(tacho_request *given, tacho_annotate_job *job);

#endif
