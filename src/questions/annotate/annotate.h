/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotate: joins a runtime profile with the compiler's debug information about the program.
 *
 *     tacho_annotation annotation;
 *     TACHO_TRY(tacho_annotate(&info, &profile, &options, &annotation));
 *     TACHO_TRY(tacho_annotation_table(&annotation, tacho_annotation_set_find(name), &table));
 *     ... or tacho_annotation_push(&annotation, &sink->events)
 *     tacho_annotation_deinit(&annotation);
 *
 * Profiles that give actions a dispatch and a number are joined by these. Profiles that only list
 * jobs one after the other (without runs) are joined by position: the i-th job that was waited for
 * is the i-th wait of the program. A profile whose runs have no dispatch name is joined with the
 * one dispatch that fits.
 *
 * Rows without a match are kept, with the known facts, and counted by reason. A row whose two
 * locations can be compared but have nothing in common is counted as well, although it keeps its
 * match: the debug information may belong to another program.
 */
#ifndef TACHO_QUESTIONS_ANNOTATE_ANNOTATE_H
#define TACHO_QUESTIONS_ANNOTATE_ANNOTATE_H

#include "profile/debug_info.h"
#include "profile/profile.h"
#include "table/table.h"

#define TACHO_ANNOTATION_KINDS(X)                                                                  \
    X(ACTION, "action") /* a step of the host: its own time */                                     \
    X(JOB, "job")       /* from the start of its start to the end of its wait */                   \
    X(INNER, "op")      /* an inner op of a job: has the time of the wait for the job */           \
    X(PHASE, "phase")   /* of the runtime */                                                       \
    X(HAL, "hal")       /* a call of the runtime's hardware layer */

typedef enum tacho_annotation_kind {
#define TACHO_ANNOTATION_KIND_ENUM(name, text) TACHO_ANNOTATION_##name,
    TACHO_ANNOTATION_KINDS(TACHO_ANNOTATION_KIND_ENUM)
#undef TACHO_ANNOTATION_KIND_ENUM
        TACHO_ANNOTATION_KIND_COUNT,
} tacho_annotation_kind;

/* Why a row has no match: a key for programs, a phrase for users. */
#define TACHO_ANNOTATION_REASONS(X)                                                                \
    X(NONE, "", "")                                                                                \
    X(NO_DISPATCH, "no_dispatch", "the debug information has no such dispatch")                    \
    X(NO_ACTION, "no_action", "the dispatch has no action of that number")                         \
    X(OTHER_ACTION, "other_action", "the action of that number does something else")               \
    X(NO_JOB, "no_job", "the program has fewer jobs")                                              \
    X(NOT_WAITED, "not_waited", "it waits for a job that nothing starts")                          \
    X(OTHER_LOCATION, "other_location", "the debug information has it at another location")        \
    X(NOT_TIMED, "not_timed", "the runtime profile has no time for it")                            \
    X(HALF_TIMED, "half_timed", "the runtime profile has only its begin, or only its end")

typedef enum tacho_annotation_reason {
#define TACHO_ANNOTATION_REASON_ENUM(name, key, phrase) TACHO_ANNOTATION_REASON_##name,
    TACHO_ANNOTATION_REASONS(TACHO_ANNOTATION_REASON_ENUM)
#undef TACHO_ANNOTATION_REASON_ENUM
        TACHO_ANNOTATION_REASON_COUNT,
} tacho_annotation_reason;

/* Time of the work that an inner op starts: an estimate fitted into the job, in ticks. */
typedef struct tacho_annotation_fit {
    int64_t start;
    int64_t end; /* less than |start|: no estimate */
} tacho_annotation_fit;

/* Times are ticks of the part's clock, as the input has them. */
typedef struct tacho_annotation_row {
    tacho_annotation_kind kind;
    tacho_annotation_reason reason; /* NONE: matched, or nothing to match */
    uint32_t part;
    uint32_t dispatch_name; /* string; the scope of a HAL call; 0 when not known */
    int64_t invocation;     /* -1 when the input has none */
    int64_t action_id;      /* as the runtime numbers it, -1 for none */
    int64_t job_id;         /* as the runtime numbers it, else as the compiler does, -1 for none */
    uint32_t action;        /* in the debug info, or TACHO_NONE */
    uint32_t job;           /* the same */
    uint32_t op;            /* inner op, the same */
    uint32_t operation;     /* string: "torq_hl.start_program"; without a match the event's name */
    uint32_t location;      /* or TACHO_NONE */
    uint32_t span;          /* of the profile, that has its time, or TACHO_NONE */
    bool has_time;
    bool lacks_start; /* missing in the input: |start| only places the span in the trace */
    bool lacks_end;
    bool has_job_time;
    bool is_only_job; /* a job of an input without actions: represents its actions too */
    bool is_expanded; /* the inner ops of its job follow: tacho_annotation_inner() */
    bool is_general;  /* a HAL call whose scope also has more specific calls */
    bool is_step;     /* starts or awaits a host program that has its own JOB row */
    int64_t start;
    int64_t end;
    int64_t job_start; /* of the job that it belongs to */
    int64_t job_end;
    union {
        size_t first_fit;         /* of an expanded row: the fit of its first inner op */
        tacho_annotation_fit fit; /* of an inner op */
    };
} tacho_annotation_row;

