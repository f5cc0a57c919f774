/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a program as Torq's compiler writes it: commas and nothing quoted, cycles in
 * every column, transfers first, then slices, then the vector engine, each in the order of issue.
 *
 *     DI0,0,9408,loc("fc.mlir":4:10),DMA_IN                                     T1
 *     0,15831,0,DMA In,loc("add.mlir":7:10),75264                               T4
 *
 * Rows are spans of engines that are timed in cycles; other events have no place in these formats.
 * Tasks, the order of issue and the vendor's words are arguments of spans (tacho_trace_sink's
 * schedule); without them rows are numbered as they arrive and named after their span.
 */
#ifndef TACHO_SINKS_TORQ_TIMELINE_H
#define TACHO_SINKS_TORQ_TIMELINE_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_torq_t1; /* without a header */
extern const tacho_trace_sink tacho_sink_torq_t4;

#endif
