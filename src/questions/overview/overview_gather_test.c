/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of random work, compared with counting tick by tick: the same for work in any order, and for
 * more work than the spool holds in memory. A class that changes late needs sorted input.
 */
#include "questions/overview/overview.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TICKS = 400, ROUNDS = 200, SPANS_MAX = 60, TRACKS = 11, MANY = 200000 };

/* The classes of the tracks; two tracks of one class may have equal or different indexes. */
static const struct {
    tacho_track_class track_class;
    uint32_t index;
} made_of[TRACKS] = {
    {TACHO_TRACK_DMA_IN, 0},    {TACHO_TRACK_DMA_IN, 1},  {TACHO_TRACK_DMA_OUT, 0},
    {TACHO_TRACK_DMA_LOCAL, 0}, {TACHO_TRACK_COMPUTE, 0}, {TACHO_TRACK_COMPUTE, 2},
    {TACHO_TRACK_COMPUTE, 2},   {TACHO_TRACK_VECTOR, 0},  {TACHO_TRACK_HOST, 0},
    {TACHO_TRACK_HOST_COPY, 0}, {TACHO_TRACK_RUNTIME, 0},
};

typedef struct fixture {
    tacho_dict dict;
    tacho_overview_gather gather;
    uint32_t part, site;
    uint32_t tracks[TRACKS];
    uint64_t seed;
} fixture;

static uint32_t below(fixture *at, uint32_t limit)
{
    at->seed = at->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(at->seed >> 33) % limit;
}

static void setup(fixture *at, uint64_t seed)
{
    *at = (fixture){.seed = seed};
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts facts = {.path = TACHO_STR("a.csv"), .origin = TACHO_ORIGIN_MEASURED};
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
    tacho_site site = {.location = TACHO_NONE};
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("work"), &site.name));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->site));
    for (uint32_t i = 0; i < TRACKS; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        tacho_track track = {.parent = at->dict.parts[at->part].root,
                             .part = at->part,
                             .clock = facts.clock,
                             .index = made_of[i].index,
                             .lane_of = TACHO_NONE,
                             .track_class = made_of[i].track_class};
        assert_null(tacho_dict_ensure_track(&at->dict, &track, tacho_str_from_cstring(name),
                                            &at->tracks[i]));
    }
    tacho_overview_gather_init(&at->gather, &at->dict);
}

static void teardown(fixture *at)
{
    tacho_overview_gather_deinit(&at->gather);
    tacho_dict_deinit(&at->dict);
}

static void push_with(fixture *at, uint32_t track, int64_t start, int64_t end, uint32_t flags)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->tracks[track], .start = start};
    row.of.span.end = end;
    row.of.span.flags = flags;
    row.of.span.site = at->site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    assert_null(tacho_events_row(&at->gather.events, &row));
}

static void push(fixture *at, uint32_t track, int64_t start, int64_t end)
{
    push_with(at, track, start, end, 0);
}

/* The busy tracks in each tick: bit i is track i. */
typedef struct ticks {
    uint32_t busy[TICKS];
    int64_t first, last;
} ticks;

static int64_t count(const ticks *of, uint32_t any, uint32_t none)
{
    int64_t sum = 0;
    for (size_t i = 0; i < TICKS; i++) {
        sum += (of->busy[i] & any) != 0 && (of->busy[i] & none) == 0 ? 1 : 0;
    }
    return sum;
}

enum {
    IN = 3 << 0,
    OUT = 1 << 2,
    LOCAL = 1 << 3,
    MOVES = IN | OUT | LOCAL,
    SLICE = 7 << 4,
    CSS = 1 << 7,
    COMPUTE = SLICE | CSS,
    HOST = 1 << 8,
    COPY = 1 << 9,
    HAL = 1 << 10,
    ALL = (1 << TRACKS) - 1,
};

static void expect(const tacho_overview *overview, tacho_metric metric, uint32_t index,
                   int64_t value)
{
    const int64_t *found = tacho_overview_find(overview, &overview->blocks[0], metric, index);
    assert_non_null(found);
    assert_int_equal(*found, value);
}

