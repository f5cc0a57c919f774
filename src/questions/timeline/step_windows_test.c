/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When devices do the work of steps: in time, late, ahead, from before the recording, and at
 * random.
 */
#include "questions/timeline/step_windows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { STEPS = 3, STREAMS = 3, NO_LAUNCH = -1 };

/* Steps of 100 ns from 0, as the host marks them. */
typedef struct fixture {
    tacho_step_span found[STEPS];
    tacho_steps steps;
    tacho_step_windows windows;
} fixture;

static void setup(fixture *self)
{
    *self = (fixture){.steps = {.item_count = STEPS, .is_of_host = true}};
    for (int64_t i = 0; i < STEPS; i++) {
        self->found[i] = (tacho_step_span){
            .start_ns = 100 * i, .end_ns = 100 * (i + 1), .number = i, .name = 7 + (uint32_t)i};
    }
    self->steps.items = self->found;
    assert_null(tacho_step_windows_begin(&self->windows, &self->steps, STREAMS));
}

static void teardown(fixture *self)
{
    tacho_step_windows_deinit(&self->windows);
}

static void add(fixture *self, uint32_t stream, int64_t launch_ns, int64_t start_ns, int64_t end_ns)
{
    tacho_step_windows_add(&self->windows, stream, start_ns, end_ns);
    if (launch_ns != NO_LAUNCH) {
        tacho_step_windows_add_launch(&self->windows, &self->steps, stream, launch_ns);
    }
}

static void finish(fixture *self)
{
    assert_null(tacho_step_windows_finish(&self->windows, &self->steps));
}

static void check(const fixture *self, size_t step, int64_t start_ns, int64_t end_ns)
{
    assert_int_equal(self->windows.items[step].start_ns, start_ns);
    assert_int_equal(self->windows.items[step].end_ns, end_ns);
}

static void test_work_in_time_leaves_the_marks(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    add(&self, 0, 10, 20, 90);
    add(&self, 0, 110, 120, 190);
    finish(&self);
    for (size_t i = 0; i < STEPS; i++) {
        check(&self, i, 100 * (int64_t)i, 100 * (int64_t)(i + 1));
    }
    assert_true(self.windows.items[1].has_work);
    assert_int_equal(self.windows.items[1].first_ns, 120);
    assert_int_equal(self.windows.items[1].last_ns, 190);
    assert_false(self.windows.items[2].has_work);
    teardown(&self);
}

/* The host is ahead by more and more: a step begins when the previous step's work ends. */
static void test_late_work_moves_steps(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    add(&self, 0, 10, 20, 150);
    add(&self, 0, 110, 151, 300);
    add(&self, 0, 210, 301, 450);
    finish(&self);
    check(&self, 0, 0, 150);
    check(&self, 1, 150, 300);
    check(&self, 2, 300, 450);
    assert_int_equal(tacho_step_windows_at(&self.windows, 299), 1);
    assert_int_equal(tacho_step_windows_at(&self.windows, 300), 2);
    assert_int_equal(tacho_step_windows_at(&self.windows, 450), TACHO_NONE);
    assert_int_equal(tacho_step_windows_after(&self.windows, 149), 0);
    assert_int_equal(tacho_step_windows_after(&self.windows, 150), 1);
    assert_int_equal(tacho_step_windows_after(&self.windows, 450), STEPS);
    teardown(&self);
}

/* A copy of the next step that runs early does not move the bound; its time counts for both. */
static void test_early_work_is_cut(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    add(&self, 0, 10, 20, 150);
    add(&self, 1, 105, 110, 140);
    add(&self, 0, 110, 150, 190);
    finish(&self);
    check(&self, 0, 0, 150);
    check(&self, 1, 150, 200);
    assert_int_equal(self.windows.items[1].first_ns, 150);
    teardown(&self);
}

/* Work that outlasts all of the next step's, by as much as it takes. */
static void test_work_that_outlasts_the_next_step_is_cut(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    add(&self, 0, 10, 20, 90);
    add(&self, 1, 15, 30, 189);
    add(&self, 0, 110, 120, 190);
    finish(&self);
    check(&self, 0, 0, 189);
    check(&self, 1, 189, 200);
    teardown(&self);
    setup(&self);
    add(&self, 0, 10, 20, 90);
    add(&self, 1, 15, 30, 190);
    add(&self, 0, 110, 120, 190);
    finish(&self);
    check(&self, 0, 0, 120);
    check(&self, 1, 120, 200);
    teardown(&self);
}

/* The first work of a stream without a launch is from before the recording if it precedes the first
 * launch, but not after it.
 */