typedef struct tacho_annotate_options {
    bool omit_inner; /* no rows for inner ops */
} tacho_annotate_options;

/* Maximum rows of one annotation, including those of inner ops. */
enum { TACHO_ANNOTATION_ROWS_MAX = 1 << 26 };

typedef struct tacho_annotation {
    const tacho_debug_info *info;
    const tacho_profile *profile;
    /*
     * By part; within it by invocation, then by action: an action, after a start its job, after a
     * wait the inner ops of its job; then the phases of the invocation. HAL calls are last, by
     * time. Inner ops are by far the most rows and add little to their job's, so their rows are
     * made on demand.
     */
    tacho_annotation_row *rows;
    size_t row_count, row_capacity;
    tacho_annotation_fit *fits; /* of all inner ops, in their order */
    size_t inner_count;
    uint64_t reason_counts[TACHO_ANNOTATION_REASON_COUNT]; /* without rows of inner ops */
    size_t reason_first[TACHO_ANNOTATION_REASON_COUNT];    /* the first such row */
    uint64_t compared_count; /* rows for which both inputs have a location */
} tacho_annotation;

/* Both inputs share one dictionary and outlive the annotation. */
tacho_status tacho_annotate(const tacho_debug_info *info, const tacho_profile *profile,
                            const tacho_annotate_options *options,
                            tacho_annotation *out_annotation) TACHO_MUST_USE;
void tacho_annotation_deinit(tacho_annotation *annotation);

/* How many inner ops follow |row|. */
static inline uint32_t tacho_annotation_inner_count(const tacho_annotation *annotation,
                                                    const tacho_annotation_row *row)
{
    return row->is_expanded ? annotation->info->jobs[row->job].op_count : 0;
}

/* The row of the |index|-th inner op that follows |row|. */
tacho_annotation_row tacho_annotation_inner(const tacho_annotation *annotation,
                                            const tacho_annotation_row *row, uint32_t index);

/* Rows without a match, over all reasons: if any, the caller's exit code reports it. */
uint64_t tacho_annotation_unmatched_count(const tacho_annotation *annotation);

const char *tacho_annotation_kind_name(tacho_annotation_kind kind);
const char *tacho_annotation_reason_key(tacho_annotation_reason reason);
const char *tacho_annotation_reason_phrase(tacho_annotation_reason reason);

/* One row per reason that occurs: how many, and the first example. */
tacho_status tacho_annotation_problems(const tacho_annotation *annotation,
                                       tacho_table *out_table) TACHO_MUST_USE;

/* ---- tables ----------------------------------------------------------------------------- */

/*
 * A choice of columns and rows: "native" (all rows, times in ns from the start of the trace), or
 * the columns of a generation of the vendor's tool, "torq-a0" to "torq-a3", or of its manual,
 * "torq-a0-manual" and "torq-a3-manual". Vendor sets have the vendor's names, times in microseconds
 * as in the input, and a column per slice.
 * Their inner ops have the time of the wait for their job; in "native" they have, where it can be
 * estimated, the time of the work that they start.
 */
typedef struct tacho_annotation_set tacho_annotation_set;

/* All sets: the |index|-th, or NULL. */
const tacho_annotation_set *tacho_annotation_set_at(size_t index);
const tacho_annotation_set *tacho_annotation_set_find(tacho_str name);
const char *tacho_annotation_set_name(const tacho_annotation_set *set);
const char *tacho_annotation_set_title(const tacho_annotation_set *set);

/* Initialises |out_table|; deinit it even after a failure. */
tacho_status tacho_annotation_table(const tacho_annotation *annotation,
                                    const tacho_annotation_set *set,
                                    tacho_table *out_table) TACHO_MUST_USE;

/* The same table page by page: the memory for a whole table grows with its cells. */
typedef struct tacho_annotation_pages tacho_annotation_pages;

tacho_status tacho_annotation_pages_open(const tacho_annotation *annotation,
                                         const tacho_annotation_set *set,
                                         tacho_annotation_pages **out_pages) TACHO_MUST_USE;

/*
 * The next page: |row_count| rows plus the remaining rows of the last one's job, or all remaining
 * rows. It is valid until the next call; NULL after the last page. There is always a first page.
 */
tacho_status tacho_annotation_pages_next(tacho_annotation_pages *pages, size_t row_count,
                                         tacho_table **out_page) TACHO_MUST_USE;
void tacho_annotation_pages_close(tacho_annotation_pages *pages);

/* ---- trace ------------------------------------------------------------------------------ */

/*
 * Pushes the annotated profile part by part and ends each part; the caller finishes |to|.
 * Accelerator programs are named after their kernels. There are more tracks: "DMA In Used" etc.
 * show an engine for the whole of each job that used it; "DMA In (estimated)" etc. show the pieces
 * of work fitted into the measured job, if the compiler gives cycles. The latter are marked as
 * estimates, and their tracks are not counted as busy. Rows are not sorted: put a tacho_order in
 * sort mode before a sink that needs order.
 *
 * |to| uses the dictionary of the profile and adds to it.
 */
tacho_status tacho_annotation_push(const tacho_annotation *annotation,
                                   tacho_events *to) TACHO_MUST_USE;

#endif
