/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes by hand, and of random intervals: the output is compared with the input and with the
 * definition of a lane, pair by pair.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/lanes_testing.h"

/* ---- lanes by hand ---------------------------------------------------------------------- */

static void test_engine_lanes(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_span(at, at->engine, 5, 15);
    push_span(at, at->engine, 6, 7);
    push_span(at, at->engine, 10, 12); /* half open: touching spans do not overlap */
    push_span(at, at->engine, 12, 20);
    push_span(at, at->engine, 15, 16);
    push_span(at, at->engine, 20, 21);
    finish(at);
    check_output(at, at->engine, "0:0-10 1:5-15 2:6-7 0:10-12 0:12-20 1:15-16 0:20-21");
    close_fixture(at);
}

static void test_stack_lanes(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->stack, 0, 100);
    push_span(at, at->stack, 0, 40);
    push_span(at, at->stack, 10, 20);
    push_span(at, at->stack, 15, 25); /* crosses 10-20 */
    push_span(at, at->stack, 20, 30); /* crosses 15-25, but fits where it ended */
    push_span(at, at->stack, 30, 40);
    push_span(at, at->stack, 40, 100);
    push_span(at, at->stack, 99, 101);
    push_span(at, at->stack, 100, 110);
    finish(at);
    check_output(at, at->stack,
                 "0:0-100 0:0-40 0:10-20 1:15-25 0:20-30 0:30-40 0:40-100 1:99-101 0:100-110");
    close_fixture(at);
}

/* An empty span needs a lane of its own only in the midst of another span; a moment never. */
static void test_empty_spans(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 0);
    push_span(at, at->engine, 0, 0);
    push_instant(at, at->engine, 0);
    push_span(at, at->engine, 0, 10);
    push_span(at, at->engine, 5, 5);
    push_instant(at, at->engine, 5);
    push_span(at, at->engine, 10, 10);
    push_span(at, at->engine, 10, 11);
    push_span(at, at->stack, 0, 10);
    push_span(at, at->stack, 0, 0);
    push_instant(at, at->stack, 5);
    push_span(at, at->stack, 5, 10);
    push_span(at, at->stack, 10, 10);
    finish(at);
    check_output(at, at->engine, "0:0-0 0:0-0 0:0-0 0:0-10 1:5-5 0:5-5 0:10-10 0:10-11");
    check_output(at, at->stack, "0:0-10 0:0-0 0:5-5 0:5-10 0:10-10");
    close_fixture(at);
}

/* Viewers show 512 levels of a track: deeper spans go to another lane. */
static void test_depth_is_limited(void **state)
{
    (void)state;
    enum { DEPTH_MAX = 512, COUNT = 2 * DEPTH_MAX + 76 };
    fixture *at = open_fixture(false);
    for (int64_t i = 0; i < COUNT; i++) {
        push_span(at, at->stack, i, 10000 - i);
    }
    push_span(at, at->stack, 9950, 9951); /* only 50 are open by now */
    finish(at);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(lane_number(at, at->rows[i].track), i / DEPTH_MAX);
    }
    assert_int_equal(lane_number(at, at->rows[COUNT].track), 0);
    assert_int_equal(count_lanes(at, at->stack), 3);
    close_fixture(at);
}

static void test_samples_pass(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    for (int64_t i = 0; i < 3; i++) {
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = at->engine, .start = 5};
        row.of.sample.value = (double)i;
        assert_null(tacho_events_row(at->in, &row));
    }
    finish(at);
    assert_int_equal(at->row_count, 4);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(at->rows[i].kind, TACHO_ROW_SAMPLE);
        assert_int_equal(at->rows[i].track, at->engine);
        assert_true(at->rows[i].of.sample.value == (double)(i - 1));
    }
    assert_int_equal(count_lanes(at, at->engine), 1);
    close_fixture(at);
}

/* A moved span keeps everything but its track. */
static void test_moved_span_is_whole(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    tacho_arg arg = {.key = 0, .type = TACHO_ARG_INT, .value.as_int = -7};
    tacho_row row = make_span(at->engine, 3, 8, at->sites[2]);
    row.of.span.op = 11;
    row.of.span.run = 12;
    row.of.span.flags = TACHO_SPAN_UNENDED | TACHO_ORIGIN_MEASURED;
    row.args = &arg;
    row.arg_count = 1;
    assert_null(tacho_events_row(at->in, &row));
    assert_int_equal(at->row_count, 2);
    tacho_row moved = at->rows[1];
    assert_int_not_equal(moved.track, at->engine);
    moved.track = row.track;
    assert_int_equal(moved.start, 3);
    assert_int_equal(moved.of.span.end, 8);
    assert_int_equal(moved.of.span.site, at->sites[2]);
    assert_int_equal(moved.of.span.op, 11);
    assert_int_equal(moved.of.span.run, 12);
    assert_int_equal(moved.of.span.flags, row.of.span.flags);
    assert_ptr_equal(moved.args, &arg);
    assert_int_equal(moved.arg_count, 1);
    assert_int_equal(row.track, at->engine); /* the caller's row is untouched */
    close_fixture(at);
}

