/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sample of its file a span belongs to: its run's, by the number of the invocation; else the
 * step (profile/steps.h) during which it was launched or started; else the only one.
 */
#ifndef TACHO_ANALYSES_SAMPLE_STEPS_H
#define TACHO_ANALYSES_SAMPLE_STEPS_H

#include "analyses/samples.h"

typedef struct tacho_step_window {
    int64_t start_ns, end_ns;
} tacho_step_window;

/* An arrow's end, to find when a device's work was launched. */
typedef struct tacho_step_arrow {
    uint64_t key; /* where it arrives: the track; where it leaves: its id */
    int64_t time;
    uint64_t id;
} tacho_step_arrow;

typedef struct tacho_sample_steps {
    const tacho_profile *profile;
    tacho_samples_domain domain;
    tacho_samples_kind kind;
    uint32_t sample_count;
    uint32_t *of_run; /* by run */
    tacho_step_window *windows;
    size_t window_count, window_capacity;
    bool is_by_launch; /* windows are the host's, and the work is a device's */
    tacho_step_arrow *leaving, *arriving;
    size_t leaving_count, leaving_capacity, arriving_count, arriving_capacity;
} tacho_sample_steps;

/* Of work in |domain|. Call deinit even after a failure. */
tacho_status tacho_sample_steps_init(tacho_sample_steps *steps, const tacho_profile *profile,
                                     tacho_samples_domain domain) TACHO_MUST_USE;
void tacho_sample_steps_deinit(tacho_sample_steps *steps);

/* The sample of |span|, from 0; TACHO_NONE when it lies in none. */
uint32_t tacho_sample_steps_find(const tacho_sample_steps *steps, const tacho_span *span);

#endif
