/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times and causes of gaps worked out on paper; launches that the window finds and forgets.
 */
#include "questions/breakdown/device_time.h"
#include "questions/timeline/launch_window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    NOT_LAUNCHED = -1,
    GEMM = TACHO_WORK_COMPUTE,
    ALL_REDUCE = TACHO_WORK_COMMUNICATION,
    COPY = TACHO_WORK_COPY
};

#define KIND(name) (1U << TACHO_WORK_##name)

static void add(tacho_device_time *device, uint32_t stream, const int64_t when[3], int kind)
{
    const tacho_device_work work = {.start_ns = when[0],
                                    .end_ns = when[1],
                                    .kind = (tacho_work_kind)kind,
                                    .has_launch = when[2] != NOT_LAUNCHED,
                                    .launch_ns = when[2]};
    assert_null(tacho_device_time_add(device, stream, &work));
}

/* Adds work that starts alone. */
static void add_alone(tacho_device_time *device, uint32_t stream, const int64_t when[3], int kind)
{
    add(device, stream, when, kind);
    assert_null(tacho_device_time_settle(device));
}

#define AT(start, end, launch) ((const int64_t[]){start, end, launch})

static tacho_device_time with_streams(unsigned count)
{
    tacho_device_time device = {.has_begun = false};
    for (unsigned i = 0; i < count; i++) {
        assert_null(tacho_device_time_add_stream(&device));
    }
    return device;
}

static void check_idle(const tacho_idle_time *idle, const int64_t causes[TACHO_IDLE_CAUSE_COUNT])
{
    for (unsigned i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        assert_int_equal(idle->causes[i], causes[i]);
    }
}

#define CAUSES(...) ((const int64_t[]){__VA_ARGS__})

/* Compute 0-10 20-30, all-reduce 5-15 and 28-40, a copy 12-14 and 38-45. */
static void test_kinds(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(3);
    add_alone(&device, 0, AT(0, 10, 0), GEMM);
    add_alone(&device, 1, AT(5, 15, 0), ALL_REDUCE);
    add_alone(&device, 2, AT(12, 14, 0), COPY);
    add_alone(&device, 0, AT(20, 30, 0), GEMM);
    add_alone(&device, 1, AT(28, 40, 0), ALL_REDUCE);
    add_alone(&device, 2, AT(38, 45, 0), COPY);
    assert_null(tacho_device_time_finish(&device));
    const tacho_kind_time *busy = &device.busy;
    assert_int_equal(tacho_device_time_span(&device), 45);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMPUTE), 0), 20);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMMUNICATION), 0), 22);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMMUNICATION), KIND(COMPUTE)), 15);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COPY), KIND(COMPUTE) | KIND(COMMUNICATION)), 5);
    assert_int_equal(tacho_idle_time_sum(&device.idle), 5);
    check_idle(&device.idle, CAUSES(0, 0, 0, 5, 0));
    tacho_device_time_deinit(&device);
}

static void add_container(tacho_device_time *device, uint32_t stream, int64_t start_ns,
                          int64_t end_ns, int kind)
{
    const tacho_device_work work = {
        .start_ns = start_ns, .end_ns = end_ns, .kind = (tacho_work_kind)kind};
    assert_null(tacho_device_time_add(device, stream, &work));
    assert_null(tacho_device_time_settle(device));
}

/* A loop 0-100 with a copy 20-40, which waits for an all-reduce 25-30, and a kernel 50-60. */
static void test_innermost(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(2);
    add_container(&device, 0, 0, 100, GEMM);
    add_container(&device, 0, 20, 40, COPY);
    add_container(&device, 0, 25, 30, ALL_REDUCE);
    add_container(&device, 1, 28, 35, GEMM); /* of another stream: side by side */
    add_container(&device, 0, 50, 60, GEMM);
    assert_null(tacho_device_time_finish(&device));
    const tacho_kind_time *busy = &device.busy;
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMPUTE), 0), 80 + 7);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMMUNICATION), 0), 5);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMMUNICATION), KIND(COMPUTE)), 3);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COPY), 0), 15);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COPY), KIND(COMPUTE)), 10);
    assert_int_equal(tacho_idle_time_sum(&device.idle), 0);
    busy = &device.streams[0].busy;
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COMPUTE), 0), 80);
    assert_int_equal(tacho_kind_time_sum(busy, KIND(COPY), 0), 15);
    tacho_device_time_deinit(&device);
}

/* Spans that overlap without nesting, and kernels that a driver reports, run concurrently. */
static void test_side_by_side(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(2);
    add_container(&device, 0, 0, 10, GEMM);
    add_container(&device, 0, 5, 15, COPY);
    add_container(&device, 0, 20, 30, GEMM);
    add_container(&device, 0, 20, 30, COPY);
    const tacho_device_work kernel = {
        .start_ns = 40, .end_ns = 60, .kind = TACHO_WORK_COMPUTE, .is_whole = true};
    const tacho_device_work copy = {
        .start_ns = 45, .end_ns = 50, .kind = TACHO_WORK_COPY, .is_whole = true};
    assert_null(tacho_device_time_add(&device, 1, &kernel));
    assert_null(tacho_device_time_settle(&device));
    assert_null(tacho_device_time_add(&device, 1, &copy));
    assert_null(tacho_device_time_finish(&device));
    assert_int_equal(tacho_kind_time_sum(&device.busy, KIND(COMPUTE), 0), 10 + 10 + 20);
    assert_int_equal(tacho_kind_time_sum(&device.busy, KIND(COPY), 0), 10 + 10 + 5);
    assert_int_equal(tacho_kind_time_sum(&device.busy, KIND(COPY), KIND(COMPUTE)), 5);
    tacho_device_time_deinit(&device);
}

