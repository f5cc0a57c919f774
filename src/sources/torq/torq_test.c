/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines and runtime profiles of Torq in all their generations: the engine of a row, its
 * location, and the clock of its times.
 */
#include "sources/torq/torq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/torq/torq_csv_testing.h"

/* ---- generations ------------------------------------------------------------------------ */

static void test_t1(void **state)
{
    (void)state;
    check(TIMELINE, T1_ROWS, PART_T1 T1_READ);
}

static void test_t1_headers(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "ID,Start,End,Location,Op Type\n",
        "id, start, end, location, op type\n",
        "\"ID\",\"Start\",\"End\",\"Location\",\"Op Type\"\r\n",
        "event_name,start_time,end_time,mlir_src_line,event_type\n",
        "event_name, start_time, end_time, mlir_src_line, event_type\n",
        "\xef\xbb\xbfID,Start,End,Location,Op Type\n",
    };
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s%s", headers[i], T1_ROWS);
        check(TIMELINE, text, PART_T1 T1_READ);
    }
    /* A header with other columns is an unreadable row. */
    check(TIMELINE, "IX,Start,End,Location,Op Type\n" T1_ROWS,
          PART_T1 T1_READ "lost not_a_number 1 at 1\n");
    check(TIMELINE, "XD,Start,End,Location,Op Type\n" T1_ROWS,
          PART_T1 T1_READ "lost not_a_number 1 at 1\n");
    check(TIMELINE, "ID,Start,End,Location,Op Type,Bytes\n" T1_ROWS,
          PART_T1 T1_READ "lost not_a_number 1 at 1\n");
    check(TIMELINE, "ID,Start,End,Location\n" T1_ROWS,
          PART_T1 T1_READ "lost not_a_number 1 at 1\n");
}

static void test_t2(void **state)
{
    (void)state;
    static const char read[] =
        PART_T2 "DMA In|0|9408|DMA_IN|dma_in|\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|"
                "id=DI0 bytes=75264[bytes]\n"
                "CDMA|9408|9474|CDMA_LRAM_TO_ITCM|dma_local|-|-|id=CDMA_L2I1 bytes=380[bytes]\n"
                "Slice 1|9474|11522|conv2d_add|compute|"
                "\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|id=S0_1\n"
                "CSS|11522|19522|CSS|vector|\"/w/m/fc.mlir\":8:5|/w/m/fc.mlir:8:5|id=CSS0\n";
    check(TIMELINE, T2_ROWS, read);
    check(TIMELINE, "ID,Start,End,Location,Op Type\n" T2_ROWS, read);
}

/* T2 may show in any of the first rows; until then a file is taken for T1. */
static void test_t2_shows_late(void **state)
{
    (void)state;
    static const char slice[] = "Slice 0|5|9|fma|compute|-|-|id=S0\n";
    static const char *const late[][2] = {
        {"S1_3,10,11,loc(unknown),fma\n", "Slice 3|10|11|fma|compute|-|-|id=S1_3\n"},
        {"DI1,10,11,loc(unknown),DMA_IN,7\n",
         "DMA In|10|11|DMA_IN|dma_in|-|-|id=DI1 bytes=7[bytes]\n"},
        {"CSS0,10,11,loc(unknown),CSS\n", "CSS|10|11|CSS|vector|-|-|id=CSS0\n"},
        {"CDMA_L2D1,10,11,loc(unknown),c\n", "CDMA|10|11|c|dma_local|-|-|id=CDMA_L2D1\n"},
        {"CDMA_L2I1,10,11,loc(unknown),c\n", "CDMA|10|11|c|dma_local|-|-|id=CDMA_L2I1\n"},
        {"CDMA_D2L1,10,11,loc(unknown),c\n", "CDMA|10|11|c|dma_local|-|-|id=CDMA_D2L1\n"},
        {"DO1,10,11,loc(unknown),DMA_OUT,7\r\n",
         "DMA Out|10|11|DMA_OUT|dma_out|-|-|id=DO1 bytes=7[bytes]\n"},
    };
    for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
        char text[256];
        char expected[512];
        snprintf(text, sizeof(text), "S0,5,9,loc(unknown),fma\n%s", late[i][0]);
        snprintf(expected, sizeof(expected),
                 "part fc.csv torq-timeline T2 estimated, cycles of 5/4 ns from 5\n%s%s", slice,
                 late[i][1]);
        check(TIMELINE, text, expected);
    }
}

