/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: what goes in comes out, whatever is cut off or damaged is counted, and no bytes make
 * anything that breaks the model's promises. Samples of all sources go through in
 * tests/conformance.
 */
#include "sources/tacho/capture.h"

#include "profile/capture_records.h"
#include "profile/capture_row.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sinks/perfetto.h"
#include "sinks/tacho.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { FILE_BYTES = 1 << 20, MANY_ROWS = 60000, LONG_TEXT = 20 << 20, SPOOL_BYTES = 1 << 16 };

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct capture {
    tacho_dict dict;
    tacho_output output;
    tacho_events *events;
} capture;

static void begin(capture *made, const tacho_trace_options *options)
{
    assert_ok(tacho_dict_init(&made->dict));
    open_test_output(&made->output);
    assert_ok(tacho_sink_tacho.open(&made->dict, &made->output, options, &made->events));
}

/* Ends it; the bytes are to be freed. */
static tacho_str end(capture *made, size_t room)
{
    char *bytes = malloc(room);
    assert_non_null(bytes);
    assert_ok(tacho_events_finish(made->events));
    tacho_sink_tacho.close(made->events);
    size_t len = read_test_output(&made->output, bytes, room);
    assert_true(len < room);
    tacho_dict_deinit(&made->dict);
    return tacho_str_make(bytes, len);
}

static void drop(tacho_str bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static uint32_t string_id(tacho_dict *dict, const char *text)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &id));
    return id;
}

static uint32_t add_part(tacho_dict *dict, const char *name, bool is_fixed)
{
    uint32_t id = 0;
    tacho_clock clock;
    assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("1500")));
    clock.is_assumed = true;
    clock.counts_cycles = true;
    clock.has_fixed_zero = is_fixed;
    clock.zero_ticks = 40;
    tacho_part_facts facts = {
        .path = TACHO_STR("folder/file.csv"),
        .name = tacho_str_from_cstring(name),
        .format = TACHO_STR("made-up"),
        .generation = TACHO_STR("G7"),
        .origin = TACHO_ORIGIN_SIMULATED,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN),
        .keeps_order = true,
    };
    assert_ok(tacho_dict_add_clock(dict, &clock, TACHO_STR("cycles"), &facts.clock));
    assert_ok(tacho_dict_add_part(dict, &facts, &id));
    return id;
}

