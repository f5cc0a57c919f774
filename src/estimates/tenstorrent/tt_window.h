/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of op tables in a report: in the host's order, between signposts, and merged op by op
 * over several devices.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_WINDOW_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_WINDOW_H

#include "estimates/tenstorrent/tt_report.h"

/* The rows of a report during their selection. */
typedef struct tacho_tt_window {
    tacho_tt_op *items;
    size_t item_count, item_capacity;
} tacho_tt_window;

void tacho_tt_window_deinit(tacho_tt_window *window);

/* Chooses the rows for |report->options|, before merging; records findings in |report|. */
tacho_status tacho_tt_window_choose(tacho_tt_report *report,
                                    tacho_tt_window *out_window) TACHO_MUST_USE;

/* Merges the rows of several devices for an op into one. */
tacho_status tacho_tt_window_merge(tacho_tt_report *report, tacho_tt_window *window) TACHO_MUST_USE;

#endif
