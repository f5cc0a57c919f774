/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles with more rows than a page may have, which is few here: every span is counted, busy time
 * stays exact, stretches nest, long spans stay as they are, and samples keep their peaks.
 */
#include "sinks/report_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS_MAX = 64, ROUNDS = 100, DEPTH_MAX = 6, STACK = 16 };

typedef struct fixture {
    tacho_dict dict;
    report_columns columns;
    uint32_t track, counter;
    uint32_t sites[2];
    uint64_t seed;
    uint64_t pushed_count;
    int64_t busy, busy_end;
    int64_t longest;
} fixture;

static uint32_t below(fixture *at, uint32_t limit)
{
    at->seed = at->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(at->seed >> 33) % limit;
}

static uint32_t add_track(fixture *at, tacho_str name, tacho_track_class track_class)
{
    uint32_t id = TACHO_NONE;
    tacho_track facts = {.parent = at->dict.parts[0].root,
                         .clock = at->dict.parts[0].clock,
                         .lane_of = TACHO_NONE,
                         .track_class = track_class,
                         .nesting = TACHO_NESTING_STACK};
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, name, &id));
    return id;
}

static void setup(fixture *at, uint64_t seed)
{
    *at = (fixture){.seed = seed};
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts facts = {.path = TACHO_STR("a.json"), .origin = TACHO_ORIGIN_MEASURED};
    uint32_t part = 0;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    at->track = add_track(at, TACHO_STR("thread"), TACHO_TRACK_HOST);
    at->counter = add_track(at, TACHO_STR("load"), TACHO_TRACK_COUNTER);
    for (size_t i = 0; i < 2; i++) {
        tacho_site site = {.location = TACHO_NONE};
        tacho_str name = i == 0 ? TACHO_STR("a") : TACHO_STR("b");
        assert_null(tacho_dict_ensure_string(&at->dict, name, &site.name));
        assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->sites[i]));
    }
    assert_null(report_columns_init(&at->columns, &at->dict));
    at->columns.row_max = ROWS_MAX;
    at->columns.row_limit = ROWS_MAX;
}

static void teardown(fixture *at)
{
    report_columns_deinit(&at->columns);
    tacho_dict_deinit(&at->dict);
}

static void push(fixture *at, int64_t start, int64_t end, uint32_t site)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->track, .start = start};
    row.of.span.end = end;
    row.of.span.site = at->sites[site];
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    assert_null(tacho_events_row(&at->columns.events, &row));
    at->pushed_count++;
    int64_t begin = start > at->busy_end ? start : at->busy_end;
    if (end > begin) {
        at->busy += end - begin;
        at->busy_end = end;
    }
    at->longest = end - start > at->longest ? end - start : at->longest;
}

static uint64_t take(const report_bytes *bytes, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < bytes->item_count);
        unsigned char byte = bytes->items[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
}

/* Reads the columns of the track back and compares their sums with those of the pushed rows. */
static void check_track(fixture *at)
{
    const report_track *track = report_columns_track(&at->columns, at->track);
    size_t starts = 0;
    size_t lengths = 0;
    size_t counts = 0;
    size_t fills = 0;
    uint64_t count = 0;
    int64_t busy = 0;
    int64_t time = 0;
    int64_t longest = 0;
    int64_t ends[STACK] = {INT64_MAX};
    size_t depth = 1;
    for (uint64_t i = 0; i < track->row_count; i++) {
        time += (int64_t)take(&track->starts, &starts);
        int64_t length = (int64_t)take(&track->lengths, &lengths);
        int64_t filled = (int64_t)take(&track->busy, &fills);
        count += take(&track->counts, &counts);
        assert_true(filled <= length);
        while (ends[depth - 1] <= time) {
            depth--;
        }
        assert_true(time + length <= ends[depth - 1]); /* nothing crosses */
        busy += depth == 1 ? filled : 0;
        longest = length > longest ? length : longest;
        assert_true(depth < STACK);
        ends[depth++] = time + length;
    }
    assert_int_equal(counts, track->counts.item_count);
    assert_int_equal(count, at->pushed_count);
    assert_int_equal(busy, at->busy);
    assert_true(longest >= at->longest);
}

