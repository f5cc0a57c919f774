/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain that all events take, put together here and nowhere else:
 *
 *     producer -> order -> (stage) -> select -> lanes -> trace sink
 *     producer -> order -> (select) -> profile, or an analysis
 *
 * A producer is whatever makes events: the files of a request, a time chart, the timeline of a
 * program, a run, an annotated profile.
 */
#ifndef TACHO_PIPELINE_PIPELINE_H
#define TACHO_PIPELINE_PIPELINE_H

#include "profile/order.h"
#include "profile/profile.h"
#include "profile/select.h"
#include "sinks/trace_sink.h"

typedef struct tacho_producer {
    /* Pushes everything to |events|, which order it by |mode|, and finishes them. */
    tacho_status (*produce)(void *self, tacho_order_mode mode, tacho_events *events);
    void *self;
    /*
     * The mode to begin with. When rows turn out not to be in order, the producer is asked again,
     * with an empty dictionary, in the next mode; in the last one, SORT_ALL, it is asked once.
     */
    tacho_order_mode first_mode;
    size_t memory_bytes; /* for rows that are sorted; 0: TACHO_SPOOL_DEFAULT_BYTES */
} tacho_producer;

/* A filter for rows in order: what it returns from |open| hands on to |next|. */
typedef struct tacho_stage {
    tacho_events *(*open)(void *self, tacho_events *next);
    void (*close)(void *self);
    void *self;
} tacho_stage;

/* A trace to be written. */
typedef struct tacho_tracing {
    tacho_producer producer;
    const tacho_stage *stage; /* NULL: none */
    tacho_selection selection;
    const tacho_trace_sink *sink;
    tacho_trace_options options; /* names_may_change is found out here */
    bool is_strict;              /* lost records are a failure */
    const char *path;            /* "-" for standard output */
    bool is_path_chosen;         /* by tacho: only a file that holds |mark| is replaced */
    const char *mark;
    tacho_output_group *group; /* that the trace is one of; NULL: it is on its own */
} tacho_tracing;

/* Does all the work of a request into an empty |dict|, with rows ordered by |mode|. */
typedef tacho_status (*tacho_pipeline_attempt)(void *self, tacho_order_mode mode, tacho_dict *dict);

/* Runs |attempt| in |mode|, and in the next ones as long as rows are not in order. */
tacho_status tacho_pipeline_try(tacho_pipeline_attempt attempt, void *self, tacho_order_mode mode,
                                tacho_dict *dict) TACHO_MUST_USE;

/* producer -> order -> |next|: one attempt. */
tacho_status tacho_pipeline_push(const tacho_producer *producer, tacho_order_mode mode,
                                 tacho_events *next) TACHO_MUST_USE;

/* producer -> order -> select -> |next|: one attempt. */
tacho_status tacho_pipeline_push_selected(const tacho_producer *producer, tacho_order_mode mode,
                                          const tacho_selection *selection,
                                          tacho_events *next) TACHO_MUST_USE;

/* Reads what is selected into |profile|, which is initialised over |dict|, both empty. */
tacho_status tacho_pipeline_load(const tacho_producer *producer, const tacho_selection *selection,
                                 tacho_dict *dict, tacho_profile *profile) TACHO_MUST_USE;

/* Writes the trace. |dict| tells afterwards what was read and what was lost. */
tacho_status tacho_pipeline_write(const tacho_tracing *tracing, tacho_dict *dict) TACHO_MUST_USE;

/* The same into |output|, which the caller opened and commits: rows are sorted at once. */
tacho_status tacho_pipeline_write_to(const tacho_tracing *tracing, tacho_dict *dict,
                                     tacho_output *output) TACHO_MUST_USE;

/* Records lost in all parts together. */
uint64_t tacho_pipeline_lost_count(const tacho_dict *dict);

/* A failure when anything was lost. */
tacho_status tacho_pipeline_refuse_losses(const tacho_dict *dict) TACHO_MUST_USE;

#endif
