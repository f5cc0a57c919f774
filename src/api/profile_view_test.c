/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking profiles through the public accessors: files composed here, every member compared. What
 * no file of these formats holds (counters, flows, nested arguments) comes from a view whose
 * insides are filled by hand.
 */
#include "api/profile_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 512, TEXT_BYTES = 4096 };

static char csv_path[PATH_BYTES];

static int choose_path(void **state)
{
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(csv_path, sizeof(csv_path), "%s/tacho-view.%ld.csv",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp", (long)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(csv_path);
    return 0;
}

static tacho_view *open_text(const char *text, const tacho_view_options *options)
{
    FILE *file = fopen(csv_path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    const char *paths[] = {csv_path};
    tacho_view *view = NULL;
    assert_null(tacho_view_open(paths, 1, options, &view));
    assert_non_null(view);
    return view;
}

static void check_fails(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

/* ---- files --------------------------------------------------------------------------------- */

static const char t2[] = "S0_1,108,116,loc(\"f.mlir\":4:7),conv\n"
                         "DI0,100,108,loc(unknown),DMA_IN,4096\n"
                         "S1_1,12x,130,loc(unknown),add\n";

static void test_parts_and_tracks(void **state)
{
    (void)state;
    tacho_view *view = open_text(t2, NULL);
    tacho_view_counts counts = tacho_view_count(view);
    assert_int_equal(counts.part_count, 1);
    assert_int_equal(counts.track_count, 3);
    assert_int_equal(counts.span_count, 2);
    assert_int_equal(counts.sample_count, 0);
    assert_int_equal(counts.flow_count, 0);
    assert_int_equal(counts.loss_count, 1);
    assert_int_equal(counts.lost_count, 1);
    assert_int_equal(counts.fact_count, 0);
    tacho_part_view part;
    memset(&part, 0xff, sizeof(part));
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.name, strrchr(csv_path, '/') + 1);
    assert_string_equal(part.path, csv_path);
    assert_string_equal(part.format, "torq-timeline");
    assert_string_equal(part.generation, "T2");
    assert_string_equal(part.origin, "estimated");
    assert_string_equal(part.clock_name, "cycles");
    assert_int_equal(part.ns_numerator, 5);
    assert_int_equal(part.ns_denominator, 4);
    assert_int_equal(part.zero_ticks, 100);
    assert_true(part.is_clock_assumed);
    assert_true(part.is_clock_in_cycles);
    assert_int_equal(part.root, 0);
    assert_int_equal(part.event_count, 2);
    assert_int_equal(part.reserved[3], 0);
    assert_false(tacho_view_part(view, 1, &part));
    tacho_track_view track;
    assert_true(tacho_view_track(view, 0, &track));
    assert_string_equal(track.track_class, "group");
    assert_int_equal(track.parent, TACHO_VIEW_NONE);
    assert_true(tacho_view_track(view, 1, &track));
    assert_string_equal(track.name, "Slice 1");
    assert_string_equal(track.track_class, "compute");
    assert_string_equal(track.unit, "");
    assert_int_equal(track.parent, 0);
    assert_int_equal(track.part, 0);
    assert_int_equal(track.number, 1);
    assert_false(tacho_view_track(view, 3, &track));
    tacho_view_close(view);
}

static void test_spans_and_losses(void **state)
{
    (void)state;
    tacho_view *view = open_text(t2, NULL);
    tacho_span_view span;
    tacho_arg_view arg;
    assert_true(tacho_view_span(view, 0, &span)); /* by time */
    assert_string_equal(span.name, "DMA_IN");
    assert_string_equal(span.category, "dma_in");
    assert_null(span.location);
    assert_null(span.file);
    assert_int_equal(span.start_ns, 0);
    assert_int_equal(span.end_ns, 10);
    assert_int_equal(span.start_ticks, 100);
    assert_int_equal(span.end_ticks, 108);
    assert_null(span.run);
    assert_int_equal(span.invocation, -1);
    assert_string_equal(span.origin, "estimated");
    assert_false(span.is_instant);
    assert_false(span.is_unended);
    assert_true(tacho_view_first_arg(view, 0, &arg));
    assert_string_equal(arg.key, "id");
    assert_int_equal(arg.type, TACHO_VALUE_TEXT);
    assert_string_equal(arg.text, "DI0");
    assert_int_equal(arg.text_len, 3);
    assert_true(tacho_view_next_arg(view, &arg));
    assert_string_equal(arg.key, "bytes");
    assert_string_equal(arg.unit, "bytes");
    assert_int_equal(arg.type, TACHO_VALUE_UINT);
    assert_int_equal(arg.as_uint, 4096);
    assert_null(arg.text);
    assert_int_equal(arg.depth, 0);
    assert_false(tacho_view_next_arg(view, &arg));
    assert_true(tacho_view_span(view, 1, &span));
    assert_string_equal(span.location, "\"f.mlir\":4:7");
    assert_string_equal(span.file, "f.mlir");
    assert_int_equal(span.line, 4);
    assert_int_equal(span.column, 7);
    assert_int_equal(span.track, 1);
    assert_int_equal(span.start_ns, 10);
    assert_false(tacho_view_span(view, 2, &span));
    assert_false(tacho_view_first_arg(view, 2, &arg));
    tacho_loss_view loss;
    assert_true(tacho_view_loss(view, 0, &loss));
    assert_int_equal(loss.part, 0);
    assert_string_equal(loss.reason, "not_a_number");
    assert_string_equal(loss.phrase, "a number was expected");
    assert_int_equal(loss.count, 1);
    assert_int_equal(loss.first_line, 3);
    assert_string_equal(loss.example, "S1_1,12x,130,loc(unknown),add");
    assert_false(tacho_view_loss(view, 1, &loss));
    tacho_view_close(view);
}

static void test_runs(void **state)
{
    (void)state;
    tacho_view *view = open_text("dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                                 "d,7,-1,10,DISPATCH_BEGIN\n"
                                 "d,7,0,11,HOST_COPY_BEGIN\n"
                                 "d,7,0,20,HOST_COPY_END\n",
                                 NULL);
    tacho_span_view span;
    assert_true(tacho_view_span(view, 0, &span));
    assert_string_equal(span.name, "DISPATCH");
    assert_string_equal(span.run, "d");
    assert_int_equal(span.invocation, 7);
    assert_string_equal(span.origin, "measured");
    assert_true(span.is_unended);
    tacho_view_close(view);
}

static void test_options(void **state)
{
    (void)state;
    tacho_view_options options = {0};
    options.clock_mhz = "500";
    options.from = "torq-timeline";
    tacho_view *view = open_text("S0,0,8,loc(unknown),a\nS4,8,16,loc(unknown),b\n", &options);
    tacho_part_view part;
    assert_true(tacho_view_part(view, 0, &part));
    assert_int_equal(part.ns_numerator, 2);
    assert_false(part.is_clock_assumed);
    assert_int_equal(tacho_view_count(view).track_count, 2); /* S0 and S4 of two slices */
    tacho_view_close(view);
    options = (tacho_view_options){0};
    options.slice_count = 3;
    view = open_text("S0,0,8,loc(unknown),a\nS4,8,16,loc(unknown),b\n", &options);
    assert_int_equal(tacho_view_count(view).track_count, 3);
    tacho_view_close(view);
}

static void test_failures(void **state)
{
    (void)state;
    const char *paths[] = {"none/such.csv"};
    tacho_view *view = NULL;
    tacho_view_options options = {0};
    check_fails(tacho_view_open(paths, 1, NULL, &view), TACHO_CODE_NOT_FOUND,
                "none/such.csv: cannot open: No such file or directory");
    check_fails(tacho_view_open(paths, 0, NULL, &view), TACHO_CODE_USAGE, "no input");
    options.from = "none";
    check_fails(tacho_view_open(paths, 1, &options, &view), TACHO_CODE_USAGE,
                "unknown input format 'none'");
    options = (tacho_view_options){0};
    options.reserved[2] = 1;
    check_fails(tacho_view_open(paths, 1, &options, &view), TACHO_CODE_USAGE,
                "an option that this version of the library does not have; set options to zero "
                "first");
    assert_null(view);
    tacho_view_close(NULL);
}

/* ---- a view filled by hand ----------------------------------------------------------------- */

static uint32_t string_of(tacho_view *view, const char *text)
{
    uint32_t id = 0;
    assert_null(tacho_dict_ensure_string(&view->dict, tacho_str_from_cstring(text), &id));
    return id;
}

static void fill(tacho_view *view)
{
    tacho_clock clock;
    uint32_t id = 0;
    *view = (tacho_view){0};
    assert_null(tacho_dict_init(&view->dict));
    tacho_profile_init(&view->profile, &view->dict);
    tacho_clock_init(&clock, 10, 1);
    clock.zero_ticks = 2;
    assert_null(tacho_dict_add_clock(&view->dict, &clock, TACHO_STR("ticks"), &id));
    tacho_part_facts facts = {.path = TACHO_STR("x"), .origin = TACHO_ORIGIN_MEASURED};
    assert_null(tacho_dict_add_part(&view->dict, &facts, &id));
    tacho_site site = {.name = string_of(view, "s"), .location = TACHO_NONE};
    assert_null(tacho_dict_ensure_site(&view->dict, &site, &id));
    assert_null(tacho_dict_add_metadata(&view->dict, "key", TACHO_STR("value")));
}

static tacho_arg make_arg(tacho_view *view, const char *key, tacho_arg_type type)
{
    return (tacho_arg){.key = string_of(view, key), .type = type};
}

static void put_value(const tacho_arg_view *arg, char *to, size_t room)
{
    switch (arg->type) {
    case TACHO_VALUE_INT:
        snprintf(to, room, "%lld", (long long)arg->as_int);
        break;
    case TACHO_VALUE_UINT:
        snprintf(to, room, "%lluu", (unsigned long long)arg->as_uint);
        break;
    case TACHO_VALUE_REAL:
        snprintf(to, room, "%g", arg->as_real);
        break;
    case TACHO_VALUE_BOOL:
        snprintf(to, room, "%s", arg->as_bool ? "true" : "false");
        break;
    case TACHO_VALUE_TEXT:
    case TACHO_VALUE_JSON:
        snprintf(to, room, "%s'%s'", arg->type == TACHO_VALUE_JSON ? "json" : "", arg->text);
        break;
    case TACHO_VALUE_DICT:
        snprintf(to, room, "{");
        break;
    case TACHO_VALUE_ARRAY:
        snprintf(to, room, "[");
        break;
    }
}

/* "depth key value" of each argument, in lines. */
static void check_args(const tacho_view *view, uint64_t span, const char *expected)
{
    char seen[TEXT_BYTES] = "";
    size_t used = 0;
    tacho_arg_view arg;
    for (bool got = tacho_view_first_arg(view, span, &arg); got;
         got = tacho_view_next_arg(view, &arg)) {
        char value[128];
        put_value(&arg, value, sizeof(value));
        used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%u %s %s\n",
                                 (unsigned)arg.depth, arg.key, value);
    }
    assert_string_equal(seen, expected);
}

static void push_span(tacho_view *view, const tacho_arg *args, size_t arg_count, uint32_t flags)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = 3, .args = args, .arg_count = arg_count};
    row.of.span.end = 4;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = flags;
    assert_null(tacho_events_row(&view->profile.events, &row));
}