/* Nested calls of all lengths, with and without gaps. */
static void test_random_calls(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        fixture at;
        setup(&at, round);
        int64_t ends[DEPTH_MAX] = {INT64_MAX};
        size_t depth = 1;
        int64_t time = 0;
        for (unsigned i = 0; i < 1000; i++) {
            time += below(&at, 3) == 0 ? 0 : below(&at, 50);
            while (ends[depth - 1] <= time) {
                depth--;
            }
            int64_t length = below(&at, below(&at, 20) == 0 ? 5000 : 40);
            int64_t end =
                depth > 1 && time + length > ends[depth - 1] ? ends[depth - 1] : time + length;
            push(&at, time, end, below(&at, 2));
            if (depth < DEPTH_MAX && end > time) {
                ends[depth++] = end;
            } else {
                time = end;
            }
        }
        assert_null(report_columns_finish(&at.columns));
        assert_true(at.columns.resolution_ns > 0);
        assert_true(at.columns.row_count <= ROWS_MAX + 4);
        assert_int_equal(at.columns.span_count, at.pushed_count);
        check_track(&at);
        teardown(&at);
    }
}

/* A stretch of equal spans keeps their name; one of different spans is named "several spans". */
static void test_names(void **state)
{
    (void)state;
    for (uint32_t mixed = 0; mixed < 2; mixed++) {
        fixture at;
        setup(&at, 0);
        for (int64_t i = 0; i < 1000; i++) {
            push(&at, 10 * i, 10 * i + 5, mixed != 0 && i % 2 == 1);
        }
        assert_null(report_columns_finish(&at.columns));
        check_track(&at);
        const report_track *track = report_columns_track(&at.columns, at.track);
        size_t place = 0;
        uint32_t site = (uint32_t)take(&track->sites, &place);
        assert_string_equal(tacho_dict_string(&at.dict, at.dict.sites[site].name).data,
                            mixed != 0 ? "several spans" : "a");
        teardown(&at);
    }
}

/* A profile below the limit of the page stays complete. */
static void test_in_full(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 0);
    for (int64_t i = 0; i < ROWS_MAX; i++) {
        push(&at, 10 * i, 10 * i + 5, 0);
    }
    assert_null(report_columns_finish(&at.columns));
    assert_int_equal(at.columns.resolution_ns, 0);
    assert_int_equal(report_columns_track(&at.columns, at.track)->row_count, ROWS_MAX);
    assert_int_equal(report_columns_track(&at.columns, at.track)->counts.item_count, 0);
    teardown(&at);
}

static void test_samples(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 0);
    for (int64_t i = 0; i < 1000; i++) {
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = at.counter, .start = i};
        row.of.sample.value = i == 777 ? 5.0 : 1.0;
        assert_null(tacho_events_row(&at.columns.events, &row));
    }
    assert_null(report_columns_finish(&at.columns));
    assert_true(at.columns.row_count <= ROWS_MAX + 4);
    assert_int_equal(at.columns.sample_count, 1000);
    const report_track *track = report_columns_track(&at.columns, at.counter);
    unsigned peak_count = 0;
    for (uint64_t i = 0; i < track->row_count; i++) {
        double value = 0;
        memcpy(&value, track->values.items + i * sizeof(value), sizeof(value));
        peak_count += value > 4.0 ? 1 : 0;
    }
    assert_int_equal(peak_count, 1);
    teardown(&at);
}

/* ---- places -------------------------------------------------------------------------------- */

/* Crossing spans go on lanes, together with their places; a launch stays when a place changes. */
static void test_places(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 1);
    push(&at, 0, 100, 0);
    push(&at, 50, 150, 1);
    push(&at, 200, 300, 0);
    const report_place launched = {
        .layer = 3, .is_device = true, .launch_track = at.track, .launch_ns = 40};
    const report_place moved = {.layer = 5, .is_device = true, .launch_track = TACHO_NONE};
    assert_null(report_places_set(&at.columns.places, 1, &launched));
    assert_null(report_places_set(&at.columns.places, 1, &moved));
    assert_null(report_places_set(&at.columns.places, 7, &moved)); /* no such span */
    assert_null(tacho_events_finish(&at.columns.events));
    assert_null(report_columns_finish(&at.columns));
    const report_track *lead = report_columns_track(&at.columns, at.track);
    const report_track *lane =
        report_columns_track(&at.columns, (uint32_t)at.columns.track_count - 1);
    assert_int_equal(lead->row_count, 2);
    assert_int_equal(lane->row_count, 1);
    assert_false(lead->has_places || lead->has_launches);
    assert_true(lane->has_places && lane->has_launches);
    size_t next = 0;
    report_bytes column = {0};
    assert_null(report_places_put_codes(&at.columns.places, &lane->numbers, &column));
    assert_null(report_places_put_launches(&at.columns.places, &lane->numbers, &column));
    assert_int_equal(take(&column, &next), 1 + 4 * 4 + 1);
    assert_int_equal(take(&column, &next), at.track + 1);
    assert_int_equal(take(&column, &next), 2 * 40); /* zigzag */
    assert_int_equal(next, column.item_count);
    report_bytes_deinit(&column);
    teardown(&at);
}

