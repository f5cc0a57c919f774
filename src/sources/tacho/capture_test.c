/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Round trips through captures. Damaged ones are in capture_damage_test.c; tests/conformance covers
 * samples of all sources.
 */
#include "sources/tacho/capture.h"

#include "sinks/tacho.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/tacho/capture_testing.h"

static void check_parts(const tacho_dict *dict)
{
    assert_int_equal(dict->part_count, 2);
    const tacho_part *one = &dict->parts[0];
    const tacho_part *two = &dict->parts[1];
    const tacho_clock *clock = &dict->clocks[one->clock];
    assert_text(dict, one->name, "one");
    assert_text(dict, one->path, "file.tacho");
    assert_text(dict, one->source, "folder/file.csv");
    assert_text(dict, one->format, "made-up");
    assert_text(dict, one->generation, "G7");
    assert_int_equal(one->origin, TACHO_ORIGIN_SIMULATED);
    assert_int_equal(one->covered_classes, TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN));
    assert_true(one->keeps_order && one->is_aside);
    assert_int_equal(one->first_start, 90);
    assert_text(dict, clock->name, "cycles");
    assert_int_equal(clock->ns_numerator, 2);
    assert_int_equal(clock->ns_denominator, 3);
    assert_true(clock->is_assumed && clock->counts_cycles && !clock->has_fixed_zero);
    assert_text(dict, two->name, "two");
    assert_true(dict->clocks[two->clock].has_fixed_zero);
    assert_int_equal(dict->clocks[two->clock].zero_ticks, 40);
    assert_int_equal(two->first_start, -1);
}

/* In the order in which they were made: two roots, two tracks, and one after the first rows. */
static void check_tracks(const tacho_dict *dict)
{
    assert_int_equal(dict->track_count, 5);
    const tacho_track *engine = &dict->tracks[2];
    assert_text(dict, engine->name, "Slice 3");
    assert_int_equal(engine->track_class, TACHO_TRACK_COMPUTE);
    assert_int_equal(engine->rank, -5);
    assert_int_equal(engine->index, 3);
    assert_int_equal(engine->nesting, TACHO_NESTING_ENGINE);
    assert_int_equal(engine->parent, dict->parts[0].root);
    assert_true(engine->is_provisional); /* when its rows were written */
    assert_int_equal(dict->tracks[3].unit, TACHO_UNIT_BYTES);
    assert_int_equal(dict->tracks[3].track_class, TACHO_TRACK_COUNTER);
    assert_text(dict, dict->tracks[4].name, "late");
    assert_false(dict->tracks[4].is_provisional);
}

static void check_span(const loaded *made)
{
    const tacho_dict *dict = &made->dict;
    tacho_span span = tacho_profile_span(&made->profile, 0);
    const tacho_site *site = &dict->sites[span.site];
    const tacho_location *place = &dict->locations[site->location];
    assert_int_equal(span.start, 100);
    assert_int_equal(span.end, 250);
    assert_int_equal(span.op, 7);
    assert_int_equal(span.flags, 0xffff0b);
    assert_text(dict, dict->runs[span.run].name, "main");
    assert_int_equal(dict->runs[span.run].invocation, -1);
    assert_int_equal(dict->runs[span.run].part, 0);
    assert_text(dict, site->name, "conv");
    assert_text(dict, site->category, "kind");
    assert_text(dict, place->text, "loc(\"a\":1:2)");
    assert_text(dict, place->file, "a");
    assert_int_equal(place->line, 1);
    assert_int_equal(place->column, 2);
    span = tacho_profile_span(&made->profile, 1);
    assert_int_equal(span.flags, TACHO_SPAN_INSTANT);
    assert_int_equal(span.track, 4);
    assert_int_equal(span.start, 41);
}

static void check_args(const loaded *made)
{
    const tacho_stored_arg *args = made->profile.args;
    static const tacho_unit units[ARG_COUNT] = {TACHO_UNIT_NS, TACHO_UNIT_BYTES,
                                                TACHO_UNIT_PERCENT};
    assert_int_equal(made->profile.arg_count, ARG_COUNT);
    for (size_t i = 0; i < ARG_COUNT; i++) {
        assert_int_equal(args[i].arg.unit, units[i]);
        assert_text(&made->dict, args[i].arg.key, i + 1 < ARG_COUNT ? "key" : "");
    }
    assert_int_equal(args[0].arg.value.as_int, INT64_MIN);
    assert_int_equal(args[1].arg.value.as_uint, UINT64_MAX);
    double zero = -0.0;
    assert_memory_equal(&args[2].arg.value.as_real, &zero, sizeof(zero));
    assert_int_equal(args[3].arg.type, TACHO_ARG_BOOL);
    assert_true(args[3].arg.value.as_bool);
    assert_int_equal(args[4].arg.type, TACHO_ARG_STRING);
    assert_text(&made->dict, args[4].arg.value.as_string, "key");
    assert_int_equal(args[5].arg.value.as_text.len, 4);
    assert_memory_equal(args[5].arg.value.as_text.data, "a\0b\xff", 4);
    assert_int_equal(args[6].arg.type, TACHO_ARG_DICT);
    assert_int_equal(args[6].arg.value.as_uint, 2);
    assert_int_equal(args[7].arg.type, TACHO_ARG_ARRAY);
    assert_int_equal(args[7].arg.value.as_uint, 1);
    assert_int_equal(args[8].arg.type, TACHO_ARG_JSON);
    assert_memory_equal(args[8].arg.value.as_text.data, "{}", 2);
}

