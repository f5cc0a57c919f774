/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about avoidable costs of a program. Its numbers are in tacho_analysis_metrics.
 */
#ifndef TACHO_ESTIMATES_PROGRAM_METRICS_H
#define TACHO_ESTIMATES_PROGRAM_METRICS_H

#include "base/notes.h"
#include "compile/estimate.h"
#include "program/program.h"

/* Writes warnings about avoidable costs to |notes|. */
tacho_status tacho_compile_warn(const tacho_estimate *estimate, const tacho_program *program,
                                const tacho_notes *notes) TACHO_MUST_USE;

#endif
