/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of profiles that are drawn here span by span, with values computed by hand; and their
 * text.
 */
#include "questions/overview/overview.h"

#include "profile/categories.h"
#include "sinks/overview_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { TEXT_BYTES = 8192, NO_RUN = -1 };

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    uint32_t part;
    uint32_t site;
} fixture;

static uint32_t add_site(fixture *at, const char *name)
{
    tacho_site site = {.location = TACHO_NONE};
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(name), &site.name));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &id));
    return id;
}

static void add_part(fixture *at, const char *path, tacho_origin origin, const tacho_clock *clock,
                     uint32_t covered_classes)
{
    tacho_part_facts facts = {
        .path = tacho_str_from_cstring(path),
        .origin = origin,
        .covered_classes = covered_classes,
    };
    assert_null(tacho_dict_add_clock(&at->dict, clock, TACHO_STR("ticks"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
}

/* A part that ticks in microseconds. */
static void setup(fixture *at, const char *path, uint32_t covered_classes)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1000, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_profile_init(&at->profile, &at->dict);
    add_part(at, path, TACHO_ORIGIN_MEASURED, &clock, covered_classes);
    at->site = add_site(at, "work");
}

static void teardown(fixture *at)
{
    tacho_profile_deinit(&at->profile);
    tacho_dict_deinit(&at->dict);
}

static uint32_t add_track(fixture *at, tacho_track_class track_class, uint32_t index)
{
    char name[64];
    tacho_track facts = {
        .parent = at->dict.parts[at->part].root,
        .part = at->part,
        .clock = at->dict.parts[at->part].clock,
        .index = index,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = track_class == TACHO_TRACK_RUNTIME ? TACHO_NESTING_STACK : TACHO_NESTING_ENGINE,
    };
    uint32_t id = TACHO_NONE;
    int len = snprintf(name, sizeof(name), "%zu", at->dict.track_count);
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, tacho_str_make(name, (size_t)len), &id));
    return id;
}

typedef struct extra {
    uint32_t flags;
    int64_t run; /* NO_RUN for none */
} extra;

static void add_span_with(fixture *at, uint32_t track, int64_t start, int64_t end, extra more)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = at->site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = more.run == NO_RUN ? TACHO_NONE : (uint32_t)more.run;
    row.of.span.flags = more.flags;
    assert_null(tacho_events_row(&at->profile.events, &row));
}

static void add_span(fixture *at, uint32_t track, int64_t start, int64_t end)
{
    add_span_with(at, track, start, end, (extra){.run = NO_RUN});
}

/* A track of |track_class| with one span. */
static uint32_t add_line(fixture *at, tacho_track_class track_class, uint32_t index, int64_t start,
                         int64_t end)
{
    uint32_t track = add_track(at, track_class, index);
    add_span(at, track, start, end);
    return track;
}

/* "KEY value percent" per row, and "-- origin" before each block. */
static void assert_metrics(fixture *at, const tacho_overview_options *options, const char *expected)
{
    tacho_overview overview;
    tacho_table table;
    static char text[TEXT_BYTES];
    size_t len = 0;
    assert_null(tacho_overview_init(&overview, &at->profile, options));
    assert_null(tacho_overview_table(&overview, &table));
    for (size_t row = 0; row < tacho_table_row_count(&table); row++) {
        const tacho_cell *cells = tacho_table_cell(&table, row, 0);
        tacho_str metric = cells[3].value.text;
        bool is_first = row == 0 || tacho_str_equal(metric, TACHO_STR("OVERALL"));
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s%s%.*s %lld",
                             is_first ? "-- " : "", is_first ? (int)cells[2].value.text.len : 0,
                             cells[2].value.text.data, is_first ? "\n" : "", TACHO_STR_ARG(metric),
                             (long long)cells[cells[6].is_absent ? 7 : 6].value.integer);
        if (!cells[8].is_absent) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, " %.2f", cells[8].value.real);
        }
        len += (size_t)snprintf(text + len, sizeof(text) - len, "\n");
        assert_true(len < sizeof(text));
    }
    tacho_table_deinit(&table);
    tacho_overview_deinit(&overview);
    assert_string_equal(text, expected);
}

