/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operators of two sides are the same? First operators of equal name, location and layer,
 * then those of equal name in one layer. In a layer that both sides have, leftover operators were
 * renamed, split or merged if the match is clear. Then operators of equal name, in the order in
 * which they ran. Leftover operators that share a location, or whose name combines other names
 * ("conv1+relu1"), were split or merged; between matched operators, those of equal type in their
 * order were renamed. The rest are new or removed.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_MATCH_H
#define TACHO_QUESTIONS_DIFF_DIFF_MATCH_H

#include "questions/samples/samples.h"

/* What became of an operator: id, name. */
#define TACHO_DIFF_KINDS(X)                                                                        \
    X(SAME, "")                                                                                    \
    X(RENAMED, "renamed")                                                                          \
    X(SPLIT, "split")                                                                              \
    X(MERGED, "merged")                                                                            \
    X(NEW, "new")                                                                                  \
    X(REMOVED, "removed")

typedef enum tacho_diff_kind {
#define TACHO_DIFF_KIND_ENUM(id, word) TACHO_DIFF_##id,
    TACHO_DIFF_KINDS(TACHO_DIFF_KIND_ENUM)
#undef TACHO_DIFF_KIND_ENUM
        TACHO_DIFF_KIND_COUNT,
} tacho_diff_kind;

const char *tacho_diff_kind_word(tacho_diff_kind kind);

typedef struct tacho_diff_match {
    const tacho_samples *sides[2];
    uint32_t *groups[2];    /* by operator: its row */
    tacho_diff_kind *kinds; /* by row */
    size_t kind_count, kind_capacity;
} tacho_diff_match;

/* Call deinit even after a failure. */
tacho_status tacho_diff_match_init(tacho_diff_match *match, const tacho_samples *a,
                                   const tacho_samples *b) TACHO_MUST_USE;
void tacho_diff_match_deinit(tacho_diff_match *match);

#endif
