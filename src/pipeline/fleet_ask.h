/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question about the profiles of many hosts: reading them, on all processors and by all ranks of
 * an MPI job, and the tables that answer it.
 */
#ifndef TACHO_PIPELINE_FLEET_ASK_H
#define TACHO_PIPELINE_FLEET_ASK_H

#include "pipeline/fleet_ranks.h"
#include "sinks/table_sink.h"

/* Profiles that were read: one fleet, or the two that are compared. */
typedef struct tacho_fleet_ask {
    tacho_fleet_job job; /* how files are read; which ones is filled in */
    tacho_ranks ranks;
    tacho_fleet fleets[2];
    bool has_failed; /* before ranks were done with each other */
} tacho_fleet_ask;

/*
 * Reads |paths| into fleet |index|; of |ask|'s run only, if there is one. At rank 0 it is a failure
 * if no file of those could be read and the job has sections.
 */
tacho_status tacho_fleet_ask_read(tacho_fleet_ask *ask, const char *const *paths, size_t path_count,
                                  size_t index) TACHO_MUST_USE;

/* Files of |fleet| that could not be read. */
size_t tacho_fleet_count_failed(const tacho_fleet *fleet);

typedef struct tacho_fleet_answer {
    const tacho_fleet_question *question; /* NULL: health, or how two fleets differ */
    const tacho_fleet_options *options;
    bool is_diff;
    bool is_strict;       /* problems with the files are a failure */
    bool shows_health;    /* result: problems are a table */
    size_t problem_count; /* result */
} tacho_fleet_answer;

/* Writes the tables of |answer| about the fleets of |ask|. */
tacho_status tacho_fleet_ask_write(tacho_fleet_ask *ask, tacho_fleet_answer *answer,
                                   const tacho_table_target *to) TACHO_MUST_USE;

void tacho_fleet_ask_close(tacho_fleet_ask *ask);

#endif