static void compare(fixture *at, const ticks *of)
{
    const tacho_overview_options options = {.in_cycles = false};
    tacho_overview overview;
    assert_null(tacho_overview_init_gathered(&overview, &at->gather, &options));
    assert_int_equal(overview.block_count, 1);
    expect(&overview, TACHO_METRIC_OVERALL, 0, of->last - of->first);
    expect(&overview, TACHO_METRIC_IDLE, 0, of->last - of->first - count(of, ALL, 0));
    expect(&overview, TACHO_METRIC_DMA, 0, count(of, IN | OUT, 0));
    expect(&overview, TACHO_METRIC_DMA_IN, 0, count(of, IN, 0));
    expect(&overview, TACHO_METRIC_DMA_OUT, 0, count(of, OUT, 0));
    expect(&overview, TACHO_METRIC_CDMA, 0, count(of, LOCAL, 0));
    expect(&overview, TACHO_METRIC_DMA_COMBINED, 0, count(of, MOVES, 0));
    expect(&overview, TACHO_METRIC_DMA_ONLY, 0, count(of, MOVES, COMPUTE));
    expect(&overview, TACHO_METRIC_COMPUTE, 0, count(of, COMPUTE, 0));
    expect(&overview, TACHO_METRIC_COMPUTE_ONLY, 0, count(of, COMPUTE, MOVES));
    expect(&overview, TACHO_METRIC_OVERLAP, 0, count(of, MOVES, 0) - count(of, MOVES, COMPUTE));
    expect(&overview, TACHO_METRIC_SLICE, 0, count(of, SLICE, 0));
    expect(&overview, TACHO_METRIC_SLICE_N, 0, count(of, 1 << 4, 0));
    expect(&overview, TACHO_METRIC_SLICE_N, 2, count(of, 3 << 5, 0));
    expect(&overview, TACHO_METRIC_CSS, 0, count(of, CSS, 0));
    expect(&overview, TACHO_METRIC_HAL, 0, count(of, HAL, 0));
    expect(&overview, TACHO_METRIC_HOST, 0, count(of, HOST, 0));
    expect(&overview, TACHO_METRIC_HOST_COPY, 0, count(of, COPY, 0));
    tacho_overview_deinit(&overview);
}

/* Random work in random order, with gaps, overlaps, touching ends and spans of no length. */
static void test_random_work(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        fixture at;
        ticks of = {.first = TICKS, .last = 0};
        setup(&at, round);
        uint32_t span_count = 1 + below(&at, SPANS_MAX);
        for (uint32_t i = 0; i < span_count; i++) {
            uint32_t track = below(&at, TRACKS);
            uint32_t start = below(&at, TICKS);
            uint32_t end = start + below(&at, 1 + (TICKS - start < 40 ? TICKS - start : 40));
            push(&at, track, start, end);
            of.first = start < of.first ? start : of.first;
            of.last = end > of.last ? end : of.last;
            for (uint32_t tick = start; tick < end; tick++) {
                of.busy[tick] |= UINT32_C(1) << track;
            }
        }
        assert_null(tacho_events_end_part(&at.gather.events, at.part));
        compare(&at, &of);
        teardown(&at);
    }
}

/* Far more than the spool keeps in memory: one tick of three is busy, backwards on one track. */
static void test_many(void **state)
{
    (void)state;
    const tacho_overview_options options = {.in_cycles = false};
    fixture at;
    setup(&at, 0);
    for (int64_t i = 0; i < MANY; i++) {
        push(&at, 4, 3 * i, 3 * i + 1);
        push(&at, 0, 3 * (MANY - 1 - i) + 1, 3 * (MANY - 1 - i) + 2);
    }
    assert_null(tacho_events_end_part(&at.gather.events, at.part));
    tacho_overview overview;
    assert_null(tacho_overview_init_gathered(&overview, &at.gather, &options));
    expect(&overview, TACHO_METRIC_OVERALL, 0, 3 * MANY - 1);
    expect(&overview, TACHO_METRIC_SLICE_N, 0, MANY);
    expect(&overview, TACHO_METRIC_DMA_IN, 0, MANY);
    expect(&overview, TACHO_METRIC_OVERLAP, 0, 0);
    expect(&overview, TACHO_METRIC_IDLE, 0, MANY - 1);
    tacho_overview_deinit(&overview);
    teardown(&at);
}

/* A span that never ended is a moment; work that touches it counts in full. */
static void test_unended(void **state)
{
    (void)state;
    const tacho_overview_options options = {.in_cycles = false};
    fixture at;
    setup(&at, 0);
    push_with(&at, 4, 10, 90, TACHO_SPAN_UNENDED);
    push(&at, 4, 10, 30);
    assert_null(tacho_events_end_part(&at.gather.events, at.part));
    tacho_overview overview;
    assert_null(tacho_overview_init_gathered(&overview, &at.gather, &options));
    expect(&overview, TACHO_METRIC_OVERALL, 0, 20);
    expect(&overview, TACHO_METRIC_SLICE_N, 0, 20);
    tacho_overview_deinit(&overview);
    teardown(&at);
}

/* The caller must read the input again, sorted: then classes precede rows. */
static void test_late_class(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 0);
    push(&at, 0, 0, 10);
    at.dict.tracks[at.tracks[0]].track_class = TACHO_TRACK_COMPUTE;
    tacho_status status = tacho_events_end_part(&at.gather.events, at.part);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    tacho_status_free(status);
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_work),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_unended),
        cmocka_unit_test(test_late_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
