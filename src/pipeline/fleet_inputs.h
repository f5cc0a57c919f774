/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a fleet: those that are named, and all below the directories that are named. What a
 * path says of a file: components run=ID, host=NAME and rank=N.
 */
#ifndef TACHO_PIPELINE_FLEET_INPUTS_H
#define TACHO_PIPELINE_FLEET_INPUTS_H

#include "questions/fleet/fleet_gather.h"
#include "pipeline/fleet_runs.h"
#include "pipeline/input_list.h"

/* What captures of a fleet leave beside their profiles; it is no input. */
#define TACHO_FLEET_MANIFEST "manifest" /* of a second capture there: manifest-2 */
#define TACHO_FLEET_MANIFEST_SUFFIX ".json"

typedef struct tacho_fleet_inputs {
    tacho_input_list list; /* by path; each file once */
    tacho_fleet_runs runs; /* of files whose names alone say it */
    /* What lies there and is not looked into. */
    tacho_fleet_refusal *refused;
    size_t refused_count, refused_capacity;
} tacho_fleet_inputs;

/* Deinitialise it even after a failure. */
tacho_status tacho_fleet_inputs_init(tacho_fleet_inputs *inputs, const char *const *paths,
                                     size_t path_count) TACHO_MUST_USE;
void tacho_fleet_inputs_deinit(tacho_fleet_inputs *inputs);

/* Leaves out what lies below |above|, a directory that is there. */
void tacho_fleet_inputs_leave_out(tacho_fleet_inputs *inputs, const char *above);

/* Whether one of |paths| is the directory |above|, or lies below it. */
bool tacho_fleet_inputs_are_in(const char *const *paths, size_t path_count, const char *above);

/* What |path| says; views of it and of |runs|, which may be NULL. */
tacho_fleet_origin tacho_fleet_origin_of(const tacho_fleet_runs *runs, const char *path);

#endif
