/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live list of a capture: the sites that took the most time since the last call.
 */
#include "capture/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TOP = 3 };

typedef struct fixture {
    tacho_events events;
    tacho_dict dict;
    tacho_recorder recorder;
    uint32_t track;
} fixture;

static tacho_status drop_row(tacho_events *events, const tacho_row *row)
{
    (void)events, (void)row;
    return TACHO_OK;
}

static void setup(fixture *self)
{
    static const tacho_events_vtable vtable = {.row = drop_row};
    *self = (fixture){.track = 0};
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){&vtable, &self->dict};
    assert_null(tacho_recorder_open(&self->recorder, &self->events, TACHO_STR("test"), 0));
    self->recorder.keeps_sums = true;
    const tacho_recorder_track facts = {
        .parent = self->dict.parts[0].root, .track_class = TACHO_TRACK_HOST, .number = -1};
    assert_null(
        tacho_recorder_ensure_track(&self->recorder, &facts, TACHO_STR("worker"), &self->track));
}

static void teardown(fixture *self)
{
    tacho_recorder_close(&self->recorder);
    tacho_dict_deinit(&self->dict);
}

static void add(fixture *self, uint32_t site, int64_t length)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = self->track, .start = 10};
    row.of.span.site = site;
    row.of.span.end = 10 + length;
    tacho_recorder_store(&self->recorder, &row);
}

/* Sites of which no span ended since the last time are not listed, however few others are. */
static void test_top_lists_only_sites_with_spans(void **state)
{
    (void)state;
    fixture self;
    tacho_site_sum top[TOP];
    setup(&self);
    add(&self, 4, 70); /* 0 to 3 have none */
    assert_int_equal(tacho_recorder_take_top(&self.recorder, top, TOP), 1);
    assert_int_equal(top[0].site, 4);
    assert_int_equal(top[0].total_ns, 70);
    assert_int_equal(tacho_recorder_take_top(&self.recorder, top, TOP), 0);
    add(&self, 2, 0); /* a span without a length is one */
    assert_int_equal(tacho_recorder_take_top(&self.recorder, top, TOP), 1);
    assert_int_equal(top[0].site, 2);
    assert_int_equal(top[0].count, 1);
    teardown(&self);
}

/* The largest first, and of equal ones the earlier site; the rest is cut off. */
static void test_top_is_sorted_and_cut(void **state)
{
    (void)state;
    static const int64_t lengths[] = {30, 50, 20, 50, 40};
    static const uint32_t expected[TOP] = {1, 3, 4};
    fixture self;
    tacho_site_sum top[TOP];
    setup(&self);
    for (uint32_t i = 0; i < 5; i++) {
        add(&self, i, lengths[i]);
    }
    add(&self, 4, 5);
    assert_int_equal(tacho_recorder_take_top(&self.recorder, top, TOP), TOP);
    for (size_t i = 0; i < TOP; i++) {
        assert_int_equal(top[i].site, expected[i]);
    }
    assert_int_equal(top[2].total_ns, 45);
    assert_int_equal(top[2].count, 2);
    teardown(&self);
}

/* A sum that does not fit is the largest number, not a negative one. */
static void test_top_saturates(void **state)
{
    (void)state;
    fixture self;
    tacho_site_sum top[TOP];
    setup(&self);
    add(&self, 0, INT64_MAX - 10);
    add(&self, 0, 11);
    assert_int_equal(tacho_recorder_take_top(&self.recorder, top, TOP), 1);
    assert_true(top[0].total_ns == INT64_MAX);
    teardown(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top_lists_only_sites_with_spans),
        cmocka_unit_test(test_top_is_sorted_and_cut),
        cmocka_unit_test(test_top_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
