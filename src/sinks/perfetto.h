/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Perfetto trace sink: a protobuf file that ui.perfetto.dev and trace_processor open.
 */
#ifndef TACHO_SINKS_PERFETTO_H
#define TACHO_SINKS_PERFETTO_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_perfetto;

#endif
