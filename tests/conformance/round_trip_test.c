/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Round trips over the registries: whatever a source reads, written by a trace sink and read back
 * by that sink's own source, gives the same profile, but for what the sink says it cannot carry.
 * Samples of all sources go through, and made-up profiles with everything the model has.
 */
#include "profile/lanes.h"
#include "profile/order.h"
#include "sources/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"
#include "canonical.h"
#include "samples.h"

enum { SPOOL_BYTES = 4096, FILE_BYTES = 1 << 20, ROUND_COUNT = 400, ROW_MAX = 60 };

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* What fills a profile: a sample, or a number to make one from. */
typedef void fill_function(tacho_events *to, const void *from);

/* The same for a chain that passes rows on as they come; OUT_OF_ORDER where that cannot be. */
typedef tacho_status pass_function(tacho_events *to, const void *from);

typedef struct loaded {
    tacho_dict dict;
    tacho_profile profile;
} loaded;

static void load(loaded *out_loaded, fill_function *fill, const void *from)
{
    tacho_order *order = NULL;
    assert_ok(tacho_dict_init(&out_loaded->dict));
    tacho_profile_init(&out_loaded->profile, &out_loaded->dict);
    assert_ok(
        tacho_order_create(&out_loaded->profile.events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
    fill(tacho_order_events(order), from);
    assert_ok(tacho_events_finish(tacho_order_events(order)));
    tacho_order_destroy(order);
    assert_ok(tacho_profile_validate(&out_loaded->profile));
}

static void unload(loaded *made)
{
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

/* The bytes that |sink| makes of it. */
static tacho_status write_trace_by(const tacho_trace_sink *sink, tacho_order_mode mode,
                                   pass_function *fill, const void *from, tacho_str *out_bytes)
{
    static char bytes[FILE_BYTES];
    const tacho_trace_options options = {.names_may_change = mode == TACHO_ORDER_PASS};
    tacho_dict dict;
    tacho_output output;
    tacho_events *events = NULL;
    tacho_lanes *lanes = NULL;
    tacho_order *order = NULL;
    assert_ok(tacho_dict_init(&dict));
    open_test_output(&output);
    assert_ok(sink->open(&dict, &output, &options, &events));
    tacho_events *next = events;
    if (!sink->takes_rows_as_given) {
        assert_ok(tacho_lanes_create(events, &lanes));
        next = tacho_lanes_events(lanes);
    }
    assert_ok(tacho_order_create(next, mode, SPOOL_BYTES, &order));
    tacho_status status = fill(tacho_order_events(order), from);
    if (status == TACHO_OK) {
        assert_ok(tacho_events_finish(tacho_order_events(order)));
    }
    sink->close(events);
    tacho_order_destroy(order);
    tacho_lanes_destroy(lanes);
    tacho_dict_deinit(&dict);
    size_t len = read_test_output(&output, bytes, sizeof(bytes));
    assert_true(len < sizeof(bytes));
    *out_bytes = tacho_str_make(bytes, len);
    if (status == TACHO_OK) {
        keep_test_output(bytes, len);
    }
    return status;
}

typedef struct sorted_fill {
    fill_function *fill;
    const void *from;
} sorted_fill;

static tacho_status fill_sorted(tacho_events *to, const void *from)
{
    const sorted_fill *wanted = from;
    wanted->fill(to, wanted->from);
    return TACHO_OK;
}

static tacho_str write_trace(const tacho_trace_sink *sink, fill_function *fill, const void *from)
{
    const sorted_fill wanted = {fill, from};
    tacho_str bytes;
    assert_ok(write_trace_by(sink, TACHO_ORDER_SORT, fill_sorted, &wanted, &bytes));
    return bytes;
}

/* A trace in memory and the source that reads it. */
typedef struct written {
    const char *source;
    tacho_str bytes;
} written;

static tacho_status try_bytes(tacho_events *to, const char *source_name, tacho_str bytes,
                              bool holds)
{
    const tacho_source_options options = {.choice_count = 0};
    const tacho_source *source = tacho_source_find(tacho_str_from_cstring(source_name));
    assert_non_null(source);
    tacho_input input;
    assert_ok(tacho_input_open_bytes("trace", bytes, &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("runs/trace"),
        .options = &options,
        .events = to,
        .holds_events = holds,
    };
    tacho_status status = source->read(&reading);
    tacho_input_close(&input);
    return status;
}

static void read_bytes(tacho_events *to, const char *source_name, tacho_str bytes)
{
    assert_ok(try_bytes(to, source_name, bytes, true));
}

static void fill_from_trace(tacho_events *to, const void *from)
{
    const written *trace = from;
    read_bytes(to, trace->source, trace->bytes);
}

static void fill_from_sample(tacho_events *to, const void *from)
{
    const sample *read = from;
    read_bytes(to, read->source, sample_bytes(read));
}

static void assert_same(const canonical *before, const canonical *after, const char *label)
{
    size_t count = before->line_count > after->line_count ? before->line_count : after->line_count;
    for (size_t i = 0; i < count; i++) {
        const char *line = i < before->line_count ? before->lines[i] : "(nothing)";
        const char *other = i < after->line_count ? after->lines[i] : "(nothing)";
        if (strcmp(line, other) != 0) {
            fail_msg("%s:\nwritten %s\nread    %s", label, line, other);
        }
    }
}

/* The profile of |trace| is that of |fill|, but for the limits of |sink|. */
static void check_trace(const tacho_trace_sink *sink, const written *trace, fill_function *fill,
                        const void *from, const char *label)
{
    char where[256];
    static canonical before;
    static canonical after;
    loaded original;
    loaded again;
    snprintf(where, sizeof(where), "%s through %s", label, sink->name);
    load(&original, fill, from);
    load(&again, fill_from_trace, trace);
    canonical_make(&before, &original.profile, sink->limits);
    canonical_make(&after, &again.profile, sink->limits);
    assert_same(&before, &after, where);
    canonical_free(&before);
    canonical_free(&after);
    unload(&original);
    unload(&again);
}

/* Formats that give back a part of what was written, or nothing. */
enum { NOT_WHOLE = TACHO_LIMIT_READING | TACHO_LIMIT_PARTIAL };

static void check_round_trips(fill_function *fill, const void *from, const char *label)
{
    const tacho_trace_sink *const *sinks = tacho_trace_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        assert_true(((sinks[i]->limits & TACHO_LIMIT_READING) != 0) == (sinks[i]->source == NULL));
        if ((sinks[i]->limits & NOT_WHOLE) != 0) {
            continue;
        }
        written trace = {sinks[i]->source, write_trace(sinks[i], fill, from)};
        check_trace(sinks[i], &trace, fill, from, label);
    }
}

static tacho_status pass_sample(tacho_events *to, const void *from)
{
    const sample *read = from;
    return try_bytes(to, read->source, sample_bytes(read), false);
}

/* The same where rows pass as they come; how many samples can. */
static size_t check_passing(const sample *from)
{
    const tacho_trace_sink *const *sinks = tacho_trace_sinks();
    size_t count = 0;
    for (size_t i = 0; sinks[i] != NULL; i++) {
        if ((sinks[i]->limits & NOT_WHOLE) != 0) {
            continue;
        }
        written trace = {.source = sinks[i]->source};
        tacho_status status =
            write_trace_by(sinks[i], TACHO_ORDER_PASS, pass_sample, from, &trace.bytes);
        if (status == TACHO_OK) {
            check_trace(sinks[i], &trace, fill_from_sample, from, from->label);
            count++;
        }
        assert_true(status == TACHO_OK || tacho_status_code(status) == TACHO_CODE_OUT_OF_ORDER);
        tacho_status_free(status);
    }
    return count;
}

static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        check_round_trips(fill_from_sample, &samples[i], samples[i].label);
    }
}

static void test_samples_passing(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        count += check_passing(&samples[i]);
    }
    assert_true(count > SAMPLE_COUNT / 2);
}

