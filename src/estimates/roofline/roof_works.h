/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operators of a model work, and how long the compiler expects them to take: of a network
 * that was compiled, or of a program that was read. Profiles that name operators find their work
 * here.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_WORKS_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_WORKS_H

#include "estimates/roofline/roofline.h"
#include "compile/estimate.h"
#include "program/program.h"

typedef struct tacho_roof_op {
    tacho_str name, type, location;
    tacho_str output; /* its first one, which some runtimes call it by */
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
 * Takes those of |program|, which was compiled for |machine|. It says how often they multiply, not
 * what they do else: other operators have bytes alone.
 */
tacho_status tacho_roof_works_take_program(tacho_roof_works *works, const tacho_program *program,
                                           const tacho_machine *machine) TACHO_MUST_USE;

/* The operator of that name, else the one with that output, or NULL. */
const tacho_roof_op *tacho_roof_works_find(const tacho_roof_works *works, tacho_str name);

/* Adds a point for each, with the time that the compiler expects. */
tacho_status tacho_roof_works_add_points(const tacho_roof_works *works,
                                         tacho_roofline *line) TACHO_MUST_USE;

#endif