static const tacho_overview_options IN_TIME = {.in_cycles = false};

/* ---- metrics ---------------------------------------------------------------------------- */

/*
 *              0    10   20   30   40   50   60   70   80   90   100
 *   dma in     |#########|                                  |....|    0-20, 20-20 (empty)
 *   dma out                             |#########|                   50-70
 *   cdma            |#########|                                       10-30
 *   slice 0                   |##############|                        30-60
 *   slice 3                        |####|                             40-50
 *   css                                                |#########|    80-100
 */
static void draw_engines(fixture *at)
{
    uint32_t dma_in = add_line(at, TACHO_TRACK_DMA_IN, 0, 0, 20);
    add_span(at, dma_in, 20, 20);
    add_line(at, TACHO_TRACK_DMA_OUT, 0, 50, 70);
    add_line(at, TACHO_TRACK_DMA_LOCAL, 0, 10, 30);
    add_line(at, TACHO_TRACK_COMPUTE, 0, 30, 60);
    add_line(at, TACHO_TRACK_COMPUTE, 3, 40, 50);
    add_line(at, TACHO_TRACK_VECTOR, 0, 80, 100);
}

static void test_engines(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    draw_engines(&at);
    /* DC = 0-30 50-70, K = 30-60 80-100, both = 50-60, nothing = 70-80 */
    assert_metrics(&at, &IN_TIME,
                   "-- measured\n"
                   "OVERALL 100000\n"
                   "DMA 40000 40.00\n"
                   "DMA_ONLY 40000 40.00\n"
                   "DMA_COMBINED 50000 50.00\n"
                   "CDMA 20000 20.00\n"
                   "DMA_IN 20000 20.00\n"
                   "DMA_OUT 20000 20.00\n"
                   "COMPUTE_COMBINED 50000 50.00\n"
                   "COMPUTE_ONLY 40000 40.00\n"
                   "SLICE 30000 30.00\n"
                   "SLICE_0 30000 30.00\n"
                   "SLICE_3 10000 10.00\n"
                   "CSS 20000 20.00\n"
                   "DMA_COMPUTE_OVERLAP 10000 10.00\n"
                   "IDLE 10000 10.00\n");
    teardown(&at);
}

/* Tracks of one index are one slice, with any names and in any order. */
static void test_slices_by_index(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    add_line(&at, TACHO_TRACK_COMPUTE, 12, 90, 100);
    add_line(&at, TACHO_TRACK_COMPUTE, 2, 10, 20);
    uint32_t other = add_line(&at, TACHO_TRACK_COMPUTE, 2, 15, 30);
    add_span(&at, other, 0, 5);
    /* slice 2: 0-5 10-30 */
    assert_metrics(&at, &IN_TIME,
                   "-- measured\n"
                   "OVERALL 100000\n"
                   "COMPUTE_COMBINED 35000 35.00\n"
                   "SLICE 35000 35.00\n"
                   "SLICE_2 25000 25.00\n"
                   "SLICE_12 10000 10.00\n"
                   "IDLE 65000 65.00\n");
    teardown(&at);
}

/* Ends are rounded, not lengths: at 5/4 ns, 1-2 and 3-4 are 1-2 and 3-5, and 3 ns in all. */
static void test_cycles_and_rounding(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    tacho_clock clock;
    tacho_clock_init(&clock, 5, 4);
    clock.counts_cycles = true;
    clock.zero_ticks = 1; /* as profile/order sets it; irrelevant here */
    at.dict.clocks[0] = clock;
    at.dict.parts[0].origin = TACHO_ORIGIN_ESTIMATED;
    uint32_t track = add_line(&at, TACHO_TRACK_VECTOR, 0, 1, 2);
    add_span(&at, track, 3, 4);
    assert_metrics(&at, &IN_TIME,
                   "-- estimated\nOVERALL 4\nCOMPUTE_COMBINED 3 75.00\n"
                   "CSS 3 75.00\nIDLE 1 25.00\n");
    tacho_overview_options in_cycles = {.in_cycles = true};
    assert_metrics(&at, &in_cycles,
                   "-- estimated\nOVERALL 3\nCOMPUTE_COMBINED 2 66.67\n"
                   "CSS 2 66.67\nIDLE 1 33.33\n");
    teardown(&at);
}

