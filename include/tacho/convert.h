/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converting profiles to a trace: the API of `tacho convert`.
 *
 * Structs of options grow with the library inside their reserved members: set a struct to zero
 * (`= {0}`, in C++ `= {}`) and then the members you need. An option that is newer than the library
 * is refused as TACHO_CODE_USAGE, not ignored.
 */
#ifndef TACHO_CONVERT_H
#define TACHO_CONVERT_H

#include <stdint.h>
#include <tacho/profile.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to convert; all zero is the default. */
typedef struct tacho_convert_options {
    const char *from;      /* name of the input format; NULL: recognise each file by content */
    const char *to;        /* name of the trace format; NULL: by the output's suffix */
    const char *clock_mhz; /* frequency of cycle counts; NULL: the format's default */
    uint32_t slice_count;  /* compute slices of old Torq timelines; 0: two */
    bool omit_args;        /* names and times only: smaller files */
    const char *program;   /* compiled program that recorded raw stats, which need it; else NULL */
    /* Optional: called now and then while a file is read, by any thread of the library but one at a
     * time; |total_bytes| is 0 when not known. False ends the conversion as TACHO_CODE_CANCELLED,
     * and the output is left as it was. */
    bool (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *user;
    /* Only events that overlap this time, from the first event of their input on, and spans at
     * least this long; 0: from the beginning, to the end, of any length. Spans are kept whole. */
    int64_t window_begin_ns;
    int64_t window_end_ns;
    int64_t min_duration_ns;
    const char *filter;   /* only events whose name or location contains this text, or matches the
                             extended regular expression "/between slashes/"; NULL: all */
    uint64_t reserved[4]; /* zero */
} tacho_convert_options;

/* The result of a conversion. */
typedef struct tacho_convert_result {
    uint64_t event_count; /* events read */
    uint64_t lost_count;  /* records that could not be read; the trace has the reasons */
    uint64_t assumed_mhz; /* of tacho_convert_to_op_table: the rate where no log has one */
    /* Events that were read and have no place in the trace's format, such as counter samples in a
     * format of spans. */
    uint64_t unplaced_count;
    uint64_t reserved[4];
} tacho_convert_result;

/*
 * Reads |input_count| files and writes one trace, in which each input is a process that starts
 * at 0. The output is replaced as a whole or, on failure, left as it was. |options| and
 * |out_result| may be NULL; any other NULL is refused as TACHO_CODE_USAGE. Safe to call from
 * several threads at once. Numbers are written with a point in any locale.
 */
TACHO_API tacho_status tacho_convert(const char *const *input_paths, size_t input_count,
                                     const char *output_path, const tacho_convert_options *options,
                                     tacho_convert_result *out_result) TACHO_MUST_USE;

/* The same of files and bytes in memory, which stay the caller's. */
TACHO_API tacho_status tacho_convert_inputs(const tacho_input_view *inputs, size_t input_count,
                                            const char *output_path,
                                            const tacho_convert_options *options,
                                            tacho_convert_result *out_result) TACHO_MUST_USE;

/*
 * The same into memory: |*out_bytes|, to be released with free(3), holds the trace. |options->to|
 * names its format. It is written to a temporary file ($TMPDIR, else /tmp) on the way, so that
 * memory is needed once for the result. Both are NULL and 0 after a failure.
 */
TACHO_API tacho_status tacho_convert_to_memory(const tacho_input_view *inputs, size_t input_count,
                                               const tacho_convert_options *options,
                                               void **out_bytes,
                                               size_t *out_byte_count) TACHO_MUST_USE;

/* A profile and its name in the trace. */
typedef struct tacho_named_log {
    const char *name; /* of its process; NULL: after the file. A number follows if it is taken. */
    const char *path;
} tacho_named_log;

typedef struct tacho_named_logs {
    const tacho_named_log *items;
    size_t item_count;
} tacho_named_logs;

/*
 * Writes the Perfetto trace |pb_path| from compile-time timelines and runtime profiles of Torq,
 * any generation, first the former, with the tracks of the command perfetto_logger.py.
 * |slice_count| is the number of compute slices that the oldest timelines take turns on; 0 means
 * two. A file of the other kind is refused. |out_result| may be NULL. Memory and the output are
 * as for tacho_convert.
 */
TACHO_API tacho_status tacho_convert_to_perfetto(tacho_named_logs compile_logs,
                                                 tacho_named_logs runtime_logs, const char *pb_path,
                                                 uint32_t slice_count,
                                                 tacho_convert_result *out_result) TACHO_MUST_USE;

/*
 * Writes the op table of one run of Tenstorrent's profiler, |csv_path|, from the logs that it left,
 * |paths|: files, or the folder that holds them; "-" is standard output. |clock_mhz| is the rate of
 * the device's cycles, NULL: as in the log. Cells of missing values stay empty, and are counted as
 * lost; |event_count| is the number of rows. |out_result| may be NULL.
 */
TACHO_API tacho_status tacho_convert_to_op_table(const char *const *paths, size_t path_count,
                                                 const char *csv_path, const char *clock_mhz,
                                                 tacho_convert_result *out_result) TACHO_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
