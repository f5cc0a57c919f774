/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading equations, and which axis has which label.
 */
#include "kernels/equation.h"

/* The label of a letter, or -1. */
static int equation_label_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

char tacho_equation_letter(size_t label)
{
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[label];
}

bool tacho_equation_split(tacho_str equation, tacho_str *out_operands, tacho_str *out_result)
{
    size_t at = 0;
    while (at < equation.len &&
           !tacho_str_starts_with(tacho_str_from(equation, at), TACHO_STR("->"))) {
        at++;
    }
    bool is_found = at < equation.len;
    *out_operands = tacho_str_make(equation.data, at);
    *out_result = is_found ? tacho_str_from(equation, at + 2) : TACHO_STR("");
    return is_found;
}

size_t tacho_equation_count(tacho_str operands)
{
    size_t count = 1;
    for (size_t i = 0; i < operands.len; i++) {
        count += operands.data[i] == ',' ? 1 : 0;
    }
    return count;
}

tacho_str tacho_equation_next(tacho_str *operands)
{
    size_t comma = tacho_str_find_byte(*operands, ',');
    tacho_str term = tacho_str_make(operands->data, comma);
    *operands = tacho_str_from(*operands, comma < operands->len ? comma + 1 : comma);
    return term;
}

bool tacho_equation_read(tacho_str text, tacho_equation_term *out_term)
{
    *out_term = (tacho_equation_term){.ellipsis = -1};
    for (size_t i = 0; i < text.len; i++) {
        int label = equation_label_of(text.data[i]);
        bool is_ellipsis = tacho_str_starts_with(tacho_str_from(text, i), TACHO_STR("..."));
        if (label >= 0 && out_term->count < TACHO_RANK_MAX) {
            out_term->letters[out_term->count++] = (uint8_t)label;
        } else if (is_ellipsis && out_term->ellipsis < 0) {
            out_term->ellipsis = out_term->count;
            i += 2;
        } else if (text.data[i] != ' ') {
            return false;
        }
    }
    return true;
}

bool tacho_equation_fits(const tacho_equation_term *term, int32_t rank)
{
    return rank == term->count || (term->ellipsis >= 0 && rank > term->count);
}

uint8_t tacho_equation_label(const tacho_equation_term *term, int32_t rank, int32_t axis)
{
    int32_t wide = rank - term->count; /* axes under the ellipsis */
    if (wide == 0 || axis < term->ellipsis) {
        return term->letters[axis];
    }
    return axis < term->ellipsis + wide
               ? (uint8_t)(TACHO_EQUATION_LETTERS + term->ellipsis + wide - 1 - axis)
               : term->letters[axis - wide];
}
