/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every span is made from its number, so that it can be made again to compare the columns with.
 * Validation is checked by breaking a good profile in one place at a time.
 */
#include "profile/order.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SPAN_COUNT = 200000, TRACK_COUNT = 5, SITE_COUNT = 20, RUN_COUNT = 3, ARG_MAX = 9 };

static const uint64_t LAST_FLOW_ID = (UINT64_C(1) << 40) - 1;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- a dictionary and rows -------------------------------------------------------------- */

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    uint32_t tracks[TRACK_COUNT]; /* the last one is a counter */
    uint32_t sites[SITE_COUNT];
    uint32_t keys[ARG_MAX];
} fixture;

static void add_sites(fixture *at)
{
    for (uint32_t i = 0; i < SITE_COUNT; i++) {
        char text[32];
        tacho_location location = {.line = i};
        tacho_site site = {.location = TACHO_NONE};
        snprintf(text, sizeof(text), "site %u", (unsigned)i);
        assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(text), &site.name));
        if (i % 2 == 0) {
            location.text = site.name;
            assert_null(tacho_dict_ensure_location(&at->dict, &location, &site.location));
        }
        assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->sites[i]));
    }
    for (uint32_t i = 0; i < ARG_MAX; i++) {
        char text[32];
        snprintf(text, sizeof(text), "key %u", (unsigned)i);
        assert_null(
            tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(text), &at->keys[i]));
    }
}

static int open_fixture(void **state)
{
    fixture *at = calloc(1, sizeof(*at));
    if (at == NULL) {
        abort();
    }
    assert_null(tacho_dict_init(&at->dict));
    tacho_clock clock;
    tacho_clock_init(&clock, 5, 4);
    tacho_part_facts facts = {.path = TACHO_STR("a.csv"), .format = TACHO_STR("torq-timeline")};
    uint32_t part = TACHO_NONE;
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    for (uint32_t i = 0; i < TRACK_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Slice %u", (unsigned)i);
        tacho_track track = {.parent = at->dict.parts[part].root, .index = i, .rank = -1};
        track.lane_of = i == 3 ? at->tracks[2] : TACHO_NONE;
        track.track_class = i + 1 < TRACK_COUNT ? TACHO_TRACK_COMPUTE : TACHO_TRACK_COUNTER;
        track.nesting = i < 2 ? TACHO_NESTING_STACK : TACHO_NESTING_ENGINE;
        tacho_str view = tacho_str_from_cstring(name);
        assert_null(tacho_dict_ensure_track(&at->dict, &track, view, &at->tracks[i]));
    }
    for (uint32_t i = 0; i < RUN_COUNT; i++) {
        tacho_run run = {.part = part, .invocation = i};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_add_run(&at->dict, &run, &id));
    }
    add_sites(at);
    tacho_profile_init(&at->profile, &at->dict);
    *state = at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tacho_profile_deinit(&at->profile);
    assert_int_equal(at->profile.span_count, 0);
    tacho_dict_deinit(&at->dict);
    free(at);
    return 0;
}

/* Arguments of span |id| with its text in |text|; every type occurs. */
static size_t make_args(const fixture *at, size_t id, char *text, tacho_arg *out_args)
{
    uint64_t random = id;
    size_t count = next_random(&random) % 4 == 0 ? next_random(&random) % (ARG_MAX + 1) : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = next_random(&random);
        tacho_arg *arg = &out_args[i];
        *arg = (tacho_arg){.key = at->keys[i], .unit = (tacho_unit)(value % TACHO_UNIT_END)};
        arg->type = (tacho_arg_type)((value >> 8) % (TACHO_ARG_TEXT + 1));
        if (arg->type == TACHO_ARG_REAL) {
            arg->value.as_real = (double)value / 3;
        } else if (arg->type == TACHO_ARG_BOOL) {
            arg->value.as_bool = (value >> 20) % 2 == 1;
        } else if (arg->type == TACHO_ARG_STRING) {
            arg->value.as_string = at->keys[value % ARG_MAX];
        } else if (arg->type == TACHO_ARG_TEXT) {
            int len = snprintf(text, 24, "%0*llx", (int)(value % 20), (unsigned long long)id);
            arg->value.as_text = tacho_str_make(text, (size_t)len);
            text += len;
        } else {
            arg->value.as_uint = value;
        }
    }
    return count;
}

