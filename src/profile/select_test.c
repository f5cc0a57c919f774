/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges by hand, one row at a time; then random rows and windows against the rule itself: a span
 * is kept when a nanosecond of it is in the window, a moment when the window contains it.
 */
#include "profile/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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

typedef struct fixture {
    tacho_events events; /* the recorder */
    tacho_dict dict;
    tacho_select select;
    uint32_t track;
    tacho_row last; /* the row passed on last */
    size_t row_count;
    size_t end_part_count;
    size_t finish_count;
    bool fails;
} fixture;

static tacho_status answer(const fixture *at)
{
    return at->fails ? tacho_fail(TACHO_CODE_IO, "the recorder is full") : TACHO_OK;
}

static tacho_status record_row(tacho_events *events, const tacho_row *row)
{
    fixture *at = (fixture *)(void *)events;
    at->last = *row;
    at->row_count++;
    return answer(at);
}

static tacho_status record_end_part(tacho_events *events, uint32_t part)
{
    fixture *at = (fixture *)(void *)events;
    assert_int_equal(part, 5);
    at->end_part_count++;
    return answer(at);
}

static tacho_status record_finish(tacho_events *events)
{
    fixture *at = (fixture *)(void *)events;
    at->finish_count++;
    return answer(at);
}

static const tacho_events_vtable recorder = {
    .row = record_row, .end_part = record_end_part, .finish = record_finish};

/* A track of |numerator| / |denominator| ns per tick, whose zero is |zero|. */
static void set_clock(fixture *at, uint64_t numerator, uint64_t denominator, int64_t zero)
{
    tacho_clock_init(&at->dict.clocks[0], numerator, denominator);
    at->dict.clocks[0].zero_ticks = zero;
}

static void set_selection(fixture *at, int64_t begin_ns, int64_t end_ns, int64_t min_duration_ns)
{
    tacho_selection selection = {
        .window_begin_ns = begin_ns, .window_end_ns = end_ns, .min_duration_ns = min_duration_ns};
    tacho_select_deinit(&at->select);
    tacho_select_init(&at->select, &selection, &at->events);
    assert_ptr_equal(at->select.events.dict, &at->dict);
}

static int open_fixture(void **state)
{
    fixture *at = calloc(1, sizeof(*at));
    if (at == NULL) {
        abort();
    }
    assert_null(tacho_dict_init(&at->dict));
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    tacho_part_facts facts = {.path = TACHO_STR("a.csv")};
    uint32_t part = TACHO_NONE;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    tacho_track track = {.parent = at->dict.parts[part].root, .lane_of = TACHO_NONE, .rank = -1};
    assert_null(tacho_dict_ensure_track(&at->dict, &track, TACHO_STR("main"), &at->track));
    at->events = (tacho_events){&recorder, &at->dict};
    *state = at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tacho_select_deinit(&at->select);
    tacho_dict_deinit(&at->dict);
    free(at);
    return 0;
}

static tacho_row make_row(const fixture *at, tacho_row_kind kind, int64_t start, int64_t end)
{
    tacho_row row = {.kind = kind, .track = at->track, .start = start};
    if (kind == TACHO_ROW_SPAN) {
        row.of.span.end = end;
    }
    return row;
}

/* Whether |row| is passed on; if so, it is unchanged. */
static bool is_kept(fixture *at, const tacho_row *row)
{
    size_t count = at->row_count;
    assert_null(tacho_events_row(&at->select.events, row));
    if (at->row_count == count) {
        return false;
    }
    assert_int_equal(at->row_count, count + 1);
    assert_int_equal(at->last.kind, row->kind);
    assert_int_equal(at->last.track, row->track);
    assert_int_equal(at->last.start, row->start); /* nothing is clipped */
    assert_int_equal(tacho_row_end(&at->last), tacho_row_end(row));
    assert_ptr_equal(at->last.args, row->args);
    assert_int_equal(at->last.arg_count, row->arg_count);
    return true;
}

