/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline: what hosts and devices did, by time, with calls of the host joined to the work that
 * they launched. Analyses of launches, idle time and layers all take it from here.
 *
 * Spans without their arguments, and the ends of arrows, wait in a spool until their part ends and
 * come out by time; then what tracks are is final. So memory goes by names, tracks and windows, not
 * by how many spans there are nor by their order. Analyses that are asked together share the spool
 * (tacho_timeline_join): rows are packed and sorted once.
 *
 * Calls are joined to work by an arrow or, where none leads to it, by the number that both have as
 * an argument ("correlation"). Where neither leads to a call, the number of an
 * operator ("External id") may tell which operator the work is of. Operators of a backward pass
 * have the number of their forward operator ("Sequence number").
 */
#ifndef TACHO_QUESTIONS_TIMELINE_TIMELINE_H
#define TACHO_QUESTIONS_TIMELINE_TIMELINE_H

#include "questions/timeline/host_window.h"
#include "questions/timeline/launch_window.h"
#include "questions/timeline/step_windows.h"
#include "profile/operators.h"
#include "profile/spool.h"
#include "profile/summed_args.h"
#include "profile/work_kind.h"

/* What |row| is, a span without most of its arguments. */
typedef struct tacho_timeline_span {
    const tacho_row *row;
    uint64_t serial; /* how many spans came before it, where the taker asks */
    int64_t start_ns, end_ns;
    tacho_origin origin;
    uint32_t type; /* string: the operator that an argument names; TACHO_NONE: none */
    /* Of an operator of the backward pass: the place of the forward operator that it belongs to,
     * by "Sequence number"; TACHO_NONE: none, or not known. */
    uint32_t forward;
} tacho_timeline_span;

/* What a device did. */
typedef struct tacho_timeline_work {
    tacho_timeline_span span;
    tacho_work_kind kind;
    bool is_whole; /* a kernel or a copy, by its category: it contains no other work */
    bool has_launch;
    bool has_dependency; /* an arrow that is no launch leads to it */
    bool has_caller;     /* |caller| is known: by the launch, else by the operator's number */
    tacho_launch launch;
    uint32_t caller; /* place of the call, as |place| gave it */
} tacho_timeline_work;

/* Who is told, by time. */
typedef struct tacho_timeline_taker {
    void *self;
    bool needs_steps; /* timeline.steps are those of the part from begin_part on */
    /* And timeline.windows say when devices do their work, for which a part is gone through twice.
     */
    bool needs_windows;
    /* All that started before |now_ns| has been told. (optional) */
    tacho_status (*advance)(void *self, int64_t now_ns);
    /* A span that is no work of a device: of the host, or a phase or a wait. (optional) */
    tacho_status (*call)(void *self, const tacho_timeline_span *span);
    /* |out_tag| is what |late| is told of it. */
    tacho_status (*work)(void *self, const tacho_timeline_work *work, uint32_t *out_tag);
    /* The last work on |track| turns out to be launched when it starts. (optional) */
    tacho_status (*launch)(void *self, uint32_t track, const tacho_launch *launch);
    /* Work that nothing had launched, by its tag, is of a call that comes later. (optional) */
    tacho_status (*late)(void *self, uint32_t tag, uint32_t caller);
    /* Where in the program the innermost span on |track| is; a number of the taker. (optional) */
    uint32_t (*place)(void *self, uint32_t track, int64_t now_ns);
    /* The part is complete, and all of it comes now; it has come. (optional) */
    tacho_status (*begin_part)(void *self, uint32_t part);
    tacho_status (*end_part)(void *self, uint32_t part);
    bool needs_serials; /* of spans, which come in another order than they were pushed in */
    bool has_own_runs;  /* runs of rows are numbers of the taker and nothing else */
} tacho_timeline_taker;

enum { TACHO_EXTERNAL_KEYS = 2, TACHO_TIMELINE_EARLY = 8 };

/* An arrow that has arrived and, in the order of the file's tracks, not left yet. */
typedef struct tacho_timeline_early {
    uint64_t id;
    tacho_row row;
} tacho_timeline_early;

/* What rows keep beside their times. */
typedef struct tacho_timeline_needs {
    bool operators; /* what they are called and their numbers: the taker knows places */
    bool serials;
} tacho_timeline_needs;

typedef struct tacho_timeline {
    tacho_events events; /* push here; a part's rows in any order */
    tacho_timeline_taker taker;
    tacho_timeline_needs needs;  /* of all that share the spool */
    struct tacho_timeline *next; /* the next one that takes the same rows */
    tacho_spool *spool;
    tacho_steps steps; /* where the taker needs them */
    tacho_step_windows windows;
    uint32_t keys[TACHO_LAUNCH_KEYS], external_keys[TACHO_EXTERNAL_KEYS]; /* strings */
    uint32_t sequence_key, forward_key;                                   /* the same */
    tacho_operators operators;
    bool is_ready;
    bool needs_externals; /* some work of the part has nothing but the number of an operator */
    struct tacho_timeline_track *tracks;
    size_t track_count, track_capacity;
    uint8_t *sites; /* what kind of work each site is */
    size_t site_count, site_capacity;
    tacho_launch_window launches;
    tacho_launch_window waiting;  /* work without a launch, by its number */
    tacho_launch_window callers;  /* operators by their number */
    tacho_launch_window forwards; /* operators of the forward pass by "Sequence number" */
    int64_t now_ns;
    tacho_timeline_early early[TACHO_TIMELINE_EARLY]; /* a ring of those that arrive now */
    size_t early_count;
    /* Where the taker needs them: */
    uint32_t serial_key; /* string */
    uint64_t serial;     /* of the next span */
} tacho_timeline;

/* |taker| is copied. */
void tacho_timeline_init(tacho_timeline *timeline, tacho_dict *dict,
                         const tacho_timeline_taker *taker);
void tacho_timeline_deinit(tacho_timeline *timeline);

/*
 * From here on |timeline| takes the rows and the ends of parts that are pushed to |leader|, and
 * nothing is pushed to itself. Before the first row. It leaves before it is deinitialised, unless
 * no more rows come.
 */
void tacho_timeline_join(tacho_timeline *timeline, tacho_timeline *leader);
void tacho_timeline_leave(const tacho_timeline *timeline, tacho_timeline *leader);

/* What the thread of |track| did; good until the part ends. */
tacho_host_thread *tacho_timeline_thread(tacho_timeline *timeline, uint32_t track);

/* Whether spans of |track| are work of a device, in the part that ends. */
bool tacho_timeline_is_device(const tacho_timeline *timeline, uint32_t track);

/* The device that |track| belongs to: the outermost group of its part below the part itself. */
uint32_t tacho_device_group(const tacho_dict *dict, uint32_t track);

#endif
