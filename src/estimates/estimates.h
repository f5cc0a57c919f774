/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses that need a model, a program, a machine or the compiler, each as one constant struct
 * (questions/analysis.h).
 */
#ifndef TACHO_ESTIMATES_ESTIMATES_H
#define TACHO_ESTIMATES_ESTIMATES_H

#include "questions/analysis.h"

#define TACHO_ESTIMATES(X)                                                                         \
    X(program)                                                                                     \
    X(model)                                                                                       \
    X(run)                                                                                         \
    X(blocks)                                                                                      \
    X(compare)                                                                                     \
    X(estimate)                                                                                    \
    X(metrics)                                                                                     \
    X(tt_report)                                                                                   \
    X(roofline)

TACHO_ESTIMATES(TACHO_ANALYSIS_EXTERN)

/* All of them, NULL-terminated. */
extern const tacho_analysis *const tacho_estimates[];

#endif