static bool is_span_kept(fixture *at, int64_t start, int64_t end)
{
    tacho_row row = make_row(at, TACHO_ROW_SPAN, start, end);
    return is_kept(at, &row);
}

/* ---- by hand ---------------------------------------------------------------------------- */

static void test_window_edges(void **state)
{
    fixture *at = *state;
    static const struct {
        int64_t start, end;
        bool kept;
    } cases[] = {
        {0, 9, false},   {0, 10, false}, /* half open: it ends where the window begins */
        {0, 11, true},   {9, 11, true},   {10, 11, true},  {10, 20, true},  {19, 20, true},
        {19, 30, true},  {0, 100, true},  {20, 30, false}, {20, 21, false}, /* and here */
        {21, 30, false}, {9, 9, false},   {10, 10, true},  {15, 15, true},  {19, 19, true},
        {20, 20, false}, {21, 21, false},
    };
    set_selection(at, 10, 20, 0);
    size_t left_out_count = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(is_span_kept(at, cases[i].start, cases[i].end), cases[i].kept);
        left_out_count += !cases[i].kept;
        assert_int_equal(at->select.outside_window_count, left_out_count);
        assert_int_equal(at->select.too_short_count, 0);
    }
}

/* Samples and instants are moments: kept from the first edge to before the second, and never too
 * short. Flow ends are moments too, but go where spans may be left out. */
