/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: the kind of work of a span. Its name is the kind, or its category where it has no
 * name. Profiles of ONNX Runtime name the node ("r1_kernel_time") and put the operator into an
 * argument (op_name: "Conv"): that is the kind there. Fences of a node do not count as work of its
 * operator.
 */
#ifndef TACHO_PROFILE_OPERATORS_H
#define TACHO_PROFILE_OPERATORS_H

#include "profile/events.h"

typedef struct tacho_operators {
    tacho_dict *dict;
    uint32_t key; /* of the argument; TACHO_NONE when no span has it */
} tacho_operators;

/* For the rows of a profile whose names are all in |dict| by now. */
void tacho_operators_init(tacho_operators *operators, tacho_dict *dict);

/* The name of |site|, or its category: a string. */
uint32_t tacho_operators_of_site(const tacho_site *site);

/*
 * The class of spans of a category on |track|: that of the track, unless the category implies
 * another one; PHASE for stretches around other work, and for waits.
 */
tacho_track_class tacho_operators_class(tacho_category_kind kind, const tacho_track *track);

/* Whether spans of |site| are whole operators of a device (TACHO_CATEGORY_OPERATOR). */
bool tacho_operators_is_whole(const tacho_dict *dict, const tacho_site *site);

/*
 * Whether spans of |site| on |track| are an engine's work for operators, in a part that has spans
 * of whole operators: both together count the same work twice.
 */
bool tacho_operators_is_piece(const tacho_dict *dict, const tacho_site *site,
                              const tacho_track *track);

/* The string that an argument of |row| gives, TACHO_NONE for none; may be new in the dictionary. */
tacho_status tacho_operators_of_row(const tacho_operators *operators, const tacho_row *row,
                                    uint32_t *out_string) TACHO_MUST_USE;

#endif
