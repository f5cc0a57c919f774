/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that only the names of files tell apart. Where two files are of the same rank, such as
 * "a/rank0.json" and "b/rank0.json", what stands ahead of "rank" says which run each is of. As long
 * as every rank is there once, all files are taken to be of one run, since what stands there may as
 * well be the name of a host.
 *
 * PyTorch's profiler names files after host, process and time. Where it has written several of one
 * process, the first ones of all processes belong together, and so on: "window 1", "window 2".
 */
#ifndef TACHO_PIPELINE_FLEET_RUNS_H
#define TACHO_PIPELINE_FLEET_RUNS_H

#include "base/strings.h"

#include <pthread.h>

/* Parts are named after their profiles, and know their run. */
#define TACHO_FLEET_PART_SUFFIX ".tpart"

typedef struct tacho_fleet_run_name {
    const char *path;
    tacho_str run;
} tacho_fleet_run_name;

typedef struct tacho_fleet_runs {
    tacho_arena arena;
    tacho_fleet_run_name *items; /* by path */
    size_t item_count;
} tacho_fleet_runs;

/*
 * Looks at |paths|, which are sorted and outlive this; those with "run=", and parts, are left
 * alone. Deinitialise it even after a failure.
 */
tacho_status tacho_fleet_runs_init(tacho_fleet_runs *runs, const char *const *paths,
                                   size_t path_count) TACHO_MUST_USE;
void tacho_fleet_runs_deinit(tacho_fleet_runs *runs);

/* The run of |path|; empty where its name does not say it. */
tacho_str tacho_fleet_runs_find(const tacho_fleet_runs *runs, const char *path);

/* Names of runs, each once; several workers may add to it at a time. */
typedef struct tacho_fleet_run_set {
    pthread_mutex_t lock; /* of everything below */
    tacho_strings names;
    bool has_unnamed;
} tacho_fleet_run_set;

/* Deinitialise it even after a failure. */
tacho_status tacho_fleet_run_set_init(tacho_fleet_run_set *set) TACHO_MUST_USE;
void tacho_fleet_run_set_deinit(tacho_fleet_run_set *set);
tacho_status tacho_fleet_run_set_add(tacho_fleet_run_set *set, tacho_str name) TACHO_MUST_USE;
size_t tacho_fleet_run_set_count(const tacho_fleet_run_set *set);

/* Some of the names for people, in order ("a, b, c, d, ..."): as they are written to choose one, so
 * '' is that of files without a run. */
enum { TACHO_FLEET_RUN_SET_TEXT_MAX = 320 };
void tacho_fleet_run_set_print(const tacho_fleet_run_set *set,
                               char out_text[TACHO_FLEET_RUN_SET_TEXT_MAX]);

/* The rank that the last component of |path| says ("rank-12.json.gz"), else a directory that is
 * called so ("rank_12/"), and how much of the path stands ahead of that word; false: it says none.
 */
bool tacho_fleet_name_rank(tacho_str path, uint64_t *out_rank, size_t *out_ahead);

/* What traces of PyTorch's profiler are named after: "node7_4711.1700000000.pt.trace.json". */
typedef struct tacho_fleet_trace_name {
    tacho_str host;
    uint64_t process, time;
} tacho_fleet_trace_name;

/* False: |path| is named otherwise. */
bool tacho_fleet_trace_name_parse(tacho_str path, tacho_fleet_trace_name *out_name);

#endif
