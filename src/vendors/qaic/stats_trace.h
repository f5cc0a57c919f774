/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats to a trace: the files of one inference, one per device, on one timer; and perhaps what
 * the host did meanwhile, put on the same axis.
 */
#ifndef TACHO_VENDORS_QAIC_STATS_TRACE_H
#define TACHO_VENDORS_QAIC_STATS_TRACE_H

#include "sinks/trace_sink.h"
#include "sources/stats/host_sync.h"
#include "sources/stats/stats.h"

typedef struct tacho_stats_trace {
    tacho_stats_set set;
    const char *host_path; /* Chrome JSON of the host; NULL: none */
    tacho_host_sync host;  /* what its record says */
    const char *output_path;
    tacho_output_group *outputs; /* that the trace is one of; NULL: it is the only one */
    const tacho_trace_sink *sink;
    bool omits_args;
} tacho_stats_trace;

/* Writes the trace. |dict|, initialised by the caller, tells afterwards what was lost. */
tacho_status tacho_stats_trace_write(const tacho_stats_trace *trace,
                                     tacho_dict *dict) TACHO_MUST_USE;

#endif