static void test_t3_and_t4(void **state)
{
    (void)state;
    check(TIMELINE, T3_HEADER T4_ROWS, PART_T3 T4_READ);
    check(TIMELINE, T4_HEADER T4_ROWS, PART_T4 T4_READ);
    check(TIMELINE,
          "ACTIONINDEX, ELAPSED_TIME(US), TIMESTAMP(US), EVENT, LOCATION, BYTES\n" T4_ROWS,
          PART_T3 T4_READ);
    check(TIMELINE,
          "taskId,elapsed_time(us),timestamp(us),event,location,bytes\n"
          "7,3,4,DMA In,,\n",
          "part fc.csv torq-timeline T4 estimated, cycles of 5/4 ns from 4\n"
          "DMA In|4|7|DMA In|dma_in|-|-|task=7\n");
}

static void test_r0(void **state)
{
    (void)state;
    check(RUNTIME, R0_HEADER R0_ROWS, R0_READ);
    check(RUNTIME, R0_ROWS, R0_READ);
    check(RUNTIME, "dispatch_id;time_since_open;time_since_start;mlir_loc\n" R0_ROWS, R0_READ);
    check(RUNTIME, "\xef\xbb\xbf" R0_HEADER R0_ROWS, R0_READ);
    check(RUNTIME, "\xef\xbb\xbf" R0_ROWS, R0_READ);
}

static void test_r0b(void **state)
{
    (void)state;
    static const char read[] =
        "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns from 1210\n"
        "NSS Programs|1210|1520|NSS job|control|-|-|job=0\n"
        "NSS Programs|1905|1905|NSS job|control|-|-|job=1\n";
    check(RUNTIME, R0B_HEADER "0;1520;310\n1;1905;0\n", read);
    check(RUNTIME, "0;1520;310\n1;1905;0", read);
}

/* Jobs overlap and end out of order: rows are ordered by start. */
static void test_r0_order(void **state)
{
    (void)state;
    check(RUNTIME, R0B_HEADER "0;500;10\n1;400;400\n2;450;20\n",
          "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns from 0\n"
          "NSS Programs|0|400|NSS job|control|-|-|job=1\n"
          "NSS Programs|430|450|NSS job|control|-|-|job=2\n"
          "NSS Programs|490|500|NSS job|control|-|-|job=0\n");
}

/* An empty span is a row like any other. */
static void test_empty_spans(void **state)
{
    (void)state;
    check(TIMELINE, "S0,0,0,loc(unknown),a\nS2,5,5,loc(unknown),a\n",
          PART_T1 "Slice 0|0|0|a|compute|-|-|id=S0\nSlice 0|5|5|a|compute|-|-|id=S2\n");
    check(TIMELINE, T4_HEADER "0,0,0,CSS,,0\n",
          PART_T4 "CSS|0|0|CSS|vector|-|-|task=0 bytes=0[bytes]\n");
    check(RUNTIME, "0;0;0\n",
          "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns from 0\n"
          "NSS Programs|0|0|NSS job|control|-|-|job=0\n");
}

/* ---- engines ---------------------------------------------------------------------------- */

/* The tracks of S0 .. S6, by turns. */
static void check_turns(uint32_t slice_count, const char *digits)
{
    fixture made;
    setup(&made);
    tacho_source_options_set_number(&made.options, "slices", slice_count);
    assert_ok(read_text(&made, TIMELINE,
                        "S0,0,1,loc(unknown),a\nS1,1,2,loc(unknown),a\nS2,2,3,loc(unknown),a\n"
                        "S3,3,4,loc(unknown),a\nS4,4,5,loc(unknown),a\nS5,5,6,loc(unknown),a\n"
                        "S6,6,7,loc(unknown),a\n"));
    assert_int_equal(made.profile.span_count, 7);
    for (size_t i = 0; i < 7; i++) {
        char name[] = "Slice ?";
        name[6] = digits[i];
        const tacho_track *track = &made.dict.tracks[tacho_profile_span(&made.profile, i).track];
        assert_string_equal(tacho_dict_string(&made.dict, track->name).data, name);
        assert_int_equal(track->index, digits[i] - '0');
    }
    teardown(&made);
}