/* ---- captures --------------------------------------------------------------------------- */

static tacho_status pass_trace(tacho_events *to, const void *from)
{
    const written *trace = from;
    return try_bytes(to, trace->source, trace->bytes, false);
}

/* A trace of |fill|, and one of a capture of it: they are the same, byte for byte. */
static void check_transparent(const tacho_trace_sink *sink, tacho_order_mode mode,
                              pass_function *fill, const void *from, const char *label)
{
    const tacho_trace_sink *captures = tacho_trace_sink_find(TACHO_STR("tacho"));
    written captured = {.source = captures->source};
    tacho_str bytes;
    tacho_status status = write_trace_by(sink, mode, fill, from, &bytes);
    if (status != TACHO_OK) {
        assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
        tacho_status_free(status);
        return;
    }
    char *direct = malloc(bytes.len + 1);
    assert_non_null(direct);
    memcpy(direct, bytes.data, bytes.len);
    size_t len = bytes.len;
    assert_ok(write_trace_by(captures, mode, fill, from, &bytes));
    char *capture = malloc(bytes.len + 1);
    assert_non_null(capture);
    memcpy(capture, bytes.data, bytes.len);
    captured.bytes = tacho_str_make(capture, bytes.len);
    /* Rows that were sorted are in order. */
    assert_ok(write_trace_by(sink, TACHO_ORDER_PASS, pass_trace, &captured, &bytes));
    if (bytes.len != len || memcmp(bytes.data, direct, len) != 0) {
        fail_msg("%s: a capture of it makes another trace (%s)", label, sink->name);
    }
    free(direct);
    free(capture);
}

