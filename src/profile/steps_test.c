/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges that are steps and ranges that are not; warm-up steps.
 */
#include "profile/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

typedef struct fixture {
    tacho_dict dict;
    tacho_steps steps;
    uint32_t part, host, other, device;
} fixture;

static uint32_t add_track(fixture *at, const char *name, tacho_track_class track_class)
{
    tacho_track track = {
        .parent = at->dict.parts[at->part].root, .track_class = track_class, .lane_of = TACHO_NONE};
    uint32_t id = 0;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &track.name));
    assert_null(tacho_dict_add_track(&at->dict, &track, &id));
    return id;
}

static void setup(fixture *at)
{
    tacho_clock clock;
    tacho_part_facts facts = {.path = TACHO_STR("a.json")};
    *at = (fixture){.part = 0};
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
    at->host = add_track(at, "thread 1", TACHO_TRACK_HOST);
    at->other = add_track(at, "thread 2", TACHO_TRACK_HOST);
    at->device = add_track(at, "stream 7", TACHO_TRACK_COMPUTE);
    tacho_steps_init(&at->steps, &at->dict);
}

static void teardown(fixture *at)
{
    tacho_steps_deinit(&at->steps);
    tacho_dict_deinit(&at->dict);
}

/* Adds |row|, whose track, times and flags are set. */
static void add_row(fixture *at, tacho_row row, const char *category, const char *name)
{
    tacho_site site = {.location = TACHO_NONE};
    row.kind = TACHO_ROW_SPAN;
    row.of.span.op = row.of.span.run = TACHO_NONE;
    assert_null(
        tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(category), &site.category));
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &site.name));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &row.of.span.site));
    assert_null(tacho_steps_add(&at->steps, &row));
}

static void add_on(fixture *at, uint32_t track, const char *category, const char *name,
                   int64_t start, int64_t end)
{
    tacho_row row = {.track = track, .start = start};
    row.of.span.end = end;
    row.of.span.flags = strcmp(category, "signpost") == 0 ? TACHO_SPAN_INSTANT : 0;
    add_row(at, row, category, name);
}

static void add(fixture *at, const char *category, const char *name, int64_t start, int64_t end)
{
    add_on(at, at->host, category, name, start, end);
}

static void expect(fixture *at, tacho_step_kind kind, size_t count, const char *first)
{
    assert_null(tacho_steps_find(&at->steps, at->part));
    assert_int_equal(at->steps.kind, kind);
    assert_int_equal(at->steps.item_count, count);
    if (count > 0) {
        tacho_str name = tacho_dict_string(&at->dict, at->steps.items[0].name);
        assert_int_equal(name.len, strlen(first));
        assert_memory_equal(name.data, first, name.len);
    }
    teardown(at);
}

static void test_profiler_steps_come_first(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add(&at, "user_annotation", "train_step", 0, 50);
    add(&at, "user_annotation", "train_step", 50, 100);
    add(&at, "user_annotation", "ProfilerStep#3", 0, 100);
    add_on(&at, at.device, "gpu_user_annotation", "ProfilerStep#3", 20, 130);
    expect(&at, TACHO_STEP_PROFILER, 1, "ProfilerStep#3");
}

static void test_ranges_with_a_word(void **state)
{
    static const char *const are[] = {"step_",      "train_step",      "TrainStep ",
                                      "Iteration ", "model_inference", "batch:"};
    static const char *const are_not[] = {"Optimizer.step#SGD.step",
                                          "footsteps",
                                          "nccl:batch",
                                          "batch_norm",
                                          "BatchNorm",
                                          "enumerate(DataLoader)#Iter.__next__"};
    (void)state;
    for (size_t i = 0; i < sizeof(are) / sizeof(are[0]); i++) {
        fixture at;
        setup(&at);
        add(&at, "user_annotation", "warm", 0, 500); /* around all */
        for (int n = 0; n < 3; n++) {
            add(&at, i % 2 ? "nvtx" : "user_annotation", are[i], n * 100, n * 100 + 60);
            add(&at, "user_annotation", "forward", n * 100, n * 100 + 30);
        }
        assert_null(tacho_steps_find(&at.steps, at.part));
        assert_int_equal(at.steps.kind, TACHO_STEP_RANGE);
        assert_int_equal(at.steps.item_count, 3);
        assert_int_equal(at.steps.items[2].number, 2);
        assert_int_equal(at.steps.items[2].start_ns, 200);
        teardown(&at);
    }
    for (size_t i = 0; i < sizeof(are_not) / sizeof(are_not[0]); i++) {
        fixture at;
        setup(&at);
        for (int n = 0; n < 3; n++) {
            add(&at, "user_annotation", are_not[i], n * 100, n * 100 + 60);
            add(&at, "user_annotation", "other", n * 100 + 60, n * 100 + 99);
            add(&at, "user_annotation", "third", n * 100 + 99, n * 100 + 100);
        }
        expect(&at, TACHO_STEP_NONE, 0, "");
    }
}