static tacho_row make_span(const fixture *at, size_t id)
{
    uint64_t random = ~(uint64_t)id;
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = (int64_t)id * 3};
    row.track = at->tracks[next_random(&random) % (TRACK_COUNT - 1)];
    row.of.span.end = row.start + (int64_t)(next_random(&random) % 1000);
    row.of.span.site = at->sites[next_random(&random) % SITE_COUNT];
    row.of.span.op = (uint32_t)next_random(&random);
    row.of.span.run = next_random(&random) % 2 == 0 ? TACHO_NONE : (uint32_t)(id % RUN_COUNT);
    row.of.span.flags = (uint32_t)(next_random(&random) % 16);
    return row;
}

static void push(fixture *at, const tacho_row *row)
{
    assert_null(tacho_events_row(&at->profile.events, row));
}

static void push_spans(fixture *at, size_t count)
{
    static char text[ARG_MAX * 24];
    static tacho_arg args[ARG_MAX];
    for (size_t id = 0; id < count; id++) {
        tacho_row row = make_span(at, id);
        row.arg_count = make_args(at, id, text, args);
        row.args = args;
        push(at, &row);
        memset(text, '?', sizeof(text)); /* the profile has its own copy */
        memset(args, 0xee, sizeof(args));
    }
}

static void push_sample(fixture *at, int64_t time, double value)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = at->tracks[4], .start = time};
    row.of.sample.value = value;
    push(at, &row);
}

/* Every third id leaves. */
static void push_flow(fixture *at, int64_t time, uint64_t id, tacho_flow_role role)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = at->tracks[1], .start = time};
    row.of.flow.id = id;
    row.of.flow.role = role;
    row.of.flow.phase = (tacho_flow_phase)(id % 3);
    row.of.flow.span_end = time + 5;
    push(at, &row);
}