static void test_captures_are_transparent(void **state)
{
    (void)state;
    const tacho_trace_sink *perfetto = tacho_trace_sink_find(TACHO_STR("perfetto"));
    const tacho_trace_sink *captures = tacho_trace_sink_find(TACHO_STR("tacho"));
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const sorted_fill wanted = {fill_from_sample, &samples[i]};
        check_transparent(perfetto, TACHO_ORDER_PASS, pass_sample, &samples[i], samples[i].label);
        check_transparent(perfetto, TACHO_ORDER_SORT, fill_sorted, &wanted, samples[i].label);
        check_transparent(captures, TACHO_ORDER_PASS, pass_sample, &samples[i], samples[i].label);
        check_transparent(captures, TACHO_ORDER_SORT, fill_sorted, &wanted, samples[i].label);
    }
}

/* ---- made-up profiles ------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *random, size_t limit)
{
    return (size_t)(next_random(random) % limit);
}

static uint32_t string_id(tacho_dict *dict, const char *text)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &id));
    return id;
}

static const char *const words[] = {"conv2d",
                                    "a b",
                                    "\"quoted\"",
                                    "back\\slash",
                                    "\n\t\x01",
                                    "\xc3\xa9\xe2\x82\xac",
                                    "bad \xff\xc0",
                                    "</script>",
                                    "18446744073709551615",
                                    "-123456789012345678901",
                                    ""};
enum { WORD_COUNT = sizeof(words) / sizeof(words[0]) };

static uint32_t random_word(tacho_dict *dict, uint64_t *random)
{
    return string_id(dict, words[below(random, WORD_COUNT)]);
}

static void random_scalar(tacho_dict *dict, uint64_t *random, tacho_arg *arg)
{
    static const double reals[] = {0.1, -2.5, 1e300, 5e-324, 3.0, -0.0};
    static const char *const values[] = {"null", "18446744073709551616", "-9223372036854775809",
                                         "1e400"};
    switch (below(random, 6)) {
    case 0:
        arg->type = TACHO_ARG_INT;
        arg->value.as_int = below(random, 3) == 0 ? INT64_MIN : (int64_t)below(random, 100) - 50;
        break;
    case 1:
        arg->type = TACHO_ARG_UINT;
        arg->value.as_uint = below(random, 3) == 0 ? UINT64_MAX : below(random, 100);
        break;
    case 2:
        arg->type = TACHO_ARG_REAL;
        arg->value.as_real = reals[below(random, 6)];
        break;
    case 3:
        arg->type = TACHO_ARG_BOOL;
        arg->value.as_bool = below(random, 2) == 0;
        break;
    case 4:
        arg->type = TACHO_ARG_STRING;
        arg->value.as_string = random_word(dict, random);
        break;
    default:
        arg->type = below(random, 2) == 0 ? TACHO_ARG_TEXT : TACHO_ARG_JSON;
        arg->value.as_text = arg->type == TACHO_ARG_JSON
                                 ? tacho_str_from_cstring(values[below(random, 4)])
                                 : tacho_str_from_cstring(words[below(random, WORD_COUNT)]);
        break;
    }
}

enum { ARG_MAX = 24 };

/* Scalars and containers, two deep; returns how many. */
static size_t random_args(tacho_dict *dict, uint64_t *random, tacho_arg *args)
{
    size_t count = 0;
    for (size_t wanted = below(random, 5); wanted > 0; wanted--) {
        char key[32];
        snprintf(key, sizeof(key), "key %zu", wanted);
        args[count] = (tacho_arg){.key = string_id(dict, key)};
        if (below(random, 4) > 0) {
            random_scalar(dict, random, &args[count++]);
            continue;
        }
        bool is_array = below(random, 2) == 0;
        size_t member_count = 1 + below(random, 3);
        args[count].type = is_array ? TACHO_ARG_ARRAY : TACHO_ARG_DICT;
        args[count++].value.as_uint = member_count;
        for (size_t i = 0; i < member_count; i++) {
            snprintf(key, sizeof(key), "member %zu", i);
            args[count] = (tacho_arg){.key = is_array ? 0 : string_id(dict, key)};
            random_scalar(dict, random, &args[count++]);
        }
    }
    return count;
}

