/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anchors: clocks that are set are noticed, clocks that drift or are read badly are not.
 */
#include "capture/anchor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_reading_is_close(void **state)
{
    (void)state;
    tacho_anchor first = tacho_anchor_take();
    tacho_anchor second = tacho_anchor_take();
    assert_true(first.error_ns >= 0 && second.monotonic_ns >= first.monotonic_ns);
    assert_int_equal(tacho_anchor_step(&first, &second), 0);
}

static void a_clock_that_is_set_is_noticed(void **state)
{
    (void)state;
    const tacho_anchor before = {.monotonic_ns = 1000, .realtime_ns = 5000000000, .error_ns = 100};
    tacho_anchor after = before;
    after.monotonic_ns += 250000000;
    after.realtime_ns += 250000000;
    assert_int_equal(tacho_anchor_step(&before, &after), 0);
    after.realtime_ns += 125000; /* the most that slewing does in this time */
    assert_int_equal(tacho_anchor_step(&before, &after), 0);
    after.realtime_ns += 1000000000;
    assert_int_equal(tacho_anchor_step(&before, &after), 1000125000);
    after.realtime_ns -= 2000000000;
    assert_int_equal(tacho_anchor_step(&before, &after), -999875000);
    after.error_ns = 3000000000; /* the readings were too far apart for an answer */
    assert_int_equal(tacho_anchor_step(&before, &after), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_is_close),
        cmocka_unit_test(a_clock_that_is_set_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
