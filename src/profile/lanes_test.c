/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random intervals go through order and lanes into a recorder; what comes out is compared with
 * what went in and with the definition of a lane, pair by pair. Then flows, by hand and at random.
 */
#include "profile/lanes.h"
#include "profile/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SET_COUNT = 3000, SET_ROWS_MAX = 60, ROW_MAX = 1200, SITE_COUNT = 4 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t random_below(uint64_t *state, int64_t limit)
{
    return (int64_t)(next_random(state) % (uint64_t)limit);
}

/* ---- a pipeline that ends in a recorder ------------------------------------------------ */

typedef struct fixture {
    tacho_events events; /* the recorder */
    tacho_dict dict;
    tacho_order *order;
    tacho_lanes *lanes;
    tacho_events *in; /* lanes alone, or order before them */
    uint32_t engine;  /* tracks */
    uint32_t stack;
    uint32_t sites[SITE_COUNT];
    tacho_row rows[ROW_MAX]; /* as they came out */
    size_t row_count;
    unsigned end_part_count;
    unsigned finish_count;
} fixture;

static tacho_status record_row(tacho_events *events, const tacho_row *row)
{
    fixture *at = (fixture *)(void *)events;
    assert_true(at->row_count < ROW_MAX);
    assert_true(row->track < at->dict.track_count);
    at->rows[at->row_count++] = *row;
    return TACHO_OK;
}

static tacho_status record_end_part(tacho_events *events, uint32_t part)
{
    fixture *at = (fixture *)(void *)events;
    assert_int_equal(part, at->end_part_count);
    at->end_part_count++;
    return TACHO_OK;
}

static tacho_status record_finish(tacho_events *events)
{
    fixture *at = (fixture *)(void *)events;
    at->finish_count++;
    return TACHO_OK;
}

static const tacho_events_vtable recorder = {record_row, record_end_part, record_finish};

static uint32_t add_track(fixture *at, const char *name, tacho_nesting nesting)
{
    tacho_track facts = {
        .parent = at->dict.parts[0].root,
        .index = 3,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = TACHO_TRACK_COMPUTE,
        .nesting = nesting,
    };
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

static void fill_dict(fixture *at)
{
    assert_null(tacho_dict_init(&at->dict));
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    tacho_part_facts facts = {.path = TACHO_STR("a.csv")};
    uint32_t part = TACHO_NONE;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    at->engine = add_track(at, "Slice 3", TACHO_NESTING_ENGINE);
    at->stack = add_track(at, "main", TACHO_NESTING_STACK);
    for (uint32_t i = 0; i < SITE_COUNT; i++) {
        char name[] = {(char)('a' + i), '\0'};
        tacho_site site = {.location = TACHO_NONE};
        assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &site.name));
        assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->sites[i]));
    }
}

static fixture *open_fixture(bool sorts)
{
    fixture *at = calloc(1, sizeof(*at));
    if (at == NULL) {
        abort();
    }
    fill_dict(at);
    at->events = (tacho_events){&recorder, &at->dict};
    assert_null(tacho_lanes_create(&at->events, &at->lanes));
    at->in = tacho_lanes_events(at->lanes);
    if (sorts) {
        assert_null(tacho_order_create(at->in, TACHO_ORDER_SORT, 1 << 16, &at->order));
        at->in = tacho_order_events(at->order);
    }
    return at;
}

static void close_fixture(fixture *at)
{
    tacho_order_destroy(at->order);
    tacho_lanes_destroy(at->lanes);
    tacho_dict_deinit(&at->dict);
    free(at);
}

static void finish(fixture *at)
{
    assert_null(tacho_events_end_part(at->in, 0));
    assert_null(tacho_events_finish(at->in));
    assert_int_equal(at->end_part_count, 1);
    assert_int_equal(at->finish_count, 1);
}

static tacho_row make_span(uint32_t track, int64_t start, int64_t end, uint32_t site)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static void push_span(fixture *at, uint32_t track, int64_t start, int64_t end)
{
    tacho_row row = make_span(track, start, end, at->sites[0]);
    assert_null(tacho_events_row(at->in, &row));
}