static void check_valid(const fixture *at)
{
    tacho_status status = tacho_profile_validate(&at->profile);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* ---- filling and reading ---------------------------------------------------------------- */

static void check_columns(const tacho_span *span, const tacho_row *row)
{
    assert_int_equal(span->start, row->start);
    assert_int_equal(span->end, row->of.span.end);
    assert_int_equal(span->track, row->track);
    assert_int_equal(span->site, row->of.span.site);
    assert_int_equal(span->op, row->of.span.op);
    assert_int_equal(span->run, row->of.span.run);
    assert_int_equal(span->flags, row->of.span.flags);
}

static void check_arg(const tacho_arg *found, const tacho_arg *expected)
{
    assert_int_equal(found->key, expected->key);
    assert_int_equal(found->type, expected->type);
    assert_int_equal(found->unit, expected->unit);
    if (expected->type == TACHO_ARG_TEXT) {
        assert_true(tacho_str_equal(found->value.as_text, expected->value.as_text));
    } else if (expected->type == TACHO_ARG_BOOL) {
        assert_int_equal(found->value.as_bool, expected->value.as_bool);
    } else if (expected->type == TACHO_ARG_STRING) {
        assert_int_equal(found->value.as_string, expected->value.as_string);
    } else if (expected->type == TACHO_ARG_REAL) {
        assert_true(found->value.as_real == expected->value.as_real);
    } else {
        assert_int_equal(found->value.as_uint, expected->value.as_uint);
    }
}

static void test_many_spans(void **state)
{
    fixture *at = *state;
    push_spans(at, SPAN_COUNT);
    assert_int_equal(at->profile.span_count, SPAN_COUNT);
    tacho_arg *args = NULL;
    size_t arg_capacity = 0;
    size_t arg_count = 0;
    for (size_t id = 0; id < SPAN_COUNT; id++) {
        char text[ARG_MAX * 24];
        tacho_arg expected[ARG_MAX];
        tacho_row made = make_span(at, id);
        made.arg_count = make_args(at, id, text, expected);
        tacho_span span = tacho_profile_span(&at->profile, id);
        check_columns(&span, &made);
        assert_int_equal(span.args, made.arg_count == 0 ? TACHO_NONE : arg_count);
        tacho_row row;
        assert_null(tacho_profile_row(&at->profile, id, &args, &arg_capacity, &row));
        assert_int_equal(row.kind, TACHO_ROW_SPAN);
        tacho_span again = {row.start,      row.of.span.end, row.track, row.of.span.site,
                            row.of.span.op, row.of.span.run, 0,         row.of.span.flags};
        check_columns(&again, &made);
        assert_int_equal(row.arg_count, made.arg_count);
        for (size_t i = 0; i < row.arg_count; i++) {
            check_arg(&row.args[i], &expected[i]);
        }
        arg_count += made.arg_count;
    }
    free(args);
    assert_int_equal(at->profile.arg_count, arg_count);
    assert_true(arg_count > SPAN_COUNT / 2);
    check_valid(at);
}

/* Chunks never move: a column read once stays good. */
static void test_chunks_stay(void **state)
{
    fixture *at = *state;
    tacho_row row = make_span(at, 0);
    push(at, &row);
    const tacho_span_chunk *first = at->profile.chunks[0];
    for (size_t id = 1; id <= 3 * TACHO_PROFILE_CHUNK_ROWS; id++) {
        row = make_span(at, id);
        push(at, &row);
    }
    assert_int_equal(at->profile.chunk_count, 4);
    assert_ptr_equal(at->profile.chunks[0], first);
    assert_int_equal(sizeof(tacho_span), 40);
    assert_int_equal(sizeof(tacho_span_chunk), 40 * TACHO_PROFILE_CHUNK_ROWS);
}

/* Texts longer than a block of the arena, and none at all. */
static void test_long_text(void **state)
{
    fixture *at = *state;
    static char text[300000];
    tacho_arg arg = {.key = at->keys[0], .type = TACHO_ARG_TEXT};
    tacho_row row = make_span(at, 0);
    row.args = &arg;
    row.arg_count = 1;
    for (int i = 0; i < 3; i++) {
        memset(text, 'a' + i, sizeof(text));
        arg.value.as_text = tacho_str_make(text, sizeof(text) - (size_t)i);
        push(at, &row);
    }
    arg.type = TACHO_ARG_JSON;
    arg.value.as_text = tacho_str_make("null", 4);
    push(at, &row);
    arg.value.as_text = tacho_str_make(NULL, 0);
    push(at, &row);
    for (int i = 0; i < 3; i++) {
        tacho_str kept = at->profile.args[i].arg.value.as_text;
        memset(text, 'a' + i, sizeof(text));
        assert_int_equal(kept.len, sizeof(text) - (size_t)i);
        assert_memory_equal(kept.data, text, kept.len);
    }
    assert_int_equal(at->profile.args[3].arg.type, TACHO_ARG_JSON);
    assert_string_equal(at->profile.args[3].arg.value.as_text.data, "null");
    assert_int_equal(at->profile.args[4].arg.value.as_text.len, 0);
}

static void test_samples_and_flows(void **state)
{
    fixture *at = *state;
    enum { COUNT = 5000 };
    for (size_t i = 0; i < COUNT; i++) {
        push_sample(at, (int64_t)i / 2, (double)i / 8 - 100);
        push_flow(at, (int64_t)i, LAST_FLOW_ID - i, (tacho_flow_role)(i % 3));
    }
    assert_int_equal(at->profile.span_count, 0);
    assert_int_equal(at->profile.sample_count, COUNT);
    assert_int_equal(at->profile.flow_end_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const tacho_sample *sample = &at->profile.samples[i];
        assert_int_equal(sample->time, i / 2);
        assert_int_equal(sample->track, at->tracks[4]);
        assert_true(sample->value == (double)i / 8 - 100);
        const tacho_flow_end *end = &at->profile.flow_ends[i];
        assert_int_equal(end->time, i);
        assert_int_equal(end->id, LAST_FLOW_ID - i);
        assert_int_equal(end->track, at->tracks[1]);
        assert_int_equal(end->role, i % 3);
        assert_int_equal(end->phase, (LAST_FLOW_ID - i) % 3);
        assert_int_equal(end->span_end, i + 5);
    }
    assert_null(tacho_events_end_part(&at->profile.events, 0));
    assert_null(tacho_events_finish(&at->profile.events));
    check_valid(at);
}

/* The way an analysis fills it: a shuffled source, order, profile. */
static void test_ordered_source_is_valid(void **state)
{
    fixture *at = *state;
    for (size_t round = 0; round < 20; round++) {
        tacho_order *order = NULL;
        assert_null(tacho_order_create(&at->profile.events, TACHO_ORDER_SORT, 1 << 20, &order));
        uint64_t random = round;
        for (size_t i = 0; i < 500; i++) {
            tacho_row row = make_span(at, i);
            row.start = (int64_t)(next_random(&random) % 100);
            row.of.span.end = row.start + (int64_t)(next_random(&random) % 4);
            assert_null(tacho_events_row(tacho_order_events(order), &row));
            row = (tacho_row){.kind = TACHO_ROW_SAMPLE, .track = at->tracks[4]};
            row.start = (int64_t)(next_random(&random) % 100);
            assert_null(tacho_events_row(tacho_order_events(order), &row));
            row = (tacho_row){.kind = TACHO_ROW_FLOW, .track = at->tracks[i % 4]};
            row.start = (int64_t)(next_random(&random) % 100);
            row.of.flow.span_end = i % 2 == 0 ? TACHO_FLOW_AROUND : TACHO_FLOW_NEXT;
            assert_null(tacho_events_row(tacho_order_events(order), &row));
        }
        assert_null(tacho_events_end_part(tacho_order_events(order), 0));
        tacho_order_destroy(order);
        assert_int_equal(at->profile.span_count, 500);
        check_valid(at);
        tacho_profile_deinit(&at->profile);
        tacho_profile_init(&at->profile, &at->dict);
    }
}

static void test_empty_profile_is_valid(void **state)
{
    fixture *at = *state;
    check_valid(at);
    assert_int_equal(at->profile.span_count, 0);
}

/* ---- validation ------------------------------------------------------------------------- */

/* Three spans on a stack, two on an engine, arguments, samples, flows: all in order. */
static void fill_small(fixture *at)
{
    static const int64_t spans[][3] = {
        {0, 10, 90}, {0, 10, 50}, {0, 60, 80}, {2, 5, 5}, {2, 5, 20}};
    tacho_arg args[3] = {
        {.key = at->keys[0], .type = TACHO_ARG_STRING},
        {.key = at->keys[1], .type = TACHO_ARG_INT},
        {.key = at->keys[2], .type = TACHO_ARG_UINT},
    };
    args[0].value.as_string = at->keys[3];
    for (size_t i = 0; i < 5; i++) {
        tacho_row row = make_span(at, i);
        row.track = at->tracks[spans[i][0]];
        row.start = spans[i][1];
        row.of.span.end = spans[i][2];
        row.of.span.run = i % 2 == 0 ? TACHO_NONE : 1;
        row.args = args;
        row.arg_count = i == 1 ? 2 : (i == 4 ? 3 : 0);
        push(at, &row);
    }
    for (int64_t i = 0; i < 3; i++) {
        push_sample(at, 10 * i, 1);
        push_flow(at, 10 * i, 7, TACHO_FLOW_DATA);
    }
    tacho_loss loss = {.count = 1};
    assert_null(tacho_dict_add_loss(&at->dict, &loss));
    assert_null(tacho_dict_add_metadata(&at->dict, "key", TACHO_STR("value")));
    check_valid(at);
}

typedef void break_function(fixture *at);

typedef struct breach {
    const char *name;
    break_function *apply;
    const char *message; /* part of the validation message; NULL for any */
} breach;

#define BREACH(name, ...)                                                                          \
    static void name(fixture *at)                                                                  \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

BREACH(clock_without_numerator, at->dict.clocks[0].ns_numerator = 0)
BREACH(clock_with_negative_numerator, at->dict.clocks[0].ns_numerator = -5)
BREACH(clock_without_denominator, at->dict.clocks[0].ns_denominator = 0)
BREACH(clock_with_negative_denominator, at->dict.clocks[0].ns_denominator = -4)
BREACH(clock_with_negative_zero, at->dict.clocks[0].zero_ticks = -1)
BREACH(track_without_name,
       at->dict.tracks[at->tracks[1]].name = (uint32_t)at->dict.strings.item_count)
BREACH(track_without_clock, at->dict.tracks[at->tracks[1]].clock = 1)
BREACH(track_without_part, at->dict.tracks[at->tracks[1]].part = 1)
BREACH(track_before_its_parent, at->dict.tracks[at->tracks[1]].parent = at->tracks[2])
BREACH(track_in_itself, at->dict.tracks[at->tracks[1]].parent = at->tracks[1])
BREACH(track_in_nothing, at->dict.tracks[at->tracks[1]].parent = 1000)
BREACH(lane_before_its_track, at->dict.tracks[at->tracks[1]].lane_of = at->tracks[2])
BREACH(lane_of_itself, at->dict.tracks[at->tracks[1]].lane_of = at->tracks[1])
BREACH(lane_of_nothing, at->dict.tracks[at->tracks[1]].lane_of = 1000)
BREACH(site_without_name, at->dict.sites[3].name = (uint32_t)at->dict.strings.item_count)
BREACH(site_without_category, at->dict.sites[3].category = TACHO_NONE)
BREACH(site_without_location, at->dict.sites[3].location = (uint32_t)at->dict.location_count)
BREACH(span_without_track, at->profile.chunks[0]->track[2] = (uint32_t)at->dict.track_count)
BREACH(span_without_any_track, at->profile.chunks[0]->track[2] = TACHO_NONE)
BREACH(span_without_site, at->profile.chunks[0]->site[2] = (uint32_t)at->dict.site_count)
BREACH(span_before_time, at->profile.chunks[0]->start[0] = -1)
BREACH(span_that_ends_first, at->profile.chunks[0]->end[2] = 59)
BREACH(span_after_time, at->profile.chunks[0]->end[2] = at->dict.clocks[0].max_ticks + 1)
BREACH(span_before_its_predecessor, at->profile.chunks[0]->start[2] = 9)
BREACH(span_without_args, at->profile.chunks[0]->args[1] = (uint32_t)at->profile.arg_count)
BREACH(sample_without_track, at->profile.samples[1].track = (uint32_t)at->dict.track_count)
BREACH(sample_before_time, at->profile.samples[0].time = -1)
BREACH(sample_after_time, at->profile.samples[2].time = at->dict.clocks[0].max_ticks + 1)
BREACH(flow_without_track, at->profile.flow_ends[1].track = (uint32_t)at->dict.track_count)
BREACH(flow_before_time, at->profile.flow_ends[0].time = -1)
BREACH(flow_after_time, at->profile.flow_ends[2].time = at->dict.clocks[0].max_ticks + 1)

#define NO_RATE "a clock without a rate or with a negative zero (id 0)"
#define NO_REFERENCE "a track that refers to nothing (id "
#define NO_TIME "a row whose times are out of order or range (id "

static const breach breaches[] = {
    {"clock_without_numerator", clock_without_numerator, NO_RATE},
    {"clock_with_negative_numerator", clock_with_negative_numerator, NO_RATE},
    {"clock_without_denominator", clock_without_denominator, NO_RATE},
    {"clock_with_negative_denominator", clock_with_negative_denominator, NO_RATE},
    {"clock_with_negative_zero", clock_with_negative_zero, NO_RATE},
    {"track_without_name", track_without_name, NO_REFERENCE "2)"},
    {"track_without_clock", track_without_clock, NO_REFERENCE "2)"},
    {"track_without_part", track_without_part, NO_REFERENCE "2)"},
    {"track_before_its_parent", track_before_its_parent, "older than its parent (id 2)"},
    {"track_in_itself", track_in_itself, "older than its parent (id 2)"},
    {"track_in_nothing", track_in_nothing, "older than its parent (id 2)"},
    {"lane_before_its_track", lane_before_its_track, "older than its track (id 2)"},
    {"lane_of_itself", lane_of_itself, "older than its track (id 2)"},
    {"lane_of_nothing", lane_of_nothing, "older than its track (id 2)"},
    {"site_without_name", site_without_name, "a site that refers to nothing (id 3)"},
    {"site_without_category", site_without_category, "a site that refers to nothing (id 3)"},
    {"site_without_location", site_without_location, "a site that refers to nothing (id 3)"},
    {"span_without_track", span_without_track, "a row without a track (id 2)"},
    {"span_without_any_track", span_without_any_track, "a row without a track (id 2)"},
    {"span_without_site", span_without_site, "a span without a site (id 2)"},
    {"span_before_time", span_before_time, NO_TIME "0)"},
    {"span_that_ends_first", span_that_ends_first, NO_TIME "2)"},
    {"span_after_time", span_after_time, NO_TIME "2)"},
    {"span_before_its_predecessor", span_before_its_predecessor, "its predecessor (id 2)"},
    {"span_without_args", span_without_args, "a span whose arguments are missing (id 1)"},
    {"sample_without_track", sample_without_track, "a row without a track (id 1)"},
    {"sample_before_time", sample_before_time, NO_TIME "0)"},
    {"sample_after_time", sample_after_time, NO_TIME "2)"},
    {"flow_without_track", flow_without_track, "a row without a track (id 1)"},
    {"flow_before_time", flow_before_time, NO_TIME "0)"},
    {"flow_after_time", flow_after_time, NO_TIME "2)"},
};

/* Breaks one fresh profile after another; names those that pass for good. */
static void check_breaches(const breach *list, size_t count)
{
    char missed[2048] = "";
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        open_fixture(&state);
        fixture *at = state;
        fill_small(at);
        list[i].apply(at);
        tacho_status status = tacho_profile_validate(&at->profile);
        if (status == TACHO_OK) {
            size_t len = strlen(missed);
            snprintf(missed + len, sizeof(missed) - len, " %s", list[i].name);
        } else {
            assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
            if (strstr(tacho_status_message(status), list[i].message) == NULL) {
                fail_msg("%s: %s", list[i].name, tacho_status_message(status));
            }
        }
        tacho_status_free(status);
        close_fixture(&state);
    }
    if (missed[0] != '\0') {
        fail_msg("not noticed:%s", missed);
    }
}

