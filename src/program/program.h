/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled network, which devices run, dumps print and profiles refer to.
 *
 * It has two layers. Steps compute values: the model's operators on whole tensors, in order,
 * grouped into ops (an operator with those fused into it). Jobs take time: transfers and tiles of
 * work on engines of cores, with the cycles at which the compiler expects each to start and end,
 * and the jobs that each has to wait for.
 *
 * Everything is a table of plain records that refer to one another by number (TACHO_NONE: absent)
 * and to texts by place in one pool, so a program is written to and read from its container
 * (program/image.h) table by table. A program that was read has been checked: every number is in
 * range, and jobs wait only for jobs before them.
 */
#ifndef TACHO_PROGRAM_PROGRAM_H
#define TACHO_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "base/mapping.h"
#include "base/strings.h"
#include "base/tensor.h"

/* A table or a record that changes here changes in program/schema.c, too. */

typedef enum tacho_storage {
    TACHO_STORAGE_INPUT,
    TACHO_STORAGE_OUTPUT,
    TACHO_STORAGE_ACTIVATION,
    TACHO_STORAGE_BYTES,    /* a constant: |offset| in the constants */
    TACHO_STORAGE_SPLAT,    /* a constant: one element at |offset| */
    TACHO_STORAGE_RANDOM,   /* a constant made from |offset| as seed */
    TACHO_STORAGE_COMPUTED, /* a constant that steps compute, and no job: before any inference */
    TACHO_STORAGE_COUNT
} tacho_storage;

typedef struct tacho_program_tensor {
    uint32_t name; /* string */
    uint16_t dtype;
    uint16_t storage; /* tacho_storage */
    uint64_t offset;
    uint64_t bytes;
    uint32_t shape;    /* in |shapes|: tensors share them */
    uint16_t kept;     /* tacho_dtype that the machine keeps it in */
    uint16_t is_local; /* kept in local memory between operators, else in shared memory */
} tacho_program_tensor;

/* One call of a kernel. */
typedef struct tacho_step {
    uint32_t op;
    uint32_t type; /* string: "Conv", "tosa.conv2d" */
    int32_t opset;
    uint32_t first_link; /* inputs, then outputs, then the condition, in |links|: tensors */
    uint16_t input_count, output_count;
    uint32_t first_attr;
    uint32_t attr_count;
    uint32_t when; /* tacho_when: it has a condition, a tensor of one bool, unless ALWAYS */
} tacho_step;

/* Where the condition of a step is in |links|, if it has one. */
static inline size_t tacho_step_condition(const tacho_step *step)
{
    return (size_t)step->first_link + step->input_count + step->output_count;
}

/* An operator of the model with those fused into it. */
typedef struct tacho_program_op {
    uint32_t name, type, location; /* strings */
    uint32_t kind;                 /* string: the machine's vendor's name for such an op */
    uint32_t first_step, step_count;
    uint32_t first_job, job_count;
    uint32_t dispatch; /* which dispatch function it belongs to */
    uint64_t macs;
    uint64_t input_bytes, weight_bytes, output_bytes;
    int64_t cycles; /* estimate: its last job's end - its first job's start */
} tacho_program_op;

/* Something that does one job at a time. */
typedef struct tacho_program_engine {
    uint32_t name;       /* string, as the vendor prints it: "SLICE", "HMX" */
    uint32_t class_name; /* string: the track class of profiles: "compute", "dma_in" */
    uint16_t device, core;
    uint16_t index; /* among its class on its core */
    uint16_t thread;
    uint32_t is_sequenced; /* one sequencer of the core starts its jobs and others', in order ... */
    uint32_t issue_cycles; /* ... and is busy for so long with each start */
} tacho_program_engine;

typedef enum tacho_job_kind {
    TACHO_JOB_LOAD,    /* shared memory to local */
    TACHO_JOB_STORE,   /* local to shared memory */
    TACHO_JOB_COPY,    /* local to local: between cores, or between memories of one */
    TACHO_JOB_COMPUTE, /* on a matrix or vector engine */
    TACHO_JOB_CONTROL, /* on a core's processor: CSS, host */
    TACHO_JOB_SIGNAL,  /* raises a semaphore or rings a doorbell */
    TACHO_JOB_WAIT,    /* for a semaphore, a doorbell, a barrier */
    TACHO_JOB_P2P,     /* shared memory of another device to that of the engine's own */
    TACHO_JOB_KIND_COUNT
} tacho_job_kind;

