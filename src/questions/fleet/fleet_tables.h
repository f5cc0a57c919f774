/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet as tables: operations of all files, times of devices and hosts, steps, collectives and
 * their stragglers, and files with problems.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_TABLES_H
#define TACHO_QUESTIONS_FLEET_FLEET_TABLES_H

#include "questions/analysis.h"
#include "questions/fleet/fleet_view.h"
#include "questions/ops/ops.h"

typedef struct tacho_fleet_options {
    tacho_ops_options ops; /* of operations: order, filter and receiver of notes */
    size_t top;            /* rows of a table, 0 for all */
} tacho_fleet_options;

/* A question: the sections that it needs, and its tables. */
typedef struct tacho_fleet_question {
    const char *name;
    unsigned sections;
    tacho_status (*write)(const tacho_fleet_view *view, const tacho_fleet_options *options,
                          const tacho_table_taker *to);
} tacho_fleet_question;

extern const tacho_fleet_question tacho_fleet_question_overview;
extern const tacho_fleet_question tacho_fleet_question_ops;
extern const tacho_fleet_question tacho_fleet_question_breakdown;
extern const tacho_fleet_question tacho_fleet_question_steps;
extern const tacho_fleet_question tacho_fleet_question_stragglers;
extern const tacho_fleet_question tacho_fleet_question_clocks;

/* The question called |name|, or NULL. */
const tacho_fleet_question *tacho_fleet_question_find(const char *name);

/* Notes how many of |count| rows, called |what|, are not shown, if any. */
void tacho_fleet_say_more(const tacho_fleet_options *options, size_t count, const char *what);

/* Adds the steps of a file to |sum|, and their durations to |durations|. */
tacho_status tacho_fleet_steps_add(tacho_fleet_row *sum, tacho_durations *durations,
                                   const tacho_fleet_row *file) TACHO_MUST_USE;
/* Adds the cells mean, p50 and p99 of |steps|, which must have sorted durations, at least one. */
tacho_status tacho_fleet_steps_cells(const tacho_fleet_row *steps,
                                     tacho_table *table) TACHO_MUST_USE;

/* The total time that the ranks of a collective waited for the last one. */
tacho_i128 tacho_fleet_call_wait(const tacho_fleet_row *call);

/*
 * How the operations of two fleets differ, the largest difference first: per step if both have
 * steps, else per file that has the operation.
 */
tacho_status tacho_fleet_diff(const tacho_fleet_view views[2], const tacho_fleet_options *options,
                              const tacho_table_taker *to) TACHO_MUST_USE;

/* The steps of two fleets, a row for each; no rows if no file has steps. */
tacho_status tacho_fleet_diff_steps(const tacho_fleet_view views[2],
                                    const tacho_table_taker *to) TACHO_MUST_USE;

/* Passes a table of files with problems and missing ranks to |to|, and counts them. */
tacho_status tacho_fleet_health(const tacho_fleet_view *view, const tacho_table_taker *to,
                                size_t *out_problem_count) TACHO_MUST_USE;

#endif
