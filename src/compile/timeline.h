/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline of a program: which engine is busy when, and for which operator. Jobs that take no
 * time and those by which cores meet are not shown.
 */
#ifndef TACHO_COMPILE_TIMELINE_H
#define TACHO_COMPILE_TIMELINE_H

#include "base/output.h"
#include "compile/estimate.h"
#include "profile/events.h"
#include "program/program.h"

/* A program and the estimate that it was compiled with. */
typedef struct tacho_timeline {
    const tacho_estimate *estimate;
    const tacho_program *program;
    bool has_schedule; /* spans have the arguments of profile/schedule_args.h */
} tacho_timeline;

/* The class of the track that shows |job|; GROUP for one that is not shown. */
tacho_track_class tacho_timeline_class(const tacho_timeline *timeline, const tacho_job *job);

/* Pushes it as one part of origin estimated, and finishes. */
tacho_status tacho_timeline_push(const tacho_timeline *timeline,
                                 tacho_events *events) TACHO_MUST_USE;

#endif
