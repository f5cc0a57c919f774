/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of time: half-open intervals [begin, end) of integers, with exact set algebra.
 *
 * Intervals are added in any order; tacho_intervals_normalise sorts them and merges those that
 * overlap or touch. Everything else wants its inputs normalised, is linear, and gives a result
 * that is normalised too. An empty interval holds no time and is not kept.
 *
 *     tacho_intervals busy = {0};
 *     TACHO_TRY(tacho_intervals_add(&busy, 10, 20));
 *     TACHO_TRY(tacho_intervals_add(&busy, 20, 30));     // extends the first
 *     tacho_intervals_normalise(&busy);
 *     tacho_intervals_total(&busy);                      // 20
 *     tacho_intervals_deinit(&busy);
 */
#ifndef TACHO_ANALYSES_INTERVALS_H
#define TACHO_ANALYSES_INTERVALS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tacho_interval {
    int64_t begin;
    int64_t end; /* > begin */
} tacho_interval;

/* All zero is the empty set. */
typedef struct tacho_intervals {
    tacho_interval *items;
    size_t item_count, item_capacity;
    bool is_unsorted;
} tacho_intervals;

void tacho_intervals_deinit(tacho_intervals *set);

/* Adds [begin, end), begin <= end; one that continues the last one takes no memory. */
tacho_status tacho_intervals_add(tacho_intervals *set, int64_t begin, int64_t end) TACHO_MUST_USE;

/* Adds all of |other|, which is another set. */
tacho_status tacho_intervals_add_all(tacho_intervals *set,
                                     const tacho_intervals *other) TACHO_MUST_USE;

/* Sorts, and merges what overlaps or touches. */
void tacho_intervals_normalise(tacho_intervals *set);

/* What is in |a| or |b|. |out_set| is empty and neither of them, here and below. */
tacho_status tacho_intervals_unite(const tacho_intervals *a, const tacho_intervals *b,
                                   tacho_intervals *out_set) TACHO_MUST_USE;

/* What is in |a| and not in |b|. */
tacho_status tacho_intervals_subtract(const tacho_intervals *a, const tacho_intervals *b,
                                      tacho_intervals *out_set) TACHO_MUST_USE;

/* What is in both. */
tacho_status tacho_intervals_intersect(const tacho_intervals *a, const tacho_intervals *b,
                                       tacho_intervals *out_set) TACHO_MUST_USE;

/* The length of all intervals together. */
int64_t tacho_intervals_total(const tacho_intervals *set);

#endif
