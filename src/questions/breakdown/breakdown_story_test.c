/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of work, waits of the host, and gaps that repeat or happen once: each just so, and with
 * one thing changed.
 */
#include "questions/breakdown/breakdown_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const tacho_kernel_traits product = {.kind = TACHO_KERNEL_PRODUCT, .is_half = true};
static const tacho_kernel_traits softmax = {.kind = TACHO_KERNEL_SOFTMAX};
static const tacho_kernel_traits element = {.kind = TACHO_KERNEL_ELEMENTWISE};
static const tacho_kernel_traits norm = {.kind = TACHO_KERNEL_NORM, .is_f32 = true};
static const tacho_kernel_traits cast = {.kind = TACHO_KERNEL_COPY};

typedef struct fixture {
    tacho_device_story story;
    tacho_host_story host;
    tacho_part_steps steps; /* none */
    int64_t now;
} fixture;

static void setup(fixture *at)
{
    *at = (fixture){.story.gap_limit = TACHO_GAPS_KEPT};
}

static void teardown(fixture *at)
{
    tacho_device_story_deinit(&at->story);
    tacho_host_story_deinit(&at->host);
}

static tacho_pattern_sum sum_of(const fixture *at, tacho_pattern pattern)
{
    return at->story.all.sums[pattern];
}

/* Work of |ns| that calls with |bits| launched. */
static void add(fixture *at, const tacho_kernel_traits *traits, int64_t ns, unsigned bits)
{
    const tacho_pattern_work work = {
        .start_ns = at->now, .ns = ns, .site = 1, .traits = traits, .calls = {2, bits}};
    assert_null(tacho_device_story_add(&at->story, 0, &at->steps, &work, at->now));
    at->now += ns;
}

/* A chain saves all but its longest piece. */
static void test_chain(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add(&at, &element, 10, 0);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_CHAIN).count, 0);
    add(&at, &element, 30, 0);
    add(&at, &cast, 20, 0);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_CHAIN).count, 2);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_CHAIN).ns, 30);
    add(&at, &product, 100, 0); /* ends it */
    add(&at, &element, 10, 0);
    add(&at, &element, 10, TACHO_CALL_OPTIMIZER); /* has a rule of its own */
    assert_int_equal(sum_of(&at, TACHO_PATTERN_CHAIN).count, 2);
    teardown(&at);
}

/* A product of batches, softmax, a product of batches; |middle| and |calls| may spoil it. */
static uint64_t count_attention(const tacho_kernel_traits *middle, unsigned calls)
{
    fixture at;
    setup(&at);
    add(&at, &product, 100, TACHO_CALL_PRODUCT);
    add(&at, &element, 10, 0);
    add(&at, middle, 20, 0);
    add(&at, &product, 100, calls);
    const tacho_pattern_sum sum = sum_of(&at, TACHO_PATTERN_ATTENTION);
    assert_int_equal(sum.ns, sum.count > 0 ? 30 : 0);
    teardown(&at);
    return sum.count;
}

static void test_attention(void **state)
{
    (void)state;
    assert_int_equal(count_attention(&softmax, TACHO_CALL_PRODUCT), 2);
    assert_int_equal(count_attention(&softmax, 0), 0); /* a loss: the next product is no batch */
    assert_int_equal(count_attention(&element, TACHO_CALL_PRODUCT), 0);
    assert_int_equal(count_attention(&norm, TACHO_CALL_PRODUCT), 0);
}

/* Eight pieces of work before a backward pass are a forward pass, seven are not. */
static void test_passes(void **state)
{
    (void)state;
    for (int forward = 7; forward <= 8; forward++) {
        fixture at;
        setup(&at);
        for (int pass = 0; pass < 3; pass++) {
            for (int i = 0; i < forward; i++) {
                add(&at, &product, 10, 0);
            }
            add(&at, &product, 10, TACHO_CALL_BACKWARD);
            add(&at, &element, 10, TACHO_CALL_OPTIMIZER); /* neither */
            add(&at, &product, 10, TACHO_CALL_BACKWARD);
        }
        assert_int_equal(sum_of(&at, TACHO_PATTERN_PASS).count, forward == 8 ? 3 : 0);
        teardown(&at);
    }
}

