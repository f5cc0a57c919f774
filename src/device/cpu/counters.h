/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of this computer's cores over an inference and between its operators, where its kernel
 * lets us: the events of a program that was compiled for this kind of computer are those of
 * base/perf.h.
 */
#ifndef TACHO_DEVICE_CPU_COUNTERS_H
#define TACHO_DEVICE_CPU_COUNTERS_H

#include "program/stats_records.h"

/* Source of counter values: base/perf.h, or a test. */
typedef struct tacho_counter_source {
    int (*open)(uint64_t code); /* below 0: -errno */
    void (*close)(int file);
    void (*start)(int file); /* from 0 on */
    uint64_t (*read)(int file);
    uint64_t (*stop)(int file);
} tacho_counter_source;

typedef struct tacho_counters {
    const tacho_counter_source *source;
    uint32_t count;                        /* of the program's events, in its order */
    uint32_t counted;                      /* of them: 0 or fewer where the kernel refuses */
    int files[TACHO_PMU_EVENTS_MAX];       /* below 0: not counted, its value stays 0 */
    uint64_t values[TACHO_PMU_EVENTS_MAX]; /* of the inference, after stop */
    const char *missing;                   /* counters not available, and why; else NULL */
    char why[200];
} tacho_counters;

/*
 * Succeeds in any case but with |missing| set where something cannot be counted. |source| is NULL
 * for the kernel's.
 */
void tacho_counters_open(tacho_counters *counters, const tacho_program *program,
                         const tacho_counter_source *source);
void tacho_counters_close(tacho_counters *counters);

void tacho_counters_start(tacho_counters *counters);
void tacho_counters_stop(tacho_counters *counters);

/* The counts so far, between start and stop. */
void tacho_counters_read(const tacho_counters *counters, uint64_t out_values[TACHO_PMU_EVENTS_MAX]);

/* Counts between two readings, saturated to their fields. */
tacho_stats_op_pmu tacho_counters_between(const uint64_t before[TACHO_PMU_EVENTS_MAX],
                                          const uint64_t after[TACHO_PMU_EVENTS_MAX], uint32_t oc);

#endif