static void test_breaches_are_noticed(void **state)
{
    (void)state;
    check_breaches(breaches, sizeof(breaches) / sizeof(breaches[0]));
}

/* Ids exist: those of arguments, runs, parts, locations, losses and metadata too. */
BREACH(arg_without_key, at->profile.args[0].arg.key = TACHO_NONE)
BREACH(arg_without_string, at->profile.args[0].arg.value.as_string = TACHO_NONE)
BREACH(args_without_last, at->profile.args[4].is_last = false)
BREACH(span_without_run, at->profile.chunks[0]->run[1] = RUN_COUNT)
BREACH(run_without_part, at->dict.runs[1].part = 1)
BREACH(run_without_name, at->dict.runs[1].name = TACHO_NONE)
BREACH(part_without_clock, at->dict.parts[0].clock = 1)
BREACH(part_without_root, at->dict.parts[0].root = TACHO_NONE)
BREACH(part_without_name, at->dict.parts[0].name = TACHO_NONE)
BREACH(part_without_path, at->dict.parts[0].path = TACHO_NONE)
BREACH(part_without_format, at->dict.parts[0].format = TACHO_NONE)
BREACH(part_without_generation, at->dict.parts[0].generation = TACHO_NONE)
BREACH(clock_without_name, at->dict.clocks[0].name = TACHO_NONE)
BREACH(location_without_text, at->dict.locations[1].text = TACHO_NONE)
BREACH(location_without_file, at->dict.locations[1].file = TACHO_NONE)
BREACH(loss_without_example, at->dict.losses[0].example = TACHO_NONE)
BREACH(loss_without_part, at->dict.losses[0].part = 1)
BREACH(metadata_without_key, at->dict.metadata[0].key = TACHO_NONE)
BREACH(metadata_without_value, at->dict.metadata[0].value = TACHO_NONE)

