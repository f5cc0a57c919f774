/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How work, launches and gaps of a device are divided over steps, of which the first is warm-up.
 */
#include "questions/breakdown/breakdown_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS = 3 };

/* Steps of 100 ns from 0, the first of them warm-up. */
typedef struct fixture {
    tacho_step_span found[STEPS];
    tacho_part_steps steps;
    tacho_device_steps device;
    tacho_device_time time;
} fixture;

static void setup_of(fixture *self, int64_t length)
{
    *self = (fixture){.time = {.has_ended_gap = false}};
    for (int64_t i = 0; i < STEPS; i++) {
        self->found[i] = (tacho_step_span){
            .start_ns = length * i, .end_ns = length * (i + 1), .number = i, .is_warm_up = i == 0};
    }
    const tacho_steps found = {.items = self->found, .item_count = STEPS, .warm_up_count = 1};
    tacho_step_windows windows = {.items = NULL};
    assert_null(tacho_step_windows_begin(&windows, &found, 0));
    assert_null(tacho_part_steps_init(&self->steps, &found, &windows));
    tacho_step_windows_deinit(&windows);
    assert_null(tacho_device_steps_init(&self->device, &self->steps));
}

static void setup(fixture *self)
{
    setup_of(self, 100);
}

static void teardown(fixture *self)
{
    tacho_device_steps_deinit(&self->device);
    tacho_part_steps_deinit(&self->steps);
}

static void add_gap(fixture *self, int64_t start_ns, int64_t end_ns, tacho_idle_cause cause)
{
    self->time.has_ended_gap = true;
    self->time.ended_gap =
        (tacho_device_gap){.start_ns = start_ns, .end_ns = end_ns, .cause = cause};
    tacho_device_steps_settle(&self->device, &self->steps, &self->time);
}

