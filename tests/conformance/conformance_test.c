/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws that every source and every trace sink must keep, whatever their format: checked over the
 * registries with one table of small composed files. A new source needs a sample here; a new
 * sink is checked as soon as it is registered.
 */
#include "base/utf8.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sinks/trace_sink.h"
#include "sources/source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder_testing.h"
#include "samples.h"
#include "sources/ascend/ascend.h"
#include "sources/nsys/nsys.h"
#include "sources/rocm/rocm.h"
#include "sources/stats/stats.h"
#include "sources/tacho/capture.h"
#include "sources/tracy/tracy.h"

enum { SPOOL_BYTES = 1024 };

/* ---- reading ---------------------------------------------------------------------------- */

/* A sample on its way: order, and lanes where a trace is the goal. */
typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_order *order;
    tacho_lanes *lanes;
} fixture;

static void setup(fixture *made)
{
    memset(made, 0, sizeof(*made));
    assert_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    assert_ok(
        tacho_order_create(&made->profile.events, TACHO_ORDER_SORT, SPOOL_BYTES, &made->order));
}

static void teardown(fixture *made)
{
    tacho_order_destroy(made->order);
    tacho_lanes_destroy(made->lanes);
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

static const tacho_source *source_of(const sample *from)
{
    const tacho_source *source = tacho_source_find(tacho_str_from_cstring(from->source));
    if (source == NULL) {
        fail_msg("no source is called %s", from->source);
    }
    return source;
}

static tacho_status read_sample(const sample *from, tacho_str bytes, tacho_events *to)
{
    const tacho_source_options options = {.choice_count = 0};
    tacho_input input;
    assert_ok(tacho_input_open_bytes(from->label, bytes, &input));
    tacho_reading reading = {.input = &input,
                             .path = TACHO_STR("runs/sample"),
                             .options = &options,
                             .events = to,
                             .holds_events = true};
    const tacho_source *source = source_of(from);
    tacho_status status = source != NULL ? source->read(&reading) : TACHO_OK;
    tacho_input_close(&input);
    return status;
}

static void read_whole(fixture *to, const sample *from)
{
    setup(to);
    assert_ok(read_sample(from, sample_bytes(from), tacho_order_events(to->order)));
}

static size_t row_count(const fixture *in)
{
    return in->profile.span_count + in->profile.sample_count + in->profile.flow_end_count;
}

/* ---- sources ---------------------------------------------------------------------------- */

static void test_sources_are_named(void **state)
{
    (void)state;
    const tacho_source *const *sources = tacho_sources();
    assert_non_null(sources[0]);
    for (size_t i = 0; sources[i] != NULL; i++) {
        check_name(sources[i]->name, sources[i]->title);
        assert_true(sources[i]->probe != NULL && sources[i]->read != NULL);
        assert_ptr_equal(tacho_source_find(tacho_str_from_cstring(sources[i]->name)), sources[i]);
    }
    assert_null(tacho_source_find(TACHO_STR("")));
}

/* Nothing, and 64 KiB of one byte, is no profile of anyone's. */
static void test_probes_refuse_nothing(void **state)
{
    (void)state;
    static const char fillings[] = {'\0', '\n', ' ', '0', ',', ';', '\xff'};
    char *bytes = malloc(TACHO_PROBE_BYTES);
    assert_non_null(bytes);
    const tacho_source *const *sources = tacho_sources();
    for (size_t i = 0; sources[i] != NULL; i++) {
        assert_int_equal(sources[i]->probe(TACHO_STR("")), TACHO_PROBE_NO);
        for (size_t k = 0; k < sizeof(fillings); k++) {
            memset(bytes, fillings[k], TACHO_PROBE_BYTES);
            tacho_str head = tacho_str_make(bytes, TACHO_PROBE_BYTES);
            assert_int_equal(sources[i]->probe(head), TACHO_PROBE_NO);
        }
    }
    free(bytes);
}

/* Formats that are not text: see their own tests. */
static bool is_binary(const tacho_source *source)
{
    return source == &tacho_source_stats || source == &tacho_source_tacho ||
           source == &tacho_source_tracy || source == &tacho_source_nsys ||
           source == &tacho_source_rocpd || source == &tacho_source_ascend_db;
}

static void test_sources_have_samples(void **state)
{
    (void)state;
    const tacho_source *const *sources = tacho_sources();
    for (size_t i = 0; sources[i] != NULL; i++) {
        size_t count = 0;
        for (size_t k = 0; k < SAMPLE_COUNT; k++) {
            count += strcmp(samples[k].source, sources[i]->name) == 0;
        }
        if (count == 0 && !is_binary(sources[i])) {
            fail_msg("%s has no sample in this file", sources[i]->name);
        }
    }
}

/* Each sample is found by its content, and no other source is sure of it. */
static void test_samples_are_recognised(void **state)
{
    (void)state;
    const tacho_source *const *sources = tacho_sources();
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        tacho_str head = tacho_str_from_cstring(samples[i].text);
        for (size_t k = 0; sources[k] != NULL; k++) {
            bool is_own = sources[k] == source_of(&samples[i]);
            if ((sources[k]->probe(head) == TACHO_PROBE_SURE) != is_own) {
                fail_msg("%s: wrong verdict on %s", sources[k]->name, samples[i].label);
            }
        }
        tacho_input input;
        assert_ok(tacho_input_open_bytes(samples[i].label, head, &input));
        const tacho_source *found = NULL;
        assert_ok(tacho_source_resolve(&input, &found));
        assert_ptr_equal(found, source_of(&samples[i]));
        tacho_input_close(&input);
    }
}