static void test_no_cycles(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "runtime.csv", 0);
    tacho_overview overview;
    tacho_overview_options in_cycles = {.in_cycles = true};
    tacho_status status = tacho_overview_init(&overview, &at.profile, &in_cycles);
    assert_non_null(strstr(tacho_status_message(status), "runtime.csv: "));
    tacho_status_free(status);
    tacho_overview_deinit(&overview);
    teardown(&at);
}

/* Local transfers by the memory in their names. */
static void test_memories(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    uint32_t track = add_track(&at, TACHO_TRACK_DMA_LOCAL, 0);
    at.site = add_site(&at, "CDMA LRAM to DTCM");
    add_span(&at, track, 0, 10);
    at.site = add_site(&at, "CDMA_LRAM_TO_ITCM");
    add_span(&at, track, 5, 15);
    at.site = add_site(&at, "CDMA_DTCM_TO_LRAM");
    add_span(&at, track, 15, 20);
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 20000\n"
                   "DMA_COMBINED 20000 100.00\nCDMA 20000 100.00\nCDMA_DTCM 15000 75.00\n"
                   "CDMA_ITCM 10000 50.00\nIDLE 0 0.00\n");
    teardown(&at);
}

/* ---- the host's side -------------------------------------------------------------------- */

/*
 * HAL 0-100, engines 20-60, copies 50-70 and 110-130, programs 140-150. Without HAL it is 20-150.
 * Of the copies and programs 110-130 and 140-150 are neither engine nor HAL: 130 - 30 = 100.
 */
static void test_host(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    add_line(&at, TACHO_TRACK_RUNTIME, 0, 0, 100);
    add_line(&at, TACHO_TRACK_COMPUTE, 0, 20, 60);
    uint32_t copies = add_line(&at, TACHO_TRACK_HOST_COPY, 0, 50, 70);
    add_span(&at, copies, 110, 130);
    add_line(&at, TACHO_TRACK_HOST, 0, 140, 150);
    add_line(&at, TACHO_TRACK_PHASE, 0, 0, 1000); /* not work, like the next two */
    add_line(&at, TACHO_TRACK_MEMORY, 0, 500, 600);
    add_line(&at, TACHO_TRACK_SYNC, 0, 700, 800);
    assert_metrics(&at, &IN_TIME,
                   "-- measured\n"
                   "OVERALL 150000\n"
                   "TOTAL_NPU_OPERATIONS 100000\n"
                   "COMPUTE_COMBINED 40000 26.67\n"
                   "SLICE 40000 26.67\n"
                   "SLICE_0 40000 26.67\n"
                   "IDLE 20000 13.33\n" /* 100-110 130-140 */
                   "HAL 100000 66.67\n"
                   "HOST 10000 6.67\n"
                   "HOST_COPY 40000 26.67\n");
    teardown(&at);
}

/* Without engines, programs of the sequencer, the host and idle time add up to the whole. */
static void test_programs_add_up(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    add_line(&at, TACHO_TRACK_CONTROL, 0, 0, 20);
    add_line(&at, TACHO_TRACK_HOST_COPY, 0, 30, 100);
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 100000\nNSS 20000 20.00\nIDLE 10000 10.00\n"
                   "HOST_COPY 70000 70.00\n");
    teardown(&at);
}

