/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One trace of all files of a fleet, on one time axis. The zero of each file's clock is set so that
 * the clocks agree (questions/fleet/fleet_clocks.h); rows stay as they are.
 */
#ifndef TACHO_PIPELINE_FLEET_TIMELINE_H
#define TACHO_PIPELINE_FLEET_TIMELINE_H

#include "questions/fleet/fleet_clocks.h"
#include "pipeline/fleet.h"
#include "sinks/trace_sink.h"

typedef struct tacho_fleet_timeline {
    const tacho_fleet_job *job;   /* how files are read */
    const tacho_fleet_view *view; /* of those files, with their collectives */
    const tacho_trace_sink *sink;
    const char *output_path;
    /* What became of it. */
    size_t file_count;
    int64_t error_ns; /* of any two files to one another: the two largest errors together */
    bool is_by_day;   /* some are compared by the time of day, on which hosts may disagree */
} tacho_fleet_timeline;

/*
 * Writes the trace. Refused where the clock of a file cannot be related to the others. |dict| is
 * empty, and says what was lost.
 */
tacho_status tacho_fleet_timeline_write(tacho_fleet_timeline *timeline,
                                        tacho_dict *dict) TACHO_MUST_USE;

#endif
