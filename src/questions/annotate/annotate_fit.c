/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts cycles to ticks, job by job.
 */
#include "questions/annotate/annotate_fit.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

tacho_status tacho_fit_init(tacho_fit *fit, const tacho_debug_info *info)
{
    *fit = (tacho_fit){.info = info};
    fit->next_rows = tacho_items_alloc(info->job_count, sizeof(*fit->next_rows));
    return fit->next_rows != NULL ? TACHO_OK
                                  : tacho_fail(TACHO_CODE_NO_MEMORY,
                                               "cannot get memory for %zu jobs", info->job_count);
}

void tacho_fit_deinit(tacho_fit *fit)
{
    free(fit->next_rows);
    fit->next_rows = NULL;
}

bool tacho_fit_is_job(const tacho_annotation_row *row)
{
    return row->kind == TACHO_ANNOTATION_JOB && row->job != TACHO_NONE && row->has_time;
}

bool tacho_fit_find_scale(const tacho_fit *fit, const tacho_annotation_row *row,
                          tacho_fit_scale *out_scale)
{
    const tacho_debug_job *job = &fit->info->jobs[row->job];
    tacho_fit_scale scale = {INT64_MAX, -1, row->start, row->end};
    for (uint32_t i = 0; i < job->task_count; i++) {
        const tacho_task *task = &fit->info->tasks[job->first_task + i];
        if (task->start_cycles < 0 || task->end_cycles < task->start_cycles) {
            continue;
        }
        scale.first_cycles =
            task->start_cycles < scale.first_cycles ? task->start_cycles : scale.first_cycles;
        scale.last_cycles =
            task->end_cycles > scale.last_cycles ? task->end_cycles : scale.last_cycles;
    }
    *out_scale = scale;
    return scale.last_cycles > scale.first_cycles;
}

static int64_t scale_cycles(const tacho_fit_scale *scale, int64_t cycles)
{
    if (cycles <= scale->first_cycles) {
        return scale->start;
    }
    if (cycles >= scale->last_cycles) {
        return scale->end;
    }
    return scale->start + (int64_t)tacho_scale_floor(cycles - scale->first_cycles,
                                                     scale->end - scale->start,
                                                     scale->last_cycles - scale->first_cycles);
}

static bool is_same_run(const tacho_annotation_row *a, const tacho_annotation_row *b)
{
    return a->part == b->part && a->invocation == b->invocation &&
           a->dispatch_name == b->dispatch_name;
}

/* End of the work that lasts until |cycles|, perhaps in a later job of the same run. */
static int64_t find_end(const tacho_fit *fit, const tacho_annotation_row *row,
                        const tacho_fit_scale *scale, const tacho_unit_of_work *unit,
                        int64_t cycles)
{
    if (cycles <= scale->last_cycles || unit->wait_op == TACHO_NONE) {
        return scale_cycles(scale, cycles);
    }
    const tacho_annotation_row *later = fit->next_rows[fit->info->ops[unit->wait_op].job];
    tacho_fit_scale later_scale;
    if (later == NULL || !is_same_run(later, row) || later->start < row->start ||
        !tacho_fit_find_scale(fit, later, &later_scale)) {
        return scale->end;
    }
    int64_t end = scale_cycles(&later_scale, cycles);
    return end > scale->end ? end : scale->end;
}

bool tacho_fit_unit(const tacho_fit *fit, const tacho_annotation_row *row,
                    const tacho_fit_scale *scale, const tacho_inner_op *op,
                    tacho_fit_time *out_time)
{
    if (op->kind != TACHO_INNER_START || op->unit == TACHO_NONE) {
        return false;
    }
    const tacho_unit_of_work *unit = &fit->info->units[op->unit];
    int64_t first = 0;
    int64_t last = 0;
    tacho_debug_info_unit_cycles(fit->info, unit, &first, &last);
    if (first < 0) {
        return false;
    }
    out_time->start = scale_cycles(scale, first);
    out_time->end = find_end(fit, row, scale, unit, last);
    out_time->cycles = last - first;
    return true;
}

void tacho_fit_pass(tacho_fit *fit, const tacho_annotation_row *row)
{
    fit->next_rows[row->job] = row;
}

/* ---- rows of inner ops ------------------------------------------------------------------ */

/* |fits| are those of the inner ops of |job|. */
static void fit_job(const tacho_fit *fit, const tacho_annotation_row *job,
                    tacho_annotation_fit *fits)
{
    const tacho_debug_job *known = &fit->info->jobs[job->job];
    tacho_fit_scale scale;
    if (!tacho_fit_find_scale(fit, job, &scale)) {
        return;
    }
    for (uint32_t i = 0; i < known->op_count; i++) {
        tacho_fit_time time;
        if (tacho_fit_unit(fit, job, &scale, &fit->info->ops[known->first_op + i], &time)) {
            fits[i] = (tacho_annotation_fit){time.start, time.end};
        }
    }
}

/* |expanded| is by job: the next row that its inner ops follow; NULL for none. */
static void fit_rows(tacho_fit *fit, tacho_annotation *annotation,
                     const tacho_annotation_row **expanded)
{
    for (size_t i = annotation->row_count; i-- > 0;) {
        const tacho_annotation_row *row = &annotation->rows[i];
        if (row->is_expanded) {
            expanded[row->job] = row;
        }
        if (tacho_fit_is_job(row)) {
            const tacho_annotation_row *wait = expanded[row->job];
            if (wait != NULL && is_same_run(wait, row)) {
                fit_job(fit, row, annotation->fits + wait->first_fit);
                expanded[row->job] = NULL;
            }
            tacho_fit_pass(fit, row);
        }
    }
}

tacho_status tacho_annotation_fit_all(tacho_annotation *annotation)
{
    tacho_fit fit;
    size_t job_count = annotation->info->job_count;
    const tacho_annotation_row **expanded = tacho_items_alloc(job_count, sizeof(*expanded));
    tacho_status status = tacho_fit_init(&fit, annotation->info);
    annotation->fits = malloc((annotation->inner_count + 1) * sizeof(*annotation->fits));
    if (status == TACHO_OK && (expanded == NULL || annotation->fits == NULL)) {
        status = tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu jobs", job_count);
    }
    if (status == TACHO_OK) {
        for (size_t i = 0; i < annotation->inner_count; i++) {
            annotation->fits[i] = (tacho_annotation_fit){0, -1};
        }
        fit_rows(&fit, annotation, expanded);
    }
    free(expanded);
    tacho_fit_deinit(&fit);
    return status;
}

tacho_annotation_row tacho_annotation_inner(const tacho_annotation *annotation,
                                            const tacho_annotation_row *row, uint32_t index)
{
    uint32_t id = annotation->info->jobs[row->job].first_op + index;
    const tacho_inner_op *op = &annotation->info->ops[id];
    tacho_annotation_row inner = *row;
    inner.kind = TACHO_ANNOTATION_INNER;
    inner.is_only_job = false;
    inner.is_expanded = false;
    inner.op = id;
    inner.operation = op->operation;
    inner.location = op->location;
    inner.fit = annotation->fits[row->first_fit + index];
    return inner;
}
