/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a device in each step, and in all steps but warm-up: what is true of a step, once the
 * program runs steadily. Work belongs to the step during which it runs; what runs beyond the end of
 * a step belongs to the next.
 */
#ifndef TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_STEPS_H
#define TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_STEPS_H

#include "analyses/breakdown/device_time.h"
#include "profile/steps.h"

/* The steps of one part. */
typedef struct tacho_part_steps {
    tacho_step_span *items; /* by start */
    size_t item_count, item_capacity;
    size_t warm_up_count; /* of them, the first */
    int64_t steady_ns;    /* the time of the others */
    tacho_step_kind kind;
    bool has_overlap;
    bool is_full;    /* too many ranges to tell */
    bool is_one_run; /* the part is one of several inferences */
    uint32_t run_name;
    tacho_step_span only_run;
    /* Their starts and ends by time, and how many have passed. */
    struct tacho_step_bound *bounds;
    size_t bound_count, bound_capacity, bound_next;
} tacho_part_steps;

/* Copies what was found. */
tacho_status tacho_part_steps_init(tacho_part_steps *steps,
                                   const tacho_steps *found) TACHO_MUST_USE;
void tacho_part_steps_deinit(tacho_part_steps *steps);

/* The step during which |ns| is, TACHO_NONE for none. */
uint32_t tacho_part_steps_at(const tacho_part_steps *steps, int64_t ns);

/* A device in one step. */
typedef struct tacho_device_step {
    int64_t busy_ns;
    uint64_t work_count;   /* pieces of work that start in it */
    uint64_t launch_count; /* pieces of work that are launched in it */
} tacho_device_step;

/* A device in all steps. */
typedef struct tacho_device_steps {
    tacho_device_step *items; /* by step */
    size_t item_count, item_capacity;
    /* In the steps but warm-up. */
    tacho_kind_time busy; /* sums alone */
    tacho_idle_time idle;
    uint64_t work_count, launch_count; /* that start in them; of those, with a known launch */
    size_t at;                         /* the step that the next gap may touch */
    /* Launches of what the device did first. */
    bool has_begun, has_launch;
    int64_t launch_ns;
} tacho_device_steps;

tacho_status tacho_device_steps_init(tacho_device_steps *device,
                                     const tacho_part_steps *steps) TACHO_MUST_USE;
void tacho_device_steps_deinit(tacho_device_steps *device);

/* Work that starts. */
void tacho_device_steps_add(tacho_device_steps *device, const tacho_part_steps *steps,
                            const tacho_device_work *work);
/* Work that started at |start_ns| turns out to have been launched. */
void tacho_device_steps_add_launch(tacho_device_steps *device, const tacho_part_steps *steps,
                                   int64_t start_ns, int64_t launch_ns);

/* What started last is settled in |time|: gaps are divided over steps. */
void tacho_device_steps_settle(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time);
/* Nothing more starts. */
void tacho_device_steps_finish(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time);

/*
 * The next start or end of a step that is not later than |now_ns|, and the step; false when there
 * is none. |out_sign| is -1 for a start and +1 for an end: sums of busy time until each, with its
 * sign, add up to busy time within.
 */
bool tacho_part_steps_next(tacho_part_steps *steps, int64_t now_ns, int64_t *out_ns,
                           uint32_t *out_step, int *out_sign);
void tacho_device_steps_pass(tacho_device_steps *device, const tacho_device_time *time, int64_t ns,
                             uint32_t step, int sign, bool is_steady);

/* How long |time| was busy until |ns|. */
int64_t tacho_kind_time_busy_until(const tacho_kind_time *time, int64_t ns);

/* Whether what is true of a step says what is true of the device: nine tenths of its work or more
 * are in steps, of which one at least is not warm-up. */
bool tacho_device_steps_are_enough(const tacho_device_steps *device, const tacho_part_steps *steps,
                                   const tacho_device_time *time);

#endif