/* Where engines are unknown, programs of the sequencer count as busy; else they do not. */
static void test_programs(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    add_line(&at, TACHO_TRACK_CONTROL, 0, 10, 40);
    add_line(&at, TACHO_TRACK_RUNTIME, 0, 0, 10);
    add_line(&at, TACHO_TRACK_HOST_COPY, 0, 30, 60);
    /* without HAL 10-60, of the copy only 40-60 */
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 60000\nTOTAL_NPU_OPERATIONS 30000\n"
                   "NSS 30000 50.00\nIDLE 0 0.00\nHAL 10000 16.67\nHOST_COPY 30000 50.00\n");
    add_line(&at, TACHO_TRACK_DMA_IN, 0, 10, 20);
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 60000\nTOTAL_NPU_OPERATIONS 20000\nDMA 10000 16.67\n"
                   "DMA_COMBINED 10000 16.67\nDMA_IN 10000 16.67\n"
                   "IDLE 10000 16.67\nHAL 10000 16.67\nHOST_COPY 30000 50.00\n");
    teardown(&at);
}

/* A whole inference is longer than the work of its engines, and replaces unknown ones. */
static void test_wholes(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.pb", 0);
    uint32_t work = at.site;
    tacho_site site = at.dict.sites[work];
    add_line(&at, TACHO_TRACK_PHASE, 0, 0, 90); /* a phase alone does not count */
    assert_null(tacho_dict_ensure_string(&at.dict, tacho_str_from_cstring(TACHO_CATEGORY_INFERENCE),
                                         &site.category));
    assert_null(tacho_dict_ensure_site(&at.dict, &site, &at.site));
    add_line(&at, TACHO_TRACK_PHASE, 0, 10, 50);
    assert_metrics(&at, &IN_TIME, "-- measured\nOVERALL 40000\nIDLE 0 0.00\n");
    at.site = work;
    add_line(&at, TACHO_TRACK_DMA_IN, 0, 20, 30);
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 40000\nDMA 10000 25.00\nDMA_COMBINED 10000 25.00\n"
                   "DMA_IN 10000 25.00\nIDLE 30000 75.00\n");
    teardown(&at);
}

/* A call is replaced by calls of the same run inside it; alone, or with calls of another run, it
 * counts itself. */
static void test_outer_calls(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", 0);
    uint32_t id = TACHO_NONE;
    for (size_t i = 0; i < 4; i++) {
        assert_null(tacho_dict_add_run(&at.dict, &(tacho_run){.part = at.part}, &id));
    }
    uint32_t track = add_track(&at, TACHO_TRACK_RUNTIME, 0);
    add_span_with(&at, track, 0, 100, (extra){.run = 0});
    add_span_with(&at, track, 10, 20, (extra){.run = 0});
    add_span_with(&at, track, 12, 50, (extra){.run = 1}); /* inside another run's call */
    add_span_with(&at, track, 60, 70, (extra){.run = 0});
    add_span_with(&at, track, 200, 210, (extra){.run = 2}); /* two alike */
    add_span_with(&at, track, 200, 210, (extra){.run = 2});
    add_span_with(&at, track, 300, 900, (extra){.flags = TACHO_SPAN_UNENDED, .run = 3});
    add_span_with(&at, track, 999, 999, (extra){.flags = TACHO_SPAN_INSTANT, .run = NO_RUN});
    /* 10-50 60-70 200-210, and a moment at 300; nothing without HAL */
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 290000\nTOTAL_NPU_OPERATIONS 0\nIDLE 230000 79.31\n"
                   "HAL 60000 20.69\n");
    teardown(&at);
}

/* ---- present metrics -------------------------------------------------------------------- */

static void test_zero_and_absent(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", TACHO_TRACK_BIT(TACHO_TRACK_VECTOR) | TACHO_TRACK_BIT(TACHO_TRACK_SYNC));
    add_track(&at, TACHO_TRACK_HOST, 0); /* empty */
    assert_metrics(&at, &IN_TIME,
                   "-- measured\nOVERALL 0\nCOMPUTE_COMBINED 0 0.00\n"
                   "CSS 0 0.00\nIDLE 0 0.00\nHOST 0 0.00\n");
    teardown(&at);
}

