/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping: a part of each profile, in a directory. A part that is there, is whole and would be made
 * the same again stays (pipeline/fleet_terms.h), so a job that was interrupted goes on where it
 * was. Several processes, on several computers, share the work by their ranks; nothing coordinates
 * them.
 */
#ifndef TACHO_PIPELINE_FLEET_MAP_H
#define TACHO_PIPELINE_FLEET_MAP_H

#include "pipeline/fleet.h"
#include "pipeline/input_list.h"

#include <pthread.h>

/* Every |count|th file, from |index| on. */
typedef struct tacho_fleet_share {
    uint64_t index, count;
} tacho_fleet_share;

/* "3/16"; false where it is none. */
bool tacho_fleet_share_parse(tacho_str text, tacho_fleet_share *out_share);

/* The share that the launcher of this process says (job array, srun, mpirun); else all. */
void tacho_fleet_share_find(tacho_fleet_share *out_share);

typedef struct tacho_fleet_map {
    const char *folder;
    tacho_fleet_job *job; /* its sections and how files are read */
    tacho_fleet_share share;
    size_t made_count, kept_count, failed_count; /* what became of it */
    size_t passed_count;                         /* files that are parts themselves */
    size_t refused_count; /* links and directories that were not looked into */
    pthread_mutex_t lock; /* of the counts */
} tacho_fleet_map;

tacho_status tacho_fleet_map_all(tacho_fleet_map *map, const char *const *paths,
                                 size_t path_count) TACHO_MUST_USE;

/* How many of the files have no whole part that is of them as they are. */
tacho_status tacho_fleet_map_missing(const tacho_fleet_map *map, const char *const *paths,
                                     size_t path_count, size_t *out_count) TACHO_MUST_USE;

/* Adds the parts of the files, and files that are parts themselves, to |parts|: not whatever lies
 * in the directory. */
tacho_status tacho_fleet_map_list(const tacho_fleet_map *map, const char *const *paths,
                                  size_t path_count, tacho_input_list *parts) TACHO_MUST_USE;

#endif
