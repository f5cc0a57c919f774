/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the summary stands among the records of one engine. Only analyses/opstats*.c include this.
 */
#ifndef TACHO_ANALYSES_OPSTATS_ISSUE_H
#define TACHO_ANALYSES_OPSTATS_ISSUE_H

#include "analyses/opstats.h"

struct tacho_opstats_cursor {
    const tacho_stats_op *next, *end; /* records of the array; both NULL after the last */
    uint32_t array;
    uint32_t engine;
    size_t first_task;
};

#endif
