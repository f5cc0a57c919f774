/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses: questions about profiles, programs and machines, answered as tables (tacho/table.h).
 * Each is the API of the command of its name: tacho overview, breakdown, ops, query, roofline,
 * info, diff, annotate, opstats, machine.
 *
 * Inputs are files of any format that tacho reads, recognised by content. One that cannot be read
 * is a failure; of several, it is skipped if |skipped| of the options hears of it. A directory
 * stands for the profiles in it, as in tacho_view_open. Records that could not be read are counted
 * in the table "lost", which the analyses of profiles end with; it has no rows when all were read.
 *
 * |options| may be NULL. Structs of options are set to zero first, as in tacho/convert.h. Any other
 * NULL is refused as TACHO_CODE_USAGE, and |*out_tables| is NULL after a failure. All calls may be
 * made from several threads at once. Memory grows with the number of names and tracks, not of
 * events, except for annotate and query.
 */
#ifndef TACHO_ANALYSE_H
#define TACHO_ANALYSE_H

#include <tacho/compile.h>
#include <tacho/profile.h>
#include <tacho/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_analyse_overview_options {
    tacho_view_options input; /* how to read the files */
    bool in_cycles;           /* raw cycles of an estimate instead of nanoseconds */
    int64_t wall_time_ns;     /* measured around the run, shown next to it; 0: not known */
    uint64_t reserved[6];     /* zero */
} tacho_analyse_overview_options;

/*
 * How busy each kind of engine was, and how much of that at the same time: the table "overview",
 * one row per input, origin and metric.
 */
