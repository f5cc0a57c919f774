/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: tacho's own files, which store everything in the event interface.
 */
#ifndef TACHO_SINKS_TACHO_H
#define TACHO_SINKS_TACHO_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_tacho;

/*
 * Writes all rows so far, and everything they refer to, as whole chunks, so that readers of the
 * file find them, whatever happens afterwards. |events| must be those of a capture sink.
 */
tacho_status tacho_sink_tacho_seal(tacho_events *events) TACHO_MUST_USE;

#endif
