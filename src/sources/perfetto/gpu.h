/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that a GPU reports itself: render stage events are spans on the queue they ran on, counter
 * events are samples. Both are in a group "GPU N".
 */
#ifndef TACHO_SOURCES_PERFETTO_GPU_H
#define TACHO_SOURCES_PERFETTO_GPU_H

#include "sources/perfetto/events.h"

/* Reads the message of a packet and passes it to pairing, or counts it as lost. */
tacho_status pfr_gpu_read_stage(pfr_events *events, const pfr_event_packet *packet) TACHO_MUST_USE;
tacho_status pfr_gpu_read_counters(pfr_events *events,
                                   const pfr_event_packet *packet) TACHO_MUST_USE;

#endif
