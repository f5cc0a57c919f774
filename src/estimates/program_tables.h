/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a program's container as tables, for tacho info.
 */
#ifndef TACHO_ESTIMATES_PROGRAM_TABLES_H
#define TACHO_ESTIMATES_PROGRAM_TABLES_H

#include "program/networkdesc.h"
#include "program/qpc.h"
#include "program/seal.h"
#include "table/table.h"

/* An opened container, with the contents that could be read. */
typedef struct tacho_opened_program {
    tacho_str file;     /* the name to show */
    bool is_for_people; /* long lists are cut */
    tacho_qpc qpc;
    const tacho_seal_state *states; /* by segment */
    tacho_networkdesc *descs;       /* of the network, or of its slices, in the order of the file */
    size_t desc_count, desc_capacity;
    tacho_program program; /* of a container that tacho wrote */
    bool has_program;
} tacho_opened_program;

/* The subject of tacho_analysis_program: rows of all of them in each table. */
typedef struct tacho_opened_programs {
    const tacho_opened_program *items;
    size_t item_count;
} tacho_opened_programs;

#endif
