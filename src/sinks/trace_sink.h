/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace sinks: events in, the bytes of a trace file out. Each is one constant struct; all are
 * listed in registry.c.
 *
 * A sink takes rows that are in track order and properly nested (order and lanes come before
 * it), and writes what the dictionary says: parts, tracks, losses, metadata.
 */
#ifndef TACHO_SINKS_TRACE_SINK_H
#define TACHO_SINKS_TRACE_SINK_H

#include "base/output.h"
#include "profile/events.h"

typedef struct tacho_trace_options {
    bool omit_args;    /* names and times only */
    bool side_by_side; /* several inputs, each with its own zero: say that they are not aligned */
} tacho_trace_options;

typedef struct tacho_trace_sink {
    const char *name;            /* for --to */
    const char *title;           /* for people */
    const char *const *suffixes; /* NULL-terminated; the first is the usual one */
    /*
     * Starts a trace. Close it before the output is committed or closed; finish, an event,
     * makes it complete.
     */
    tacho_status (*open)(tacho_dict *dict, tacho_output *output, const tacho_trace_options *options,
                         tacho_events **out_events);
    void (*close)(tacho_events *events);
} tacho_trace_sink;

/* All trace sinks, NULL-terminated. */
const tacho_trace_sink *const *tacho_trace_sinks(void);

/* By name, or NULL. */
const tacho_trace_sink *tacho_trace_sink_find(tacho_str name);

/* By the suffix of |path|, compression suffixes aside, or NULL. */
const tacho_trace_sink *tacho_trace_sink_find_for_path(tacho_str path);

#endif
