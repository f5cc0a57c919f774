/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: tacho's own files, which carry everything the event interface carries.
 */
#ifndef TACHO_SINKS_TACHO_H
#define TACHO_SINKS_TACHO_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_tacho;

#endif