typedef struct made_part {
    uint32_t id;
    uint32_t tracks[7]; /* stack, engine, engine, in a group, in a track, counter, its namesake */
} made_part;

static uint32_t add_track(tacho_dict *dict, uint32_t part, uint32_t parent, const char *name,
                          const tacho_track *like)
{
    tacho_track track = *like;
    uint32_t id = 0;
    track.part = part;
    track.parent = parent;
    track.clock = dict->parts[part].clock;
    track.lane_of = TACHO_NONE;
    track.rank = -1;
    assert_ok(tacho_dict_ensure_track(dict, &track, tacho_str_from_cstring(name), &id));
    return id;
}

static void add_tracks(tacho_dict *dict, made_part *part)
{
    const tacho_track stack = {.track_class = TACHO_TRACK_HOST};
    const tacho_track engine = {
        .track_class = TACHO_TRACK_COMPUTE, .index = 1, .nesting = TACHO_NESTING_ENGINE};
    const tacho_track other = {
        .track_class = TACHO_TRACK_DMA_IN, .index = 7, .nesting = TACHO_NESTING_ENGINE};
    const tacho_track group = {.track_class = TACHO_TRACK_GROUP};
    const tacho_track counter = {.track_class = TACHO_TRACK_COUNTER, .unit = TACHO_UNIT_BYTES};
    uint32_t root = dict->parts[part->id].root;
    uint32_t child = add_track(dict, part->id, root, "python 12", &group);
    part->tracks[0] = add_track(dict, part->id, root, "host \xff thread", &stack);
    part->tracks[1] = add_track(dict, part->id, root, "Slice 1", &engine);
    part->tracks[2] = add_track(dict, part->id, root, "DMA", &other);
    part->tracks[3] = add_track(dict, part->id, child, "Slice 1", &stack);
    part->tracks[4] = add_track(dict, part->id, child, "thread", &stack);
    part->tracks[5] = add_track(dict, part->id, child, "DDR", &counter);
    part->tracks[6] = add_track(dict, part->id, child, "thread", &counter);
    assert_int_not_equal(part->tracks[6], part->tracks[4]);
}

static void add_part(tacho_dict *dict, uint64_t *random, made_part *out_part)
{
    tacho_clock clock;
    const char *name = "ns";
    switch (below(random, 4)) {
    case 0:
        assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("800")));
        clock.is_assumed = below(random, 2) == 0;
        name = "cycles";
        break;
    case 1:
        assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("1500"))); /* shorter than 1 ns */
        name = "cycles";
        break;
    case 2:
        tacho_clock_init(&clock, 1000, 3);
        name = "ticks";
        break;
    default:
        tacho_clock_init(&clock, 1, 1);
        break;
    }
    tacho_part_facts facts = {.path = TACHO_STR("some/file.csv"),
                              .format = TACHO_STR("made-up"),
                              .generation = TACHO_STR("G1"),
                              .origin = (tacho_origin)below(random, TACHO_ORIGIN_COUNT)};
    clock.has_fixed_zero = below(random, 4) == 0; /* as of inferences that are aligned */
    assert_ok(tacho_dict_add_clock(dict, &clock, tacho_str_from_cstring(name), &facts.clock));
    assert_ok(tacho_dict_add_part(dict, &facts, &out_part->id));
    add_tracks(dict, out_part);
}