typedef struct tacho_job {
    uint32_t op;
    uint32_t engine;
    uint16_t kind;                   /* tacho_job_kind */
    uint16_t readers;                /* LOAD, COPY: cores that get the same bytes at once; 0: one */
    uint32_t tile;                   /* number within its op and core */
    uint32_t block;                  /* the NSS program, or other unit that the host starts */
    uint32_t first_need, need_count; /* in |needs| */
    uint32_t buffer;                 /* that it fills or drains, or TACHO_NONE */
    uint32_t partner;                /* SIGNAL, WAIT: semaphore; P2P: source device */
    int64_t cycles;                  /* uncontended */
    int64_t start, end;              /* the compiler's timeline */
    uint64_t bytes;
    uint64_t macs;
    uint32_t first_region, region_count; /* in |regions|: parts that it reads and writes */
} tacho_job;

typedef enum tacho_access_kind {
    TACHO_ACCESS_READ,
    TACHO_ACCESS_WRITE,   /* and then it is complete */
    TACHO_ACCESS_PARTIAL, /* later jobs of the operator add to it */
    TACHO_ACCESS_KIND_COUNT
} tacho_access_kind;

/*
 * A part of a tensor that a job reads or writes: a box of it, as the operator sees its shape. No
 * extents: which elements those are follows from values.
 */
typedef struct tacho_region {
    uint32_t tensor; /* or TACHO_NONE: the operator's own scratch */
    uint32_t buffer; /* that holds it, or TACHO_NONE: in shared memory, or in other cores' */
    uint16_t access; /* tacho_access_kind */
    uint16_t extent_count;
    uint32_t first_extent; /* in |extents|, the outermost dimension first */
    uint64_t bytes;
} tacho_region;

/* Of one dimension of |of| elements those from |offset| on. */
typedef struct tacho_extent {
    uint64_t offset, size, of;
} tacho_extent;

/*
 * A job that another job waits for. A lag is a delay that the compiler knows of and no engine
 * causes: overlapping streams begin one after the other, shared memory limits the rate.
 */
typedef struct tacho_need {
    uint32_t job;      /* earlier than the one that waits */
    uint32_t is_false; /* only because a buffer is used again; else because data flows */
    int64_t lag;       /* cycles from that job's end on that have to pass, too */
} tacho_need;

typedef enum tacho_buffer_role {
    TACHO_BUFFER_TILE,     /* of an operand, while the operator runs */
    TACHO_BUFFER_RESIDENT, /* a tensor, or the core's part of it, from operator to operator */
    TACHO_BUFFER_SCRATCH,  /* of an operator alone: partial results */
    TACHO_BUFFER_ROLE_COUNT
} tacho_buffer_role;

/*
 * A stretch of local memory while it holds one thing. With extents it is that box of its tensor,
 * and new data goes to its place in it; without, new data replaces the old.
 */
typedef struct tacho_buffer {
    uint32_t memory; /* string: "lram", "vtcm" */
    uint16_t device, core;
    uint64_t offset, bytes;
    uint32_t first_job, last_job; /* that touch it */
    uint32_t role;                /* tacho_buffer_role */
    uint32_t tensor;              /* or TACHO_NONE */
    uint32_t first_extent, extent_count;
} tacho_buffer;

/* A unit that the host starts and waits for: an NSS program, a network on cores. */
typedef struct tacho_block {
    uint32_t name;
    uint32_t dispatch;
    uint32_t first_job, job_count;
    uint32_t start_action, wait_action;
} tacho_block;

/* A function of the compiled network. */
typedef struct tacho_dispatch_info {
    uint32_t name; /* string: main$async_dispatch_0 */
    uint32_t first_op, op_count;
} tacho_dispatch_info;

/* The device's stats during a run, compiled in. */
enum { TACHO_PMU_EVENTS_MAX = 8 };

typedef struct tacho_stats_config {
    uint32_t level; /* 40, 50, 70, 100; below 40: nothing */
    uint32_t batch_size;
    uint32_t counts_ddr;
    uint32_t pmu_event_count;
    uint16_t pmu_events[TACHO_PMU_EVENTS_MAX]; /* the machine's codes ... */
    uint16_t pmu_counts[TACHO_PMU_EVENTS_MAX]; /* ... the event of each (tacho_event) ... */
    uint32_t pmu_names[TACHO_PMU_EVENTS_MAX];  /* ... and strings: the machine's name for it */
    uint32_t pmu_recipe;                       /* string; empty: events were given */
    uint64_t buffer_bytes; /* of the record buffers of all cores; 0: not laid out */
} tacho_stats_config;

/* The vendor's names of jobs that belong to no operator: by kind, and a signal for more input. */
enum { TACHO_JOB_NAME_INPUT = TACHO_JOB_KIND_COUNT, TACHO_JOB_NAME_COUNT };

