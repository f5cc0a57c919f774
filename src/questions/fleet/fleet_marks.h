/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and collectives of one file, from the rows that stream by.
 *
 * Steps are those of profile/steps.h, or the only run of a part without steps. Collectives are
 * communication of a device. Ranks call them in the same order, so group, name and number identify
 * the calls that belong together: the number in the file ("Seq"), else their order. Several kernels
 * of one number are one collective. In an incomplete file the order is meaningless, so calls
 * without a number are not matched.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_MARKS_H
#define TACHO_QUESTIONS_FLEET_FLEET_MARKS_H

#include "questions/fleet/fleet.h"
#include "base/number_map.h"
#include "profile/events.h"
#include "profile/steps.h"

enum { TACHO_FLEET_CALLS_MAX = 1 << 20 }; /* of one file; further calls are only summed by kind */

typedef struct tacho_fleet_mark {
    uint32_t name; /* string */
    int64_t ns;
} tacho_fleet_mark;

typedef struct tacho_fleet_call {
    uint32_t track, name, group; /* strings; group 0: not known */
    uint32_t members;            /* string: ranks of the group; 0: not known */
    uint32_t group_size;         /* 0: not known */
    bool has_number;             /* once folded: it can be matched */
    uint64_t number;
    int64_t start_ns, end_ns;
    int64_t ns;                     /* in its kernels */
    size_t place;                   /* in the file */
    uint64_t group_hash, call_hash; /* of its keys; set when all is folded */
} tacho_fleet_call;

/* Calls beyond the limit, of one track, name and group. */
typedef struct tacho_fleet_rest {
    tacho_fleet_call first;
    tacho_fleet_row sums;
    tacho_durations durations;
} tacho_fleet_rest;

typedef struct tacho_fleet_marks {
    unsigned sections;
    bool is_ready;
    uint32_t group_key, members_key, size_key, name_key, number_keys[2]; /* strings */
    bool *is_call;                                                       /* by site: collectives */
    size_t site_count, site_capacity;
    tacho_steps found;
    tacho_fleet_mark *steps;
    size_t step_count, step_capacity;
    tacho_fleet_call *calls; /* once folded: of devices, by group, name and number */
    size_t call_count, call_capacity;
    tacho_fleet_rest *rest;
    size_t rest_count, rest_capacity;
    tacho_number_map kinds, rest_places; /* by group, ranks and name; by kind and track */
} tacho_fleet_marks;

void tacho_fleet_marks_init(tacho_fleet_marks *marks, tacho_dict *dict, unsigned sections);
void tacho_fleet_marks_deinit(tacho_fleet_marks *marks);

/* Adds |row|, a span that begins and ends at |times_ns|. */
tacho_status tacho_fleet_marks_add(tacho_fleet_marks *marks, tacho_dict *dict, const tacho_row *row,
                                   const int64_t times_ns[2]) TACHO_MUST_USE;

/* |part| is complete: finds its steps. */
tacho_status tacho_fleet_marks_end_part(tacho_fleet_marks *marks, uint32_t part) TACHO_MUST_USE;

/* The file that marks are of. */
typedef struct tacho_fleet_owner {
    uint64_t id;
    tacho_str run;
    int64_t world_size; /* 0: not known */
    bool is_whole;      /* the file lost nothing */
    bool has_zero;      /* all times of the file have one zero, ... */
    int64_t zero_ns;    /* ... which is this by its clock */
} tacho_fleet_owner;

/*
 * Prints the group of |call| to |to|, which has TACHO_FLEET_GROUP_BYTES; returns the length. Groups
 * of one name may have different ranks: a group without all ranks is printed with its own, "tp
 * [0-3,8]".
 */
enum { TACHO_FLEET_GROUP_BYTES = 512 };
size_t tacho_fleet_call_group(const tacho_dict *dict, const tacho_fleet_call *call,
                              int64_t world_size, char *to);

/* Adds everything to |fleet| as the data of |owner|. */
tacho_status tacho_fleet_marks_fold(tacho_fleet_marks *marks, const tacho_dict *dict,
                                    const tacho_fleet_owner *owner,
                                    tacho_fleet *fleet) TACHO_MUST_USE;

#endif
