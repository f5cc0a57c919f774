/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points from Tenstorrent's op tables: a row says its shapes, types, memories, fidelity, chip and
 * the time of its kernels.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_ROOF_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_ROOF_H

#include "estimates/roofline/roofline.h"
#include "estimates/tenstorrent/tt_ops.h"

/*
 * Adds a point per op; |given| is the roof that they are under, NULL: that of the chip that the
 * table names. A chip without a description is a failure.
 */
tacho_status tacho_tt_roof_add_points(const tacho_tt_ops *ops, const tacho_roof *given,
                                      tacho_roofline *line) TACHO_MUST_USE;

#endif
