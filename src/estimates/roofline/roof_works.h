/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a model's operators, and the compiler's estimate of their times: of a compiled
 * network, or of a program that was read. Profiles that name operators find their work here.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_WORKS_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_WORKS_H

#include "estimates/roofline/roofline.h"
#include "compile/estimate.h"
#include "program/program.h"

typedef struct tacho_roof_op {
    tacho_str name, type, location;
    tacho_str output; /* its first one, by which some runtimes name it */
    tacho_roof_work work;
    int64_t cycles; /* estimated */
} tacho_roof_op;

typedef struct tacho_roof_works {
    tacho_str file;
    tacho_roof roof;
    double hz; /* of the cycles */
    tacho_roof_op *ops;
    size_t op_count, op_capacity;
    tacho_index index; /* by name, and by output */
    bool has_index;
    tacho_arena arena;
} tacho_roof_works;

void tacho_roof_works_init(tacho_roof_works *works, tacho_str file);
void tacho_roof_works_deinit(tacho_roof_works *works);

/* Takes the operators of |estimate|, made with |fidelity|; its machine outlives |works|. */
tacho_status tacho_roof_works_take_estimate(tacho_roof_works *works, const tacho_estimate *estimate,
                                            uint32_t fidelity) TACHO_MUST_USE;

/*
 * Takes the operators of |program|, which was compiled for |machine|. A program has only counts of
 * multiplications: other operators have only bytes.
 */
tacho_status tacho_roof_works_take_program(tacho_roof_works *works, const tacho_program *program,
                                           const tacho_machine *machine) TACHO_MUST_USE;

/* The operator called |name|, else the one with that output, or NULL. */
const tacho_roof_op *tacho_roof_works_find(const tacho_roof_works *works, tacho_str name);

/* Adds a point for each, with the compiler's estimate of the time. */
tacho_status tacho_roof_works_add_points(const tacho_roof_works *works,
                                         tacho_roofline *line) TACHO_MUST_USE;

#endif
