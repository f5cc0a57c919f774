/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts are read back as they were written, and other texts are rejected.
 */
#include "profile/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_tracks(void **state)
{
    (void)state;
    for (int class_number = 0; class_number < TACHO_TRACK_CLASS_COUNT; class_number++) {
        for (int i = 0; i < 12; i++) {
            tacho_track track = {
                .parent = i % 2 == 0 ? TACHO_NONE : 3,
                .track_class = (tacho_track_class)class_number,
                .nesting = i % 3 == 0 ? TACHO_NESTING_ENGINE : TACHO_NESTING_STACK,
                .index = i < 6 ? (uint32_t)i : UINT32_MAX,
            };
            uint64_t lane_of = i % 4 == 3 ? (uint64_t)i : 0;
            char text[TACHO_FACTS_MAX];
            tacho_track_facts_format(&track, lane_of, text);
            tacho_track_facts read;
            assert_true(tacho_track_facts_parse(tacho_str_from_cstring(text), &read));
            assert_int_equal(read.track_class, track.track_class);
            assert_int_equal(read.nesting, track.nesting);
            assert_int_equal(read.index, track.index);
            assert_int_equal(read.is_root, i % 2 == 0);
            assert_int_equal(read.lane_of, lane_of);
        }
    }
    tacho_track lane = {.parent = 0, .track_class = TACHO_TRACK_DMA_IN, .index = 2};
    char text[TACHO_FACTS_MAX];
    tacho_track_facts_format(&lane, 7, text);
    assert_string_equal(text, "tacho: dma_in 2 stack lane of 7");
}

static void test_other_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "tacho",
        "tacho: ",
        "compute 1 engine",
        "tacho: compute",
        "tacho: compute 1",
        "tacho: nothing 1 engine",
        "tacho: compute x engine",
        "tacho: compute 4294967296 engine",
        "tacho: compute 1 heap",
        "tacho: compute 1 engine lane",
        "tacho: compute 1 engine lane of x",
        "tacho: compute 1 engine.",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tacho_track_facts facts;
        assert_false(tacho_track_facts_parse(tacho_str_from_cstring(texts[i]), &facts));
    }
}

static void check_clock(tacho_dict *dict, const tacho_clock *clock, const char *name)
{
    tacho_clock named = *clock;
    assert_null(tacho_dict_ensure_string(dict, tacho_str_from_cstring(name), &named.name));
    char text[TACHO_FACTS_MAX];
    tacho_clock_facts_format(dict, &named, text);
    tacho_clock read;
    tacho_str read_name;
    assert_true(tacho_clock_facts_parse(tacho_str_from_cstring(text), &read, &read_name));
    assert_true(tacho_str_equal(read_name, tacho_str_from_cstring(name)));
    assert_int_equal(read.ns_numerator, clock->ns_numerator);
    assert_int_equal(read.ns_denominator, clock->ns_denominator);
    assert_int_equal(read.denominator_shift, clock->denominator_shift);
    assert_int_equal(read.max_ticks, clock->max_ticks);
    assert_int_equal(read.zero_ticks, clock->zero_ticks);
    assert_int_equal(read.is_assumed, clock->is_assumed);
    assert_int_equal(read.counts_cycles, clock->counts_cycles);
}

static void test_clocks(void **state)
{
    (void)state;
    tacho_dict dict;
    assert_null(tacho_dict_init(&dict));
    tacho_clock clock;
    assert_null(tacho_clock_init_mhz(&clock, TACHO_STR("800")));
    clock.is_assumed = true;
    clock.zero_ticks = 123456789;
    check_clock(&dict, &clock, "cycles");
    tacho_clock_init(&clock, 1000, 1);
    check_clock(&dict, &clock, "us");
    clock.zero_ticks = clock.max_ticks;
    check_clock(&dict, &clock, "us");
    tacho_dict_deinit(&dict);
}