static void test_slices_by_turns(void **state)
{
    (void)state;
    check_turns(0, "0101010");
    check_turns(2, "0101010");
    check_turns(3, "0120120");
    check_turns(1, "0000000");
    check_turns(7, "0123456");
}

/* A number in the id takes precedence over the turns. */
static void test_slice_numbers(void **state)
{
    (void)state;
    tacho_source_options one = {.choice_count = 0};
    tacho_source_options_set_number(&one, "slices", 1);
    check_with(&one, TIMELINE,
               TACHO_STR("S0_1,0,1,loc(unknown),a\nS1_0,1,2,loc(unknown),a\n"
                         "S2_1023,2,3,loc(unknown),a\nS3,3,4,loc(unknown),a\n"
                         "S18446744073709551615,4,5,loc(unknown),a\n"),
               PART_T2 "Slice 1|0|1|a|compute|-|-|id=S0_1\n"
                       "Slice 0|1|2|a|compute|-|-|id=S1_0\n"
                       "Slice 1023|2|3|a|compute|-|-|id=S2_1023\n"
                       "Slice 0|3|4|a|compute|-|-|id=S3\n"
                       "Slice 0|4|5|a|compute|-|-|id=S18446744073709551615\n");
    check(TIMELINE, T4_HEADER "0,1,0,Slice 0,,\n1,1,1,Slice 7,,\n2,1,2,Slice 1023,,\n",
          PART_T4 "Slice 0|0|1|Slice 0|compute|-|-|task=0\n"
                  "Slice 7|1|2|Slice 7|compute|-|-|task=1\n"
                  "Slice 1023|2|3|Slice 1023|compute|-|-|task=2\n");
}

/* The maximum number of slices. */
static void test_most_slices(void **state)
{
    (void)state;
    tacho_source_options most = {.choice_count = 0};
    tacho_source_options_set_number(&most, "slices", 1024);
    check_with(&most, TIMELINE, TACHO_STR("S1023,0,1,loc(unknown),a\nS1024,1,2,loc(unknown),a\n"),
               PART_T1 "Slice 1023|0|1|a|compute|-|-|id=S1023\n"
                       "Slice 0|1|2|a|compute|-|-|id=S1024\n");
}

/* More slices than there are tracks for: refused, or the rows counted, but no wild access. */
static void test_too_many_slices(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    tacho_source_options_set_number(&made.options, "slices", 100000);
    tacho_status status = read_text(&made, TIMELINE,
                                    "S1023,0,1,loc(unknown),a\nS1024,1,2,loc(unknown),a\n"
                                    "S1040,2,3,loc(unknown),a\nS99999,3,4,loc(unknown),a\n");
    if (status == TACHO_OK) {
        assert_string_equal(render(&made), PART_T1 "Slice 1023|0|1|a|compute|-|-|id=S1023\n"
                                                   "lost unknown_event 3 at 2\n");
    } else {
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    }
    tacho_status_free(status);
    teardown(&made);
}

static void test_local_dma_and_css(void **state)
{
    (void)state;
    check(TIMELINE,
          "CDMA_L2D0,0,1,loc(unknown),CDMA_LRAM_TO_DTCM,64\n"
          "CDMA_L2I1,1,2,loc(unknown),CDMA_LRAM_TO_ITCM,65\n"
          "CDMA_D2L2,2,3,loc(unknown),CDMA_DTCM_TO_LRAM,66\n"
          "CDMA_D2L3,3,4,loc(unknown),CDMA_DTCM_TO_LRAM\n"
          "CSS12,4,8004,loc(unknown),CSS\n",
          PART_T2 "CDMA|0|1|CDMA_LRAM_TO_DTCM|dma_local|-|-|id=CDMA_L2D0 bytes=64[bytes]\n"
                  "CDMA|1|2|CDMA_LRAM_TO_ITCM|dma_local|-|-|id=CDMA_L2I1 bytes=65[bytes]\n"
                  "CDMA|2|3|CDMA_DTCM_TO_LRAM|dma_local|-|-|id=CDMA_D2L2 bytes=66[bytes]\n"
                  "CDMA|3|4|CDMA_DTCM_TO_LRAM|dma_local|-|-|id=CDMA_D2L3\n"
                  "CSS|4|8004|CSS|vector|-|-|id=CSS12\n");
    check(TIMELINE, T4_HEADER "0,1,0,CDMA DTCM to LRAM,loc(unknown),18446744073709551615\n",
          PART_T4 "CDMA|0|1|CDMA DTCM to LRAM|dma_local|-|-|"
                  "task=0 bytes=18446744073709551615[bytes]\n");
}

