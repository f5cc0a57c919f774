/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of raw stats: the work of every core, thread, port and kind of op during one inference on
 * one device. It reads records directly, not events: a summary of gigabytes of buffers takes only a
 * few additions per record.
 *
 * Rules, as the vendor's tool for Qualcomm Cloud AI 100 has them:
 *
 *     op        counts once for all threads that share it; its cycles are those of the slowest
 *     ucycles   of a transfer: from its issue to its completion; pcycles: of the issue alone
 *     sync      waiting before an op; barrier: waiting after it; waits of no length do not count.
 *               Waiting after a thread's last op, up to the stats' flush, is sync, too, so
 *               that sync + ops + barrier + flush is the time of the thread. A thread that starts
 *               several engines waits while it starts none of them. Of a group's threads it is
 *               the one that waited longest
 *     lost      values that missing records would be part of are unknown, not 0
 *     percent   of the slowest thread of the core; engines overlap, so columns do not add up
 *     utilization  of a thread: cycles of its ops / its cycles, waits not included; where it has
 *               several engines that compute: / their cycles
 *     MHz       pcycles of the inference / ucycles of the slowest thread
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_H

#include "program/stats_stream.h"
#include "program/stats_words.h"
#include "table/table.h"

/* The kind of a row of the op table. */
typedef enum tacho_opstats_kind {
    TACHO_OPSTATS_OP,
    TACHO_OPSTATS_SYNC,
    TACHO_OPSTATS_BARRIER,
    TACHO_OPSTATS_FLUSH, /* writing the stats */
} tacho_opstats_kind;

/* One distinct kind of op on a core: facts known before the run. */
typedef struct tacho_opstats_row {
    tacho_opstats_kind kind;
    uint32_t core;    /* of its device */
    uint32_t word;    /* strings of the plan: "aicconvolutiond32", "sync" */
    uint32_t engine;  /* "HMX" */
    uint32_t memory;  /* "TCM"; empty: none */
    uint32_t types;   /* "(float16, i8)"; empty: none */
    uint32_t details; /* all of them: "aicconvolutiond32 HMX TCM (float16, i8)" */
} tacho_opstats_row;

/* The rows of a program, and the row of each task. */
typedef struct tacho_opstats_plan {
    const tacho_stats_words *words;
    tacho_strings strings;
    tacho_opstats_row *rows;
    size_t row_count, row_capacity;
    size_t *core_first_row;                       /* by device and core, and the end */
    uint32_t *task_row;                           /* by task */
    uint32_t *sync_row, *barrier_row, *flush_row; /* by engine */
    bool *has_waits;                              /* by engine: some of its tasks only wait */
    size_t first_op_row;                          /* of rows for records by op */
    uint32_t *op_row;                             /* by op */
} tacho_opstats_plan;

/* |words| outlive it. Call deinit even after a failure. */
tacho_status tacho_opstats_plan_init(tacho_opstats_plan *plan,
                                     const tacho_stats_words *words) TACHO_MUST_USE;
void tacho_opstats_plan_deinit(tacho_opstats_plan *plan);

/* The measurements of a row. */
typedef struct tacho_opstats_sum {
    uint64_t ucycles, pcycles, count, bytes;
    double ratio_sum, ratio_square_sum; /* of pcycles per KB */
    uint64_t ratio_count;
    uint64_t pmu[TACHO_PMU_EVENTS_MAX];
    bool is_lost, is_pmu_lost; /* lost records, lost counters: sums not known */
} tacho_opstats_sum;

/* Ticks of a thread up to its flush: at one or more ops, and waiting. */
typedef struct tacho_opstats_waits {
    uint64_t op_u, sync_u, barrier_u;
    uint64_t sync_count, barrier_count;
} tacho_opstats_waits;

typedef struct tacho_opstats_thread {
    bool is_there, has_pmu;
    bool is_lost; /* lost ops: neither |waits| nor |op_p| are known */
    uint64_t start_u, end_u, start_p, end_p;
    uint64_t activate_u, flush_u, flush_p;
    uint64_t op_p; /* sum of its records */
    tacho_opstats_waits waits;
    uint64_t pmu[TACHO_PMU_EVENTS_MAX];
} tacho_opstats_thread;

typedef struct tacho_opstats_core {
    bool is_there, has_ddr;
    bool has_pmu;
    bool is_whole;                  /* all of its threads have records */
    uint64_t start_u, end_u, max_u; /* of all threads; of the slowest */
    uint64_t start_p, end_p, max_p;
    uint64_t flush_u, flush_p; /* of the thread that ended last */
    uint64_t read_bytes, write_bytes;
    uint64_t pmu[TACHO_PMU_EVENTS_MAX];
} tacho_opstats_core;

/* Records of a task, the slowest of its threads. */
typedef struct tacho_opstats_task {
    uint64_t op_u, op_p;
} tacho_opstats_task;

typedef struct tacho_opstats {
    const tacho_opstats_plan *plan;
    const tacho_program *program;
    const tacho_stats_file *file;  /* that was read last */
    tacho_opstats_sum *sums;       /* by row */
    tacho_opstats_task *tasks;     /* by task; op_u is UINT64_MAX if not recorded */
    tacho_opstats_thread *threads; /* by core, then thread */
    tacho_opstats_core *cores;
    uint32_t *engine_thread;   /* by engine: place in |threads| */
    uint32_t *engine_order;    /* engines by device, then thread */
    size_t *thread_end;        /* by device and thread: where its engines end in |engine_order| */
    uint32_t *engine_records;  /* by engine: ops of the file that are whole ... */
    uint32_t *engine_counters; /* ... and their counters */
    uint64_t *core_bytes;      /* by device and core: recorded bytes per inference */
    /* Arrays of the file: the first of an engine, and the one after each. */
    uint32_t *first_array, *next_array;
    size_t next_capacity;
    struct tacho_opstats_cursor *cursors; /* room for those of all engines */
    uint64_t record_count;                /* of ops */
    uint64_t max_input_wait, max_output_wait;
    bool has_ports;
    bool is_whole; /* all of its cores are whole */
    /*
     * Products of the matrix engine per cycle, of integers and of reals. They belong to the
     * machine, which is not known here, so the caller may set them; if 0, values derived from them
     * are unknown.
     */
    double fixed_macs_per_cycle, real_macs_per_cycle;
} tacho_opstats;

/* Memory for the files of a plan, used for one after the other. Call deinit even if this fails. */
tacho_status tacho_opstats_init(tacho_opstats *stats,
                                const tacho_opstats_plan *plan) TACHO_MUST_USE;
void tacho_opstats_deinit(tacho_opstats *stats);

/* Sums up a file that was bound to the plan's program; it must outlive the use of the sums. */
tacho_status tacho_opstats_read(tacho_opstats *stats, const tacho_stats_file *file) TACHO_MUST_USE;

/* First and last tick of the inference over all cores; false without threads. */
bool tacho_opstats_extent(const tacho_opstats *stats, uint64_t *out_start, uint64_t *out_end);

/* MHz of a core, or 0. */
double tacho_opstats_mhz(const tacho_opstats *stats, const tacho_opstats_core *core);

#endif
