/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points from Tenstorrent's op tables: a row contains its shapes, types, memories, fidelity, chip
 * and the time of its kernels.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_ROOF_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_ROOF_H

#include "estimates/roofline/roofline.h"
#include "estimates/tenstorrent/tt_ops.h"

/*
 * Adds a point per op; |given| is the roof for all of them; NULL: that of the chip in the table.
 * Fails if the chip has no description.
 */
tacho_status tacho_tt_roof_add_points(const tacho_tt_ops *ops, const tacho_roof *given,
                                      tacho_roofline *line) TACHO_MUST_USE;

#endif
