/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Chrome Trace Event sink: JSON that chrome://tracing, Perfetto and many others open.
 */
#ifndef TACHO_SINKS_CHROME_JSON_H
#define TACHO_SINKS_CHROME_JSON_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_chrome_json;

#endif
