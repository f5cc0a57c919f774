/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by type or layer of operators. The two sides may name one type differently ("Conv+Relu" and
 * the kernel that it became), so operators are matched one by one first: those of side B count for
 * the type of their partner on side A. An operator without a partner counts for its own type.
 * Layers of equal name are the same; an operator without a layer, or whose layer the other side
 * lacks, counts for the layer of its partner.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_TYPES_H
#define TACHO_QUESTIONS_DIFF_DIFF_TYPES_H

#include "questions/diff/diff_match.h"

/* The type and the layer of |op| itself: its name if the type is not known; "(no layer)" without a
 * layer. */
tacho_str tacho_diff_type_of(const tacho_samples *samples, const tacho_sampled_op *op);

tacho_str tacho_diff_layer_of(const tacho_samples *samples, const tacho_sampled_op *op);

/*
 * Replaces the rows of |match| by types: row n is string n + 1 of |types|, which is initialised and
 * empty. All kinds become TACHO_DIFF_SAME.
 */
tacho_status tacho_diff_match_types(tacho_diff_match *match, tacho_strings *types) TACHO_MUST_USE;

/* The same for layers. */
tacho_status tacho_diff_match_layers(tacho_diff_match *match, tacho_strings *layers) TACHO_MUST_USE;

#endif
