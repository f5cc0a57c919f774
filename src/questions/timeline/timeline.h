/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline: the activity of hosts and devices in order of time, with calls of the host joined
 * to the work that they launched. Analyses of launches, idle time and layers are all based on it.
 *
 * Spans without their arguments, and the ends of arrows, are kept in a spool until their part ends
 * and then read in order of time, when the classes of tracks are final. So memory grows with names,
 * tracks and windows, not with the number or order of spans. Analyses that run together share the
 * spool (tacho_timeline_join): rows are packed and sorted once.
 *
 * Calls are joined to work by an arrow or, without one, by the number that both have as an argument
 * ("correlation"). If neither leads to a call, the number of an operator ("External id") may
 * identify the operator of the work. Operators of a backward pass have the number of their forward
 * operator ("Sequence number").
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

/* Facts of |row|, a span without most of its arguments. */
typedef struct tacho_timeline_span {
    const tacho_row *row;
    uint64_t serial; /* number of earlier spans, if the taker asks for it */
    int64_t start_ns, end_ns;
    tacho_origin origin;
    uint32_t type; /* string: the operator that an argument names; TACHO_NONE: none */
    /* For an operator of the backward pass: the place of its forward operator, by "Sequence
     * number"; TACHO_NONE: none, or not known. */
    uint32_t forward;
} tacho_timeline_span;

/* A piece of device work. */
typedef struct tacho_timeline_work {
    tacho_timeline_span span;
    tacho_work_kind kind;
    bool is_whole; /* a kernel or a copy, by its category: contains no other work */
    bool has_launch;
    bool has_dependency; /* an arrow other than a launch leads to it */
    bool has_caller;     /* |caller| is known: by the launch, else by the operator's number */
    tacho_launch launch;
    uint32_t caller; /* place of the call, as |place| gave it */
} tacho_timeline_work;

/* Receives the timeline in order of time. */
typedef struct tacho_timeline_taker {
    void *self;
    bool needs_steps; /* timeline.steps are those of the part from begin_part on */
    /* timeline.windows are the times of device work by step; takes a second pass over the part. */
    bool needs_windows;
    /* Everything that started before |now_ns| was passed. (optional) */
    tacho_status (*advance)(void *self, int64_t now_ns);
    /* A span other than device work: of the host, or a phase or a wait. (optional) */
    tacho_status (*call)(void *self, const tacho_timeline_span *span);
    /* |out_tag| identifies it for |late|. */
    tacho_status (*work)(void *self, const tacho_timeline_work *work, uint32_t *out_tag);
    /* The launch of the latest work on |track| was found just after the work's start. (optional) */
    tacho_status (*launch)(void *self, uint32_t track, const tacho_launch *launch);
    /* Work without a launch, by its tag, belongs to a later call. (optional) */
    tacho_status (*late)(void *self, uint32_t tag, uint32_t caller);
    /* The place in the program of the innermost span on |track|: a number of the taker.
     * (optional) */
    uint32_t (*place)(void *self, uint32_t track, int64_t now_ns);
    bool places_only_launches; /* |place| is asked for launches; callers stay unknown */
    /* Called before and after all calls for a complete part. (optional) */
    tacho_status (*begin_part)(void *self, uint32_t part);
    tacho_status (*end_part)(void *self, uint32_t part);
    bool needs_serials; /* of spans, whose order differs from that of pushing */
    bool has_own_runs;  /* runs of rows are only numbers of the taker */
} tacho_timeline_taker;

enum { TACHO_EXTERNAL_KEYS = 2, TACHO_TIMELINE_EARLY = 8 };

/* An arrow that has arrived but, in the order of the file's tracks, not left yet. */
typedef struct tacho_timeline_early {
    uint64_t id;
    tacho_row row;
} tacho_timeline_early;

/* What rows keep besides their times. */
typedef struct tacho_timeline_needs {
    bool operators; /* names and numbers of operators: the taker has |place| for all calls */
    bool serials;
} tacho_timeline_needs;

typedef struct tacho_timeline {
    tacho_events events; /* push here; a part's rows in any order */
    tacho_timeline_taker taker;
    tacho_timeline_needs needs;  /* of all timelines that share the spool */
    struct tacho_timeline *next; /* the next one that receives the same rows */
    tacho_spool *spool;
    tacho_steps steps; /* if the taker needs them */
    tacho_step_windows windows;
    uint32_t keys[TACHO_LAUNCH_KEYS], external_keys[TACHO_EXTERNAL_KEYS]; /* strings */
    uint32_t sequence_key, forward_key;                                   /* the same */
    tacho_operators operators;
    bool is_ready;
    bool needs_externals; /* some work of the part has only the number of an operator */
    struct tacho_timeline_track *tracks;
    size_t track_count, track_capacity;
    uint8_t *sites; /* the kind of work of each site */
    size_t site_count, site_capacity;
    tacho_launch_window launches;
    tacho_launch_window waiting;  /* work without a launch, by its number */
    tacho_launch_window callers;  /* operators by their number */
    tacho_launch_window forwards; /* operators of the forward pass by "Sequence number" */
    int64_t now_ns;
    tacho_timeline_early early[TACHO_TIMELINE_EARLY]; /* a ring of current arrivals */
    size_t early_count;
    /* If the taker needs them: */
    uint32_t serial_key; /* string */
    uint64_t serial;     /* of the next span */
} tacho_timeline;

/* |taker| is copied. */
void tacho_timeline_init(tacho_timeline *timeline, tacho_dict *dict,
                         const tacho_timeline_taker *taker);
void tacho_timeline_deinit(tacho_timeline *timeline);

/*
 * From now on |timeline| receives the rows and the ends of parts that are pushed to |leader|, and
 * must not be pushed to itself. Call it before the first row. |timeline| must leave before it is
 * deinitialised, unless no more rows follow.
 */
void tacho_timeline_join(tacho_timeline *timeline, tacho_timeline *leader);
void tacho_timeline_leave(const tacho_timeline *timeline, tacho_timeline *leader);

/* The activity of the thread of |track|; valid until the part ends. */
tacho_host_thread *tacho_timeline_thread(tacho_timeline *timeline, uint32_t track);

/* Whether spans of |track| are device work, in the part that is ending. */
bool tacho_timeline_is_device(const tacho_timeline *timeline, uint32_t track);

/* The device that |track| belongs to: the outermost group of its part below the part itself. */
uint32_t tacho_device_group(const tacho_dict *dict, uint32_t track);

#endif
