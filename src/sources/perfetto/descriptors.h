/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Track descriptors, and those of processes, threads and counters within them.
 */
#ifndef TACHO_SOURCES_PERFETTO_DESCRIPTORS_H
#define TACHO_SOURCES_PERFETTO_DESCRIPTORS_H

#include "sources/perfetto/tracks.h"

/* Fills |out_track| from a TrackDescriptor; false when it is malformed or lacks an id. */
tacho_status pfr_read_descriptor(tacho_dict *dict, tacho_str message, pfr_track *out_track,
                                 bool *out_good) TACHO_MUST_USE;

/* Fills |out_track| from a ProcessDescriptor or ThreadDescriptor. */
tacho_status pfr_read_process_or_thread(tacho_dict *dict, tacho_str message, bool is_thread,
                                        pfr_track *out_track, bool *out_good) TACHO_MUST_USE;

#endif
