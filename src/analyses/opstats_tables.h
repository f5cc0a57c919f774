/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary of raw stats as tables. Which tables there are follows from what was recorded; the
 * table "missing" says what was not, and which flag of the compiler would have.
 */
#ifndef TACHO_ANALYSES_OPSTATS_TABLES_H
#define TACHO_ANALYSES_OPSTATS_TABLES_H

#include "analyses/opstats.h"

/* In the order of reports: name, title. */
#define TACHO_OPSTATS_TABLES(X)                                                                    \
    X(DEVICE, "device", "Inference")                                                               \
    X(CORES, "cores", "Cores")                                                                     \
    X(OPS, "ops", "Ops by core")                                                                   \
    X(THREADS, "threads", "Threads")                                                               \
    X(PORTS, "ports", "Waits at ports")                                                            \
    X(DOORBELLS, "doorbells", "Doorbells")                                                         \
    X(PMU, "pmu", "Counters")                                                                      \
    X(RATES, "rates", "Rates from counters")                                                       \
    X(OP_PMU, "op_pmu", "Counters by op")                                                          \
    X(STALLS, "stalls", "Why ops took longer than estimated")                                      \
    X(MISSING, "missing", "Not recorded")

typedef enum tacho_opstats_table {
#define TACHO_OPSTATS_TABLE_ENUM(name, word, title) TACHO_OPSTATS_TABLE_##name,
    TACHO_OPSTATS_TABLES(TACHO_OPSTATS_TABLE_ENUM)
#undef TACHO_OPSTATS_TABLE_ENUM
        TACHO_OPSTATS_TABLE_COUNT
} tacho_opstats_table;

/* Makes all tables, some without rows. deinit in any case. */
tacho_status tacho_opstats_tables_init(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT],
                                       const tacho_opstats *stats) TACHO_MUST_USE;
void tacho_opstats_tables_deinit(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT]);

#endif
