/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits all leaves of a description, one after the other, in the order of its tables.
 */
#ifndef TACHO_MACHINE_MACHINE_WALK_H
#define TACHO_MACHINE_MACHINE_WALK_H

#include "machine/machine.h"

typedef struct tacho_machine_leaf {
    tacho_str path;   /* engines[0].macs[1].per_cycle */
    tacho_str value;  /* as written */
    tacho_str unit;   /* empty when it is not a quantity ... */
    tacho_str source; /* ... and so is this */
} tacho_machine_leaf;

typedef struct tacho_machine_visitor {
    tacho_status (*visit)(void *self, const tacho_machine_leaf *leaf);
    void *self;
} tacho_machine_visitor;

/* Views of a leaf are good during the call; the first failure ends the walk. */
tacho_status tacho_machine_walk(const tacho_machine *machine,
                                tacho_machine_visitor visitor) TACHO_MUST_USE;

#endif
