/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans for speedscope (https://www.speedscope.app): one profile per track, each span a frame.
 */
#ifndef TACHO_SINKS_SPEEDSCOPE_H
#define TACHO_SINKS_SPEEDSCOPE_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_speedscope;

#endif
