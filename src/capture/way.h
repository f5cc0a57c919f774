/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to learn what happens inside the processes that the wrapper runs: a socket that programs
 * with libtacho-client report to, and others. The wrapper asks all that are listed in ways.c and
 * knows none of them.
 *
 *     open -> environment -> (program starts) -> handle, drain, end ... -> finish -> close
 *
 * A way that cannot be opened is a failure before the program starts. Whatever goes wrong later is
 * counted, and disturbs neither the program nor the other ways.
 */
#ifndef TACHO_CAPTURE_WAY_H
#define TACHO_CAPTURE_WAY_H

#include "capture/recorder.h"
#include "capture/sampler.h"

/* Epoll events of a way have data from its |event_base| on; this many. */
#define TACHO_WAY_EVENTS (UINT64_C(1) << 40)

enum { TACHO_WAY_VARIABLE_MAX = 4096, TACHO_WAYS_MAX = 8 };

/* Nothing to drain until an event arrives. */
#define TACHO_WAY_IDLE INT64_MAX

/* The parts of the wrapper that a way uses. The recorder is open once the program runs. */
typedef struct tacho_way_context {
    tacho_recorder *recorder;
    tacho_sampler *sampler;
    int epoll_fd;
    uint64_t event_base;
    uint32_t stats_level; /* requested from programs */
    int32_t port;         /* requested on 127.0.0.1; 0: any that is free; -1: none */
    bool omits_tracy;     /* no Tracy client is looked for, and nothing listens for one */
    uint16_t tracy_port;  /* that a Tracy client is to listen on; 0: the one it finds itself */
} tacho_way_context;

/* Results of a way to capture. */
typedef struct tacho_way_counts {
    const char *name;  /* "libtacho-client" */
    const char *needs; /* the requirement for a program to be captured */
    uint64_t programs; /* that were */
    uint64_t events;   /* taken */
    uint64_t refused;  /* programs that were found and could not be captured */
    uint64_t foreign;  /* programs that are not of the command, or run as another user */
    uint64_t damaged;  /* programs whose events could not be read to the end */
    uint64_t missed;   /* programs that ended before they could be captured */
    uint64_t portless; /* programs whose only port another one of the command has */
} tacho_way_counts;

typedef struct tacho_way tacho_way;

typedef struct tacho_way_type {
    const char *name, *needs; /* see tacho_way_counts */
    /* Closed by the caller, if it is open. |*out_way| stays NULL: the way does not exist here. */
    tacho_status (*open)(const tacho_way_context *context, tacho_way **out_way);
    /* A variable of the program's environment, "NAME=value"; empty: none. (optional: none) */
    void (*variable)(const tacho_way *way, char out_text[TACHO_WAY_VARIABLE_MAX]);
    /* An epoll event: its data less the event base. */
    void (*handle)(tacho_way *way, uint64_t event);
    /* Takes new events; returns when to call it again. */
    int64_t (*drain)(tacho_way *way, int64_t now_ns);
    /* A process has ended. (optional: nothing to do) */
    void (*end)(tacho_way *way, pid_t pid, int64_t now_ns);
    /* The program has ended: takes the rest, and adds losses to the dictionary. */
    void (*finish)(tacho_way *way, int64_t now_ns);
    /* Programs and events so far. */
    void (*count)(const tacho_way *way, tacho_way_counts *counts);
    void (*close)(tacho_way *way);
} tacho_way_type;

/* Embedded first in every implementation. */
struct tacho_way {
    const tacho_way_type *type;
};

/* All ways, NULL-terminated; at most TACHO_WAYS_MAX. */
const tacho_way_type *const *tacho_way_types(void);

#endif
