/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping on a cluster: a job array of Slurm makes the parts of all files, each task its share. It
 * is waited for; what is missing then, because a node failed, is submitted again.
 */
#ifndef TACHO_PIPELINE_FLEET_SLURM_H
#define TACHO_PIPELINE_FLEET_SLURM_H

#include "base/notes.h"
#include "pipeline/fleet_map.h"

typedef struct tacho_fleet_slurm {
    tacho_fleet_map *map;     /* where the parts go */
    const char *const *paths; /* files and directories, which all nodes see */
    size_t path_count;
    size_t task_count;
    const char *submit; /* command line that runs a script from its input as an array, and waits */
    const char *map_words; /* of this program, as a shell reads them: with the share of a task; the
                              directory and the files come behind them */
    const tacho_notes *notes; /* who is told what is submitted; or NULL */
} tacho_fleet_slurm;

/* Makes all parts; those that are there stay. */
tacho_status tacho_fleet_slurm_run(const tacho_fleet_slurm *slurm) TACHO_MUST_USE;

#endif
