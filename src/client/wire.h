/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of a client and the collector: the handshake, and the segment of memory in which
 * events travel. This is an ABI (docs/capture.md): programs bring their own client along, so every
 * change here raises TACHO_WIRE_VERSION, and a collector refuses versions that it does not know.
 *
 * A client connects to the Unix socket whose path is in TACHO_COLLECTOR, or to the port on this
 * computer (127.0.0.1:PORT), sends a hello, receives a welcome with the descriptor of a segment,
 * maps it, and closes both. From then on they share nothing but the segment; the kernel reports
 * the end of the process to the collector.
 *
 *     segment   header | slots of strings | bytes of strings | ring 0 | ring 1 | ...
 *     ring      header (one page) | records of 32 bytes
 *
 * A thread claims a ring and is its only producer; the collector is the only consumer. |head| and
 * |tail| count records and never go back. The producer writes records, then stores |head| with
 * release; the collector loads it with acquire, reads, then stores |tail| with release. A string
 * is written before the record that names it, by the same thread or by one whose slot it has read
 * with acquire: so a record's strings are always there. The collector trusts no byte of a segment.
 */
#ifndef TACHO_CLIENT_WIRE_H
#define TACHO_CLIENT_WIRE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TACHO_WIRE_VARIABLE "TACHO_COLLECTOR"

/* Sizes of a segment, as powers of two. The simulation of tests/ has small ones, which fill up. */
#ifndef TACHO_WIRE_RECORDS_LOG
#define TACHO_WIRE_RINGS_LOG 6
#define TACHO_WIRE_RECORDS_LOG 18
#define TACHO_WIRE_SLOTS_LOG 15
#define TACHO_WIRE_STRINGS_LOG 23
#endif

enum {
    TACHO_WIRE_VERSION = 3,
    TACHO_WIRE_PAGE = 4096,
    TACHO_WIRE_RINGS = 1 << TACHO_WIRE_RINGS_LOG,     /* of a segment; more threads need another */
    TACHO_WIRE_RECORDS = 1 << TACHO_WIRE_RECORDS_LOG, /* of a ring: 8 MiB */
    TACHO_WIRE_SLOTS = 1 << TACHO_WIRE_SLOTS_LOG,     /* of the table that finds strings */
    TACHO_WIRE_STRINGS = 1 << TACHO_WIRE_STRINGS_LOG, /* bytes of strings: 8 MiB */
    TACHO_WIRE_RECORD = 32,                           /* bytes */
    TACHO_WIRE_EXTRA_MAX = 4095,                      /* records after the first of an event */
    TACHO_WIRE_OPEN_MAX = 64,                         /* open zones that are remembered */
    TACHO_WIRE_STRING_MAX = 65535,                    /* bytes of one string */
    TACHO_WIRE_NAME = 16,                             /* bytes of a thread's name */
};

#define TACHO_WIRE_HELLO UINT32_C(0x6f6c6c48)   /* "Hllo" */
#define TACHO_WIRE_WELCOME UINT32_C(0x656d6c57) /* "Wlme" */

typedef struct tacho_wire_hello {
    uint32_t magic;
    uint32_t version;
    uint32_t more_of; /* 0: the first segment; else the client whose threads need another one */
    uint32_t pid;     /* of the client; over TCP it has to be that of who holds the connection */
} tacho_wire_hello;

typedef struct tacho_wire_welcome {
    uint32_t magic;
    uint32_t version;
    uint64_t segment_bytes; /* 0: refused */
} tacho_wire_welcome;

/*
 * Over TCP the segment is /proc/PID/fd/DESCRIPTOR of the collector, which programs of the same user
 * can open. The client opens and maps it, and closes the connection then.
 */
typedef struct tacho_wire_tcp_welcome {
    tacho_wire_welcome welcome;
    uint32_t pid, descriptor;
} tacho_wire_tcp_welcome;

/* ---- strings ----------------------------------------------------------------------------------
 */

/*
 * An entry of the string area, at a multiple of 8 bytes; its id is its offset / 8. Id 0 is the
 * empty text: the first entry of every area.
 */
typedef struct tacho_wire_entry {
    uint32_t kind; /* TACHO_WIRE_TEXT or TACHO_WIRE_SITE */
    uint32_t len;  /* bytes of the text after it */
} tacho_wire_entry;

enum { TACHO_WIRE_TEXT = 1, TACHO_WIRE_SITE = 2 };

/* In place of an id: the area was full. The event is dropped, and counted by the collector. */
#define TACHO_WIRE_NO_TEXT UINT32_MAX

typedef struct tacho_wire_site {
    tacho_wire_entry entry; /* len is 16 */
    uint32_t name, category, file;
    uint32_t line;
} tacho_wire_site;

/* ---- events -----------------------------------------------------------------------------------
 */

