/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time charts: a program writes its own trace, entry by entry.
 *
 *     tacho_timechart *chart = NULL;
 *     tacho_status status = tacho_timechart_open("work.pb", NULL, &chart);
 *     tacho_timechart_log log = {.process = "host", .thread = "main", .function = "load",
 *                                .start_time = 0, .end_time = 1500};
 *     ... tacho_timechart_render(chart, &log), as often as you like ...
 *     ... tacho_timechart_flush(chart), then tacho_timechart_close(chart) ...
 *
 * A process holds threads and counters, a thread holds spans of time. All are known by name and
 * created when they are first named; they are shown in that order. Entries may be added in any
 * order. Spans of a thread may be nested; those that cross are drawn on extra lanes of their
 * thread.
 *
 * Times are ticks of one clock, which all processes of a chart share: they are aligned, and a
 * trace has the times as given. Added CSV files have clocks of their own; each starts at 0 with its
 * first event.
 *
 * Memory: an entry takes about 56 bytes. Up to 16 MiB of them are kept in memory, the rest
 * in a temporary file without a name ($TMPDIR, else /var/tmp). Names are kept once each.
 *
 * Several threads may use a chart at once. After a fork it stays with the process that opened it:
 * in the child every call but close is refused. The library copies what it needs before a call
 * returns. A call that fails leaves the chart as it was; NULL for a required argument is such a
 * failure, TACHO_CODE_USAGE. Numbers are written with a point in any locale.
 */
#ifndef TACHO_TIMECHART_H
#define TACHO_TIMECHART_H

#include <stdint.h>
#include <tacho/profile.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_timechart tacho_timechart;

/* How to draw; all zero is the default. */
typedef struct tacho_timechart_options {
    const char *to;        /* name of the trace format; NULL: by the path's suffix */
    const char *clock_mhz; /* ticks are cycles at this frequency, e.g. "800"; NULL: see below */
    uint64_t ns_per_tick;  /* nanoseconds that a tick lasts; 0: one */
    const char *origin;    /* "measured", "simulated" or "estimated"; NULL: unknown */
    uint64_t reserved[6];  /* zero */
} tacho_timechart_options;

/* One entry: an action of a thread of a process, and its times. */
typedef struct tacho_timechart_log {
    const char *process;
    const char *thread;
    const char *function; /* the label of the span */
    int64_t start_time;   /* ticks, from 0 on */
    int64_t end_time;     /* at or after the start */
} tacho_timechart_log;

typedef enum tacho_timechart_event {
    TACHO_TIMECHART_BEGIN = 1, /* a span begins */
    TACHO_TIMECHART_END = 2,   /* the span that began last on this thread ends */
    TACHO_TIMECHART_INSTANT = 3,
} tacho_timechart_event;

/*
 * Starts a chart that flush will write to |path|: .pb, .pftrace and .perfetto-trace are Perfetto
 * traces, .json is Chrome Trace Event JSON, .jsonl JSON lines, each compressed if .gz or .zst
 * follows. |options| may be NULL. Fails at once if a file could not be written there, and if the
 * path is not a file (standard output, a pipe), since a flush replaces it. Nothing is written yet.
 * A relative path is resolved now: a later chdir does not move the file.
 */
TACHO_API tacho_status tacho_timechart_open(const char *path,
                                            const tacho_timechart_options *options,
                                            tacho_timechart **out_chart) TACHO_MUST_USE;

/* Adds a span. */
TACHO_API tacho_status tacho_timechart_render(tacho_timechart *chart,
                                              const tacho_timechart_log *log) TACHO_MUST_USE;

/* An argument of a span: a number, a truth value or text. Members of other types are not read. */
typedef struct tacho_timechart_arg {
    const char *key;
    const char *unit;      /* "bytes", "count", "cycles", "ns", "%"; NULL: none */
    tacho_value_type type; /* TACHO_VALUE_INT, UINT, REAL, BOOL or TEXT */
    bool as_bool;
    int64_t as_int;
    uint64_t as_uint;
    double as_real;   /* finite */
    const char *text; /* NULL: empty */
    uint64_t reserved[2];
} tacho_timechart_arg;

#define TACHO_TIMECHART_ARGS_MAX 64

