/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow order: puts spans that start together in the order of the arrows between them.
 *
 * Viewers draw an arrow from the end that they read first, and read events of one time in the order
 * of the file. Where a span starts in the same nanosecond as the span that it waited for, the arrow
 * would be drawn backwards, or not at all. The lane filter passes its rows on through this stage. A
 * part without arrows passes straight through; else the rows of one time are held, and the source
 * of an arrow is written before its target. Spans of one track keep their order.
 */
#ifndef TACHO_PROFILE_ARROW_ORDER_H
#define TACHO_PROFILE_ARROW_ORDER_H

#include "profile/events.h"

typedef struct tacho_arrow_order tacho_arrow_order;

tacho_status tacho_arrow_order_create(tacho_events *next,
                                      tacho_arrow_order **out_order) TACHO_MUST_USE;
void tacho_arrow_order_destroy(tacho_arrow_order *order);
tacho_events *tacho_arrow_order_events(tacho_arrow_order *order);

#endif
