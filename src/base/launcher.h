/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which one of many equal processes is this? Launchers of parallel programs say so in the
 * environment. There is one table of them: who records, who shares files and who speaks MPI see the
 * same ranks.
 */
#ifndef TACHO_BASE_LAUNCHER_H
#define TACHO_BASE_LAUNCHER_H

#include "base/str.h"

typedef struct tacho_rank {
    const char *launcher; /* "torchrun", "Open MPI" ... */
    uint64_t rank;
    uint64_t world_size; /* 0 when it is not said */
} tacho_rank;

/*
 * Looks into |environment|, as /proc/PID/environ has it: "NAME=value" with a NUL behind each. False
 * when no launcher has left its mark. No other variable is looked at.
 */
bool tacho_launcher_find_rank(tacho_str environment, tacho_rank *out_rank);

/* The same of this process. */
bool tacho_launcher_find_own_rank(tacho_rank *out_rank);

/* Whether a launcher of MPI has started this process: MPI would not start, or be alone, without. */
bool tacho_launcher_has_mpi(void);

typedef enum tacho_job_naming {
    TACHO_JOB_UNNAMED,
    TACHO_JOB_BY_NAME,    /* of the launcher or scheduler, or what the user says (TACHO_RUN_ID) */
    TACHO_JOB_BY_ADDRESS, /* where ranks meet: another job may meet there later */
} tacho_job_naming;

/*
 * Writes the name of the job that this process belongs to, the same for all ranks, to |to|: as its
 * launcher or scheduler calls it, else the address and port at which its ranks meet ("n03-29500").
 * Where nothing says so, |to| stays as it is.
 */
tacho_job_naming tacho_launcher_name_job(char *to, size_t size);

#endif
