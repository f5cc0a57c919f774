/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of T1 and T4, letter by letter: order, numbers of slices, and characters not allowed in a
 * field.
 */
#include "sinks/torq/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/output_testing.h"

typedef struct row_case {
    tacho_track_class track_class;
    uint32_t unit;
    int64_t start, end;
    const char *location; /* NULL: unknown */
    const char *name;
    const char *word; /* NULL: no arguments of a schedule */
    uint64_t job, task, bytes;
} row_case;

/* In the order of time; the last job is issued before the one that it overtakes. */
static const row_case scheduled[] = {
    {TACHO_TRACK_DMA_IN, 0, 0, 200, "loc(\"m\":1:1)", "load", "", 0, 0, 192},
    {TACHO_TRACK_COMPUTE, 1, 200, 300, "\"m\":1:1", "Conv", "conv", 2, 2, 0},
    {TACHO_TRACK_COMPUTE, 1, 300, 310, "loc(\"m\":1:1)", "Conv", "a,b\nc", 3, 3, 0},
    {TACHO_TRACK_VECTOR, 0, 310, 330, "loc(\"m,\n\":3:1)", "Gather", "", 4, 4, 0},
    {TACHO_TRACK_DMA_OUT, 0, 320, 340, "loc(\"m\":4:1)", "store", "", 6, 6, 32},
    {TACHO_TRACK_DMA_LOCAL, 0, 330, 337, "loc(\"m\":4:1)", "move", "move", 5, 5, 7},
    {TACHO_TRACK_DMA_IN, 0, 331, 335, "loc(\"m\":9:1)", "load", "", 1, 7, 8},
};

/* Of a trace that knows no schedule: rows as they arrive, under their names. */
static const row_case bare[] = {
    {TACHO_TRACK_COMPUTE, 2, 0, 5, NULL, "Conv", NULL, 0, 0, 0},
    {TACHO_TRACK_DMA_OUT, 0, 5, 6, "loc(\"m\":1:1)", "store", NULL, 0, 0, 0},
    {TACHO_TRACK_HOST, 0, 0, 9, NULL, "wait", NULL, 0, 0, 0},
};

typedef struct fixture {
    tacho_dict dict;
    tacho_output output;
    tacho_events *events;
    uint32_t part, clock;
} fixture;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static uint32_t string_of(fixture *made, const char *text)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(&made->dict, tacho_str_from_cstring(text), &id));
    return id;
}

static void open_fixture(fixture *made, const tacho_trace_sink *sink, bool counts_cycles)
{
    const tacho_trace_options options = {.omit_args = false};
    tacho_clock clock;
    assert_ok(tacho_dict_init(&made->dict));
    open_test_output(&made->output);
    assert_ok(sink->open(&made->dict, &made->output, &options, &made->events));
    tacho_clock_init(&clock, 5, 4);
    clock.counts_cycles = counts_cycles;
    assert_ok(tacho_dict_add_clock(&made->dict, &clock, TACHO_STR("cycles"), &made->clock));
    const tacho_part_facts facts = {.path = TACHO_STR("m"),
                                    .format = TACHO_STR("f"),
                                    .generation = TACHO_STR("g"),
                                    .origin = TACHO_ORIGIN_ESTIMATED,
                                    .clock = made->clock};
    assert_ok(tacho_dict_add_part(&made->dict, &facts, &made->part));
}

static uint32_t find_track(fixture *made, const row_case *row)
{
    char name[32];
    uint32_t track = 0;
    snprintf(name, sizeof(name), "track %d %u", (int)row->track_class, (unsigned)row->unit);
    const tacho_track facts = {
        .parent = made->dict.parts[made->part].root,
        .part = made->part,
        .clock = made->clock,
        .index = row->unit,
        .lane_of = TACHO_NONE,
        .track_class = row->track_class,
        .nesting = TACHO_NESTING_ENGINE,
    };
    assert_ok(tacho_dict_ensure_track(&made->dict, &facts, tacho_str_from_cstring(name), &track));
    return track;
}

