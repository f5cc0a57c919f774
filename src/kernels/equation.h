/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equations of Einsum, taken apart: "ab...,bc->ac". Terms are letters and at most one ellipsis, for
 * the axes that have none; spaces mean nothing.
 */
#ifndef TACHO_KERNELS_EQUATION_H
#define TACHO_KERNELS_EQUATION_H

#include "base/str.h"
#include "base/tensor.h"

/* Labels of axes: letters in the order of the alphabet, capitals first; then the axes under
 * ellipses, counted from their ends, as they broadcast. */
enum {
    TACHO_EQUATION_LETTERS = 52,
    TACHO_EQUATION_LABELS = TACHO_EQUATION_LETTERS + TACHO_RANK_MAX,
};

/* The axes of an operand or of the result. */
typedef struct tacho_equation_term {
    int32_t count;    /* of letters */
    int32_t ellipsis; /* letters before it; -1: without one */
    uint8_t letters[TACHO_RANK_MAX];
} tacho_equation_term;

/* The letter of a label. */
char tacho_equation_letter(size_t label);

/* Cuts at "->"; false without it: all are operands. */
bool tacho_equation_split(tacho_str equation, tacho_str *out_operands, tacho_str *out_result);

/* The number of terms, and the first of them, which is cut off. */
size_t tacho_equation_count(tacho_str operands);
tacho_str tacho_equation_next(tacho_str *operands);

/* False when the text is not a term, or has more letters than there can be axes. */
bool tacho_equation_read(tacho_str text, tacho_equation_term *out_term);

/* Whether the term is one of |rank| axes, and the label of one of these. */
bool tacho_equation_fits(const tacho_equation_term *term, int32_t rank);
uint8_t tacho_equation_label(const tacho_equation_term *term, int32_t rank, int32_t axis);

#endif