static void push_instant(fixture *at, uint32_t track, int64_t time)
{
    tacho_row row = make_span(track, time, time, at->sites[0]);
    row.of.span.flags = TACHO_SPAN_INSTANT;
    assert_null(tacho_events_row(at->in, &row));
}

static tacho_row make_flow(uint32_t track, int64_t time, uint64_t id, int64_t span_end)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = id;
    row.of.flow.role = TACHO_FLOW_ORDER;
    row.of.flow.phase = TACHO_FLOW_ARRIVES;
    row.of.flow.span_end = span_end;
    return row;
}

static void push_bound(fixture *at, uint32_t track, int64_t time, int64_t span_end, uint64_t id)
{
    tacho_row row = make_flow(track, time, id, span_end);
    assert_null(tacho_events_row(at->in, &row));
}

static void push_around(fixture *at, uint32_t track, int64_t time, uint64_t id)
{
    push_bound(at, track, time, TACHO_FLOW_AROUND, id);
}

static void push_next(fixture *at, uint32_t track, int64_t time, uint64_t id)
{
    push_bound(at, track, time, TACHO_FLOW_NEXT, id);
}

static uint64_t lost_flows(const fixture *at)
{
    uint64_t count = 0;
    for (size_t i = 0; i < at->dict.loss_count; i++) {
        assert_int_equal(at->dict.losses[i].reason, TACHO_LOSS_UNBOUND_FLOW);
        count += at->dict.losses[i].count;
    }
    return count;
}

static uint32_t base_of(const fixture *at, uint32_t track)
{
    uint32_t base = at->dict.tracks[track].lane_of;
    return base == TACHO_NONE ? track : base;
}

/* Lane 0 is the track itself, the others follow in the order in which they were opened. */
static size_t lane_number(const fixture *at, uint32_t track)
{
    uint32_t base = base_of(at, track);
    size_t number = base == track ? 0 : 1;
    for (uint32_t i = 0; i < track; i++) {
        number += at->dict.tracks[i].lane_of == base && base != track;
    }
    return number;
}

static size_t count_lanes(const fixture *at, uint32_t base)
{
    size_t count = 1;
    for (uint32_t i = 0; i < at->dict.track_count; i++) {
        count += at->dict.tracks[i].lane_of == base;
    }
    return count;
}

/* What came out, as "lane:start-end" for spans, "lane@time#id" for flows, of one track. */
static void check_output(const fixture *at, uint32_t base, const char *expected)
{
    char text[1024] = "";
    size_t len = 0;
    for (size_t i = 0; i < at->row_count; i++) {
        const tacho_row *row = &at->rows[i];
        if (base_of(at, row->track) != base) {
            continue;
        }
        size_t lane = lane_number(at, row->track);
        const char *space = len > 0 ? " " : "";
        int added = row->kind == TACHO_ROW_FLOW
                        ? snprintf(text + len, sizeof(text) - len, "%s%zu@%lld#%llu", space, lane,
                                   (long long)row->start, (unsigned long long)row->of.flow.id)
                        : snprintf(text + len, sizeof(text) - len, "%s%zu:%lld-%lld", space, lane,
                                   (long long)row->start, (long long)tacho_row_end(row));
        len += (size_t)added;
        assert_true(len < sizeof(text));
    }
    assert_string_equal(text, expected);
}

/* ---- lanes by hand ---------------------------------------------------------------------- */

