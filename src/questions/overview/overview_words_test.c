/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a block by the format of its part and the names of its tracks.
 */
#include "questions/overview/overview.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct named_track {
    tacho_track_class track_class;
    const char *name;
    uint32_t index;
} named_track;

static void add_track(tacho_dict *dict, uint32_t part, const named_track *track)
{
    uint32_t id = TACHO_NONE;
    tacho_track facts = {
        .parent = TACHO_NONE,
        .part = part,
        .clock = dict->parts[part].clock,
        .index = track->index,
        .lane_of = TACHO_NONE,
        .track_class = track->track_class,
    };
    assert_null(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(track->name), &id));
}

/* A part of |format| with tracks up to one without a name; returns the metrics that its words
 * hide. */
static uint32_t choose(tacho_dict *dict, const char *format, const named_track *tracks,
                       tacho_overview_block *out_block)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(dict));
    tacho_part_facts facts = {.path = TACHO_STR("m"), .format = tacho_str_from_cstring(format)};
    uint32_t part = TACHO_NONE;
    assert_null(tacho_dict_add_clock(dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(dict, &facts, &part));
    for (; tracks->name != NULL; tracks++) {
        add_track(dict, part, tracks);
    }
    *out_block = (tacho_overview_block){.part = part};
    return tacho_overview_choose_words(dict, part, out_block);
}

static void assert_names(const tacho_overview_block *block, tacho_metric metric, uint32_t index,
                         const char *expected)
{
    tacho_metric_names names;
    tacho_metric_name(block, &(tacho_metric_value){metric, index, 0}, &names);
    char text[3 * TACHO_METRIC_LABEL_MAX];
    snprintf(text, sizeof(text), "%s %s %s", names.key, names.dashboard, names.label);
    assert_string_equal(text, expected);
    char label[TACHO_METRIC_LABEL_MAX];
    tacho_metric_label(block, &(tacho_metric_value){metric, index, 0}, label);
    assert_string_equal(label, names.label);
}

static bool is_hidden(uint32_t hidden, tacho_metric metric)
{
    return (hidden >> metric & 1) != 0;
}

static void test_engines_of_a_machine(void **state)
{
    (void)state;
    static const named_track tracks[] = {
        {TACHO_TRACK_COMPUTE, "Core 0 HMX", 0},   {TACHO_TRACK_COMPUTE, "Core 12 HMX", 12},
        {TACHO_TRACK_VECTOR, "Core 0 HVX 0", 0},  {TACHO_TRACK_VECTOR, "Core 0 HVX 13", 13},
        {TACHO_TRACK_DMA_IN, "Core 0 DMA IN", 0}, {0, NULL, 0}};
    tacho_dict dict;
    tacho_overview_block block;
    uint32_t hidden = choose(&dict, "stats", tracks, &block);
    assert_int_equal(block.words, TACHO_WORDS_OWN);
    assert_names(&block, TACHO_METRIC_SLICE, 0, "HMX hmx_time HMX");
    assert_names(&block, TACHO_METRIC_SLICE_N, 12, "HMX_12 hmx_12_time HMX 12");
    assert_names(&block, TACHO_METRIC_CSS, 0, "HVX hvx_time HVX");
    assert_names(&block, TACHO_METRIC_DMA_IN, 0, "DMA_IN dma_in_time DMA IN");
    assert_names(&block, TACHO_METRIC_DMA, 0, "DMA dma_time Dma");
    assert_false(is_hidden(hidden, TACHO_METRIC_SLICE_N));
    assert_true(is_hidden(hidden, TACHO_METRIC_CDMA));         /* not present ... */
    assert_true(is_hidden(hidden, TACHO_METRIC_DMA_COMBINED)); /* ... so this is DMA */
    assert_true(is_hidden(hidden, TACHO_METRIC_DMA_OUT));
    tacho_dict_deinit(&dict);
}

static void test_streams_of_gpus(void **state)
{
    (void)state;
    static const named_track tracks[] = {{TACHO_TRACK_COMPUTE, "stream 7", 0},
                                         {TACHO_TRACK_COMPUTE, "stream 20", 1},
                                         {TACHO_TRACK_HOST, "thread 1", 0},
                                         {0, NULL, 0}};
    static const named_track slices[] = {{TACHO_TRACK_COMPUTE, "Slice 0", 0}, {0, NULL, 0}};
    tacho_dict dict;
    tacho_overview_block block;
    uint32_t hidden = choose(&dict, "chrome", tracks, &block);
    assert_int_equal(block.words, TACHO_WORDS_GPU);
    assert_names(&block, TACHO_METRIC_COMPUTE, 0, "COMPUTE_COMBINED compute_time GPU busy");
    assert_names(&block, TACHO_METRIC_DEVICE_IDLE, 0, "DEVICE_IDLE device_idle_time GPU idle");
    assert_names(&block, TACHO_METRIC_IDLE, 0, "IDLE idle_time Both idle");
    assert_true(is_hidden(hidden, TACHO_METRIC_SLICE));
    assert_true(is_hidden(hidden, TACHO_METRIC_SLICE_N));
    tacho_dict_deinit(&dict);
    assert_int_equal(choose(&dict, "chrome", slices, &block), 0);
    assert_int_equal(block.words, TACHO_WORDS_TORQ);
    tacho_dict_deinit(&dict);
}