static void test_unknown_content(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "lorem ipsum dolor sit amet\n", "\177ELF"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tacho_input input;
        assert_ok(tacho_input_open_bytes("some.file", tacho_str_from_cstring(texts[i]), &input));
        const tacho_source *found = NULL;
        tacho_status status = tacho_source_resolve(&input, &found);
        tacho_code code = tacho_status_code(status);
        assert_true(code == TACHO_CODE_BAD_DATA || code == TACHO_CODE_UNSUPPORTED);
        assert_non_null(strstr(tacho_status_message(status), "some.file"));
        assert_null(found);
        tacho_status_free(status);
        tacho_input_close(&input);
    }
}

/* ---- samples ---------------------------------------------------------------------------- */

/* The parts of one file: the first is called after it, and together they have all its rows. */
static void check_parts(const fixture *made, const sample *from)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < made->dict.part_count; i++) {
        const tacho_part *part = &made->dict.parts[i];
        assert_true(tacho_str_equal(tacho_dict_string(&made->dict, part->format),
                                    tacho_str_from_cstring(from->source)));
        assert_true(
            tacho_str_equal(tacho_dict_string(&made->dict, part->path), TACHO_STR("runs/sample")));
        assert_true(i > 0 || tacho_str_equal(tacho_dict_string(&made->dict, part->name),
                                             TACHO_STR("sample")));
        assert_int_not_equal(part->origin, TACHO_ORIGIN_UNKNOWN);
        counted += part->row_count;
    }
    assert_int_equal(counted, row_count(made));
}

static void test_samples_validate(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        fixture made;
        read_whole(&made, &samples[i]);
        assert_ok(tacho_profile_validate(&made.profile));
        assert_true(row_count(&made) > 0);
        bool is_split = strcmp(samples[i].source, "tenstorrent-ops") == 0; /* a part per device */
        assert_int_equal(made.dict.part_count, is_split ? 3 : 1);
        check_parts(&made, &samples[i]);
        teardown(&made);
    }
}

static size_t lost_count(const fixture *in)
{
    size_t count = 0;
    for (size_t i = 0; i < in->dict.loss_count; i++) {
        assert_true(in->dict.losses[i].count > 0);
        assert_true(in->dict.losses[i].first_line > 0);
        count += (size_t)in->dict.losses[i].count;
    }
    return count;
}

/* Lines that hold anything; a CR before the LF is no content. */
static size_t count_lines(tacho_str text)
{
    size_t count = 0;
    size_t len = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len || text.data[i] == '\n') {
            count += len > 1 || (len == 1 && text.data[i - 1] != '\r');
            len = 0;
        } else {
            len++;
        }
    }
    return count;
}

/* A sample that ends early: refused, or read without inventing or dropping a line. */
static void check_cut(const sample *from, size_t len, size_t whole_count)
{
    char *copy = malloc(len + 1); /* exactly: a sanitizer sees a step past it */
    assert_non_null(copy);
    memcpy(copy, from->text, len);
    tacho_str bytes = tacho_str_make(copy, len);
    fixture made;
    setup(&made);
    tacho_status status = read_sample(from, bytes, tacho_order_events(made.order));
    if (status == TACHO_OK) {
        assert_ok(tacho_profile_validate(&made.profile));
        assert_in_range(row_count(&made), 1, whole_count);
        if (from->header_count >= 0 &&
            (size_t)from->header_count + row_count(&made) + lost_count(&made) !=
                count_lines(bytes)) {
            fail_msg("%s cut to %zu bytes: %zu lines, but %d header, %zu rows, %zu lost",
                     from->label, len, count_lines(bytes), from->header_count, row_count(&made),
                     lost_count(&made));
        }
    } else {
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_non_null(strstr(tacho_status_message(status), from->label));
    }
    tacho_status_free(status);
    teardown(&made);
    free(copy);
}

