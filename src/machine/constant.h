/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single numbers of a description by their path, "engines[0].block_overhead_cycles", as `tacho
 * machine show` writes it: to try other values, and to write a description that has them.
 */
#ifndef TACHO_MACHINE_CONSTANT_H
#define TACHO_MACHINE_CONSTANT_H

#include "machine/machine.h"

typedef struct tacho_constant_ref {
    tacho_str path;
    tacho_quantity *quantity; /* of the machine, which it can change */
    bool is_whole, is_share;  /* a whole number; not above 1 */
    double max;               /* in the base unit */
    double factor;            /* base units of the unit it is written in */
} tacho_constant_ref;

enum { TACHO_CONSTANT_TEXT_MAX = 48, TACHO_CONSTANT_TIED_MAX = 16 };

/* Finds the number at |path|; a path that is none, or that the description leaves out, is USAGE. */
tacho_status tacho_constant_find(tacho_machine *machine, tacho_str path,
                                 tacho_constant_ref *out_ref) TACHO_MUST_USE;

/* The same of several paths with a + between them, "dma[0].efficiency+dma[1].efficiency". */
tacho_status tacho_constant_find_tied(tacho_machine *machine, tacho_str paths,
                                      tacho_constant_ref refs[TACHO_CONSTANT_TIED_MAX],
                                      size_t *out_count) TACHO_MUST_USE;

/* Its value in the unit that it is written in. */
double tacho_constant_value(const tacho_constant_ref *ref);

/*
 * Writes |value|, in the same unit, as a description would have it: five digits, whole where it
 * has to be, within its bounds.
 */
void tacho_constant_print(const tacho_constant_ref *ref, double value,
                          char to[TACHO_CONSTANT_TEXT_MAX]);

/* Gives it the value that tacho_constant_print would write. */
void tacho_constant_set(const tacho_constant_ref *ref, double value);

/* The new value of a number. */
typedef struct tacho_constant_edit {
    const tacho_constant_ref *ref;
    tacho_str value; /* as tacho_constant_print has it */
    tacho_str source;
} tacho_constant_edit;

/* The text of |machine|'s description with other numbers; all else stays, byte for byte. */
tacho_status tacho_constant_rewrite(const tacho_machine *machine, const tacho_constant_edit *edits,
                                    size_t edit_count, tacho_arena *arena,
                                    tacho_str *out_text) TACHO_MUST_USE;

#endif
