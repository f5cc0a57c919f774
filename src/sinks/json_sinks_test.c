/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sinks that write JSON, driven with every kind of row and argument; the output is compared
 * line by line.
 */
#include "sinks/chrome_json.h"
#include "sinks/spans_csv.h"
#include "sinks/spans_jsonl.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { TEXT_BYTES = 16384 };

/* A part with an engine at 800 MHz and a counter of bytes. */
typedef struct fixture {
    tacho_dict dict;
    uint32_t engine;
    uint32_t counter;
    uint32_t site;
    uint32_t key;
} fixture;

static uint32_t add_track(fixture *at, const char *name, tacho_track_class track_class)
{
    uint32_t id = 0;
    tacho_track facts = {.parent = at->dict.parts[0].root,
                         .lane_of = TACHO_NONE,
                         .rank = -1,
                         .track_class = track_class,
                         .nesting = TACHO_NESTING_ENGINE,
                         .unit = TACHO_UNIT_BYTES};
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

static void open_fixture(fixture *at)
{
    tacho_clock clock;
    uint32_t id = 0;
    tacho_site site = {.location = TACHO_NONE};
    assert_null(tacho_dict_init(&at->dict));
    assert_null(tacho_clock_init_mhz(&clock, TACHO_STR("800")));
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("cycles"), &id));
    tacho_part_facts facts = {.path = TACHO_STR("a.csv"), .origin = TACHO_ORIGIN_ESTIMATED};
    assert_null(tacho_dict_add_part(&at->dict, &facts, &id));
    at->engine = add_track(at, "Slice 0", TACHO_TRACK_COMPUTE);
    at->counter = add_track(at, "DDR", TACHO_TRACK_COUNTER);
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("a\"b"), &site.name));
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("compute"), &site.category));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->site));
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("k"), &at->key));
}

static tacho_row make_row(const fixture *at, tacho_row_kind kind, uint32_t track, int64_t start)
{
    tacho_row row = {.kind = kind, .track = track, .start = start};
    if (kind == TACHO_ROW_SPAN) {
        row.of.span.end = start + 8;
        row.of.span.site = at->site;
        row.of.span.op = TACHO_NONE;
        row.of.span.run = TACHO_NONE;
    }
    return row;
}

/* {"k":{"k":[1,-2],"k":true},"k":null,"k":0.5,"k":"\n"} */
static size_t make_args(const fixture *at, tacho_arg *args)
{
    const tacho_arg_type types[] = {TACHO_ARG_DICT, TACHO_ARG_ARRAY, TACHO_ARG_UINT,
                                    TACHO_ARG_INT,  TACHO_ARG_BOOL,  TACHO_ARG_JSON,
                                    TACHO_ARG_REAL, TACHO_ARG_TEXT};
    for (size_t i = 0; i < 8; i++) {
        args[i] = (tacho_arg){.key = at->key, .type = types[i]};
    }
    args[0].value.as_uint = 4;
    args[1].value.as_uint = 2;
    args[2].value.as_uint = 1;
    args[3].value.as_int = -2;
    args[4].value.as_bool = true;
    args[5].value.as_text = TACHO_STR("null");
    args[6].value.as_real = 0.5;
    args[7].value.as_text = TACHO_STR("\n");
    return 8;
}

