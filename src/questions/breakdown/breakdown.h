/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakdown: where did the time of each device go? For each device and each of its streams or
 * engines: how long it computed, communicated and copied, how much of that was exposed, how long it
 * was idle, and why.
 *
 * Lengths are those of unions of intervals, so work that overlaps counts once. Shares are of the
 * device's span, from its first start to its last end. Communication is exposed while the device
 * does not compute; copies are exposed while it neither computes nor communicates. So compute,
 * exposed communication, exposed copies and idle time add up to the span.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_H

#include "questions/analysis.h"
#include "questions/breakdown/breakdown_gather.h"

enum { TACHO_BREAKDOWN_TOP = 10, TACHO_BREAKDOWN_TOP_MAX = 10000 };

typedef struct tacho_breakdown_options {
    uint64_t top; /* number of longest gaps and steps to list, at most TACHO_BREAKDOWN_TOP_MAX */
    uint64_t step_top; /* number of longest steps, if more than |top| */
    bool has_steady;   /* with the table of device times in steps */
    bool omits_advice; /* no verdict and no advice */
} tacho_breakdown_options;

/* The columns that identify the subject of a row. */
#define TACHO_BREAKDOWN_WHO                                                                        \
    TACHO_COLUMN(FILE, "file", TEXT), TACHO_COLUMN(RANK, "rank", INT),                             \
        TACHO_COLUMN(DEVICE, "device", TEXT), TACHO_COLUMN(ORIGIN, "origin", TEXT)

tacho_status tacho_breakdown_add_who(const tacho_breakdown_gather *gather,
                                     const tacho_breakdown_device *device,
                                     tacho_table *table) TACHO_MUST_USE;

/* The same, with the string |called| in place of the part's name. */
tacho_status tacho_breakdown_add_named(const tacho_breakdown_gather *gather,
                                       const tacho_breakdown_device *device, uint32_t called,
                                       tacho_table *table) TACHO_MUST_USE;

/* A row per device, and a row per stream or engine: times by kind of work. */
tacho_status tacho_breakdown_devices_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table) TACHO_MUST_USE;
tacho_status tacho_breakdown_streams_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table) TACHO_MUST_USE;

/* A row per device that steps represent: its times and idle time by cause in all steps but warm-up,
 * which are its span. */
tacho_status tacho_breakdown_steady_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table) TACHO_MUST_USE;

/* A row per device, then per stream: idle time by cause. */
tacho_status tacho_breakdown_idle_table(const tacho_breakdown_gather *gather,
                                        tacho_table *out_table) TACHO_MUST_USE;

/* A row per device whose part has steps: step durations without warm-up and device times in steps;
 * and its longest steps, by time. */
tacho_status tacho_breakdown_step_statistics_table(const tacho_breakdown_gather *gather,
                                                   tacho_table *out_table) TACHO_MUST_USE;
tacho_status tacho_breakdown_steps_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table) TACHO_MUST_USE;

/* A row per stream that has launches: delays from call to start, the queue, and the calls. */
tacho_status tacho_breakdown_launches_table(const tacho_breakdown_gather *gather,
                                            tacho_table *out_table) TACHO_MUST_USE;

/* The longest gaps of all devices, with the host's activity in each. */
tacho_status tacho_breakdown_gaps_table(const tacho_breakdown_gather *gather,
                                        tacho_table *out_table) TACHO_MUST_USE;

/* One row per device, or one for all inferences of a device (breakdown_subjects.h), for rules
 * (breakdown_rules.h). */
tacho_status tacho_breakdown_facts_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table) TACHO_MUST_USE;

/* One sentence per device whose facts allow one; then the advice, largest gain first. */
tacho_status tacho_breakdown_verdict_table(const tacho_breakdown_gather *gather,
                                           tacho_table *out_table) TACHO_MUST_USE;
tacho_status tacho_breakdown_advice_table(const tacho_breakdown_gather *gather,
                                          tacho_table *out_table) TACHO_MUST_USE;

/* Notes on information that the profiles lack. */
tacho_status tacho_breakdown_notes_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table) TACHO_MUST_USE;

#endif
