/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as a Parquet file: the columns of the table spans that 'tacho query' has, and their
 * arguments as JSON.
 */
#ifndef TACHO_SINKS_SPANS_PARQUET_H
#define TACHO_SINKS_SPANS_PARQUET_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_spans_parquet;

#endif
