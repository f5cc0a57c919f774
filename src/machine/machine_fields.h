/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of a machine description: the keys of an object, their kinds of values and where
 * they go. The reader and `tacho machine show` both walk these tables.
 */
#ifndef TACHO_MACHINE_MACHINE_FIELDS_H
#define TACHO_MACHINE_MACHINE_FIELDS_H

#include "machine/machine.h"

typedef enum tacho_field_kind {
    TACHO_FIELD_TEXT,     /* a tacho_str */
    TACHO_FIELD_QUANTITY, /* {"value": 1, "unit": "cycles", "source": "..."} */
    TACHO_FIELD_FLAG,     /* a bool */
    TACHO_FIELD_WORD,     /* one of a list: an enum */
    TACHO_FIELD_OBJECT,   /* a struct of its own fields, in place */
    TACHO_FIELD_LIST,     /* an array of such: a pointer and a count */
} tacho_field_kind;

/* Which values of a quantity are valid. */
enum {
    TACHO_RULE_ZERO = 1,     /* may be zero */
    TACHO_RULE_WHOLE = 2,    /* must be a whole number */
    TACHO_RULE_FRACTION = 4, /* must not be above 1 */
};

typedef struct tacho_fields tacho_fields;

typedef struct tacho_field {
    const char *name;
    tacho_field_kind kind;
    bool is_optional;
    uint8_t rules;       /* of a quantity */
    const char *unit;    /* of a quantity: its base unit */
    int64_t max;         /* of a quantity in the base unit, or of the length of a list */
    size_t offset;       /* in the struct */
    size_t count_offset; /* of a list */
    const tacho_fields *fields;
    /* The |index|-th word of a WORD, NULL after the last. */
    const char *(*word)(unsigned index);
} tacho_field;

struct tacho_fields {
    const tacho_field *items;
    size_t item_count;
    size_t struct_size;
};

extern const tacho_fields tacho_machine_fields;

/* A unit in which a quantity may be written: |factor| base units. */
typedef struct tacho_unit {
    const char *name;
    const char *base;
    int64_t factor;
} tacho_unit;

/* The unit |name| of the base unit |base|, or NULL. */
const tacho_unit *tacho_unit_find(const char *base, tacho_str name);

#endif