typedef enum tacho_wire_kind {
    TACHO_WIRE_ZONE = 1,   /* site; time, value: start, end */
    TACHO_WIRE_COUNTER,    /* site; time; value: a double */
    TACHO_WIRE_MESSAGE,    /* time; arguments: the text */
    TACHO_WIRE_SIGNPOST,   /* site: a text; time */
    TACHO_WIRE_FLOW,       /* flags: the phase; time; value: id */
    TACHO_WIRE_OP,         /* site: the code; time, value: start, end on the host; arguments */
    TACHO_WIRE_DEVICE_OP,  /* flags: engine; site: the code; more: device, and its queue << 32;
                              time, value in ticks; arguments */
    TACHO_WIRE_CLOCK_PAIR, /* flags: none; site: device; time: ns; value: ticks; more: per second */
    TACHO_WIRE_DEVICE,     /* flags: 1 for simulated times; site: its name, a text; value: what its
                              queues are called, a text, or 0; more: device */
    TACHO_WIRE_LAUNCH,     /* time; value: its number, which an argument "launch" of what was
                              launched names */
} tacho_wire_kind;

/* The first record of an event; |extra| records follow, which are its arguments. */
typedef struct tacho_wire_record {
    uint8_t kind;
    uint8_t flags;
    uint16_t extra;
    uint32_t site;
    uint64_t time;
    uint64_t value;
    uint64_t more;
} tacho_wire_record;

/* An argument: 16 bytes, followed by the bytes of a text, up to a multiple of 16. */
typedef struct tacho_wire_arg {
    uint32_t key;   /* a string; 0 ends the list */
    uint16_t type;  /* tacho_client_type */
    uint16_t unit;  /* tacho_client_unit */
    uint64_t value; /* of a text its length */
} tacho_wire_arg;

/* ---- rings ------------------------------------------------------------------------------------
 */

enum {
    TACHO_WIRE_FREE = 0,     /* any thread may claim it */
    TACHO_WIRE_CLAIMED = 1,  /* a thread fills in who it is */
    TACHO_WIRE_ACTIVE = 2,   /* a thread writes */
    TACHO_WIRE_FINISHED = 3, /* the thread has ended; free once it has been read */
};

/* A zone that has begun: shows the work of a killed program. */
typedef struct tacho_wire_open {
    uint64_t start;
    uint32_t site;
    uint32_t reserved;
} tacho_wire_open;

typedef struct tacho_wire_ring {
    /* The producer's. */
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t stored;  /* events in all records so far */
    _Atomic uint64_t dropped; /* events dropped because the ring was full */
    /* The consumer's. */
    _Alignas(64) _Atomic uint64_t tail;
    /* The owner. */
    _Alignas(64) _Atomic uint32_t state;
    uint32_t tid;
    char name[TACHO_WIRE_NAME];
    _Alignas(64) _Atomic uint32_t depth; /* how many zones are open */
    tacho_wire_open open[TACHO_WIRE_OPEN_MAX];
} tacho_wire_ring;

typedef struct tacho_wire_header {
    uint32_t magic;
    uint32_t version;
    uint64_t segment_bytes;
    uint64_t wait_ns;                           /* how long a call may wait for room */
    uint32_t stats_level;                       /* requested of the client */
    uint32_t client;                            /* number of the client, from 1 on */
    _Alignas(64) _Atomic uint32_t is_closed;    /* the collector takes nothing more */
    _Alignas(64) _Atomic uint64_t string_bytes; /* of the area, given out */
    _Atomic uint64_t unplaced;                  /* events of threads without a ring */
    _Atomic uint64_t strings_lost;              /* because the area was full */
    _Alignas(64) _Atomic uint64_t used;         /* bit n: ring n has been claimed at least once */
} tacho_wire_header;

_Static_assert(sizeof(tacho_wire_record) == TACHO_WIRE_RECORD, "a record is 32 bytes");
_Static_assert(sizeof(tacho_wire_arg) == 16, "an argument is 16 bytes");
_Static_assert(sizeof(tacho_wire_site) == 24, "a site is 24 bytes");
_Static_assert(sizeof(tacho_wire_ring) <= TACHO_WIRE_PAGE, "a ring's header is a page");
_Static_assert(sizeof(tacho_wire_header) <= TACHO_WIRE_PAGE, "a segment's header is a page");

/* Offsets within a segment. */
enum {
    TACHO_WIRE_AT_SLOTS = TACHO_WIRE_PAGE,
    TACHO_WIRE_AT_STRINGS = TACHO_WIRE_AT_SLOTS + TACHO_WIRE_SLOTS * 8,
    TACHO_WIRE_AT_RINGS = TACHO_WIRE_AT_STRINGS + TACHO_WIRE_STRINGS,
    TACHO_WIRE_RING_BYTES = TACHO_WIRE_PAGE + TACHO_WIRE_RECORDS * TACHO_WIRE_RECORD,
    TACHO_WIRE_SEGMENT_BYTES = TACHO_WIRE_AT_RINGS + TACHO_WIRE_RINGS * TACHO_WIRE_RING_BYTES,
};

static inline tacho_wire_ring *tacho_wire_ring_at(void *segment, size_t index)
{
    return (tacho_wire_ring *)(void *)((char *)segment + TACHO_WIRE_AT_RINGS +
                                       index * TACHO_WIRE_RING_BYTES);
}

static inline tacho_wire_record *tacho_wire_records(tacho_wire_ring *ring)
{
    return (tacho_wire_record *)(void *)((char *)ring + TACHO_WIRE_PAGE);
}

#endif