/* Devices of other traces have neither slices nor models; a trace without devices has the host. */
static void test_other_traces(void **state)
{
    (void)state;
    static const named_track ops[] = {
        {TACHO_TRACK_COMPUTE, "XLA Ops", 0}, {TACHO_TRACK_HOST, "thread 1", 0}, {0, NULL, 0}};
    static const named_track threads[] = {{TACHO_TRACK_HOST, "thread 1", 0}, {0, NULL, 0}};
    tacho_dict dict;
    tacho_overview_block block;
    uint32_t hidden = choose(&dict, "chrome", ops, &block);
    assert_int_equal(block.words, TACHO_WORDS_STREAMS);
    assert_true(is_hidden(hidden, TACHO_METRIC_SLICE));
    assert_true(is_hidden(hidden, TACHO_METRIC_SLICE_N));
    assert_names(&block, TACHO_METRIC_COMPUTE, 0, "COMPUTE_COMBINED compute_time Device busy");
    tacho_dict_deinit(&dict);
    assert_int_equal(choose(&dict, "chrome", threads, &block), 0);
    assert_int_equal(block.words, TACHO_WORDS_HOST);
    assert_names(&block, TACHO_METRIC_IDLE, 0, "IDLE idle_time Host idle");
    tacho_dict_deinit(&dict);
    assert_int_equal(choose(&dict, "torq-runtime", threads, &block), 0);
    assert_int_equal(block.words, TACHO_WORDS_TORQ);
    tacho_dict_deinit(&dict);
}

static void test_one_engine_has_no_number(void **state)
{
    (void)state;
    static const named_track tracks[] = {{TACHO_TRACK_COMPUTE, "CPU", 0}, {0, NULL, 0}};
    tacho_dict dict;
    tacho_overview_block block;
    uint32_t hidden = choose(&dict, "stats", tracks, &block);
    assert_names(&block, TACHO_METRIC_SLICE, 0, "CPU cpu_time CPU");
    assert_true(is_hidden(hidden, TACHO_METRIC_SLICE_N));
    assert_true(is_hidden(hidden, TACHO_METRIC_CSS));
    tacho_dict_deinit(&dict);
}

static void test_who_keeps_the_words_of_torq(void **state)
{
    (void)state;
    static const named_track slices[] = {{TACHO_TRACK_COMPUTE, "Core 0 SLICE 0", 0}, {0, NULL, 0}};
    static const named_track css[] = {{TACHO_TRACK_VECTOR, "CSS", 0}, {0, NULL, 0}};
    static const named_track nothing[] = {{TACHO_TRACK_DMA_IN, "Core 0 IN", 0}, {0, NULL, 0}};
    static const struct {
        const char *format;
        const named_track *tracks;
    } cases[] = {
        {"stats", slices}, {"tacho-estimate", css}, {"stats", nothing}, {"chrome", slices}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_dict dict;
        tacho_overview_block block;
        assert_int_equal(choose(&dict, cases[i].format, cases[i].tracks, &block), 0);
        assert_int_equal(block.words, TACHO_WORDS_TORQ);
        assert_names(&block, TACHO_METRIC_SLICE_N, 1, "SLICE_1 slice_1_time Slice 1");
        tacho_dict_deinit(&dict);
    }
}

/* Names that disagree, are long, or contain terminal escapes are not used as words. */
static void test_names_that_are_no_words(void **state)
{
    (void)state;
    static const char *const odd[] = {"GPU", "a very long name of an engine", "x\033[31m",
                                      "\xc3\xa4"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        const named_track tracks[] = {{TACHO_TRACK_COMPUTE, odd[i], 0},
                                      {TACHO_TRACK_COMPUTE, i == 0 ? "NPU" : odd[i], 1},
                                      {TACHO_TRACK_VECTOR, "Core 1", 0},
                                      {TACHO_TRACK_DMA_IN, odd[3], 0},
                                      {0, NULL, 0}};
        tacho_dict dict;
        tacho_overview_block block;
        uint32_t hidden = choose(&dict, "stats", tracks, &block);
        assert_int_equal(block.words, TACHO_WORDS_OWN);
        assert_true(is_hidden(hidden, TACHO_METRIC_SLICE));
        assert_true(is_hidden(hidden, TACHO_METRIC_SLICE_N));
        assert_names(&block, TACHO_METRIC_CSS, 0, "CORE core_time Core");
        assert_names(&block, TACHO_METRIC_DMA_IN, 0, "DMA_IN dma_in_time Dma In");
        tacho_dict_deinit(&dict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines_of_a_machine),
        cmocka_unit_test(test_streams_of_gpus),
        cmocka_unit_test(test_other_traces),
        cmocka_unit_test(test_one_engine_has_no_number),
        cmocka_unit_test(test_who_keeps_the_words_of_torq),
        cmocka_unit_test(test_names_that_are_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