static void test_ranges_must_cover_half(void **state)
{
    (void)state;
    for (int length = 49; length <= 50; length++) {
        fixture at;
        setup(&at);
        for (int n = 0; n < 100; n++) {
            add(&at, "user_annotation", "load_batch", n * 100, n * 100 + length);
        }
        /* From 0 to 9900 plus one of them. */
        assert_null(tacho_steps_find(&at.steps, at.part));
        assert_int_equal(at.steps.item_count, length >= 50 ? 100 : 0);
        teardown(&at);
    }
}

static void test_any_name_where_only_one_repeats(void **state)
{
    fixture at;
    (void)state;
    setup(&at);
    for (int n = 0; n < 3; n++) {
        add(&at, "user_annotation", "forward", n * 100, n * 100 + 80);
        add(&at, "user_annotation", "encoder", n * 100 + 10, n * 100 + 50); /* inside */
    }
    expect(&at, TACHO_STEP_RANGE, 3, "forward #0");
    setup(&at);
    for (int n = 0; n < 3; n++) {
        add(&at, "user_annotation", "forward", n * 100, n * 100 + 60);
        add(&at, "user_annotation", "backward", n * 100 + 60, n * 100 + 99);
    }
    expect(&at, TACHO_STEP_NONE, 0, "");
}

/* A number counts steps only in a name with a word for a step. */
static void test_numbers_of_names(void **state)
{
    static const char *const stems[] = {"step", "layer"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture at;
        char name[16];
        setup(&at);
        for (int n = 0; n < 3; n++) {
            snprintf(name, sizeof(name), "%s %d/3", stems[i], n + 1);
            add(&at, "user_annotation", name, n * 100, n * 100 + 80);
            snprintf(name, sizeof(name), "%s_%d", stems[i], n);
            add_on(&at, at.device, "signpost", name, n * 100, n * 100);
        }
        if (i == 0) {
            expect(&at, TACHO_STEP_RANGE, 3, "step 1/3");
        } else {
            expect(&at, TACHO_STEP_NONE, 0, "");
        }
    }
}

static uint32_t site_of(const fixture *at, const char *name)
{
    const tacho_dict *dict = &at->dict;
    uint32_t site = 0;
    while (!tacho_str_equal(tacho_dict_string(dict, dict->sites[site].name),
                            tacho_str_from_cstring(name))) {
        site++;
    }
    return site;
}

/* Which ranges are steps, and no layers; on a device where the host has none. */
static void test_marks(void **state)
{
    fixture at;
    (void)state;
    for (int on_device = 0; on_device < 2; on_device++) {
        setup(&at);
        for (int n = 0; n < 3; n++) {
            const char *const names[] = {"train_step 1", "train_step 2", "train_step 3"};
            const char *category = on_device ? "gpu_user_annotation" : "user_annotation";
            uint32_t track = on_device ? at.device : at.host;
            add_on(&at, track, category, names[n], n * 100, n * 100 + 80);
            add_on(&at, track, category, "load_batch", n * 100, n * 100 + 10);
        }
        assert_null(tacho_steps_find(&at.steps, at.part));
        assert_int_equal(at.steps.item_count, 3);
        assert_int_equal(at.steps.items[2].number, 3);
        assert_true(tacho_steps_is_mark(&at.steps, site_of(&at, "train_step 2")));
        assert_false(tacho_steps_is_mark(&at.steps, site_of(&at, "load_batch")));
        teardown(&at);
    }
    setup(&at); /* steps under a name that may be a layer's are layers, too */
    for (int n = 0; n < 3; n++) {
        add(&at, "user_annotation", "forward", n * 100, n * 100 + 80);
    }
    assert_null(tacho_steps_find(&at.steps, at.part));
    assert_int_equal(at.steps.item_count, 3);
    assert_false(tacho_steps_is_mark(&at.steps, site_of(&at, "forward")));
    teardown(&at);
}