static void test_samples_cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        fixture made;
        read_whole(&made, &samples[i]);
        size_t whole_count = row_count(&made);
        teardown(&made);
        for (size_t len = 0; len <= strlen(samples[i].text); len++) {
            check_cut(&samples[i], len, whole_count);
        }
    }
}

static void assert_same_spans(const fixture *a, const fixture *b)
{
    assert_int_equal(a->profile.span_count, b->profile.span_count);
    tacho_arg *args[2] = {NULL, NULL};
    size_t capacities[2] = {0, 0};
    for (size_t i = 0; i < a->profile.span_count; i++) {
        tacho_row row_a;
        tacho_row row_b;
        assert_ok(tacho_profile_row(&a->profile, i, &args[0], &capacities[0], &row_a));
        assert_ok(tacho_profile_row(&b->profile, i, &args[1], &capacities[1], &row_b));
        /* Ids follow the order of appearance, so equal readings have equal ones. */
        assert_int_equal(row_a.track, row_b.track);
        assert_int_equal(row_a.of.span.site, row_b.of.span.site);
        assert_int_equal(row_a.of.span.run, row_b.of.span.run);
        assert_int_equal(tacho_row_compare(&a->dict, &row_a, &row_b), 0);
    }
    free(args[0]);
    free(args[1]);
}

static void assert_same_dicts(const tacho_dict *a, const tacho_dict *b)
{
    assert_int_equal(a->strings.item_count, b->strings.item_count);
    for (uint32_t i = 0; i < a->strings.item_count; i++) {
        assert_true(tacho_str_equal(tacho_dict_string(a, i), tacho_dict_string(b, i)));
    }
    assert_int_equal(a->track_count, b->track_count);
    assert_int_equal(a->site_count, b->site_count);
    assert_int_equal(a->location_count, b->location_count);
    assert_int_equal(a->loss_count, b->loss_count);
    for (size_t i = 0; i < a->loss_count; i++) {
        assert_int_equal(a->losses[i].reason, b->losses[i].reason);
        assert_int_equal(a->losses[i].count, b->losses[i].count);
        assert_int_equal(a->losses[i].first_line, b->losses[i].first_line);
    }
}

static void test_samples_read_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        fixture first;
        fixture second;
        read_whole(&first, &samples[i]);
        read_whole(&second, &samples[i]);
        assert_same_dicts(&first.dict, &second.dict);
        assert_same_spans(&first, &second);
        assert_int_equal(first.profile.sample_count, second.profile.sample_count);
        assert_int_equal(first.profile.flow_end_count, second.profile.flow_end_count);
        teardown(&first);
        teardown(&second);
    }
}

/* ---- trace sinks ------------------------------------------------------------------------ */

static void test_trace_sinks_are_named(void **state)
{
    (void)state;
    const tacho_trace_sink *const *sinks = tacho_trace_sinks();
    assert_non_null(sinks[0]);
    for (size_t i = 0; sinks[i] != NULL; i++) {
        check_name(sinks[i]->name, sinks[i]->title);
        assert_true(sinks[i]->open != NULL && sinks[i]->close != NULL);
        assert_ptr_equal(tacho_trace_sink_find(tacho_str_from_cstring(sinks[i]->name)), sinks[i]);
    }
    assert_null(tacho_trace_sink_find(TACHO_STR("")));
    assert_null(tacho_trace_sink_find_for_path(TACHO_STR("trace")));
    assert_null(tacho_trace_sink_find_for_path(TACHO_STR("trace.gz")));
}

