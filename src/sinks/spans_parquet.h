/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as a Parquet file: the columns of the table spans of 'tacho query', and their arguments as
 * JSON.
 */
#ifndef TACHO_SINKS_SPANS_PARQUET_H
#define TACHO_SINKS_SPANS_PARQUET_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_spans_parquet;

/* The outputs of the two event tables of a data set. */
typedef struct tacho_rows_parquet_outputs {
    tacho_output *spans;
    tacho_output *counters;
} tacho_rows_parquet_outputs;

/* Writes events as rows of both. Close the events before the outputs. */
tacho_status tacho_rows_parquet_open(tacho_dict *dict, const tacho_rows_parquet_outputs *outputs,
                                     const tacho_trace_options *options,
                                     tacho_events **out_events) TACHO_MUST_USE;
void tacho_rows_parquet_close(tacho_events *events);

#endif