/* A span with arguments, an instant, a sample, both ends of an arrow. */
static void push_rows(fixture *at, tacho_events *events)
{
    tacho_arg args[8];
    tacho_row span = make_row(at, TACHO_ROW_SPAN, at->engine, 4);
    span.args = args;
    span.arg_count = make_args(at, args);
    assert_null(tacho_events_row(events, &span));
    tacho_row moment = make_row(at, TACHO_ROW_SPAN, at->engine, 8);
    moment.of.span.end = 8;
    moment.of.span.flags = TACHO_SPAN_INSTANT | TACHO_ORIGIN_MEASURED;
    assert_null(tacho_events_row(events, &moment));
    tacho_row sample = make_row(at, TACHO_ROW_SAMPLE, at->counter, 8);
    sample.of.sample.value = 1.5;
    assert_null(tacho_events_row(events, &sample));
    tacho_row flow = make_row(at, TACHO_ROW_FLOW, at->engine, 12);
    flow.of.flow.id = 7;
    flow.of.flow.phase = TACHO_FLOW_LEAVES;
    flow.of.flow.span_end = TACHO_FLOW_AROUND;
    assert_null(tacho_events_row(events, &flow));
    flow.start = 16;
    flow.of.flow.phase = TACHO_FLOW_PASSES;
    flow.of.flow.span_end = 20;
    assert_null(tacho_events_row(events, &flow));
    tacho_row passed = make_row(at, TACHO_ROW_SPAN, at->engine, 16);
    passed.of.span.end = 20;
    assert_null(tacho_events_row(events, &passed));
    flow.of.flow.phase = TACHO_FLOW_ARRIVES;
    flow.of.flow.span_end = TACHO_FLOW_AROUND;
    assert_null(tacho_events_row(events, &flow));
    flow.of.flow.span_end = TACHO_FLOW_NEXT;
    assert_null(tacho_events_row(events, &flow));
}

/* Writes those rows to |sink| and returns the output. */
static const char *write_rows(const tacho_trace_sink *sink, bool omit_args, fixture *at)
{
    static char text[TEXT_BYTES];
    const tacho_trace_options options = {.omit_args = omit_args};
    tacho_output output;
    tacho_events *events = NULL;
    open_test_output(&output);
    assert_null(sink->open(&at->dict, &output, &options, &events));
    push_rows(at, events);
    assert_null(tacho_events_finish(events));
    sink->close(events);
    size_t len = read_test_output(&output, text, sizeof(text) - 1);
    text[len] = '\0';
    keep_test_output(text, len);
    return text;
}

#define ARGS "{\"k\":{\"k\":[1,-2],\"k\":true},\"k\":null,\"k\":0.5,\"k\":\"\\u000a\",\"cycles\":8}"

static void assert_holds(const char *text, const char *line)
{
    if (strstr(text, line) == NULL) {
        fail_msg("no %s in\n%s", line, text);
    }
}

static void test_chrome(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    const char *text = write_rows(&tacho_sink_chrome_json, false, &at);
    assert_holds(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.005,\"dur\":0.010,\"name\":"
                       "\"a\\\"b\",\"cat\":\"compute\",\"args\":" ARGS "},\n");
    assert_holds(text, "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0.010,\"s\":\"t\",\"name\":"
                       "\"a\\\"b\",\"cat\":\"compute\",\"args\":{\"origin\":\"measured\"}},\n");
    assert_holds(text, "{\"ph\":\"C\",\"pid\":1,\"tid\":3,\"ts\":0.010,\"name\":\"DDR\",\"args\":"
                       "{\"bytes\":1.5}},\n");
    assert_holds(text, "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":0.015,\"id\":7,\"cat\":\"flow\","
                       "\"name\":\"data\"},\n");
    assert_holds(text, "{\"ph\":\"t\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"id\":7,\"cat\":\"flow\","
                       "\"name\":\"data\",\"args\":{\"span_ticks\":4,\"span\":\"\"}},\n");
    assert_holds(text, "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"id\":7,\"bp\":\"e\","
                       "\"cat\":\"flow\",\"name\":\"data\"},\n");
    assert_holds(text, "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":0.020,\"id\":7,"
                       "\"cat\":\"flow\",\"name\":\"data\"}\n],");
    assert_holds(text, "\"name\":\"tacho_counter\",\"args\":{\"name\":\"DDR\",\"unit\":\"bytes\",");
    assert_int_equal(at.dict.loss_count, 0);
    tacho_dict_deinit(&at.dict);
}

static void push_span(fixture *at, tacho_events *events, int64_t start, int64_t end)
{
    tacho_row row = make_row(at, TACHO_ROW_SPAN, at->engine, start);
    row.of.span.end = end;
    assert_null(tacho_events_row(events, &row));
}

