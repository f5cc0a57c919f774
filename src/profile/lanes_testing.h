/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of lanes: rows go through order and lanes into a recorder. Include it after <cmocka.h>.
 */
#ifndef TACHO_PROFILE_LANES_TESTING_H
#define TACHO_PROFILE_LANES_TESTING_H

#include "profile/lanes.h"
#include "profile/order.h"

#include <stdio.h>
#include <stdlib.h>

enum { SET_COUNT = 3000, SET_ROWS_MAX = 60, ROW_MAX = 1200, SITE_COUNT = 4 };

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int64_t random_below(uint64_t *state, int64_t limit)
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
    tacho_row rows[ROW_MAX]; /* the output */
    size_t row_count;
    unsigned end_part_count;
    unsigned finish_count;
} fixture;

static inline tacho_status record_row(tacho_events *events, const tacho_row *row)
{
    fixture *at = (fixture *)(void *)events;
    assert_true(at->row_count < ROW_MAX);
    assert_true(row->track < at->dict.track_count);
    at->rows[at->row_count++] = *row;
    return TACHO_OK;
}

static inline tacho_status record_end_part(tacho_events *events, uint32_t part)
{
    fixture *at = (fixture *)(void *)events;
    assert_int_equal(part, at->end_part_count);
    at->end_part_count++;
    return TACHO_OK;
}

static inline tacho_status record_finish(tacho_events *events)
{
    fixture *at = (fixture *)(void *)events;
    at->finish_count++;
    return TACHO_OK;
}

static const tacho_events_vtable recorder = {
    .row = record_row, .end_part = record_end_part, .finish = record_finish};

static inline uint32_t add_track(fixture *at, const char *name, tacho_nesting nesting)
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

static inline void fill_dict(fixture *at)
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

static inline fixture *open_fixture(bool sorts)
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

static inline void close_fixture(fixture *at)
{
    tacho_order_destroy(at->order);
    tacho_lanes_destroy(at->lanes);
    tacho_dict_deinit(&at->dict);
    free(at);
}

static inline void finish(fixture *at)
{
    assert_null(tacho_events_end_part(at->in, 0));
    assert_null(tacho_events_finish(at->in));
    assert_int_equal(at->end_part_count, 1);
    assert_int_equal(at->finish_count, 1);
}

static inline tacho_row make_span(uint32_t track, int64_t start, int64_t end, uint32_t site)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static inline void push_span(fixture *at, uint32_t track, int64_t start, int64_t end)
{
    tacho_row row = make_span(track, start, end, at->sites[0]);
    assert_null(tacho_events_row(at->in, &row));
}

static inline void push_instant(fixture *at, uint32_t track, int64_t time)
{
    tacho_row row = make_span(track, time, time, at->sites[0]);
    row.of.span.flags = TACHO_SPAN_INSTANT;
    assert_null(tacho_events_row(at->in, &row));
}

static inline tacho_row make_flow(uint32_t track, int64_t time, uint64_t id, int64_t span_end)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = id;
    row.of.flow.role = TACHO_FLOW_ORDER;
    row.of.flow.phase = TACHO_FLOW_ARRIVES;
    row.of.flow.span_end = span_end;
    return row;
}

static inline void push_bound(fixture *at, uint32_t track, int64_t time, int64_t span_end,
                              uint64_t id)
{
    tacho_row row = make_flow(track, time, id, span_end);
    assert_null(tacho_events_row(at->in, &row));
}

static inline void push_around(fixture *at, uint32_t track, int64_t time, uint64_t id)
{
    push_bound(at, track, time, TACHO_FLOW_AROUND, id);
}

static inline void push_next(fixture *at, uint32_t track, int64_t time, uint64_t id)
{
    push_bound(at, track, time, TACHO_FLOW_NEXT, id);
}

static inline uint64_t lost_flows(const fixture *at)
{
    uint64_t count = 0;
    for (size_t i = 0; i < at->dict.loss_count; i++) {
        assert_int_equal(at->dict.losses[i].reason, TACHO_LOSS_UNBOUND_FLOW);
        count += at->dict.losses[i].count;
    }
    return count;
}

static inline uint32_t base_of(const fixture *at, uint32_t track)
{
    uint32_t base = at->dict.tracks[track].lane_of;
    return base == TACHO_NONE ? track : base;
}

/* Lane 0 is the track itself, the others follow in the order in which they were opened. */
static inline size_t lane_number(const fixture *at, uint32_t track)
{
    uint32_t base = base_of(at, track);
    size_t number = base == track ? 0 : 1;
    for (uint32_t i = 0; i < track; i++) {
        number += at->dict.tracks[i].lane_of == base && base != track;
    }
    return number;
}

static inline size_t count_lanes(const fixture *at, uint32_t base)
{
    size_t count = 1;
    for (uint32_t i = 0; i < at->dict.track_count; i++) {
        count += at->dict.tracks[i].lane_of == base;
    }
    return count;
}

/* Checks the output of one track: "lane:start-end" for spans, "lane@time#id" for flows. */
static inline void check_output(const fixture *at, uint32_t base, const char *expected)
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

/* ---- random sets ------------------------------------------------------------------------ */

typedef enum shape {
    SHAPE_ANY,      /* anything goes */
    SHAPE_TIES,     /* few distinct times */
    SHAPE_NESTED,   /* spans nest */
    SHAPE_DISJOINT, /* spans touch at most */
    SHAPE_COUNT,
} shape;

/* Halves of halves: every span is inside an earlier one, or apart from it. */
static inline void make_nested(uint64_t *random, tacho_row *row)
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

static inline void make_disjoint(uint64_t *random, int64_t *bounds, tacho_row *row)
{
    row->start = *bounds + random_below(random, 3);
    row->of.span.end = row->start + random_below(random, 4);
    *bounds = row->of.span.end;
}

/* |out_rows| in random order; returns how many. */
static inline size_t make_set(uint64_t *random, const fixture *at, uint32_t track,
                              tacho_row *out_rows)
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

#endif
