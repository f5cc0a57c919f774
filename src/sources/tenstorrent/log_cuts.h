/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separates the executions of a program whose replays the log does not number, by the times of all
 * its firmware zones at once. log_ops.h separates them row by row, which needs the rows of each
 * processor in order and complete; where they are not, the times have to be known before the rows
 * are read, and the rows are read a second time.
 *
 * No processor runs one program twice at once, so a processor that starts again begins a new
 * execution. If all processors have started equally often, one after the other, this is enough.
 * Else an execution begins at the end of the longest time in which no processor ran the program:
 * processors whose zones were lost in the execution before may have started first.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_CUTS_H
#define TACHO_SOURCES_TENSTORRENT_LOG_CUTS_H

#include "sources/tenstorrent/log_lanes.h"

/* A program, and one replay of it. */
typedef struct tt_op_key {
    uint32_t chip;
    uint32_t padding; /* 0: keys are compared as bytes */
    uint64_t host;
    int64_t trace, replay; /* -1: none */
} tt_op_key;

static inline tt_op_key tt_op_key_of(const tt_log_row *row)
{
    return (tt_op_key){
        .chip = row->chip, .host = row->host, .trace = row->trace, .replay = row->replay};
}

static inline bool tt_op_key_is_same(const tt_op_key *a, const tt_op_key *b)
{
    return a->host == b->host && a->replay == b->replay && a->trace == b->trace &&
           a->chip == b->chip;
}

/* The start or end of a firmware zone. */
typedef struct tt_edge {
    int64_t time;
    uint32_t key;
    uint32_t lane : 31;
    uint32_t is_start : 1;
} tt_edge;

/* One execution of a program. */
typedef struct tt_cut {
    int64_t first;            /* it lasts until the next one's */
    uint32_t missing_count;   /* firmware zones that other executions have and this one lacks */
    uint32_t duplicate_count; /* starts and ends that the log has twice, to the cycle */
} tt_cut;

typedef struct tt_cut_key {
    tt_op_key key;
    size_t first, count; /* its executions, in |cuts|; zero without firmware zones */
} tt_cut_key;

typedef struct tt_log_cuts {
    tt_cut_key *keys;
    size_t key_count, key_capacity;
    tacho_index index; /* of |keys| */
    tt_edge *edges;    /* until finished */
    size_t edge_count, edge_capacity;
    tt_cut *cuts;
    size_t cut_count, cut_capacity;
} tt_log_cuts;

/* Call deinit even if init failed. */
tacho_status tt_log_cuts_init(tt_log_cuts *cuts) TACHO_MUST_USE;
void tt_log_cuts_deinit(tt_log_cuts *cuts);

/* The number of |key|; TACHO_NONE when it was never ensured. */
uint32_t tt_log_cuts_find_key(const tt_log_cuts *cuts, const tt_op_key *key);
tacho_status tt_log_cuts_ensure_key(tt_log_cuts *cuts, const tt_op_key *key,
                                    uint32_t *out_key) TACHO_MUST_USE;

tacho_status tt_log_cuts_add(tt_log_cuts *cuts, const tt_edge *edge) TACHO_MUST_USE;

/* Adds the edge in |row|, if it is one and its key was ensured. */
tacho_status tt_log_cuts_add_row(tt_log_cuts *cuts, tt_lanes *lanes,
                                 const tt_log_row *row) TACHO_MUST_USE;

/* Call after the last edge. */
tacho_status tt_log_cuts_finish(tt_log_cuts *cuts) TACHO_MUST_USE;

/* The execution of |key| that contains |time|: 0 for the first. |key| must have one. */
uint32_t tt_log_cuts_find(const tt_log_cuts *cuts, uint32_t key, int64_t time);

#endif
