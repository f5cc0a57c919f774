/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 'tacho fleet map', 'reduce' and 'timeline': profiles to parts, to one part, to one trace.
 */
#ifndef TACHO_API_REQUESTS_FLEET_PARTS_H
#define TACHO_API_REQUESTS_FLEET_PARTS_H

#include "api/requests/options.h"
#include "api/requests/selection.h"
#include "api/requests/request.h"
#include "pipeline/input_list.h"
#include "pipeline/fleet_ask.h"
#include "sinks/table_sink.h"

/* What was chosen on the command line. */
typedef struct tacho_fleet_choice {
    tacho_request *given;
    tacho_fleet_ask ask;
    tacho_fleet_options tables;
    tacho_source_options source_options;
    tacho_request_selection selection;
    const tacho_table_sink *sink;
    const char *output_path;
    const char *runs[2];  /* that are asked for; NULL: all */
    const char *share;    /* "3/16"; NULL: as the launcher says */
    uint64_t slurm_tasks; /* that make the parts first; 0: none */
    const char *parts;    /* where those go */
    bool is_quiet, is_strict, is_split;
    tacho_held_notes held;
    tacho_notes notes;
} tacho_fleet_choice;

/* Says so where files are of several runs: their numbers are added up. */
void tacho_fleet_say_runs(const tacho_request *given, const tacho_fleet *fleet);

/* Warns of |count| problems with the files, which a table shows if |is_shown|. */
void tacho_fleet_say_problems(const tacho_request *given, size_t count, bool is_shown);

/* All return the outcome. */
int tacho_fleet_map_run(tacho_fleet_choice *choice, tacho_request *given);
int tacho_fleet_reduce_run(tacho_fleet_choice *choice, tacho_request *given);

/* Makes the parts of |words| in a job of Slurm, and lists them. */
int tacho_fleet_slurm_make(tacho_fleet_choice *choice, const char *const *words, size_t word_count,
                           tacho_input_list *parts);

/* One trace of all files, which fleets[0] of |choice| has read. */
int tacho_fleet_timeline_run(tacho_fleet_choice *choice, tacho_request *given);

/* One page of all files (fleet_page.c). */
int tacho_fleet_page_run(tacho_fleet_choice *choice, tacho_request *given);

#endif