TACHO_API tacho_status tacho_analyse_overview(const char *const *paths, size_t path_count,
                                              const tacho_analyse_overview_options *options,
                                              tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_breakdown_options {
    tacho_view_options input; /* how to read the files */
    uint64_t top;             /* so many of the longest gaps and steps, at most 10000; 0: 10 */
    bool omits_advice;        /* no verdict and no advice */
    uint64_t reserved[6];     /* zero */
} tacho_analyse_breakdown_options;

/*
 * Where the time of each device went, and why it was idle: the tables "verdict" (a sentence per
 * device), "advice", "devices", "streams", "idle", "step_statistics", "steps", "launches", "gaps"
 * and "notes" (questions that the profiles cannot answer), as tacho-breakdown(1) explains them.
 */
TACHO_API tacho_status tacho_analyse_breakdown(const char *const *paths, size_t path_count,
                                               const tacho_analyse_breakdown_options *options,
                                               tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_ops_options {
    tacho_view_options input; /* how to read the files */
    bool by_instance;         /* a row per name and source location, else per operator */
    /* "self", "total", "count", "mean", "p50", "p99", "min", "max", "bytes": largest first;
     * "name", "location": by alphabet; NULL: self */
    const char *sort;
    uint64_t top;            /* so many rows of devices, and of the host, of each input; 0: all */
    const char *track_class; /* of tracks of this class only, such as "compute"; NULL: of all */
    /* Optional: whether an operation is wanted. |location| is empty when it has none. */
    bool (*accepts)(void *user, const char *name, const char *location);
    void *user;
    /* Rows are groups instead: "op" (the operator that launched the work), "kernel", "layer",
     * "layer:2" (two levels), "line", "device" or "step"; NULL: operations. Sorted by self, total,
     * count or name; without |accepts| and |track_class| */
    const char *by;
    uint64_t reserved[5]; /* zero */
} tacho_analyse_ops_options;

/*
 * Which operations took the time: the table "ops". By groups: the tables "groups", with separate
 * times of host and devices, and "notes" (questions that the profiles cannot answer).
 */
TACHO_API tacho_status tacho_analyse_ops(const char *const *paths, size_t path_count,
                                         const tacho_analyse_ops_options *options,
                                         tacho_tables **out_tables) TACHO_MUST_USE;

/* Rows of Tenstorrent's op tables; all zero is the default. */
typedef struct tacho_analyse_tt_report_options {
    tacho_view_options input;   /* how to read the tables */
    const char *start_signpost; /* rows after the first signpost of that name; NULL: all */
    const char *end_signpost;   /* rows before it, or before the second if both have one name */
    bool ignores_signposts;     /* all rows, else those after the last signpost */
    bool shows_signposts;       /* among the rows */
    const char *id_range;       /* "5-10", "31-" or "-12"; NULL: all */
    double min_percentage;      /* of the time, below which a row is left out */
    const char *arch;           /* the chip, where the table has none; NULL: wormhole */
    bool keeps_order;           /* rows as in the table, not by the host's time */
    bool omits_host_ops;
    bool keeps_devices; /* a row per op and device */
    bool omits_advice, omits_summary;
    const char *group_by; /* of the summary: "memory", "op", "category", "replay"; NULL: memory */
    bool as_vendor;       /* the one table that tt-perf-report writes as CSV, and nothing else */
    bool has_codes;       /* a column with the op code alone in it */
    uint64_t reserved[6]; /* zero */
} tacho_analyse_tt_report_options;

/*
 * The report of tt-perf-report, as printed by tacho ops --compat tt-perf-report. Paths are op
 * tables of Tenstorrent's profiler, or directories of a run that hold one.
 */
TACHO_API tacho_status tacho_analyse_tt_report(const char *const *paths, size_t path_count,
                                               const tacho_analyse_tt_report_options *options,
                                               tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_query_options {
    tacho_view_options input; /* how to read the files */
    int64_t timeout_ns;       /* that the statement may take; 0: any time */
    uint64_t row_max;         /* that it may select; 0: any number */
    uint64_t reserved[6];     /* zero */
} tacho_analyse_query_options;

/*
 * The result of one SELECT statement of SQLite: the table "query", whose columns are the
 * statement's. Tables and columns to select from are those of tacho-query(1). It can only read. An
 * invalid statement is TACHO_CODE_USAGE, one that exceeds a limit TACHO_CODE_LIMIT.
 */
TACHO_API tacho_status tacho_analyse_query(const char *const *paths, size_t path_count,
                                           const char *sql,
                                           const tacho_analyse_query_options *options,
                                           tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_roofline_options {
    tacho_view_options input; /* how to read profiles; where it names a format, all are profiles */
    const char *machine;      /* a name that tacho_machines_list has, or the path of a description;
                                 NULL: the input's own, for models "torq-sl2610" */
    const char *roof;         /* ceilings instead: "f16=989TFLOP/s,HBM=4.8TB/s"; NULL: none */
    /* How models are compiled; of it sizes, constants, dtype, fidelity, batch and notes count.
     * NULL: as they are. */
    const tacho_compiled_options *model;
    const char *sort;     /* "time", "gain", "roof", "intensity", "name", "order"; NULL: time */
    uint64_t top;         /* so many points; 0: all */
    uint64_t reserved[6]; /* zero */
} tacho_analyse_roofline_options;

/*
 * How far operators are from what their machine can do: the tables "ceilings" and "roofline", as
 * in tacho-roofline(1). Paths are models, programs and profiles; profiles are joined with one model
 * or program at most. |*out_above_count| is the number of points above their roof; it may be NULL.
 */
TACHO_API tacho_status tacho_analyse_roofline(const char *const *paths, size_t path_count,
                                              const tacho_analyse_roofline_options *options,
                                              uint64_t *out_above_count,
                                              tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * The contents of the files. Of profiles: the tables "inputs", "tracks", "lost_before" (records
 * that were lost when a trace was made), "notes" and "lost". Of compiled programs, models and debug
 * information of Torq: those that tacho-info(1) shows. Where |options| name an input format, all
 * are profiles.
 */
TACHO_API tacho_status tacho_analyse_info(const char *const *paths, size_t path_count,
                                          const tacho_view_options *options,
                                          tacho_tables **out_tables) TACHO_MUST_USE;

/* One side of a comparison: files, or directories of files. */
typedef struct tacho_analyse_side {
    const char *const *paths;
    size_t path_count;
} tacho_analyse_side;

typedef struct tacho_analyse_diff_options {
    tacho_view_options input; /* how to read the files */
    bool by_type;             /* a row per type of operator, else per operator */
    uint64_t top;             /* so many rows; 0: all */
    const char *gate;         /* limits, such as "rel=3%,abs=20us"; NULL: none */
    const char *by;           /* a row per "instance" (operator), "type", "op" (of the framework),
                                 "layer" or layer to so many levels, "layer:3"; NULL: by
                                 |by_type| */
    uint64_t reserved[5];     /* zero */
} tacho_analyse_diff_options;

/* The outcome of a gate, as defined in tacho-diff(1). */
typedef enum tacho_gate_outcome {
    TACHO_GATE_NONE, /* without a gate */
    TACHO_GATE_PASS,
    TACHO_GATE_INCONCLUSIVE,
    TACHO_GATE_REGRESSION,
} tacho_gate_outcome;

typedef struct tacho_analyse_diff_result {
    tacho_gate_outcome outcome;
    bool has_losses; /* records of either side could not be read */
    uint64_t reserved[6];
} tacho_analyse_diff_result;

/*
 * Changes between the profiles |sides[0]|, before, and |sides[1]|, after: the tables that
 * tacho-diff(1) shows. |out_result| may be NULL.
 */
TACHO_API tacho_status tacho_analyse_diff(const tacho_analyse_side sides[2],
                                          const tacho_analyse_diff_options *options,
                                          tacho_analyse_diff_result *out_result,
                                          tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_baselines_options {
    tacho_view_options input; /* how to read the files; windows and filters do not apply */
    const char *reason;       /* for saving; required with |replaces|; NULL: none */
    bool replaces;            /* the existing baseline of that name; else it must not exist */
    uint64_t reserved[6];     /* zero */
} tacho_baselines_options;

/*
 * Saves profiles as the baseline |name| of the directory |folder|, which is created if missing:
 * the API of tacho baseline save and accept. Either all are saved, or the baseline is unchanged.
 * The directory folder/name can be given wherever paths of profiles are. |options| and
 * |out_has_losses| may be NULL.
 */
TACHO_API tacho_status tacho_baselines_save(const char *folder, const char *name,
                                            const tacho_analyse_side *profiles,
                                            const tacho_baselines_options *options,
                                            bool *out_has_losses) TACHO_MUST_USE;

/*
 * The baselines of |folder|: the table "baselines". Of |options|, which may be NULL, |skipped| is
 * called with those that cannot be read, and why.
 */
TACHO_API tacho_status tacho_baselines_list(const char *folder, const tacho_view_options *options,
                                            tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_annotate_options {
    tacho_view_options input; /* how to read the runtime profiles */
    const char *columns; /* "native", "torq-a0" and so on: see tacho-annotate(1); NULL: native */
    const char *const *source_dirs; /* directories to search for the model's files */
    size_t source_dir_count;
    bool omit_inner;      /* no rows for the inner ops of jobs */
    const char *trace;    /* also write a trace to this file; NULL: none */
    uint64_t reserved[6]; /* zero */
} tacho_analyse_annotate_options;

/*
 * Runtime profiles of Torq joined with the compiler's debug information, |debug_path|: a file, or a
 * folder with one for each dispatch. Tables: "annotation", "problems" (rows without a match, by
 * reason, and files that could not be read), "debug_info" (its contents), "lost".
 */
TACHO_API tacho_status tacho_analyse_annotate(const char *debug_path, const char *const *paths,
                                              size_t path_count,
                                              const tacho_analyse_annotate_options *options,
                                              tacho_tables **out_tables) TACHO_MUST_USE;

typedef struct tacho_analyse_opstats_options {
    /* Instead of summaries one table over all |paths|, which then are of one inference, a file per
     * device: "op", "layer", "core", "device", "critical"; NULL: summaries */
    const char *rollup;
    uint64_t reserved[7]; /* zero */
} tacho_analyse_opstats_options;

/*
 * Raw stats of a device summed up. |program| is the compiled program that recorded them. Tables are
 * those of a summary, for each file: "device", "cores", "ops", "threads", "ports", "doorbells",
 * "pmu", "rates", "op_pmu", "stalls", "missing" (records that are absent, and why) and "damage".
 */
TACHO_API tacho_status tacho_analyse_opstats(const char *program, const char *const *paths,
                                             size_t path_count,
                                             const tacho_analyse_opstats_options *options,
                                             tacho_tables **out_tables) TACHO_MUST_USE;

/* Outputs to write from raw stats; all zero writes nothing and is refused. */
typedef struct tacho_opstats_write_options {
    bool has_summaries;       /* of each file */
    bool has_traces;          /* of each inference */
    const char *table_format; /* of summaries: "csv", "json" and so on; NULL: the vendor's text */
    const char *trace_format; /* NULL: "chrome" */
    const char *host_trace;   /* the host's trace, to be shown on the same time axis; NULL: none */
    const uint32_t *cores;    /* only these in traces; NULL: all */
    size_t core_count;
    const uint32_t *devices; /* likewise */
    size_t device_count;
    bool splits_devices; /* a trace per device, not one of all devices of an inference */
    bool splits_groups;  /* a track per thread, not per group of threads */
    bool has_flows;      /* arrows for dependencies */
    bool has_barriers;   /* tracks for waits after operators */
    /* Optional: called with messages for people. |kind| is "note", "warning" or "wrote". */
    void (*note)(void *user, const char *kind, const char *text);
    void *user;
    uint64_t reserved[6]; /* zero */
} tacho_opstats_write_options;

/*
 * Decodes raw stats, |stats|: a file or a directory of them, and writes the outputs selected by
 * |options| to the directory |folder|, which is created if missing: the API of tacho opstats. Files
 * that cannot be read, or only in part, are counted in |*out_problem_count|, which may be NULL, and
 * the rest is decoded.
 */
TACHO_API tacho_status tacho_opstats_write(const char *program, const char *stats,
                                           const char *folder,
                                           const tacho_opstats_write_options *options,
                                           uint64_t *out_problem_count) TACHO_MUST_USE;

/*
 * The built-in machines: the table "machines". This computer, "host-cpu", is listed with its last
 * measured values, else with typical ones.
 */
TACHO_API tacho_status tacho_machines_list(tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * All facts of a machine, a name or the path of a description: the table "machine", one row
 * per quantity with its unit and source. "host-cpu" is measured where it has not been.
 */
TACHO_API tacho_status tacho_machines_describe(const char *machine,
                                               tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * Writes the description of a built-in machine to |path|, as a start for one of your own; "-" is
 * standard output.
 */
TACHO_API tacho_status tacho_machines_export(const char *machine, const char *path) TACHO_MUST_USE;

/*
 * Measures this computer, which takes a second or two of one processor, and writes its description
 * to |path|. The stored values of "host-cpu" do not change.
 */
TACHO_API tacho_status tacho_machines_calibrate(const char *path) TACHO_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