/* A suffix leads to its sink, so it belongs to no other; compression does not matter. */
static void test_suffixes(void **state)
{
    (void)state;
    const tacho_trace_sink *const *sinks = tacho_trace_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        assert_non_null(sinks[i]->suffixes);
        assert_non_null(sinks[i]->suffixes[0]);
        for (size_t k = 0; sinks[i]->suffixes[k] != NULL; k++) {
            const char *suffix = sinks[i]->suffixes[k];
            assert_true(suffix[0] == '.' && suffix[1] != '\0');
            for (size_t c = 0; c < sizeof(compressions) / sizeof(compressions[0]); c++) {
                char path[64];
                snprintf(path, sizeof(path), "x/trace%s%s", suffix, compressions[c]);
                const tacho_trace_sink *found =
                    tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
                assert_ptr_equal(found, sinks[i]);
            }
        }
    }
}

/* What is written to a trace: a sample, or rows of every kind; NULL for nothing. */
typedef void fill_function(tacho_events *to, const void *from);

static tacho_str write_trace(const char *folder, const tacho_trace_sink *sink, bool omit_args,
                             fill_function *fill, const void *from)
{
    const tacho_trace_options options = {.omit_args = omit_args};
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof(path), "%s/trace%s", folder, sink->suffixes[0]);
    tacho_output output;
    tacho_events *events = NULL;
    fixture made;
    setup(&made);
    assert_ok(tacho_output_open(path, &output));
    assert_ok(sink->open(&made.dict, &output, &options, &events));
    assert_ok(tacho_lanes_create(events, &made.lanes));
    tacho_order_destroy(made.order);
    assert_ok(tacho_order_create(tacho_lanes_events(made.lanes), TACHO_ORDER_SORT, SPOOL_BYTES,
                                 &made.order));
    if (fill != NULL) {
        fill(tacho_order_events(made.order), from);
    }
    assert_ok(tacho_events_finish(tacho_order_events(made.order)));
    sink->close(events);
    teardown(&made);
    return take_output(&output);
}

/* Every sink makes a file of it, and the same file each time. */
static void check_trace(const char *folder, fill_function *fill, const void *from)
{
    const tacho_trace_sink *const *sinks = tacho_trace_sinks();
    for (size_t i = 0; sinks[i] != NULL; i++) {
        tacho_str nothing = write_trace(folder, sinks[i], false, NULL, NULL);
        tacho_str first = write_trace(folder, sinks[i], false, fill, from);
        tacho_str second = write_trace(folder, sinks[i], false, fill, from);
        tacho_str bare = write_trace(folder, sinks[i], true, fill, from);
        assert_true(nothing.len > 0 && first.len >= nothing.len);
        assert_false(tacho_str_equal(first, nothing)); /* a database grows by pages */
        assert_true(tacho_str_equal(first, second));
        assert_true(bare.len > 0 && bare.len <= first.len); /* equal where there are none */
        free_file(nothing);
        free_file(first);
        free_file(second);
        free_file(bare);
    }
}

static void fill_from_sample(tacho_events *to, const void *from)
{
    const sample *read = from;
    assert_ok(read_sample(read, tacho_str_from_cstring(read->text), to));
}

static void test_samples_through_sinks(void **state)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        check_trace(*state, fill_from_sample, &samples[i]);
    }
}

/* ---- rows of every kind ----------------------------------------------------------------- */

static uint32_t string_id(tacho_dict *dict, tacho_str text)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(dict, text, &id));
    return id;
}

static uint32_t add_track(tacho_dict *dict, const char *name, tacho_track_class track_class)
{
    tacho_track facts = {
        .parent = dict->parts[0].root,
        .clock = dict->parts[0].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .unit = TACHO_UNIT_BYTES,
    };
    uint32_t track = 0;
    assert_ok(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), &track));
    return track;
}

static void push(tacho_events *to, const tacho_row *row)
{
    assert_ok(tacho_events_row(to, row));
}

static void push_flow(tacho_events *to, uint32_t track, int64_t time, tacho_flow_phase phase)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = 7;
    row.of.flow.role = TACHO_FLOW_LAUNCH;
    row.of.flow.phase = phase;
    row.of.flow.span_end = TACHO_FLOW_AROUND;
    push(to, &row);
}

static void push_samples(tacho_events *to, uint32_t track)
{
    const double values[] = {0.0, -1.5, 1e18, 0.1, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = track, .start = (int64_t)i};
        row.of.sample.value = values[i];
        push(to, &row);
    }
}

