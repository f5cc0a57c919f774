/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows by type or layer of operators. The two sides may call one type by different names
 * ("Conv+Relu" and the kernel that it became), so that operators are matched one by one first:
 * those of side B count for the type of their partner on side A. What has no partner counts for its
 * own type. Layers that both sides have are the same; an operator whose layer the other side does
 * not have, or that has none, counts for the layer of its partner.
 */
#ifndef TACHO_QUESTIONS_DIFF_DIFF_TYPES_H
#define TACHO_QUESTIONS_DIFF_DIFF_TYPES_H

#include "questions/diff/diff_match.h"

/* What |op| counts for by itself: its name where nothing says its type; its layer, "(no layer)" for
 * none. */
tacho_str tacho_diff_type_of(const tacho_samples *samples, const tacho_sampled_op *op);

tacho_str tacho_diff_layer_of(const tacho_samples *samples, const tacho_sampled_op *op);

/*
 * Makes the rows of |match| those of types: row n is string n + 1 of |types|, which is initialised
 * and has none yet. Kinds are all TACHO_DIFF_SAME then.
 */
tacho_status tacho_diff_match_types(tacho_diff_match *match, tacho_strings *types) TACHO_MUST_USE;

/* The same for layers. */
tacho_status tacho_diff_match_layers(tacho_diff_match *match, tacho_strings *layers) TACHO_MUST_USE;

#endif