/* Pushes an arrow that leaves from the next span. */
static void push_arrow(fixture *at, tacho_events *events, int64_t start, int64_t end)
{
    tacho_row flow = make_row(at, TACHO_ROW_FLOW, at->engine, start);
    flow.of.flow.id = (uint64_t)start + 1;
    flow.of.flow.phase = TACHO_FLOW_LEAVES;
    flow.of.flow.span_end = end;
    assert_null(tacho_events_row(events, &flow));
}

/* The phases of events, and lengths in hundredths of a microsecond: "X0 X8 s". */
static void phases_of(const char *text, char *phases)
{
    for (const char *at = text; (at = strstr(at, "{\"ph\":\"")) != NULL; at++) {
        const char *end = strchr(at, '\n');
        const char *length = strstr(at, "\"dur\":0.0");
        if (at[7] == 'M') {
            continue;
        }
        *phases++ = at[7];
        if (length != NULL && length < end) {
            *phases++ = length[9];
        }
        *phases++ = ' ';
    }
    *phases = '\0';
}

/*
 * Viewers begin nonempty spans first: an empty span at their start must not get their arrows. It is
 * written after them, or, if it has arrows of its own, they are begun in the order of the file.
 */
static void test_chrome_empty_spans(void **state)
{
    (void)state;
    fixture at;
    char text[TEXT_BYTES];
    char phases[TEXT_BYTES];
    const tacho_trace_options options = {.omit_args = true};
    tacho_output output;
    tacho_events *events = NULL;
    open_fixture(&at);
    open_test_output(&output);
    assert_null(tacho_sink_chrome_json.open(&at.dict, &output, &options, &events));
    push_span(&at, events, 0, 0); /* without arrows: in order */
    push_span(&at, events, 0, 8);
    push_span(&at, events, 8, 8); /* after the span and its arrow */
    push_span(&at, events, 8, 8);
    push_arrow(&at, events, 8, 24);
    push_span(&at, events, 8, 24);
    push_span(&at, events, 24, 24); /* another time */
    push_arrow(&at, events, 32, 40);
    push_span(&at, events, 32, 40);
    push_arrow(&at, events, 40, 40); /* arrows of its own */
    push_span(&at, events, 40, 40);
    push_arrow(&at, events, 40, 48);
    push_span(&at, events, 40, 48);
    push_span(&at, events, 48, 56); /* without arrows it is not split into begin and end */
    push_span(&at, events, 56, 56); /* the last */
    assert_null(tacho_events_finish(events));
    tacho_sink_chrome_json.close(events);
    text[read_test_output(&output, text, sizeof(text) - 1)] = '\0';
    phases_of(text, phases);
    assert_string_equal(phases, "X0 X1 X2 s X0 X0 X0 X1 s X0 s B s E X1 X0 ");
    assert_holds(text, "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0.050,\"name\":");
    assert_holds(text, "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":0.060},\n");
    tacho_dict_deinit(&at.dict);
}

/* Ticks shorter than a nanosecond are written beside each time. */
static void test_chrome_ticks(void **state)
{
    (void)state;
    fixture at;
    char text[TEXT_BYTES];
    const tacho_trace_options options = {.omit_args = true};
    tacho_output output;
    tacho_events *events = NULL;
    open_fixture(&at);
    assert_null(tacho_clock_init_mhz(&at.dict.clocks[0], TACHO_STR("4000")));
    open_test_output(&output);
    assert_null(tacho_sink_chrome_json.open(&at.dict, &output, &options, &events));
    push_span(&at, events, 5, 15);
    push_arrow(&at, events, 16, 17); /* empty in nanoseconds */
    push_span(&at, events, 16, 17);
    push_arrow(&at, events, 18, 30);
    push_span(&at, events, 18, 30);
    assert_null(tacho_events_finish(events));
    tacho_sink_chrome_json.close(events);
    text[read_test_output(&output, text, sizeof(text) - 1)] = '\0';
    assert_holds(text, "\"X\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"tick\":1,\"dur\":0.002,"
                       "\"end_tick\":3,");
    assert_holds(text, "\"B\",\"pid\":1,\"tid\":2,\"ts\":0.004,\"tick\":2,\"name\":");
    assert_holds(text, "\"E\",\"pid\":1,\"tid\":2,\"ts\":0.007,\"tick\":2}");
    tacho_dict_deinit(&at.dict);
}

