/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a recorder. Only device/recorder*.c include this.
 */
#ifndef TACHO_DEVICE_RECORDER_PARTS_H
#define TACHO_DEVICE_RECORDER_PARTS_H

#include "base/arena.h"
#include "base/index.h"
#include "base/maths.h"
#include "device/op_io.h"
#include "device/recorder.h"

enum { TACHO_BANK_CLOCKS = 2, TACHO_BANK_DROPS = TACHO_STATS_TYPE_COUNT };

/* The records of one device of one activation. */
typedef struct tacho_bank {
    tacho_stats_clock clocks[TACHO_BANK_CLOCKS];
    tacho_stats_thread *threads;     /* by core, then thread */
    tacho_stats_pmu *pmus;           /* the same */
    tacho_stats_core_pmu *core_pmus; /* by core */
    tacho_stats_ddr *ddrs;           /* the same */
    tacho_stats_port *ports;
    tacho_stats_doorbell *doorbells;
    tacho_stats_stall *stalls;
    tacho_stats_drop drops[TACHO_BANK_DROPS];
    uint32_t drop_count;
    tacho_stats_array *arrays;
    uint32_t array_count;
} tacho_bank;

/* Which of the host's ports the threads of a device have. */
typedef struct tacho_host_ports {
    bool has_input, has_output;
} tacho_host_ports;

/* A port of an engine: where its jobs of some ops wait for another device. */
typedef struct tacho_port_row {
    uint32_t engine;
    uint32_t next;            /* row of the same engine, or TACHO_NONE */
    uint32_t place, doorbell; /* among those of the device */
    uint32_t peer;            /* device */
    uint32_t op;              /* of the peer, that rings the doorbell, or TACHO_NONE */
    uint16_t port;
} tacho_port_row;

struct tacho_recorder {
    const tacho_program *program;
    tacho_recorder_options options;
    tacho_stats_layout layout;
    tacho_arena arena;
    uint64_t timer_num, timer_den; /* ticks per cycle */
    size_t core_count;             /* of all devices */
    uint64_t *core_bytes;          /* by device and core */
    bool *is_async;                /* by engine */
    tacho_bank *banks;             /* by activation, then device */
    tacho_stats_buffer *buffers;
    tacho_stats_op **ops;         /* by activation and engine: its records */
    tacho_stats_op_pmu **op_pmus; /* the same; NULL without any */
    tacho_op_ios ios;
    uint32_t *device_ops;         /* ops that have jobs, by device ... */
    size_t *first_device_op;      /* ... from here on, by device and one more */
    tacho_host_ports *host_ports; /* by device */
    tacho_port_row *ports;        /* to other devices */
    size_t port_count, port_capacity;
    uint32_t *device_ports;     /* by device: how many ... */
    uint32_t *device_doorbells; /* ... and how many of them are inputs */
    uint32_t *job_port;         /* by job: its port, or TACHO_NONE */
    /* while an inference is filled in */
    int64_t *task_ends;    /* by task of the layout */
    int64_t *op_barriers;  /* by op: when its cores have met; 0: they do not */
    bool *is_last_of_op;   /* by job: its thread then waits for others at the op */
    uint32_t *thread_jobs; /* by core and thread: the last job so far */
    uint32_t *last_jobs;   /* by engine: that was recorded last */
    int64_t *engine_free;  /* by engine */
};

/* The tick of U at a cycle of the device. */
static inline uint64_t tacho_recorder_tick(const tacho_recorder *recorder, int64_t cycle)
{
    uint64_t c = (uint64_t)cycle;
    if (recorder->timer_num <= 1 || c <= UINT64_MAX / recorder->timer_num) {
        return c * recorder->timer_num / recorder->timer_den;
    }
    return (uint64_t)((tacho_u128)c * recorder->timer_num / recorder->timer_den);
}

/* Cycles that issuing a transfer takes of |cycles|. */
int64_t tacho_recorder_issue(const tacho_recorder *recorder, uint32_t engine, int64_t cycles);

/* Zeroed memory of the recorder; |out_items| is the address of a pointer. */
tacho_status tacho_recorder_alloc(tacho_recorder *recorder, size_t count, size_t size,
                                  void *out_items) TACHO_MUST_USE;

#define TACHO_RECORDER_ALLOC(recorder, count, items)                                               \
    TACHO_TRY(tacho_recorder_alloc((recorder), (count), sizeof(**(items)), (items)))

static inline tacho_bank *tacho_recorder_bank(const tacho_recorder *recorder, uint32_t activation,
                                              uint32_t device)
{
    size_t devices = recorder->program->facts.device_count;
    return &recorder->banks[activation * devices + device];
}

/* recorder_io.c: ports and doorbells. */
tacho_status tacho_recorder_find_ports(tacho_recorder *recorder) TACHO_MUST_USE;
void tacho_recorder_fill_ports(tacho_recorder *recorder, const tacho_recorder_turn *recording);

#endif