static void test_nested_args(void **state)
{
    (void)state;
    tacho_view view;
    fill(&view);
    /* {"a":{"b":[-1,2],"c":{"d":true}},"e":0.5,"f":[null],"g":"text","h":"name"} */
    tacho_arg args[] = {
        make_arg(&view, "a", TACHO_ARG_DICT),  make_arg(&view, "b", TACHO_ARG_ARRAY),
        make_arg(&view, "", TACHO_ARG_INT),    make_arg(&view, "", TACHO_ARG_UINT),
        make_arg(&view, "c", TACHO_ARG_DICT),  make_arg(&view, "d", TACHO_ARG_BOOL),
        make_arg(&view, "e", TACHO_ARG_REAL),  make_arg(&view, "f", TACHO_ARG_ARRAY),
        make_arg(&view, "", TACHO_ARG_JSON),   make_arg(&view, "g", TACHO_ARG_TEXT),
        make_arg(&view, "h", TACHO_ARG_STRING)};
    args[0].value.as_uint = 5;
    args[1].value.as_uint = 2;
    args[2].value.as_int = -1;
    args[3].value.as_uint = 2;
    args[4].value.as_uint = 1;
    args[5].value.as_bool = true;
    args[6].value.as_real = 0.5;
    args[7].value.as_uint = 1;
    args[8].value.as_text = TACHO_STR("null");
    args[9].value.as_text = TACHO_STR("text");
    args[10].value.as_string = string_of(&view, "name");
    push_span(&view, args, 11, 0);
    push_span(&view, NULL, 0, TACHO_SPAN_INSTANT | TACHO_ORIGIN_SIMULATED);
    check_args(&view, 0,
               "0 a {\n"
               "1 b [\n"
               "2  -1\n"
               "2  2u\n"
               "1 c {\n"
               "2 d true\n"
               "0 e 0.5\n"
               "0 f [\n"
               "1  json'null'\n"
               "0 g 'text'\n"
               "0 h 'name'\n");
    check_args(&view, 1, "");
    tacho_span_view span;
    assert_true(tacho_view_span(&view, 0, &span));
    assert_string_equal(span.origin, "measured");
    assert_true(tacho_view_span(&view, 1, &span));
    assert_string_equal(span.origin, "simulated");
    assert_true(span.is_instant);
    tacho_profile_deinit(&view.profile);
    tacho_dict_deinit(&view.dict);
}

