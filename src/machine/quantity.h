/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities: a number of a machine description as an exact ratio, with its unit and source, and
 * the few operations costs are made of. All are in integers, so that a cost is the same on every
 * computer; overflow is reported, never wrapped.
 */
#ifndef TACHO_MACHINE_QUANTITY_H
#define TACHO_MACHINE_QUANTITY_H

#include "base/str.h"

/* A positive ratio, or zero as 0/1; in lowest terms. */
typedef struct tacho_ratio {
    int64_t num;
    int64_t den;
} tacho_ratio;

typedef struct tacho_quantity {
    tacho_ratio value; /* in the base unit of its field: bytes, Hz, cycles; 0/0 when absent */
    tacho_str text;    /* as written ... */
    tacho_str unit;    /* ... with this unit */
    tacho_str source;
    uint64_t offset; /* in the description's text */
} tacho_quantity;

enum {
    /* No physical quantity here is larger or finer: 10^15 and 10^-9. */
    TACHO_QUANTITY_DIGITS_MAX = 15,
    TACHO_QUANTITY_DECIMALS_MAX = 9,
};

/* The value of a JSON number, exactly; false when it is negative, too large or too fine. */
bool tacho_ratio_parse(tacho_str text, tacho_ratio *out_ratio);

/* a * b; false when it does not fit. */
bool tacho_ratio_multiply(tacho_ratio a, tacho_ratio b, tacho_ratio *out_product);

/* a + b; false when it does not fit. */
bool tacho_ratio_add(tacho_ratio a, tacho_ratio b, tacho_ratio *out_sum);

/* a / b for b > 0; false when it does not fit. */
bool tacho_ratio_divide(tacho_ratio a, tacho_ratio b, tacho_ratio *out_quotient);

/* <0, 0 or >0 as a is less than, equal to or greater than b. */
int tacho_ratio_compare(tacho_ratio a, tacho_ratio b);

/* |amount| / |rate| and |amount| * |factor|, rounded up; false when it does not fit 63 bits. */
bool tacho_ratio_ceil_divide(uint64_t amount, tacho_ratio rate, int64_t *out_value);
bool tacho_ratio_ceil_multiply(uint64_t amount, tacho_ratio factor, int64_t *out_value);

static inline bool tacho_quantity_is_set(const tacho_quantity *quantity)
{
    return quantity->value.den != 0;
}

/* The value of a quantity that its field promises to be whole; 0 when absent. */
static inline int64_t tacho_quantity_whole(const tacho_quantity *quantity)
{
    return quantity->value.den == 1 ? quantity->value.num : 0;
}

/* The value, or |otherwise| when absent. */
static inline tacho_ratio tacho_quantity_or(const tacho_quantity *quantity, int64_t otherwise)
{
    return tacho_quantity_is_set(quantity) ? quantity->value : (tacho_ratio){otherwise, 1};
}

#endif
