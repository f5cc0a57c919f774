/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiler tells about the program it made: numbers, and what a person might want to
 * change.
 */
#ifndef TACHO_COMPILE_METRICS_H
#define TACHO_COMPILE_METRICS_H

#include "base/notes.h"
#include "compile/estimate.h"
#include "program/program.h"

/*
 * Of the whole: arithmetic, traffic, sizes, how often cores wait for one another. |image_bytes| are
 * those of its file, 0 without one.
 */
tacho_status tacho_compile_metrics_table(const tacho_program *program, uint64_t image_bytes,
                                         tacho_table *out_table) TACHO_MUST_USE;

/* One row per core of each device. */
tacho_status tacho_compile_cores_table(const tacho_program *program,
                                       tacho_table *out_table) TACHO_MUST_USE;

/* Says to |notes| what costs time and could be otherwise. */
tacho_status tacho_compile_warn(const tacho_estimate *estimate, const tacho_program *program,
                                const tacho_notes *notes) TACHO_MUST_USE;

#endif
