/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deterministic simulation of 'tacho profile' on several hosts: wrapper, collector, recorder,
 * sink and client are the real code; threads, processes, sockets, shared memory, clocks and disks
 * are those of this directory. Everything runs on one thread. Whatever happens next, and whatever
 * goes wrong, is drawn from a seed, so a failure is found again with that seed.
 *
 *     scheduler.c  agents (threads of programs, and tacho), time, who continues
 *     memory.c     loads and stores of shared memory: who sees which, and when
 *     kernel.c     descriptors, sockets, epoll, memory files
 *     processes.c  processes, signals, clocks, mutexes, /proc
 *     disk.c       the capture's file: short writes, failures, a full disk
 *     program.c    the programs: what they report, and what must be found later
 *     world.c      hosts and their faults
 *     reading.c    captures read back
 *     laws.c       comparison with what programs reported
 *     fleet.c      captures as parts, merged in any order
 */
#ifndef TACHO_TESTS_SIMULATION_H
#define TACHO_TESTS_SIMULATION_H

#include "capture/collector.h"
#include "client/local.h"
#include "session/capture_run.h"

#include <ucontext.h>

enum {
    SIM_RANKS_MAX = 3,
    SIM_AGENTS_MAX = 64,
    SIM_PROCESSES_MAX = 64,
    SIM_THREADS_MAX = 256,
    SIM_SLOTS_MAX = 128, /* segments of shared memory */
    SIM_STORES_MAX = 64, /* that an agent has made and others may not see yet */
    SIM_STORE_BYTES = 16,
    SIM_SITES = 8,
    SIM_COUNTERS = 2, /* of a thread */
    SIM_STREAMS = 2 + SIM_COUNTERS,
    SIM_ZONES_MAX = 80,
    SIM_UID = 1000,
};

/* ---- chance ---------------------------------------------------------------------------------- */

uint64_t sim_random(void);
uint32_t sim_below(uint32_t end);
/* True once in |count| times; never for 0. */
bool sim_chance(uint32_t count);

/* ---- faults ---------------------------------------------------------------------------------- */

/* Kinds of faults: id, words for people, how often at most: once in this many opportunities. */
#define SIM_FAULTS(X)                                                                              \
    X(KILL_PROCESS, "program killed", 500)                                                         \
    X(KILL_MAIN, "profiled command killed", 4000)                                                  \
    X(KILL_TACHO, "tacho killed", 4000)                                                            \
    X(THREAD_END, "thread ended", 300)                                                             \
    X(FORK, "program forked", 800)                                                                 \
    X(SIGNAL, "signal handler that reports", 200)                                                  \
    X(SIGNAL_TACHO, "signal to tacho", 2000)                                                       \
    X(STALL, "tacho stalled", 300)                                                                 \
    X(LEAP, "clock leapt", 1000)                                                                   \
    X(CLOCK_SET, "time of day set", 1000)                                                          \
    X(STRANGER, "stranger on the socket", 800)                                                     \
    X(CONNECT, "connection refused", 8)                                                            \
    X(SEND, "answer not sent", 16)                                                                 \
    X(MEMORY, "no shared memory", 16)                                                              \
    X(EPOLL, "epoll interrupted", 20)                                                              \
    X(SHORT_WRITE, "short write", 3)                                                               \
    X(INTERRUPTED_WRITE, "interrupted write", 4)                                                   \
    X(FULL_DISK, "disk full", 2)                                                                   \
    X(BAD_DISK, "write failed", 100)                                                               \
    X(HIDDEN_STORE, "store seen late", 2)                                                          \
    X(PREEMPTED, "preempted inside a call", 2)                                                     \
    X(CUT, "capture cut", 1)                                                                       \
    X(FLIP, "capture with a flipped bit", 1)                                                       \
    X(TORN_PART, "part cut or changed", 1)

typedef enum sim_fault {
#define SIM_FAULT_ENUM(id, words, count) SIM_##id,
    SIM_FAULTS(SIM_FAULT_ENUM)
#undef SIM_FAULT_ENUM
        SIM_FAULT_COUNT,
} sim_fault;

const char *sim_fault_words(sim_fault fault);

/* Whether the fault happens now; it is counted. */
bool sim_fails(sim_fault fault);
void sim_count_fault(sim_fault fault);

/* ---- what programs report -------------------------------------------------------------------- */

typedef enum sim_kind {
    SIM_KIND_ZONE,
    SIM_KIND_COUNTER,
    SIM_KIND_MESSAGE,
    SIM_KIND_SIGNPOST,
    SIM_KIND_FLOW,
    SIM_KIND_LAUNCH, /* an arrow of that role, from host or to device */
    SIM_KIND_OP,
} sim_kind;

typedef enum sim_fate {
    SIM_PENDING, /* the call has not returned: it may be stored or not */
    SIM_UNSURE,  /* placed, but its texts may have found no room: it is stored, or counted */
    SIM_PLACED,
    SIM_DROPPED,
} sim_fate;

typedef enum sim_stream { SIM_HOST, SIM_DEVICE, SIM_COUNTER } sim_stream; /* and others from here */

