/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of tensors in dumps: which box of which tensor a job reads or writes, and its place.
 */
#ifndef TACHO_COMPILE_DUMP_REGIONS_H
#define TACHO_COMPILE_DUMP_REGIONS_H

#include "base/output.h"
#include "program/program.h"

/* |before|, then "offsets = array<i64: ...>, sizes = ..., of = ..."; nothing where there are none.
 */
void tacho_dump_extents(const tacho_program *program, uint32_t first, uint32_t count,
                        const char *before, tacho_output *output);

/* "{access = "read", tensor = 3 : i32, buffer = 5 : i32, bytes = 1024 : i64, offsets = ...}" */
void tacho_dump_region(const tacho_program *program, const tacho_region *region,
                       tacho_output *output);

#endif