static void test_deepest_args(void **state)
{
    (void)state;
    tacho_view view;
    fill(&view);
    tacho_arg args[TACHO_ARG_DEPTH_MAX + 2];
    for (size_t i = 0; i < TACHO_ARG_DEPTH_MAX; i++) {
        args[i] = make_arg(&view, "k", TACHO_ARG_DICT);
        args[i].value.as_uint = TACHO_ARG_DEPTH_MAX - i;
    }
    args[TACHO_ARG_DEPTH_MAX] = make_arg(&view, "leaf", TACHO_ARG_INT);
    args[TACHO_ARG_DEPTH_MAX + 1] = make_arg(&view, "after", TACHO_ARG_INT);
    push_span(&view, args, TACHO_ARG_DEPTH_MAX + 2, 0);
    tacho_arg_view arg;
    assert_true(tacho_view_first_arg(&view, 0, &arg));
    for (uint32_t depth = 1; depth <= TACHO_ARG_DEPTH_MAX; depth++) {
        assert_true(tacho_view_next_arg(&view, &arg));
        assert_int_equal(arg.depth, depth);
    }
    assert_string_equal(arg.key, "leaf");
    assert_true(tacho_view_next_arg(&view, &arg));
    assert_string_equal(arg.key, "after");
    assert_int_equal(arg.depth, 0);
    assert_false(tacho_view_next_arg(&view, &arg));
    tacho_profile_deinit(&view.profile);
    tacho_dict_deinit(&view.dict);
}

