/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace sinks: events in, the bytes of a trace file out. Each is one constant struct; all are
 * listed in registry.c.
 *
 * A sink receives rows in track order and properly nested (the order and lane filters precede it),
 * and writes the contents of the dictionary: parts, tracks, losses, metadata.
 */
#ifndef TACHO_SINKS_TRACE_SINK_H
#define TACHO_SINKS_TRACE_SINK_H

#include "base/output.h"
#include "profile/events.h"

typedef struct tacho_trace_options {
    bool omit_args;    /* names and times only */
    bool side_by_side; /* several inputs, each with its own zero: mark them as not aligned */
    /*
     * Rows may precede the final names of their tracks (is_provisional). A sink that cannot write
     * names late fails with TACHO_CODE_OUT_OF_ORDER and is tried again without.
     */
    bool names_may_change;
    /* Arrows show data dependencies: category true or false, the number of their span as oc. */
    bool flows_are_needs;
    /* Adds a record that relates 0 of the trace to this time of the host's clock. */
    bool has_clock_sync;
    int64_t clock_sync_ns;
} tacho_trace_options;

/*
 * Data that a trace format may not support, one phrase each. Everything else is restored on
 * reading.
 */
#define TACHO_TRACE_LIMITS(X)                                                                      \
    X(ARG_UNITS, "the units of arguments")                                                         \
    X(NUMBER_TYPES, "whether a whole number was written as unsigned")                              \
    X(FLOW_FACTS, "what an arrow stands for, and which of its ends is the last")                   \
    X(PARTIAL, "flows and runs; arguments become text")                                            \
    X(SPANS, "counters and arrows: spans alone are written")                                       \
    X(READING, "for other programs only: tacho does not read it back")

enum {
#define TACHO_LIMIT_NUMBER(name, phrase) TACHO_LIMIT_NUMBER_##name,
    TACHO_TRACE_LIMITS(TACHO_LIMIT_NUMBER)
#undef TACHO_LIMIT_NUMBER
        TACHO_TRACE_LIMIT_COUNT,
#define TACHO_LIMIT_BIT(name, phrase) TACHO_LIMIT_##name = 1 << TACHO_LIMIT_NUMBER_##name,
    TACHO_TRACE_LIMITS(TACHO_LIMIT_BIT)
#undef TACHO_LIMIT_BIT
};

/* The phrase of the |number|-th limit. */
const char *tacho_trace_limit_phrase(unsigned number);

typedef struct tacho_trace_sink {
    const char *name;            /* for --to */
    const char *title;           /* for display */
    const char *const *suffixes; /* NULL-terminated; the first is the usual one */
    const char *source;          /* the source that reads it back, NULL with TACHO_LIMIT_READING */
    unsigned limits;             /* TACHO_LIMIT_* of unsupported data */
    bool takes_rows_as_given;    /* without lanes: rows may cross, flow ends are unsorted */
    /*
     * The kind of timeline, as machine descriptions name it, whose jobs it writes: spans of such
     * programs come with the arguments of profile/schedule_args.h. NULL: any trace, without them.
     */
    const char *schedule;
    /*
     * Starts a trace. Close it before the output is committed or closed; finish, an event,
     * completes it.
     */
    tacho_status (*open)(tacho_dict *dict, tacho_output *output, const tacho_trace_options *options,
                         tacho_events **out_events);
    void (*close)(tacho_events *events);
} tacho_trace_sink;

/* All trace sinks, NULL-terminated. */
const tacho_trace_sink *const *tacho_trace_sinks(void);

/* By name, or by suffix with or without its point; or NULL. */
const tacho_trace_sink *tacho_trace_sink_find(tacho_str name);

/* By the suffix of |path|, ignoring compression suffixes, or NULL. */
const tacho_trace_sink *tacho_trace_sink_find_for_path(tacho_str path);

#endif