static void test_moments_at_the_edges(void **state)
{
    fixture *at = *state;
    static const struct {
        int64_t time;
        bool kept;
    } cases[] = {{0, false}, {9, false}, {10, true}, {19, true}, {20, false}, {21, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_row sample = make_row(at, TACHO_ROW_SAMPLE, cases[i].time, 0);
        tacho_row flow = make_row(at, TACHO_ROW_FLOW, cases[i].time, 0);
        flow.of.flow.span_end = i % 2 == 0 ? TACHO_FLOW_AROUND : TACHO_FLOW_NEXT;
        tacho_row instant = make_row(at, TACHO_ROW_SPAN, cases[i].time, cases[i].time);
        instant.of.span.flags = TACHO_SPAN_INSTANT;
        set_selection(at, 10, 20, 1000);
        assert_int_equal(is_kept(at, &sample), cases[i].kept);
        assert_int_equal(is_kept(at, &instant), cases[i].kept);
        assert_false(is_kept(at, &flow));
        assert_int_equal(at->select.too_short_count, cases[i].kept ? 1 : 0);
        assert_int_equal(at->select.outside_window_count, cases[i].kept ? 0 : 3);
        set_selection(at, 10, 20, 0);
        assert_int_equal(is_kept(at, &flow), cases[i].kept);
        assert_int_equal(at->select.outside_window_count, cases[i].kept ? 0 : 1);
    }
}

/* A flow that knows its span stays and goes with it. */
static void test_bound_flows(void **state)
{
    fixture *at = *state;
    set_selection(at, 10, 20, 5);
    for (int64_t start = 0; start < 25; start++) {
        for (int64_t end = start; end < 30; end++) {
            tacho_row span = make_row(at, TACHO_ROW_SPAN, start, end);
            tacho_row flow = make_row(at, TACHO_ROW_FLOW, start, 0);
            flow.of.flow.span_end = end;
            assert_int_equal(is_kept(at, &flow), is_kept(at, &span));
        }
    }
}

static void test_min_duration(void **state)
{
    fixture *at = *state;
    set_selection(at, 0, INT64_MAX, 10);
    assert_false(is_span_kept(at, 0, 0));
    assert_false(is_span_kept(at, 0, 9));
    assert_true(is_span_kept(at, 0, 10));
    assert_true(is_span_kept(at, 0, 11));
    assert_int_equal(at->select.too_short_count, 2);
    assert_int_equal(at->select.outside_window_count, 0);
    set_selection(at, 100, 200, 10);
    assert_false(is_span_kept(at, 0, 5)); /* outside is outside, however short */
    assert_false(is_span_kept(at, 100, 105));
    assert_true(is_span_kept(at, 95, 105)); /* whole, not just the part in the window */
    assert_int_equal(at->select.too_short_count, 1);
    assert_int_equal(at->select.outside_window_count, 1);
    set_selection(at, 0, INT64_MAX, 1);
    assert_false(is_span_kept(at, 7, 7));
    assert_true(is_span_kept(at, 7, 8));
    set_selection(at, 0, INT64_MAX, 0);
    assert_true(is_span_kept(at, 7, 7));
}

/* Windows and durations are nanoseconds from the part's zero, not ticks. */
static void test_clock_counts(void **state)
{
    fixture *at = *state;
    set_clock(at, 5, 4, 1000);
    set_selection(at, 100, 200, 0);
    assert_false(is_span_kept(at, 1000, 1080)); /* ends at 100 ns */
    assert_true(is_span_kept(at, 1000, 1081));  /* at 101 */
    assert_true(is_span_kept(at, 1159, 1200));  /* starts at 198 ns */
    assert_false(is_span_kept(at, 1160, 1200)); /* at 200 */
    assert_false(is_span_kept(at, 150, 190));
    set_selection(at, 0, INT64_MAX, 6);
    assert_false(is_span_kept(at, 1000, 1004)); /* 5 ns */
    assert_true(is_span_kept(at, 1003, 1008));  /* 3 to 10 */
    set_selection(at, -50, 0, 0);               /* before the zero */
    assert_true(is_span_kept(at, 970, 980));
    assert_false(is_span_kept(at, 1000, 1010));
    assert_false(is_span_kept(at, 950, 960));
}

/* A span below one nanosecond is a moment of it. */
static void test_fine_ticks(void **state)
{
    fixture *at = *state;
    set_clock(at, 1, 4, 0);
    set_selection(at, 10, 20, 0);
    assert_true(is_span_kept(at, 40, 43));  /* 10 to 10 */
    assert_false(is_span_kept(at, 36, 39)); /* 9 to 9 */
    assert_false(is_span_kept(at, 36, 40)); /* [9,10) */
    assert_true(is_span_kept(at, 76, 79));  /* 19 to 19 */
    assert_false(is_span_kept(at, 80, 83)); /* 20 to 20 */
}

/* No end means none, the last nanosecond of all included. */
static void test_no_end(void **state)
{
    fixture *at = *state;
    set_selection(at, 10, INT64_MAX, 0);
    assert_false(is_span_kept(at, 0, 10));
    assert_true(is_span_kept(at, 10, INT64_MAX));
    assert_true(is_span_kept(at, INT64_MAX - 1, INT64_MAX));
    assert_true(is_span_kept(at, INT64_MAX, INT64_MAX));
}

static void test_is_all(void **state)
{
    (void)state;
    static const struct {
        tacho_selection selection;
        bool is_all;
    } cases[] = {
        {{0, INT64_MAX, 0, {NULL, NULL, NULL}}, true},
        {{-5, INT64_MAX, -1, {NULL, NULL, NULL}}, true},
        {{1, INT64_MAX, 0, {NULL, NULL, NULL}}, false},
        {{0, INT64_MAX - 1, 0, {NULL, NULL, NULL}}, false},
        {{0, INT64_MAX, 1, {NULL, NULL, NULL}}, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tacho_selection_is_all(&cases[i].selection), cases[i].is_all);
    }
    tacho_selection all = TACHO_SELECT_ALL;
    assert_true(tacho_selection_is_all(&all));
}

static void check_metadata(const tacho_dict *dict, size_t i, const char *key, const char *value)
{
    assert_string_equal(tacho_dict_string(dict, dict->metadata[i].key).data, key);
    assert_string_equal(tacho_dict_string(dict, dict->metadata[i].value).data, value);
}

static void test_counts_in_metadata(void **state)
{
    fixture *at = *state;
    set_selection(at, 10, 20, 3);
    for (int64_t i = 0; i < 30; i++) {
        is_span_kept(at, i, i + 2);
        is_span_kept(at, i, i + 3);
    }
    tacho_row sample = make_row(at, TACHO_ROW_SAMPLE, 5, 0);
    assert_false(is_kept(at, &sample));
    assert_null(tacho_events_end_part(&at->select.events, 5));
    assert_int_equal(at->end_part_count, 1);
    assert_int_equal(at->dict.metadata_count, 0); /* once for all parts, at the end */
    assert_null(tacho_events_finish(&at->select.events));
    assert_int_equal(at->finish_count, 1);
    assert_int_equal(at->row_count, 12); /* those of 3 ns that start at 8 to 19 */
    assert_int_equal(at->dict.metadata_count, 2);
    check_metadata(&at->dict, 0, "filtered.outside_window", "38"); /* 9+8 before, 20 after, 1 */
    check_metadata(&at->dict, 1, "filtered.too_short", "11");
    assert_int_equal(at->dict.parts[0].left_out_count, 38 + 11);
    assert_int_equal(at->dict.loss_count, 0); /* it was asked for */
}

static void test_failures_are_passed_on(void **state)
{
    fixture *at = *state;
    set_selection(at, 0, 10, 0);
    at->fails = true;
    tacho_row row = make_row(at, TACHO_ROW_SPAN, 0, 5);
    tacho_status statuses[3] = {
        tacho_events_row(&at->select.events, &row),
        tacho_events_end_part(&at->select.events, 5),
        tacho_events_finish(&at->select.events),
    };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tacho_status_code(statuses[i]), TACHO_CODE_IO);
        tacho_status_free(statuses[i]);
    }
    row.start = 20;
    row.of.span.end = 21;
    assert_null(tacho_events_row(&at->select.events, &row)); /* it never got there */
}