static void test_jsonl(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    const char *text = write_rows(&tacho_sink_spans_jsonl, false, &at);
    const char *head = "\"file\":\"a.csv\",\"track\":\"Slice 0\",\"class\":\"compute\",";
    char line[TEXT_BYTES];
    snprintf(line, sizeof(line),
             "{\"kind\":\"span\",%s\"start_ns\":5,\"duration_ns\":10,\"name\":\"a\\\"b\","
             "\"category\":\"compute\",\"args\":" ARGS "}\n{\"kind\":\"instant\",%s\"start_ns\":10,"
             "\"name\":\"a\\\"b\",\"category\":\"compute\",\"args\":{\"origin\":\"measured\"}}\n",
             head, head);
    assert_memory_equal(text, line, strlen(line));
    assert_holds(text, "\"class\":\"counter\",\"start_ns\":10,\"value\":1.5,\"unit\":\"bytes\"}\n");
    assert_holds(text, "\"start_ns\":15,\"id\":7,\"direction\":\"leaves\",\"role\":\"data\"}\n");
    assert_holds(text, "\"start_ns\":20,\"id\":7,\"direction\":\"arrives\",\"role\":\"data\"}\n");
    assert_holds(text, "{\"kind\":\"attribute\",\"key\":\"tacho.lost.total\",\"value\":\"0\"}\n");
    tacho_dict_deinit(&at.dict);
}

/* Without arguments, an origin of its own stays. */
static void test_args_none(void **state)
{
    (void)state;
    fixture at;
    open_fixture(&at);
    const char *text = write_rows(&tacho_sink_chrome_json, true, &at);
    assert_holds(text, "\"dur\":0.010,\"name\":\"a\\\"b\",\"cat\":\"compute\"},\n");
    assert_holds(text, "\"cat\":\"compute\",\"args\":{\"origin\":\"measured\"}},\n");
    tacho_dict_deinit(&at.dict);
    open_fixture(&at);
    text = write_rows(&tacho_sink_spans_jsonl, true, &at);
    assert_holds(text, "\"duration_ns\":10,\"name\":\"a\\\"b\",\"category\":\"compute\"}\n");
    assert_holds(text, "\"category\":\"compute\",\"args\":{\"origin\":\"measured\"}}\n");
    tacho_dict_deinit(&at.dict);
}

static tacho_status push_one(const tacho_trace_sink *sink, fixture *at, bool names_may_change)
{
    const tacho_trace_options options = {.names_may_change = names_may_change};
    tacho_output output;
    tacho_events *events = NULL;
    open_test_output(&output);
    assert_null(sink->open(&at->dict, &output, &options, &events));
    tacho_row row = make_row(at, TACHO_ROW_SAMPLE, at->counter, 0);
    tacho_status status = tacho_events_row(events, &row);
    sink->close(events);
    tacho_output_close(&output);
    return status;
}

/* Sinks that write names with each row ask for another try while names may change. */
static void test_late_names(void **state)
{
    (void)state;
    const tacho_trace_sink *const sinks[] = {&tacho_sink_spans_csv, &tacho_sink_spans_jsonl};
    for (size_t i = 0; i < 2; i++) {
        fixture at;
        open_fixture(&at);
        uint32_t group = tacho_dict_track_group(&at.dict, at.counter);
        const uint32_t tracks[] = {at.counter, group};
        assert_null(push_one(sinks[i], &at, true));
        for (size_t k = 0; k < 2; k++) {
            at.dict.tracks[tracks[k]].is_provisional = true;
            tacho_status status = push_one(sinks[i], &at, true);
            assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
            tacho_status_free(status);
            assert_null(push_one(sinks[i], &at, false));
            at.dict.tracks[tracks[k]].is_provisional = false;
        }
        tacho_dict_deinit(&at.dict);
    }
}