static void test_samples_flows_facts(void **state)
{
    (void)state;
    tacho_view view;
    fill(&view);
    tacho_row sample = {.kind = TACHO_ROW_SAMPLE, .start = 5};
    sample.of.sample.value = 1.5;
    tacho_row flow = {.kind = TACHO_ROW_FLOW, .start = 7};
    flow.of.flow.id = 9;
    flow.of.flow.role = TACHO_FLOW_LAUNCH;
    flow.of.flow.phase = TACHO_FLOW_ARRIVES;
    flow.of.flow.span_end = 8;
    assert_null(tacho_events_row(&view.profile.events, &sample));
    assert_null(tacho_events_row(&view.profile.events, &flow));
    tacho_sample_view seen;
    assert_true(tacho_view_sample(&view, 0, &seen));
    assert_int_equal(seen.time_ticks, 5);
    assert_int_equal(seen.time_ns, 30);
    assert_true(seen.value > 1.49 && seen.value < 1.51);
    assert_false(tacho_view_sample(&view, 1, &seen));
    tacho_flow_view end;
    assert_true(tacho_view_flow(&view, 0, &end));
    assert_int_equal(end.time_ns, 50);
    assert_int_equal(end.id, 9);
    assert_string_equal(end.role, "launch");
    assert_string_equal(end.phase, "arrives");
    assert_int_equal(end.span_end_ns, 60);
    assert_false(tacho_view_flow(&view, 1, &end));
    tacho_fact_view fact;
    assert_true(tacho_view_fact(&view, 0, &fact));
    assert_string_equal(fact.key, "key");
    assert_string_equal(fact.value, "value");
    assert_false(tacho_view_fact(&view, 1, &fact));
    tacho_profile_deinit(&view.profile);
    tacho_dict_deinit(&view.dict);
}

