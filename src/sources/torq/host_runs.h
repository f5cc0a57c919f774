/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of a Torq host profile, and the programs that they start.
 *
 * No row has the duration of a program of the accelerator: it lasts from the BEGIN of NSS_START to
 * the END of the next NSS_WAIT of its run; a program of the host likewise. Next means by action
 * number. With rows in any order, that is certain only once no action is missing in between; until
 * then starts and waits stay in a queue of their run.
 */
#ifndef TACHO_SOURCES_TORQ_HOST_RUNS_H
#define TACHO_SOURCES_TORQ_HOST_RUNS_H

#include "sources/torq/host_events.h"
#include "sources/torq/host_spans.h"

/* One row of the file. */
typedef struct torq_host_stamp {
    int64_t action; /* -1 for none */
    int64_t time;
    uint32_t run;
    uint32_t event;
} torq_host_stamp;

/* The start of a program, or the wait for one. */
typedef struct torq_host_program {
    int64_t action;
    int64_t time;  /* BEGIN of a start, END of a wait */
    uint64_t line; /* in the input */
    uint32_t event;
    uint32_t next; /* the previous one in its queue; in the list of free ones */
    bool is_wait;
} torq_host_program;

typedef struct torq_host_queue {
    uint32_t newest;
    uint32_t count;
    bool has_wait;
} torq_host_queue;

typedef struct torq_host_run {
    int64_t latest_time;
    int64_t largest_action; /* of all its rows; -1 for none */
    uint64_t row_count;
    /* Counted by host_pairing. */
    uint64_t action_count;     /* complete actions */
    uint64_t waiting_count;    /* rows without a partner */
    uint32_t id;               /* in the dictionary */
    uint32_t name;             /* string */
    torq_host_queue queues[2]; /* programs of the accelerator, of the host */
    bool is_ordered;           /* its rows were in time order so far */
} torq_host_run;

typedef struct torq_host_runs {
    torq_part *part;
    const torq_host_events *events;
    torq_host_spans *spans;
    torq_host_run *items;
    size_t item_count, item_capacity;
    torq_host_program *programs; /* slots */
    size_t program_count, program_capacity;
    uint32_t free_program;
    torq_host_program *batch; /* the queue being paired */
    size_t batch_capacity;
} torq_host_runs;

/* |events| and |spans| are initialized and outlive |runs|. */
void torq_host_runs_init(torq_host_runs *runs, const torq_host_events *events,
                         torq_host_spans *spans);
void torq_host_runs_deinit(torq_host_runs *runs);

/* Adds a run; stamps refer to it by |*out_run|. */
tacho_status torq_host_runs_add(torq_host_runs *runs, uint32_t name, int64_t invocation,
                                uint32_t *out_run) TACHO_MUST_USE;

/* Notes a row in its run; a program that starts or ends with it is put in a queue. */
tacho_status torq_host_runs_note(torq_host_runs *runs, const torq_host_stamp *stamp) TACHO_MUST_USE;

/* Pairs the queues of |run| as far as that is certain. */
tacho_status torq_host_runs_settle(torq_host_runs *runs, uint32_t run) TACHO_MUST_USE;

/* The latest time in any row. */
int64_t torq_host_runs_latest_time(const torq_host_runs *runs);

/* Call after the last row: pairs the rest. */
tacho_status torq_host_runs_finish(torq_host_runs *runs) TACHO_MUST_USE;

#endif