/* One argument of each type, containers among them. */
static size_t make_args(tacho_dict *dict, tacho_arg *args)
{
    uint32_t key = string_id(dict, TACHO_STR("key \xff\"\\"));
    size_t count = 0;
    for (int type = TACHO_ARG_INT; type <= TACHO_ARG_JSON; type++) {
        args[count] = (tacho_arg){.key = key, .type = (tacho_arg_type)type};
        if (type == TACHO_ARG_STRING) {
            args[count].value.as_string = key;
        } else if (type == TACHO_ARG_TEXT) {
            args[count].value.as_text = TACHO_STR("text \xff \"\n\\");
        } else if (type == TACHO_ARG_JSON) {
            args[count].value.as_text = TACHO_STR("null");
        } else if (type == TACHO_ARG_DICT || type == TACHO_ARG_ARRAY) {
            args[count++].value.as_uint = 1;
            args[count] = (tacho_arg){.key = key, .type = TACHO_ARG_UINT};
        }
        count++;
    }
    return count;
}

static void push_spans(tacho_events *to, const uint32_t *tracks)
{
    tacho_dict *dict = to->dict;
    tacho_arg args[16];
    tacho_location place = {.text = string_id(dict, TACHO_STR("here\xfe"))};
    tacho_site site = {string_id(dict, TACHO_STR("name\xff<&>\"\n")),
                       string_id(dict, TACHO_STR("category")), TACHO_NONE};
    tacho_run run = {0, site.name, 3};
    tacho_row row = {.kind = TACHO_ROW_SPAN, .args = args, .arg_count = make_args(dict, args)};
    assert_ok(tacho_dict_ensure_location(dict, &place, &site.location));
    assert_ok(tacho_dict_ensure_site(dict, &site, &row.of.span.site));
    assert_ok(tacho_dict_add_run(dict, &run, &row.of.span.run));
    row.of.span.op = TACHO_NONE;
    for (uint32_t i = 0; i < 20; i++) {
        row.track = tracks[i % 2];
        row.start = i;
        row.of.span.end = i % 5 == 0 ? (int64_t)i : (int64_t)i + 7; /* they cross: lanes */
        row.of.span.flags = i % 4 == 0 ? TACHO_ORIGIN_SIMULATED | TACHO_SPAN_UNENDED : 0;
        row.of.span.flags |= i % 10 == 5 ? TACHO_SPAN_INSTANT : 0;
        push(to, &row);
    }
}

static void fill_with_everything(tacho_events *to, const void *from)
{
    (void)from;
    tacho_clock clock;
    tacho_clock_init(&clock, 1000, 3);
    tacho_part_facts facts = {.path = TACHO_STR("odd\xff\"name"), .format = TACHO_STR("none")};
    uint32_t part = 0;
    assert_ok(tacho_dict_add_clock(to->dict, &clock, TACHO_STR("ticks"), &facts.clock));
    assert_ok(tacho_dict_add_part(to->dict, &facts, &part));
    uint32_t tracks[2] = {add_track(to->dict, "host \xff", TACHO_TRACK_HOST),
                          add_track(to->dict, "engine", TACHO_TRACK_COMPUTE)};
    to->dict->tracks[tracks[1]].nesting = TACHO_NESTING_ENGINE;
    push_samples(to, add_track(to->dict, "counter", TACHO_TRACK_COUNTER));
    push_spans(to, tracks);
    push_flow(to, tracks[0], 3, TACHO_FLOW_LEAVES);
    push_flow(to, tracks[1], 5, TACHO_FLOW_ARRIVES);
    push_flow(to, tracks[1], 1000, TACHO_FLOW_ARRIVES); /* of nothing */
    tacho_loss loss = {.part = part, .reason = TACHO_LOSS_NUL_BYTE, .count = 3, .first_line = 1};
    assert_ok(tacho_dict_add_loss(to->dict, &loss));
    assert_ok(tacho_dict_add_metadata(to->dict, "fact", TACHO_STR("value \xff\"")));
    assert_ok(tacho_events_end_part(to, part));
}

static void test_everything_through_sinks(void **state)
{
    check_trace(*state, fill_with_everything, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources_are_named),
        cmocka_unit_test(test_probes_refuse_nothing),
        cmocka_unit_test(test_sources_have_samples),
        cmocka_unit_test(test_samples_are_recognised),
        cmocka_unit_test(test_unknown_content),
        cmocka_unit_test(test_samples_validate),
        cmocka_unit_test(test_samples_cut_anywhere),
        cmocka_unit_test(test_samples_read_twice),
        cmocka_unit_test(test_trace_sinks_are_named),
        cmocka_unit_test(test_suffixes),
        cmocka_unit_test(test_samples_through_sinks),
        cmocka_unit_test(test_everything_through_sinks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
