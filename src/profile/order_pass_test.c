/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass mode of the order filter: rows pass in the order that sorting gives, and late rows are
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/order_testing.h"

/* ---- pass mode -------------------------------------------------------------------------- */

/* The output of sort mode goes through pass mode unchanged, row by row and without delay. */
static void check_pass_equals_sort(fixture *at, uint64_t *random, const row_plan *plan)
{
    enum { COUNT = 400 };
    tacho_row *rows = random_rows(at, random, plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 4096, rows, COUNT);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = at->rows[i].row;
    }
    int64_t zero = zero_of(at, plan->part);
    run_order(at, TACHO_ORDER_PASS, 0, rows, COUNT);
    check_tracks_text(at, expected);
    assert_int_equal(zero_of(at, plan->part), zero);
    assert_int_equal(at->dict.parts[plan->part].row_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        tacho_str line = render(at, &rows[i]);
        assert_int_equal(compare_lines(&at->rows[i].line, &line), 0);
    }
    free_text(expected);
    free(rows);
}

static void test_pass_equals_sort(void **state)
{
    fixture *at = *state;
    uint64_t random = 51;
    for (unsigned i = 0; i < 20; i++) {
        row_plan plan = {.part = i % 2, .time_count = 5 + 40 * i, .first_time = i};
        if (i % 3 == 0) { /* with arguments and flows, hence nearly without ties */
            plan.time_count = 1 << 24;
            plan.flow_percent = 20;
            plan.arg_max = ARG_MAX;
        }
        check_pass_equals_sort(at, &random, &plan);
    }
}

static bool comes_late(const fixture *at, const tacho_row *rows, size_t i)
{
    bool has_flows = tacho_row_is_around(&rows[i]);
    for (size_t k = 0; k < i; k++) {
        has_flows = has_flows || tacho_row_is_around(&rows[k]);
    }
    for (size_t k = 0; k < i; k++) {
        bool same_track = rows[k].track == rows[i].track;
        if (same_track && documented_order(at, &rows[k], &rows[i]) > 0) {
            return true;
        }
        /* Time order across tracks where there are flows by time; at one time, by kind. */
        if (has_flows &&
            (rows[k].start > rows[i].start ||
             (rows[k].start == rows[i].start && kind_place(&rows[k]) > kind_place(&rows[i])))) {
            return true;
        }
    }
    return i > 0 && rows[i].start < rows[0].start;
}

static int compare_starts(const void *a, const void *b)
{
    const tacho_row *row_a = a;
    const tacho_row *row_b = b;
    return (row_a->start > row_b->start) - (row_a->start < row_b->start);
}

/* Rows without ties in content, nearly sorted more often than not. */
static size_t make_nearly_sorted(fixture *at, uint64_t *random, unsigned flow_percent,
                                 tacho_row *out_rows)
{
    size_t count = 1 + random_below(random, 14);
    row_plan plan = {.time_count = 2 + random_below(random, 30), .first_time = 3};
    plan.flow_percent = flow_percent;
    for (size_t i = 0; i < count; i++) {
        tacho_row row = random_row(at, random, &plan);
        if (row.kind == TACHO_ROW_SPAN) {
            int64_t length = (int64_t)random_below(random, 3);
            row.of.span.end = row.start + length;
            row.of.span.site = at->sites[0];
            row.of.span.flags = 0;
            row.of.span.op = TACHO_NONE;
            row.of.span.run = TACHO_NONE;
        } else if (row.kind == TACHO_ROW_SAMPLE) {
            row.of.sample.value = 1;
        } else {
            row.of.flow.id = 1;
            row.of.flow.role = TACHO_FLOW_DATA;
            row.of.flow.phase = TACHO_FLOW_LEAVES;
            bool is_around = row.of.flow.span_end == TACHO_FLOW_AROUND;
            row.of.flow.span_end = is_around ? TACHO_FLOW_AROUND : TACHO_FLOW_NEXT;
        }
        out_rows[i] = row;
    }
    if (random_below(random, 4) > 0) {
        qsort(out_rows, count, sizeof(*out_rows), compare_starts);
    }
    return count;
}

static void check_refusals(fixture *at, uint64_t seed, unsigned flow_percent)
{
    uint64_t random = seed;
    size_t refused_count = 0, passed_count = 0;
    for (size_t round = 0; round < 10000; round++) {
        tacho_row rows[16];
        size_t count = make_nearly_sorted(at, &random, flow_percent, rows);
        size_t expected = 0;
        while (expected < count && !comes_late(at, rows, expected)) {
            expected++;
        }
        tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, count);
        assert_int_equal(at->row_count, expected);
        assert_int_equal(tacho_status_code(status),
                         expected < count ? TACHO_CODE_OUT_OF_ORDER : TACHO_CODE_OK);
        assert_int_equal(zero_of(at, 0), rows[0].start);
        refused_count += status != TACHO_OK;
        passed_count += status == TACHO_OK && count > 3;
        tacho_status_free(status);
    }
    assert_true(refused_count > 1000 && passed_count > 100);
}

static void test_pass_refuses_what_comes_late(void **state)
{
    check_refusals(*state, 52, 0);
}