/* A slice's operation that ends in a number is not followed by bytes. */
static void test_no_bytes_of_slices(void **state)
{
    (void)state;
    check(TIMELINE, "S0,0,1,loc(\"a,b\":1:2),12\nCSS0,1,2,loc(\"a,b\":3:4),12\n",
          PART_T2 "Slice 0|0|1|12|compute|\"a,b\":1:2|a,b:1:2|id=S0\n"
                  "CSS|1|2|12|vector|\"a,b\":3:4|a,b:3:4|id=CSS0\n");
}

/* The same text in rows of two engines: each keeps the category of its own. */
static void test_equal_tails(void **state)
{
    (void)state;
    check(TIMELINE,
          "S0,0,1,loc(unknown),unknown\nCSS0,1,2,loc(unknown),unknown\n"
          "DI0,2,3,loc(unknown),unknown\nS1,3,4,loc(unknown),unknown\n",
          PART_T2 "Slice 0|0|1|unknown|compute|-|-|id=S0\n"
                  "CSS|1|2|unknown|vector|-|-|id=CSS0\n"
                  "DMA In|2|3|unknown|dma_in|-|-|id=DI0\n"
                  "Slice 1|3|4|unknown|compute|-|-|id=S1\n");
}

static tacho_track find_track(const fixture *in, const char *name)
{
    for (size_t i = 0; i < in->dict.track_count; i++) {
        const tacho_track *track = &in->dict.tracks[i];
        if (tacho_str_equal(tacho_dict_string(&in->dict, track->name),
                            tacho_str_from_cstring(name))) {
            return *track;
        }
    }
    fail_msg("no track is called %s", name);
    return (tacho_track){0};
}

/* Tracks are children of their part, ranked by kind, not by first use. */
static void test_tracks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tacho_track_class track_class;
        uint32_t index;
    } shown[] = {
        {"DMA In", TACHO_TRACK_DMA_IN, 0},   {"CDMA", TACHO_TRACK_DMA_LOCAL, 0},
        {"Slice 0", TACHO_TRACK_COMPUTE, 0}, {"Slice 1", TACHO_TRACK_COMPUTE, 1},
        {"Slice 2", TACHO_TRACK_COMPUTE, 2}, {"Slice 10", TACHO_TRACK_COMPUTE, 10},
        {"CSS", TACHO_TRACK_VECTOR, 0},      {"DMA Out", TACHO_TRACK_DMA_OUT, 0},
    };
    fixture made;
    setup(&made);
    assert_ok(read_text(&made, TIMELINE,
                        T4_HEADER "0,1,0,CSS,,\n0,1,0,Slice 10,,\n0,1,0,Slice 2,,\n"
                                  "0,1,0,Slice 1,,\n0,1,0,Slice 0,,\n0,1,0,CDMA x,,\n"
                                  "0,1,0,DMA Out,,\n0,1,0,DMA In,,\n"));
    int32_t last_rank = -1;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        tacho_track track = find_track(&made, shown[i].name);
        assert_int_equal(track.track_class, shown[i].track_class);
        assert_int_equal(track.index, shown[i].index);
        assert_int_equal(track.parent, made.dict.parts[0].root);
        assert_int_equal(track.part, 0);
        assert_int_equal(track.clock, made.dict.parts[0].clock);
        assert_int_equal(track.lane_of, TACHO_NONE);
        assert_int_equal(track.nesting, TACHO_NESTING_ENGINE);
        assert_true(track.rank > last_rank);
        last_rank = track.rank;
    }
    assert_int_equal(made.dict.track_count, 1 + sizeof(shown) / sizeof(shown[0]));
    teardown(&made);
}

