/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the columns of performance counters are called and how each is worked out from the counters
 * of a core, as the vendor's perf_counter_analysis.py does.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_METRICS_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_METRICS_H

#include "sources/tenstorrent/log_counters.h"

/* Metrics are numbers, in the order of their columns; each has four: Min, Median, Max, Avg. */
enum { TT_METRIC_STATS = 4, TT_METRIC_COUNT = 79, TT_METRIC_NAME_MAX = 64 };

/* The first have a mean over all worker cores of the chip instead of Avg: SFPU, FPU, MATH. */
enum { TT_METRIC_GRIDS = 3 };

/* The counter of such a mean. */
tt_counter tt_metric_grid_counter(size_t number);

/* Whether |stat| of a metric is such a mean. */
bool tt_metric_is_of_grid(size_t number, size_t stat);

/* The name of a column: "FPU Util Min (%)". */
void tt_metric_column(size_t number, size_t stat, char out_name[TT_METRIC_NAME_MAX]);

/* Whether |name| is one of these columns. */
bool tt_metric_is_column(tacho_str name);

/* Whether |chip| has the counters of a metric. */
bool tt_metric_is_shown(size_t number, const tt_counter_chip *chip);

/* The metric of one core; NaN where a counter is missing, or nothing was there to count. */
double tt_metric_value(size_t number, const tt_core_counts *core, const tt_counter_chip *chip);

#endif
