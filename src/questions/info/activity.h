/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activity: how busy a track was over time, in bounded memory and one pass. Buckets widen as time
 * goes on, so the range need not be known in advance; at the end they are drawn as a line of
 * blocks.
 */
#ifndef TACHO_QUESTIONS_INFO_ACTIVITY_H
#define TACHO_QUESTIONS_INFO_ACTIVITY_H

#include "base/str.h"

enum { TACHO_ACTIVITY_BUCKETS = 128, TACHO_ACTIVITY_COLUMNS = 40 };

typedef struct tacho_activity {
    int64_t busy[TACHO_ACTIVITY_BUCKETS]; /* ticks */
    int64_t first;                        /* number of bucket 0: it starts at first << shift */
    unsigned shift;                       /* a bucket lasts 1 << shift ticks */
    bool has_rows;
} tacho_activity;

/* Counts the interval [start, end); an empty one widens the range only. */
void tacho_activity_add(tacho_activity *activity, int64_t start, int64_t end);

/* Room for a drawn line: three bytes per block. */
typedef struct tacho_activity_line {
    char bytes[3 * TACHO_ACTIVITY_COLUMNS + 1];
} tacho_activity_line;

/* Draws [begin, end): a blank for idle, an eighth of a block per eighth of the time busy. */
tacho_str tacho_activity_draw(const tacho_activity *activity, int64_t begin, int64_t end,
                              tacho_activity_line *line);

#endif
