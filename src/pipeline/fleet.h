/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the files of a fleet with all processors: each worker takes the next file, makes a fleet
 * of it alone and merges that. So memory goes by workers and not by files, and a file that cannot
 * be read is listed as such and spoils nothing. Parts (.tpart) are files as well.
 */
#ifndef TACHO_PIPELINE_FLEET_H
#define TACHO_PIPELINE_FLEET_H

#include "questions/fleet/fleet_gather.h"
#include "questions/fleet/fleet_tables.h"
#include "pipeline/fleet_runs.h"
#include "pipeline/intake.h"

typedef struct tacho_fleet_job {
    const char *const *paths; /* in the order of their bytes, each once */
    size_t path_count;
    const tacho_fleet_runs *runs;       /* of files whose names alone say it; NULL: none */
    const tacho_fleet_refusal *refused; /* listed as not read, unless |take| is there */
    size_t refused_count;
    const char *run;                 /* only files of this run; NULL: all */
    tacho_fleet_run_set *other_runs; /* takes those of files that are left out; NULL: nobody asks */
    unsigned sections;
    const tacho_source *source; /* NULL: recognise by content */
    const tacho_source_options *options;
    const tacho_selection *selection;
    size_t worker_count;     /* 0: one per processor */
    tacho_progress progress; /* of files; called by one worker at a time */
    /* Takes the fleet of each file instead of its being merged; by several workers at a time.
     * (optional) */
    tacho_status (*take)(void *user, const char *path, tacho_fleet *one);
    /* Sees the fleet of each file before it is merged; one worker at a time. (optional) */
    tacho_status (*see)(void *user, const tacho_fleet *one);
    /* Whether a file is left out. (optional: none is) */
    bool (*skips)(void *user, const char *path);
    void *user;
} tacho_fleet_job;

/* Adds all files to |fleet|, which is of the sections of the job. */
tacho_status tacho_fleet_run(const tacho_fleet_job *job, tacho_fleet *fleet) TACHO_MUST_USE;

/* Lists in |fleet| what the job names as refused. */
tacho_status tacho_fleet_list_refused(const tacho_fleet_job *job,
                                      tacho_fleet *fleet) TACHO_MUST_USE;

/* Whether |path| begins as a part does. */
bool tacho_fleet_is_part_at(const char *path);

/* Reads a part; a failure names it. */
tacho_status tacho_fleet_read_part(const char *path, tacho_fleet *fleet) TACHO_MUST_USE;
/* Writes |fleet| to |path|. */
tacho_status tacho_fleet_write_part(tacho_fleet *fleet, const char *path) TACHO_MUST_USE;

#endif