/* ---- locations -------------------------------------------------------------------------- */

/* The text in the row; its text, file, line and column; its short form. */
static const char *const locations[][3] = {
    {"loc(\"/w/f.mlir\":1:2)", "\"/w/f.mlir\":1:2|/w/f.mlir:1:2", "f.mlir:1:2"},
    {"loc(\"f\":1:2 to 3:4)", "\"f\":1:2 to 3:4|f:1:2", "f:1:2"},
    {"loc(\"f\":1:2 to :4)", "\"f\":1:2 to :4|f:1:2", "f:1:2"},
    {"loc(\"conv\")", "\"conv\"|-", "conv"},
    {"loc(\"c\")", "\"c\"|-", "c"},
    {" loc(\"f\":1:2) ", "\"f\":1:2|f:1:2", "f:1:2"},
    {"loc(\"conv\"(\"f\":1:2))", "\"conv\"(\"f\":1:2)|f:1:2", "conv"},
    {"loc(fused[\"a\":1:2, \"b\":3:4])", "fused[\"a\":1:2, \"b\":3:4]|a:1:2", "a:1:2"},
    {"loc(fused<\"x,y\">[\"n\", \"b\":3:4])", "fused<\"x,y\">[\"n\", \"b\":3:4]|b:3:4", "b:3:4"},
    {"loc(callsite(\"f\":1:2 at \"g\":3:4))", "callsite(\"f\":1:2 at \"g\":3:4)|f:1:2", "f:1:2"},
    {"\"f\":1:2", "\"f\":1:2|f:1:2", "f:1:2"},
    {"\"loc(\"\"f\"\":1:2)\"", "\"f\":1:2|f:1:2", "f:1:2"},
    {"\"loc(fused[\"\"a\"\":1:2, \"\"b\"\"])\"", "fused[\"a\":1:2, \"b\"]|a:1:2", "a:1:2"},
    {"fc.mlir line 4", "fc.mlir line 4|-", NULL},
    {"loc(?!, ;)", "?!, ;|-", NULL},
    {"loc(unknown)", "-|-", NULL},
    {"\"loc(unknown)\"", "-|-", NULL},
    {"loc()", "-|-", NULL},
    {"", "-|-", NULL},
};

static void test_locations_t1(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
        char text[256];
        char expected[512];
        snprintf(text, sizeof(text), "S0,0,5,%s,conv2d\n", locations[i][0]);
        snprintf(expected, sizeof(expected), PART_T1 "Slice 0|0|5|conv2d|compute|%s|id=S0\n",
                 locations[i][1]);
        check(TIMELINE, text, expected);
        snprintf(text, sizeof(text), "DI0,0,5,%s,DMA_IN,99\n", locations[i][0]);
        snprintf(expected, sizeof(expected),
                 PART_T2 "DMA In|0|5|DMA_IN|dma_in|%s|id=DI0 bytes=99[bytes]\n", locations[i][1]);
        check(TIMELINE, text, expected);
    }
}

/* A row without an operation is named after its location, else after its engine. */
static void test_locations_t4(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
        const char *name = locations[i][2];
        char text[256];
        char expected[512];
        snprintf(text, sizeof(text), T4_HEADER "3,5,0,Slice 1,%s,\n3,6,0,DMA Out,%s,9\n",
                 locations[i][0], locations[i][0]);
        snprintf(expected, sizeof(expected),
                 PART_T4 "Slice 1|0|5|%s|compute|%s|task=3\n"
                         "DMA Out|0|6|DMA Out|dma_out|%s|task=3 bytes=9[bytes]\n",
                 name != NULL ? name : "Slice 1", locations[i][1], locations[i][1]);
        check(TIMELINE, text, expected);
        snprintf(text, sizeof(text), "S0,0,5,%s,\n", locations[i][0]);
        snprintf(expected, sizeof(expected), PART_T1 "Slice 0|0|5|%s|compute|%s|id=S0\n",
                 name != NULL ? name : "Slice", locations[i][1]);
        check(TIMELINE, text, expected);
    }
}

