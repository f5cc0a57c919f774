/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the accelerator's cores: which were counted, and rates that follow from them.
 */
#ifndef TACHO_QUESTIONS_OPSTATS_OPSTATS_PMU_H
#define TACHO_QUESTIONS_OPSTATS_OPSTATS_PMU_H

#include "questions/opstats/opstats.h"

enum { TACHO_OPSTATS_RATES_MAX = 8 };

typedef struct tacho_opstats_rate {
    const char *name; /* "HMXActivePct" */
    double value;
} tacho_opstats_rate;

/* Whether the |at|-th event of the program was counted: a simulated device counts some only. */
bool tacho_opstats_is_counted(const tacho_opstats *stats, uint32_t at);

/* The rates that the counters of a core give; returns how many. */
size_t tacho_opstats_rates(const tacho_opstats *stats, uint32_t core,
                           tacho_opstats_rate out_rates[TACHO_OPSTATS_RATES_MAX]);

#endif
