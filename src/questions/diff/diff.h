/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diff: which operators are slower or faster on side B than on side A, and what explains the
 * difference? Times are means over the samples of a side, in whole nanoseconds that add up: the
 * rows of all operators and the idle time add up to the total, on each side and thus in the
 * difference.
 *
 * The gate: is B worse? A limit is relative and absolute, and both must be exceeded; a difference
 * that could be chance is not a regression, and an undecidable one is inconclusive, not passed.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_H
#define TACHO_QUESTIONS_DIFF_DIFF_H

#include "questions/diff/diff_match.h"
#include "questions/samples/statistics.h"
#include "base/notes.h"
#include "table/table.h"

/* The outcome of a gate, the worst last: id, name. */
#define TACHO_VERDICTS(X)                                                                          \
    X(NONE, "")                                                                                    \
    X(PASS, "pass")                                                                                \
    X(INCONCLUSIVE, "inconclusive")                                                                \
    X(REGRESSION, "regression")

typedef enum tacho_verdict {
#define TACHO_VERDICT_ENUM(id, word) TACHO_VERDICT_##id,
    TACHO_VERDICTS(TACHO_VERDICT_ENUM)
#undef TACHO_VERDICT_ENUM
} tacho_verdict;

const char *tacho_verdict_word(tacho_verdict verdict);

typedef struct tacho_gate {
    double relative; /* 0.03 */
    int64_t absolute_ns;
} tacho_gate;

/* The minimum number of samples on each side for measured profiles. */
enum { TACHO_GATE_SAMPLES_MIN = 5 };

/* The probability of a false alarm, for the total and for all operators together. */
#define TACHO_GATE_FALSE_ALARM 0.0003

/* Reads "rel=3%,abs=20us"; either may be left out. */
tacho_status tacho_gate_parse(tacho_str text, tacho_gate *out_gate) TACHO_MUST_USE;

/* One side of a row. */
typedef struct tacho_diff_side {
    int64_t wall_ns; /* mean, rounded so that rows add up */
    int64_t busy_ns, gap_ns;
    int64_t count;         /* spans per sample */
    int64_t bytes;         /* per sample, -1 when unknown */
    tacho_moments moments; /* of the wall time */
} tacho_diff_side;

typedef struct tacho_diff_row {
    tacho_diff_kind kind;
    uint32_t group;  /* string of the diff's groups if rows are types or layers */
    uint32_t ops[2]; /* the first operator of each side, TACHO_NONE for none */
    uint32_t op_counts[2];
    tacho_diff_side sides[2];
    tacho_shift shift;
    tacho_verdict verdict;
} tacho_diff_row;

/* What a row stands for: id, word, the name for one in messages. */
#define TACHO_DIFF_BYS(X)                                                                          \
    X(INSTANCE, "instance", "operator")                                                            \
    X(TYPE, "type", "type")                                                                        \
    X(LAYER, "layer", "layer")                                                                     \
    X(OP, "op", "operator")

typedef enum tacho_diff_by {
#define TACHO_DIFF_BY_ENUM(id, word, called) TACHO_DIFF_BY_##id,
    TACHO_DIFF_BYS(TACHO_DIFF_BY_ENUM)
#undef TACHO_DIFF_BY_ENUM
} tacho_diff_by;

/* Reads "type", "layer:3": the kind of rows and the depth of layers, 0 for all. */
tacho_status tacho_diff_by_parse(tacho_str text, tacho_diff_by *out_by,
                                 unsigned *out_depth) TACHO_MUST_USE;

/* The name for a row in messages: "operator". */
const char *tacho_diff_by_called(tacho_diff_by by);

typedef struct tacho_diff_options {
    tacho_diff_by by;
    bool is_fit_only; /* for two origins, show only how A agrees with B */
    size_t top;       /* rows to show; 0 for all */
    bool has_gate;
    tacho_gate gate;
    const tacho_notes *notes; /* receives notes on omissions and caveats (optional) */
} tacho_diff_options;

typedef struct tacho_diff {
    const tacho_samples *sides[2];
    tacho_diff_options options;
    tacho_diff_row *rows; /* largest difference first; then largest time on B */
    size_t row_count;
    tacho_strings groups;  /* names of types or layers if rows are these */
    bool has_other_shapes; /* some operator has other shapes on side B */
    tacho_diff_row total;  /* wall time of samples */
    tacho_diff_row idle;
    double matched_percent; /* of the operators' time on both sides, in rows that both have */
    tacho_verdict verdict;
    char reason[160]; /* of the verdict, for users */
} tacho_diff;

/* Sides outlive it. Call deinit even after a failure. */
tacho_status tacho_diff_init(tacho_diff *diff, const tacho_samples *a, const tacho_samples *b,
                             const tacho_diff_options *options) TACHO_MUST_USE;
void tacho_diff_deinit(tacho_diff *diff);

/* The type or layer of operator |op| of |side| itself, if rows are types or layers. */
tacho_str tacho_diff_group_of(const tacho_diff *diff, size_t side, uint32_t op);

/*
 * Whether a sample is a whole file on one side and a step of one on the other, and the file has
 * more than one and a half times as many operators: several unmarked steps.
 */
bool tacho_diff_has_other_amounts(const tacho_diff *diff);

/* Judges rows and total; called by tacho_diff_init if there is a gate. */
tacho_status tacho_diff_judge(tacho_diff *diff) TACHO_MUST_USE;

static inline int64_t tacho_diff_of(const tacho_diff_row *row)
{
    return row->sides[1].wall_ns - row->sides[0].wall_ns;
}

#endif