/* ---- at random -------------------------------------------------------------------------- */

/* Nanosecond by nanosecond. */
static bool is_in_window(const tacho_selection *window, int64_t start_ns, int64_t end_ns)
{
    if (start_ns == end_ns) {
        return window->window_begin_ns <= start_ns && start_ns < window->window_end_ns;
    }
    for (int64_t ns = start_ns; ns < end_ns; ns++) {
        if (window->window_begin_ns <= ns && ns < window->window_end_ns) {
            return true;
        }
    }
    return false;
}

static int64_t floor_ns(int64_t ticks, int64_t numerator, int64_t denominator)
{
    int64_t product = ticks * numerator;
    return product >= 0 ? product / denominator : -((-product + denominator - 1) / denominator);
}

static void test_random_rows(void **state)
{
    fixture *at = *state;
    uint64_t random = 71;
    uint64_t kept_count = 0, outside_count = 0, short_count = 0;
    for (size_t round = 0; round < 2000; round++) {
        int64_t numerator = 1 + random_below(&random, 6);
        int64_t denominator = 1 + random_below(&random, 6);
        int64_t zero = random_below(&random, 30);
        set_clock(at, (uint64_t)numerator, (uint64_t)denominator, zero);
        tacho_selection window = {.window_begin_ns = random_below(&random, 40) - 5,
                                  .min_duration_ns = random_below(&random, 12) - 3};
        window.window_end_ns = window.window_begin_ns + 1 + random_below(&random, 30);
        set_selection(at, window.window_begin_ns, window.window_end_ns, window.min_duration_ns);
        uint64_t outside = 0, too_short = 0;
        for (size_t i = 0; i < 50; i++) {
            tacho_row row = make_row(at, (tacho_row_kind)random_below(&random, 3),
                                     random_below(&random, 60), 0);
            if (row.kind == TACHO_ROW_SPAN) {
                row.of.span.end = row.start + random_below(&random, 20);
            } else if (row.kind == TACHO_ROW_FLOW) {
                row.of.flow.span_end = TACHO_FLOW_AROUND;
            }
            int64_t start_ns = floor_ns(row.start - zero, numerator, denominator);
            int64_t end_ns = floor_ns(tacho_row_end(&row) - zero, numerator, denominator);
            bool is_inside = is_in_window(&window, start_ns, end_ns);
            bool is_short =
                (row.kind == TACHO_ROW_SPAN && end_ns - start_ns < window.min_duration_ns) ||
                (row.kind == TACHO_ROW_FLOW && window.min_duration_ns > 0);
            assert_int_equal(is_kept(at, &row), is_inside && !is_short);
            outside += !is_inside;
            too_short += is_inside && is_short;
            kept_count += is_inside && !is_short;
        }
        assert_int_equal(at->select.outside_window_count, outside);
        assert_int_equal(at->select.too_short_count, too_short);
        outside_count += outside;
        short_count += too_short;
    }
    assert_true(kept_count > 10000 && outside_count > 10000 && short_count > 1000);
}

