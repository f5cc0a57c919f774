/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of the framework in place of the kernels that they launched, so that an estimate, which
 * knows the operators of a model, can be compared with a trace, which knows kernels and who
 * launched them.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_OPERATORS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_OPERATORS_H

#include "questions/samples/samples.h"

/*
 * Makes one operator of all that has the same operator of the framework in the same layer.
 * Operators call each other ("aten::linear/aten::addmm"): the outermost that works itself on the
 * other side counts, else the innermost. Where nothing says who launched it, the type counts.
 */
tacho_status tacho_samples_name_operators(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
