/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the records of a program's stats go, and what an op record refers to: derived from the
 * program alone, so that the device that records and the tools that decode agree.
 *
 * A task is what one core does at a time for one op on engines of one name: a tile on four vector
 * threads is one task with four jobs. Tasks of a core are numbered in the order of the program's
 * jobs; the number is the op counter (oc) of records.
 */
#ifndef TACHO_PROGRAM_STATS_LAYOUT_H
#define TACHO_PROGRAM_STATS_LAYOUT_H

#include "program/stats_records.h"

typedef struct tacho_stats_task {
    uint32_t op;        /* of the program */
    uint32_t first_job; /* the others of the task are those after it of the same core and task */
    uint32_t job_count;
    uint32_t engine; /* of the first job */
    uint16_t kind;   /* tacho_job_kind */
    uint16_t reserved;
    uint32_t kind_name; /* string of the layout: "aicconvolutiond32", "aiccopytovtcm" */
    uint64_t bytes;     /* all jobs */
} tacho_stats_task;

/* Engines of one name on one core that share tasks. */
typedef struct tacho_stats_group {
    uint32_t first_engine, engine_count;
} tacho_stats_group;

typedef struct tacho_stats_layout {
    const tacho_program *program;
    uint64_t id;
    uint32_t *job_task;      /* by job: oc on its core */
    uint32_t *job_slot;      /* by job: its place among the records of its engine at level 70 */
    uint32_t *engine_jobs;   /* by engine: records at level 70 */
    tacho_stats_task *tasks; /* by device and core, one after the other */
    size_t task_count;
    size_t *core_first_task;   /* by device * core_count + core, and one more */
    tacho_stats_group *groups; /* by device and core, one after the other */
    size_t group_count;
    uint32_t *engine_group;
    uint64_t buffer_bytes; /* of all records of one inference, all devices */
    tacho_strings names;   /* kinds */
} tacho_stats_layout;

/* Threads of all cores of all devices: more have no stats. */
enum { TACHO_STATS_THREADS_MAX = 1 << 22 };

/* Whether the cores of |program| have threads, and no more than that. */
tacho_status tacho_stats_check_threads(const tacho_program *program) TACHO_MUST_USE;

/* |program| has passed tacho_program_check and outlives the layout. Call deinit even if this fails.
 */
tacho_status tacho_stats_layout_init(tacho_stats_layout *layout,
                                     const tacho_program *program) TACHO_MUST_USE;
void tacho_stats_layout_deinit(tacho_stats_layout *layout);

/* Bytes each core records of one inference, by device * core_count + core: all the buffer. */
void tacho_stats_layout_core_bytes(const tacho_stats_layout *layout, uint64_t *out_bytes);

/* The same by device. */
void tacho_stats_layout_device_bytes(const tacho_stats_layout *layout, uint64_t *out_bytes);

/* Whether the engine works on its own once started: transfers. */
bool tacho_stats_is_async(const tacho_program *program, uint32_t engine);

/* The task |oc| of a core, or NULL when there is none. */
const tacho_stats_task *tacho_stats_layout_task(const tacho_stats_layout *layout, uint32_t device,
                                                uint32_t core, uint32_t oc);

#endif
