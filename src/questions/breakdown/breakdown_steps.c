/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums until the bounds of steps, and gaps cut at them.
 */
#include "questions/breakdown/breakdown_steps.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

#define ALL_KINDS (TACHO_WORK_COMBINATIONS - 1)

/* The start or end of a step. */
typedef struct tacho_step_bound {
    int64_t ns;
    uint32_t step;
    int32_t sign;
} step_bound;

/* ---- steps of a part ----------------------------------------------------------------------- */

static int compare_bounds(const void *left, const void *right)
{
    const step_bound *a = left;
    const step_bound *b = right;
    if (a->ns != b->ns) {
        return a->ns < b->ns ? -1 : 1;
    }
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : a->sign - b->sign;
}

tacho_status tacho_part_steps_init(tacho_part_steps *steps, const tacho_steps *found,
                                   const tacho_step_windows *windows)
{
    *steps = (tacho_part_steps){.warm_up_count = found->warm_up_count,
                                .stop_count = found->stop_count,
                                .kind = found->kind,
                                .has_overlap = found->has_overlap,
                                .has_leftover = windows->has_leftover,
                                .is_full = found->is_full,
                                .is_one_run = found->is_one_run,
                                .run_name = found->run_name,
                                .only_run = found->only_run};
    TACHO_TRY(tacho_grow(&steps->items, &steps->item_capacity, found->item_count));
    TACHO_TRY(tacho_grow(&steps->marks, &steps->mark_capacity, found->item_count));
    TACHO_TRY(tacho_grow(&steps->windows, &steps->window_capacity, found->item_count));
    TACHO_TRY(tacho_grow(&steps->bounds, &steps->bound_capacity, 2 * found->item_count));
    for (uint32_t i = 0; i < found->item_count; i++) {
        tacho_step_span *step = &steps->items[steps->item_count++];
        *step = steps->marks[i] = found->items[i];
        steps->windows[i] = windows->items[i];
        step->start_ns = steps->windows[i].start_ns;
        step->end_ns = steps->windows[i].end_ns;
        bool is_steady = tacho_step_is_steady(step) && !steps->has_overlap;
        steps->steady_ns += is_steady ? step->end_ns - step->start_ns : 0;
        steps->bounds[steps->bound_count++] = (step_bound){step->start_ns, i, -1};
        steps->bounds[steps->bound_count++] = (step_bound){step->end_ns, i, 1};
    }
    if (steps->bound_count > 0) {
        qsort(steps->bounds, steps->bound_count, sizeof(*steps->bounds), compare_bounds);
    }
    return TACHO_OK;
}

void tacho_part_steps_deinit(tacho_part_steps *steps)
{
    free(steps->items);
    free(steps->marks);
    free(steps->windows);
    free(steps->bounds);
    *steps = (tacho_part_steps){.item_count = 0};
}

bool tacho_part_steps_next(tacho_part_steps *steps, int64_t now_ns, int64_t *out_ns,
                           uint32_t *out_step, int *out_sign)
{
    if (steps->bound_next == steps->bound_count || steps->bounds[steps->bound_next].ns > now_ns) {
        return false;
    }
    const step_bound *bound = &steps->bounds[steps->bound_next++];
    *out_ns = bound->ns;
    *out_step = bound->step;
    *out_sign = bound->sign;
    return true;
}

/* ---- a device ------------------------------------------------------------------------------ */

tacho_status tacho_device_steps_init(tacho_device_steps *device, const tacho_part_steps *steps)
{
    *device = (tacho_device_steps){.item_count = 0};
    TACHO_TRY(tacho_grow(&device->items, &device->item_capacity, steps->item_count));
    while (device->item_count < steps->item_count) {
        device->items[device->item_count++] = (tacho_device_step){.busy_ns = 0};
    }
    return TACHO_OK;
}

void tacho_device_steps_deinit(tacho_device_steps *device)
{
    free(device->items);
    *device = (tacho_device_steps){.item_count = 0};
}

int64_t tacho_kind_time_busy_until(const tacho_kind_time *time, int64_t ns)
{
    tacho_kind_time until = *time;
    tacho_kind_time_pass(&until, ns);
    return tacho_kind_time_sum(&until, ALL_KINDS, 0);
}

