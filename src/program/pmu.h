/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the accelerator's cores: sets of event codes under the names that compilers for
 * Qualcomm Cloud AI 100 give them. The names are the vendor's; which events a recipe has is ours,
 * from the public tables of the Hexagon processor's events.
 */
#ifndef TACHO_PROGRAM_PMU_H
#define TACHO_PROGRAM_PMU_H

#include "program/program.h"

typedef struct tacho_pmu_recipe {
    const char *name;
    uint16_t events[TACHO_PMU_EVENTS_MAX];
    uint32_t event_count;
} tacho_pmu_recipe;

/* The |index|-th, or NULL. */
const tacho_pmu_recipe *tacho_pmu_recipe_at(size_t index);

/* The recipe called |name|, or NULL. */
const tacho_pmu_recipe *tacho_pmu_recipe_find(tacho_str name);

/*
 * Whether the simulated device counts an event of |program|: codes of programs for the computer at
 * hand are other ones (base/perf.h), and it counts none of those.
 */
bool tacho_pmu_is_simulated(const tacho_program *program, uint16_t event);

/*
 * The core's count of an event, from those of its threads: each is added to a sum that starts at 0,
 * and the sum is ended. Requests and packets of threads add up. A cycle of the core is no thread's
 * own: one with n threads running is counted by all n of them, and one with HVX active by each
 * thread that is; the threads of that engine work side by side, so the longest counts.
 */
void tacho_pmu_add_thread(uint16_t event, uint64_t value, uint64_t *sum);
uint64_t tacho_pmu_end_sum(uint16_t event, uint64_t sum);

#endif
