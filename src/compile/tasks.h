/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a sequencer: the jobs that it starts, or waits for, at one time. Timelines number
 * their rows by them, and dumps of the program print them, so that the two can be joined.
 */
#ifndef TACHO_COMPILE_TASKS_H
#define TACHO_COMPILE_TASKS_H

#include "program/program.h"

/* A job starts, or is waited for. */
typedef struct tacho_task_event {
    int64_t time;
    uint32_t job;
    bool is_wait;
    uint32_t rank;         /* at its time, after those with less */
    uint32_t issue_cycles; /* that the sequencer is busy with it */
} tacho_task_event;

/* The events of a block, in order; zeroed, it is empty, and free(items) at the end. */
typedef struct tacho_task_events {
    tacho_task_event *items;
    size_t count, capacity;
} tacho_task_events;

/* Whether |job| takes no time by its kind: it is started, and never waited for. */
bool tacho_job_is_instant(const tacho_job *job);

/* Replaces |events| by those of |block|. */
tacho_status tacho_task_events_collect(const tacho_program *program, const tacho_block *block,
                                       tacho_task_events *events) TACHO_MUST_USE;

/* Whether two events that follow each other belong to one task. */
bool tacho_task_is_same(const tacho_task_event *a, const tacho_task_event *b);

/*
 * By job: the task that starts it, counted from 0 over the blocks of its dispatch. |out_tasks| has
 * room for all jobs.
 */
tacho_status tacho_tasks_number(const tacho_program *program, uint32_t *out_tasks) TACHO_MUST_USE;

#endif