static void test_pass_refuses_late_flows(void **state)
{
    check_refusals(*state, 53, 40);
}

/* Rows pushed in groups are passed and refused as if pushed one by one. */
static void test_pass_takes_groups(void **state)
{
    fixture *at = *state;
    for (at->group_max = 2; at->group_max <= 32; at->group_max *= 2) {
        test_pass_equals_sort(state);
        check_refusals(at, 54, 0);
        check_refusals(at, 55, 40);
    }
    at->group_max = 0;
}

/* Arrows wait for a span, others look for it once it has started: nothing is late. */
static void test_pass_takes_flows_of_one_time(void **state)
{
    fixture *at = *state;
    tacho_row rows[7] = {{0}};
    for (size_t i = 0; i < 7; i++) {
        rows[i].track = at->tracks[0][1];
        rows[i].start = i == 0 ? 0 : 5;
        rows[i].kind = TACHO_ROW_FLOW;
        rows[i].of.flow.id = i;
        rows[i].of.flow.span_end = i < 4 ? TACHO_FLOW_NEXT : TACHO_FLOW_AROUND;
    }
    rows[5].track = at->tracks[0][2]; /* an arrow of another track */
    rows[0] = plain_span(at);
    rows[0].start = 0;
    rows[0].of.span.end = 5;
    rows[3] = plain_span(at);
    /* The first flow by time is too late: sinks have seen spans by then. */
    tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, 7);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    assert_int_equal(at->row_count, 4);
    assert_false(at->dict.parts[0].has_flows_around);
    tacho_status_free(status);
    at->dict.parts[0].has_flows_around = true; /* set by a source that knows it ahead */
    run_order(at, TACHO_ORDER_PASS, 0, rows, 7);
    check_nothing_lost(at, rows, 7);
}

/* Rows that pass mode lets through are the output of sort mode. */
static void test_pass_never_differs_from_sort(void **state)
{
    fixture *at = *state;
    uint64_t random = 54;
    size_t passed_count = 0;
    row_plan plan = {.time_count = 2, .arg_max = 1};
    for (size_t round = 0; round < 5000; round++) {
        size_t count = 2 + random_below(&random, 3);
        tacho_row *rows = random_rows(at, &random, &plan, count);
        for (size_t i = 0; i < count; i++) { /* few sites and lengths, so that many are equal */
            if (rows[i].kind == TACHO_ROW_SPAN) {
                rows[i].track = at->tracks[0][1];
                rows[i].of.span.end = rows[i].start + 1;
                rows[i].of.span.site = at->sites[0];
                rows[i].of.span.op = 0;
            }
        }
        tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, count);
        if (status == TACHO_OK) {
            tacho_str passed = tracks_text(at);
            run_order(at, TACHO_ORDER_SORT, 4096, rows, count);
            check_tracks_text(at, passed);
            free_text(passed);
            passed_count++;
        }
        tacho_status_free(status);
        free(rows);
    }
    assert_true(passed_count > 500);
}

/* Each part starts anew: its own zero, its own order, its own flows. */
static void test_pass_parts(void **state)
{
    fixture *at = *state;
    static const struct {
        uint32_t part;
        size_t track;
        int64_t start;
    } rows[] = {
        {0, 0, 900}, {0, 1, 950},             /* the second is a flow */
        {2, 0, 4},   {2, 0, 100}, {2, 1, 50}, /* tracks need not agree without flows */
    };
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, TACHO_ORDER_PASS, 0, &order));
    tacho_events *events = tacho_order_events(order);
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            tacho_row row = plain_span(at);
            row.track = at->tracks[rows[i].part][rows[i].track];
            row.start = rows[i].start;
            row.of.span.end = 5000;
            if (i == 1) {
                row.kind = TACHO_ROW_FLOW;
                row.of.flow.id = 1;
                row.of.flow.span_end = TACHO_FLOW_NEXT;
            }
            if (rows[i].part == part) {
                assert_null(tacho_events_row(events, &row));
                assert_int_equal(at->row_count, i + 1); /* at once */
            }
        }
        assert_null(tacho_events_end_part(events, part));
        assert_int_equal(at->ended_parts[part], part);
    }
    assert_null(tacho_events_finish(events));
    static const int64_t zeros[PART_COUNT] = {900, 0, 4};
    static const uint64_t counts[PART_COUNT] = {2, 0, 3};
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        assert_int_equal(zero_of(at, part), zeros[part]);
        assert_int_equal(at->dict.parts[part].row_count, counts[part]);
    }
    assert_int_equal(at->ended_count, PART_COUNT);
    assert_int_equal(at->finish_count, 1);
    tacho_order_destroy(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ORDER_TEST(test_pass_equals_sort),
        ORDER_TEST(test_pass_refuses_what_comes_late),
        ORDER_TEST(test_pass_refuses_late_flows),
        ORDER_TEST(test_pass_takes_groups),
        ORDER_TEST(test_pass_takes_flows_of_one_time),
        ORDER_TEST(test_pass_never_differs_from_sort),
        ORDER_TEST(test_pass_parts),
    };
    return cmocka_run_group_tests(tests, open_tmpdir, close_tmpdir);
}