static void test_work_from_before_is_of_no_step(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    add(&self, 0, NO_LAUNCH, 9, 30);
    add(&self, 0, NO_LAUNCH, 30, 60);
    add(&self, 0, 10, 60, 90);
    finish(&self);
    assert_true(self.windows.has_leftover);
    check(&self, 0, 60, 100);
    teardown(&self);
    setup(&self);
    add(&self, 0, NO_LAUNCH, 10, 30);
    add(&self, 0, 10, 60, 90);
    finish(&self);
    assert_false(self.windows.has_leftover);
    check(&self, 0, 0, 100);
    teardown(&self);
    for (int64_t other_count = 1; other_count < 3; other_count++) { /* of 9 or 8 launches */
        setup(&self);
        add(&self, 0, NO_LAUNCH, 9, 60);
        for (int64_t i = 0; i < 10; i++) {
            add(&self, 0, i + other_count < 10 ? 10 + i : NO_LAUNCH, 60 + i, 61 + i);
        }
        finish(&self);
        assert_int_equal(self.windows.has_leftover, other_count == 1);
        check(&self, 0, other_count == 1 ? 60 : 0, 100);
        teardown(&self);
    }
}

/* Work launched between steps, or before the first, does not belong to a step, and the next one
 * waits for it. */
static void test_work_between_steps_is_waited_for(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.found[0].end_ns = 80;
    assert_null(tacho_step_windows_begin(&self.windows, &self.steps, STREAMS));
    add(&self, 0, 10, 20, 85);
    add(&self, 0, 90, 95, 130);
    add(&self, 0, 110, 130, 190);
    finish(&self);
    check(&self, 0, 0, 85);
    check(&self, 1, 130, 200);
    teardown(&self);
}

/* Ranges of the device with the names of steps are used if no launch is known. */
static void test_ranges_of_the_device_tell_where_launches_do_not(void **state)
{
    (void)state;
    for (int has_launch = 0; has_launch < 2; has_launch++) {
        fixture self;
        setup(&self);
        tacho_step_windows_add_echo(&self.windows, &self.steps, 8, 180, 260);
        tacho_step_windows_add_echo(&self.windows, &self.steps, 7, 90, 180);
        tacho_step_windows_add_echo(&self.windows, &self.steps, 99, 0, 1000);
        if (has_launch != 0) {
            add(&self, 0, 10, 20, 110);
        }
        finish(&self);
        check(&self, 0, 0, has_launch != 0 ? 110 : 180);
        check(&self, 1, has_launch != 0 ? 110 : 180, has_launch != 0 ? 200 : 260);
        teardown(&self);
    }
}

/* Steps marked by a device are unchanged, and so are overlapping runs. */
static void test_other_steps_stay_as_they_are(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.steps.is_of_host = false;
    add(&self, 0, 10, 20, 150);
    finish(&self);
    check(&self, 0, 0, 100);
    teardown(&self);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Streams that run their work in order: windows are in order, and within the recording. */
static void test_windows_never_overlap(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (size_t round = 0; round < 20000; round++) {
        fixture self;
        int64_t free_ns[STREAMS] = {0};
        int64_t last_ns = 100 * STEPS;
        setup(&self);
        uint64_t longest = 1 + next_random(&random) % 120;
        for (int64_t launch_ns = 0; launch_ns < 100 * STEPS;
             launch_ns += 1 + (int64_t)(next_random(&random) % 40)) {
            uint32_t stream = (uint32_t)(next_random(&random) % STREAMS);
            int64_t start_ns = launch_ns > free_ns[stream] ? launch_ns : free_ns[stream];
            free_ns[stream] = start_ns + (int64_t)(next_random(&random) % longest);
            add(&self, stream, next_random(&random) % 9 == 0 ? NO_LAUNCH : launch_ns, start_ns,
                free_ns[stream]);
            last_ns = free_ns[stream] > last_ns ? free_ns[stream] : last_ns;
        }
        finish(&self);
        int64_t end_ns = 0;
        for (size_t i = 0; i < STEPS; i++) {
            const tacho_step_window *window = &self.windows.items[i];
            assert_true(window->start_ns >= end_ns && window->end_ns >= window->start_ns);
            assert_true(!window->has_work || (window->first_ns >= window->start_ns &&
                                              window->last_ns <= window->end_ns));
            end_ns = window->end_ns;
        }
        assert_true(end_ns <= last_ns);
        teardown(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_in_time_leaves_the_marks),
        cmocka_unit_test(test_late_work_moves_steps),
        cmocka_unit_test(test_early_work_is_cut),
        cmocka_unit_test(test_work_that_outlasts_the_next_step_is_cut),
        cmocka_unit_test(test_work_from_before_is_of_no_step),
        cmocka_unit_test(test_work_between_steps_is_waited_for),
        cmocka_unit_test(test_ranges_of_the_device_tell_where_launches_do_not),
        cmocka_unit_test(test_other_steps_stay_as_they_are),
        cmocka_unit_test(test_windows_never_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
