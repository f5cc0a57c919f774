/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of op tables a report is about: in the host's order, between signposts, and those of
 * several devices merged op by op.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_WINDOW_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_WINDOW_H

#include "estimates/tenstorrent/tt_report.h"

/* Rows of a report while they are chosen. */
typedef struct tacho_tt_window {
    tacho_tt_op *items;
    size_t item_count, item_capacity;
} tacho_tt_window;

void tacho_tt_window_deinit(tacho_tt_window *window);

/* The rows that |report->options| ask for, before they are merged; |report| takes notes. */
tacho_status tacho_tt_window_choose(tacho_tt_report *report,
                                    tacho_tt_window *out_window) TACHO_MUST_USE;

/* Makes one row of the rows that devices have for an op, where there are several devices. */
tacho_status tacho_tt_window_merge(tacho_tt_report *report, tacho_tt_window *window) TACHO_MUST_USE;

#endif