/* Origins of one part, and parts, each have their own metrics. */
static void test_origins_and_parts(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m.csv", TACHO_TRACK_BIT(TACHO_TRACK_HOST));
    uint32_t track = add_line(&at, TACHO_TRACK_VECTOR, 0, 10, 20);
    add_span_with(&at, track, 0, 40, (extra){.flags = TACHO_ORIGIN_ESTIMATED, .run = NO_RUN});
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    add_part(&at, "other.csv", TACHO_ORIGIN_SIMULATED, &clock, 0);
    add_line(&at, TACHO_TRACK_HOST_COPY, 0, 5, 6);
    assert_metrics(&at, &IN_TIME,
                   "-- estimated\nOVERALL 40000\nCOMPUTE_COMBINED 40000 100.00\n"
                   "CSS 40000 100.00\nIDLE 0 0.00\n"
                   "-- measured\nOVERALL 10000\nCOMPUTE_COMBINED 10000 100.00\n"
                   "CSS 10000 100.00\nIDLE 0 0.00\nHOST 0 0.00\n"
                   "-- simulated\nOVERALL 1\nIDLE 0 0.00\nHOST_COPY 1 100.00\n");
    teardown(&at);
}

/* ---- text ------------------------------------------------------------------------------- */

static void assert_text(fixture *at, const tacho_overview_options *options, const char *expected)
{
    tacho_overview overview;
    tacho_table table;
    tacho_output output;
    static char text[TEXT_BYTES];
    assert_null(tacho_overview_init(&overview, &at->profile, options));
    assert_null(tacho_overview_table(&overview, &table));
    open_test_output(&output);
    assert_null(tacho_table_sink_overview.write(&table, 0, &output));
    text[read_test_output(&output, text, sizeof(text) - 1)] = '\0';
    tacho_table_deinit(&table);
    tacho_overview_deinit(&overview);
    assert_string_equal(text, expected);
}

#define RULE5 "\u2500\u2500\u2500\u2500\u2500"
#define RULE                                                                                       \
    "  " RULE5 RULE5 RULE5 RULE5 RULE5 RULE5 RULE5 RULE5 RULE5 RULE5 "\u2500\u2500"                \
    "\n"
#define HOST_TITLE "====================== Host Profile Overview =======================\n"

/* The numbers of the vendor's manual, and the directions that it omits. */
static void test_text_of_the_manual(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "out/test_onnx[conv2d_f4_s4_64x64x16_i16]_host.csv.gz", 0);
    add_line(&at, TACHO_TRACK_DMA_IN, 0, 0, 453);
    add_track(&at, TACHO_TRACK_DMA_LOCAL, 0);
    add_line(&at, TACHO_TRACK_COMPUTE, 0, 46, 453);
    add_line(&at, TACHO_TRACK_COMPUTE, 1, 46, 453);
    add_track(&at, TACHO_TRACK_VECTOR, 0);
    add_track(&at, TACHO_TRACK_HOST, 0);
    add_line(&at, TACHO_TRACK_HOST_COPY, 0, 459, 12845);
    tacho_overview_options options = {.wall_time_ns = 207000000};
    assert_text(&at, &options,
                HOST_TITLE "  Model: conv2d_f4_s4_64x64x16_i16\n" RULE
                           "  WALL_TIME                       207.000ms\n"
                           "  OVERALL                          12.845ms\n"
                           "  Dma                             453.000\u00b5s  (3.53%)\n"
                           "  Dma Only                         46.000\u00b5s  (0.36%)\n"
                           "  Dma Total                       453.000\u00b5s  (3.53%)\n"
                           "  Cdma                                  0ns  (0.00%)\n"
                           "  Dma In                          453.000\u00b5s  (3.53%)\n"
                           "  Compute                         407.000\u00b5s  (3.17%)\n"
                           "  Compute Only                          0ns  (0.00%)\n"
                           "  Slice                           407.000\u00b5s  (3.17%)\n"
                           "  Slice 0                         407.000\u00b5s  (3.17%)\n"
                           "  Slice 1                         407.000\u00b5s  (3.17%)\n"
                           "  Css                                   0ns  (0.00%)\n"
                           "  Overlap                         407.000\u00b5s  (3.17%)\n"
                           "  Idle                              6.000\u00b5s  (0.05%)\n"
                           "  Host                                  0ns  (0.00%)\n"
                           "  Host Copy                        12.386ms  (96.43%)\n"
                           "\n");
    teardown(&at);
}

