/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the capture of one rank goes: DIR/run=ID/host=NAME/rank=N/capture.tacho, with a manifest
 * beside it. All of it comes from the environment of this process, so ranks need not talk.
 */
#ifndef TACHO_SESSION_FLEET_PLACE_H
#define TACHO_SESSION_FLEET_PLACE_H

#include "base/arena.h"
#include "base/launcher.h"
#include "capture/anchor.h"

typedef struct tacho_fleet_place {
    const char *run, *host;
    tacho_job_naming run_naming;
    tacho_rank rank; /* of one process alone: rank 0 of 1 */
    const char *folder;
    unsigned number;     /* of the capture among those of this rank */
    const char *capture; /* an empty file holds the name */
    tacho_arena arena;
} tacho_fleet_place;

/* Makes the directory. Deinitialise it even after a failure. */
tacho_status tacho_fleet_place_init(tacho_fleet_place *place, const char *root) TACHO_MUST_USE;
void tacho_fleet_place_deinit(tacho_fleet_place *place);

/* What became of a capture. */
typedef struct tacho_fleet_manifest {
    tacho_anchor start, end;
    int64_t clock_step_ns; /* how far the clock was set meanwhile */
    int exit_status;
    uint64_t row_count, lost_count;
} tacho_fleet_manifest;

/* Writes DIR/run=ID/host=NAME/rank=N/manifest.json, of a second capture manifest-2.json, whole or
 * not at all. */
tacho_status tacho_fleet_place_write(const tacho_fleet_place *place,
                                     const tacho_fleet_manifest *manifest) TACHO_MUST_USE;

#endif