static void test_steps_not_the_epoch_around_them(void **state)
{
    fixture at;
    (void)state;
    setup(&at);
    for (int n = 0; n < 2; n++) {
        add(&at, "user_annotation", "epoch", n * 1000, n * 1000 + 990);
        for (int k = 0; k < 9; k++) {
            add(&at, "user_annotation", "step", n * 1000 + k * 100, n * 1000 + k * 100 + 90);
        }
    }
    expect(&at, TACHO_STEP_RANGE, 18, "step #0");
}

static void add_run(fixture *at, const char *name, int64_t invocation, int64_t start, int64_t end)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->device, .start = start};
    tacho_run run = {.part = at->part, .invocation = invocation};
    tacho_site site = {.location = TACHO_NONE};
    row.of.span.end = end;
    row.of.span.op = TACHO_NONE;
    row.of.span.flags = 0;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &run.name));
    assert_null(tacho_dict_add_run(&at->dict, &run, &row.of.span.run));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &row.of.span.site));
    assert_null(tacho_steps_add(&at->steps, &row));
}

static void test_runs_of_one_program(void **state)
{
    fixture at;
    (void)state;
    setup(&at);
    add_run(&at, "net", 1, 100, 190);
    add_run(&at, "net", 0, 0, 90);
    expect(&at, TACHO_STEP_RUN, 2, "net #0");
    setup(&at);
    add_run(&at, "net", 0, 0, 90);
    expect(&at, TACHO_STEP_NONE, 0, ""); /* nothing repeats */
    setup(&at);
    add_run(&at, "matmul", 0, 0, 90);
    add_run(&at, "softmax", 0, 90, 100);
    add_run(&at, "matmul", 1, 100, 190);
    expect(&at, TACHO_STEP_NONE, 0, "");
}

static void test_signposts(void **state)
{
    fixture at;
    (void)state;
    setup(&at);
    add(&at, "signpost", "start", 10, 10);
    add(&at, "signpost", "stop", 60, 60);
    add(&at, "signpost", "start", 100, 100);
    add_on(&at, at.device, "op", "matmul", 20, 170);
    assert_null(tacho_steps_find(&at.steps, at.part));
    assert_int_equal(at.steps.kind, TACHO_STEP_SIGNPOST);
    assert_int_equal(at.steps.item_count, 2);
    assert_int_equal(at.steps.items[0].end_ns, 60);
    assert_int_equal(at.steps.items[1].end_ns, 170); /* the end of all */
    assert_int_equal(tacho_steps_at(&at.steps, 59), 0);
    assert_int_equal(tacho_steps_at(&at.steps, 60), TACHO_NONE);
    assert_int_equal(tacho_steps_at(&at.steps, 100), 1);
    teardown(&at);
}

/* A step that was cut off has no length: it is not a step, and nothing ends where it does. */
static void test_unended_steps_do_not_count(void **state)
{
    (void)state;
    for (int is_unended = 0; is_unended < 2; is_unended++) {
        fixture at;
        setup(&at);
        for (int n = 0; n < 3; n++) {
            add(&at, "user_annotation", "train_step", n * 100, n * 100 + 80);
        }
        tacho_row row = {.track = at.host, .start = 300};
        row.of.span.end = 900;
        row.of.span.flags = is_unended ? TACHO_SPAN_UNENDED : 0;
        add_row(&at, row, "user_annotation", "train_step");
        assert_null(tacho_steps_find(&at.steps, at.part));
        assert_int_equal(at.steps.kind, TACHO_STEP_RANGE);
        assert_int_equal(at.steps.item_count, is_unended ? 3 : 4);
        teardown(&at);
    }
}

