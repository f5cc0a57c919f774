/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an annotation for a person: outputs by suffix, progress, warnings, summary, exit code.
 * Shared by `annotate` and the drop-in name that annotates.
 */
#ifndef TACHO_CLI_ANNOTATE_RUN_H
#define TACHO_CLI_ANNOTATE_RUN_H

#include "pipeline/annotated.h"
#include "cli/command.h"

/* One file to write: either sink is NULL. */
typedef struct tacho_annotate_output {
    const char *path; /* "-" for standard output */
    const tacho_table_sink *table_sink;
    const tacho_trace_sink *trace_sink;
} tacho_annotate_output;

enum { TACHO_ANNOTATE_OUTPUTS_MAX = 2 };

typedef struct tacho_annotate_job {
    tacho_annotate_request request;
    tacho_annotate_output outputs[TACHO_ANNOTATE_OUTPUTS_MAX];
    size_t output_count;
    /* The columns of a table, by what was read. */
    const tacho_annotation_set *(*choose_set)(const struct tacho_annotate_job *job,
                                              const tacho_dict *dict, const tacho_table_sink *sink);
    const tacho_annotation_set *set; /* what the user asked for, or NULL */
    bool is_quiet, is_verbose;
    bool says_all; /* every problem, not the first few */
} tacho_annotate_job;

/*
 * Fills |out_output| by the suffix of |path|; false, and said so, when it is none of those that
 * there are. |format| is the name of a table format, or NULL.
 */
bool tacho_annotate_choose_output(const tacho_command *command, const char *path,
                                  const char *format, tacho_annotate_output *out_output);

/* Runs the job and returns the exit code. */
int tacho_annotate_run(tacho_annotate_job *job);

#endif
