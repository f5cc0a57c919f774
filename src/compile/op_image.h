/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions on an array that keeps weights and sums into an accumulator, image by image: the
 * tiles that the vendor's library chooses, and their cycles.
 */
#ifndef TACHO_COMPILE_OP_IMAGE_H
#define TACHO_COMPILE_OP_IMAGE_H

#include "base/status.h"
#include "machine/machine.h"
#include "machine/work.h"

/* Whether |work| on |engine| follows these rules. */
bool tacho_op_image_has(const tacho_machine *machine, const tacho_engine *engine,
                        const tacho_work *work);

/* Cycles of computing it in |dtype|; INT64_MAX: too many. */
int64_t tacho_op_image_cycles(const tacho_machine *machine, const tacho_engine *engine,
                              const tacho_work *work, tacho_dtype dtype);

#endif