/* Nine tenths of the work in steps are enough, a little less is not. */
static void test_nine_tenths_of_the_work_are_enough(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.time.busy.sums[1] = 1000;
    self.device.items[0].busy_ns = 400;
    self.device.items[2].busy_ns = 500;
    assert_true(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    self.device.items[2].busy_ns = 499;
    assert_false(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    self.device.items[2].busy_ns = 600;
    self.steps.has_overlap = true;
    assert_false(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    self.steps.has_overlap = false;
    self.device.items[2].busy_ns = 499;
    self.device.before_ns = 1; /* from before the recording */
    self.steps.has_leftover = true;
    assert_false(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    self.device.before_ns = 2;
    assert_true(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    self.steps.steady_ns = 0; /* all are warm-up */
    assert_false(tacho_device_steps_are_enough(&self.device, &self.steps, &self.time));
    teardown(&self);
}

/* A gap over two steps counts as one in each; a gap in warm-up, or that only touches a step, does
 * not count. */
static void test_gaps_are_divided_over_steps(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    const tacho_idle_time *idle = &self.device.idle;
    assert_int_equal(self.steps.steady_ns, 200);
    add_gap(&self, 20, 100, TACHO_IDLE_QUEUED);
    assert_int_equal(idle->gap_count, 0);
    add_gap(&self, 160, 230, TACHO_IDLE_QUEUED);
    assert_int_equal(idle->gap_count, 2);
    assert_int_equal(idle->causes[TACHO_IDLE_QUEUED], 70);
    assert_int_equal(idle->longest_ns, 40);
    assert_int_equal(idle->longest_start_ns, 160);
    add_gap(&self, 250, 290, TACHO_IDLE_DEPENDENCY); /* equally long: the first stays */
    assert_int_equal(idle->longest_start_ns, 160);
    self.time.end_ns = 295;
    tacho_device_steps_finish(&self.device, &self.steps, &self.time);
    assert_int_equal(idle->causes[TACHO_IDLE_QUEUE_EMPTY], 5);
    assert_int_equal(idle->gap_count, 4);
    teardown(&self);
}

/* Before its first work at 130 a device waits for the launch, if that was after the step began. */
static void test_the_lead_waits_for_the_first_launch(void **state)
{
    (void)state;
    static const struct {
        bool has_launch;
        int64_t launch_ns;
        tacho_idle_cause cause;
    } cases[] = {{true, 101, TACHO_IDLE_HOST_LATE},
                 {true, 100, TACHO_IDLE_QUEUED},
                 {false, 0, TACHO_IDLE_UNKNOWN}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture self;
        setup(&self);
        const tacho_device_work work = {.start_ns = 130,
                                        .end_ns = 140,
                                        .has_launch = cases[i].has_launch,
                                        .launch_ns = cases[i].launch_ns};
        tacho_device_steps_add(&self.device, &self.steps, &work);
        self.time.first_ns = 130;
        tacho_device_steps_settle(&self.device, &self.steps, &self.time);
        tacho_device_steps_settle(&self.device, &self.steps, &self.time); /* only once */
        assert_int_equal(self.device.idle.causes[cases[i].cause], 30);
        assert_int_equal(self.device.idle.gap_count, 1);
        teardown(&self);
    }
}

/* A gap of 1 ms is long, as a whole: also where a step holds only a part of it. */
static void test_late_gaps_are_long_from_a_millisecond(void **state)
{
    (void)state;
    fixture self;
    setup_of(&self, 10 * TACHO_LONG_GAP_NS);
    const int64_t first = 10 * TACHO_LONG_GAP_NS, second = 2 * first;
    add_gap(&self, first, first + TACHO_LONG_GAP_NS - 1, TACHO_IDLE_HOST_LATE);
    assert_int_equal(self.device.idle.long_late_ns, 0);
    add_gap(&self, second - 10, second + TACHO_LONG_GAP_NS - 10, TACHO_IDLE_HOST_LATE);
    assert_int_equal(self.device.idle.long_late_ns, TACHO_LONG_GAP_NS);
    add_gap(&self, second + 2 * TACHO_LONG_GAP_NS, second + 4 * TACHO_LONG_GAP_NS,
            TACHO_IDLE_QUEUED);
    assert_int_equal(self.device.idle.long_late_ns, TACHO_LONG_GAP_NS);
    teardown(&self);
}

/* Work counts in the step that launched it or, without a launch, in the step in which it starts. */
static void test_work_and_launches_count_in_their_steps(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    const tacho_device_work works[] = {
        {.start_ns = 50, .end_ns = 60, .has_launch = true, .launch_ns = 40},
        {.start_ns = 100, .end_ns = 110, .has_launch = true, .launch_ns = 99},
        {.start_ns = 210, .end_ns = 220, .has_launch = true, .launch_ns = 199},
        {.start_ns = 230, .end_ns = 240},
        {.start_ns = 250, .end_ns = 260, .has_launch = true, .launch_ns = 245},
        {.start_ns = 300, .end_ns = 310, .has_launch = true, .launch_ns = 299}, /* after all */
    };
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        tacho_device_steps_add(&self.device, &self.steps, &works[i]);
    }
    const tacho_device_step *items = self.device.items;
    assert_int_equal(items[0].work_count, 2);
    assert_int_equal(items[1].work_count, 1);
    assert_int_equal(items[2].work_count, 3);
    assert_int_equal(items[0].launch_count, 2);
    assert_int_equal(items[1].launch_count, 1);
    assert_int_equal(items[2].launch_count, 2);
    assert_int_equal(self.device.work_count, 4);
    assert_int_equal(self.device.launch_count, 3);
    teardown(&self);
}

/* The launch of work may be known only after the work. */
static void test_late_launches_move_work_to_their_steps(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    const tacho_device_work work = {.start_ns = 210, .end_ns = 220};
    tacho_device_steps_add(&self.device, &self.steps, &work);
    assert_int_equal(self.device.items[2].work_count, 1);
    tacho_device_steps_add_launch(&self.device, &self.steps, 210, 199);
    assert_int_equal(self.device.items[2].work_count, 0);
    assert_int_equal(self.device.items[1].work_count, 1);
    assert_int_equal(self.device.items[1].launch_count, 1);
    assert_int_equal(self.device.work_count, 1);
    tacho_device_steps_add(&self.device, &self.steps, &work);
    tacho_device_steps_add_launch(&self.device, &self.steps, 210, 99); /* warm-up */
    assert_int_equal(self.device.work_count, 1);
    assert_int_equal(self.device.launch_count, 1);
    teardown(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nine_tenths_of_the_work_are_enough),
        cmocka_unit_test(test_gaps_are_divided_over_steps),
        cmocka_unit_test(test_the_lead_waits_for_the_first_launch),
        cmocka_unit_test(test_late_gaps_are_long_from_a_millisecond),
        cmocka_unit_test(test_work_and_launches_count_in_their_steps),
        cmocka_unit_test(test_late_launches_move_work_to_their_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
