/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow ends in lanes, by hand and at random: each goes with its span, or is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/lanes_testing.h"

/* ---- flows ------------------------------------------------------------------------------ */

/* A flow that knows its span is directly ahead of it, on its lane. */
static void test_bound_flows_go_with_their_span(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_bound(at, at->engine, 5, 6, 1);
    push_bound(at, at->engine, 5, 15, 2);
    push_bound(at, at->engine, 5, 6, 3);
    push_span(at, at->engine, 5, 15);
    push_span(at, at->engine, 5, 6);
    push_bound(at, at->engine, 10, 20, 4);
    push_span(at, at->engine, 10, 20);
    finish(at);
    check_output(at, at->engine, "0:0-10 1@5#2 1:5-15 2@5#1 2@5#3 2:5-6 0@10#4 0:10-20");
    assert_int_equal(lost_flows(at), 0);
    for (size_t i = 0; i < at->row_count; i++) {
        if (at->rows[i].kind == TACHO_ROW_FLOW) {
            assert_int_equal(at->rows[i].of.flow.role, TACHO_FLOW_ORDER);
            assert_int_equal(at->rows[i].of.flow.phase, TACHO_FLOW_ARRIVES);
        }
    }
    close_fixture(at);
}

/* An instant may have flows, too. */
static void test_bound_flow_of_an_instant(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->stack, 0, 10);
    push_bound(at, at->stack, 5, 5, 1);
    push_instant(at, at->stack, 5);
    finish(at);
    check_output(at, at->stack, "0:0-10 0@5#1 0:5-5");
    close_fixture(at);
}

/* Flows wait on several tracks at once, each for its own span. */
static void test_bound_flows_on_two_tracks(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_span(at, at->stack, 0, 6);
    push_bound(at, at->engine, 5, 15, 1);
    push_bound(at, at->stack, 5, 20, 2);
    push_span(at, at->engine, 5, 15);
    push_span(at, at->stack, 5, 20);
    finish(at);
    check_output(at, at->engine, "0:0-10 1@5#1 1:5-15");
    check_output(at, at->stack, "0:0-6 1@5#2 1:5-20");
    close_fixture(at);
}

/* A flow whose span never arrives is counted as lost and not passed on. */
static void test_bound_flow_without_span_is_lost(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_bound(at, at->engine, 5, 15, 1);
    push_span(at, at->engine, 5, 14);
    assert_int_equal(lost_flows(at), 0); /* it may still arrive */
    push_span(at, at->engine, 6, 15);
    assert_int_equal(lost_flows(at), 1);
    push_bound(at, at->stack, INT64_MAX, INT64_MAX - 1, 2);
    finish(at);
    assert_int_equal(lost_flows(at), 2);
    check_output(at, at->engine, "0:5-14 1:6-15");
    check_output(at, at->stack, "");
    close_fixture(at);
}

static void test_next_flow_waits_for_any_span(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 30);
    push_next(at, at->engine, 5, 1);
    push_next(at, at->engine, 7, 2);
    push_span(at, at->engine, 20, 40);
    push_next(at, at->engine, 50, 3);
    finish(at);
    check_output(at, at->engine, "0:0-30 1@5#1 1@7#2 1:20-40");
    assert_int_equal(lost_flows(at), 1);
    close_fixture(at);
}

/* By time, both ends included: a span that starts at that time wins, then the one ending first. */
static void test_flow_finds_the_span_around(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_around(at, at->engine, 0, 1);
    push_span(at, at->engine, 5, 15);
    push_around(at, at->engine, 9, 2);
    push_around(at, at->engine, 10, 3);
    push_around(at, at->engine, 15, 4);
    push_around(at, at->engine, 16, 5); /* both are over: of none */
    push_span(at, at->engine, 20, 21);
    push_instant(at, at->engine, 30);
    push_around(at, at->engine, 30, 6);
    push_around(at, at->engine, 31, 7); /* of none */
    finish(at);
    check_output(at, at->engine, "0:0-10 0@0#1 1:5-15 0@9#2 0@10#3 1@15#4 0:20-21 0:30-30 0@30#6");
    assert_int_equal(lost_flows(at), 2);
    close_fixture(at);
}

