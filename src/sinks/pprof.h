/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans for pprof: stacks of nested spans with their counts and self time.
 */
#ifndef TACHO_SINKS_PPROF_H
#define TACHO_SINKS_PPROF_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_pprof;

#endif
