/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: tacho's own files, which carry everything the event interface carries.
 */
#ifndef TACHO_SINKS_TACHO_H
#define TACHO_SINKS_TACHO_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_tacho;

/*
 * Writes all rows so far, and what they refer to, as whole chunks: who reads the file then finds
 * them, whatever happens afterwards. |events| are those of a sink of captures.
 */
tacho_status tacho_sink_tacho_seal(tacho_events *events) TACHO_MUST_USE;

#endif
