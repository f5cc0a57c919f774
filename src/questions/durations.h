/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations of many spans, for percentiles. They are kept, and percentiles are exact, until
 * a caller asks to compact them. Then they are counted in buckets of 1/64 of their size, and
 * memory does not grow any more; a percentile is the middle of its bucket, which is within
 * TACHO_DURATIONS_ERROR_PERCENT of the exact one.
 */
#ifndef TACHO_QUESTIONS_DURATIONS_H
#define TACHO_QUESTIONS_DURATIONS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define TACHO_DURATIONS_ERROR_PERCENT "0.8"

enum { TACHO_DURATIONS_OCTAVES = 58, TACHO_DURATIONS_STEPS = 64 };

typedef struct tacho_durations {
    int64_t *values; /* while they are few; then those that wait to be counted */
    size_t value_capacity;
    uint64_t count;
    bool is_exact;          /* |values| are all of them */
    uint32_t waiting_count; /* of |values|, unless it is exact; none behind tacho_durations_sort */
    uint64_t octave_bits;   /* which of |octaves| are there */
    uint64_t **octaves;     /* of counts, TACHO_DURATIONS_OCTAVES; NULL while there are none */
} tacho_durations;

void tacho_durations_init(tacho_durations *durations);
void tacho_durations_deinit(tacho_durations *durations);

/* |ns| is not negative. */
tacho_status tacho_durations_add(tacho_durations *durations, int64_t ns) TACHO_MUST_USE;

/* Counts them in buckets from here on. */
tacho_status tacho_durations_compact(tacho_durations *durations) TACHO_MUST_USE;

/* Adds all of |more|; what is exact in both stays so. */
tacho_status tacho_durations_merge(tacho_durations *durations,
                                   const tacho_durations *more) TACHO_MUST_USE;

/* Counts |times| more in a bucket, of durations that are not exact any more. */
tacho_status tacho_durations_count(tacho_durations *durations, unsigned octave, unsigned step,
                                   uint64_t times) TACHO_MUST_USE;

/* The counts of an octave, TACHO_DURATIONS_STEPS; NULL where there are none. */
const uint64_t *tacho_durations_octave(const tacho_durations *durations, unsigned octave);

/* Puts exact values in order, others in their buckets; call it before asking for percentiles or
 * counts. */
void tacho_durations_sort(tacho_durations *durations);

/* The shortest that is not shorter than |percent| % of them; there is one at least. */
int64_t tacho_durations_percentile(const tacho_durations *durations, uint64_t percent);

#endif
