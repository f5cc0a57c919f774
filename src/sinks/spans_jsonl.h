/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON lines sink: one object per event, for jq, DuckDB and scripts.
 */
#ifndef TACHO_SINKS_SPANS_JSONL_H
#define TACHO_SINKS_SPANS_JSONL_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_spans_jsonl;

#endif