/* ---- lanes at random -------------------------------------------------------------------- */

static int compare_facts(const void *a, const void *b)
{
    const int64_t *facts_a = a;
    const int64_t *facts_b = b;
    for (size_t i = 0; i < 5; i++) {
        if (facts_a[i] != facts_b[i]) {
            return facts_a[i] < facts_b[i] ? -1 : 1;
        }
    }
    return 0;
}

static void sorted_facts(const fixture *at, const tacho_row *rows, size_t count,
                         int64_t (*out_facts)[5])
{
    for (size_t i = 0; i < count; i++) {
        out_facts[i][0] = base_of(at, rows[i].track);
        out_facts[i][1] = rows[i].start;
        out_facts[i][2] = rows[i].of.span.end;
        out_facts[i][3] = rows[i].of.span.site;
        out_facts[i][4] = rows[i].of.span.flags;
    }
    qsort(out_facts, count, sizeof(*out_facts), compare_facts);
}

static void check_nothing_lost(const fixture *at, const tacho_row *rows, size_t count)
{
    static int64_t expected[ROW_MAX][5];
    static int64_t found[ROW_MAX][5];
    assert_int_equal(at->row_count, count);
    sorted_facts(at, rows, count, expected);
    sorted_facts(at, at->rows, count, found);
    assert_memory_equal(found, expected, count * sizeof(*found));
}

static bool is_instant(const tacho_row *row)
{
    return (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
}

static bool is_empty(const tacho_row *row)
{
    return row->of.span.end == row->start;
}

static bool crosses(const tacho_row *a, const tacho_row *b)
{
    return a->start < b->start && b->start < a->of.span.end && a->of.span.end < b->of.span.end;
}

/* Whether |b|, which is later in track order, cannot share an engine's lane with |a|. */
static bool collides(const tacho_row *a, const tacho_row *b)
{
    return b->start < a->of.span.end;
}

/* Two rows of one output track, |a| first. */
static void check_pair(const fixture *at, const tacho_row *a, const tacho_row *b)
{
    assert_true(a->start <= b->start);
    if (is_instant(a) || is_instant(b)) {
        return;
    }
    assert_false(crosses(a, b));
    if (at->dict.tracks[a->track].nesting == TACHO_NESTING_ENGINE) {
        assert_false(collides(a, b));
    } else if (a->start == b->start) {
        assert_true(a->of.span.end >= b->of.span.end);
    }
}

/* Whether |row| was kept out of the lane |track| by a row passed on before it. */
static bool is_blocked(const fixture *at, const tacho_row *row, uint32_t track)
{
    bool is_engine = at->dict.tracks[track].nesting == TACHO_NESTING_ENGINE;
    for (const tacho_row *other = at->rows; other < row; other++) {
        if (other->track == track && !is_instant(other) && collides(other, row) &&
            (is_engine || row->of.span.end > other->of.span.end)) {
            return true;
        }
    }
    return false;
}

/* A span is in a later lane only if none before would take it. */
static void check_first_fit(const fixture *at, const tacho_row *row)
{
    uint32_t base = base_of(at, row->track);
    if (row->track == base) {
        return;
    }
    assert_false(is_instant(row));
    assert_true(is_blocked(at, row, base));
    for (uint32_t track = 0; track < row->track; track++) {
        if (at->dict.tracks[track].lane_of == base) {
            assert_true(is_blocked(at, row, track));
        }
    }
}

static void check_lane_facts(const fixture *at, uint32_t id)
{
    const tacho_track *lane = &at->dict.tracks[id];
    if (lane->lane_of == TACHO_NONE) {
        return;
    }
    const tacho_track *track = &at->dict.tracks[lane->lane_of];
    assert_int_equal(track->lane_of, TACHO_NONE);
    assert_int_equal(lane->name, track->name);
    assert_int_equal(lane->parent, track->parent);
    assert_int_equal(lane->part, track->part);
    assert_int_equal(lane->clock, track->clock);
    assert_int_equal(lane->index, track->index);
    assert_int_equal(lane->rank, track->rank);
    assert_int_equal(lane->track_class, track->track_class);
    assert_int_equal(lane->nesting, track->nesting);
    size_t used_count = 0;
    for (size_t i = 0; i < at->row_count; i++) {
        used_count += at->rows[i].track == id;
    }
    assert_true(used_count > 0);
}

/* Spans of one set that are under way at the start of |row|, with itself. Any number of empty
 * ones can share a lane. */
static size_t depth_at(const tacho_row *rows, size_t count, const tacho_row *row)
{
    size_t depth = is_empty(row) ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        bool has_begun = rows[i].start < row->start ||
                         (rows[i].start == row->start && !is_empty(row) && !is_empty(&rows[i]));
        depth += has_begun && rows[i].of.span.end > row->start;
    }
    return depth;
}

static size_t greatest_depth(const tacho_row *rows, size_t count)
{
    size_t greatest = 1;
    for (size_t i = 0; i < count; i++) {
        size_t depth = is_instant(&rows[i]) ? 0 : depth_at(rows, count, &rows[i]);
        greatest = depth > greatest ? depth : greatest;
    }
    return greatest;
}

