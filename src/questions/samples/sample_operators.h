/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces kernels by the operators of the framework that launched them, so that an estimate, which
 * has the operators of a model, can be compared with a trace, which has kernels and their launches.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_OPERATORS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_OPERATORS_H

#include "questions/samples/samples.h"

/*
 * Merges all work of one operator of the framework in one layer. Operators call each other
 * ("aten::linear/aten::addmm"): the outermost one that does work itself on the other side counts,
 * else the innermost. If the launching operator is not known, the type counts.
 */
tacho_status tacho_samples_name_operators(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
