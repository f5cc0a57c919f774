/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that are not typical. The usual distance is the median distance from the median, which a
 * few bad samples do not affect, scaled to a standard deviation.
 */
#include "questions/samples/samples.h"

#include "base/grow.h"
#include "base/whole.h"

#include <stdlib.h>

enum { SAMPLES_MIN = 5, ONE_IN = 5, DISTANCES = 6 };

#define DEVIATION_PER_DISTANCE 1.4826
/* Samples closer than this part of the median are never set aside, even if the rest is very
 * steady. */
#define LEAST_PART 0.1

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/*
 * The wall time above which samples are set aside; false if too many are above it to be a
 * disturbance. |times| is room for all.
 */
static bool find_limit(const tacho_samples *samples, int64_t *times, int64_t *out_limit)
{
    size_t count = samples->whole_count;
    for (size_t i = 0; i < count; i++) {
        times[i] = samples->wholes[i].wall_ns;
    }
    qsort(times, count, sizeof(*times), compare_times);
    int64_t median = times[count / 2];
    int64_t most_allowed = times[count - 1 - count / ONE_IN]; /* largest sample that must stay */
    for (size_t i = 0; i < count; i++) {
        int64_t distance = samples->wholes[i].wall_ns - median;
        times[i] = distance < 0 ? -distance : distance;
    }
    qsort(times, count, sizeof(*times), compare_times);
    double far = DISTANCES * DEVIATION_PER_DISTANCE * (double)times[count / 2];
    double least = LEAST_PART * (double)median;
    double limit = (double)median + (far > least ? far : least);
    *out_limit = limit < 9e18 ? tacho_whole_i64(limit) : INT64_MAX;
    return limit >= (double)most_allowed;
}

/* Gives the kept samples new numbers, and TACHO_NONE to the others. */
static void renumber(tacho_samples *samples, int64_t limit, uint32_t *numbers)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < samples->whole_count; i++) {
        bool stays = samples->wholes[i].wall_ns <= limit;
        numbers[i] = stays ? kept : TACHO_NONE;
        if (stays) {
            samples->wholes[kept++] = samples->wholes[i];
        }
    }
    samples->aside_count += samples->whole_count - kept;
    samples->whole_count = kept;
}

static void drop_cells(tacho_sampled_op *op, const uint32_t *numbers)
{
    size_t kept = 0;
    for (size_t i = 0; i < op->cell_count; i++) {
        uint32_t number = numbers[op->cells[i].sample];
        if (number != TACHO_NONE) {
            op->cells[kept] = op->cells[i];
            op->cells[kept++].sample = number;
        }
    }
    op->cell_count = kept;
}

/* |*out_is_clear| becomes false if all samples must be kept. */
static tacho_status find_side(const tacho_samples *samples, int64_t *out_limit, bool *out_is_clear)
{
    int64_t *times = NULL;
    *out_limit = INT64_MAX;
    *out_is_clear = true;
    if (samples->whole_count < SAMPLES_MIN || !tacho_samples_vary(samples)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&times, samples->whole_count));
    *out_is_clear = find_limit(samples, times, out_limit);
    free(times);
    return TACHO_OK;
}

static tacho_status keep_below(tacho_samples *samples, int64_t limit)
{
    uint32_t *numbers = NULL;
    TACHO_TRY(tacho_items_make(&numbers, samples->whole_count));
    renumber(samples, limit, numbers);
    for (size_t i = 0; i < samples->op_count; i++) {
        drop_cells(&samples->ops[i], numbers);
    }
    free(numbers);
    return TACHO_OK;
}

tacho_status tacho_samples_set_aside(tacho_samples sides[2])
{
    int64_t limits[2];
    bool is_clear[2];
    TACHO_TRY(find_side(&sides[0], &limits[0], &is_clear[0]));
    TACHO_TRY(find_side(&sides[1], &limits[1], &is_clear[1]));
    for (size_t i = 0; i < 2 && is_clear[0] && is_clear[1]; i++) {
        TACHO_TRY(limits[i] < INT64_MAX ? keep_below(&sides[i], limits[i]) : TACHO_OK);
    }
    return TACHO_OK;
}
