/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading profiles: any file that tacho reads, held in memory, accessed by index.
 *
 *     tacho_view *view = NULL;
 *     const char *paths[] = {"timeline.csv"};
 *     tacho_status status = tacho_view_open(paths, 1, NULL, &view);
 *     if (status != TACHO_OK) {
 *         fprintf(stderr, "%s\n", tacho_status_message(status));
 *         tacho_status_free(status);
 *         return 1;
 *     }
 *     tacho_span_view span;
 *     for (uint64_t i = 0; tacho_view_span(view, i, &span); i++) {
 *         printf("%s %lld\n", span.name, (long long)(span.end_ns - span.start_ns));
 *     }
 *     tacho_view_close(view);
 *
 * A profile has parts, one per input file; tracks, which form a tree under the root of each part;
 * and on the tracks spans of time, samples of counters, and ends of flows (arrows). Records that
 * could not be read are counted as losses. All are numbered from 0; an accessor fills the
 * caller's struct and returns false past the last one. NULL for the view or the struct is allowed
 * and gives false, or counts of 0.
 *
 * Spans are in time order on each track, not across tracks. They are as in the file: on one track
 * they may overlap.
 *
 * Times are given twice: as ticks of the part's clock, raw, and as nanoseconds from the zero of
 * the part, which is its first event. Both ends are rounded down on their own, so spans that
 * touch in ticks touch in nanoseconds.
 *
 * Strings belong to the view and live until it is closed; they are never NULL unless noted,
 * end with NUL, and hold the bytes of the input. Structs grow with the library inside their
 * reserved members. A view does not change: several threads may read it at once.
 *
 * Programs that want all rows at once read columns: arrays of numbers, one element for each row
 * (tacho_view_read_spans).
 *
 * Memory: about 40 bytes per span and 40 per argument.
 */
#ifndef TACHO_PROFILE_H
#define TACHO_PROFILE_H

#include <stdint.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_view tacho_view;

/* In place of an index: none, such as the parent of a root. */
#define TACHO_VIEW_NONE UINT32_MAX