/* Units change at 1e3, 1e6 and 1e9 ns; three decimals are rounded. */
static void test_text_of_durations(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {999, "        999ns"},       {1000, "    1.000\u00b5s"},    {999999, "  999.999\u00b5s"},
        {1000000, "      1.000ms"},   {1234500, "      1.234ms"},    {1234501, "      1.235ms"},
        {999999999, "   1000.000ms"}, {1000000000, "       1.000s"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture at;
        char expected[512];
        setup(&at, "a", 0);
        tacho_clock_init(&at.dict.clocks[0], 1, 1);
        add_line(&at, TACHO_TRACK_HOST, 0, 0, cases[i].ns);
        size_t width = strstr(cases[i].text, "\u00b5") != NULL ? 14 : 13;
        snprintf(expected, sizeof(expected),
                 HOST_TITLE "  Model: a\n" RULE "  OVERALL                     %*s\n"
                            "  Idle                                  0ns  (0.00%%)\n"
                            "  Host                        %*s  (100.00%%)\n\n",
                 (int)width, cases[i].text, (int)width, cases[i].text);
        assert_text(&at, &IN_TIME, expected);
        teardown(&at);
    }
}

/* With simulated times, the text names the origin of the wall time. */
static void test_text_of_simulated_wall_time(void **state)
{
    (void)state;
    fixture at;
    setup(&at, "m", 0);
    at.dict.parts[0].origin = TACHO_ORIGIN_SIMULATED;
    tacho_overview_options options = {.wall_time_ns = 1500000000};
    assert_text(&at, &options,
                "==================== Simulated Profile Overview ====================\n"
                "  Model: m\n" RULE "  WALL_TIME (this computer)          1.500s\n"
                "  OVERALL                               0ns\n"
                "  Idle                                  0ns  (0.00%)\n\n");
    teardown(&at);
}

static void test_text_of_wall_time(void **state)
{
    (void)state;
    fixture at;
    setup(&at, ".hidden", 0);
    tacho_overview_options options = {.wall_time_ns = 1500000000};
    assert_text(&at, &options,
                HOST_TITLE "  Model: .hidden\n" RULE "  WALL_TIME                          1.500s\n"
                           "  OVERALL                               0ns\n"
                           "  Idle                                  0ns  (0.00%)\n\n");
    options.wall_time_ns = 207;
    assert_text(&at, &options,
                HOST_TITLE "  Model: .hidden\n" RULE "  WALL_TIME                         0.000ms\n"
                           "  OVERALL                               0ns\n"
                           "  Idle                                  0ns  (0.00%)\n\n");
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_slices_by_index),
        cmocka_unit_test(test_cycles_and_rounding),
        cmocka_unit_test(test_no_cycles),
        cmocka_unit_test(test_memories),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_programs_add_up),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_wholes),
        cmocka_unit_test(test_outer_calls),
        cmocka_unit_test(test_zero_and_absent),
        cmocka_unit_test(test_origins_and_parts),
        cmocka_unit_test(test_text_of_the_manual),
        cmocka_unit_test(test_text_of_durations),
        cmocka_unit_test(test_text_of_wall_time),
        cmocka_unit_test(test_text_of_simulated_wall_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
