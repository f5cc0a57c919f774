/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the client: the state of a process and of a thread. This code runs in other
 * people's programs: it takes no memory from malloc, holds no descriptor, and starts no thread.
 */
#ifndef TACHO_CLIENT_LOCAL_H
#define TACHO_CLIENT_LOCAL_H

#include "client/wire.h"

#include <stdbool.h>
#include <tacho/client.h>

enum {
    CLIENT_UNTRIED = 0,       /* generations: no thread has looked for a collector yet ... */
    CLIENT_SEGMENTS_MAX = 64, /* 4096 threads */
    CLIENT_CACHE_LINE = 64,
};
#define CLIENT_OFF UINT32_MAX /* ... without a collector; others: number of the segment */

/* The process. Its first segment has the strings of all. */
typedef struct client_process {
    _Atomic uint32_t generation;
    uint32_t last_generation; /* that was given out, in parents too */
    uint32_t segment_count;
    _Atomic uint64_t call_count; /* of operators, numbered so far */
    void *segments[CLIENT_SEGMENTS_MAX];
} client_process;

/* A thread, and its ring. */
typedef struct client_thread {
    uint32_t generation;     /* that its ring is of */
    uint32_t depth;          /* open zones */
    volatile int is_busy;    /* in one of our functions: a signal handler must stay out */
    _Atomic uint32_t missed; /* events of such handlers before there was a ring to count them */
    bool is_stalled;         /* has waited for the collector without success ... */
    uint64_t stall_tail;     /* ... which had read up to here */
    tacho_wire_ring *ring;   /* NULL: none was free */
    tacho_wire_record *records;
    uint64_t head, tail; /* the ring's; |tail| as last seen */
} client_thread;

extern client_process tacho_client_process;

/* Gives |thread| a ring of the current generation; false without a collector. */
bool tacho_client_attach(client_thread *thread);

/* This thread's. */
client_thread *tacho_client_this_thread(void);

/* The collector takes nothing more: all calls return at once from now on. */
void tacho_client_turn_off(void);

static inline tacho_wire_header *client_header(void)
{
    return tacho_client_process.segments[0];
}

/* The id of a text, or of a site, in the first segment. TACHO_WIRE_NO_TEXT: no room. */
uint32_t tacho_client_intern(const char *text, size_t len);
uint32_t tacho_client_intern_site(tacho_client_site *site, uint32_t generation);

/*
 * Room for an event of |count| records: it begins with record 0. False where there is none, which
 * has been counted. Records are the collector's once they are published.
 */
bool tacho_client_reserve(client_thread *thread, uint32_t count);

static inline tacho_wire_record *client_record(const client_thread *thread, uint64_t index)
{
    return &thread->records[(thread->head + index) & (TACHO_WIRE_RECORDS - 1)];
}

static inline void client_publish(client_thread *thread, uint32_t count)
{
    tacho_wire_ring *ring = thread->ring;
    thread->head += count;
    uint64_t stored = atomic_load_explicit(&ring->stored, memory_order_relaxed);
    atomic_store_explicit(&ring->stored, stored + 1, memory_order_relaxed);
    atomic_store_explicit(&ring->head, thread->head, memory_order_release);
}

/*
 * Begins an event: this thread, with a ring; NULL without a collector, or without a free ring, or
 * where a signal handler has interrupted us. End it with client_leave.
 */
client_thread *tacho_client_enter(void);

static inline void client_leave(client_thread *thread)
{
    atomic_signal_fence(memory_order_seq_cst);
    thread->is_busy = 0;
}

#endif
