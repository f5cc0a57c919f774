/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the blocks of a program (the units that the host starts and waits for) ran.
 */
#ifndef TACHO_ESTIMATES_BLOCKS_H
#define TACHO_ESTIMATES_BLOCKS_H

#include "program/recording.h"
#include "table/table.h"

/* One row per block of the first recorded inference: when it ran, and for how long. */
tacho_status tacho_blocks_table(const tacho_recording *recording,
                                tacho_table *out_table) TACHO_MUST_USE;

#endif