/* A track of another part. */
static uint32_t add_second_part(fixture *at)
{
    uint32_t part = 0;
    uint32_t track = 0;
    tacho_part_facts facts = {.path = TACHO_STR("b.csv"), .origin = TACHO_ORIGIN_ESTIMATED};
    assert_null(tacho_dict_add_part(&at->dict, &facts, &part));
    tacho_track like = at->dict.tracks[at->engine];
    like.part = part;
    like.parent = at->dict.parts[part].root;
    assert_null(tacho_dict_ensure_track(&at->dict, &like, TACHO_STR("Slice 0"), &track));
    return track;
}

/* Arrows of several parts have different ids. */
static void test_flow_ids(void **state)
{
    (void)state;
    const tacho_trace_sink *const sinks[] = {&tacho_sink_spans_csv, &tacho_sink_spans_jsonl};
    static const char *const words[] = {",,,,,,,1099511627783,\n", "\"id\":1099511627783,"};
    for (size_t i = 0; i < 2; i++) {
        fixture at;
        char text[TEXT_BYTES];
        tacho_output output;
        tacho_events *events = NULL;
        const tacho_trace_options options = {.omit_args = false};
        open_fixture(&at);
        tacho_row row = make_row(&at, TACHO_ROW_FLOW, add_second_part(&at), 0);
        row.of.flow.id = 7;
        row.of.flow.span_end = TACHO_FLOW_NEXT;
        open_test_output(&output);
        assert_null(sinks[i]->open(&at.dict, &output, &options, &events));
        assert_null(tacho_events_row(events, &row));
        sinks[i]->close(events);
        text[read_test_output(&output, text, sizeof(text) - 1)] = '\0';
        assert_holds(text, words[i]);
        tacho_dict_deinit(&at.dict);
    }
}

/* Writes |span| alone to |sink| and returns the output; releases |at|. */
static const char *write_one(fixture *at, const tacho_trace_sink *sink, const tacho_row *span)
{
    static char text[TEXT_BYTES];
    const tacho_trace_options options = {.omit_args = false};
    tacho_output output;
    tacho_events *events = NULL;
    open_test_output(&output);
    assert_null(sink->open(&at->dict, &output, &options, &events));
    assert_null(tacho_events_row(events, span));
    assert_null(tacho_events_finish(events));
    sink->close(events);
    size_t len = read_test_output(&output, text, sizeof(text) - 1);
    text[len] = '\0';
    keep_test_output(text, len);
    tacho_dict_deinit(&at->dict);
    return text;
}

/* The output of |sink| for a span with numbers beyond signed 64 bits, and others. */
static const char *write_large_numbers(const tacho_trace_sink *sink)
{
    fixture at;
    open_fixture(&at);
    tacho_arg args[8];
    tacho_row span = make_row(&at, TACHO_ROW_SPAN, at.engine, 4);
    span.args = args;
    span.arg_count = make_args(&at, args);
    args[2].value.as_uint = UINT64_MAX;
    args[3].type = TACHO_ARG_UINT;
    args[3].value.as_uint = INT64_MAX;
    args[5].value.as_text = TACHO_STR("-9223372036854775809");
    args[6].type = TACHO_ARG_JSON;
    args[6].value.as_text = TACHO_STR("1e400");
    return write_one(&at, sink, &span);
}

/* Viewers show wrong values for such numbers: they are strings, and the event lists them. */
static void test_large_numbers(void **state)
{
    (void)state;
    assert_holds(write_large_numbers(&tacho_sink_chrome_json),
                 "\"args\":{\"k\":{\"k\":[\"18446744073709551615\",9223372036854775807],"
                 "\"k\":true},\"k\":\"-9223372036854775809\",\"k\":\"1e400\","
                 "\"k\":\"\\u000a\",\"cycles\":8},\"numbers\":\"2,5,6\"}");
    assert_holds(write_large_numbers(&tacho_sink_spans_jsonl),
                 "{\"k\":{\"k\":[18446744073709551615,9223372036854775807],\"k\":true},"
                 "\"k\":-9223372036854775809,\"k\":1e400,");
}