static void test_places_of_many(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 1);
    for (int64_t i = 0; i < 4 * ROWS_MAX; i++) {
        push(&at, 10 * i, 10 * i + 5, 0);
    }
    const report_place place = {.layer = 2, .launch_track = TACHO_NONE};
    assert_null(report_places_set(&at.columns.places, 3, &place)); /* merged rows have none */
    assert_null(tacho_events_finish(&at.columns.events));
    assert_null(report_columns_finish(&at.columns));
    assert_true(at.columns.resolution_ns > 0);
    assert_false(report_columns_track(&at.columns, at.track)->has_places);
    teardown(&at);
}

/* ---- columns of zeros ---------------------------------------------------------------------- */

/* A column starts with the first nonzero value, with zeros for the rows before. */
static void test_rare_columns(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 1);
    push(&at, 0, 10, 0);
    push(&at, 20, 30, 0);
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at.track, .start = 40};
    row.of.span.end = 40;
    row.of.span.site = at.sites[0];
    row.of.span.flags = TACHO_SPAN_INSTANT;
    assert_null(tacho_events_row(&at.columns.events, &row));
    push(&at, 60, 70, 0);
    assert_null(tacho_events_finish(&at.columns.events));
    assert_null(report_columns_finish(&at.columns));
    const report_track *track = report_columns_track(&at.columns, at.track);
    static const unsigned char flags[] = {0, 0, TACHO_SPAN_INSTANT, 0};
    assert_int_equal(track->flags.item_count, sizeof(flags));
    assert_memory_equal(track->flags.items, flags, sizeof(flags));
    assert_int_equal(track->sizes.item_count + track->types.item_count, 0);
    teardown(&at);
}

/* ---- facts --------------------------------------------------------------------------------- */

static uint32_t key(fixture *at, const char *name)
{
    uint32_t id = 0;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &id));
    return id;
}

static void check_facts(fixture *at, tacho_arg *args, size_t arg_count, const char *expected)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .args = args, .arg_count = arg_count};
    report_facts facts = {.is_ready = false};
    tacho_str text;
    assert_null(report_facts_of_row(&facts, &at->dict, &row, &text));
    assert_true(tacho_str_equal(text, tacho_str_from_cstring(expected)));
    report_facts_deinit(&facts);
}

static void test_facts(void **state)
{
    (void)state;
    fixture at;
    setup(&at, 1);
    tacho_arg kernel[] = {
        {.key = key(&at, "stream"), .type = TACHO_ARG_INT, .value.as_int = 7},
        {.key = key(&at, "grid"), .type = TACHO_ARG_ARRAY, .value.as_uint = 3},
        {.type = TACHO_ARG_INT, .value.as_int = 64},
        {.type = TACHO_ARG_INT, .value.as_int = 3},
        {.type = TACHO_ARG_INT, .value.as_int = 1},
        {.key = key(&at, "shared memory"), .type = TACHO_ARG_UINT, .value.as_uint = 1024},
    };
    check_facts(&at, kernel, 6, "grid\t64x3x1\nshared memory\t1024");
    check_facts(&at, kernel, 4, "grid\t64x3"); /* an array with too large a count */
    check_facts(&at, kernel, 1, "");
    tacho_arg shapes[] = {
        {.key = key(&at, "Input Dims"), .type = TACHO_ARG_ARRAY, .value.as_uint = 6},
        {.type = TACHO_ARG_ARRAY, .value.as_uint = 2},
        {.type = TACHO_ARG_INT, .value.as_int = 8},
        {.type = TACHO_ARG_INT, .value.as_int = 16},
        {.type = TACHO_ARG_ARRAY, .value.as_uint = 1},
        {.type = TACHO_ARG_INT, .value.as_int = 16},
        {.type = TACHO_ARG_JSON, .value.as_text = TACHO_STR("[]")},
    };
    check_facts(&at, shapes, 7, "Input Dims\t8x16, 16, -");
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_calls), cmocka_unit_test(test_names),
        cmocka_unit_test(test_in_full),      cmocka_unit_test(test_samples),
        cmocka_unit_test(test_places),       cmocka_unit_test(test_places_of_many),
        cmocka_unit_test(test_rare_columns), cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
