/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between what is recorded and the capture: leaves out what ended before recording is to begin, and
 * adds how the capture's clock relates to the time of day.
 */
#ifndef TACHO_SESSION_CAPTURE_STAGE_H
#define TACHO_SESSION_CAPTURE_STAGE_H

#include "session/capture_run.h"

typedef struct tacho_capture_stage {
    tacho_events events; /* push here */
    tacho_events *next;
    const tacho_profiling *request;
    int64_t active_from_ns; /* CLOCK_MONOTONIC; 0: all the time */
    tacho_anchor last;      /* of the last look at the clocks */
    tacho_profiling_clocks clocks;
} tacho_capture_stage;

/* Looks at the clocks; |next| and |request| outlive it. */
void tacho_capture_stage_init(tacho_capture_stage *stage, const tacho_profiling *request,
                              tacho_events *next);

/* Looks at the clocks again, often, so that one that is set is noticed. */
void tacho_capture_stage_look(tacho_capture_stage *stage);

#endif
