/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file as a fleet: the results of 'ops' and 'breakdown' over its rows become sums that can be
 * merged, with the steps and collectives of the file.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_GATHER_H
#define TACHO_QUESTIONS_FLEET_FLEET_GATHER_H

#include "questions/breakdown/breakdown_gather.h"
#include "questions/fleet/fleet.h"
#include "questions/fleet/fleet_digest.h"
#include "questions/fleet/fleet_marks.h"
#include "questions/ops/ops_gather.h"

/* Facts of a file that are known before it is read; texts outlive the gathering. */
typedef struct tacho_fleet_origin {
    tacho_str path;
    tacho_str run, host;           /* empty: not known */
    int64_t rank;                  /* -1: not known */
    int64_t name_rank;             /* from the name of the file, if the file has none; or -1 */
    tacho_str name_run, name_host; /* likewise */
} tacho_fleet_origin;

/* A file that was found and not read. */
typedef struct tacho_fleet_refusal {
    const char *path;
    const char *reason;
} tacho_fleet_refusal;

typedef struct tacho_fleet_gather {
    tacho_events events; /* takes rows in track order */
    unsigned sections;
    bool is_cut_out; /* rows are only those of a window; set it before the first row */
    tacho_ops_gather ops;
    tacho_breakdown_gather breakdown;
    tacho_fleet_marks marks; /* steps and collectives */
    tacho_fleet_digest digest;
    uint64_t span_count;
    bool has_time;
    int64_t first_ns, end_ns;
    /* Set by fold: hash of the file's contents and rank; and the same with its run, which is equal
     * for copies. */
    uint64_t content, identity;
} tacho_fleet_gather;

void tacho_fleet_gather_init(tacho_fleet_gather *gather, tacho_dict *dict, unsigned sections);
void tacho_fleet_gather_deinit(tacho_fleet_gather *gather);

/* Adds everything gathered to |fleet|, which must be empty. */
tacho_status tacho_fleet_gather_fold(tacho_fleet_gather *gather, const tacho_fleet_origin *origin,
                                     tacho_fleet *fleet) TACHO_MUST_USE;

/* The time zero of the whole file, by its clock; false if each part has its own. */
bool tacho_fleet_gather_zero(const tacho_fleet_gather *gather, int64_t *out_zero_ns);

/* Adds a file that could not be read to |fleet|. */
tacho_status tacho_fleet_add_failed(tacho_fleet *fleet, const tacho_fleet_origin *origin,
                                    tacho_str reason) TACHO_MUST_USE;

#endif
