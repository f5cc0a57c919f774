/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns say what the accessors of single rows say, and selections leave out what they should.
 */
#include "api/profile_view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 16 };

/* Two threads, a counter, an arrow, arguments of every kind, a moment. */
static const char trace[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10,\"name\":\"load\",\"cat\":\"dma\","
    "\"args\":{\"inner\":{\"bytes\":7},\"bytes\":64,\"what\":\"weights\"}},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":2,\"name\":\"store\",\"cat\":\"dma\","
    "\"args\":{\"bytes\":\"many\",\"is_last\":true}},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":20,\"name\":\"load\",\"cat\":\"dma\","
    "\"args\":{\"bytes\":-1.5}},"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":26,\"s\":\"t\",\"name\":\"mark\"},"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":30,\"name\":\"open\"},"
    "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":1,\"id\":5,\"name\":\"arrow\",\"cat\":\"f\"},"
    "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":6,\"id\":5,\"name\":\"arrow\",\"cat\":\"f\",\"bp\":"
    "\"e\"},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"queue\",\"args\":{\"n\":2}},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":9,\"name\":\"queue\",\"args\":{\"n\":4.5}}]}";

static tacho_view *open_bytes(const char *bytes, const tacho_view_options *options)
{
    const tacho_input_view input = {.bytes = bytes, .byte_count = strlen(bytes), .name = "m"};
    tacho_view *view = NULL;
    tacho_status status = tacho_view_open_inputs(&input, 1, options, &view);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
    return view;
}

static void check_text(const tacho_view *view, uint32_t string, const char *expected)
{
    const char *text = tacho_view_string(view, string);
    if (expected == NULL) {
        assert_int_equal(string, TACHO_VIEW_NONE);
        assert_null(text);
    } else {
        assert_non_null(text);
        assert_string_equal(text, expected);
    }
}

/* ---- columns ------------------------------------------------------------------------------- */

typedef struct span_arrays {
    int64_t start_ns[ROWS], end_ns[ROWS], start_ticks[ROWS], end_ticks[ROWS], invocation[ROWS];
    uint32_t track[ROWS], part[ROWS], name[ROWS], category[ROWS], origin[ROWS], location[ROWS],
        file[ROWS], run[ROWS], line[ROWS];
    uint8_t is_instant[ROWS], is_unended[ROWS];
} span_arrays;

static tacho_span_columns columns_of(span_arrays *to)
{
    return (tacho_span_columns){
        .start_ns = to->start_ns,
        .end_ns = to->end_ns,
        .start_ticks = to->start_ticks,
        .end_ticks = to->end_ticks,
        .track = to->track,
        .part = to->part,
        .name = to->name,
        .category = to->category,
        .origin = to->origin,
        .location = to->location,
        .file = to->file,
        .run = to->run,
        .line = to->line,
        .invocation = to->invocation,
        .is_instant = to->is_instant,
        .is_unended = to->is_unended,
    };
}

static void check_span(const tacho_view *view, const span_arrays *from, uint64_t at, uint64_t index)
{
    tacho_span_view span;
    assert_true(tacho_view_span(view, index, &span));
    assert_int_equal(from->start_ns[at], span.start_ns);
    assert_int_equal(from->end_ns[at], span.end_ns);
    assert_int_equal(from->start_ticks[at], span.start_ticks);
    assert_int_equal(from->end_ticks[at], span.end_ticks);
    assert_int_equal(from->track[at], span.track);
    assert_int_equal(from->part[at], span.part);
    assert_int_equal(from->line[at], span.line);
    assert_int_equal(from->invocation[at], span.invocation);
    assert_int_equal(from->is_instant[at], span.is_instant);
    assert_int_equal(from->is_unended[at], span.is_unended);
    check_text(view, from->name[at], span.name);
    check_text(view, from->category[at], span.category);
    check_text(view, from->origin[at], span.origin);
    check_text(view, from->location[at], span.location);
    check_text(view, from->file[at], span.file);
    check_text(view, from->run[at], span.run);
}

static void check_spans(tacho_view *view)
{
    span_arrays arrays;
    tacho_span_columns columns = columns_of(&arrays);
    uint64_t count = tacho_view_count(view).span_count;
    assert_in_range(count, 5, ROWS);
    assert_int_equal(tacho_view_read_spans(view, 0, ROWS, &columns), count);
    for (uint64_t i = 0; i < count; i++) {
        check_span(view, &arrays, i, i);
    }
    for (uint64_t first = 0; first < count; first++) {
        assert_int_equal(tacho_view_read_spans(view, first, 1, &columns), 1);
        check_span(view, &arrays, 0, first);
    }
    assert_int_equal(tacho_view_read_spans(view, count, 1, &columns), 0);
    assert_int_equal(tacho_view_read_spans(view, UINT64_MAX, UINT64_MAX, &columns), 0);
    tacho_view_close(view);
}

static void test_spans(void **state)
{
    (void)state;
    const char *paths[] = {TACHO_TEST_DATA "/torq/r2i.csv"}; /* with locations and runs */
    tacho_view *view = NULL;
    check_spans(open_bytes(trace, NULL));
    assert_null(tacho_view_open(paths, 1, NULL, &view));
    check_spans(view);
}

static void test_columns_that_are_not_wanted(void **state)
{
    (void)state;
    tacho_view *view = open_bytes(trace, NULL);
    const tacho_span_columns none = {.start_ns = NULL};
    tacho_span_columns newer = {.reserved = {view}};
    assert_int_equal(tacho_view_read_spans(view, 0, ROWS, &none), 5);
    assert_int_equal(tacho_view_read_spans(view, 0, ROWS, &newer), 0);
    assert_int_equal(tacho_view_read_spans(view, 0, ROWS, NULL), 0);
    assert_int_equal(tacho_view_read_spans(NULL, 0, ROWS, &none), 0);
    assert_int_equal(tacho_view_read_samples(view, 0, ROWS, NULL), 0);
    assert_int_equal(tacho_view_read_flows(view, 0, ROWS, NULL), 0);
    assert_int_equal(tacho_view_read_tracks(view, 0, ROWS, NULL), 0);
    assert_null(tacho_view_string(NULL, 0));
    assert_null(tacho_view_string(view, (uint32_t)tacho_view_count(view).string_count));
    assert_string_equal(tacho_view_string(view, 0), "");
    tacho_view_close(view);
}

/* A name that holds NUL is whole by its length, and cut by its end. */
static void test_texts_with_nul(void **state)
{
    (void)state;
    tacho_view *view =
        open_bytes("[{\"ph\":\"X\",\"name\":\"a\\u0000b\",\"ts\":0,\"dur\":1,\"pid\":1,\"tid\":1,"
                   "\"args\":{\"k\\u0000l\":1}}]",
                   NULL);
    uint32_t name = 0;
    const tacho_span_columns columns = {.name = &name};
    assert_int_equal(tacho_view_read_spans(view, 0, 1, &columns), 1);
    size_t len = 0;
    assert_memory_equal(tacho_view_text(view, name, &len), "a\0b", 4);
    assert_int_equal(len, 3);
    assert_string_equal(tacho_view_string(view, name), "a");
    tacho_arg_view arg;
    assert_true(tacho_view_first_arg(view, 0, &arg));
    assert_int_equal(arg.key_len, 3);
    assert_memory_equal(arg.key, "k\0l", 4);
    assert_null(tacho_view_text(view, TACHO_VIEW_NONE, &len));
    assert_int_equal(len, 0);
    assert_null(tacho_view_text(NULL, 0, NULL));
    tacho_view_close(view);
}

static void test_arguments(void **state)
{
    (void)state;
    tacho_view *view = open_bytes(trace, NULL);
    double values[ROWS];
    uint32_t names[ROWS];
    const tacho_span_columns columns = {.name = names};
    assert_int_equal(tacho_view_read_spans(view, 0, ROWS, &columns), 5);
    assert_int_equal(tacho_view_read_arg(view, "bytes", 0, ROWS, values), 5);
    double seen = 0;
    size_t found = 0;
    for (size_t i = 0; i < 5; i++) {
        bool is_load = strcmp(tacho_view_string(view, names[i]), "load") == 0;
        assert_int_equal(!isnan(values[i]), is_load);
        seen += is_load ? values[i] : 0;
        found += is_load ? 1 : 0;
    }
    assert_int_equal(found, 2);
    assert_true(seen > 62.4 && seen < 62.6); /* 64 - 1.5, and not what lies inside "inner" */
    assert_int_equal(tacho_view_read_arg(view, "no such", 0, ROWS, values), 5);
    assert_true(isnan(values[0]));
    assert_int_equal(tacho_view_read_arg(view, NULL, 0, ROWS, values), 0);
    assert_int_equal(tacho_view_read_arg(view, "bytes", 0, ROWS, NULL), 0);
    tacho_view_close(view);
}

static void test_samples(void **state)
{
    (void)state;
    tacho_view *view = open_bytes(trace, NULL);
    int64_t ns[ROWS], ticks[ROWS];
    double value[ROWS];
    uint32_t track[ROWS], part[ROWS];
    const tacho_sample_columns columns = {ns, ticks, value, track, part, {NULL}};
    assert_int_equal(tacho_view_read_samples(view, 0, ROWS, &columns), 2);
    for (uint64_t i = 0; i < 2; i++) {
        tacho_sample_view sample;
        assert_true(tacho_view_sample(view, i, &sample));
        assert_int_equal(ns[i], sample.time_ns);
        assert_int_equal(ticks[i], sample.time_ticks);
        assert_memory_equal(&value[i], &sample.value, sizeof(sample.value));
        assert_int_equal(track[i], sample.track);
        assert_int_equal(part[i], sample.part);
    }
    tacho_view_close(view);
}

static void test_flows(void **state)
{
    (void)state;
    tacho_view *view = open_bytes(trace, NULL);
    int64_t ns[ROWS], ticks[ROWS], end_ns[ROWS];
    uint64_t id[ROWS];
    uint32_t track[ROWS], part[ROWS], role[ROWS], phase[ROWS];
    const tacho_flow_columns columns = {ns, ticks, end_ns, id, track, part, role, phase, {NULL}};
    assert_int_equal(tacho_view_read_flows(view, 0, ROWS, &columns), 2);
    for (uint64_t i = 0; i < 2; i++) {
        tacho_flow_view flow;
        assert_true(tacho_view_flow(view, i, &flow));
        assert_int_equal(ns[i], flow.time_ns);
        assert_int_equal(ticks[i], flow.time_ticks);
        assert_int_equal(end_ns[i], flow.span_end_ns);
        assert_int_equal(id[i], flow.id);
        assert_int_equal(track[i], flow.track);
        assert_int_equal(part[i], flow.part);
        check_text(view, role[i], flow.role);
        check_text(view, phase[i], flow.phase);
    }
    tacho_view_close(view);
}

static void test_tracks(void **state)
{
    (void)state;
    tacho_view *view = open_bytes(trace, NULL);
    uint32_t name[ROWS], class[ROWS], unit[ROWS], parent[ROWS], part[ROWS], number[ROWS];
    const tacho_track_columns columns = {name, class, unit, parent, part, number, {NULL}};
    uint64_t count = tacho_view_count(view).track_count;
    assert_in_range(count, 4, ROWS);
    assert_int_equal(tacho_view_read_tracks(view, 0, ROWS, &columns), count);
    for (uint64_t i = 0; i < count; i++) {
        tacho_track_view track;
        assert_true(tacho_view_track(view, i, &track));
        check_text(view, name[i], track.name);
        check_text(view, class[i], track.track_class);
        check_text(view, unit[i], track.unit);
        assert_int_equal(parent[i], track.parent);
        assert_int_equal(part[i], track.part);
        assert_int_equal(number[i], track.number);
    }
    tacho_view_close(view);
}

/* Columns of a view that holds one row at a time. */
static bool check_row(void *user, const tacho_view *view)
{
    uint64_t *count = user;
    span_arrays arrays;
    tacho_span_columns columns = columns_of(&arrays);
    if (tacho_view_read_spans(view, 0, ROWS, &columns) == 1) {
        check_span(view, &arrays, 0, 0);
        *count += 1;
    }
    return true;
}

static void test_streams_have_columns(void **state)
{
    (void)state;
    uint64_t count = 0;
    const char *paths[] = {TACHO_TEST_DATA "/torq/t4.csv"};
    assert_null(tacho_view_stream(paths, 1, NULL, check_row, &count));
    assert_true(count > 0);
}

/* ---- selections ---------------------------------------------------------------------------- */

static uint64_t count_selected(const tacho_view_options *options)
{
    tacho_view *view = open_bytes(trace, options);
    uint64_t count = tacho_view_count(view).span_count;
    tacho_view_close(view);
    return count;
}

static void test_selections(void **state)
{
    (void)state;
    assert_int_equal(count_selected(&(tacho_view_options){.window_end_ns = 5000}), 1);
    assert_int_equal(count_selected(&(tacho_view_options){.window_begin_ns = 25000}), 2);
    assert_int_equal(count_selected(&(tacho_view_options){.min_duration_ns = 10000}),
                     3); /* and mark */
    assert_int_equal(count_selected(&(tacho_view_options){.filter = "oa"}), 2);
    assert_int_equal(count_selected(&(tacho_view_options){.filter = "/^(store|mark)$/"}), 2);
    assert_int_equal(count_selected(&(tacho_view_options){.filter = "none of them"}), 0);
}

static void check_refused(const tacho_view_options *options, const char *message)
{
    const tacho_input_view input = {.bytes = trace, .byte_count = strlen(trace)};
    tacho_view *view = NULL;
    tacho_status status = tacho_view_open_inputs(&input, 1, options, &view);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    assert_non_null(strstr(tacho_status_message(status), message));
    assert_null(view);
    tacho_status_free(status);
}

static void test_selections_that_cannot_be(void **state)
{
    (void)state;
    check_refused(&(tacho_view_options){.window_begin_ns = 5, .window_end_ns = 5}, "window ends");
    check_refused(&(tacho_view_options){.window_begin_ns = -1}, "negative");
    check_refused(&(tacho_view_options){.min_duration_ns = -1}, "negative");
    check_refused(&(tacho_view_options){.filter = "/(/"}, "(");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),          cmocka_unit_test(test_columns_that_are_not_wanted),
        cmocka_unit_test(test_texts_with_nul), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_samples),        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_tracks),         cmocka_unit_test(test_streams_have_columns),
        cmocka_unit_test(test_selections),     cmocka_unit_test(test_selections_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
