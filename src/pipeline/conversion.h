/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversion: inputs through sources, filters and a trace sink into a file. Here the rooms
 * meet; the command line and the public API only fill in the request.
 */
#ifndef TACHO_PIPELINE_CONVERSION_H
#define TACHO_PIPELINE_CONVERSION_H

#include "questions/overview/overview_tracks.h"
#include "questions/timeline/queue_tracks.h"
#include "pipeline/intake.h"
#include "profile/select.h"
#include "sinks/trace_sink.h"

typedef struct tacho_conversion {
    tacho_intake intake;
    const char *output_path; /* "-" for standard output */
    const tacho_trace_sink *sink;
    tacho_trace_options trace_options;
    tacho_selection selection;
    size_t worker_count; /* of a data set: files at a time; 0: one per processor */
    bool is_strict;      /* lost records are a failure */
    bool has_queues;     /* queues of streams are counters of the trace, too; without overview */
    bool has_overview;   /* the metrics of each part are tracks of the trace, too */
    const tacho_overview_listener *overview_listener; /* with them; NULL: none */
    bool has_first_overview; /* they are the metrics of the first generation of tools */
} tacho_conversion;

/*
 * Runs it. |dict|, initialised by the caller, tells afterwards what was read and what was lost.
 * Inputs in time order stream through; others are sorted, reading them a second time where that
 * is possible. An output that is also an input is refused.
 */
tacho_status tacho_conversion_run(const tacho_conversion *conversion,
                                  tacho_dict *dict) TACHO_MUST_USE;

#endif
