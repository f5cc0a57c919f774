/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The position of the summary in the records of one engine. Only questions/opstats/opstats*.c
 * include this.
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_WAITS_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_WAITS_H

#include "questions/opstats/opstats.h"

struct tacho_opstats_cursor {
    const tacho_stats_op *next, *end; /* records of the array; both NULL after the last */
    uint32_t array;
    uint32_t engine;
    size_t first_task;
};

/* Computes waits of threads and, from these, of rows; part of tacho_opstats_read. */
tacho_status tacho_opstats_read_waits(tacho_opstats *stats) TACHO_MUST_USE;

#endif
