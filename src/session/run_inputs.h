/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of all inputs of a run: those that were given, and seeded-random ones for the others. They
 * are read once: when a model that is compiled asks what only values can tell (graph/probe.h), or
 * else when the program is there.
 */
#ifndef TACHO_SESSION_RUN_INPUTS_H
#define TACHO_SESSION_RUN_INPUTS_H

#include "graph/model.h"
#include "session/run_values.h"

typedef struct tacho_run_inputs {
    tacho_run_input_texts texts; /* that are given */
    uint64_t seed;               /* of the others */
    tacho_arena *arena;          /* of all values */
    tacho_array *arrays;         /* by input */
    bool *is_random;
    size_t count, random_count;
    bool is_read;
    tacho_model_values values; /* the same for a model's reader */
} tacho_run_inputs;

/* |inputs| must stay where it is. */
void tacho_run_inputs_init(tacho_run_inputs *inputs, const tacho_run_input_texts *texts,
                           uint64_t seed, tacho_arena *arena);

/* Reads them for |program|, if that has not been done; without |makes| only those given. */
tacho_status tacho_run_inputs_ensure(tacho_run_inputs *inputs, const tacho_program *program,
                                     bool makes) TACHO_MUST_USE;

#endif