static void check_other_rows(const loaded *made)
{
    const int64_t ends[] = {250, TACHO_FLOW_AROUND, TACHO_FLOW_NEXT};
    assert_int_equal(made->profile.flow_end_count, ALL_FLOWS);
    for (unsigned i = 0; i < ALL_FLOWS; i++) {
        const tacho_flow_end *flow = &made->profile.flow_ends[i];
        assert_int_equal(flow->id, ((uint64_t)1 << 40) - 1 - i);
        assert_int_equal(flow->role, i);
        assert_int_equal(flow->phase, 2 - i);
        assert_int_equal(flow->span_end, ends[i]);
        assert_int_equal(flow->time, 100);
    }
    assert_int_equal(made->profile.sample_count, ALL_SAMPLES);
    double tenth = 0.1;
    assert_memory_equal(&made->profile.samples[0].value, &tenth, sizeof(tenth));
    assert_int_equal(made->profile.samples[0].track, 3);
}

static void test_everything(void **state)
{
    (void)state;
    loaded made;
    tacho_str bytes = write_everything();
    load(&made, bytes);
    check_parts(&made.dict);
    check_tracks(&made.dict);
    assert_int_equal(made.profile.span_count, ALL_SPANS);
    check_span(&made);
    check_args(&made);
    check_other_rows(&made);
    assert_int_equal(made.dict.loss_count, 1);
    const tacho_loss *loss = &made.dict.losses[0];
    assert_int_equal(loss->part, 1);
    assert_int_equal(loss->reason, TACHO_LOSS_DROPPED);
    assert_int_equal(loss->count, 12);
    assert_int_equal(loss->first_line, 34);
    assert_text(&made.dict, loss->example, "example");
    assert_int_equal(made.dict.metadata_count, 1);
    assert_text(&made.dict, made.dict.metadata[0].key, "fact");
    assert_text(&made.dict, made.dict.metadata[0].value, "value");
    unload(&made);
    drop(bytes);
}

/* The label of a flow end is not part of a profile in memory, so it is checked on the way. */
typedef struct label_check {
    tacho_events events;
    uint64_t label_count;
} label_check;

static tacho_status check_label(tacho_events *events, const tacho_row *row)
{
    label_check *self = (label_check *)(void *)events;
    if (row->kind == TACHO_ROW_FLOW) {
        assert_int_equal(row->of.flow.span_name, ++self->label_count);
    }
    return TACHO_OK;
}

static void test_labels(void **state)
{
    (void)state;
    static const tacho_events_vtable vtable = {.row = check_label};
    const tacho_source_options options = {.choice_count = 0};
    tacho_str bytes = write_everything();
    tacho_dict dict;
    tacho_input input;
    assert_ok(tacho_dict_init(&dict));
    label_check self = {{&vtable, &dict}, 0};
    assert_ok(tacho_input_open_bytes("x", bytes, &input));
    tacho_reading reading = {.input = &input, .options = &options, .events = &self.events};
    assert_ok(tacho_source_tacho.read(&reading));
    assert_int_equal(self.label_count, ALL_FLOWS);
    tacho_input_close(&input);
    tacho_dict_deinit(&dict);
    drop(bytes);
}

static void test_without_args(void **state)
{
    (void)state;
    const tacho_trace_options options = {.omit_args = true};
    capture writing;
    loaded made;
    tacho_arg args[ARG_COUNT];
    begin(&writing, &options);
    uint32_t part = add_part(&writing.dict, "p", false);
    uint32_t track = add_track(&writing.dict, part, "t", TACHO_TRACK_HOST);
    tacho_row row = span_row(track, add_site(&writing.dict, "s"), 1, 2);
    row.args = args;
    row.arg_count = fill_args(&writing.dict, args);
    assert_ok(tacho_events_row(writing.events, &row));
    assert_ok(tacho_events_end_part(writing.events, part));
    tacho_str bytes = end(&writing, FILE_BYTES);
    load(&made, bytes);
    assert_int_equal(made.profile.span_count, 1);
    assert_int_equal(made.profile.arg_count, 0);
    unload(&made);
    drop(bytes);
}

/* Expected number of arguments of each span on the way. */
enum { SUMMED_SPANS = 6, LONG_BYTES = 9000 };

typedef struct arg_check {
    tacho_events events;
    size_t counts[SUMMED_SPANS], span_count;
} arg_check;