static void test_single_pieces(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add(&at, &cast, TACHO_SMALL_NS, TACHO_CALL_CAST);
    add(&at, &cast, TACHO_SMALL_NS - 1, 0); /* a copy, not of another type */
    add(&at, &norm, 6000, TACHO_CALL_OPTIMIZER);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_CAST).ns, TACHO_SMALL_NS);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_SMALL).count, 1);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_F32_NORM).ns, 6000);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_OPTIMIZER).count, 1);
    assert_int_equal(at.story.all.op_count, 1);
    assert_int_equal(at.story.all.ops[0].count, 3);
    teardown(&at);
}

/* ---- waits --------------------------------------------------------------------------------- */

static void call(fixture *at, int64_t start_ns, int64_t end_ns, unsigned bits)
{
    const tacho_row row = {.track = 3};
    const tacho_timeline_span span = {.row = &row, .start_ns = start_ns, .end_ns = end_ns};
    tacho_host_story_add(&at->host, &at->steps, &span, bits);
}

static void wait_in_gap(fixture *at, int64_t start_ns, int64_t end_ns)
{
    const tacho_device_gap gap = {
        .start_ns = start_ns, .end_ns = end_ns, .cause = TACHO_IDLE_HOST_LATE, .launch_track = 3};
    tacho_device_story_add_wait(&at->story, &at->host, &at->steps, &gap);
}

/* A call for a value from 1000 to 2000 ns, with a wait inside, after kernels until 900 ns; its copy
 * ends at 1500, and the next kernel starts at 3000. */
static void test_value(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add(&at, &product, 900, 0);
    tacho_device_story_settle(&at.story);
    call(&at, 1000, 2000, TACHO_CALL_VALUE);
    call(&at, 1200, 1900, TACHO_CALL_WAIT);
    wait_in_gap(&at, 1500, 3000);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_VALUE).ns, 2000);
    wait_in_gap(&at, 1500, 3000); /* one gap only */
    assert_int_equal(sum_of(&at, TACHO_PATTERN_VALUE).count, 1);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_WAIT).count, 0);
    teardown(&at);
}

/* A value that the host has is not waited for; a wait of its own is one; a gap that lasts for 1 ms
 * after it has another reason. */
static void test_wait(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    call(&at, 1000, 2000, TACHO_CALL_VALUE);
    wait_in_gap(&at, 1500, 3000);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_VALUE).count, 0);
    call(&at, 4000, 5000, TACHO_CALL_WAIT);
    wait_in_gap(&at, 4500, 5000 + TACHO_LONG_GAP_NS);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_WAIT).count, 0);
    wait_in_gap(&at, 4500, 4999 + TACHO_LONG_GAP_NS);
    assert_int_equal(sum_of(&at, TACHO_PATTERN_WAIT).count, 1);
    teardown(&at);
}

/* ---- gaps ---------------------------------------------------------------------------------- */

/* A gap of |ns| in which the host was at |site|. */
static void add_gap(fixture *at, int64_t ns, uint32_t site)
{
    const tacho_breakdown_gap gap = {
        .gap = {.start_ns = at->now, .end_ns = at->now + ns, .cause = TACHO_IDLE_HOST_LATE},
        .deed = {.site = site, .time_ns = ns}};
    assert_true(tacho_device_story_wants(&at->story, &gap.gap));
    assert_null(tacho_device_story_keep(&at->story, &gap));
    at->now += ns;
}

static size_t count_once(const fixture *at)
{
    size_t count = 0;
    for (size_t i = 0; i < at->story.gap_count; i++) {
        count += at->story.gaps[i].is_once ? 1 : 0;
    }
    return count;
}

