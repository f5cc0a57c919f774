/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates when the pieces of work of a job ran: the compiler's cycles, fitted into the measured
 * time of the job. The clock of these cycles is not known, so they are stretched: the cycles from
 * the job's first to its last task span the whole job.
 *
 * Rows are visited from the last to the first, since work may end in a later job:
 *
 *     for each row of a job, from the end
 *         ... tacho_fit_find_scale(), tacho_fit_unit()
 *         tacho_fit_pass(&fit, row)
 */
#ifndef TACHO_QUESTIONS_ANNOTATE_ANNOTATE_FIT_H
#define TACHO_QUESTIONS_ANNOTATE_ANNOTATE_FIT_H

#include "questions/annotate/annotate.h"

typedef struct tacho_fit {
    const tacho_debug_info *info;
    const tacho_annotation_row **next_rows; /* by job: its next row; NULL for none */
} tacho_fit;

/* Converts cycles of a job to ticks. */
typedef struct tacho_fit_scale {
    int64_t first_cycles;
    int64_t last_cycles;
    int64_t start;
    int64_t end;
} tacho_fit_scale;

/* A piece of work. */
typedef struct tacho_fit_time {
    int64_t start;
    int64_t end;
    int64_t cycles;
} tacho_fit_time;

/* Call deinit even after a failure. */
tacho_status tacho_fit_init(tacho_fit *fit, const tacho_debug_info *info) TACHO_MUST_USE;
void tacho_fit_deinit(tacho_fit *fit);

/* Whether |row| is of a job that ran, so that work can be fitted into it. */
bool tacho_fit_is_job(const tacho_annotation_row *row);

/* The scale of |row|, which is of such a job; false when the compiler gives its tasks no cycles. */
bool tacho_fit_find_scale(const tacho_fit *fit, const tacho_annotation_row *row,
                          tacho_fit_scale *out_scale);

/* The work that |op| starts in |row|; false when it starts none, or none with cycles. */
bool tacho_fit_unit(const tacho_fit *fit, const tacho_annotation_row *row,
                    const tacho_fit_scale *scale, const tacho_inner_op *op,
                    tacho_fit_time *out_time);

/* Finishes |row|, which is of a job: all later calls concern earlier rows. */
void tacho_fit_pass(tacho_fit *fit, const tacho_annotation_row *row);

/* Makes |fits|. */
tacho_status tacho_annotation_fit_all(tacho_annotation *annotation) TACHO_MUST_USE;

#endif