static uint32_t add_track(tacho_dict *dict, uint32_t part, const char *name,
                          tacho_track_class track_class)
{
    uint32_t id = 0;
    const tacho_track facts = {
        .parent = dict->parts[part].root,
        .part = part,
        .clock = dict->parts[part].clock,
        .index = 3,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = TACHO_NESTING_ENGINE,
        .unit = track_class == TACHO_TRACK_COUNTER ? TACHO_UNIT_BYTES : TACHO_UNIT_NONE,
    };
    assert_ok(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

static uint32_t add_site(tacho_dict *dict, const char *name)
{
    uint32_t id = 0;
    tacho_site site = {string_id(dict, name), string_id(dict, "kind"), TACHO_NONE};
    const tacho_location place = {string_id(dict, "loc(\"a\":1:2)"), string_id(dict, "a"), 1, 2};
    assert_ok(tacho_dict_ensure_location(dict, &place, &site.location));
    assert_ok(tacho_dict_ensure_site(dict, &site, &id));
    return id;
}

static tacho_row span_row(uint32_t track, uint32_t site, int64_t start, int64_t finish)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = finish;
    row.of.span.site = site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

/* One argument of each type, one in another. */
static size_t fill_args(tacho_dict *dict, tacho_arg *args)
{
    size_t count = 0;
    uint32_t key = string_id(dict, "key");
    args[count++] = (tacho_arg){key, TACHO_ARG_INT, TACHO_UNIT_NS, {.as_int = INT64_MIN}};
    args[count++] = (tacho_arg){key, TACHO_ARG_UINT, TACHO_UNIT_BYTES, {.as_uint = UINT64_MAX}};
    args[count++] = (tacho_arg){key, TACHO_ARG_REAL, TACHO_UNIT_PERCENT, {.as_real = -0.0}};
    args[count++] = (tacho_arg){key, TACHO_ARG_BOOL, TACHO_UNIT_NONE, {.as_bool = true}};
    args[count++] = (tacho_arg){key, TACHO_ARG_STRING, TACHO_UNIT_NONE, {.as_string = key}};
    args[count++] = (tacho_arg){key, TACHO_ARG_TEXT, TACHO_UNIT_NONE, {.as_text = {"a\0b\xff", 4}}};
    args[count++] = (tacho_arg){key, TACHO_ARG_DICT, TACHO_UNIT_NONE, {.as_uint = 2}};
    args[count++] = (tacho_arg){key, TACHO_ARG_ARRAY, TACHO_UNIT_NONE, {.as_uint = 1}};
    args[count++] = (tacho_arg){0, TACHO_ARG_JSON, TACHO_UNIT_NONE, {.as_text = TACHO_STR("{}")}};
    return count;
}

enum { ALL_SPANS = 2, ALL_FLOWS = 3, ALL_SAMPLES = 1, ALL_ROWS = 6, ARG_COUNT = 9 };

/* Two parts with everything there is; tracks of the first get their names late. */
static tacho_str write_everything(void)
{
    const tacho_trace_options options = {.side_by_side = true};
    capture made;
    tacho_arg args[ARG_COUNT];
    begin(&made, &options);
    tacho_dict *dict = &made.dict;
    uint32_t first = add_part(dict, "one", false);
    uint32_t second = add_part(dict, "two", true);
    uint32_t engine = add_track(dict, first, "?", TACHO_TRACK_HOST);
    uint32_t counter = add_track(dict, second, "bytes", TACHO_TRACK_COUNTER);
    dict->tracks[engine].is_provisional = true;
    dict->clocks[dict->parts[first].clock].zero_ticks = 90; /* as order sets it */
    const tacho_run run = {first, string_id(dict, "main"), -1};
    tacho_row row = span_row(engine, add_site(dict, "conv"), 100, 250);
    assert_ok(tacho_dict_add_run(dict, &run, &row.of.span.run));
    row.of.span.op = 7;
    row.of.span.flags = TACHO_SPAN_UNENDED | TACHO_ORIGIN_MEASURED |
                        (uint32_t)TACHO_SPAN_DEPTH_MAX << TACHO_SPAN_DEPTH_SHIFT;
    row.args = args;
    row.arg_count = fill_args(dict, args);
    assert_ok(tacho_events_row(made.events, &row));
    tacho_row flow = {.kind = TACHO_ROW_FLOW, .track = engine, .start = 100};
    const int64_t ends[] = {250, TACHO_FLOW_AROUND, TACHO_FLOW_NEXT};
    for (unsigned i = 0; i < ALL_FLOWS; i++) {
        flow.of.flow.id = ((uint64_t)1 << 40) - 1 - i;
        flow.of.flow.role = (tacho_flow_role)i;
        flow.of.flow.phase = (tacho_flow_phase)(2 - i);
        flow.of.flow.span_name = (uint32_t)i + 1;
        flow.of.flow.span_end = ends[i];
        assert_ok(tacho_events_row(made.events, &flow));
    }
    dict->tracks[engine].name = string_id(dict, "Slice 3");
    dict->tracks[engine].track_class = TACHO_TRACK_COMPUTE;
    dict->tracks[engine].rank = -5;
    dict->tracks[engine].is_provisional = false;
    assert_ok(tacho_events_end_part(made.events, first));
    tacho_row sample = {.kind = TACHO_ROW_SAMPLE, .track = counter, .start = 40};
    sample.of.sample.value = 0.1;
    assert_ok(tacho_events_row(made.events, &sample));
    uint32_t late = add_track(dict, second, "late", TACHO_TRACK_PORT);
    tacho_row moment = span_row(late, add_site(dict, "now"), 41, 41);
    moment.of.span.flags = TACHO_SPAN_INSTANT;
    assert_ok(tacho_events_row(made.events, &moment));
    assert_ok(tacho_events_end_part(made.events, second));
    const tacho_loss loss = {second, TACHO_LOSS_DROPPED, 12, 34, string_id(dict, "example")};
    assert_ok(tacho_dict_add_loss(dict, &loss));
    assert_ok(tacho_dict_add_metadata(dict, "fact", TACHO_STR("value")));
    return end(&made, FILE_BYTES);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct loaded {
    tacho_dict dict;
    tacho_profile profile;
} loaded;

/* Straight into a profile, or through the order filter. */
static tacho_status load_by(loaded *made, tacho_str bytes, bool sorts)
{
    const tacho_source_options options = {.slice_count = 0};
    tacho_order *order = NULL;
    tacho_input input;
    assert_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    tacho_events *events = &made->profile.events;
    if (sorts) {
        assert_ok(tacho_order_create(events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
        events = tacho_order_events(order);
    }
    assert_ok(tacho_input_open_bytes("file.tacho", bytes, &input));
    tacho_reading reading = {
        .input = &input, .path = TACHO_STR("file.tacho"), .options = &options, .events = events};
    tacho_status status = tacho_source_tacho.read(&reading);
    if (status == TACHO_OK) {
        assert_ok(tacho_events_finish(events));
    }
    tacho_input_close(&input);
    tacho_order_destroy(order);
    return status;
}

static void unload(loaded *made)
{
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

static void load(loaded *made, tacho_str bytes)
{
    assert_ok(load_by(made, bytes, false));
    assert_ok(tacho_profile_validate(&made->profile));
}

static uint64_t lost_count(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        count += dict->losses[i].count;
    }
    return count;
}

static size_t row_count(const loaded *made)
{
    return made->profile.span_count + made->profile.sample_count + made->profile.flow_end_count;
}

static void assert_text(const tacho_dict *dict, uint32_t id, const char *expected)
{
    assert_string_equal(tacho_dict_string(dict, id).data, expected);
}

/* ---- everything ---------------------------------------------------------------------------- */

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

/* In the order in which they were made: two roots, two tracks, and one behind the first rows. */
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
    assert_true(engine->is_provisional); /* when its rows came */
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

/* The label of a flow end is in no profile in memory: seen on its way. */
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
    const tacho_source_options options = {.slice_count = 0};
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

/* ---- damage -------------------------------------------------------------------------------- */

static void check_damaged(tacho_str bytes, bool is_whole)
{
    for (int sorts = 0; sorts < 2; sorts++) {
        loaded made;
        char *copy = malloc(bytes.len + 1); /* a sanitizer sees a step past it */
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.len);
        tacho_status status = load_by(&made, tacho_str_make(copy, bytes.len), sorts != 0);
        if (status == TACHO_OK) {
            assert_true(row_count(&made) <= ALL_ROWS);
            /* What is lost is counted; 12 were lost before, which the end of the file says. */
            assert_true(
                is_whole || lost_count(&made.dict) > 12 ||
                (made.dict.loss_count > 0 && made.dict.losses[0].reason != TACHO_LOSS_DROPPED));
            assert_true(row_count(&made) + lost_count(&made.dict) > 0);
            if (sorts) {
                assert_ok(tacho_profile_validate(&made.profile));
            }
        } else {
            assert_false(is_whole);
            assert_true(tacho_status_code(status) == TACHO_CODE_BAD_DATA ||
                        tacho_status_code(status) == TACHO_CODE_UNSUPPORTED);
            assert_non_null(strstr(tacho_status_message(status), "file.tacho"));
        }
        tacho_status_free(status);
        unload(&made);
        free(copy);
    }
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    tacho_str bytes = write_everything();
    for (size_t len = TACHO_CHUNK_FILE_BYTES; len <= bytes.len; len++) {
        check_damaged(tacho_str_make(bytes.data, len), len == bytes.len);
    }
    drop(bytes);
}

static void test_every_bit(void **state)
{
    (void)state;
    tacho_str bytes = write_everything();
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.len);
    for (size_t at = TACHO_CHUNK_FILE_BYTES; at < bytes.len; at++) {
        for (unsigned bit = 0; bit < 8; bit += 3) {
            copy[at] = (char)((unsigned char)copy[at] ^ 1u << bit);
            check_damaged(tacho_str_make(copy, bytes.len), false);
            copy[at] = bytes.data[at];
        }
    }
    free(copy);
    drop(bytes);
}

/* Many rows with many sites, so that there are several chunks of both. */
static tacho_str write_many(size_t count)
{
    const tacho_trace_options options = {.omit_args = false};
    capture made;
    begin(&made, &options);
    uint32_t part = add_part(&made.dict, "p", false);
    uint32_t tracks[2] = {add_track(&made.dict, part, "a", TACHO_TRACK_HOST),
                          add_track(&made.dict, part, "b", TACHO_TRACK_COMPUTE)};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "op %zu", i / 64);
        tacho_row row = span_row(tracks[i % 2], add_site(&made.dict, name), (int64_t)(i * 9),
                                 (int64_t)(i * 9 + 5));
        assert_ok(tacho_events_row(made.events, &row));
    }
    assert_ok(tacho_events_end_part(made.events, part));
    return end(&made, (size_t)8 << 20);
}

/* The place of the |number|-th chunk of |type|, and how long it is. */
static size_t find_chunk(tacho_str bytes, uint32_t type, size_t number, size_t *out_len)
{
    tacho_chunk_reader reader;
    tacho_chunk chunk;
    assert_ok(tacho_chunk_open(&reader, bytes, TACHO_CAPTURE_KIND));
    for (;;) {
        size_t at = (size_t)reader.at;
        assert_true(tacho_chunk_next(&reader, &chunk));
        if (chunk.type == type && number-- == 0) {
            *out_len = (size_t)reader.at - at;
            return at;
        }
    }
}

/* Rows of a chunk that is lost are counted exactly, wherever it lay; also when it is cut out. */
static void test_lost_chunk(void **state)
{
    (void)state;
    loaded whole;
    tacho_str bytes = write_many(MANY_ROWS);
    load(&whole, bytes);
    assert_int_equal(whole.profile.span_count, MANY_ROWS);
    assert_int_equal(whole.dict.loss_count, 0);
    unload(&whole);
    for (size_t number = 0; number < 2; number++) {
        size_t len = 0;
        size_t at = find_chunk(bytes, TACHO_CAPTURE_ROWS, number, &len);
        uint32_t rows = tacho_capture_get_u32(bytes.data + at + TACHO_CHUNK_HEADER_BYTES + 4);
        assert_in_range(rows, 1000, MANY_ROWS - 1);
        char *copy = malloc(bytes.len);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.len);
        copy[at + 100] = (char)~copy[at + 100];
        loaded made;
        load(&made, tacho_str_make(copy, bytes.len));
        assert_int_equal(made.profile.span_count, MANY_ROWS - rows);
        assert_int_equal(lost_count(&made.dict), rows);
        assert_int_equal(made.dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
        unload(&made);
        memmove(copy + at, bytes.data + at + len, bytes.len - at - len);
        load(&made, tacho_str_make(copy, bytes.len - len));
        assert_int_equal(made.profile.span_count, MANY_ROWS - rows);
        assert_int_equal(lost_count(&made.dict), rows);
        unload(&made);
        free(copy);
    }
    drop(bytes);
}

/* A lost chunk of names costs the names, not the rows. */
static void test_lost_names(void **state)
{
    (void)state;
    static const uint32_t types[] = {TACHO_CAPTURE_STRINGS, TACHO_CAPTURE_SITES};
    tacho_str bytes = write_many(MANY_ROWS);
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    for (size_t i = 0; i < 2; i++) {
        size_t len = 0;
        size_t at = find_chunk(bytes, types[i], 1, &len);
        loaded made;
        size_t lost = 0;
        memcpy(copy, bytes.data, at);
        memcpy(copy + at, bytes.data + at + len, bytes.len - at - len);
        load(&made, tacho_str_make(copy, bytes.len - len));
        assert_int_equal(made.profile.span_count, MANY_ROWS);
        for (size_t k = 0; k < MANY_ROWS; k++) {
            uint32_t site = tacho_profile_span(&made.profile, k).site;
            tacho_str name = tacho_dict_string(&made.dict, made.dict.sites[site].name);
            char expected[32];
            snprintf(expected, sizeof(expected), "op %zu", k / 64);
            bool is_lost = tacho_str_equal(name, TACHO_STR("(lost)"));
            assert_true(is_lost || strcmp(name.data, expected) == 0);
            lost += is_lost ? 1 : 0;
        }
        assert_in_range(lost, 64, MANY_ROWS - 64);
        assert_int_equal(lost_count(&made.dict), 1);
        unload(&made);
    }
    free(copy);
    drop(bytes);
}

/* A text longer than a chunk may be goes through in pieces; with one missing the row is lost. */
static void test_long_text(void **state)
{
    (void)state;
    const tacho_trace_options options = {.omit_args = false};
    char *text = malloc(LONG_TEXT);
    capture writing;
    assert_non_null(text);
    for (size_t i = 0; i < LONG_TEXT; i++) {
        text[i] = (char)(i * 7 + i / 1000);
    }
    begin(&writing, &options);
    uint32_t part = add_part(&writing.dict, "p", false);
    uint32_t track = add_track(&writing.dict, part, "t", TACHO_TRACK_HOST);
    tacho_arg arg = {.key = 0, .type = TACHO_ARG_TEXT};
    arg.value.as_text = tacho_str_make(text, LONG_TEXT);
    tacho_row row = span_row(track, add_site(&writing.dict, "s"), 1, 2);
    row.args = &arg;
    row.arg_count = 1;
    assert_ok(tacho_events_row(writing.events, &row));
    row.arg_count = 0;
    assert_ok(tacho_events_row(writing.events, &row));
    assert_ok(tacho_events_end_part(writing.events, part));
    tacho_str bytes = end(&writing, (size_t)LONG_TEXT + (1 << 16));
    loaded made;
    load(&made, bytes);
    assert_int_equal(made.profile.span_count, 2);
    assert_int_equal(made.profile.args[0].arg.value.as_text.len, LONG_TEXT);
    assert_memory_equal(made.profile.args[0].arg.value.as_text.data, text, LONG_TEXT);
    unload(&made);
    size_t len = 0;
    size_t at = find_chunk(bytes, TACHO_CAPTURE_ROWS, 1, &len);
    char *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.data, at);
    memcpy(copy + at, bytes.data + at + len, bytes.len - at - len);
    load(&made, tacho_str_make(copy, bytes.len - len));
    assert_int_equal(made.profile.span_count, 1);
    assert_int_equal(lost_count(&made.dict), 1);
    unload(&made);
    free(copy);
    free(text);
    drop(bytes);
}

