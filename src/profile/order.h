/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order filter: hands rows on in track order and sets the zero of each part's clock.
 *
 * Trace sinks need, per track, rows by start with the longer first (tacho_row_compare); rows of
 * different tracks may be in any order. There are three modes:
 *
 *   pass   rows go straight through. The first row of a part becomes its zero. A row that is too
 *          late, on its track or before the zero, is a TACHO_CODE_OUT_OF_ORDER failure: run
 *          the conversion again in sort mode. Nothing is lost, since output is committed last.
 *   sort   rows are held in a spool until their part ends; then the earliest start becomes the
 *          zero and all rows go on in order.
 *   sort all   the same; sources, too, hold the rows that they need in order.
 *
 * Inputs that cannot be read twice start in the last one.
 */
#ifndef TACHO_PROFILE_ORDER_H
#define TACHO_PROFILE_ORDER_H

#include "profile/events.h"

typedef enum tacho_order_mode {
    TACHO_ORDER_PASS,
    TACHO_ORDER_SORT,
    TACHO_ORDER_SORT_ALL, /* as sort, and sources sort the rows they need in order */
} tacho_order_mode;

typedef struct tacho_order tacho_order;

/* A filter before |next|, which outlives it. |memory_bytes| bounds the spool. */
tacho_status tacho_order_create(tacho_events *next, tacho_order_mode mode, size_t memory_bytes,
                                tacho_order **out_order) TACHO_MUST_USE;
void tacho_order_destroy(tacho_order *order);

/* The interface to push to. */
tacho_events *tacho_order_events(tacho_order *order);

#endif