/* The last signpost's step lasts to the end of all work, which an unended span does not move. */
static void test_unended_spans_end_nothing(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    add(&at, "signpost", "start", 10, 10);
    add(&at, "signpost", "start", 100, 100);
    add_on(&at, at.device, "op", "matmul", 20, 170);
    tacho_row row = {.track = at.device, .start = 160};
    row.of.span.end = 900;
    row.of.span.flags = TACHO_SPAN_UNENDED;
    add_row(&at, row, "op", "softmax");
    assert_null(tacho_steps_find(&at.steps, at.part));
    assert_int_equal(at.steps.item_count, 2);
    assert_int_equal(at.steps.items[1].end_ns, 170);
    teardown(&at);
}

/* How many of the steps with these lengths are warm-up. */
static size_t warm_up(const int64_t *lengths, size_t count)
{
    fixture at;
    setup(&at);
    int64_t now = 0;
    for (size_t i = 0; i < count; i++) {
        add(&at, "user_annotation", "step", now, now + lengths[i]);
        now += lengths[i];
    }
    assert_null(tacho_steps_find(&at.steps, at.part));
    assert_int_equal(at.steps.item_count, count);
    size_t found = at.steps.warm_up_count;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(at.steps.items[i].is_warm_up, i < found);
    }
    teardown(&at);
    return found;
}

static void test_warm_up(void **state)
{
    (void)state;
    assert_int_equal(warm_up((int64_t[]){200, 100}, 2), 0); /* too few */
    assert_int_equal(warm_up((int64_t[]){200, 100, 101}, 3), 1);
    assert_int_equal(warm_up((int64_t[]){110, 100, 100}, 3), 0); /* not more than a tenth */
    assert_int_equal(warm_up((int64_t[]){111, 100, 100}, 3), 1);
    assert_int_equal(warm_up((int64_t[]){125, 100, 110}, 3), 0); /* 110 + 1.5 * 10 */
    assert_int_equal(warm_up((int64_t[]){126, 100, 110}, 3), 1);
    assert_int_equal(warm_up((int64_t[]){900, 300, 100, 100, 101, 100}, 6), 2);
    assert_int_equal(warm_up((int64_t[]){100, 900, 100, 100, 101, 100}, 6), 0);
    assert_int_equal(warm_up((int64_t[]){900, 800, 700, 100, 101, 100}, 6), 3);
}

/* How many of the steps with these lengths, marked with |name|, are left out at the end. */
static size_t stopped(const char *name, const int64_t *lengths, size_t count)
{
    fixture at;
    char text[32];
    setup(&at);
    for (int64_t i = 0, start = 0; i < (int64_t)count; start += lengths[i++]) {
        snprintf(text, sizeof(text), "%s%d", name, (int)i);
        add(&at, "user_annotation", text, start, start + lengths[i]);
    }
    assert_null(tacho_steps_find(&at.steps, at.part));
    assert_int_equal(at.steps.item_count, count);
    size_t found = at.steps.stop_count;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(at.steps.items[i].is_stop, i + found >= count);
        assert_int_equal(tacho_step_is_steady(&at.steps.items[i]),
                         i >= at.steps.warm_up_count && i + found < count);
    }
    teardown(&at);
    return found;
}

static void test_the_stop_of_the_profiler(void **state)
{
    (void)state;
    const char *marked = "ProfilerStep#";
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 200}, 3), 0); /* too few */
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 100, 200}, 4), 1);
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 100, 110}, 4), 0);
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 100, 111}, 4), 1);
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 110, 125}, 4), 0); /* 110 + 1.5 * 10 */
    assert_int_equal(stopped(marked, (int64_t[]){100, 100, 110, 126}, 4), 1);
    assert_int_equal(stopped("step_", (int64_t[]){100, 100, 100, 200}, 4), 0);
    /* The step of the stop does not hide warm-up. */
    assert_int_equal(stopped(marked, (int64_t[]){150, 122, 122, 123, 122, 206}, 6), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiler_steps_come_first),
        cmocka_unit_test(test_ranges_with_a_word),
        cmocka_unit_test(test_ranges_must_cover_half),
        cmocka_unit_test(test_any_name_where_only_one_repeats),
        cmocka_unit_test(test_numbers_of_names),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_steps_not_the_epoch_around_them),
        cmocka_unit_test(test_runs_of_one_program),
        cmocka_unit_test(test_signposts),
        cmocka_unit_test(test_unended_steps_do_not_count),
        cmocka_unit_test(test_unended_spans_end_nothing),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_the_stop_of_the_profiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
