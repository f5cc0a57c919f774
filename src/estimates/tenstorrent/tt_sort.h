/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which the vendor's tool, which sorts with numpy, puts rows by time. Replays of a
 * trace have equal times, and the order decides which rows of several devices are merged.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_SORT_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_SORT_H

#include <stddef.h>

/* Sorts |items|, which are places in |keys|, none of them NaN. */
void tacho_tt_sort(const double *keys, size_t *items, size_t count);

#endif
