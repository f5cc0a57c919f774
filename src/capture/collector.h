/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector: gives shared memory to programs that ask for it, and takes the events that they
 * write there. It serves any number of programs at once; one that misbehaves loses its own events,
 * is counted, and disturbs no other.
 */
#ifndef TACHO_CAPTURE_COLLECTOR_H
#define TACHO_CAPTURE_COLLECTOR_H

#include "base/local_socket.h"
#include "base/number_map.h"
#include "base/tcp_socket.h"
#include "capture/decoder.h"
#include "capture/way.h"

enum {
    TACHO_COLLECTOR_SEGMENTS_MAX = 1024,
    TACHO_COLLECTOR_WAITING_MAX = 320, /* whose connections are open */
};

/* A ring as the collector knows it. */
typedef struct tacho_collected_ring {
    bool is_known;  /* whose it is */
    bool is_broken; /* its numbers are invalid: it is no longer read */
    uint32_t track;
    uint64_t tail;
    uint64_t dropped; /* that are in the sum already */
} tacho_collected_ring;

typedef struct tacho_collected_segment {
    pid_t pid;
    uint32_t client; /* number, that a program knows itself by */
    tacho_shared_memory memory;
    struct tacho_collected_segment *first; /* that has the strings; perhaps this one */
    tacho_decoder decoder;                 /* of the first */
    tacho_collected_ring rings[TACHO_WIRE_RINGS];
    struct tacho_collected_segment *next;
} tacho_collected_segment;

/*
 * A program that has connected and not sent its request yet; or one that was sent the name of its
 * memory over TCP, and has not opened it yet.
 */
typedef struct tacho_waiting_client {
    int fd;
    pid_t pid;     /* over TCP 0: its hello has one, which is checked */
    int memory_fd; /* closed when the client has opened it; -1: no request yet */
    int64_t until_ns;
    size_t hello_len; /* bytes received of it */
    tacho_wire_hello hello;
} tacho_waiting_client;

typedef struct tacho_collector_counts {
    uint64_t clients;   /* connections that got memory; a process may have several */
    uint64_t processes; /* of these connections */
    uint64_t refused;   /* connections of other programs, or without a valid hello */
    uint64_t silent;    /* connections that were closed without a byte */
    uint64_t unserved;  /* requests of programs for which there was no memory or time */
    uint64_t events;    /* taken: all that were emitted, less the dropped */
    uint64_t dropped;   /* for lack of room, in a ring or for their texts */
    uint64_t bad;       /* invalid events */
    uint64_t untimed;   /* operators of devices whose clock is not known */
    uint64_t broken;    /* rings */
    uint64_t unplaced;  /* events of threads that got no ring */
} tacho_collector_counts;

typedef struct tacho_collector {
    tacho_recorder *recorder;
    tacho_sampler *sampler;
    int epoll_fd;
    uint64_t event_base;
    uint32_t stats_level; /* requested from clients */
    tacho_local_socket socket;
    tacho_tcp_socket tcp; /* port 0: not requested */
    tacho_waiting_client waiting[TACHO_COLLECTOR_WAITING_MAX];
    size_t waiting_count;
    tacho_collected_segment *segments;
    size_t segment_count;
    uint32_t last_client;       /* number that was given out */
    tacho_number_map processes; /* that have or had one, by pid */
    tacho_collector_counts counts;
} tacho_collector;

/* Opens the socket, and the port if one was requested. Close it also after a failure. */
tacho_status tacho_collector_open(tacho_collector *collector,
                                  const tacho_way_context *context) TACHO_MUST_USE;
void tacho_collector_close(tacho_collector *collector);

/* An event of epoll: its data less the base. */
void tacho_collector_handle(tacho_collector *collector, uint64_t event);

/* Takes the records in the rings. Returns how many the fullest one held. */
uint64_t tacho_collector_drain(tacho_collector *collector);

/* Whether there is anything to drain. */
static inline bool tacho_collector_has_clients(const tacho_collector *collector)
{
    return collector->segments != NULL || collector->waiting_count > 0;
}

/* Process |pid| has ended at |now_ns|: takes the rest, and the zones that never ended. */
void tacho_collector_end(tacho_collector *collector, pid_t pid, int64_t now_ns);

/* The capture ends: clients stop, the rest is taken, and losses are in the dictionary. */
void tacho_collector_finish(tacho_collector *collector, int64_t now_ns);

#endif
