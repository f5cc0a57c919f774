/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as a .tracy file, for Tracy's profiler and its tools: the layout of Tracy 0.10, which
 * Tenstorrent's fork and all later versions read.
 */
#ifndef TACHO_SINKS_TRACY_H
#define TACHO_SINKS_TRACY_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_tracy;

#endif
