/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores of an execution, one after the other, then statistics of each metric.
 */
#include "vendors/tenstorrent/tt_join_counters.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Least, median, largest and mean of |count| values, which are sorted on the way. */
static void summarise(double *values, size_t count, double out_stats[TT_METRIC_STATS])
{
    double sum = 0;
    double rest = 0; /* what the sum is too small by */
    for (size_t i = 0; i < TT_METRIC_STATS; i++) {
        out_stats[i] = (double)NAN;
    }
    if (count == 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double more = values[i] - rest;
        double next = sum + more;
        rest = next - sum - more;
        sum = next;
    }
    qsort(values, count, sizeof(*values), compare_reals);
    out_stats[0] = values[0];
    out_stats[1] =
        count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
    out_stats[2] = values[count - 1];
    out_stats[3] = sum / (double)count;
}

/* The samples of one execution. */
typedef struct op_samples {
    const tt_log_counters *counters;
    size_t first, last;
} op_samples;

/* The mean of a counter over all cores of the chip, by the cycles of the kernel. */
static double grid_mean(op_samples of, tt_counter counter, const tt_device_op *op,
                        const tt_log_header *log)
{
    double sum = 0;
    bool has_any = false;
    double cycles = (double)(op->kernel.last - op->kernel.first);
    tt_core_counts core;
    for (size_t at = of.first; at < of.last;) {
        at = tt_log_counters_take_core(of.counters, at, of.last, &core);
        has_any |= !isnan(core.values[counter]);
        sum += isnan(core.values[counter]) ? 0 : core.values[counter];
    }
    return has_any && tt_range_has(&op->kernel) && cycles > 0 && log->compute_core_count > 0
               ? sum / (double)log->compute_core_count / cycles * 100
               : (double)NAN;
}

static size_t drop_missing(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static size_t count_cores(op_samples of)
{
    size_t count = 0;
    tt_core_counts core;
    for (size_t at = of.first; at < of.last; count++) {
        at = tt_log_counters_take_core(of.counters, at, of.last, &core);
    }
    return count;
}

void tt_metrics_deinit(tt_metrics *made)
{
    free(made->cores);
    made->cores = NULL;
}

tacho_status tt_metrics_of(tt_metrics *made, const tt_log_counters *counters,
                           const tt_device_op *op, const tt_log_header *log)
{
    const tt_counter_chip *chip = tt_log_counters_chip(counters, op->key.chip);
    op_samples of = {.counters = counters};
    tt_core_counts core;
    tt_log_counters_find(counters, op->id, &of.first, &of.last);
    size_t count = count_cores(of);
    TACHO_TRY(tacho_grow(&made->cores, &made->core_capacity, count * TT_METRIC_COUNT + 1));
    for (size_t i = 0; i < TT_METRIC_COUNT; i++) {
        made->is_shown[i] = chip != NULL && tt_metric_is_shown(i, chip);
    }
    for (size_t at = of.first, i = 0; at < of.last; i++) {
        at = tt_log_counters_take_core(counters, at, of.last, &core);
        for (size_t k = 0; k < TT_METRIC_COUNT; k++) {
            made->cores[k * count + i] =
                made->is_shown[k] ? tt_metric_value(k, &core, chip) : (double)NAN;
        }
    }
    for (size_t i = 0; i < TT_METRIC_COUNT; i++) {
        double *values = made->cores + i * count;
        summarise(values, drop_missing(values, count), made->of[i]);
    }
    for (size_t i = 0; i < TT_METRIC_GRIDS; i++) {
        made->of[i][TT_METRIC_STATS - 1] = grid_mean(of, tt_metric_grid_counter(i), op, log);
    }
    return TACHO_OK;
}