static uint32_t random_site(tacho_dict *dict, uint64_t *random)
{
    tacho_site site = {random_word(dict, random), random_word(dict, random), TACHO_NONE};
    uint32_t id = 0;
    if (below(random, 2) == 0) {
        tacho_location place = {.text = string_id(dict, "\"/w/m/add.mlir\":12:10"),
                                .file = string_id(dict, "/w/m/add.mlir"),
                                .line = 12,
                                .column = 10};
        assert_ok(tacho_dict_ensure_location(dict, &place, &site.location));
    }
    assert_ok(tacho_dict_ensure_site(dict, &site, &id));
    return id;
}

static void push(tacho_events *to, const tacho_row *row)
{
    assert_ok(tacho_events_row(to, row));
}

/* Flow ends that know the span they belong to, and now and then one that finds it by time. */
static void push_flow(tacho_events *to, uint64_t *random, const tacho_row *span)
{
    tacho_row flow = {.kind = TACHO_ROW_FLOW, .track = span->track, .start = span->start};
    flow.of.flow.id = 1 + below(random, 6);
    flow.of.flow.role = (tacho_flow_role)(flow.of.flow.id % 3); /* one for all ends of an arrow */
    flow.of.flow.phase = (tacho_flow_phase)below(random, 3);
    flow.of.flow.span_end = span->of.span.end;
    flow.of.flow.span_name = to->dict->sites[span->of.span.site].name;
    push(to, &flow);
}

static void push_span(tacho_events *to, uint64_t *random, const made_part *part, uint32_t run)
{
    tacho_arg args[ARG_MAX];
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = part->tracks[below(random, 5)]};
    row.start = 1000 + (int64_t)below(random, 500);
    bool is_instant = below(random, 8) == 0;
    row.of.span.end = is_instant ? row.start : row.start + (int64_t)below(random, 60);
    row.of.span.site = random_site(to->dict, random);
    row.of.span.op = TACHO_NONE;
    row.of.span.run = below(random, 3) == 0 ? run : TACHO_NONE;
    row.of.span.flags = is_instant ? TACHO_SPAN_INSTANT : 0;
    row.of.span.flags |= below(random, 8) == 0 ? TACHO_SPAN_UNENDED : 0;
    row.of.span.flags |= below(random, 4) == 0 ? (uint32_t)TACHO_ORIGIN_SIMULATED : 0;
    row.args = args;
    row.arg_count = random_args(to->dict, random, args);
    push(to, &row);
    if (below(random, 3) == 0) {
        push_flow(to, random, &row);
    }
}

static void fill_at_random(tacho_events *to, const void *from)
{
    uint64_t random = *(const uint64_t *)from;
    for (size_t parts = 1 + below(&random, 2); parts > 0; parts--) {
        made_part part;
        add_part(to->dict, &random, &part);
        tacho_run run = {part.id, random_word(to->dict, &random), (int64_t)below(&random, 3) - 1};
        uint32_t run_id = 0;
        assert_ok(tacho_dict_add_run(to->dict, &run, &run_id));
        for (size_t i = 1 + below(&random, ROW_MAX); i > 0; i--) {
            push_span(to, &random, &part, run_id);
            if (below(&random, 5) == 0) {
                tacho_row value = {.kind = TACHO_ROW_SAMPLE, .track = part.tracks[5 + i % 2]};
                value.start = 1000 + (int64_t)below(&random, 500);
                value.of.sample.value = (double)below(&random, 1000) / 8 - 20;
                push(to, &value);
            }
        }
        assert_ok(tacho_events_end_part(to, part.id));
    }
}

static void test_made_up_profiles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUND_COUNT; seed++) {
        char label[32];
        snprintf(label, sizeof(label), "profile %d", (int)seed);
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        check_round_trips(fill_at_random, &random, label);
        const sorted_fill wanted = {fill_at_random, &random};
        check_transparent(tacho_trace_sink_find(TACHO_STR("perfetto")), TACHO_ORDER_SORT,
                          fill_sorted, &wanted, label);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_samples_passing),
        cmocka_unit_test(test_captures_are_transparent),
        cmocka_unit_test(test_made_up_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
