/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of this computer's cores over an inference, where its kernel lets us: the events of a
 * program that was compiled for this kind of computer are its raw codes.
 */
#ifndef TACHO_DEVICE_CPU_COUNTERS_H
#define TACHO_DEVICE_CPU_COUNTERS_H

#include "program/program.h"

typedef struct tacho_counters {
    uint32_t count; /* of events that are counted */
    int files[TACHO_PMU_EVENTS_MAX];
    uint16_t events[TACHO_PMU_EVENTS_MAX];
    uint64_t values[TACHO_PMU_EVENTS_MAX];
    const char *missing; /* why there are none though the program asks for some; else NULL */
    char why[160];
} tacho_counters;

/* Succeeds in any case but with |missing| set where nothing can be counted. */
tacho_status tacho_counters_open(tacho_counters *counters,
                                 const tacho_program *program) TACHO_MUST_USE;
void tacho_counters_close(tacho_counters *counters);

void tacho_counters_start(tacho_counters *counters);
void tacho_counters_stop(tacho_counters *counters);

#endif
