/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a summary of raw stats and their order: made by analyses and formatted by sinks.
 */
#ifndef TACHO_TABLE_OPSTATS_TABLES_H
#define TACHO_TABLE_OPSTATS_TABLES_H

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

#endif