/* A launch in the very moment in which the device becomes free is not late; one after it is. */
static void test_causes_of_a_device(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(1);
    add_alone(&device, 0, AT(0, 10, 0), GEMM);
    add_alone(&device, 0, AT(13, 20, 10), GEMM);           /* 3 queued */
    add_alone(&device, 0, AT(25, 30, 21), GEMM);           /* 5 host late */
    add_alone(&device, 0, AT(37, 40, NOT_LAUNCHED), GEMM); /* 7 unknown */
    add_alone(&device, 0, AT(40, 50, 45), GEMM);           /* no gap */
    add(&device, 0, AT(61, 61, NOT_LAUNCHED), GEMM);
    const tacho_device_work late = {.has_launch = true, .launch_ns = 55};
    tacho_device_time_add_launch(&device, 0, &late); /* 11 host late, as it turns out */
    assert_null(tacho_device_time_finish(&device));
    check_idle(&device.idle, CAUSES(16, 0, 0, 3, 7));
    check_idle(&device.streams[0].idle, CAUSES(16, 0, 0, 3, 7));
    assert_int_equal(device.idle.gap_count, 4);
    assert_int_equal(device.idle.longest_ns, 11);
    tacho_device_time_deinit(&device);
}

/*
 * Stream 0 works 0-10 and 30-60, stream 1 works 20-40 and 50-55. Stream 1's second is launched at
 * 44: its queue is empty 40-44, and it waits for stream 0 from 44 on.
 */
static void test_causes_of_streams(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(2);
    add_alone(&device, 0, AT(0, 10, 0), GEMM);
    add_alone(&device, 1, AT(20, 40, 12), ALL_REDUCE);
    add_alone(&device, 0, AT(30, 60, 5), GEMM);
    add_alone(&device, 1, AT(50, 55, 44), ALL_REDUCE);
    assert_null(tacho_device_time_finish(&device));
    check_idle(&device.idle, CAUSES(10, 0, 0, 0, 0));
    /* 10-20 as the device; 20-30 launched at 5, stream 1 works */
    check_idle(&device.streams[0].idle, CAUSES(10, 10, 0, 0, 0));
    /* 0-10 not launched while stream 0 works, 10-20 as the device, 40-44, 44-50, 55-60 its end */
    check_idle(&device.streams[1].idle, CAUSES(10, 6, 10 + 4 + 5, 0, 0));
    tacho_device_time_deinit(&device);
}

/* Of two that end a gap together, the first launched counts. */
static void test_start_together(void **state)
{
    (void)state;
    tacho_device_time device = with_streams(2);
    add_alone(&device, 0, AT(0, 10, 0), GEMM);
    add(&device, 0, AT(20, 30, 15), GEMM);
    add(&device, 1, AT(20, 25, 9), COPY);
    assert_null(tacho_device_time_finish(&device));
    check_idle(&device.idle, CAUSES(0, 0, 0, 10, 0));
    tacho_device_time_deinit(&device);
}

/* More gaps than are remembered: sums stay exact, and the latest gaps are still known. */
static void test_many_gaps(void **state)
{
    (void)state;
    const int64_t count = 200000;
    tacho_device_time device = with_streams(2);
    add_alone(&device, 1, AT(0, 1, 0), COPY);
    for (int64_t i = 0; i < count; i++) {
        add_alone(&device, 0, AT(10 * i + 1, 10 * i + 5, 10 * i), GEMM);
    }
    /* Launched in the middle of the last piece of work but one, 7 before its end. */
    int64_t last = 10 * (count - 1) + 1;
    add_alone(&device, 1, AT(last + 2, last + 6, last - 8), COPY);
    assert_null(tacho_device_time_finish(&device));
    assert_int_equal(tacho_idle_time_sum(&device.idle), 6 * (count - 1));
    const tacho_idle_time *idle = &device.streams[1].idle;
    assert_int_equal(tacho_idle_time_sum(idle), last + 2 - 1);
    assert_int_equal(idle->causes[TACHO_IDLE_DEPENDENCY], 2 + 2);
    tacho_device_time_deinit(&device);
}

static void test_window(void **state)
{
    (void)state;
    tacho_launch_window window = {0};
    tacho_launch found;
    assert_false(tacho_launch_window_take(&window, 1, &found));
    const uint64_t many = 1000000;
    for (uint64_t id = 1; id <= many; id++) {
        const tacho_launch launch = {.id = id, .start_ns = (int64_t)id * 2};
        assert_null(tacho_launch_window_add(&window, &launch));
    }
    assert_false(tacho_launch_window_take(&window, 1, &found));
    for (uint64_t id = many - 10000; id <= many; id++) {
        assert_true(tacho_launch_window_take(&window, id, &found));
        assert_int_equal(found.start_ns, id * 2);
        assert_false(tacho_launch_window_take(&window, id, &found));
    }
    tacho_launch_window_clear(&window);
    assert_false(tacho_launch_window_find(&window, many - 20000, &found));
    tacho_launch_window_deinit(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_innermost),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_causes_of_a_device),
        cmocka_unit_test(test_causes_of_streams),
        cmocka_unit_test(test_start_together),
        cmocka_unit_test(test_many_gaps),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
