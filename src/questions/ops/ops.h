/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops: which operations took the time? Spans of one operator (profile/operators.h), or of one
 * site, are a row: how often, how long together, how long each.
 *
 * Rows are per part, origin and track class, and never mix those. Durations are those of a trace:
 * the difference of two rounded ends. Percentiles are by nearest rank: p99 is the smallest
 * duration that is at least as long as 99 % of all, and always one that occurs. Moments are left
 * out.
 *
 * A span's own time is that in none of the spans directly inside it: on a track where spans lie in
 * one another like calls, time is counted once. What crosses another span is neither in it nor
 * around others, and stretches around other work are looked through. The share is the own time's,
 * of that of the selected spans of the same part, origin and side: devices come first, then the
 * host, and no share is of both.
 *
 * Where a part has spans that are whole operators (categories.h), what the engines did for them is
 * left out unless its class is asked for: it would count the same work again.
 *
 * Two passes over the profile: one to find each span's row, one to put durations together.
 */
#ifndef TACHO_QUESTIONS_OPS_OPS_H
#define TACHO_QUESTIONS_OPS_OPS_H

#include "base/notes.h"
#include "questions/ops/ops_gather.h"
#include "profile/inferences.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "table/table.h"

/* What rows can be sorted by: those before NAME largest first, the rest by alphabet. */
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

/* The key called |name|, TACHO_OPS_KEY_COUNT when there is none. */
tacho_ops_key tacho_ops_key_find(tacho_str name);

typedef struct tacho_ops_options {
    bool by_instance;       /* a row per site, else per operator */
    bool merges_parts;      /* all count as the first: they are the same program again */
    bool merges_inferences; /* those of one program that are parts of a file: as the first */
    tacho_ops_key sort;
    size_t top;               /* rows per part, origin and side; 0 for all */
    uint32_t classes;         /* TACHO_TRACK_BITs; 0 for all */
    tacho_name_filter filter; /* accepts is NULL: everything */
    const tacho_notes *notes; /* who is told what is left out or not exact (optional) */
} tacho_ops_options;

typedef struct tacho_op_row {
    uint32_t part;
    tacho_origin origin;
    tacho_track_class track_class;
    uint32_t name;     /* string */
    uint32_t location; /* TACHO_NONE when unknown, or when spans of the row differ in it */
    uint64_t count;
    int64_t total_ns; /* saturates */
    int64_t self_ns;  /* of that, what is in no span inside */
    int64_t mean_ns;  /* rounded */
    int64_t p50_ns;
    int64_t p99_ns;
    bool is_sketched; /* the percentiles are near the exact ones (durations.h) */
    int64_t min_ns;
    int64_t max_ns;
    bool has_bytes;
    int64_t bytes;         /* of all arguments in bytes; saturates */
    int64_t group_self_ns; /* of all rows of its part, origin and side */
    uint32_t place;        /* rows that are alike in all else are in the order of this */
} tacho_op_row;

/* What a row is made of, exactly: rows of several profiles can be merged. */
typedef struct tacho_op_sums {
    tacho_i128 total_ns;
    tacho_i128 inner_ns; /* of that, in spans directly inside */
    tacho_durations durations;
} tacho_op_sums;

typedef struct tacho_ops {
    const tacho_dict *dict;
    tacho_op_row *rows; /* by part, origin, devices ahead of the host, then as asked */
    size_t row_count, row_capacity;
    tacho_op_sums *sums; /* by row, until they are finished */
    size_t sums_count, sums_capacity;
    size_t left_out_count;       /* rows beyond the top */
    uint64_t piece_count;        /* spans of engines that are parts of operators that have a row */
    tacho_inferences inferences; /* where they are merged */
} tacho_ops;

/*
 * Makes the rows of |profile|, whose dictionary outlives |ops| and gains the names of operators. To
 * be deinitialised always.
 */
tacho_status tacho_ops_init(tacho_ops *ops, const tacho_profile *profile,
                            const tacho_ops_options *options) TACHO_MUST_USE;
/* The same of rows that have streamed by; |gather| is not needed any longer then. */
tacho_status tacho_ops_init_gathered(tacho_ops *ops, const tacho_ops_gather *gather,
                                     const tacho_ops_options *options) TACHO_MUST_USE;
/*
 * The two halves of that: rows in any order with their sums, without mean, percentiles and shares;
 * then those, in order, cut to the top.
 */
tacho_status tacho_ops_init_sums(tacho_ops *ops, const tacho_ops_gather *gather,
                                 const tacho_ops_options *options) TACHO_MUST_USE;
tacho_status tacho_ops_finish(tacho_ops *ops, const tacho_ops_options *options) TACHO_MUST_USE;
/* Another row, whose key is the caller's, with sums of nothing. */
tacho_status tacho_ops_add_row(tacho_ops *ops, const tacho_op_row *row) TACHO_MUST_USE;
void tacho_ops_deinit(tacho_ops *ops);

tacho_status tacho_ops_table(const tacho_ops *ops, tacho_table *out_table) TACHO_MUST_USE;

#endif
