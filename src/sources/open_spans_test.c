/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds in begins and ends, and writes the resulting rows as text.
 *
 *     span 0 1..5 a k=1          track, times, name, arguments
 *     flow 0 1..5 #7             of a span of those times
 */
#include "sources/open_spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text_testing.h"

enum { SITE_COUNT = 4 };

typedef struct recorder {
    tacho_events events;
    tacho_dict dict;
    tacho_open_spans open;
    uint32_t names[SITE_COUNT]; /* "a", "b" ... of sites 0, 1 ... */
    uint32_t key;
    bool fails;
    test_text text;
} recorder;

static tacho_status record(tacho_events *events, const tacho_row *row)
{
    recorder *to = (recorder *)(void *)events;
    if (to->fails) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "no");
    }
    if (row->kind == TACHO_ROW_FLOW) {
        put(&to->text, "flow %u %lld..%lld #%llu\n", row->track, (long long)row->start,
            (long long)row->of.flow.span_end, (unsigned long long)row->of.flow.id);
        return TACHO_OK;
    }
    put(&to->text, "span %u %lld..%lld %s", row->track, (long long)row->start,
        (long long)row->of.span.end,
        tacho_dict_string(&to->dict, to->dict.sites[row->of.span.site].name).data);
    for (size_t i = 0; i < row->arg_count; i++) {
        if (row->args[i].type == TACHO_ARG_INT) {
            put(&to->text, " k=%lld", (long long)row->args[i].value.as_int);
        } else {
            put(&to->text, " k=%.*s", TACHO_STR_ARG(row->args[i].value.as_text));
        }
    }
    put(&to->text, "%s\n", (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? " unended" : "");
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = record};

static int setup(void **state)
{
    static recorder made;
    made = (recorder){.fails = false};
    assert_ok(tacho_dict_init(&made.dict));
    made.events = (tacho_events){&vtable, &made.dict};
    for (uint32_t i = 0; i < SITE_COUNT; i++) {
        char name[2] = {(char)('a' + (char)i), '\0'};
        uint32_t id = 0;
        assert_ok(
            tacho_dict_ensure_string(&made.dict, tacho_str_from_cstring(name), &made.names[i]));
        tacho_site site = {.name = made.names[i], .location = TACHO_NONE};
        assert_ok(tacho_dict_ensure_site(&made.dict, &site, &id));
        assert_int_equal(id, i);
    }
    tacho_open_spans_init(&made.open, &made.events);
    *state = &made;
    return 0;
}

static int teardown(void **state)
{
    recorder *made = *state;
    tacho_open_spans_deinit(&made->open);
    tacho_dict_deinit(&made->dict);
    return 0;
}

static void begin_with(recorder *on, uint32_t stack, int64_t time, uint32_t site,
                       const tacho_arg *args, size_t arg_count)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = stack + 10, .start = time, .args = args};
    row.arg_count = arg_count;
    row.of.span.end = -5; /* ignored */
    row.of.span.site = site;
    row.of.span.op = row.of.span.run = TACHO_NONE;
    row.of.span.flags = 0;
    assert_ok(tacho_open_spans_begin(&on->open, stack, &row));
}

static void begin(recorder *on, uint32_t stack, int64_t time, uint32_t site)
{
    begin_with(on, stack, time, site, NULL, 0);
}

static bool end(recorder *on, uint32_t stack, int64_t time, uint32_t name)
{
    tacho_span_end what = {.time = time, .name = name};
    bool is_ended = false;
    assert_ok(tacho_open_spans_end(&on->open, stack, &what, &is_ended));
    return is_ended;
}

static void expect(recorder *on, const char *text)
{
    assert_string_equal(on->text.bytes, text);
    clear_text(&on->text);
}

static void test_innermost_first(void **state)
{
    recorder *on = *state;
    assert_false(tacho_open_spans_has(&on->open, 0));
    begin(on, 0, 1, 0);
    begin(on, 0, 2, 1);
    begin(on, 2, 3, 2);
    assert_true(tacho_open_spans_has(&on->open, 0));
    assert_false(tacho_open_spans_has(&on->open, 1));
    assert_false(tacho_open_spans_has(&on->open, 99));
    assert_true(end(on, 0, 5, TACHO_NONE));
    assert_true(end(on, 2, 4, TACHO_NONE));
    assert_true(end(on, 0, 9, TACHO_NONE));
    assert_false(tacho_open_spans_has(&on->open, 0));
    expect(on, "span 10 2..5 b\nspan 12 3..4 c\nspan 10 1..9 a\n");
}

static void test_by_name(void **state)
{
    recorder *on = *state;
    begin(on, 0, 1, 0);
    begin(on, 0, 2, 1);
    begin(on, 0, 3, 0);
    begin(on, 0, 4, 2);
    assert_true(end(on, 0, 6, on->names[0])); /* the inner a, under c */
    assert_true(end(on, 0, 7, on->names[1]));
    assert_true(end(on, 0, 8, TACHO_NONE)); /* c is on top still */
    assert_true(end(on, 0, 9, on->names[0]));
    expect(on, "span 10 3..6 a\nspan 10 2..7 b\nspan 10 4..8 c\nspan 10 1..9 a\n");
}

