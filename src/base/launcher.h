/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rank of this process among the processes of a parallel program, which launchers put into the
 * environment. There is one table of launchers, so that recording, sharing of files and MPI use the
 * same ranks.
 */
#ifndef TACHO_BASE_LAUNCHER_H
#define TACHO_BASE_LAUNCHER_H

#include "base/str.h"

typedef struct tacho_rank {
    const char *launcher; /* "torchrun", "Open MPI" ... */
    uint64_t rank;
    uint64_t world_size; /* 0 when unknown */
} tacho_rank;

/*
 * Searches |environment|, in the form of /proc/PID/environ: "NAME=value" with a NUL after each.
 * False when it has no launcher's variables. No other variable is looked at.
 */
bool tacho_launcher_find_rank(tacho_str environment, tacho_rank *out_rank);

/* The same of this process. */
bool tacho_launcher_find_own_rank(tacho_rank *out_rank);

/* Whether a launcher of MPI has started this process: MPI would not start, or be alone, without. */
bool tacho_launcher_has_mpi(void);

typedef enum tacho_job_naming {
    TACHO_JOB_UNNAMED,
    TACHO_JOB_BY_NAME,    /* of the launcher or scheduler, or the user's (TACHO_RUN_ID) */
    TACHO_JOB_BY_ADDRESS, /* where ranks meet: another job may meet there later */
} tacho_job_naming;

/*
 * Writes the name of the job that this process belongs to, the same for all ranks, to |to|: as its
 * launcher or scheduler calls it, else the address and port at which its ranks meet ("n03-29500").
 * Where the name is unknown, |to| stays as it is.
 */
tacho_job_naming tacho_launcher_name_job(char *to, size_t size);

#endif
