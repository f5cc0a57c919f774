/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kinds of work were done at the same time, exact to the nanosecond. Work is added in order
 * of start, longer work first for equal starts; sums until now are final.
 *
 * A span that contains others of its stream (a loop of XLA, a range around transfers) is not at
 * work while they are: only the innermost span of a stream counts. This makes no difference for
 * spans of one kind, so a nest takes part in the sums only while it holds several kinds.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_KIND_TIME_H
#define TACHO_QUESTIONS_BREAKDOWN_KIND_TIME_H

#include "base/status.h"
#include "profile/work_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TACHO_WORK_COMBINATIONS = 1 << TACHO_WORK_KIND_COUNT };

typedef struct tacho_open_work {
    int64_t start_ns, end_ns;
    tacho_work_kind kind;
} tacho_open_work;

/* Spans of a stream that contain one another, the innermost last. */
typedef struct tacho_nest {
    tacho_open_work *items;
    size_t item_count, item_capacity;
    bool is_mixed; /* of several kinds; else all have the kind of the first */
} tacho_nest;

void tacho_nest_deinit(tacho_nest *nest);

/* Drops the spans that have ended by |now_ns|. */
void tacho_nest_pop(tacho_nest *nest, int64_t now_ns);

/* Whether the innermost span contains |work|, which starts last; equal spans are not nested. */
bool tacho_nest_contains(const tacho_nest *nest, const tacho_open_work *work);

tacho_status tacho_nest_push(tacho_nest *nest, const tacho_open_work *work) TACHO_MUST_USE;

typedef struct tacho_kind_time {
    int64_t now; /* the sums cover the time before it */
    int64_t ends[TACHO_WORK_KIND_COUNT];
    const tacho_nest **nests; /* of several kinds; they do not count in |ends| */
    size_t nest_count, nest_capacity;
    int64_t sums[TACHO_WORK_COMBINATIONS]; /* bit i: kind i */
    struct {
        int64_t start_ns, length_ns;
    } longest[TACHO_WORK_COMBINATIONS]; /* at a stretch */
} tacho_kind_time;

void tacho_kind_time_begin(tacho_kind_time *time, int64_t start_ns);
void tacho_kind_time_deinit(tacho_kind_time *time);

/* Adds up the time until |until|; no later work may start before it. */
void tacho_kind_time_pass(tacho_kind_time *time, int64_t until);

/* Call add when |nest| gets several kinds, remove when it is empty. */
tacho_status tacho_kind_time_add_nest(tacho_kind_time *time, const tacho_nest *nest) TACHO_MUST_USE;
void tacho_kind_time_remove_nest(tacho_kind_time *time, const tacho_nest *nest);

/* Adds up all that is left. */
void tacho_kind_time_finish(tacho_kind_time *time);

/* The time with work of a kind in |any| and without work of a kind in |none|: bits of kinds. */
int64_t tacho_kind_time_sum(const tacho_kind_time *time, unsigned any, unsigned none);

#endif
