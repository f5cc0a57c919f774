/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSV sink of spans.
 */
#ifndef TACHO_SINKS_SPANS_CSV_H
#define TACHO_SINKS_SPANS_CSV_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_spans_csv;

#endif
