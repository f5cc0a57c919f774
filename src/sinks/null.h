/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as plain lines, the format of sources/null, and the skeleton of trace sinks:
 * docs/adding-a-sink.md walks through null.c.
 */
#ifndef TACHO_SINKS_NULL_H
#define TACHO_SINKS_NULL_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_null;

#endif