/* How to read; all zero is the default. */
typedef struct tacho_view_options {
    const char *from;      /* name of the input format; NULL: recognise each file by content */
    const char *clock_mhz; /* frequency of cycle counts; NULL: the format's default */
    uint32_t slice_count;  /* compute slices of old Torq timelines; 0: two */
    const char *program;   /* compiled program that recorded raw stats, which need it; else NULL */
    /* Optional: called now and then while a file is read, by any thread of the library but one at a
     * time; |total_bytes| is 0 when not known. False ends the call as TACHO_CODE_CANCELLED. */
    bool (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *user;
    /* Only events that overlap this time, from the first event of their input on, and spans at
     * least this long; 0: from the beginning, to the end, of any length. Spans are kept whole. */
    int64_t window_begin_ns;
    int64_t window_end_ns;
    int64_t min_duration_ns;
    const char *filter; /* only events whose name or location contains this text, or matches the
                           extended regular expression "/between slashes/"; NULL: all */
    /* Optional: called with each file of a directory that is left out, and why. */
    void (*skipped)(void *user, const char *message);
    uint64_t reserved[3]; /* zero */
} tacho_view_options;

/*
 * Reads |path_count| files into one profile; "-" is standard input. |options| may be NULL. A file
 * without any readable record is a failure; single records that cannot be read are losses. A
 * directory stands for the files in it, sorted by name; those of them that are not profiles are
 * left out, and a directory without profiles is a failure.
 */
TACHO_API tacho_status tacho_view_open(const char *const *paths, size_t path_count,
                                       const tacho_view_options *options,
                                       tacho_view **out_view) TACHO_MUST_USE;

/* Releases the profile and all its strings; NULL is allowed. */
TACHO_API void tacho_view_close(tacho_view *view);

/* A profile to read: a file, or bytes in memory. */
typedef struct tacho_input_view {
    const char *path;  /* of a file; "/dev/fd/5" is a descriptor, "-" standard input */
    const void *bytes; /* else the file's content, compressed or not */
    size_t byte_count;
    const char *name;     /* its name; NULL: after the path, or "memory" */
    uint64_t reserved[4]; /* zero */
} tacho_input_view;

/* As tacho_view_open, of files and bytes in memory, which are not needed after the call. */
TACHO_API tacho_status tacho_view_open_inputs(const tacho_input_view *inputs, size_t input_count,
                                              const tacho_view_options *options,
                                              tacho_view **out_view) TACHO_MUST_USE;

/*
 * Reads the files row by row, in bounded memory: |row| is called for each with a view that holds
 * parts and tracks as far as they are known, and a single span, sample or flow, number 0. Spans of
 * a track are in order of time. At the end it is called once more, without any of these: then
 * losses and facts are complete. The view is valid until |row| returns; when that is false, the
 * call ends as TACHO_CODE_CANCELLED. |options| may be NULL.
 */
TACHO_API tacho_status tacho_view_stream(const char *const *paths, size_t path_count,
                                         const tacho_view_options *options,
                                         bool (*row)(void *user, const tacho_view *view),
                                         void *user) TACHO_MUST_USE;

/* Numbers of items in a profile. */
typedef struct tacho_view_counts {
    uint64_t part_count;
    uint64_t track_count;
    uint64_t span_count; /* instants included */
    uint64_t sample_count;
    uint64_t flow_count; /* ends of flows */
    uint64_t loss_count; /* kinds of loss */
    uint64_t lost_count; /* records lost */
    uint64_t fact_count;
    uint64_t lost_before_count; /* records lost when a trace that was read here was made */
    uint64_t string_count;      /* numbers of strings, for tacho_view_string */
    uint64_t reserved[2];
} tacho_view_counts;

TACHO_API tacho_view_counts tacho_view_count(const tacho_view *view);

/* One input. */
typedef struct tacho_part_view {
    const char *name;       /* for people, unique in the profile */
    const char *path;       /* as it was given */
    const char *format;     /* e.g. "torq-timeline" */
    const char *generation; /* which version of the format, e.g. "T4"; may be empty */
    const char *origin;     /* "measured", "simulated", "estimated" or "unknown" */
    const char *clock_name; /* unit of ticks, e.g. "cycles" */
    int64_t ns_numerator;   /* a tick lasts ns_numerator / ns_denominator nanoseconds */
    int64_t ns_denominator;
    int64_t zero_ticks;      /* the tick shown as 0 ns */
    bool is_clock_assumed;   /* the rate is a default: neither the file nor the caller gave it */
    bool is_clock_in_cycles; /* ticks are a processor's cycles */
    uint32_t root;           /* its outermost track */
    uint64_t event_count;    /* spans, samples and flow ends */
    uint64_t reserved[4];
} tacho_part_view;

TACHO_API bool tacho_view_part(const tacho_view *view, uint64_t index, tacho_part_view *out_part);

/* A line of the chart: an engine, a thread, a counter, or a group of those. */
typedef struct tacho_track_view {
    const char *name;
    const char *track_class; /* "compute", "dma_in", "host", "group", "counter", ... */
    const char *unit;        /* of a counter, e.g. "bytes"; else empty */
    uint32_t parent;         /* track, or TACHO_VIEW_NONE for the root of a part */
    uint32_t part;
    uint32_t number; /* among its class: slice 1, core 3 */
    uint64_t reserved[4];
} tacho_track_view;

TACHO_API bool tacho_view_track(const tacho_view *view, uint64_t index,
                                tacho_track_view *out_track);

/* Something that took time. */
typedef struct tacho_span_view {
    uint32_t track;
    uint32_t part;
    const char *name;
    const char *category;
    const char *location; /* in the user's model, as the file has it; NULL when not known */
    const char *file;     /* of the location; NULL when not known */
    uint32_t line;        /* 0 when not known */
    uint32_t column;      /* 0 when not known */
    int64_t start_ns;
    int64_t end_ns;
    int64_t start_ticks;
    int64_t end_ticks;
    const char *run;    /* the executed unit, e.g. a dispatch; NULL when not known */
    int64_t invocation; /* which execution of it; -1 when not known */
    const char *origin; /* its own, else that of its part */
    bool is_instant;    /* a moment, not a span of no length */
    bool is_unended;    /* the file has no end for it */
    uint64_t reserved[4];
} tacho_span_view;

TACHO_API bool tacho_view_span(const tacho_view *view, uint64_t index, tacho_span_view *out_span);

typedef enum tacho_value_type {
    TACHO_VALUE_INT,
    TACHO_VALUE_UINT,
    TACHO_VALUE_REAL,
    TACHO_VALUE_BOOL,
    TACHO_VALUE_TEXT,
    TACHO_VALUE_DICT,  /* its members follow, one deeper */
    TACHO_VALUE_ARRAY, /* its elements follow, one deeper, without keys */
    TACHO_VALUE_JSON,  /* text: a JSON value of another type, such as null */
} tacho_value_type;

/* An argument of a span: a typed value with a key. Members that the type does not name are 0. */
typedef struct tacho_arg_view {
    const char *key; /* empty for the element of an array */
    const char *unit;
    tacho_value_type type;
    uint32_t depth; /* 0, or how many dictionaries and arrays it is nested in */
    int64_t as_int;
    uint64_t as_uint;
    double as_real;
    bool as_bool;
    const char *text; /* of TEXT and JSON; else NULL */
    size_t text_len;  /* without the final NUL */
    uint64_t key_len; /* likewise */
    uint64_t reserved[3];
    uint32_t cursor[20]; /* where next_arg goes on; not for callers */
} tacho_arg_view;

/* The first argument of a span; false when it has none. */
TACHO_API bool tacho_view_first_arg(const tacho_view *view, uint64_t span, tacho_arg_view *out_arg);

/* The argument after |arg|, nested ones one by one; false after the last. */
TACHO_API bool tacho_view_next_arg(const tacho_view *view, tacho_arg_view *arg);

/* A value of a counter from this time on. */
typedef struct tacho_sample_view {
    uint32_t track;
    uint32_t part;
    int64_t time_ns;
    int64_t time_ticks;
    double value;
    uint64_t reserved[2];
} tacho_sample_view;

TACHO_API bool tacho_view_sample(const tacho_view *view, uint64_t index,
                                 tacho_sample_view *out_sample);

/* One end of an arrow between spans. */
typedef struct tacho_flow_view {
    uint32_t track;
    uint32_t part;
    int64_t time_ns;
    int64_t time_ticks;
    uint64_t id;       /* equal ids of a part belong together */
    const char *role;  /* "data", "order" or "launch" */
    const char *phase; /* "leaves" its span, "passes" through or "arrives" at it */
    /*
     * Its span: of its time and this end; -1 when it belongs to the innermost span around its
     * time, INT64_MAX when to the next that starts.
     */
    int64_t span_end_ns;
    uint64_t reserved[3];
} tacho_flow_view;

TACHO_API bool tacho_view_flow(const tacho_view *view, uint64_t index, tacho_flow_view *out_flow);

/* Records of one part that are not in the profile, for one reason. */
typedef struct tacho_loss_view {
    uint32_t part;
    const char *reason; /* for programs, e.g. "not_a_number" */
    const char *phrase; /* for people */
    uint64_t count;
    uint64_t first_line; /* of the file; 0 when the format has no lines */
    const char *example; /* how the first one begins; may be empty */
    uint64_t reserved[4];
} tacho_loss_view;

TACHO_API bool tacho_view_loss(const tacho_view *view, uint64_t index, tacho_loss_view *out_loss);

/* A fact about the whole profile. */
typedef struct tacho_fact_view {
    const char *key;
    const char *value;
    uint64_t key_len; /* without the final NUL */
    uint64_t value_len;
} tacho_fact_view;

TACHO_API bool tacho_view_fact(const tacho_view *view, uint64_t index, tacho_fact_view *out_fact);

/* ---- columns ---------------------------------------------------------------------------------
 *
 * All rows of a kind as arrays, which the caller has allocated: one element for each row, NULL for
 * columns that are not wanted. Each call fills the rows from |first| on, |count| at most, and
 * returns how many that were: 0 past the last one, for NULL, and for reserved members that are set.
 *
 *     uint64_t count = tacho_view_count(view).span_count;
 *     int64_t *starts = calloc(count, sizeof(*starts)), *ends = calloc(count, sizeof(*ends));
 *     const tacho_span_columns columns = {.start_ns = starts, .end_ns = ends};
 *     tacho_view_read_spans(view, 0, count, &columns);
 *
 * Texts are numbers: equal texts of a view have equal numbers, from 0 to string_count.
 */

/* The text of a number, "" for 0; NULL where there is none, as for TACHO_VIEW_NONE. */
TACHO_API const char *tacho_view_string(const tacho_view *view, uint32_t string);

/* The same with its length, for texts of files that hold NUL themselves; |out_len| may be NULL. */
TACHO_API const char *tacho_view_text(const tacho_view *view, uint32_t string, size_t *out_len);

/* Members as in tacho_span_view. */
typedef struct tacho_span_columns {
    int64_t *start_ns;
    int64_t *end_ns;
    int64_t *start_ticks;
    int64_t *end_ticks;
    uint32_t *track;
    uint32_t *part;
    uint32_t *name; /* a text, as are the next ones */
    uint32_t *category;
    uint32_t *origin;
    uint32_t *location; /* TACHO_VIEW_NONE when not known, as the next ones */
    uint32_t *file;
    uint32_t *run;
    uint32_t *line;      /* 0 when not known */
    int64_t *invocation; /* -1 when not known */
    uint8_t *is_instant; /* 0 or 1 */
    uint8_t *is_unended;
    void *reserved[8]; /* NULL */
} tacho_span_columns;

TACHO_API uint64_t tacho_view_read_spans(const tacho_view *view, uint64_t first, uint64_t count,
                                         const tacho_span_columns *columns);

/*
 * The argument |key| of spans as numbers. NaN where a span has none of that name, or it is neither
 * a number nor a truth value. Integers beyond 2^53 are rounded; tacho_view_next_arg has them
 * exactly.
 */
TACHO_API uint64_t tacho_view_read_arg(const tacho_view *view, const char *key, uint64_t first,
                                       uint64_t count, double *values);

/* Members as in tacho_sample_view. */
typedef struct tacho_sample_columns {
    int64_t *time_ns;
    int64_t *time_ticks;
    double *value;
    uint32_t *track;
    uint32_t *part;
    void *reserved[3]; /* NULL */
} tacho_sample_columns;

TACHO_API uint64_t tacho_view_read_samples(const tacho_view *view, uint64_t first, uint64_t count,
                                           const tacho_sample_columns *columns);

/* Members as in tacho_flow_view; |role| and |phase| are texts. */
typedef struct tacho_flow_columns {
    int64_t *time_ns;
    int64_t *time_ticks;
    int64_t *span_end_ns;
    uint64_t *id;
    uint32_t *track;
    uint32_t *part;
    uint32_t *role;
    uint32_t *phase;
    void *reserved[4]; /* NULL */
} tacho_flow_columns;

TACHO_API uint64_t tacho_view_read_flows(const tacho_view *view, uint64_t first, uint64_t count,
                                         const tacho_flow_columns *columns);

/* Members as in tacho_track_view; |name|, |track_class| and |unit| are texts. */
typedef struct tacho_track_columns {
    uint32_t *name;
    uint32_t *track_class;
    uint32_t *unit;
    uint32_t *parent;
    uint32_t *part;
    uint32_t *number;
    void *reserved[4]; /* NULL */
} tacho_track_columns;

TACHO_API uint64_t tacho_view_read_tracks(const tacho_view *view, uint64_t first, uint64_t count,
                                          const tacho_track_columns *columns);

#ifdef __cplusplus
}
#endif

#endif