/* ---- hostile bytes ------------------------------------------------------------------------- */

/* A capture of one part and one track, then |payload| as rows. */
static tacho_str compose(tacho_str payload, uint32_t row_count_said)
{
    char *bytes = malloc(FILE_BYTES);
    tacho_output output;
    tacho_chunk_writer writer;
    unsigned char at[256];
    assert_non_null(bytes);
    open_test_output(&output);
    tacho_chunk_begin(&writer, &output, TACHO_CAPTURE_KIND);
    tacho_capture_clock clock = {.ns_numerator = 1, .ns_denominator = 1};
    tacho_capture_clock_put(&clock, at);
    tacho_chunk chunk = {.version = TACHO_CAPTURE_VERSION, .record_count = 1};
    chunk.type = TACHO_CAPTURE_CLOCKS;
    chunk.record_size = tacho_capture_clock_bytes;
    chunk.payload = tacho_str_make((const char *)at, tacho_capture_clock_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_part part = {.first_start = UINT64_MAX};
    tacho_capture_part_put(&part, at);
    chunk.type = TACHO_CAPTURE_PARTS;
    chunk.record_size = tacho_capture_part_bytes;
    chunk.payload = tacho_str_make((const char *)at, tacho_capture_part_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_track tracks[] = {
        {.id = 0, .parent = TACHO_NONE, .lane_of = TACHO_NONE},
        {.id = 1, .parent = 0, .lane_of = TACHO_NONE, .track_class = TACHO_TRACK_HOST}};
    tacho_capture_track_put(&tracks[0], at);
    tacho_capture_track_put(&tracks[1], at + tacho_capture_track_bytes);
    chunk.type = TACHO_CAPTURE_TRACKS;
    chunk.record_size = tacho_capture_track_bytes;
    chunk.record_count = 2;
    chunk.payload = tacho_str_make((const char *)at, 2 * (size_t)tacho_capture_track_bytes);
    tacho_chunk_write(&writer, &chunk);
    tacho_capture_put_u32(at, 0);
    tacho_capture_put_u32(at + 4, row_count_said);
    tacho_capture_put_u64(at + 8, 0);
    memcpy(at + TACHO_CAPTURE_ROWS_HEAD, payload.data, payload.len);
    chunk.type = TACHO_CAPTURE_ROWS;
    chunk.record_size = 1;
    chunk.record_count = (uint32_t)(TACHO_CAPTURE_ROWS_HEAD + payload.len);
    chunk.payload = tacho_str_make((const char *)at, TACHO_CAPTURE_ROWS_HEAD + payload.len);
    tacho_chunk_write(&writer, &chunk);
    size_t len = read_test_output(&output, bytes, FILE_BYTES);
    return tacho_str_make(bytes, len);
}

static void test_bad_rows(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t said;
        size_t rows, lost; /* one of the lost is the end of the file */
    } cases[] = {
        {"\x05\x01\x02\x03\x00", 5, 1, 1, 1}, /* a span of a site that is lost */
        {"\x05\x01\x02\x03\x00", 5, 2, 1, 2}, /* fewer than said */
        {"\x05\x01\x02\x03\x00", 5, 0, 0, 2}, /* more than said */
        {"\x05\x07\x02\x03\x00", 5, 1, 0, 2}, /* no such track */
        {"\x05\x01\x01\x03\x00", 5, 1, 0, 2}, /* starts below 0 */
        {"\x05\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 14, 1, 0, 2}, /* ends before */
        {"\x05\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00", 14, 1, 0, 2}, /* 65 bits */
        {"\x06\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00", 11, 1, 0, 2}, /* a sample of no counter */
        {"\x25\x01\x02\x03\x00\x10", 6, 1, 0, 2},                      /* an unknown flag  */
        {"\x25\x01\x02\x03\x00\x04", 6, 1, 0, 2},                      /* a moment that lasts */
        {"\x85\x01\x02\x03\x00", 5, 1, 0, 2},                          /* an unknown bit  */
        {"\x45\x01\x02\x03\x00\xff\xff\xff\xff\x0f", 10, 1, 0, 2}, /* arguments beyond the end */
        {"\x45\x01\x02\x03\x00\x01\x0f\x00\x00", 9, 1, 0, 2},      /* an unknown type  */
        {"\x45\x01\x02\x03\x00\x01\xf0\x00\x00", 9, 1, 0, 2},      /* so for a unit */
        {"\x45\x01\x02\x03\x00\x01\x06\x00\x01", 9, 1, 0, 2},      /* holds more than there is */
        {"\x45\x01\x02\x03\x00\x01\x06\x00\x00", 9, 1, 0, 2},      /* holds nothing */
        {"\x45\x01\x02\x03\x00\x01\x05\x00\x09", 9, 1, 0, 2},      /* a text beyond the end */
        {"\x45\x01\x02\x03\x00\x01\x03\x00\x02", 9, 1, 0, 2},      /* neither true nor false */
        {"\x45\x01\x02\x03\x00\x01\x08\x00\x01x", 10, 1, 1, 1},    /* no JSON: a text */
        {"\x04\x01\x02\x03\x01\x00\x00", 7, 1, 0, 2},              /* an unknown role  */
        {"\x04\x01\x02\x0c\x01\x00\x00", 7, 1, 0, 2},              /* so for a phase */
        {"\x04\x01\x02\x30\x01\x00\x00", 7, 1, 0, 2},              /* so for a bond */
        {"\x04\x01\x02\x00\x80\x80\x80\x80\x80\x20\x00\x00", 12, 1, 0, 2}, /* the id 2^40 */
        {"\x04\x01\x02\x00\x01\x00\x01", 7, 1, 0, 2}, /* of a span that ends before */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        loaded made;
        tacho_str bytes = compose(tacho_str_make(cases[i].bytes, cases[i].len), cases[i].said);
        load(&made, bytes);
        if (row_count(&made) != cases[i].rows || lost_count(&made.dict) != cases[i].lost) {
            fail_msg("case %zu: %zu rows, %zu lost", i, row_count(&made),
                     (size_t)lost_count(&made.dict));
        }
        if (made.profile.arg_count > 0) {
            assert_int_equal(made.profile.args[0].arg.type, TACHO_ARG_TEXT);
        }
        unload(&made);
        drop(bytes);
    }
}

/* One record alone in a file, which must be refused. */
static void check_record(uint32_t type, const unsigned char *record, size_t len)
{
    char bytes[1024];
    tacho_output output;
    tacho_chunk_writer writer;
    loaded made;
    open_test_output(&output);
    tacho_chunk_begin(&writer, &output, TACHO_CAPTURE_KIND);
    const tacho_chunk chunk = {.type = type,
                               .version = TACHO_CAPTURE_VERSION,
                               .record_size = (uint32_t)len,
                               .record_count = 1,
                               .payload = tacho_str_make((const char *)record, len)};
    tacho_chunk_write(&writer, &chunk);
    size_t file_len = read_test_output(&output, bytes, sizeof(bytes));
    tacho_status status = load_by(&made, tacho_str_make(bytes, file_len), false);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    assert_int_equal(made.dict.part_count + made.dict.track_count + made.dict.run_count, 0);
    unload(&made);
}

static void test_bad_records(void **state)
{
    (void)state;
    static const uint32_t types[] = {TACHO_CAPTURE_STRINGS,
                                     TACHO_CAPTURE_CLOCKS,
                                     TACHO_CAPTURE_PARTS,
                                     TACHO_CAPTURE_TRACKS,
                                     TACHO_CAPTURE_LOCATIONS,
                                     TACHO_CAPTURE_SITES,
                                     TACHO_CAPTURE_RUNS,
                                     TACHO_CAPTURE_ROWS,
                                     TACHO_CAPTURE_PART_ENDS,
                                     TACHO_CAPTURE_METADATA,
                                     TACHO_CAPTURE_LOSSES,
                                     TACHO_CAPTURE_END,
                                     TACHO_FOURCC('N', 'E', 'W', 'S')};
    static const unsigned char fillings[] = {0x00, 0x7f, 0xff};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (size_t k = 0; k < sizeof(fillings); k++) {
            unsigned char record[128];
            memset(record, fillings[k], sizeof(record));
            check_record(types[i], record, sizeof(record));
            check_record(types[i], record, 3);
        }
    }
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
        cmocka_unit_test(test_without_args), cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_every_bit),    cmocka_unit_test(test_lost_chunk),
        cmocka_unit_test(test_lost_names),   cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_bad_rows),     cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