static void test_engine_lanes(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_span(at, at->engine, 5, 15);
    push_span(at, at->engine, 6, 7);
    push_span(at, at->engine, 10, 12); /* half open: touching is no overlap */
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

/* Viewers show 512 levels of a track: what lies deeper goes to another lane. */
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

typedef enum shape {
    SHAPE_ANY,      /* anything goes */
    SHAPE_TIES,     /* few distinct times */
    SHAPE_NESTED,   /* spans lie in one another */
    SHAPE_DISJOINT, /* spans touch at most */
    SHAPE_COUNT,
} shape;

/* Halves of halves: every span lies within one made before it, or apart from it. */
static void make_nested(uint64_t *random, tacho_row *row)
{
    int64_t from = 0;
    int64_t to = 1 << 12;
    int64_t depth = random_below(random, 10);
    for (int64_t k = 0; k < depth; k++) {
        int64_t middle = from + (to - from) / 2;
        bool upper = random_below(random, 2) == 1;
        from = upper ? middle : from;
        to = upper ? to : middle;
    }
    row->start = from;
    row->of.span.end = random_below(random, 8) == 0 ? from : to;
}

static void make_disjoint(uint64_t *random, int64_t *bounds, tacho_row *row)
{
    row->start = *bounds + random_below(random, 3);
    row->of.span.end = row->start + random_below(random, 4);
    *bounds = row->of.span.end;
}

/* |out_rows| in random order; returns how many. */
static size_t make_set(uint64_t *random, const fixture *at, uint32_t track, tacho_row *out_rows)
{
    shape form = (shape)random_below(random, SHAPE_COUNT);
    size_t count = (size_t)random_below(random, SET_ROWS_MAX + 1);
    int64_t range =
        form == SHAPE_TIES ? 2 + random_below(random, 12) : 40 << random_below(random, 6);
    int64_t bounds = random_below(random, 5);
    for (size_t i = 0; i < count; i++) {
        tacho_row *row = &out_rows[i];
        *row = make_span(track, 0, 0, at->sites[random_below(random, SITE_COUNT)]);
        if (form == SHAPE_NESTED) {
            make_nested(random, row);
        } else if (form == SHAPE_DISJOINT) {
            make_disjoint(random, &bounds, row);
        } else {
            row->start = random_below(random, range);
            row->of.span.end = row->start + random_below(random, range / 2);
        }
        if (row->of.span.end == row->start && random_below(random, 3) == 0) {
            row->of.span.flags = TACHO_SPAN_INSTANT;
        }
    }
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random_below(random, (int64_t)i);
        tacho_row swapped = out_rows[i - 1];
        out_rows[i - 1] = out_rows[other];
        out_rows[other] = swapped;
    }
    return count;
}

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

/* Whether |b|, which comes later in track order, cannot share an engine's lane with |a|. */
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

/* Whether |row| was kept out of the lane |track| by a row that came out before it. */
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

/* ---- flows ------------------------------------------------------------------------------ */

/* A flow that knows its span comes directly ahead of it, on its lane. */
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

/* The span never comes: the flow belongs to nothing, is counted, and is not handed on. */
static void test_bound_flow_without_span_is_lost(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_bound(at, at->engine, 5, 15, 1);
    push_span(at, at->engine, 5, 14);
    assert_int_equal(lost_flows(at), 0); /* it may come yet */
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

/* By time: half open, so what starts just then holds it and what ends just then does not. */
static void test_flow_finds_the_span_around(void **state)
{
    (void)state;
    fixture *at = open_fixture(false);
    push_span(at, at->engine, 0, 10);
    push_around(at, at->engine, 0, 1);
    push_span(at, at->engine, 5, 15);
    push_around(at, at->engine, 9, 2);
    push_around(at, at->engine, 10, 3); /* [0,10) is over */
    push_around(at, at->engine, 15, 4); /* and [5,15), too: of none */
    push_span(at, at->engine, 20, 21);
    finish(at);
    check_output(at, at->engine, "0:0-10 0@0#1 1:5-15 0@9#2 1@10#3 0:20-21");
    assert_int_equal(lost_flows(at), 1);
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
        bool is_instant = (span->of.span.flags & TACHO_SPAN_INSTANT) != 0;
        bool starts = span->start == flow->start && !is_instant; /* one without a length, too */
        return starts || (span->start < flow->start && flow->start < span->of.span.end);
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

/* Each flow comes out exactly if some span holds it, and then on the lane of such a span. */
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
        cmocka_unit_test(test_engine_lanes),
        cmocka_unit_test(test_stack_lanes),
        cmocka_unit_test(test_empty_spans),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_samples_pass),
        cmocka_unit_test(test_moved_span_is_whole),
        cmocka_unit_test(test_random_sets),
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
