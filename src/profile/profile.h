/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile in memory, for analyses. It implements the event interface, so any source
 * can fill it; spans are kept as columns in chunks.
 *
 * A span takes 40 bytes; its arguments, if any, are stored in a side array.
 */
#ifndef TACHO_PROFILE_PROFILE_H
#define TACHO_PROFILE_PROFILE_H

#include "base/arena.h"
#include "profile/events.h"

enum { TACHO_PROFILE_CHUNK_ROWS = 1 << 16 };

typedef struct tacho_span_chunk {
    int64_t start[TACHO_PROFILE_CHUNK_ROWS];
    int64_t end[TACHO_PROFILE_CHUNK_ROWS];
    uint32_t track[TACHO_PROFILE_CHUNK_ROWS];
    uint32_t site[TACHO_PROFILE_CHUNK_ROWS];
    uint32_t op[TACHO_PROFILE_CHUNK_ROWS];
    uint32_t run[TACHO_PROFILE_CHUNK_ROWS];
    uint32_t args[TACHO_PROFILE_CHUNK_ROWS]; /* first argument, TACHO_NONE for none */
    uint32_t flags[TACHO_PROFILE_CHUNK_ROWS];
} tacho_span_chunk;

/* One span, gathered from its columns. */
typedef struct tacho_span {
    int64_t start;
    int64_t end;
    uint32_t track;
    uint32_t site;
    uint32_t op;
    uint32_t run;
    uint32_t args;
    uint32_t flags;
} tacho_span;

/* An argument in the side array; the arguments of a span end with is_last. */
typedef struct tacho_stored_arg {
    tacho_arg arg; /* text is stored in the profile's arena */
    bool is_last;
} tacho_stored_arg;

typedef struct tacho_sample {
    int64_t time;
    double value;
    uint32_t track;
} tacho_sample;

typedef struct tacho_flow_end {
    int64_t time;
    int64_t span_end; /* as in tacho_row */
    uint64_t id;
    uint32_t span_name; /* as in tacho_row */
    uint32_t track;
    tacho_flow_role role;
    tacho_flow_phase phase;
} tacho_flow_end;

typedef struct tacho_profile {
    tacho_events events; /* push here */
    tacho_arena arena;
    tacho_span_chunk **chunks;
    size_t chunk_count, chunk_capacity;
    size_t span_count;
    tacho_stored_arg *args;
    size_t arg_count, arg_capacity;
    tacho_sample *samples;
    size_t sample_count, sample_capacity;
    tacho_flow_end *flow_ends;
    size_t flow_end_count, flow_end_capacity;
} tacho_profile;

/* An empty profile over |dict|, which outlives it. */
void tacho_profile_init(tacho_profile *profile, tacho_dict *dict);
void tacho_profile_deinit(tacho_profile *profile);

tacho_span tacho_profile_span(const tacho_profile *profile, size_t id);

/* Copies span |id| out as a row; |args| holds its arguments. */
tacho_status tacho_profile_row(const tacho_profile *profile, size_t id, tacho_arg **args,
                               size_t *arg_capacity, tacho_row *out_row) TACHO_MUST_USE;

/* Pushes every span to |next|, in the profile's order. */
tacho_status tacho_profile_replay_spans(const tacho_profile *profile,
                                        tacho_events *next) TACHO_MUST_USE;

/*
 * Checks the promises of the model: ids exist, times are ordered and in range, tracks form a
 * tree, the spans of each track are in order of start. The status names the first breach.
 */
tacho_status tacho_profile_validate(const tacho_profile *profile) TACHO_MUST_USE;

#endif