void tacho_device_steps_pass(tacho_device_steps *device, const tacho_device_time *time, int64_t ns,
                             uint32_t step, int sign, bool is_steady)
{
    tacho_kind_time until = time->busy;
    tacho_kind_time_pass(&until, ns);
    int64_t busy_ns = tacho_kind_time_sum(&until, ALL_KINDS, 0);
    device->items[step].busy_ns += sign * busy_ns;
    device->before_ns = step == 0 && sign < 0 ? busy_ns : device->before_ns;
    for (unsigned i = 0; i < TACHO_WORK_COMBINATIONS && is_steady; i++) {
        device->busy.sums[i] += sign * until.sums[i];
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Counts a piece of work in |step|, or takes it back. */
static void count_work(tacho_device_steps *device, const tacho_part_steps *steps, uint32_t step,
                       bool is_taken_back)
{
    uint64_t change = is_taken_back ? UINT64_MAX : 1; /* modulo 2^64 */
    if (step != TACHO_NONE) {
        device->items[step].work_count += change;
        device->work_count += tacho_step_is_steady(&steps->items[step]) ? change : 0;
    }
}

static void count_launch(tacho_device_steps *device, const tacho_part_steps *steps,
                         int64_t launch_ns)
{
    uint32_t step = tacho_step_spans_at(steps->marks, steps->item_count, launch_ns);
    count_work(device, steps, step, false);
    if (step != TACHO_NONE) {
        device->items[step].launch_count++;
        device->launch_count += tacho_step_is_steady(&steps->items[step]) ? 1 : 0;
    }
    if (!device->has_begun && (!device->has_launch || launch_ns < device->launch_ns)) {
        device->has_launch = true;
        device->launch_ns = launch_ns;
    }
}

void tacho_device_steps_add_launch(tacho_device_steps *device, const tacho_part_steps *steps,
                                   int64_t start_ns, int64_t launch_ns)
{
    uint32_t step = tacho_step_spans_at(steps->items, steps->item_count, start_ns);
    count_work(device, steps, step, true);
    count_launch(device, steps, launch_ns);
}

void tacho_device_steps_add(tacho_device_steps *device, const tacho_part_steps *steps,
                            const tacho_device_work *work)
{
    if (work->has_launch) {
        count_launch(device, steps, work->launch_ns);
    } else {
        uint32_t step = tacho_step_spans_at(steps->items, steps->item_count, work->start_ns);
        count_work(device, steps, step, false);
    }
}

/* ---- gaps ---------------------------------------------------------------------------------- */

/* Adds the part of a gap that is in |step|. */
static void add_gap(tacho_device_steps *device, const tacho_step_span *step,
                    const tacho_device_gap *gap)
{
    int64_t start_ns = gap->start_ns > step->start_ns ? gap->start_ns : step->start_ns;
    int64_t end_ns = gap->end_ns < step->end_ns ? gap->end_ns : step->end_ns;
    int64_t length_ns = end_ns - start_ns;
    if (!tacho_step_is_steady(step) || length_ns <= 0) {
        return;
    }
    tacho_idle_time *idle = &device->idle;
    bool is_long = (tacho_i128)gap->end_ns - gap->start_ns >= TACHO_LONG_GAP_NS;
    idle->causes[gap->cause] += length_ns;
    idle->long_late_ns += gap->cause == TACHO_IDLE_HOST_LATE && is_long ? length_ns : 0;
    idle->gap_count++;
    if (length_ns > idle->longest_ns) {
        idle->longest_ns = length_ns;
        idle->longest_start_ns = start_ns;
    }
}

/* Gaps arrive in order of time. */
static void divide_gap(tacho_device_steps *device, const tacho_part_steps *steps,
                       const tacho_device_gap *gap)
{
    while (device->at < steps->item_count && steps->items[device->at].end_ns <= gap->start_ns) {
        device->at++;
    }
    for (size_t i = device->at; i < steps->item_count && steps->items[i].start_ns < gap->end_ns;
         i++) {
        add_gap(device, &steps->items[i], gap);
    }
}

/* Before its first work a device waits for the launch of that work. */
static void divide_lead(tacho_device_steps *device, const tacho_part_steps *steps, int64_t first_ns)
{
    for (size_t i = 0; i < steps->item_count && steps->items[i].start_ns < first_ns; i++) {
        tacho_device_gap gap = {
            .start_ns = steps->items[i].start_ns, .end_ns = first_ns, .cause = TACHO_IDLE_UNKNOWN};
        if (device->has_launch) {
            gap.cause = device->launch_ns > gap.start_ns ? TACHO_IDLE_HOST_LATE : TACHO_IDLE_QUEUED;
        }
        add_gap(device, &steps->items[i], &gap);
    }
}

void tacho_device_steps_settle(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time)
{
    if (steps->has_overlap) {
        return;
    }
    if (!device->has_begun) {
        divide_lead(device, steps, time->first_ns);
        device->has_begun = true;
    }
    if (time->has_ended_gap) {
        divide_gap(device, steps, &time->ended_gap);
    }
}

void tacho_device_steps_finish(tacho_device_steps *device, const tacho_part_steps *steps,
                               const tacho_device_time *time)
{
    const tacho_device_gap rest = {
        .start_ns = time->end_ns, .end_ns = INT64_MAX, .cause = TACHO_IDLE_QUEUE_EMPTY};
    if (!steps->has_overlap) {
        divide_gap(device, steps, &rest);
    }
}

bool tacho_device_steps_are_enough(const tacho_device_steps *device, const tacho_part_steps *steps,
                                   const tacho_device_time *time)
{
    tacho_i128 busy_ns = 0;
    tacho_i128 all_ns = tacho_kind_time_sum(&time->busy, ALL_KINDS, 0);
    all_ns -= steps->has_leftover ? device->before_ns : 0;
    for (size_t i = 0; i < device->item_count; i++) {
        busy_ns += device->items[i].busy_ns;
    }
    return !steps->has_overlap && steps->steady_ns > 0 && 10 * busy_ns >= 9 * all_ns;
}
