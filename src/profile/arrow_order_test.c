/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that start together are written in the order of their arrows; tracks keep their own order.
 */
#include "profile/arrow_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { TRACKS = 4, TEXT_BYTES = 1 << 14 };

/* Records the output: "s1" is a span of track 1, "+7" and "-7" are the ends of arrow 7. */
typedef struct recorder {
    tacho_events events;
    char text[TEXT_BYTES];
    size_t len;
} recorder;

typedef struct fixture {
    tacho_dict dict;
    recorder out;
    tacho_arrow_order *order;
    tacho_events *in;
    uint32_t tracks[TRACKS];
} fixture;

static tacho_status record(tacho_events *events, const tacho_row *row)
{
    recorder *to = (recorder *)(void *)events;
    bool is_flow = row->kind == TACHO_ROW_FLOW;
    const char *word = !is_flow ? "s" : row->of.flow.phase == TACHO_FLOW_LEAVES ? "+" : "-";
    unsigned long long number = is_flow ? row->of.flow.id : row->track;
    to->len += (size_t)snprintf(to->text + to->len, TEXT_BYTES - to->len, "%s%s%llu",
                                to->len > 0 ? " " : "", word, number);
    return TACHO_OK;
}

static const tacho_events_vtable recorder_vtable = {.row = record};

static void open_fixture(fixture *at)
{
    *at = (fixture){.out.events.vtable = &recorder_vtable};
    assert_null(tacho_dict_init(&at->dict));
    at->out.events.dict = &at->dict;
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 4);
    uint32_t id = 0;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("quarters"), &id));
    for (size_t i = 0; i < TRACKS; i++) {
        tacho_track track = {.lane_of = TACHO_NONE, .parent = TACHO_NONE, .clock = id};
        assert_null(tacho_dict_add_track(&at->dict, &track, &at->tracks[i]));
    }
    const tacho_site site = {.location = TACHO_NONE};
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &id));
    assert_null(tacho_arrow_order_create(&at->out.events, &at->order));
    at->in = tacho_arrow_order_events(at->order);
}

static void close_fixture(fixture *at, const char *expected)
{
    assert_null(tacho_events_finish(at->in));
    assert_string_equal(at->out.text, expected);
    tacho_arrow_order_destroy(at->order);
    tacho_dict_deinit(&at->dict);
}

static void push_span(fixture *at, size_t track, int64_t start)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->tracks[track], .start = start};
    row.of.span.end = start;
    assert_null(tacho_events_row(at->in, &row));
}

static void push_end(fixture *at, size_t track, int64_t time, int id)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = at->tracks[track], .start = time};
    row.of.flow.id = (uint64_t)(id > 0 ? id : -id);
    row.of.flow.phase = id > 0 ? TACHO_FLOW_LEAVES : TACHO_FLOW_ARRIVES;
    row.of.flow.span_end = time;
    assert_null(tacho_events_row(at->in, &row));
}

static void test_without_arrows(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_span(&at, 1, 0);
    assert_string_equal(at.out.text, "s1"); /* at once */
    push_span(&at, 0, 0);
    close_fixture(&at, "s1 s0");
}

/* Two steps back, over spans whose ticks differ within one nanosecond. */
static void test_against_the_order(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_end(&at, 0, 4, -1);
    push_span(&at, 0, 4);
    push_end(&at, 1, 5, 1);
    push_end(&at, 1, 5, -2);
    push_span(&at, 1, 5);
    push_end(&at, 2, 7, 2);
    push_span(&at, 2, 7);
    push_span(&at, 3, 8); /* the next nanosecond */
    close_fixture(&at, "+2 s2 +1 -2 s1 -1 s0 s3");
}

static void test_tracks_keep_their_order(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_end(&at, 0, 0, -1);
    push_span(&at, 0, 0);
    push_span(&at, 1, 0); /* precedes the source of the arrow */
    push_end(&at, 1, 0, 1);
    push_span(&at, 1, 0);
    close_fixture(&at, "s1 +1 s1 -1 s0");
}

/* Two steps on each of two tracks, all alike: each second one waits for the other's first. */
static void test_alike_spans(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_end(&at, 0, 0, 1);
    push_end(&at, 0, 0, -2);
    push_span(&at, 0, 0);
    push_span(&at, 0, 0);
    push_end(&at, 1, 0, -1);
    push_end(&at, 1, 0, 2);
    push_span(&at, 1, 0);
    push_span(&at, 1, 0);
    push_span(&at, 1, 0);
    close_fixture(&at, "+1 s0 +2 s1 -2 s0 s1 -1 s1");
}

/* All targets of an arrow follow its source. */
static void test_several_ends(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_end(&at, 0, 0, -1);
    push_span(&at, 0, 0);
    push_end(&at, 1, 0, -1);
    push_span(&at, 1, 0);
    push_end(&at, 2, 0, 1);
    push_span(&at, 2, 0);
    close_fixture(&at, "+1 s2 -1 s0 -1 s1");
}

static void test_circles_end(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    push_end(&at, 0, 0, 1);
    push_end(&at, 0, 0, -2);
    push_span(&at, 0, 0);
    push_end(&at, 1, 0, -1);
    push_end(&at, 1, 0, 2);
    push_span(&at, 1, 0);
    push_end(&at, 2, 0, 3);
    push_end(&at, 2, 0, -3); /* to itself */
    push_span(&at, 2, 0);
    close_fixture(&at, "-1 +2 s1 +1 -2 s0 +3 -3 s2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_arrows),
        cmocka_unit_test(test_against_the_order),
        cmocka_unit_test(test_tracks_keep_their_order),
        cmocka_unit_test(test_alike_spans),
        cmocka_unit_test(test_several_ends),
        cmocka_unit_test(test_circles_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
