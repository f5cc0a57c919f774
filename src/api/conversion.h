/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversion: inputs through sources, filters and a trace sink into a file. Here the rooms
 * meet; the command line and the public API only fill in the request.
 */
#ifndef TACHO_API_CONVERSION_H
#define TACHO_API_CONVERSION_H

#include "profile/select.h"
#include "sinks/trace_sink.h"
#include "sources/source.h"

typedef struct tacho_conversion_input {
    const char *path;
    const tacho_source *source; /* NULL: recognise by content */
} tacho_conversion_input;

typedef struct tacho_conversion {
    const tacho_conversion_input *inputs;
    size_t input_count;
    const char *output_path;
    const tacho_trace_sink *sink;
    tacho_source_options source_options;
    tacho_trace_options trace_options;
    tacho_selection selection;
    bool is_strict; /* lost records are a failure */
    tacho_progress progress;
} tacho_conversion;

/*
 * Runs it. |dict|, initialised by the caller, tells afterwards what was read and what was lost.
 * Inputs in time order stream through; others are sorted, reading them a second time where that
 * is possible.
 */
tacho_status tacho_conversion_run(const tacho_conversion *conversion,
                                  tacho_dict *dict) TACHO_MUST_USE;

/* Opens |input|, finds its source and pushes all of it to |events|. */
tacho_status tacho_conversion_read_input(const tacho_conversion_input *input,
                                         const tacho_source_options *options,
                                         const tacho_progress *progress,
                                         tacho_events *events) TACHO_MUST_USE;

/* Records lost in all parts together. */
uint64_t tacho_conversion_lost_count(const tacho_dict *dict);

#endif