static tacho_status count_args(tacho_events *events, const tacho_row *row)
{
    arg_check *self = (arg_check *)(void *)events;
    assert_in_range(self->span_count, 0, SUMMED_SPANS - 1);
    self->counts[self->span_count++] = row->arg_count;
    return TACHO_OK;
}

static void check_arg_counts(tacho_str bytes, tacho_args_wanted wanted, const size_t *expected)
{
    static const tacho_events_vtable vtable = {.row = count_args};
    const tacho_source_options options = {.args = wanted};
    tacho_dict dict;
    tacho_input input;
    assert_ok(tacho_dict_init(&dict));
    arg_check self = {.events = {&vtable, &dict}};
    assert_ok(tacho_input_open_bytes("x", bytes, &input));
    tacho_reading reading = {.input = &input, .options = &options, .events = &self.events};
    assert_ok(tacho_source_tacho.read(&reading));
    assert_int_equal(self.span_count, SUMMED_SPANS);
    assert_memory_equal(self.counts, expected, sizeof(self.counts));
    tacho_input_close(&input);
    tacho_dict_deinit(&dict);
}

/* Summed spans without arguments do not get any where only summed arguments are requested. */
static void test_summed_args(void **state)
{
    (void)state;
    static const char many[LONG_BYTES] = "";
    capture writing;
    begin(&writing, &(tacho_trace_options){.omit_args = false});
    uint32_t part = add_part(&writing.dict, "p", false);
    uint32_t track = add_track(&writing.dict, part, "t", TACHO_TRACK_HOST);
    uint32_t site = add_site(&writing.dict, "s");
    uint32_t keys[4] = {0};
    assert_ok(tacho_dict_ensure_string(&writing.dict, TACHO_STR("stream"), &keys[0]));
    assert_ok(tacho_dict_ensure_string(&writing.dict, TACHO_STR("bytes"), &keys[1]));
    assert_ok(tacho_dict_ensure_string(&writing.dict, TACHO_STR("Seq"), &keys[2]));
    assert_ok(tacho_dict_ensure_string(&writing.dict, TACHO_STR("correlation"), &keys[3]));
    const tacho_arg number = {.type = TACHO_ARG_UINT, .key = keys[0], .value.as_uint = 7};
    const tacho_arg bytes_arg = {.type = TACHO_ARG_UINT, .key = keys[1], .value.as_uint = 300};
    const tacho_arg holder = {.type = TACHO_ARG_DICT, .key = keys[0], .value.as_uint = 1};
    const tacho_arg inner = {.type = TACHO_ARG_UINT, .key = keys[2], .value.as_uint = 1};
    const tacho_arg text = {.type = TACHO_ARG_TEXT,
                            .key = keys[0],
                            .value.as_text = tacho_str_make(many, sizeof(many))};
    const tacho_arg launch = {.type = TACHO_ARG_UINT, .key = keys[3], .value.as_uint = 9};
    const tacho_arg no_number = {.type = TACHO_ARG_REAL, .key = keys[3], .value.as_real = 9.5};
    const tacho_arg args[SUMMED_SPANS][2] = {{number, number}, {number, bytes_arg},
                                             {holder, inner},  {text, number},
                                             {number, launch}, {no_number, number}};
    for (size_t i = 0; i < SUMMED_SPANS; i++) {
        tacho_row row = span_row(track, site, (int64_t)i, (int64_t)i + 1);
        row.args = args[i];
        row.arg_count = 2;
        assert_ok(tacho_events_row(writing.events, &row));
    }
    assert_ok(tacho_events_end_part(writing.events, part));
    tacho_str bytes = end(&writing, 2 * FILE_BYTES);
    check_arg_counts(bytes, TACHO_ARGS_ALL, (const size_t[]){2, 2, 2, 2, 2, 2});
    /* Long texts do not have a length. */
    check_arg_counts(bytes, TACHO_ARGS_SUMMED, (const size_t[]){0, 2, 2, 2, 0, 0});
    check_arg_counts(bytes, TACHO_ARGS_SUMMED_AND_LAUNCHES, (const size_t[]){0, 2, 2, 2, 1, 0});
    drop(bytes);
}

static void test_versions(void **state)
{
    (void)state;
    loaded made;
    tacho_str bytes = write_everything();
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.len);
    copy[8] = 'X'; /* another kind of file */
    assert_int_equal(tacho_source_tacho.probe(tacho_str_make(copy, bytes.len)), TACHO_PROBE_NO);
    assert_int_equal(tacho_source_tacho.probe(bytes), TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_tacho.probe(tacho_str_make(bytes.data, 31)), TACHO_PROBE_NO);
    tacho_status status = load_by(&made, tacho_str_make(copy, bytes.len), false);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    unload(&made);
    free(copy);
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),   cmocka_unit_test(test_labels),
        cmocka_unit_test(test_without_args), cmocka_unit_test(test_summed_args),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
