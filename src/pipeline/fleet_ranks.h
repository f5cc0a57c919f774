/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet read by all ranks of an MPI job: each takes its share of the files and merges them, and
 * the sums are merged along a tree, so rank 0 has what one process that reads all files has, to the
 * byte. Copies of a file may lie in the shares of two ranks: ranks tell each other the numbers of
 * their files first, and only the first of equals is counted.
 */
#ifndef TACHO_PIPELINE_FLEET_RANKS_H
#define TACHO_PIPELINE_FLEET_RANKS_H

#include "base/ranks.h"
#include "pipeline/fleet.h"

/* Fills |fleet|, which is empty and of the sections of |job|: all files at rank 0, some at others.
 */
tacho_status tacho_fleet_ranks_run(const tacho_ranks *ranks, const tacho_fleet_job *job,
                                   tacho_fleet *fleet) TACHO_MUST_USE;

#endif
