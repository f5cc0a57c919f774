/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets: one per nanosecond below 128, above that 64 per power of two. With many durations a
 * bucket is rarely in the cache, so durations are first collected in an array and then counted
 * together. Only durations whose octave is already allocated are collected, so counting them cannot
 * fail.
 */
#include "questions/durations.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>

enum { STEP_BITS = 6, STEPS = TACHO_DURATIONS_STEPS, WAITING_MAX = 32 };

void tacho_durations_init(tacho_durations *durations)
{
    *durations = (tacho_durations){.is_exact = true};
}

void tacho_durations_deinit(tacho_durations *durations)
{
    free(durations->values);
    for (size_t i = 0; i < TACHO_DURATIONS_OCTAVES && durations->octaves != NULL; i++) {
        free(durations->octaves[i]);
    }
    free(durations->octaves);
    tacho_durations_init(durations);
}

/* The octave of |ns| and its step in there: the first octave holds the numbers below 64
 * unchanged. */
static unsigned octave_of(int64_t ns, unsigned *out_step)
{
    uint64_t value = (uint64_t)ns;
    unsigned octave = value < STEPS ? 0 : 64 - STEP_BITS - (unsigned)__builtin_clzll(value);
    *out_step = (unsigned)(octave <= 1 ? value : value >> (octave - 1)) & (STEPS - 1);
    return octave;
}

static int64_t middle_of(unsigned octave, unsigned step)
{
    if (octave <= 1) {
        return (int64_t)(octave * STEPS + step);
    }
    uint64_t width = UINT64_C(1) << (octave - 1);
    return (int64_t)((STEPS + step) * width + width / 2);
}

static tacho_status count(tacho_durations *durations, unsigned octave, unsigned step,
                          uint64_t times)
{
    assert(octave < TACHO_DURATIONS_OCTAVES);
    if (TACHO_UNLIKELY(durations->octaves == NULL)) {
        TACHO_TRY(tacho_items_make(&durations->octaves, TACHO_DURATIONS_OCTAVES));
    }
    if (TACHO_UNLIKELY(durations->octaves[octave] == NULL)) {
        TACHO_TRY(tacho_items_make(&durations->octaves[octave], STEPS));
        durations->octave_bits |= UINT64_C(1) << octave;
    }
    durations->octaves[octave][step] += times;
    return TACHO_OK;
}

tacho_status tacho_durations_count(tacho_durations *durations, unsigned octave, unsigned step,
                                   uint64_t times)
{
    assert(!durations->is_exact && step < STEPS);
    durations->count += times;
    return count(durations, octave, step, times);
}

static tacho_status count_one(tacho_durations *durations, int64_t ns)
{
    unsigned step = 0;
    unsigned octave = octave_of(ns, &step);
    return count(durations, octave, step, 1);
}

const uint64_t *tacho_durations_octave(const tacho_durations *durations, unsigned octave)
{
    return durations->octaves != NULL ? durations->octaves[octave] : NULL;
}

tacho_status tacho_durations_compact(tacho_durations *durations)
{
    for (uint64_t i = 0; i < durations->count && durations->is_exact; i++) {
        TACHO_TRY(count_one(durations, durations->values[i]));
    }
    if (!durations->is_exact) {
        return TACHO_OK;
    }
    durations->is_exact = false;
    free(durations->values);
    durations->values = NULL;
    durations->value_capacity = 0;
    return TACHO_OK;
}

/* Counts the collected values. */
static void count_waiting(tacho_durations *durations)
{
    for (uint32_t i = 0; i < durations->waiting_count; i++) {
        unsigned step = 0;
        unsigned octave = octave_of(durations->values[i], &step);
        durations->octaves[octave][step]++;
    }
    durations->waiting_count = 0;
}

static tacho_status add_inexact(tacho_durations *durations, int64_t ns)
{
    unsigned step = 0;
    unsigned octave = octave_of(ns, &step);
    durations->count++;
    if (TACHO_UNLIKELY((durations->octave_bits >> octave & 1) == 0)) {
        return count(durations, octave, step, 1);
    }
    if (TACHO_UNLIKELY(durations->value_capacity < WAITING_MAX)) {
        TACHO_TRY(tacho_grow(&durations->values, &durations->value_capacity, WAITING_MAX));
    }
    durations->values[durations->waiting_count++] = ns;
    if (durations->waiting_count == WAITING_MAX) {
        count_waiting(durations);
    }
    return TACHO_OK;
}

tacho_status tacho_durations_add(tacho_durations *durations, int64_t ns)
{
    assert(ns >= 0);
    if (durations->is_exact) {
        TACHO_TRY(tacho_grow(&durations->values, &durations->value_capacity, durations->count + 1));
        durations->values[durations->count++] = ns;
        return TACHO_OK;
    }
    return add_inexact(durations, ns);
}

tacho_status tacho_durations_merge(tacho_durations *durations, const tacho_durations *more)
{
    if (durations->is_exact && more->is_exact) {
        size_t total = (size_t)(durations->count + more->count);
        TACHO_TRY(tacho_grow(&durations->values, &durations->value_capacity, total));
        for (uint64_t i = 0; i < more->count; i++) {
            durations->values[durations->count++] = more->values[i];
        }
        return TACHO_OK;
    }
    TACHO_TRY(durations->is_exact ? tacho_durations_compact(durations) : TACHO_OK);
    durations->count += more->count;
    uint64_t single_count = more->is_exact ? more->count : more->waiting_count;
    for (uint64_t i = 0; i < single_count; i++) {
        TACHO_TRY(count_one(durations, more->values[i]));
    }
    for (unsigned octave = 0; octave < TACHO_DURATIONS_OCTAVES; octave++) {
        const uint64_t *counts = tacho_durations_octave(more, octave);
        for (unsigned step = 0; step < STEPS && counts != NULL; step++) {
            TACHO_TRY(counts[step] > 0 ? count(durations, octave, step, counts[step]) : TACHO_OK);
        }
    }
    return TACHO_OK;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void tacho_durations_sort(tacho_durations *durations)
{
    count_waiting(durations);
    if (durations->is_exact && durations->count > 0) {
        qsort(durations->values, (size_t)durations->count, sizeof(*durations->values), compare);
    }
}

int64_t tacho_durations_percentile(const tacho_durations *durations, uint64_t percent)
{
    uint64_t all = durations->count;
    uint64_t rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    if (durations->is_exact) {
        return durations->values[rank - 1];
    }
    int64_t last = 0;
    uint64_t below = 0;
    for (unsigned octave = 0; octave < TACHO_DURATIONS_OCTAVES && below < rank; octave++) {
        const uint64_t *counts = tacho_durations_octave(durations, octave);
        for (unsigned step = 0; step < STEPS && counts != NULL && below < rank; step++) {
            below += counts[step];
            last = middle_of(octave, step);
        }
    }
    return last;
}