/* A row that a capture has to have. */
typedef struct sim_event {
    uint8_t kind, fate;
    uint8_t stream; /* rows of one stream keep their order */
    bool is_late;   /* the call returned after tacho had begun to finish */
    bool is_second; /* another row of the event before */
    uint32_t name;  /* hash */
    int64_t start, end;
    uint64_t value;              /* hash of values */
    const tacho_wire_ring *ring; /* where it was placed ... */
    uint64_t position;           /* ... and the head after it */
} sim_event;

typedef struct sim_zone {
    tacho_client_zone zone;
    uint32_t site;
    bool is_pending; /* its call has not returned */
} sim_zone;

struct sim_agent;
struct sim_process;

/* A thread of a program; it is remembered after its end. */
typedef struct sim_thread {
    uint32_t tid;
    bool is_first; /* of the profiled command, which ends with it */
    struct sim_process *process;
    struct sim_agent *agent; /* NULL: has ended */
    sim_event *events;
    size_t event_count, event_capacity;
    sim_zone zones[SIM_ZONES_MAX]; /* open ones */
    size_t zone_count;
    bool has_left;  /* it ended by itself, and its open zones with it */
    bool has_key;   /* the client wants to know of its end */
    bool is_forked; /* it is the copy of another process's thread */
    bool is_late;   /* it was alive when tacho began to finish */
    tacho_client_site counters[SIM_COUNTERS];
    char counter_names[SIM_COUNTERS][32];
    uint64_t number; /* of the next event */
    bool has_pair, has_device;
    bool is_in_call, is_in_handler;
    uint64_t attach_head;   /* of the ring that it got last */
    uint64_t handler_heads; /* records that handlers placed during the call */
    uint64_t owed;          /* events of handlers that came before it had a ring */
    int64_t pair_ns, pair_ticks;
    uint64_t ticks_per_second;
    /* Rows up to here were sealed: they survive tacho. */
    const tacho_wire_ring *sealed_ring;
    uint64_t sealed_position;
    bool is_all_sealed;               /* it had ended, and its ring was read to the end */
    const tacho_wire_ring *last_ring; /* at its end */
    uint64_t last_position;
} sim_thread;

/* ---- processes and hosts --------------------------------------------------------------------- */

typedef struct sim_process {
    bool is_used;
    pid_t pid;
    struct sim_rank *rank;
    struct sim_process *parent; /* NULL: tacho */
    bool has_ended, is_zombie, is_signalled;
    int status;
    int64_t start_ns;
    client_process client; /* its tacho_client_process, while another one runs */
    struct sim_agent *lock_owner;
    bool is_forking; /* its first thread has not returned from fork yet */
    uint16_t maps[SIM_SLOTS_MAX];
    tacho_client_site sites[SIM_SITES];
    uint64_t placed; /* events in a ring, with those that make no rows */
    uint64_t dropped, unplaced, untimed;
    uint64_t late_placed, late_dropped; /* of them, after tacho had begun to finish */
    uint64_t pending;                   /* calls that never returned */
    uint64_t unsure;                    /* placed events that make no rows, of unsure fate */
} sim_process;

typedef struct sim_watch {
    int fd;
    uint64_t data;
} sim_watch;

/* A chunk of rows in a capture. */
typedef struct sim_chunk {
    uint64_t begin, end;
    uint64_t row_count;
} sim_chunk;

typedef struct sim_rank {
    unsigned index;
    struct sim_agent *agent; /* tacho; NULL: it has ended */
    struct sim_process *main;
    pid_t pid;
    int64_t base_ns, realtime_ns; /* of its clocks */
    int64_t step_ns;              /* how far its time of day was set */
    int64_t stalled_until_ns;
    char socket_path[128];
    bool has_socket;
    int listener;
    sim_watch watches[SIM_PROCESSES_MAX * 8];
    size_t watch_count;
    int signals[8];
    size_t signal_count;
    uint16_t maps[SIM_SLOTS_MAX];
    uint32_t next_tid;
    /* The disk. */
    char path[96];
    int fd;
    uint64_t disk_left;
    uint64_t file_bytes;
    /* What must be found later. */
    bool was_killed, is_finishing, has_result;
    tacho_wrapper_result result;
    tacho_profiling_clocks clocks;
    sim_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    uint64_t sealed_bytes;
    uint64_t read_rows; /* of the file */
    bool is_readable;
} sim_rank;

/* ---- agents ---------------------------------------------------------------------------------- */

/* A store that others may not see yet. */
typedef struct sim_store {
    unsigned char *at;
    uint8_t len;
    bool is_release, is_seen;
    unsigned char before[SIM_STORE_BYTES], after[SIM_STORE_BYTES];
} sim_store;

typedef enum sim_state { SIM_FREE, SIM_READY, SIM_WAITING } sim_state;

