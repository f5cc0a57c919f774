/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotate: a runtime profile joined with what the compiler says about the program.
 *
 *     tacho_annotation annotation;
 *     TACHO_TRY(tacho_annotate(&info, &profile, &options, &annotation));
 *     TACHO_TRY(tacho_annotation_table(&annotation, tacho_annotation_set_find(name), &table));
 *     ... or tacho_annotation_push(&annotation, &sink->events)
 *     tacho_annotation_deinit(&annotation);
 *
 * Profiles that give actions a dispatch and a number are joined by these; those that only give
 * jobs one after the other (a profile without runs) by their place: the i-th job that was waited
 * for is the i-th wait of the program. A profile whose runs have no dispatch name is joined with
 * the one dispatch that fits.
 *
 * What has no match is kept, with what is known, and counted by reason. Where both inputs have a
 * location that can be compared and they have nothing in common, the row is counted, too, although
 * it keeps its match: then the debug information may be another program's.
 */
#ifndef TACHO_QUESTIONS_ANNOTATE_ANNOTATE_H
#define TACHO_QUESTIONS_ANNOTATE_ANNOTATE_H

#include "profile/debug_info.h"
#include "profile/profile.h"
#include "table/table.h"

#define TACHO_ANNOTATION_KINDS(X)                                                                  \
    X(ACTION, "action") /* a step of the host: its own time */                                     \
    X(JOB, "job")       /* from the start of its start to the end of its wait */                   \
    X(INNER, "op")      /* an inner op of a job: its time is that of the wait for the job */       \
    X(PHASE, "phase")   /* of the runtime */                                                       \
    X(HAL, "hal")       /* a call of the runtime's hardware layer */

typedef enum tacho_annotation_kind {
#define TACHO_ANNOTATION_KIND_ENUM(name, text) TACHO_ANNOTATION_##name,
    TACHO_ANNOTATION_KINDS(TACHO_ANNOTATION_KIND_ENUM)
#undef TACHO_ANNOTATION_KIND_ENUM
        TACHO_ANNOTATION_KIND_COUNT,
} tacho_annotation_kind;

/* Why a row has no match: a key for programs, a phrase for people. */
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

/* When the work ran that an inner op starts: an estimate fitted into the job, in ticks. */
typedef struct tacho_annotation_fit {
    int64_t start;
    int64_t end; /* less than |start|: there is none */
} tacho_annotation_fit;

/* Times are ticks of the part's clock, as the input has them. */
typedef struct tacho_annotation_row {
    tacho_annotation_kind kind;
    tacho_annotation_reason reason; /* NONE: matched, or nothing to match */
    uint32_t part;
    uint32_t dispatch_name; /* string; of a HAL call its scope; 0 when not known */
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
    bool lacks_start; /* the input never said it, so |start| is only where the trace draws it */
    bool lacks_end;
    bool has_job_time;
    bool is_only_job; /* a job of an input without actions: it stands for its actions too */
    bool is_expanded; /* the inner ops of its job follow: tacho_annotation_inner() */
    bool is_general;  /* a HAL call of whose scope more specific ones are there */
    bool is_step;     /* starts or awaits a program of the host that has a JOB row of its own */
    int64_t start;
    int64_t end;
    int64_t job_start; /* of the job that it belongs to */
    int64_t job_end;
    union {
        size_t first_fit;         /* of an expanded row: that of its first inner op */
        tacho_annotation_fit fit; /* of an inner op */
    };
} tacho_annotation_row;

typedef struct tacho_annotate_options {
    bool omit_inner; /* no rows for inner ops */
} tacho_annotate_options;

/* Rows of one annotation, those of inner ops among them. */
enum { TACHO_ANNOTATION_ROWS_MAX = 1 << 26 };

typedef struct tacho_annotation {
    const tacho_debug_info *info;
    const tacho_profile *profile;
    /*
     * By part; within it by invocation, then by action: an action, after a start its job, after a
     * wait the inner ops of its job; then the phases of the invocation. HAL calls are last, by
     * time. The inner ops are by far the most and say little that is not their job's, so their rows
     * are made when they are asked for.
     */
    tacho_annotation_row *rows;
    size_t row_count, row_capacity;
    tacho_annotation_fit *fits; /* of all inner ops, in their order */
    size_t inner_count;
    uint64_t reason_counts[TACHO_ANNOTATION_REASON_COUNT]; /* rows but those of inner ops */
    size_t reason_first[TACHO_ANNOTATION_REASON_COUNT];    /* the first such row */
    uint64_t compared_count; /* rows of which both inputs have a location */
} tacho_annotation;

/* Both inputs are over the same dictionary and outlive the annotation. */
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

/* Rows without a match, for all reasons: then the caller's exit code says so. */
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
 * what a vendor's tool or manual has: "torq-a0" to "torq-a3", "seed-000", "seed-001". In those,
 * names are the vendor's, numbers are microseconds as in the input, and a slice more is a column
 * more. A vendor's inner ops have the time of the wait for their job; in "native", where it can be
 * told, that of the work that they start, as an estimate.
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

/* The same table page by page: memory would follow the cells of all of it. */
typedef struct tacho_annotation_pages tacho_annotation_pages;

tacho_status tacho_annotation_pages_open(const tacho_annotation *annotation,
                                         const tacho_annotation_set *set,
                                         tacho_annotation_pages **out_pages) TACHO_MUST_USE;

/*
 * The next page: |row_count| rows and what is left of the job of the last, or the rest. It is good
 * until the next call; NULL after the last page. There is always a first one.
 */
tacho_status tacho_annotation_pages_next(tacho_annotation_pages *pages, size_t row_count,
                                         tacho_table **out_page) TACHO_MUST_USE;
void tacho_annotation_pages_close(tacho_annotation_pages *pages);

/* ---- trace ------------------------------------------------------------------------------ */

/*
 * Pushes the profile with what the annotation adds to it, part by part, each of which is ended;
 * the caller finishes |to|. Programs of the accelerator are called by their kernels, and there are
 * more tracks: "DMA In Used" and the like, on which an engine is shown for the whole of each job
 * that used it, and where the compiler gives cycles "DMA In (estimated)" and the like, its pieces
 * of work fitted into the measured job. The latter are marked as estimates, and their tracks as not
 * to be counted. Rows are not in order: put a tacho_order in sort mode before what needs that.
 *
 * |to| is over the dictionary of the profile, and adds to it.
 */
tacho_status tacho_annotation_push(const tacho_annotation *annotation,
                                   tacho_events *to) TACHO_MUST_USE;

#endif
