/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotation from its request to its files: a table, a trace, or both.
 */
#ifndef TACHO_VENDORS_TORQ_ANNOTATE_JOB_H
#define TACHO_VENDORS_TORQ_ANNOTATE_JOB_H

#include "base/notes.h"
#include "vendors/torq/annotated.h"

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
    /* The columns of a table, by what was read. (optional: tacho's own) */
    const tacho_annotation_set *(*choose_set)(const struct tacho_annotate_job *job,
                                              const tacho_dict *dict, const tacho_table_sink *sink);
    const tacho_annotation_set *set; /* what the user asked for, or NULL */
    const tacho_table_taker *keeper; /* gets the table of an output without a path; or NULL */
    const tacho_notes *notes;
    bool is_quiet, is_verbose;
    bool says_all; /* every problem, not the first few */
    /* All is read, and is about to be written. (optional) */
    void (*read)(void *user);
    void *user;
} tacho_annotate_job;

/* The sink for a table at |path|, by its suffix; NULL where that is a trace, or unknown. */
const tacho_table_sink *tacho_annotate_table_sink(tacho_str path);

/* Does it; |*out_is_lossy| when not all could be read or matched. */
tacho_status tacho_annotate_job_run(tacho_annotate_job *job, bool *out_is_lossy) TACHO_MUST_USE;

#endif
