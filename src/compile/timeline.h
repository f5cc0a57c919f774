/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The estimate as a timeline: which engine is busy when, and for which operator. Operators run one
 * after the other; in the window of one, data comes in from its start, results go out until its
 * end, and the engines compute as late as they can but no later than all data is there: with room
 * for it one follows the other, without it they overlap as double buffering makes them.
 */
#ifndef TACHO_COMPILE_TIMELINE_H
#define TACHO_COMPILE_TIMELINE_H

#include "base/output.h"
#include "compile/estimate.h"
#include "profile/events.h"

/* One stretch of work of one engine. */
typedef struct tacho_job {
    uint32_t op; /* of the estimate */
    tacho_track_class track_class;
    uint32_t index; /* of the engine among its class */
    int64_t start_cycles;
    int64_t end_cycles;
    uint64_t bytes; /* of a transfer */
} tacho_job;

typedef struct tacho_timeline {
    const tacho_estimate *estimate;
    tacho_job *jobs; /* by operator, then by start */
    size_t job_count, job_capacity;
} tacho_timeline;

tacho_status tacho_timeline_init(tacho_timeline *timeline,
                                 const tacho_estimate *estimate) TACHO_MUST_USE;
void tacho_timeline_deinit(tacho_timeline *timeline);

/* Pushes it as one part of origin estimated, and finishes. */
tacho_status tacho_timeline_push(const tacho_timeline *timeline,
                                 tacho_events *events) TACHO_MUST_USE;

/* The text forms of Torq's compiler: T1 without a header, and T4. */
typedef enum tacho_torq_timeline_form { TACHO_TORQ_T1, TACHO_TORQ_T4 } tacho_torq_timeline_form;

tacho_status tacho_timeline_write_torq(const tacho_timeline *timeline,
                                       tacho_torq_timeline_form form,
                                       tacho_output *output) TACHO_MUST_USE;

#endif
