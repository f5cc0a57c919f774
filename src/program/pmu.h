/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the accelerator's cores: sets of event codes under the names that compilers for
 * Qualcomm Cloud AI 100 give them. The names are the vendor's; the choice of a recipe's events is
 * ours, from the public tables of the Hexagon processor's events.
 */
#ifndef TACHO_PROGRAM_PMU_H
#define TACHO_PROGRAM_PMU_H

#include "base/event.h"
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

/* Whether the simulated device counts the |at|-th event of a program. */
static inline bool tacho_pmu_is_simulated(const tacho_stats_config *stats, uint32_t at)
{
    return stats->pmu_counts[at] != TACHO_EVENT_OTHER && stats->pmu_counts[at] < TACHO_EVENT_COUNT;
}

#endif