static bool any_crossing(const tacho_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (crosses(&rows[i], &rows[k])) {
                return true;
            }
        }
    }
    return false;
}

/* How often the sets were of a kind that matters. */
typedef struct tally {
    size_t single_lane_count;
    size_t many_lane_count;
    size_t nested_count;
    size_t crossing_count;
} tally;

static void check_set(uint64_t *random, tally *counts)
{
    fixture *at = open_fixture(true);
    tacho_row rows[2 * SET_ROWS_MAX];
    size_t engine_count = make_set(random, at, at->engine, rows);
    size_t stack_count = make_set(random, at, at->stack, rows + engine_count);
    size_t count = engine_count + stack_count;
    for (size_t i = 0; i < count; i++) {
        assert_null(tacho_events_row(at->in, &rows[i]));
    }
    finish(at);
    check_nothing_lost(at, rows, count);
    for (size_t b = 0; b < count; b++) {
        check_first_fit(at, &at->rows[b]);
        for (size_t a = 0; a < b; a++) {
            if (at->rows[a].track == at->rows[b].track) {
                check_pair(at, &at->rows[a], &at->rows[b]);
            }
        }
    }
    for (uint32_t id = 0; id < at->dict.track_count; id++) {
        check_lane_facts(at, id);
    }
    size_t depth = greatest_depth(rows, engine_count);
    assert_int_equal(count_lanes(at, at->engine), depth);
    counts->single_lane_count += engine_count > 1 && depth == 1;
    counts->many_lane_count += depth > 4;
    if (any_crossing(rows + engine_count, stack_count)) {
        assert_true(count_lanes(at, at->stack) > 1);
        counts->crossing_count++;
    } else {
        assert_int_equal(count_lanes(at, at->stack), 1);
        counts->nested_count += stack_count > 10;
    }
    close_fixture(at);
}

static void test_random_sets(void **state)
{
    (void)state;
    uint64_t random = 31;
    tally counts = {0};
    for (size_t i = 0; i < SET_COUNT; i++) {
        check_set(&random, &counts);
    }
    assert_true(counts.single_lane_count > SET_COUNT / 10);
    assert_true(counts.many_lane_count > SET_COUNT / 10);
    assert_true(counts.nested_count > SET_COUNT / 10);
    assert_true(counts.crossing_count > SET_COUNT / 10);
}

/* ---- groups ----------------------------------------------------------------------------- */

/* Whether |a| precedes |b|: by time, and in track order where they share a track. */
static bool is_before(const fixture *at, const tacho_row *a, const tacho_row *b)
{
    if (a->start != b->start) {
        return a->start < b->start;
    }
    return a->track != b->track ? a->track < b->track : tacho_row_compare(&at->dict, a, b) < 0;
}

/* Pushes |rows| in groups of |group|; returns the output. */
static fixture *run_groups(const tacho_row *rows, size_t count, size_t group)
{
    fixture *at = open_fixture(false);
    for (size_t i = 0; i < count; i += group) {
        size_t taken = count - i < group ? count - i : group;
        assert_null(group == 1 ? tacho_events_row(at->in, &rows[i])
                               : tacho_events_rows(at->in, rows + i, taken));
    }
    finish(at);
    return at;
}

/* Rows pushed in groups go to the same lanes as rows pushed one by one. */
static void test_groups(void **state)
{
    (void)state;
    uint64_t random = 77;
    for (size_t round = 0; round < 500; round++) {
        fixture *sorted = open_fixture(true);
        tacho_row rows[2 * SET_ROWS_MAX];
        size_t count = make_set(&random, sorted, sorted->engine, rows);
        count += make_set(&random, sorted, sorted->stack, rows + count);
        for (size_t i = 1; i < count; i++) {
            for (size_t k = i; k > 0 && is_before(sorted, &rows[k], &rows[k - 1]); k--) {
                tacho_row swapped = rows[k];
                rows[k] = rows[k - 1];
                rows[k - 1] = swapped;
            }
        }
        fixture *single = run_groups(rows, count, 1);
        fixture *grouped = run_groups(rows, count, 2 + round % 40);
        assert_int_equal(single->row_count, grouped->row_count);
        for (size_t i = 0; i < single->row_count; i++) {
            assert_int_equal(single->rows[i].track, grouped->rows[i].track);
            assert_int_equal(single->rows[i].start, grouped->rows[i].start);
            assert_int_equal(single->rows[i].of.span.end, grouped->rows[i].of.span.end);
            assert_int_equal(single->rows[i].of.span.site, grouped->rows[i].of.span.site);
        }
        close_fixture(single);
        close_fixture(grouped);
        close_fixture(sorted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_engine_lanes),
        cmocka_unit_test(test_stack_lanes),
        cmocka_unit_test(test_empty_spans),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_samples_pass),
        cmocka_unit_test(test_moved_span_is_whole),
        cmocka_unit_test(test_random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
