/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops: which operations took the time? Each row covers the spans of one operator
 * (profile/operators.h) or of one site: count, total time, and time of each.
 *
 * Rows are per part, origin and track class, which are never mixed. Durations are those of a trace:
 * the difference of two rounded ends. Percentiles are by nearest rank: p99 is the smallest duration
 * that is at least as long as 99 % of all, and always occurs. Moments are left out.
 *
 * A span's self time is its time outside of the spans directly inside it: on a track with nested
 * spans, like calls, time is counted once. A span that crosses another is neither inside it nor
 * around others, and enclosing phases are ignored. The share is the self time relative to that of
 * the selected spans of the same part, origin and side: devices first, then the host; no share
 * covers both.
 *
 * If a part has spans that are whole operators (categories.h), the engines' work for them is left
 * out unless its class is requested: it would count the same work twice.
 *
 * Two passes over the profile: one to find each span's row, one to collect durations.
 */
#ifndef TACHO_QUESTIONS_OPS_OPS_H
#define TACHO_QUESTIONS_OPS_OPS_H

#include "base/notes.h"
#include "questions/ops/ops_gather.h"
#include "profile/inferences.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "table/table.h"

/* Sort keys: those before NAME largest first, the rest by alphabet. */
#define TACHO_OPS_KEYS(X)                                                                          \
    X(SELF, "self")                                                                                \
    X(TOTAL, "total")                                                                              \
    X(COUNT, "count")                                                                              \
    X(MEAN, "mean")                                                                                \
    X(P50, "p50")                                                                                  \
    X(P99, "p99")                                                                                  \
    X(MIN, "min")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(BYTES, "bytes")                                                                              \
    X(NAME, "name")                                                                                \
    X(LOCATION, "location")

typedef enum tacho_ops_key {
#define TACHO_OPS_ENUM(name, text) TACHO_OPS_BY_##name,
    TACHO_OPS_KEYS(TACHO_OPS_ENUM)
#undef TACHO_OPS_ENUM
        TACHO_OPS_KEY_COUNT,
} tacho_ops_key;

/* The key called |name|; USAGE, with the names of all, if there is none. */
tacho_status tacho_ops_key_parse(tacho_str name, tacho_ops_key *out_key) TACHO_MUST_USE;

typedef struct tacho_ops_options {
    bool by_instance;       /* a row per site, else per operator */
    bool merges_parts;      /* all count as the first: repetitions of one program */
    bool merges_inferences; /* inferences of one program in one file count as the first */
    tacho_ops_key sort;
    size_t top;               /* rows per part, origin and side; 0 for all */
    uint32_t classes;         /* TACHO_TRACK_BITs; 0 for all */
    tacho_name_filter filter; /* a NULL |accepts| accepts all */
    const tacho_notes *notes; /* receives notes on omissions and inexact values (optional) */
} tacho_ops_options;

typedef struct tacho_op_row {
    uint32_t part;
    tacho_origin origin;
    tacho_track_class track_class;
    uint32_t name;     /* string */
    uint32_t location; /* TACHO_NONE if unknown, or if spans of the row differ in it */
    uint64_t count;
    int64_t total_ns; /* saturates */
    int64_t self_ns;  /* of that, the time outside of inner spans */
    int64_t mean_ns;  /* rounded */
    int64_t p50_ns;
    int64_t p99_ns;
    bool is_sketched; /* the percentiles are near the exact ones (durations.h) */
    int64_t min_ns;
    int64_t max_ns;
    bool has_bytes;
    int64_t bytes;         /* sum of all arguments in bytes; saturates */
    int64_t group_self_ns; /* of all rows of its part, origin and side */
    uint32_t place;        /* final tie-breaker of the order */
} tacho_op_row;

/* The exact sums of a row: rows of several profiles can be merged. */
typedef struct tacho_op_sums {
    tacho_i128 total_ns;
    tacho_i128 inner_ns; /* of that, in spans directly inside */
    tacho_durations durations;
} tacho_op_sums;

typedef struct tacho_ops {
    const tacho_dict *dict;
    tacho_op_row *rows; /* by part, origin, devices before the host, then by key */
    size_t row_count, row_capacity;
    tacho_op_sums *sums; /* by row, until they are finished */
    size_t sums_count, sums_capacity;
    size_t left_out_count;       /* rows beyond the top */
    uint64_t piece_count;        /* spans of engines for operators that have a row */
    tacho_inferences inferences; /* if they are merged */
} tacho_ops;

/*
 * Makes the rows of |profile|, whose dictionary outlives |ops| and gains the names of operators.
 * Deinitialise |ops| even after a failure.
 */
tacho_status tacho_ops_init(tacho_ops *ops, const tacho_profile *profile,
                            const tacho_ops_options *options) TACHO_MUST_USE;
/* The same for gathered rows; |gather| is not needed afterwards. */
tacho_status tacho_ops_init_gathered(tacho_ops *ops, const tacho_ops_gather *gather,
                                     const tacho_ops_options *options) TACHO_MUST_USE;
/*
 * The two halves of that: makes rows in any order with their sums, without mean, percentiles and
 * shares; then computes these, sorts and keeps the top rows.
 */
tacho_status tacho_ops_init_sums(tacho_ops *ops, const tacho_ops_gather *gather,
                                 const tacho_ops_options *options) TACHO_MUST_USE;
tacho_status tacho_ops_finish(tacho_ops *ops, const tacho_ops_options *options) TACHO_MUST_USE;
/* Adds a row with the caller's key and empty sums. */
tacho_status tacho_ops_add_row(tacho_ops *ops, const tacho_op_row *row) TACHO_MUST_USE;
void tacho_ops_deinit(tacho_ops *ops);

tacho_status tacho_ops_table(const tacho_ops *ops, tacho_table *out_table) TACHO_MUST_USE;

#endif
