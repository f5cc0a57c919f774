/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anchors on a line, exactly or nearly, and times converted by the line.
 */
#include "sources/tenstorrent/log_sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text_testing.h"

#define HEADER                                                                                     \
    "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,"        \
    "frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n"

static void read_text(tt_sync *sync, const char *text)
{
    char path[] = "/tmp/tacho_sync_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    assert_ok(tt_sync_read(sync, path));
    unlink(path);
}

/*
 * Host ticks of 2 ns from base 100; chip 4 runs at 1.25 GHz and is at 10000 at 200 ns. So a cycle
 * is 800 ps, and cycle 10125 is at 300 ns.
 */
static void test_line(void **state)
{
    (void)state;
    tt_sync sync;
    read_text(&sync, HEADER "    4,1,1,  10000,    0,0.0,  3,  200,0,1.25,   2.0,  100,1.0,0\n"
                            "    4,1,1,  11250,  500,0.0,  4,  200,0,1.25,   2.0,  100,1.0,0\n"
                            "    4,1,1,  12500, 1000,0.0,  2,  200,0,1.25,   2.0,  100,1.0,0\n"
                            "    5,1,1,  12500, 1000,0.0,  2,  200,0,1.25,   2.0,  100,1.0,0\n"
                            "    6,,,,,,,,,,,,0.99,12\n");
    assert_int_equal(sync.chip_count, 1);
    assert_int_equal(sync.bad_row_count, 1);
    const tt_chip_sync *chip = tt_sync_find(&sync, 4);
    assert_non_null(chip);
    assert_null(tt_sync_find(&sync, 5));
    assert_int_equal(chip->anchor_count, 3);
    assert_int_equal(tt_time_map_ticks(&chip->map, 10000), 200000);
    assert_int_equal(tt_time_map_ticks(&chip->map, 10125), 300000);
    assert_int_equal(tt_time_map_ticks(&chip->map, 9999), 199200);
    assert_int_equal(chip->error_ns, 8); /* writing took 4 ticks */
    tt_sync_deinit(&sync);
}

/* The middle anchor is 30 ns late: the line is 10 ns above the others and 20 below it. */
static void test_error(void **state)
{
    (void)state;
    tt_sync sync;
    read_text(&sync, HEADER "0,1,1,0,0,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,1000,1030,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,2000,2000,0,0,0,0,1,1.0,0,1.0,0\n");
    assert_int_equal(sync.chip_count, 1);
    assert_int_equal(sync.chips[0].error_ns, 20);
    assert_int_equal(tt_time_map_ticks(&sync.chips[0].map, 1000), 1010000);
    tt_sync_deinit(&sync);
}

/* Anchors that no clock could have. */
static void test_no_line(void **state)
{
    (void)state;
    tt_sync sync;
    read_text(&sync,
              HEADER "0,1,1,500,0,0,0,0,0,1,1.0,0,1.0,0\n0,1,1,500,10,0,0,0,0,1,1.0,0,1.0,0\n"
                     "1,1,1,500,90,0,0,0,0,1,1.0,0,1.0,0\n1,1,1,600,10,0,0,0,0,1,1.0,0,1.0,0\n"
                     "2,1,1,x,90,0,0,0,0,1,1.0,0,1.0,0\nshort\n");
    assert_int_equal(sync.chip_count, 0);
    assert_int_equal(sync.bad_row_count, 2);
    tt_sync_deinit(&sync);
}

/* Times outside of any clock's range, and chips with impossible numbers, are not anchors. */
static void test_extremes(void **state)
{
    (void)state;
    tt_sync sync;
    read_text(&sync, HEADER "0,1,1,1e300,0,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,0,1e300,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,0,0,0,1e300,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,-1,0,0,0,0,0,1,1.0,0,1.0,0\n"
                            "9999999,1,1,0,0,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,0,0,0,0,0,0,1,1.0,0,1.0,0\n"
                            "0,1,1,1000,900000,0,0,0,0,1,1.0,0,1.0,0\n");
    assert_int_equal(sync.bad_row_count, 5);
    assert_int_equal(sync.chip_count, 1);
    assert_int_equal(tt_time_map_ticks(&sync.chips[0].map, 1000), 900000000);
    assert_int_equal(tt_time_map_ticks(&sync.chips[0].map, INT64_MAX), INT64_MAX);
    tt_sync_deinit(&sync);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_no_line),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
