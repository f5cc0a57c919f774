/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file as rows of a data set, for engines that add up the rows of all files: operations, times
 * of devices, steps, collectives, the file itself and its problems. Sums over these tables answer
 * the questions of a fleet.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_DATASET_H
#define TACHO_QUESTIONS_FLEET_FLEET_DATASET_H

#include "questions/analysis.h"
#include "questions/fleet/fleet_gather.h"

/* The number of tables. */
enum { TACHO_FLEET_DATASET_TABLES = 6 };

/* The source of the tables. */
typedef struct tacho_fleet_dataset {
    const tacho_fleet_gather *gather; /* folded into |fleet|; NULL: the file was not read */
    const tacho_fleet *fleet;         /* of this file alone */
    tacho_str copy_of;                /* the file that this one is a copy of, or empty */
} tacho_fleet_dataset;

/* Passes all tables to |to|; for a copy or a file that was not read, only the last one has rows. */
tacho_status tacho_fleet_dataset_tables(const tacho_fleet_dataset *dataset,
                                        const tacho_table_taker *to) TACHO_MUST_USE;

#endif