typedef struct sim_agent {
    ucontext_t context;
    void *stack;
    sim_state state;
    int64_t wake_ns; /* INT64_MAX: not by time */
    sim_rank *rank;
    sim_process *process; /* NULL: tacho */
    sim_thread *thread;
    client_thread client;   /* its thread's, while another one runs */
    uint32_t fuel;          /* steps until it is preempted */
    int64_t first_clock_ns; /* read in the present call; 0: none */
    bool is_stopping;       /* its program is to end */
    sim_store stores[SIM_STORES_MAX];
    size_t store_count;
    uint64_t slots; /* bits of the segments that they are in, modulo 64 */
} sim_agent;

typedef struct sim_world {
    uint64_t random;
    uint64_t seed;
    int64_t now_ns;
    uint32_t chances[SIM_FAULT_COUNT]; /* of this run; 0: never */
    uint64_t event_count, event_limit;
    uint64_t fault_counts[SIM_FAULT_COUNT];
    bool is_ending;
    sim_agent agents[SIM_AGENTS_MAX];
    sim_agent *current;
    sim_process *loaded; /* whose state is in tacho_client_process */
    ucontext_t scheduler;
    sim_process processes[SIM_PROCESSES_MAX];
    sim_thread threads[SIM_THREADS_MAX];
    size_t thread_count;
    sim_rank ranks[SIM_RANKS_MAX];
    unsigned rank_count;
    /* The character of this run. */
    uint32_t step_ns;     /* on average between two steps */
    uint32_t fuel;        /* steps of an agent, on average */
    uint32_t process_max; /* of a rank */
    uint32_t thread_max;  /* of a process */
    uint32_t text_max;    /* bytes of messages */
    bool has_many_names;
    uint64_t digest;
    char broken[512]; /* the first law that is broken; empty: none */
} sim_world;

extern sim_world sim;

/* Notes that a law is broken. */
void sim_break(const char *format, ...) TACHO_PRINTF(1, 2);

uint64_t sim_hash(uint64_t hash, const void *bytes, size_t len);
uint64_t sim_hash_text(const char *text);

/* scheduler.c */
sim_agent *sim_agent_start(sim_rank *rank, void (*run)(void));
void sim_agent_end(sim_agent *agent);
void sim_yield(void);
/* Until |until_ns| of the world's clock, or sim_wake. */
void sim_wait(int64_t until_ns);
void sim_wake(sim_agent *agent);
/* A place inside a call, where others may go on. */
void sim_point(void);
/* Continues some agent; false: none can continue. */
bool sim_step(void);
void sim_load_process(sim_process *process);

/* memory.c */
void sim_memory_begin(void);
void sim_memory_enter(sim_agent *agent);
void sim_memory_leave(sim_agent *agent);
/* All stores of |agent| are seen from now on. */
void sim_memory_commit(sim_agent *agent);
void *sim_slot(size_t slot);
size_t sim_slot_of(const void *address);

/* kernel.c */
void sim_kernel_begin(void);
/* Closes all that |owner| has open. */
void sim_kernel_close_all(const void *owner);
void sim_kernel_unmap_all(uint16_t maps[SIM_SLOTS_MAX]);
bool sim_kernel_map(const void *address, uint16_t maps[SIM_SLOTS_MAX]);
bool sim_deliver(void);
void sim_stranger(sim_rank *rank);
int sim_open_pidfd(sim_process *process);
int sim_open_signals(sim_rank *rank);
void sim_notify(sim_rank *rank);

/* processes.c */
sim_process *sim_process_start(sim_rank *rank, sim_process *parent);
void sim_process_end(sim_process *process, bool is_signalled, int status);
sim_process *sim_process_find(const sim_rank *rank, pid_t pid);
int64_t sim_clock_ns(sim_rank *rank);
void sim_signal(sim_rank *rank, int number);
void sim_fork(void);

/* disk.c */
void sim_disk_close(sim_rank *rank);

/* program.c */
uint64_t sim_hash_arg(uint64_t hash, const char *key, unsigned type, const void *value, size_t len);
sim_thread *sim_thread_start(sim_process *process);
void sim_thread_gone(sim_thread *thread);
void sim_report_in_handler(void);

/* world.c */
void sim_world_run(uint64_t seed, uint64_t event_limit);
void sim_kill_tacho(sim_rank *rank);

/* laws.c, reading.c, fleet.c */
typedef struct sim_found {
    size_t next[SIM_STREAMS]; /* of the thread's events: those before were found */
    uint64_t unended_count;
} sim_found;

typedef struct sim_reading {
    uint64_t row_count;
    uint64_t unsure_count; /* events of unsure fate that were found */
    uint64_t losses[TACHO_LOSS_REASON_COUNT];
    bool is_read;                     /* else it was refused */
    sim_found found[SIM_THREADS_MAX]; /* by thread */
} sim_reading;

/* Reads a capture; its rows are compared with what was reported unless it is damaged. */
void sim_read(sim_rank *rank, tacho_str bytes, bool is_damaged, sim_reading *out_reading);
void sim_check_rank(sim_rank *rank);
void sim_check_fleet(void);
/* The bytes of a file; to be freed. */
tacho_str sim_read_file(const char *path);

#endif
