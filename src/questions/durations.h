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
    int64_t *values; /* all durations while exact; then those not yet counted */
    size_t value_capacity;
    uint64_t count;
    bool is_exact;          /* |values| are all of them */
    uint32_t waiting_count; /* of |values| if not exact; 0 after tacho_durations_sort */
    uint64_t octave_bits;   /* which of |octaves| are allocated */
    uint64_t **octaves;     /* counts, TACHO_DURATIONS_OCTAVES; NULL while empty */
} tacho_durations;

void tacho_durations_init(tacho_durations *durations);
void tacho_durations_deinit(tacho_durations *durations);

/* |ns| is not negative. */
tacho_status tacho_durations_add(tacho_durations *durations, int64_t ns) TACHO_MUST_USE;

/* Switches to buckets for all durations, present and future. */
tacho_status tacho_durations_compact(tacho_durations *durations) TACHO_MUST_USE;

/* Adds all of |more|; the result is exact if both are. */
tacho_status tacho_durations_merge(tacho_durations *durations,
                                   const tacho_durations *more) TACHO_MUST_USE;

/* Adds |times| to the count of a bucket; |durations| must not be exact any more. */
tacho_status tacho_durations_count(tacho_durations *durations, unsigned octave, unsigned step,
                                   uint64_t times) TACHO_MUST_USE;

/* The counts of an octave, TACHO_DURATIONS_STEPS; NULL if it is empty. */
const uint64_t *tacho_durations_octave(const tacho_durations *durations, unsigned octave);

/* Sorts exact values and counts the others in their buckets. Call it before asking for percentiles
 * or counts. */
void tacho_durations_sort(tacho_durations *durations);

/* The shortest duration that is not shorter than |percent| % of them. There must be at least
 * one. */
int64_t tacho_durations_percentile(const tacho_durations *durations, uint64_t percent);

#endif