/* The facts of a program that are not tables. */
typedef struct tacho_program_facts {
    uint32_t name;         /* string: of the network */
    uint32_t machine;      /* string: name of the machine it was compiled for */
    uint32_t machine_text; /* string: its whole description, so that any device can read it */
    uint32_t model_path;   /* string */
    uint32_t device_count, core_count, thread_count;
    uint32_t batch_size;
    uint32_t hardware;   /* string: changes to the machine, as --torq-hw has them */
    uint32_t grid_width; /* mesh: cores in a row, as they are numbered; 0: not a mesh */
    int64_t total_cycles;
    uint64_t core_clock_hz, timer_hz;
    uint64_t local_bytes;         /* of each core's local memory */
    uint64_t local_peak_bytes;    /* that buffers take at one time in the fullest core */
    uint64_t ddr_bytes;           /* of shared memory: inputs, outputs, tensors not kept local */
    uint64_t constant_bytes;      /* constants, on top of that, as the machine keeps them */
    uint64_t moved_bytes;         /* from and to shared memory; data cast to several cores, once */
    uint32_t random_weight_count; /* tensors with seeded-random values, not those of the model */
    uint32_t zero_weight_count;   /* tensors with zeros for values missing in the model's files */
    uint32_t fidelity;            /* index + 1 of the machine's list; 0: its default */
    uint32_t job_names[TACHO_JOB_NAME_COUNT]; /* strings; COMPUTE's is empty: the op's kind */
    tacho_stats_config stats;
} tacho_program_facts;

/*
 * One row per table: a record, the table in tacho_program, type of its records. The image has a
 * section for each, named after it.
 */
#define TACHO_PROGRAM_TABLES(X)                                                                    \
    X(tensor, tensors, tacho_program_tensor)                                                       \
    X(shape, shapes, tacho_shape)                                                                  \
    X(step, steps, tacho_step)                                                                     \
    X(op, ops, tacho_program_op)                                                                   \
    X(engine, engines, tacho_program_engine)                                                       \
    X(job, jobs, tacho_job)                                                                        \
    X(need, needs, tacho_need)                                                                     \
    X(buffer, buffers, tacho_buffer)                                                               \
    X(region, regions, tacho_region)                                                               \
    X(extent, extents, tacho_extent)                                                               \
    X(block, blocks, tacho_block)                                                                  \
    X(dispatch, dispatches, tacho_dispatch_info)                                                   \
    X(link, links, uint32_t)                                                                       \
    X(input, inputs, uint32_t)                                                                     \
    X(output, outputs, uint32_t)

typedef enum tacho_program_table {
#define TACHO_PROGRAM_TABLE_ENUM(name, names, type) TACHO_TABLE_##name,
    TACHO_PROGRAM_TABLES(TACHO_PROGRAM_TABLE_ENUM)
#undef TACHO_PROGRAM_TABLE_ENUM
        TACHO_TABLE_COUNT
} tacho_program_table;

typedef struct tacho_program {
    tacho_program_facts facts;
    tacho_strings strings;
#define TACHO_PROGRAM_FIELD(name, names, type)                                                     \
    type *names;                                                                                   \
    size_t name##_count, name##_capacity;
    TACHO_PROGRAM_TABLES(TACHO_PROGRAM_FIELD)
#undef TACHO_PROGRAM_FIELD
    tacho_attr *attrs; /* of steps; texts and lists live in the arena */
    size_t attr_count, attr_capacity;
    tacho_arena arena;
    uint32_t writer;     /* version of the tacho that compiled it: major, minor << 8, patch << 16 */
    tacho_str constants; /* bytes that tensors refer to; borrowed or of the arena */
    tacho_mappings mappings; /* the file they are borrowed from */
} tacho_program;

tacho_status tacho_program_init(tacho_program *program) TACHO_MUST_USE;
void tacho_program_deinit(tacho_program *program);

static inline const tacho_shape *tacho_program_shape(const tacho_program *program,
                                                     const tacho_program_tensor *tensor)
{
    return &program->shapes[tensor->shape];
}

/* The place of an engine's core among the cores of all devices. */
static inline size_t tacho_program_core_of(const tacho_program *program, uint32_t engine)
{
    const tacho_program_engine *e = &program->engines[engine];
    return (size_t)e->device * program->facts.core_count + e->core;
}

/* The place of its thread among those of all cores; a missing thread counts as the core's first. */
static inline size_t tacho_program_thread_of(const tacho_program *program, uint32_t engine)
{
    size_t thread = program->engines[engine].thread;
    size_t threads = program->facts.thread_count;
    return tacho_program_core_of(program, engine) * threads + (thread < threads ? thread : 0);
}

/* Bytes that the records of all tables take. */
uint64_t tacho_program_table_bytes(const tacho_program *program);

/*
 * "seeded random values in 3 tensors, zeros in 1": which constants are not the model's. False and
 * "" if all are.
 */
enum { TACHO_PROGRAM_STAND_INS_MAX = 96 };
bool tacho_program_print_stand_ins(const tacho_program *program,
                                   char out_text[TACHO_PROGRAM_STAND_INS_MAX]);

/* Adds a shape, even if there is an equal one. */
tacho_status tacho_program_add_shape(tacho_program *program, const tacho_shape *shape,
                                     uint32_t *out_id) TACHO_MUST_USE;

#endif