static void test_locations_r0(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
        const char *name = locations[i][2];
        char text[256];
        char expected[512];
        snprintf(text, sizeof(text), R0_HEADER "8;9;9;%s\n", locations[i][0]);
        snprintf(expected, sizeof(expected),
                 "part fc.csv torq-runtime R0 measured, microseconds of 1000/1 ns from 0\n"
                 "NSS Programs|0|9|%s|control|%s|job=8\n",
                 name != NULL ? name : "NSS job", locations[i][1]);
        check(RUNTIME, text, expected);
    }
}

/* Rows of equal text share one site, and one copy of their location. */
static void test_sites_are_shared(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    assert_ok(read_text(&made, TIMELINE,
                        "S0,0,1,loc(\"f\":1:2),a\nS1,1,2,loc(\"f\":1:2),a\n"
                        "S2,2,3,loc(\"f\":1:2),b\nS3,3,4,\"loc(\"\"f\"\":1:2)\",b\n"));
    assert_int_equal(made.dict.location_count, 1);
    assert_int_equal(made.dict.site_count, 2);
    teardown(&made);
}

/* ---- clocks ----------------------------------------------------------------------------- */

static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        const char *mhz;
        const char *ratio;
        int64_t end_ns; /* of 1000 cycles */
    } clocks[] = {
        {"", "5/4", 1250},         {"800", "5/4", 1250},          {"100", "10/1", 10000},
        {"1.5", "2000/3", 666666}, {"1350.25", "4000/5401", 740}, {"1000", "1/1", 1000},
    };
    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        fixture made;
        setup(&made);
        made.options.clock_mhz = tacho_str_from_cstring(clocks[i].mhz);
        assert_ok(read_text(&made, TIMELINE, "S0,77,1077,loc(unknown),a\n"));
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "part fc.csv torq-timeline T1 estimated, cycles of %s ns from 77\n"
                 "Slice 0|77|1077|a|compute|-|-|id=S0\n",
                 clocks[i].ratio);
        assert_string_equal(render(&made), expected);
        assert_int_equal(tacho_clock_ns(&made.dict.clocks[0], 1077), clocks[i].end_ns);
        assert_true(made.dict.clocks[0].counts_cycles);
        assert_int_equal(made.dict.clocks[0].is_assumed, clocks[i].mhz[0] == '\0');
        teardown(&made);
    }
}

static void test_bad_clocks(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "0.0", "fast", "-800", "800MHz", "1000001", "1.1234567"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fixture made;
        setup(&made);
        made.options.clock_mhz = tacho_str_from_cstring(bad[i]);
        tacho_status status = read_text(&made, TIMELINE, T1_ROWS);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
        teardown(&made);
    }
}

/* Microseconds are not cycles, so the frequency of the cycles does not apply. */
static void test_runtime_clock(void **state)
{
    (void)state;
    const tacho_source_options options = {.clock_mhz = TACHO_STR_INIT("100")};
    check_with(&options, RUNTIME, TACHO_STR(R0_HEADER R0_ROWS), R0_READ);
    fixture made;
    setup(&made);
    assert_ok(read_text(&made, RUNTIME, R0_ROWS));
    assert_false(made.dict.clocks[0].counts_cycles);
    assert_false(made.dict.clocks[0].is_assumed);
    teardown(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t1),
        cmocka_unit_test(test_t1_headers),
        cmocka_unit_test(test_t2),
        cmocka_unit_test(test_t2_shows_late),
        cmocka_unit_test(test_t3_and_t4),
        cmocka_unit_test(test_r0),
        cmocka_unit_test(test_r0b),
        cmocka_unit_test(test_r0_order),
        cmocka_unit_test(test_empty_spans),
        cmocka_unit_test(test_slices_by_turns),
        cmocka_unit_test(test_slice_numbers),
        cmocka_unit_test(test_most_slices),
        cmocka_unit_test(test_too_many_slices),
        cmocka_unit_test(test_local_dma_and_css),
        cmocka_unit_test(test_no_bytes_of_slices),
        cmocka_unit_test(test_equal_tails),
        cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_locations_t1),
        cmocka_unit_test(test_locations_t4),
        cmocka_unit_test(test_locations_r0),
        cmocka_unit_test(test_sites_are_shared),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_bad_clocks),
        cmocka_unit_test(test_runtime_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