/* Without steps, a gap repeats with two others that are a quarter as long and have its reason. */
static void test_gaps_without_steps(void **state)
{
    (void)state;
    static const struct {
        int64_t other_ns;
        uint32_t site;
        size_t once;
    } cases[] = {{1000000, 5, 0}, {999999, 5, 1}, {1000000, 6, 2}};
    tacho_host_scope scope = {.site_count = 0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        setup(&at);
        add_gap(&at, 4000000, 5);
        add_gap(&at, 4000000 - 1, 5);
        add_gap(&at, cases[i].other_ns, cases[i].site);
        tacho_story_judge_gaps(&at.story, &scope, NULL);
        if (i == 2) {
            assert_int_equal(count_once(&at), 3);
        } else {
            assert_int_equal(at.story.gaps[0].is_once, cases[i].once == 1);
        }
        teardown(&at);
    }
}

/* In four steps, two gaps repeat and one does not; gaps shorter than 1 ms are not judged. */
static void test_gaps_in_steps(void **state)
{
    (void)state;
    tacho_host_scope scope = {.site_count = 0};
    tacho_step_span spans[4];
    fixture at;
    setup(&at);
    for (int i = 0; i < 4; i++) {
        spans[i] = (tacho_step_span){.start_ns = i * 10000000, .end_ns = (i + 1) * 10000000};
    }
    at.steps = (tacho_part_steps){.items = spans, .marks = spans, .item_count = 4};
    add_gap(&at, 1000000, 5);
    add_gap(&at, 1000000, 5);
    add_gap(&at, 1000000, 6);
    add_gap(&at, 999999, 7);
    tacho_story_judge_gaps(&at.story, &scope, &at.steps);
    assert_int_equal(count_once(&at), 1);
    assert_true(at.story.gaps[2].is_once);
    spans[0].is_warm_up = true; /* it holds all of them */
    at.steps.warm_up_count = 1;
    tacho_story_judge_gaps(&at.story, &scope, &at.steps);
    assert_int_equal(count_once(&at), 0);
    teardown(&at);
}

/* The longest are kept, and of equal ones the first. */
static void test_longest_gaps(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    at.story.gap_limit = 2;
    add_gap(&at, 10, 1);
    add_gap(&at, 20, 2);
    add_gap(&at, 15, 3);
    const tacho_device_gap equal = {.start_ns = 0, .end_ns = 15};
    assert_false(tacho_device_story_wants(&at.story, &equal));
    assert_int_equal(at.story.gap_count, 2);
    assert_int_equal(at.story.gaps[0].deed.site, 2);
    assert_int_equal(at.story.gaps[1].deed.site, 3);
    teardown(&at);
}

/* ---- hosts --------------------------------------------------------------------------------- */

/* A call of 100 ns with two inside, and one on another thread. */
static void test_host_time(void **state)
{
    (void)state;
    static const int64_t spans[][4] = {
        {0, 7, 0, 100}, {0, 8, 10, 40}, {0, 8, 50, 70}, {2, 9, 60, 90}};
    static const int64_t own[] = {50, 50, 30};
    tacho_host_time time = {.busy_ns = 0};
    for (size_t i = 0; i < 4; i++) {
        assert_null(
            tacho_host_time_add(&time, (uint32_t)spans[i][0], (uint32_t)spans[i][1], &spans[i][2]));
    }
    assert_int_equal(time.thread_count, 2);
    assert_int_equal(time.busy_ns, 130);
    assert_int_equal(time.end_ns - time.start_ns, 100);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(time.calls.ops[i].site, 7 + i);
        assert_int_equal(time.calls.ops[i].ns, own[i]);
    }
    tacho_host_time_deinit(&time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_single_pieces),
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_gaps_without_steps),
        cmocka_unit_test(test_gaps_in_steps),
        cmocka_unit_test(test_longest_gaps),
        cmocka_unit_test(test_host_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