static void test_other_clocks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "cycles",
        "cycles: 1 tick = 5/4 ns",
        "cycles: 1 tick = 0/4 ns, 0 ns = tick 1",
        "cycles: 1 tick = 5/0 ns, 0 ns = tick 1",
        "cycles: 1 tick = 5/4 ns, 0 ns = tick -1",
        "cycles: 1 tick = 5/4 ns, 0 ns = tick 9223372036854775807", /* beyond its last tick */
        "cycles: 1 tick = 18446744073709551615/4 ns, 0 ns = tick 1",
        "cycles: 2 ticks = 5/4 ns, 0 ns = tick 1",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tacho_clock clock;
        tacho_str name;
        assert_false(tacho_clock_facts_parse(tacho_str_from_cstring(texts[i]), &clock, &name));
    }
}

static void test_classes(void **state)
{
    (void)state;
    char text[TACHO_FACTS_MAX];
    uint32_t some = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) | TACHO_TRACK_BIT(TACHO_TRACK_VECTOR);
    tacho_classes_facts_format(some, text);
    assert_string_equal(text, "dma_in, vector");
    assert_int_equal(tacho_classes_facts_parse(TACHO_STR("dma_in, vector")), some);
    assert_int_equal(tacho_classes_facts_parse(TACHO_STR(" vector,dma_in")), some);
    assert_int_equal(tacho_classes_facts_parse(TACHO_STR("dma_in, warp, vector,, ")), some);
    assert_int_equal(tacho_classes_facts_parse(TACHO_STR("dma_i")), 0);
    tacho_classes_facts_format(0, text);
    assert_string_equal(text, "");
    assert_int_equal(tacho_classes_facts_parse(TACHO_STR("")), 0);
    uint32_t all = TACHO_TRACK_BIT(TACHO_TRACK_CLASS_COUNT) - 1;
    tacho_classes_facts_format(all, text);
    assert_int_equal(tacho_classes_facts_parse(tacho_str_from_cstring(text)), all);
}

/* Processors of Tenstorrent's cores have their vendor's names. */
static void test_describe(void **state)
{
    (void)state;
    char text[TACHO_FACTS_MAX];
    const tacho_track mover = {.track_class = TACHO_TRACK_DMA_OUT};
    tacho_track_describe(&mover, TACHO_STR("tenstorrent-log"), text);
    assert_string_equal(text, "BRISC: a data movement processor of a core; mostly writes.");
    tacho_track_describe(&mover, TACHO_STR("torq"), text);
    assert_string_equal(text, "DMA engine: transfers from local memory to main memory.");
    const tacho_track host = {.track_class = TACHO_TRACK_HOST};
    tacho_track_describe(&host, TACHO_STR("tenstorrent-logs"), text);
    assert_string_equal(text, "Work of the host processor.");
}

/* Groups of inputs have a rank, below another group; other tracks are sorted by their index. */
static void test_ranks(void **state)
{
    static const struct {
        tacho_track_class track_class;
        uint32_t part, parent;
        bool is_shown;
    } cases[] = {
        {TACHO_TRACK_GROUP, 1, 0, true},
        {TACHO_TRACK_GROUP, 0, 0, false},
        {TACHO_TRACK_GROUP, 1, TACHO_NONE, false},
        {TACHO_TRACK_COMPUTE, 1, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[TACHO_FACTS_MAX];
        tacho_track track = {.track_class = cases[i].track_class,
                             .part = cases[i].part,
                             .parent = cases[i].parent,
                             .rank = 5};
        tacho_track_facts_format(&track, 0, text);
        assert_int_equal(strstr(text, " rank 5") != NULL, cases[i].is_shown);
    }
}

static void test_engine_words(void **state)
{
    static const struct {
        const char *track, *word;
    } cases[] = {
        {"Core 3 DMA 1", "DMA"},
        {"Core 12 HMX", "HMX"},
        {"Core DMA", "Core DMA"},
        {"Core 3DMA", "Core 3DMA"},
        {"SLICE 0", "SLICE"},
        {"S1", "S1"},
        {"7", "7"},
        {"caf\xc3\xa9", ""},
        {"12345678901234567890", "12345678901234567890"},
        {"a name of 21 letters.", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str word = tacho_track_engine_word(tacho_str_from_cstring(cases[i].track));
        if (!tacho_str_equal(word, tacho_str_from_cstring(cases[i].word))) {
            fail_msg("%s: '%.*s'", cases[i].track, TACHO_STR_ARG(word));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),     cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_other_texts),  cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_other_clocks), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_ranks),        cmocka_unit_test(test_engine_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