static void push_row(fixture *made, const row_case *given, bool is_instant)
{
    tacho_site site = {.name = string_of(made, given->name), .location = TACHO_NONE};
    if (given->location != NULL) {
        const tacho_location location = {.text = string_of(made, given->location)};
        assert_ok(tacho_dict_ensure_location(&made->dict, &location, &site.location));
    }
    const tacho_arg args[] = {
        {string_of(made, "bytes"), TACHO_ARG_UINT, TACHO_UNIT_BYTES, {.as_uint = given->bytes}},
        {string_of(made, "job"), TACHO_ARG_UINT, TACHO_UNIT_NONE, {.as_uint = given->job}},
        {string_of(made, "task"), TACHO_ARG_INT, TACHO_UNIT_NONE, {.as_int = (int64_t)given->task}},
        {string_of(made, "word"),
         TACHO_ARG_TEXT,
         TACHO_UNIT_NONE,
         {.as_text = tacho_str_from_cstring(given->word != NULL ? given->word : "")}},
    };
    tacho_row row = {.kind = TACHO_ROW_SPAN,
                     .start = given->start,
                     .track = find_track(made, given),
                     .args = args,
                     .arg_count = given->word != NULL ? 4 : 0};
    row.of.span.end = given->end;
    row.of.span.op = row.of.span.run = TACHO_NONE;
    row.of.span.flags = is_instant ? TACHO_SPAN_INSTANT : 0;
    assert_ok(tacho_dict_ensure_site(&made->dict, &site, &row.of.span.site));
    assert_ok(tacho_events_row(made->events, &row));
}

/* What is written must be |expected|, with so many rows left out. */
static void close_fixture(fixture *made, const tacho_trace_sink *sink, const char *expected,
                          uint64_t unplaced_count)
{
    char text[2048];
    assert_ok(tacho_events_end_part(made->events, made->part));
    assert_ok(tacho_events_finish(made->events));
    assert_int_equal(made->dict.unplaced_count, unplaced_count);
    sink->close(made->events);
    size_t len = read_test_output(&made->output, text, sizeof(text) - 1);
    text[len] = '\0';
    assert_string_equal(text, expected);
    tacho_dict_deinit(&made->dict);
}

static void check_text(const tacho_trace_sink *sink, const char *expected)
{
    fixture made;
    open_fixture(&made, sink, true);
    for (size_t i = 0; i < sizeof(scheduled) / sizeof(scheduled[0]); i++) {
        push_row(&made, &scheduled[i], false);
    }
    close_fixture(&made, sink, expected, 0);
}

static void check_bare(const tacho_trace_sink *sink, const char *expected)
{
    fixture made;
    open_fixture(&made, sink, true);
    for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
        push_row(&made, &bare[i], false);
    }
    push_row(&made, &bare[0], true);
    close_fixture(&made, sink, expected, 2);
}

/* A slice's numbers give it modulo two: 1, 3; then 4 for slice 0. */
static void test_t1(void **state)
{
    (void)state;
    check_text(&tacho_sink_torq_t1, "DI0,0,200,loc(\"m\":1:1),DMA_IN\n"
                                    "DI1,331,335,loc(\"m\":9:1),DMA_IN\n"
                                    "DO2,320,340,loc(\"m\":4:1),DMA_OUT\n"
                                    "S1,200,300,loc(\"m\":1:1),conv\n"
                                    "S3,300,310,loc(\"m\":1:1),a_b_c\n"
                                    "S4,330,337,loc(\"m\":4:1),move\n"
                                    "CSS0,310,330,loc(\"m,_\":3:1),CSS\n");
}

static void test_t4(void **state)
{
    (void)state;
    check_text(&tacho_sink_torq_t4,
               "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
               "0,200,0,DMA In,loc(\"m\":1:1),192\n"
               "7,4,331,DMA In,loc(\"m\":9:1),8\n"
               "6,20,320,DMA Out,loc(\"m\":4:1),32\n"
               "2,100,200,Slice 1,loc(\"m\":1:1),\n"
               "3,10,300,Slice 1,loc(\"m\":1:1),\n"
               "5,7,330,Slice 0,loc(\"m\":4:1),\n"
               "4,20,310,CSS,loc(\"m,_\":3:1),\n");
}

/* Three slices, so numbers count modulo three; host work and instants have no place. */
static void test_without_schedule(void **state)
{
    (void)state;
    check_bare(&tacho_sink_torq_t1, "DO0,5,6,loc(\"m\":1:1),DMA_OUT\n"
                                    "S2,0,5,loc(unknown),Conv\n");
    check_bare(&tacho_sink_torq_t4,
               "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
               "1,1,5,DMA Out,loc(\"m\":1:1),0\n"
               "0,5,0,Slice 2,loc(unknown),\n");
}

/* Times that are not cycles would be read as cycles. */
static void test_other_clocks(void **state)
{
    (void)state;
    fixture made;
    open_fixture(&made, &tacho_sink_torq_t1, false);
    push_row(&made, &bare[0], false);
    close_fixture(&made, &tacho_sink_torq_t1, "", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t1),
        cmocka_unit_test(test_t4),
        cmocka_unit_test(test_without_schedule),
        cmocka_unit_test(test_other_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
