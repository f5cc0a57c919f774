/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a device in each step, and in all steps that are not left out: the steady state of
 * the program. Time is counted in the windows of steps (step_windows.h). A piece of work is counted
 * in the step that launched it or, if unknown, in the step in whose window it starts.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_STEPS_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_STEPS_H

#include "questions/breakdown/device_time.h"
#include "questions/timeline/step_windows.h"

/* The steps of one part. */
typedef struct tacho_part_steps {
    tacho_step_span *items; /* by start: the windows in which the steps run */
    size_t item_count, item_capacity;
    tacho_step_span *marks; /* as the host marks them */
    tacho_step_window *windows;
    size_t mark_capacity, window_capacity;
    size_t warm_up_count; /* of them, the first */
    size_t stop_count;    /* of them, the last: 0 or 1 */
    int64_t steady_ns;    /* the time of the others */
    tacho_step_kind kind;
    bool has_overlap;
    bool has_leftover; /* work from before the recording runs until the first step */
    bool is_full;      /* too many ranges to look for steps */
    bool is_one_run;   /* the part is one of several inferences */
    uint32_t run_name;
    tacho_step_span only_run;
    /* Their starts and ends by time, and how many have passed. */
    struct tacho_step_bound *bounds;
    size_t bound_count, bound_capacity, bound_next;
} tacho_part_steps;

/* Copies |found|. */
tacho_status tacho_part_steps_init(tacho_part_steps *steps, const tacho_steps *found,
                                   const tacho_step_windows *windows) TACHO_MUST_USE;
void tacho_part_steps_deinit(tacho_part_steps *steps);

/* The number of steps that are not left out: the items from warm_up_count on. */
static inline size_t tacho_part_steps_steady_count(const tacho_part_steps *steps)
{
    return steps->item_count - steps->warm_up_count - steps->stop_count;
}

/* A device in one step. */
typedef struct tacho_device_step {
    int64_t busy_ns;
    uint64_t work_count;   /* pieces of work of it */
    uint64_t launch_count; /* of these, with a known launch */
} tacho_device_step;

/* A device in all steps. */
typedef struct tacho_device_steps {
    tacho_device_step *items; /* by step */
    size_t item_count, item_capacity;
    /* In the steps that are not left out. */
    tacho_kind_time busy; /* only sums */
    tacho_idle_time idle;
    uint64_t work_count, launch_count; /* of all; with a known launch */
    int64_t before_ns;                 /* busy before the first step */
    size_t at;                         /* the step that the next gap may touch */
    /* Launches of the device's first work. */
    bool has_begun, has_launch;
    int64_t launch_ns;
} tacho_device_steps;

tacho_status tacho_device_steps_init(tacho_device_steps *device,
                                     const tacho_part_steps *steps) TACHO_MUST_USE;
void tacho_device_steps_deinit(tacho_device_steps *device);

/* Adds work that starts. */
void tacho_device_steps_add(tacho_device_steps *device, const tacho_part_steps *steps,
                            const tacho_device_work *work);
/* Adds the launch, found late, of work that started at |start_ns|. */
void tacho_device_steps_add_launch(tacho_device_steps *device, const tacho_part_steps *steps,
                                   int64_t start_ns, int64_t launch_ns);

/* Divides gaps over steps once the latest work is settled in |time|. */
void tacho_device_steps_settle(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time);
/* Call it when no more work starts. */
void tacho_device_steps_finish(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time);

/*
 * Finds the next start or end of a step that is not later than |now_ns|, and the step; false if
 * there is none. |out_sign| is -1 for a start and +1 for an end: sums of busy time until each, with
 * its sign, add up to busy time within.
 */
bool tacho_part_steps_next(tacho_part_steps *steps, int64_t now_ns, int64_t *out_ns,
                           uint32_t *out_step, int *out_sign);
void tacho_device_steps_pass(tacho_device_steps *device, const tacho_device_time *time, int64_t ns,
                             uint32_t step, int sign, bool is_steady);

/* How long |time| was busy until |ns|. */
int64_t tacho_kind_time_busy_until(const tacho_kind_time *time, int64_t ns);

/* Whether steps represent the device: nine tenths of its work or more are in steps, and at least
 * one step is not left out. Work from before the recording is not counted. */
bool tacho_device_steps_are_enough(const tacho_device_steps *device, const tacho_part_steps *steps,
                                   const tacho_device_time *time);

#endif
