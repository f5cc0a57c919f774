/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A data set: profiles as a directory of Parquet files that SQL engines read as tables,
 *
 *     FOLDER/TABLE/run=ID/host=NAME/rank=N/FILE.parquet
 *
 * What an earlier conversion made of the same profiles is replaced (pipeline/dataset_held.h).
 * Events stream into the tables spans and counters; ops, devices, steps, collectives, clock and
 * loss are what a fleet gathers of the file (questions/fleet/fleet_dataset.h). Memory goes
 * by workers: the largest dictionary and a group of rows of each. Each file is whole
 * or not there; a copy of a file that is in the data set adds a row to loss and nothing else.
 */
#ifndef TACHO_PIPELINE_DATASET_H
#define TACHO_PIPELINE_DATASET_H

#include "base/notes.h"
#include "pipeline/fleet_runs.h"
#include "pipeline/intake.h"

typedef struct tacho_dataset_job {
    const char *folder;
    const char *const *paths;
    size_t path_count;
    const tacho_fleet_runs *runs; /* of files whose names alone say it; NULL: none */
    const tacho_source *source;   /* NULL: recognise by content */
    const tacho_source_options *options;
    const tacho_selection *selection;
    size_t worker_count; /* files at a time; 0: one per processor */
    bool omit_args;
    bool is_strict;           /* the first file that is not sound ends it */
    tacho_progress progress;  /* of files */
    const tacho_notes *notes; /* which files are not sound; NULL: nobody is told */
    /* What came of it. */
    size_t written_count, copy_count, failed_count, lossy_count;
    size_t replaced_count; /* earlier files, of another place or name, that were removed */
    uint64_t span_count;
} tacho_dataset_job;

/* Writes all; a failure where no file can be read, or nothing can be written. */
tacho_status tacho_dataset_write(tacho_dataset_job *job) TACHO_MUST_USE;

#endif
