/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with one Tracy client, as bytes: its data goes in, in pieces of any size; questions to
 * it are returned; rows go to the events. Sockets are elsewhere (capture/tracy_hub.h).
 *
 * Wrong data is counted: a zone that ends and never began, an impossible time. A damaged block
 * makes the rest of the stream unreadable: it ends the session and keeps the rows so far.
 */
#ifndef TACHO_CAPTURE_TRACY_SESSION_H
#define TACHO_CAPTURE_TRACY_SESSION_H

#include "capture/tracy_names.h"
#include "codec/lz4_chain.h"
#include "codec/tracy_block.h"

/* How ticks become times: one way for all clients of a computer. */
typedef struct tacho_tracy_clock {
    bool is_set;        /* by the first client */
    int64_t base_ticks; /* is at ... */
    int64_t base_ns;    /* ... this time of the part's clock */
    double ns_per_tick;
} tacho_tracy_clock;

typedef enum tacho_tracy_phase {
    TACHO_TRACY_PHASE_ANSWER,    /* to the hello */
    TACHO_TRACY_PHASE_WELCOME,   /* the client's description of itself */
    TACHO_TRACY_PHASE_ON_DEMAND, /* more of it from an on-demand client */
    TACHO_TRACY_PHASE_BLOCKS,
    TACHO_TRACY_PHASE_OVER, /* nothing more is read */
} tacho_tracy_phase;

typedef enum tacho_tracy_end {
    TACHO_TRACY_END_NONE,      /* it is not over */
    TACHO_TRACY_END_DONE,      /* the client has terminated, and answered everything */
    TACHO_TRACY_END_CUT,       /* the connection ended before */
    TACHO_TRACY_END_MISMATCH,  /* the client speaks another protocol */
    TACHO_TRACY_END_BUSY,      /* it has a session with another server */
    TACHO_TRACY_END_NOT_TRACY, /* its answer is not Tracy's */
    TACHO_TRACY_END_FOREIGN,   /* it is not a process that may be captured */
    TACHO_TRACY_END_DAMAGED,   /* a block cannot be read */
    TACHO_TRACY_END_FAILED,    /* ours: no memory, a full disk */
} tacho_tracy_end;

/* Data that was read, and data that was not. */
typedef struct tacho_tracy_counts {
    uint64_t blocks, events;
    uint64_t zones, messages, samples, device_zones, frames, lock_events, memory_events;
    uint64_t mismatched;  /* ends, texts and colours of zones that are not open */
    uint64_t bad_times;   /* that no clock can show */
    uint64_t untimed;     /* device zones whose times never arrived */
    uint64_t unknown;     /* events of things that were never announced */
    uint64_t bad_samples; /* values that are not finite */
    uint64_t call_stacks, switches, samples_skipped, other_skipped; /* skipped by intention */
} tacho_tracy_counts;

typedef struct tacho_tracy_thread tacho_tracy_thread;
typedef struct tacho_tracy_things tacho_tracy_things;
typedef struct tacho_tracy_devices tacho_tracy_devices;

/* Parameters of a session. */
typedef struct tacho_tracy_session_facts {
    tacho_events *events;
    uint32_t part;
    uint32_t group;           /* track of the process; TACHO_NONE: the part's */
    uint32_t protocol;        /* number */
    int layout;               /* of numbers with two: 0 find out, 1 upstream, 2 the fork's */
    tacho_tracy_clock *clock; /* outlives the session */
} tacho_tracy_session_facts;

typedef struct tacho_tracy_session {
    tacho_tracy_rows rows;
    tacho_tracy_names names;
    tacho_tracy_clock *clock;
    tacho_tracy_protocol protocol, other; /* the layout in use, and the one that it may be */
    bool is_undecided;
    tacho_tracy_walk walk, other_walk;
    tacho_tracy_phase phase;
    tacho_tracy_end end;
    bool has_terminated; /* the client is done, save for answers */
    bool has_crashed;
    tacho_status failure;
    tacho_tracy_welcome welcome;
    unsigned char *in; /* a block that is not all there */
    size_t in_len, in_capacity;
    tacho_lz4_chain chain;
    tacho_tracy_counts counts;
    /* Running times, and strings that wait for their event. */
    int64_t thread_ticks, serial_ticks, gpu_ticks;
    int64_t last_ns;           /* the latest time seen */
    tacho_str single, payload; /* of this block, or kept in |kept| */
    char *kept;
    size_t kept_capacity;
    bool has_single, has_payload;
    uint64_t pool; /* name of the memory pool of the next event */
    bool has_pool;
    tacho_tracy_thread *threads;
    size_t thread_count, thread_capacity;
    tacho_number_map thread_map, fiber_map;
    uint32_t current; /* thread */
    tacho_tracy_things *things;
    tacho_tracy_devices *devices;
} tacho_tracy_session;

/* Call deinit even if init failed. */
tacho_status tacho_tracy_session_init(tacho_tracy_session *session,
                                      const tacho_tracy_session_facts *facts) TACHO_MUST_USE;
void tacho_tracy_session_deinit(tacho_tracy_session *session);

/* The greeting that has to be sent first. */
void tacho_tracy_session_hello(const tacho_tracy_session *session,
                               unsigned char hello[TACHO_TRACY_HELLO_BYTES]);

/*
 * Called when the welcome is complete, before any row: the owner of the session may still choose
 * the process's track (session->rows.group) and the clock, or set |end|: then no data is taken.
 */
typedef void (*tacho_tracy_met)(void *self, tacho_tracy_session *session);

/* Takes bytes of the client. When it returns, session->phase may be OVER. */
void tacho_tracy_session_take(tacho_tracy_session *session, tacho_str bytes, tacho_tracy_met met,
                              void *met_self);

/* Writes pending output to |to|; returns how many bytes, 0 for nothing. */
size_t tacho_tracy_session_give(tacho_tracy_session *session, unsigned char *to, size_t room);

/*
 * The connection is over: open zones end at the last time seen, rows that wait for a name are
 * pushed without; losses are counted in the dictionary.
 */
tacho_status tacho_tracy_session_finish(tacho_tracy_session *session) TACHO_MUST_USE;

#endif