/* The output of |sink| for a span with a single argument |name|. */
static const char *write_named(const tacho_trace_sink *sink, const char *name)
{
    fixture at;
    open_fixture(&at);
    tacho_arg arg = {.type = TACHO_ARG_INT};
    assert_null(tacho_dict_ensure_string(&at.dict, tacho_str_from_cstring(name), &arg.key));
    tacho_row span = make_row(&at, TACHO_ROW_SPAN, at.engine, 4);
    span.args = &arg;
    span.arg_count = 1;
    return write_one(&at, sink, &span);
}

/*
 * Viewers parse brackets as an index and points as a path: a span with other uses of them is not
 * shown.
 */
static void test_names_of_arguments(void **state)
{
    (void)state;
    const tacho_trace_sink *chrome = &tacho_sink_chrome_json;
    assert_holds(write_named(chrome, "DURATION [ns]"), "{\"DURATION ［ns］\":0");
    assert_holds(write_named(chrome, "[\n[a]]"), "{\"［\\u000a［a］］\":0");
    assert_holds(write_named(chrome, "est. %, a]"), "{\"est. %, a]\":0");
    assert_holds(write_named(chrome, "mailbox[0]"), "{\"mailbox[0]\":0");
    assert_holds(write_named(chrome, "a[1][23].b[4]"), "{\"a[1][23].b[4]\":0");
    assert_holds(write_named(chrome, "a[]"), "{\"a［］\":0");
    assert_holds(write_named(chrome, "a[1"), "{\"a［1\":0");
    assert_holds(write_named(chrome, "a[1]b"), "{\"a［1］b\":0");
    assert_holds(write_named(chrome, "a.[1]"), "{\"a.［1］\":0");
    assert_holds(write_named(chrome, "a][1]"), "{\"a］［1］\":0");
    assert_holds(write_named(chrome, ""), "{\"(no name)\":0");
    assert_holds(write_named(chrome, ".."), "{\"(no name)\":0");
    assert_holds(write_named(&tacho_sink_spans_jsonl, "DURATION [ns]"), "{\"DURATION [ns]\":0");
}

static void check_not_finite(const tacho_trace_sink *sink)
{
    fixture at;
    open_fixture(&at);
    const tacho_trace_options options = {.omit_args = true};
    tacho_output output;
    tacho_events *events = NULL;
    open_test_output(&output);
    assert_null(sink->open(&at.dict, &output, &options, &events));
    tacho_row sample = make_row(&at, TACHO_ROW_SAMPLE, at.counter, 0);
    sample.of.sample.value = (double)NAN;
    assert_null(tacho_events_row(events, &sample));
    sample.of.sample.value = (double)-INFINITY;
    assert_null(tacho_events_row(events, &sample));
    assert_int_equal(at.dict.loss_count, 1);
    assert_int_equal(at.dict.losses[0].reason, TACHO_LOSS_NOT_FINITE);
    assert_int_equal(at.dict.losses[0].count, 2);
    sink->close(events);
    tacho_output_close(&output);
    tacho_dict_deinit(&at.dict);
}

/* A sample that JSON cannot represent is counted, not written. */
static void test_not_finite(void **state)
{
    (void)state;
    check_not_finite(&tacho_sink_chrome_json);
    check_not_finite(&tacho_sink_spans_jsonl);
    check_not_finite(&tacho_sink_spans_csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chrome),        cmocka_unit_test(test_chrome_empty_spans),
        cmocka_unit_test(test_chrome_ticks),  cmocka_unit_test(test_jsonl),
        cmocka_unit_test(test_args_none),     cmocka_unit_test(test_late_names),
        cmocka_unit_test(test_flow_ids),      cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_large_numbers), cmocka_unit_test(test_names_of_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