/* ---- names --------------------------------------------------------------------------------- */

/* Accepts spans with |self| as their name or location; counts its calls. */
typedef struct exact_name {
    const char *text;
    size_t *asked_count;
} exact_name;

static bool accepts_exactly(const void *self, tacho_str name, tacho_str location)
{
    const exact_name *exact = self;
    (*exact->asked_count)++;
    return tacho_str_equal(name, tacho_str_from_cstring(exact->text)) ||
           tacho_str_equal(location, tacho_str_from_cstring(exact->text));
}

static uint32_t add_site(fixture *at, const char *name, const char *place)
{
    tacho_site site = {.location = TACHO_NONE};
    uint32_t number = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &site.name));
    if (place != NULL) {
        tacho_location location = {.text = 0};
        assert_null(
            tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(place), &location.text));
        assert_null(tacho_dict_ensure_location(&at->dict, &location, &site.location));
    }
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &number));
    return number;
}

static void test_names(void **state)
{
    fixture *at = *state;
    size_t asked_count = 0;
    exact_name exact = {"conv", &asked_count};
    tacho_selection selection = TACHO_SELECT_ALL;
    selection.names = (tacho_name_filter){.accepts = accepts_exactly, .self = &exact};
    assert_false(tacho_selection_is_all(&selection));
    tacho_select_init(&at->select, &selection, &at->events);
    uint32_t conv = add_site(at, "conv", NULL);
    uint32_t add = add_site(at, "add", NULL);
    uint32_t placed = add_site(at, "add", "conv");
    tacho_row row = make_row(at, TACHO_ROW_SPAN, 0, 10);
    for (int i = 0; i < 3; i++) { /* a site is asked for once */
        row.of.span.site = conv;
        assert_true(is_kept(at, &row));
        row.of.span.site = add;
        assert_false(is_kept(at, &row));
        row.of.span.site = placed;
        assert_true(is_kept(at, &row));
    }
    assert_int_equal(asked_count, 3);
    assert_int_equal(at->select.other_name_count, 3);
    /* Samples by their track, which is called "main"; flows by their span. */
    tacho_row sample = make_row(at, TACHO_ROW_SAMPLE, 0, 0);
    assert_false(is_kept(at, &sample));
    exact.text = "main";
    assert_true(is_kept(at, &sample));
    tacho_row flow = make_row(at, TACHO_ROW_FLOW, 0, 0);
    flow.of.flow.span_name = at->dict.sites[add].name;
    assert_false(is_kept(at, &flow));
    exact.text = "add";
    assert_true(is_kept(at, &flow));
    flow.of.flow.span_name = 0;
    assert_false(is_kept(at, &flow));
}

#define SELECT_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SELECT_TEST(test_window_edges),       SELECT_TEST(test_moments_at_the_edges),
        SELECT_TEST(test_min_duration),       SELECT_TEST(test_clock_counts),
        SELECT_TEST(test_fine_ticks),         SELECT_TEST(test_no_end),
        SELECT_TEST(test_bound_flows),        cmocka_unit_test(test_is_all),
        SELECT_TEST(test_counts_in_metadata), SELECT_TEST(test_failures_are_passed_on),
        SELECT_TEST(test_random_rows),        SELECT_TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