static void test_what_does_not_fit(void **state)
{
    recorder *on = *state;
    assert_false(end(on, 0, 5, TACHO_NONE)); /* no such stack yet */
    begin(on, 1, 10, 0);
    assert_false(end(on, 0, 50, TACHO_NONE)); /* nothing there */
    assert_false(end(on, 1, 50, on->names[1]));
    assert_false(end(on, 1, 9, TACHO_NONE)); /* before it began */
    assert_true(end(on, 1, 10, TACHO_NONE));
    assert_false(end(on, 1, 11, TACHO_NONE));
    expect(on, "span 11 10..10 a\n");
}

static void test_args_of_both(void **state)
{
    recorder *on = *state;
    char text[] = "text";
    tacho_arg at_begin[2] = {{.key = 1, .type = TACHO_ARG_INT, .value.as_int = 7},
                             {.key = 1, .type = TACHO_ARG_TEXT}};
    at_begin[1].value.as_text = tacho_str_from_cstring(text);
    tacho_arg at_end = {.key = 1, .type = TACHO_ARG_INT, .value.as_int = 8};
    begin_with(on, 0, 1, 0, at_begin, 2);
    begin(on, 0, 2, 1);
    memset(text, 'x', 4); /* it was copied */
    tacho_span_end what = {.time = 3, .name = TACHO_NONE, .args = &at_end, .arg_count = 1};
    bool is_ended = false;
    assert_ok(tacho_open_spans_end(&on->open, 0, &what, &is_ended));
    assert_ok(tacho_open_spans_end(&on->open, 0, &what, &is_ended));
    assert_true(is_ended);
    expect(on, "span 10 2..3 b k=8\nspan 10 1..3 a k=7 k=text k=8\n");
}

static void test_flows(void **state)
{
    recorder *on = *state;
    tacho_row flow = {.kind = TACHO_ROW_FLOW};
    bool is_noted = true;
    flow.of.flow.id = 7;
    flow.of.flow.role = TACHO_FLOW_DATA;
    flow.of.flow.phase = TACHO_FLOW_LEAVES;
    assert_ok(tacho_open_spans_flow(&on->open, 0, &flow, &is_noted));
    assert_false(is_noted);
    begin(on, 0, 1, 0);
    begin(on, 0, 2, 1);
    assert_ok(tacho_open_spans_flow(&on->open, 0, &flow, &is_noted));
    assert_true(is_noted);
    flow.of.flow.id = 8;
    assert_ok(tacho_open_spans_flow(&on->open, 0, &flow, &is_noted));
    assert_true(end(on, 0, 5, TACHO_NONE));
    expect(on, "flow 10 2..5 #7\nflow 10 2..5 #8\nspan 10 2..5 b\n");
    begin(on, 0, 6, 2); /* in the slot of b, without its flows */
    assert_true(end(on, 0, 7, TACHO_NONE));
    expect(on, "span 10 6..7 c\n");
}

static void test_finish(void **state)
{
    recorder *on = *state;
    tacho_row flow = {.kind = TACHO_ROW_FLOW};
    bool is_noted = false;
    flow.of.flow.id = 3;
    begin(on, 1, 1, 0);
    begin(on, 1, 5, 1);
    begin(on, 1, 50, 2);
    begin(on, 0, 2, 3);
    assert_ok(tacho_open_spans_flow(&on->open, 0, &flow, &is_noted));
    assert_ok(tacho_open_spans_finish(&on->open, 20));
    expect(on, "flow 10 2..20 #3\nspan 10 2..20 d unended\nspan 11 1..20 a unended\n"
               "span 11 5..20 b unended\nspan 11 50..50 c unended\n");
    assert_false(tacho_open_spans_has(&on->open, 0));
    assert_false(tacho_open_spans_has(&on->open, 1));
    assert_ok(tacho_open_spans_finish(&on->open, 30));
    expect(on, "");
}

/* The greatest depth decides the number of slots. */
static void test_slots_are_used_again(void **state)
{
    recorder *on = *state;
    for (int64_t i = 0; i < 100; i++) {
        begin(on, 0, i, 0);
        begin(on, 0, i, 1);
        assert_true(end(on, 0, i, TACHO_NONE));
        assert_true(end(on, 0, i, TACHO_NONE));
        clear_text(&on->text);
    }
    assert_int_equal(on->open.slot_count, 2);
}

/* The search for a name is bounded. */
static void test_search_depth(void **state)
{
    recorder *on = *state;
    begin(on, 0, 0, 0);
    for (int64_t i = 0; i < 4095; i++) {
        begin(on, 0, 1, 1);
    }
    begin(on, 0, 2, 2);
    assert_false(end(on, 0, 5, on->names[0])); /* 4096 spans are above it */
    assert_true(end(on, 0, 5, on->names[2]));
    assert_true(end(on, 0, 5, on->names[0])); /* one less */
    expect(on, "span 10 2..5 c\nspan 10 0..5 a\n");
}

static void test_failure_is_passed_on(void **state)
{
    recorder *on = *state;
    bool is_ended = false;
    tacho_span_end what = {.time = 3, .name = TACHO_NONE};
    begin(on, 0, 1, 0);
    begin(on, 0, 1, 1);
    on->fails = true;
    tacho_status status = tacho_open_spans_end(&on->open, 0, &what, &is_ended);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    status = tacho_open_spans_finish(&on->open, 9);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_innermost_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_args_of_both, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slots_are_used_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_search_depth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failure_is_passed_on, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
