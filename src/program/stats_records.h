/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats: what a device records while it runs a program, as files of chunks (codec/chunk.h) of
 * kind TACHO_STATS_KIND, one per inference and device. Which records there are is compiled into
 * the program (its stats level); where each goes is known before it runs (program/stats_layout.h).
 *
 * Times are ticks of two clocks: U, the timer that all cores share, and P, the cycles of the core.
 * Both count from the device's start. Records are little-endian and naturally aligned; a later
 * version may make them longer, never other, so a reader takes the part that it knows.
 *
 * |stream| of a chunk is the engine (index in the program) for OPRC and XPMU, else 0.
 */
#ifndef TACHO_PROGRAM_STATS_RECORDS_H
#define TACHO_PROGRAM_STATS_RECORDS_H

#include <stdint.h>

#include "base/maths.h"
#include "codec/chunk.h"
#include "program/program.h"

#define TACHO_STATS_KIND TACHO_FOURCC('S', 'T', 'A', 'T')

/* One row per type of record: letters, name of the struct, stats level that it needs. */
#define TACHO_STATS_TYPES(X)                                                                       \
    X('H', 'E', 'A', 'D', head, 0)                                                                 \
    X('C', 'L', 'K', 'S', clock, 0)                                                                \
    X('T', 'H', 'R', 'D', thread, 40)                                                              \
    X('P', 'M', 'U', 'C', pmu, 40)                                                                 \
    X('C', 'P', 'M', 'U', core_pmu, 40)                                                            \
    X('D', 'D', 'R', 'T', ddr, 40)                                                                 \
    X('P', 'O', 'R', 'T', port, 50)                                                                \
    X('P', 'D', 'B', 'L', doorbell, 50)                                                            \
    X('O', 'P', 'R', 'C', op, 50)                                                                  \
    X('X', 'P', 'M', 'U', op_pmu, 100)                                                             \
    X('S', 'T', 'A', 'L', stall, 70)                                                               \
    X('D', 'R', 'O', 'P', drop, 0)                                                                 \
    X('F', 'I', 'N', '.', end, 0)

enum {
    TACHO_STATS_LEVEL_INFERENCE = 40,
    TACHO_STATS_LEVEL_PORTS = 50,
    TACHO_STATS_LEVEL_OPS = 70,
    TACHO_STATS_LEVEL_OP_PMU = 100,
};

enum {
    TACHO_STATS_HAS_DDR = 1 << 0,
    TACHO_STATS_HAS_PMU = 1 << 1,
    TACHO_STATS_HAS_OP_PMU = 1 << 2,
    TACHO_STATS_SIMULATED = 1 << 3, /* times are simulated; else measured */
    TACHO_STATS_BY_OP = 1 << 4,     /* OPRC has one record per op of the program, not per job */
    /*
     * The host computer ran it, on its own processor: cores and engines of the program's machine
     * did nothing. U ticks in its clock's nanoseconds; cycles are unknown, P ticks as U.
     */
    TACHO_STATS_ON_HOST = 1 << 5,
};

/* The first chunk; one record. */
typedef struct tacho_stats_head {
    uint64_t layout_id; /* tacho_stats_layout.id of the program: ties the file to it */
    uint32_t program, activation;
    uint64_t inference; /* global number */
    uint32_t device, device_count;
    uint64_t timer_hz; /* of U */
    uint64_t core_hz;  /* of P, nominal */
    uint16_t level, features;
    uint16_t core_count, thread_count;
    uint32_t batch_size;
    uint32_t first_core; /* of the device, that this activation's core 0 is */
} tacho_stats_head;

/* Whether P counts cycles of a core; of the host's processor both clocks are one, in ns. */
static inline bool tacho_stats_has_cycles(const tacho_stats_head *head)
{
    return (head->features & TACHO_STATS_ON_HOST) == 0;
}

/* The engine name of a device that has no cycles of its own. */
#define TACHO_STATS_COMPUTER "CPU"

/* A moment on both clocks: of the host (CLOCK_MONOTONIC) and U. */
typedef struct tacho_stats_clock {
    uint64_t host_ns;
    uint64_t timer;
    uint64_t error_ns; /* how far apart the two were read, at most */
} tacho_stats_clock;

/* A thread of a core during one inference. */
typedef struct tacho_stats_thread {
    uint16_t core, thread;
    uint32_t flush_p; /* cycles of the flush, no more than fit; 0: none, or not known */
    uint64_t start_u, end_u, start_p, end_p; /* the inference, the stats' flush included */
    uint64_t activate_start_u, activate_end_u, activate_start_p, activate_end_p;
    uint64_t flush_start_u; /* from here to the end it wrote the stats */
} tacho_stats_thread;

/* Cycles of the flush; where they are not known, the share of the thread's that its ticks are. */
static inline uint64_t tacho_stats_flush_cycles(const tacho_stats_thread *thread)
{
    uint64_t cycles = thread->end_p - thread->start_p;
    uint64_t ticks = thread->end_u - thread->start_u;
    uint64_t flush = thread->end_u - thread->flush_start_u;
    if (thread->flush_p > 0 || flush == 0 || ticks == 0) {
        return thread->flush_p < cycles ? thread->flush_p : cycles;
    }
    return (uint64_t)((tacho_u128)cycles * flush / ticks);
}

