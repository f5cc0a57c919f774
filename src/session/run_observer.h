/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An observer follows a run from outside: the program that was loaded, then each recorded
 * inference. The reports to 'tacho profile' are one.
 */
#ifndef TACHO_SESSION_RUN_OBSERVER_H
#define TACHO_SESSION_RUN_OBSERVER_H

#include "base/notes.h"
#include "program/recording.h"

/* What runs where: |program| outlives the observer. */
typedef struct tacho_run_facts {
    const tacho_program *program;
    const char *path;   /* of the program or model */
    const char *device; /* "sim:wormhole-n150" */
    bool is_simulated;
    const tacho_notes *notes;
} tacho_run_facts;

typedef struct tacho_run_observer {
    /* Called after each load; NULL in |*out_self| ends the observation. */
    tacho_status (*open)(const tacho_run_facts *facts, void **out_self);
    tacho_status (*report)(void *self, const tacho_run_sample *sample);
    void (*close)(void *self);
} tacho_run_observer;

#endif
