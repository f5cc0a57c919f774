/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones and messages as the two tables that Tenstorrent's tools read, as printed by csvexport of
 * their fork of Tracy: tracy_ops_times.csv and tracy_ops_data.csv.
 */
#ifndef TACHO_SINKS_TRACY_OPS_H
#define TACHO_SINKS_TRACY_OPS_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_tracy_ops_times;
extern const tacho_trace_sink tacho_sink_tracy_ops_data;

#endif
