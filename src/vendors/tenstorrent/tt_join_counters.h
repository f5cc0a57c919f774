/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the performance counters of a device log say of an execution: each metric over its cores.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_COUNTERS_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_COUNTERS_H

#include "vendors/tenstorrent/tt_join_metrics.h"
#include "sources/tenstorrent/log_ops.h"

typedef struct tt_metrics {
    bool is_shown[TT_METRIC_COUNT];              /* the chip has the counters of the metric */
    double of[TT_METRIC_COUNT][TT_METRIC_STATS]; /* NaN: not for this execution */
    double *cores; /* while they are worked out: for each metric a value per core */
    size_t core_capacity;
} tt_metrics;

void tt_metrics_deinit(tt_metrics *metrics);

/* Works out all metrics of |op|; |log| says how many worker cores the chip has. */
tacho_status tt_metrics_of(tt_metrics *metrics, const tt_log_counters *counters,
                           const tt_device_op *op, const tt_log_header *log) TACHO_MUST_USE;

#endif
