/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program computes: its tensors, constants, kernel calls and the names of its operators,
 * taken from the graph. Views and the remains of folded nodes are steps of the first operator that
 * needs them, or of the last one.
 */
#ifndef TACHO_COMPILE_VALUES_H
#define TACHO_COMPILE_VALUES_H

#include "compile/estimate.h"
#include "program/program.h"

/* |program| has its ops and their jobs. Texts and lists of attributes are copied. */
tacho_status tacho_values_fill(const tacho_estimate *estimate, bool has_bytes,
                               tacho_program *program) TACHO_MUST_USE;

#endif
