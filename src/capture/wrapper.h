/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrapper: runs a program as if it had been started without us, and records every process of
 * it meanwhile. It ends when the program does; processes that outlive it run on and are counted.
 */
#ifndef TACHO_CAPTURE_WRAPPER_H
#define TACHO_CAPTURE_WRAPPER_H

#include "base/process.h"
#include "capture/way_client.h"
#include "profile/events.h"

/* Exit statuses of a wrapper's own, as env and timeout have them. */
enum {
    TACHO_WRAPPER_TIMED_OUT = 124,
    TACHO_WRAPPER_FAILED = 125,
    TACHO_WRAPPER_NOT_RUN = 126,
    TACHO_WRAPPER_NOT_FOUND = 127,
    TACHO_WRAPPER_SIGNAL = 128, /* and the number of the signal */
};

enum { TACHO_LIVE_TOP = 5 };

/* A summary of the last second. */
typedef struct tacho_live {
    int64_t elapsed_ns, period_ns; /* since the start, since the last one */
    uint64_t process_count;        /* that run now */
    uint64_t event_count;          /* stored in this period */
    uint64_t dropped_count;        /* so far */
    const tacho_dict *dict;
    tacho_site_sum top[TACHO_LIVE_TOP];
    size_t top_count;
} tacho_live;

typedef struct tacho_wrapper_request {
    char *const *words;   /* NULL-terminated: the program and its arguments */
    int64_t timeout_ns;   /* 0: none */
    uint32_t stats_level; /* requested from programs */
    int32_t port;         /* on 127.0.0.1 that they can report to; 0: any; -1: none */
    bool omits_tracy;     /* Tracy clients are left alone */
    uint16_t tracy_port;  /* that a Tracy client is to listen on; 0: the one it finds itself */
    tacho_events *events;
    /* Writes everything recorded so far to disk; called four times a second. */
    tacho_status (*seal)(void *self);
    void *seal_self;
    /* Called each second with a summary. (optional: not shown) */
    void (*live)(void *self, const tacho_live *live);
    void *live_self;
} tacho_wrapper_request;

typedef struct tacho_wrapper_result {
    int exit_status;
    tacho_process_refusal refusal; /* error 0: it ran */
    bool is_timed_out;
    bool is_signalled; /* the program died of a signal, exit_status - 128 */
    int64_t elapsed_ns;
    int64_t cpu_ns;         /* of the program and all that were waited for */
    int64_t look_ns;        /* CPU time that looking at /proc took */
    uint64_t process_count; /* that were seen */
    uint64_t unseen_count;  /* orphans that began and ended between two looks */
    uint64_t running_count; /* that outlive the program */
    uint64_t left_out_count;
    bool lists_no_children;                /* the kernel does not list children */
    tacho_way_counts ways[TACHO_WAYS_MAX]; /* results of each */
    size_t way_count;
    tacho_collector_counts clients; /* reports of programs with libtacho-client */
    uint16_t port;                  /* that they could report to; 0: none */
    tacho_status collect_error;     /* why a way could not be used; the caller frees it */
    uint64_t stored_count;          /* rows */
    uint64_t unstored_count;        /* rows since storing failed */
    tacho_status store_error;       /* why it failed; the caller frees it */
} tacho_wrapper_result;

/*
 * Runs the program. Fails if it was not started, with LIMIT if there are too few descriptors to
 * record it; a program that cannot be executed is a refusal in |out_result|, with the exit status
 * to use.
 */
tacho_status tacho_wrapper_run(const tacho_wrapper_request *request,
                               tacho_wrapper_result *out_result) TACHO_MUST_USE;

#endif
