/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotated profile: runtime profiles and the debug information of their program, read and
 * joined, and written as a table or as a trace. The command line only fills in the request.
 *
 *     tacho_annotated annotated;
 *     tacho_status status = tacho_annotated_open(&annotated, &request);
 *     ... tacho_annotated_write_table(&annotated, &output)
 *     tacho_annotated_close(&annotated);
 */
#ifndef TACHO_VENDORS_TORQ_ANNOTATED_H
#define TACHO_VENDORS_TORQ_ANNOTATED_H

#include "questions/annotate/annotate.h"
#include "pipeline/intake.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

typedef struct tacho_annotate_request {
    const char *debug_path;         /* a file, or a folder with a file for each dispatch */
    tacho_intake intake;            /* runtime profiles */
    const char *const *source_dirs; /* where the model's files may lie */
    size_t source_dir_count;
    bool is_strict;    /* what is lost, damaged or without a match is a failure */
    bool needs_no_ops; /* inner ops of jobs are not shown */
} tacho_annotate_request;

typedef struct tacho_annotated {
    tacho_dict dict;
    tacho_profile profile;
    tacho_debug_info info;
    tacho_annotation annotation;
} tacho_annotated;

/*
 * Reads and joins. Close it even if this fails; what was read says, also after a failure, what was
 * lost. A file that is not a runtime profile is refused.
 */
tacho_status tacho_annotated_open(tacho_annotated *annotated,
                                  const tacho_annotate_request *request) TACHO_MUST_USE;
void tacho_annotated_close(tacho_annotated *annotated);

/* Whether anything was lost, damaged, not understood or without a match. */
bool tacho_annotated_is_lossy(const tacho_annotated *annotated);

/* Refuses to replace an input, or a file of the debug information, by the output. */
tacho_status tacho_annotate_request_check_output(const tacho_annotate_request *request,
                                                 const char *output_path) TACHO_MUST_USE;

/* Writes the table of |set| through |sink| to |path|; |out_row_count| says how long it is. */
tacho_status tacho_annotated_write_table(const tacho_annotated *annotated,
                                         const tacho_annotation_set *set,
                                         const tacho_table_sink *sink, const char *path,
                                         size_t *out_row_count) TACHO_MUST_USE;

/* Writes the trace, with the overview as tracks; |out_row_count| says how many events it has. */
tacho_status tacho_annotated_write_trace(tacho_annotated *annotated, const tacho_trace_sink *sink,
                                         const char *path, uint64_t *out_row_count) TACHO_MUST_USE;

#endif
