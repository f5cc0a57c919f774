/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person sees of a capture that was just made, and the file it is kept in.
 */
#ifndef TACHO_SESSION_CAPTURE_REPORT_H
#define TACHO_SESSION_CAPTURE_REPORT_H

#include "base/notes.h"
#include "capture/wrapper.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

typedef struct tacho_profile_report tacho_profile_report;
struct tacho_profile_report {
    const char *capture_path;           /* to be read, and removed at the end */
    const char *output_path;            /* NULL: none */
    const tacho_trace_sink *trace_sink; /* of the output, or NULL ... */
    const tacho_table_sink *table_sink; /* ... where it is this */
    /* Optional: makes more of the capture, before it gets another name or is removed. */
    tacho_status (*make_more)(const void *maker, const tacho_profile_report *report);
    const void *maker;
    const tacho_wrapper_result *result;
    const tacho_notes *notes;
    const tacho_table_taker *keeper; /* gets the tables instead of standard error; or NULL */
    bool is_quiet;                   /* no tables, and of what is said warnings alone */
};

/* The output, and its format by the suffix of |path|; false where that is unknown. */
bool tacho_profile_report_take_output(tacho_profile_report *report, const char *path);

/*
 * Prints tables to standard error, since standard output belongs to the program, and writes the
 * output, even where tables cannot be printed. The capture is removed unless it is all there is.
 */
tacho_status tacho_profile_report_run(const tacho_profile_report *report) TACHO_MUST_USE;

/* Writes the capture as a trace to |path|. */
tacho_status tacho_profile_report_write_trace(const tacho_profile_report *report,
                                              const tacho_trace_sink *sink,
                                              const char *path) TACHO_MUST_USE;

#endif
