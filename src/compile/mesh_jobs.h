/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of one core of a mesh for one operator; all its cores have the same, each with its own part
 * of the bytes. A core has three units: the reader brings the first operand, the writer the second
 * one and takes results away, and the engine computes. They work at the same time, and circular
 * buffers of two steps between them keep them together.
 *
 * A product is a chain of steps. Its jobs are a step, the steps after it in at most so many
 * segments, and the last: as the segments of reader and engine go side by side, and each waits for
 * the other's before it goes on, they take exactly what single steps would.
 */
#ifndef TACHO_COMPILE_MESH_JOBS_H
#define TACHO_COMPILE_MESH_JOBS_H

#include "compile/op_mesh.h"
#include "program/program.h"

typedef enum tacho_mesh_unit {
    TACHO_MESH_READER,
    TACHO_MESH_WRITER,
    TACHO_MESH_ENGINE,
    TACHO_MESH_UNIT_COUNT
} tacho_mesh_unit;

/* The stream of a job. */
typedef enum tacho_mesh_role {
    TACHO_MESH_IN0,
    TACHO_MESH_IN1,
    TACHO_MESH_RESULT,
    TACHO_MESH_ROLE_COUNT
} tacho_mesh_role;

enum { TACHO_MESH_NEEDS_MAX = 5, TACHO_MESH_JOBS_MAX = 64, TACHO_MESH_ENTRY = 255 };

typedef struct tacho_mesh_need {
    uint8_t job; /* before this one, or ENTRY: the launch of the operator */
    bool is_false;
    int64_t lag;
} tacho_mesh_need;

/* Cores that work on a phase of the operator, and how they stand. */
typedef struct tacho_mesh_cores {
    uint32_t count, rows, columns;
    bool is_grid; /* as a part of the mesh; else one after the other along its rows */
} tacho_mesh_cores;

typedef struct tacho_mesh_job {
    tacho_mesh_cores cores;
    tacho_mesh_unit unit;
    tacho_job_kind kind;
    tacho_mesh_role role;
    tacho_mesh_team team;
    int64_t cycles;
    uint64_t bytes; /* of all cores, but once for each team */
    uint64_t macs;  /* of all cores */
    size_t need_count;
    tacho_mesh_need needs[TACHO_MESH_NEEDS_MAX];
} tacho_mesh_job;

typedef struct tacho_mesh_jobs {
    uint32_t segments; /* > 0, set before: of the steps of a product but the first and last */
    size_t job_count;
    tacho_mesh_job jobs[TACHO_MESH_JOBS_MAX];
    uint64_t buffer_bytes[TACHO_MESH_ROLE_COUNT]; /* of each core */
    int64_t launch;                               /* before all of them */
    size_t tail_count;                            /* jobs that the next phase waits for */
    uint8_t tails[TACHO_MESH_NEEDS_MAX];
} tacho_mesh_jobs;

/* Makes the jobs of |work|. */
tacho_status tacho_mesh_jobs_make(const tacho_machine *machine, const tacho_work *work,
                                  const tacho_cost_options *options, const tacho_op_cost *cost,
                                  tacho_mesh_jobs *jobs) TACHO_MUST_USE;

/* From the launch's start to the last end. */
int64_t tacho_mesh_jobs_cycles(const tacho_mesh_jobs *jobs);

/* A core's place among those that share parts of an operand. */
typedef struct tacho_mesh_place {
    uint32_t readers; /* that get the same bytes as it, itself included */
    uint32_t team, teams;
} tacho_mesh_place;

tacho_mesh_place tacho_mesh_place_of(const tacho_mesh_job *job, uint32_t core);

/* Which of |cores| the |core|-th of a mesh with |width| of them in a row is; or TACHO_NONE. */
uint32_t tacho_mesh_index_of(const tacho_mesh_cores *cores, uint32_t core, uint32_t width);

/* The |part|-th of |parts| parts of |amount|, which add up to it. */
uint64_t tacho_mesh_part(uint64_t amount, uint32_t part, uint32_t parts);

#endif
