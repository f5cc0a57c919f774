/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and collectives of one file, from the rows that stream by.
 *
 * Steps are those of profile/steps.h, and the only run of a part that has no steps. Collectives are
 * communication of a device. Ranks call them in the same order, so the group, the name and the
 * number within those say which ones belong together: the number that the file gives ("Seq"), else
 * their order.
 */
#ifndef TACHO_ANALYSES_FLEET_FLEET_MARKS_H
#define TACHO_ANALYSES_FLEET_FLEET_MARKS_H

#include "analyses/fleet/fleet.h"
#include "profile/events.h"
#include "profile/steps.h"

enum { TACHO_FLEET_CALLS_MAX = 1 << 20 }; /* collectives of one file, beyond which none is kept */

typedef struct tacho_fleet_mark {
    uint32_t name; /* string */
    int64_t ns;
} tacho_fleet_mark;

typedef struct tacho_fleet_call {
    uint32_t track, name, group; /* strings; group 0: not known */
    bool has_number;
    bool is_counted; /* set when all is folded: it is communication of a device */
    uint64_t number;
    int64_t start_ns, ns;
    size_t place; /* in the file */
} tacho_fleet_call;

typedef struct tacho_fleet_marks {
    unsigned sections;
    bool is_ready;
    uint32_t group_key, name_key, number_keys[2]; /* strings: of arguments */
    bool *is_call;                                /* by site: collectives */
    size_t site_count, site_capacity;
    tacho_steps found;
    tacho_fleet_mark *steps;
    size_t step_count, step_capacity;
    tacho_fleet_call *calls;
    size_t call_count, call_capacity;
} tacho_fleet_marks;

void tacho_fleet_marks_init(tacho_fleet_marks *marks, tacho_dict *dict, unsigned sections);
void tacho_fleet_marks_deinit(tacho_fleet_marks *marks);

/* Takes |row|, a span from |start_ns| to |end_ns|. */
tacho_status tacho_fleet_marks_add(tacho_fleet_marks *marks, tacho_dict *dict, const tacho_row *row,
                                   const int64_t times_ns[2]) TACHO_MUST_USE;

/* |part| is complete: finds its steps. */
tacho_status tacho_fleet_marks_end_part(tacho_fleet_marks *marks, uint32_t part) TACHO_MUST_USE;

/* The file that marks are of. */
typedef struct tacho_fleet_owner {
    uint64_t id;
    tacho_str run;
    bool has_zero;   /* all times of the file count from one moment, ... */
    int64_t zero_ns; /* ... which is this by its clock */
} tacho_fleet_owner;

/* Adds all to |fleet| as those of |owner|. */
tacho_status tacho_fleet_marks_fold(tacho_fleet_marks *marks, const tacho_dict *dict,
                                    const tacho_fleet_owner *owner,
                                    tacho_fleet *fleet) TACHO_MUST_USE;

#endif