/* ---- streams ------------------------------------------------------------------------------- */

typedef struct seen_rows {
    uint64_t span_count, end_count, stop_after;
    int64_t last_start_ns;
    size_t track_count, arg_count;
} seen_rows;

static bool see_row(void *user, const tacho_view *view)
{
    seen_rows *seen = user;
    tacho_span_view span;
    tacho_arg_view arg;
    tacho_track_view track;
    if (!tacho_view_span(view, 0, &span)) {
        assert_int_equal(tacho_view_count(view).span_count, 0);
        seen->end_count++;
        return true;
    }
    assert_false(tacho_view_span(view, 1, &span));
    assert_true(tacho_view_track(view, span.track, &track));
    seen->arg_count += tacho_view_first_arg(view, 0, &arg) ? 1 : 0;
    seen->last_start_ns = span.start_ns;
    seen->track_count = (size_t)tacho_view_count(view).track_count;
    return ++seen->span_count != seen->stop_after;
}

static void test_streams(void **state)
{
    (void)state;
    const char *const paths[] = {TACHO_TEST_DATA "/torq/r2i.csv", TACHO_TEST_DATA "/torq/t1.csv"};
    tacho_view *view = NULL;
    seen_rows seen = {0};
    assert_null(tacho_view_open(paths, 2, NULL, &view));
    tacho_view_counts counts = tacho_view_count(view);
    uint64_t arg_spans = 0;
    tacho_arg_view arg;
    for (uint64_t i = 0; i < counts.span_count; i++) {
        arg_spans += tacho_view_first_arg(view, i, &arg) ? 1 : 0;
    }
    tacho_view_close(view);
    assert_null(tacho_view_stream(paths, 2, NULL, see_row, &seen));
    assert_int_equal(seen.span_count, counts.span_count);
    assert_int_equal(seen.end_count, 1);
    assert_int_equal(seen.arg_count, arg_spans);
    assert_int_equal(seen.track_count, counts.track_count);
    seen = (seen_rows){.stop_after = 3};
    check_fails(tacho_view_stream(paths, 2, NULL, see_row, &seen), TACHO_CODE_CANCELLED,
                "the caller asked for no more rows");
    assert_int_equal(seen.span_count, 3);
    check_fails(tacho_view_stream(paths, 2, NULL, NULL, NULL), TACHO_CODE_USAGE,
                "no function to show rows to (NULL)");
    check_fails(tacho_view_stream(NULL, 1, NULL, see_row, &seen), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    check_fails(tacho_view_stream(paths, 0, NULL, see_row, &seen), TACHO_CODE_USAGE, "no input");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_and_tracks),
        cmocka_unit_test(test_spans_and_losses),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_deepest_args),
        cmocka_unit_test(test_samples_flows_facts),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, choose_path, remove_file);
}