/* Counters of a thread over the inference. */
typedef struct tacho_stats_pmu {
    uint16_t core, thread;
    uint32_t event_count;
    uint16_t events[TACHO_PMU_EVENTS_MAX];
    uint64_t values[TACHO_PMU_EVENTS_MAX];
} tacho_stats_pmu;

/*
 * Those of a core. Requests and packets of its threads add up; a cycle in which several of them are
 * active is one cycle of the core.
 */
typedef struct tacho_stats_core_pmu {
    uint16_t core, reserved;
    uint32_t event_count;
    uint16_t events[TACHO_PMU_EVENTS_MAX];
    uint64_t values[TACHO_PMU_EVENTS_MAX];
} tacho_stats_core_pmu;

/* Traffic of a core with DDR over the inference. */
typedef struct tacho_stats_ddr {
    uint16_t core, reserved;
    uint32_t reserved2;
    uint64_t read_bytes, write_bytes;
    uint64_t window_u;
} tacho_stats_ddr;

/* Ports that threads wait at; the host's are numbered so. */
enum { TACHO_PORT_HOST_IN = 100, TACHO_PORT_HOST_OUT = 101, TACHO_PORT_P2P = 102 /* and up */ };

/* The port for data from, or to, a device. */
static inline uint16_t tacho_stats_p2p_port(uint32_t peer, bool is_output)
{
    return (uint16_t)(TACHO_PORT_P2P + 2 * peer + (is_output ? 1 : 0));
}

typedef struct tacho_stats_port {
    uint16_t core, thread;
    uint16_t port;
    uint8_t is_output;
    uint8_t is_p2p;
    uint32_t wait_count;
    uint32_t peer; /* device at the other end of a P2P port */
    uint64_t wait_u, longest_u;
} tacho_stats_port;

/* A doorbell that rang at an input port. */
typedef struct tacho_stats_doorbell {
    uint16_t core, port;
    uint32_t transaction;
    uint64_t ring_u;
} tacho_stats_doorbell;

enum {
    TACHO_STATS_OP_ASYNC = 1 << 0,   /* |async_done_u| counts: the op goes on after |op_end_u| */
    TACHO_STATS_OP_STALLED = 1 << 1, /* it took longer than it would have alone */
};

/*
 * One job of an engine (or, BY_OP, one op). The engine's thread waits from |sync_start_u|, works
 * from |op_start_u| to |op_end_u| and waits for its siblings to |barrier_end_u|.
 */
typedef struct tacho_stats_op {
    uint32_t oc; /* op counter: number of the task on its core; BY_OP: the op */
    uint16_t flags, repeat;
    uint64_t sync_start_u, op_start_u, op_end_u, barrier_end_u, async_done_u;
    uint64_t op_start_p, op_end_p;
} tacho_stats_op;

/* Counters over one record of OPRC. */
typedef struct tacho_stats_op_pmu {
    uint32_t oc, reserved;
    uint32_t values[TACHO_PMU_EVENTS_MAX];
} tacho_stats_op_pmu;

/*
 * Why an op of the program took other than its estimate: cycles by cause, which sum up to
 * simulated - estimated exactly. Only devices that simulate know.
 */
#define TACHO_STALLS(X)                                                                            \
    X(DDR, "ddr", "shared memory was busy")                                                        \
    X(NOC, "noc", "the network between cores was busy")                                            \
    X(LINK, "link", "the link between devices was busy")                                           \
    X(QUEUE, "queue", "a DMA queue was full")                                                      \
    X(SLACK, "slack", "waiting that the estimate had room for: zero or less")

typedef enum tacho_stall {
#define TACHO_STALL_ENUM(name, key, phrase) TACHO_STALL_##name,
    TACHO_STALLS(TACHO_STALL_ENUM)
#undef TACHO_STALL_ENUM
        TACHO_STALL_COUNT
} tacho_stall;

typedef struct tacho_stats_stall {
    uint32_t op; /* of the program */
    uint32_t reserved;
    int64_t start_p, end_p; /* of the op, all cores */
    int64_t cycles[TACHO_STALL_COUNT];
} tacho_stats_stall;

/* Records that were not kept: emitted = stored + dropped, per type. */
typedef struct tacho_stats_drop {
    uint32_t type; /* TACHO_FOURCC */
    uint32_t reason;
    uint64_t emitted, stored, dropped;
} tacho_stats_drop;

/* The last chunk; a file without it was cut. */
typedef struct tacho_stats_end {
    uint32_t chunk_count; /* before this one */
    uint32_t reserved;
    uint64_t record_cost_ns; /* measured cost of recording, all of it; 0: not known */
} tacho_stats_end;

_Static_assert(sizeof(tacho_stats_op) == 64, "an op record is half a cache line of the device");

#define TACHO_STATS_TYPE_ENUM(a, b, c, d, name, level) TACHO_STATS_TYPE_##name,
typedef enum tacho_stats_type {
    TACHO_STATS_TYPES(TACHO_STATS_TYPE_ENUM) TACHO_STATS_TYPE_COUNT
} tacho_stats_type;
#undef TACHO_STATS_TYPE_ENUM

#endif