static const breach id_breaches[] = {
    {"arg_without_key", arg_without_key, "(id "},
    {"arg_without_string", arg_without_string, "(id "},
    {"args_without_last", args_without_last, "(id "},
    {"span_without_run", span_without_run, "(id 1)"},
    {"run_without_part", run_without_part, "(id 1)"},
    {"run_without_name", run_without_name, "(id 1)"},
    {"part_without_clock", part_without_clock, "(id 0)"},
    {"part_without_root", part_without_root, "(id 0)"},
    {"part_without_name", part_without_name, "(id 0)"},
    {"part_without_path", part_without_path, "(id 0)"},
    {"part_without_format", part_without_format, "(id 0)"},
    {"part_without_generation", part_without_generation, "(id 0)"},
    {"clock_without_name", clock_without_name, "(id 0)"},
    {"location_without_text", location_without_text, "(id 1)"},
    {"location_without_file", location_without_file, "(id 1)"},
    {"loss_without_example", loss_without_example, "(id 0)"},
    {"loss_without_part", loss_without_part, "(id 0)"},
    {"metadata_without_key", metadata_without_key, "(id 0)"},
    {"metadata_without_value", metadata_without_value, "(id 0)"},
};

static void test_all_ids_are_checked(void **state)
{
    (void)state;
    check_breaches(id_breaches, sizeof(id_breaches) / sizeof(id_breaches[0]));
}

#define PROFILE_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROFILE_TEST(test_many_spans),
        PROFILE_TEST(test_chunks_stay),
        PROFILE_TEST(test_long_text),
        PROFILE_TEST(test_samples_and_flows),
        PROFILE_TEST(test_ordered_source_is_valid),
        PROFILE_TEST(test_empty_profile_is_valid),
        cmocka_unit_test(test_breaches_are_noticed),
        cmocka_unit_test(test_all_ids_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