/* An inner span that is over does not hide the outer one, which is still open. */
static void test_flow_finds_the_outer_span(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->stack, 0, 30);
    push_span(at, at->stack, 5, 100);
    push_span(at, at->stack, 10, 40);
    push_around(at, at->stack, 50, 1);
    finish(at);
    check_output(at, at->stack, "0:0-30 1:5-100 1:10-40 1@50#1");
    close_fixture(at);
}

static bool holds(const tacho_row *span, const tacho_row *flow)
{
    if (tacho_row_is_around(flow)) {
        return span->start <= flow->start && flow->start <= span->of.span.end;
    }
    return span->start == flow->start && span->of.span.end == flow->of.flow.span_end;
}

/* Whether a span of |track|, or of any lane of |base|, is one that |flow| may belong to. */
static bool has_span_for(const fixture *at, const tacho_row *flow, uint32_t base, uint32_t track)
{
    for (size_t i = 0; i < at->row_count; i++) {
        const tacho_row *span = &at->rows[i];
        if (span->kind == TACHO_ROW_SPAN && base_of(at, span->track) == base &&
            (track == TACHO_NONE || span->track == track) && holds(span, flow)) {
            return true;
        }
    }
    return false;
}

/* A flow is passed on exactly if some span contains it, and then on the lane of such a span. */
static void check_flow_set(uint64_t *random)
{
    fixture *at = open_fixture(true);
    tacho_row rows[2 * SET_ROWS_MAX];
    tacho_row flows[40];
    size_t count = make_set(random, at, at->engine, rows);
    count += make_set(random, at, at->stack, rows + count);
    size_t flow_count = (size_t)random_below(random, 40);
    for (size_t i = 0; i < count; i++) {
        assert_null(tacho_events_row(at->in, &rows[i]));
    }
    for (size_t id = 0; id < flow_count; id++) {
        const tacho_row *span = count > 0 ? &rows[random_below(random, (int64_t)count)] : NULL;
        int64_t time = random_below(random, 50);
        int64_t span_end = random_below(random, 2) == 0 ? time + 3 : TACHO_FLOW_AROUND;
        if (span != NULL && random_below(random, 4) > 0) { /* of a span, mostly */
            time = span->start;
            span_end = span_end == TACHO_FLOW_AROUND ? span_end : span->of.span.end;
        }
        uint32_t track = random_below(random, 2) == 0 ? at->engine : at->stack;
        flows[id] = make_flow(track, time, id, span_end);
        assert_null(tacho_events_row(at->in, &flows[id]));
    }
    finish(at);
    uint64_t seen_ids = 0;
    for (size_t i = 0; i < at->row_count; i++) {
        assert_true(i == 0 || at->rows[i - 1].start <= at->rows[i].start);
        const tacho_row *row = &at->rows[i];
        if (row->kind == TACHO_ROW_FLOW) {
            seen_ids |= UINT64_C(1) << row->of.flow.id;
            assert_true(has_span_for(at, row, base_of(at, row->track), row->track));
        }
    }
    uint64_t lost = 0;
    for (size_t id = 0; id < flow_count; id++) {
        bool is_seen = (seen_ids >> id & 1) != 0;
        assert_int_equal(is_seen, has_span_for(at, &flows[id], flows[id].track, TACHO_NONE));
        lost += is_seen ? 0 : 1;
    }
    assert_int_equal(lost_flows(at), lost);
    close_fixture(at);
}

static void test_random_flows(void **state)
{
    (void)state;
    uint64_t random = 32;
    for (size_t i = 0; i < SET_COUNT / 2; i++) {
        check_flow_set(&random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_flows_go_with_their_span),
        cmocka_unit_test(test_bound_flow_of_an_instant),
        cmocka_unit_test(test_bound_flows_on_two_tracks),
        cmocka_unit_test(test_bound_flow_without_span_is_lost),
        cmocka_unit_test(test_next_flow_waits_for_any_span),
        cmocka_unit_test(test_flow_finds_the_span_around),
        cmocka_unit_test(test_flow_finds_the_outer_span),
        cmocka_unit_test(test_random_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