/* Adds a span with arguments, which viewers show when it is clicked. */
TACHO_API tacho_status tacho_timechart_render_args(tacho_timechart *chart,
                                                   const tacho_timechart_log *log,
                                                   const tacho_timechart_arg *args,
                                                   size_t arg_count) TACHO_MUST_USE;

/* An arrow between two spans of a process: the innermost ones around these times. */
typedef struct tacho_timechart_flow {
    const char *process;
    const char *from_thread;
    const char *to_thread;
    int64_t from_time; /* from the start of the span on, before its end */
    int64_t to_time;   /* the same, not before |from_time| */
    uint64_t reserved[2];
} tacho_timechart_flow;

/* Adds an arrow; the spans may be added later. */
TACHO_API tacho_status tacho_timechart_add_flow(tacho_timechart *chart,
                                                const tacho_timechart_flow *flow) TACHO_MUST_USE;

/*
 * Names a process before its first entry: to fix its place. A process without entries does not
 * appear in the trace. Naming it again does nothing.
 */
TACHO_API tacho_status tacho_timechart_add_process(tacho_timechart *chart,
                                                   const char *process) TACHO_MUST_USE;

/*
 * Names a thread before its first entry: to fix its place among the threads of |process|, or to set
 * its kind of work. |track_class| is one of "host", "host_copy", "runtime", "control", "dma_in",
 * "dma_out", "dma_local", "compute", "vector", "sync", "port"; NULL means "host". The class of a
 * thread that exists stays as it is.
 */
TACHO_API tacho_status tacho_timechart_add_thread(tacho_timechart *chart, const char *process,
                                                  const char *thread,
                                                  const char *track_class) TACHO_MUST_USE;

/*
 * Names a counter before its first sample: to fix its place, or to set its unit. |unit| is one of
 * "bytes", "count", "cycles", "ns", "%"; NULL means none. The unit of a counter that exists stays
 * as it is.
 */
TACHO_API tacho_status tacho_timechart_add_counter(tacho_timechart *chart, const char *process,
                                                   const char *counter,
                                                   const char *unit) TACHO_MUST_USE;

/*
 * Adds one event at |time|; the times of |log| are ignored. An END ends the span that began last on
 * its thread, whatever its name (|log->function| may be NULL then); it is a failure when none has
 * begun, or one has begun later. A span that has not ended when the chart is flushed is written up
 * to the latest time of the chart and marked as unended.
 */
TACHO_API tacho_status
tacho_timechart_set_track_event(tacho_timechart *chart, int64_t time, tacho_timechart_event type,
                                const tacho_timechart_log *log) TACHO_MUST_USE;

/* Adds a sample of a counter of |process|; |value| is finite. */
TACHO_API tacho_status tacho_timechart_add_sample(tacho_timechart *chart, const char *process,
                                                  const char *counter, int64_t time,
                                                  double value) TACHO_MUST_USE;

/*
 * Adds a compile-time timeline of Torq, any generation, as a process called |view_name| (NULL:
 * after the file; a number follows if the name is taken). |slice_count| is the number of compute
 * slices that the oldest generation takes turns on; 0 means two. A file of another kind is
 * refused. Rows that cannot be read are counted: see tacho_timechart_lost_count.
 */
TACHO_API tacho_status tacho_timechart_add_compile_csv(tacho_timechart *chart,
                                                       const char *view_name, const char *csv_path,
                                                       uint32_t slice_count) TACHO_MUST_USE;

/* The same for a runtime profile of Torq: job times or a host profile, any generation. */
TACHO_API tacho_status tacho_timechart_add_runtime_csv(tacho_timechart *chart,
                                                       const char *view_name,
                                                       const char *csv_path) TACHO_MUST_USE;

/* Records of added CSV files that could not be read; the trace has the reasons. */
TACHO_API uint64_t tacho_timechart_lost_count(const tacho_timechart *chart);

/*
 * Writes everything so far. The file is replaced as a whole or, on failure, left as it was; the
 * chart may go on, and be flushed again. Each flush writes the whole trace, so its cost grows with
 * all entries since open: flush at the end, or now and then, not after every entry.
 */
TACHO_API tacho_status tacho_timechart_flush(tacho_timechart *chart) TACHO_MUST_USE;

/* Releases the chart; NULL is allowed. Entries since the last flush are lost. */
TACHO_API void tacho_timechart_close(tacho_timechart *chart);

#ifdef __cplusplus
}
#endif

#endif
