/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed files are read into a profile, in sort mode, and what became of them is written as
 * text: one line for each part, span and loss. So a test compares everything at once.
 *
 *     part fc.csv torq-timeline T1 estimated, cycles of 5/4 ns from 0
 *     Slice 0|9408|11456|conv2d|compute|"fc.mlir":4:10|fc.mlir:4:10|id=S0
 *     lost not_a_number 1 at 2
 */
#include "sources/torq/torq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "sources/torq/torq_testing.h"

enum { TEXT_BYTES = 1 << 14 };

#define TIMELINE (&tacho_source_torq_timeline)
#define RUNTIME (&tacho_source_torq_runtime)

#define T3_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n"
#define T4_HEADER "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
#define R0_HEADER "id;time_since_open;time_since_start;location\n"
#define R0B_HEADER "id;time_since_open;time_since_start\n"
#define PART_T1 "part fc.csv torq-timeline T1 estimated, cycles of 5/4 ns from 0\n"
#define PART_T2 "part fc.csv torq-timeline T2 estimated, cycles of 5/4 ns from 0\n"
#define PART_T3 "part fc.csv torq-timeline T3 estimated, cycles of 5/4 ns from 0\n"
#define PART_T4 "part fc.csv torq-timeline T4 estimated, cycles of 5/4 ns from 0\n"

/* The example rows of the formats' description. */
#define T1_ROWS                                                                                    \
    "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN\n"                                               \
    "DO1,11456,20864,loc(\"/w/m/fc.mlir\":6:5),DMA_OUT\n"                                          \
    "S0,9408,11456,loc(\"/w/m/fc.mlir\":4:10),fully_connected\n"
#define T2_ROWS                                                                                    \
    "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN,75264\n"                                         \
    "CDMA_L2I1,9408,9474,loc(unknown),CDMA_LRAM_TO_ITCM,380\n"                                     \
    "S0_1,9474,11522,loc(\"/w/m/fc.mlir\":4:10),conv2d_add\n"                                      \
    "CSS0,11522,19522,loc(\"/w/m/fc.mlir\":8:5),CSS\n"
#define T4_ROWS                                                                                    \
    "0,15831,0,DMA In,loc(\"/w/m/add.mlir\":7:10),75264\n"                                         \
    "2,15831,20536,DMA Out,loc(fused[\"/w/m/add.mlir\":12:10, \"/w/m/add.mlir\":18:10]),75264\n"   \
    "3,66,36367,CDMA LRAM to ITCM,loc(unknown),380\n"                                              \
    "4,12,36433,CDMA LRAM to DTCM,loc(\"/w/m/add.mlir\":20:5),64\n"                                \
    "1,4704,15831,Slice 0,"                                                                        \
    "loc(callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)),\n"                           \
    "1,4704,15832,Slice 1,loc(\"/w/m/add.mlir\":18:10),\n"                                         \
    "5,8000,36445,CSS,loc(\"/w/m/add.mlir\":20:5),\n"
#define R0_ROWS                                                                                    \
    "0;1520;310;loc(\"/w/m/add.mlir\":12:10)\n"                                                    \
    "1;1905;301;loc(callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3))\n"                 \
    "2;2298;344;\n"

#define T1_READ                                                                                    \
    "DMA In|0|9408|DMA_IN|dma_in|\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|id=DI0\n"                 \
    "Slice 0|9408|11456|fully_connected|compute|"                                                  \
    "\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|id=S0\n"                                              \
    "DMA Out|11456|20864|DMA_OUT|dma_out|\"/w/m/fc.mlir\":6:5|/w/m/fc.mlir:6:5|id=DO1\n"
#define T4_READ                                                                                    \
    "DMA In|0|15831|DMA In|dma_in|\"/w/m/add.mlir\":7:10|/w/m/add.mlir:7:10|"                      \
    "task=0 bytes=75264[bytes]\n"                                                                  \
    "Slice 0|15831|20535|add.mlir:12:10|compute|"                                                  \
    "callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)|/w/m/add.mlir:12:10|task=1\n"      \
    "Slice 1|15832|20536|add.mlir:18:10|compute|"                                                  \
    "\"/w/m/add.mlir\":18:10|/w/m/add.mlir:18:10|task=1\n"                                         \
    "DMA Out|20536|36367|DMA Out|dma_out|"                                                         \
    "fused[\"/w/m/add.mlir\":12:10, \"/w/m/add.mlir\":18:10]|/w/m/add.mlir:12:10|"                 \
    "task=2 bytes=75264[bytes]\n"                                                                  \
    "CDMA|36367|36433|CDMA LRAM to ITCM|dma_local|-|-|task=3 bytes=380[bytes]\n"                   \
    "CDMA|36433|36445|CDMA LRAM to DTCM|dma_local|"                                                \
    "\"/w/m/add.mlir\":20:5|/w/m/add.mlir:20:5|task=4 bytes=64[bytes]\n"                           \
    "CSS|36445|44445|CSS|vector|\"/w/m/add.mlir\":20:5|/w/m/add.mlir:20:5|task=5\n"
/* A job starts its duration before the time at which the wait for it returned. */
#define R0_READ                                                                                    \
    "part fc.csv torq-runtime R0 measured, microseconds of 1000/1 ns from 1210\n"                  \
    "NSS Programs|1210|1520|add.mlir:12:10|control|"                                               \
    "\"/w/m/add.mlir\":12:10|/w/m/add.mlir:12:10|job=0\n"                                          \
    "NSS Programs|1604|1905|add.mlir:12:10|control|"                                               \
    "callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)|/w/m/add.mlir:12:10|job=1\n"       \
    "NSS Programs|1954|2298|NSS job|control|-|-|job=2\n"

/* ---- reading ---------------------------------------------------------------------------- */

static tacho_status read_bytes(fixture *to, const tacho_source *source, tacho_str bytes)
{
    return read_as(to, source, "fc.csv", bytes);
}

static tacho_status read_text(fixture *to, const tacho_source *source, const char *text)
{
    return read_bytes(to, source, tacho_str_from_cstring(text));
}

/* ---- what was read, as text ------------------------------------------------------------- */

static void put_location(fixture *to, uint32_t id)
{
    if (id == TACHO_NONE) {
        put(&to->text, "-|-");
        return;
    }
    const tacho_location *location = &to->dict.locations[id];
    put_string(to, location->text);
    put(&to->text, "|");
    if (location->file == 0) {
        assert_int_equal(location->line + location->column, 0);
        put(&to->text, "-");
        return;
    }
    put_string(to, location->file);
    put(&to->text, ":%u:%u", (unsigned)location->line, (unsigned)location->column);
}

static void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    if (arg->type == TACHO_ARG_UINT) {
        put(&to->text, "=%llu", (unsigned long long)arg->value.as_uint);
    } else {
        assert_int_equal(arg->type, TACHO_ARG_TEXT);
        put(&to->text, "=%.*s", TACHO_STR_ARG(arg->value.as_text));
    }
    if (arg->unit != TACHO_UNIT_NONE) {
        put(&to->text, "[%s]", tacho_unit_name(arg->unit));
    }
}

static void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_site *site = &to->dict.sites[span.site];
    assert_int_equal(span.op, TACHO_NONE);
    assert_int_equal(span.run, TACHO_NONE);
    assert_int_equal(span.flags, 0);
    put_string(to, to->dict.tracks[span.track].name);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    put(&to->text, "|");
    put_location(to, site->location);
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(&to->text, i == span.args ? "|" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(&to->text, "\n");
}

static const char *render(fixture *from)
{
    return render_with(from, put_span);
}

static void check_with(const tacho_source_options *options, const tacho_source *source,
                       tacho_str bytes, const char *expected)
{
    fixture made;
    setup(&made);
    made.options = *options;
    assert_ok(read_bytes(&made, source, bytes));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made), expected);
    assert_int_equal(made.dict.parts[0].row_count, made.profile.span_count);
    teardown(&made);
}

static void check(const tacho_source *source, const char *text, const char *expected)
{
    const tacho_source_options defaults = {.slice_count = 0};
    check_with(&defaults, source, tacho_str_from_cstring(text), expected);
}

/* Reads |bytes|, which must fail with |code| and a message that holds |words|. */
static void check_refused(const tacho_source *source, tacho_str bytes, tacho_code code,
                          const char *words)
{
    fixture made;
    setup(&made);
    tacho_status status = read_bytes(&made, source, bytes);
    assert_int_equal(tacho_status_code(status), code);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), words);
    }
    assert_int_equal(made.profile.span_count, 0);
    tacho_status_free(status);
    teardown(&made);
}

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
    /* A header of other columns is a row that cannot be read. */
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

/* T2 shows in any of the first rows; until then a file is taken for T1. */
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

/* Jobs overlap and end out of order: rows come by start. */
static void test_r0_order(void **state)
{
    (void)state;
    check(RUNTIME, R0B_HEADER "0;500;10\n1;400;400\n2;450;20\n",
          "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns from 0\n"
          "NSS Programs|0|400|NSS job|control|-|-|job=1\n"
          "NSS Programs|430|450|NSS job|control|-|-|job=2\n"
          "NSS Programs|490|500|NSS job|control|-|-|job=0\n");
}

/* What takes no time is a row like any other. */
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
    made.options.slice_count = slice_count;
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

/* A number in the id beats the turns. */
static void test_slice_numbers(void **state)
{
    (void)state;
    const tacho_source_options one = {.slice_count = 1};
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

/* As many as there may be. */
static void test_most_slices(void **state)
{
    (void)state;
    const tacho_source_options most = {.slice_count = 1024};
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
    made.options.slice_count = 100000;
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

/* The same words behind two engines' rows: each keeps the category of its own. */
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

/* Tracks lie under their part and are ranked by what they are, not by who came first. */
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

/* What is in the row; its text, file, line and column; its short form. */
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

/* A row without an operation is called after its location, else after its engine. */
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

/* Rows that say the same share one site, and one copy of their location. */
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

/* Microseconds are no cycles, and the frequency of the cycles does not matter to them. */
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

/* ---- lines ------------------------------------------------------------------------------ */

/* |text| with every LF made |line_end|. */
static void with_line_ends(const char *text, const char *line_end, char *out_text, size_t room)
{
    size_t len = 0;
    for (; *text != '\0'; text++) {
        char as_is[2] = {*text, '\0'};
        int added = snprintf(out_text + len, room - len, "%s", *text == '\n' ? line_end : as_is);
        len += (size_t)added;
        assert_true(len < room);
    }
}

static void test_line_ends(void **state)
{
    (void)state;
    static const struct {
        const tacho_source *source;
        const char *text;
        const char *read;
    } files[] = {
        {TIMELINE, T1_ROWS, PART_T1 T1_READ},
        {TIMELINE, "ID,Start,End,Location,Op Type\n" T1_ROWS, PART_T1 T1_READ},
        {TIMELINE, T4_HEADER T4_ROWS, PART_T4 T4_READ},
        {RUNTIME, R0_HEADER R0_ROWS, R0_READ},
    };
    static const char *const line_ends[] = {"\r\n", "\n\n", "\r\n\r\n", "\n\r\n\n"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char text[4096];
        for (size_t k = 0; k < sizeof(line_ends) / sizeof(line_ends[0]); k++) {
            with_line_ends(files[i].text, line_ends[k], text, sizeof(text));
            check(files[i].source, text, files[i].read);
            text[strlen(text) - strlen(line_ends[k])] = '\0'; /* no final line end */
            check(files[i].source, text, files[i].read);
        }
        snprintf(text, sizeof(text), "\xef\xbb\xbf%s", files[i].text);
        check(files[i].source, text, files[i].read);
    }
}

/* Blank lines are no loss, but they count as lines. */
static void test_line_numbers(void **state)
{
    (void)state;
    check(TIMELINE,
          "\n\r\nS0,0,1,loc(unknown),a\n\nwhat\n\nS1,2,1,loc(unknown),a\nS2,1,2,loc(unknown),a\n"
          "and\n",
          PART_T1 "Slice 0|0|1|a|compute|-|-|id=S0\nSlice 0|1|2|a|compute|-|-|id=S2\n"
                  "lost wrong_field_count 2 at 5\nlost end_before_start 1 at 7\n");
}

#define PLACE "loc(fused[\"a\":1:2, \"b\":3:4])"

/* Blanks after the delimiters, as the headers of some generations have them, change nothing. */
static void test_blanks(void **state)
{
    (void)state;
    static const struct {
        const tacho_source *source;
        const char *plain;
        const char *spaced;
    } files[] = {
        {TIMELINE, "S0,0,5," PLACE ",conv2d\n", "S0, 0, 5, " PLACE ", conv2d\n"},
        {TIMELINE, "S0_1,0,5," PLACE ",a\n", "S0_1,  0,  5,  " PLACE ",  a \n"},
        {TIMELINE, "DI0,0,5," PLACE ",DMA_IN,7\n", "DI0, 0, 5, " PLACE ", DMA_IN, 7\n"},
        {TIMELINE, T4_HEADER "1,2,3,DMA In," PLACE ",4\n",
         T4_HEADER "1, 2, 3, DMA In, " PLACE ", 4\n"},
        {TIMELINE, T4_HEADER "1,2,3,Slice 0," PLACE ",\n",
         T4_HEADER "1, 2, 3, Slice 0, " PLACE ", \n"},
        {RUNTIME, R0_HEADER "0;5;3;" PLACE "\n", R0_HEADER "0; 5; 3; " PLACE "\n"},
        {RUNTIME, R0B_HEADER "0;5;3\n", R0B_HEADER "0; 5; 3\n"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        fixture made;
        setup(&made);
        assert_ok(read_text(&made, files[i].source, files[i].plain));
        char expected[TEXT_BYTES];
        snprintf(expected, sizeof(expected), "%s", render(&made));
        teardown(&made);
        check(files[i].source, files[i].spaced, expected);
    }
}

/* ---- losses ----------------------------------------------------------------------------- */

typedef struct loss_case {
    tacho_str row;
    tacho_loss_reason reason;
} loss_case;

/* What surrounds the bad row of a loss_case. */
typedef struct loss_frame {
    const tacho_source *source;
    const char *before; /* good, like |after| */
    const char *after;
    uint64_t line_number; /* of the bad row */
} loss_frame;

static void check_loss(const loss_frame *frame, const loss_case *bad)
{
    fixture made;
    setup(&made);
    char text[1024];
    int len = snprintf(text, sizeof(text), "%s", frame->before);
    memcpy(text + len, bad->row.data, bad->row.len);
    snprintf(text + (size_t)len + bad->row.len, sizeof(text) - (size_t)len - bad->row.len, "\n%s",
             frame->after);
    size_t size = (size_t)len + bad->row.len + 1 + strlen(frame->after);
    assert_ok(read_bytes(&made, frame->source, tacho_str_make(text, size)));
    if (made.dict.loss_count != 1 || made.dict.losses[0].reason != bad->reason) {
        fail_msg("%.*s: should be lost for %s, but became\n%s", TACHO_STR_ARG(bad->row),
                 tacho_loss_key(bad->reason), render(&made));
    }
    assert_int_equal(made.dict.losses[0].part, 0);
    assert_int_equal(made.dict.losses[0].count, 1);
    assert_int_equal(made.dict.losses[0].first_line, frame->line_number);
    tacho_str example = tacho_dict_string(&made.dict, made.dict.losses[0].example);
    assert_true(example.len > 0 && tacho_str_starts_with(bad->row, example));
    assert_int_equal(made.profile.span_count, 2);
    assert_ok(tacho_profile_validate(&made.profile));
    teardown(&made);
}

static void check_losses(const loss_frame *frame, const loss_case *cases, size_t case_count)
{
    for (size_t i = 0; i < case_count; i++) {
        check_loss(frame, &cases[i]);
    }
}

/* |row| of a timeline is lost, whatever the reason; what surrounds it is not. */
static void check_is_lost(const char *before, const char *row, const char *after)
{
    fixture made;
    setup(&made);
    char text[1024];
    snprintf(text, sizeof(text), "%s%s\n%s", before, row, after);
    assert_ok(read_text(&made, TIMELINE, text));
    if (made.profile.span_count != 2 || made.dict.loss_count != 1) {
        fail_msg("%s: should be lost, but became\n%s", row, render(&made));
    }
    teardown(&made);
}

#define LOSS(row, reason)                                                                          \
    {                                                                                              \
        TACHO_STR_INIT(row), TACHO_LOSS_##reason                                                   \
    }

static void test_losses_t12(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        LOSS("DI0", FIELD_COUNT),
        LOSS(",", FIELD_COUNT),
        LOSS(" ", FIELD_COUNT),
        LOSS("DI0,0", FIELD_COUNT),
        LOSS("DI0,0,9408", FIELD_COUNT),
        LOSS("DI0,0,9408,loc(unknown)", FIELD_COUNT),
        LOSS("DI0,0,9408,loc(unknown) DMA_IN", FIELD_COUNT),
        LOSS("DI0,0,9408,75264", FIELD_COUNT),
        LOSS("DI0,0,9408,,75264", FIELD_COUNT),
        LOSS("DI0,,9408,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,0,x,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,0x10,20,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,0,9.5,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,0 1,9,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0, 5, -9, loc(unknown), DMA_IN", NEGATIVE_TIME),
        LOSS("DI0,+1,9,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,-,9,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,1234567890123456789,x,loc(unknown),DMA_IN", NOT_A_NUMBER),
        LOSS("DI0,-1,9,loc(unknown),DMA_IN", NEGATIVE_TIME),
        LOSS("DI0,5,-9,loc(unknown),DMA_IN", NEGATIVE_TIME),
        LOSS("DI0,0,12345678901234567890,loc(unknown),DMA_IN", TIME_OVERFLOW),
        LOSS("DI0,99999999999999999999,5,loc(unknown),DMA_IN", TIME_OVERFLOW),
        LOSS("DI0,0,9999999999999999999,loc(unknown),DMA_IN", TIME_OVERFLOW),
        LOSS("DI0,0,7378697629483820647,loc(unknown),DMA_IN", TIME_OVERFLOW),
        LOSS("DI0,10,9,loc(unknown),DMA_IN", END_BEFORE_START),
        LOSS("DI0,9999999999999999999,0,loc(unknown),DMA_IN", END_BEFORE_START),
        LOSS("DI0,0,9,loc(\"a\0b\":1:2),DMA_IN", NUL_BYTE),
        LOSS("DI0,0,9,loc(unknown),DMA\0IN", NUL_BYTE),
        LOSS("DI0,0,9\0,loc(unknown),DMA_IN", NUL_BYTE),
        LOSS("\0", NUL_BYTE),
    };
    static const loss_frame frame = {TIMELINE, "S0,0,1,loc(unknown),a\nS1,1,2,loc(unknown),a\n",
                                     "\n", 3};
    check_losses(&frame, cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_losses_ids(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        LOSS("X0,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS(",0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("0,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("Sx,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1x,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S-1,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S18446744073709551616,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S_1,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_x,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_0_0,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_1024,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_4294967296,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("S1_18446744073709551616,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("DI,0,9,loc(unknown),DMA_IN", UNKNOWN_EVENT),
        LOSS("DIx,0,9,loc(unknown),DMA_IN", UNKNOWN_EVENT),
        LOSS("DO1x,0,9,loc(unknown),DMA_OUT", UNKNOWN_EVENT),
        LOSS("DI 0,0,9,loc(unknown),DMA_IN", UNKNOWN_EVENT),
        LOSS("di0,0,9,loc(unknown),DMA_IN", UNKNOWN_EVENT),
        LOSS("CDMA0,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("CDMA_L2D,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("CDMA_L2X0,0,9,loc(unknown),a", UNKNOWN_EVENT),
        LOSS("CSS,0,9,loc(unknown),CSS", UNKNOWN_EVENT),
        LOSS("CSSx,0,9,loc(unknown),CSS", UNKNOWN_EVENT),
    };
    static const loss_frame frame = {TIMELINE, "S0,0,1,loc(unknown),a\n", "S1,1,2,loc(unknown),a",
                                     2};
    check_losses(&frame, cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_losses_t34(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        LOSS("0", FIELD_COUNT),
        LOSS("0,1", FIELD_COUNT),
        LOSS("0,1,2", FIELD_COUNT),
        LOSS("0,1,2,DMA In", FIELD_COUNT),
        LOSS("0,1,2,DMA In,64", FIELD_COUNT),
        LOSS("0,1,2,Slice 0,loc(\"f\":1:2)", FIELD_COUNT),
        LOSS("x,1,2,DMA In,loc(unknown),64", NOT_A_NUMBER),
        LOSS("0,1.5,2,DMA In,loc(unknown),64", NOT_A_NUMBER),
        LOSS("0,1,2 2,DMA In,loc(unknown),64", NOT_A_NUMBER),
        LOSS("0, 1, -2, DMA In, loc(unknown), 64", NEGATIVE_TIME),
        LOSS("0,,2,DMA In,loc(unknown),64", NOT_A_NUMBER),
        LOSS("0,1234567890123456789,x,DMA In,loc(unknown),64", NOT_A_NUMBER),
        LOSS("0,-1,2,DMA In,loc(unknown),64", NEGATIVE_TIME),
        LOSS("0,1,-2,DMA In,loc(unknown),64", NEGATIVE_TIME),
        LOSS("0,1,12345678901234567890,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,12345678901234567890,1,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,7378697629483820647,0,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,7378697629483820646,1,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,1,7378697629483820646,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,9999999999999999999,9999999999999999999,DMA In,loc(unknown),64", TIME_OVERFLOW),
        LOSS("0,1,2,DMA,loc(unknown),64", UNKNOWN_EVENT),
        LOSS("0,1,2,dma in,loc(unknown),64", UNKNOWN_EVENT),
        LOSS("0,1,2,,loc(unknown),64", UNKNOWN_EVENT),
        LOSS("0,1,2,CDMA,loc(unknown),64", UNKNOWN_EVENT),
        LOSS("0,1,2,Slice,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,Slice x,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,Slice -1,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,Slice 1024,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,Slice 4294967296,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,HOST_COPY_START,loc(unknown),", UNKNOWN_EVENT),
        LOSS("0,1,2,DMA In,loc(\"a\0b\":1:2),64", NUL_BYTE),
        LOSS("0,1,2,DMA\0In,loc(unknown),64", NUL_BYTE),
        LOSS("0,1\0,2,DMA In,loc(unknown),64", NUL_BYTE),
    };
    static const loss_frame frame = {TIMELINE, T4_HEADER "0,1,0,DMA In,loc(unknown),64\n",
                                     "1,1,1,DMA In,loc(unknown),64", 3};
    check_losses(&frame, cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_losses_r0(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        LOSS("0", FIELD_COUNT),
        LOSS("0;5", FIELD_COUNT),
        LOSS("0,5,5,loc(unknown)", FIELD_COUNT),
        LOSS("x;5;5;loc(unknown)", NOT_A_NUMBER),
        LOSS("0;;5;loc(unknown)", NOT_A_NUMBER),
        LOSS("0;5;;loc(unknown)", NOT_A_NUMBER),
        LOSS("0;5;", NOT_A_NUMBER),
        LOSS("0;5;5us;loc(unknown)", NOT_A_NUMBER),
        LOSS("0;5;5us", NOT_A_NUMBER),
        LOSS("0;1234567890123456789;x;loc(unknown)", NOT_A_NUMBER),
        LOSS("0;-5;5;loc(unknown)", NEGATIVE_TIME),
        LOSS("0;5;-5;loc(unknown)", NEGATIVE_TIME),
        LOSS("0;5;-5", NEGATIVE_TIME),
        LOSS("0; 5; -5; loc(unknown)", NEGATIVE_TIME),
        LOSS("0;5;6;loc(unknown)", NEGATIVE_TIME), /* began before the device was opened */
        LOSS("0;5;1234567890123456789", NEGATIVE_TIME),
        LOSS("0;12345678901234567890;5;loc(unknown)", TIME_OVERFLOW),
        LOSS("0;5;12345678901234567890;loc(unknown)", TIME_OVERFLOW),
        LOSS("0;5;12345678901234567890", TIME_OVERFLOW),
        LOSS("0;9999999999999999999;5;loc(unknown)", TIME_OVERFLOW),
        LOSS("0;9223372036854776;5;loc(unknown)", TIME_OVERFLOW),
        LOSS("0;5;5;loc(\"a\0b\":1:2)", NUL_BYTE),
        LOSS("0;5;\0;loc(unknown)", NUL_BYTE),
        LOSS("0\0;5;5", NUL_BYTE),
    };
    static const loss_frame frame = {RUNTIME, R0_HEADER "0;1520;310;loc(unknown)\n",
                                     "1;1905;301;loc(unknown)\n", 3};
    check_losses(&frame, cases, sizeof(cases) / sizeof(cases[0]));
}

/* A row whose tail was cut must not come out with its columns shifted. */
static void test_cut_tails(void **state)
{
    (void)state;
    static const char *const t12[] = {
        "DI0,0,9,loc(\"f\":1:2),DMA_IN,12k",   "DI0,0,9,loc(\"f\":1:2),DMA_IN,",
        "S0,0,9,loc(fused[\"a\":1:2, \"b",     "S0,0,9,\"loc(fused[\"\"a\"\":1:2, \"\"b",
        "S0,0,9,\"loc(fused[\"\"a\"\", \"\"b",
    };
    static const char *const t34[] = {
        "0,1,2,Slice 0,loc(fused[\"a\":1:2,",
        "0,1,2,Slice 0,loc(fused[\"a\":1:2, \"b\":3",
        "0,1,2,DMA In,loc(\"f\":1:2),12k",
    };
    for (size_t i = 0; i < sizeof(t12) / sizeof(t12[0]); i++) {
        check_is_lost("S0,0,1,loc(unknown),a\n", t12[i], "S1,1,2,loc(unknown),a");
    }
    for (size_t i = 0; i < sizeof(t34) / sizeof(t34[0]); i++) {
        check_is_lost(T4_HEADER "0,1,0,CSS,,\n", t34[i], "1,1,1,CSS,,");
    }
}

/* The last tick whose nanoseconds fit is still read; it depends on the clock. */
static void test_largest_times(void **state)
{
    (void)state;
    check(TIMELINE, "S0,0,7378697629483820646,loc(unknown),a\n",
          PART_T1 "Slice 0|0|7378697629483820646|a|compute|-|-|id=S0\n");
    check(TIMELINE, T4_HEADER "0,7378697629483820645,1,CSS,,\n",
          "part fc.csv torq-timeline T4 estimated, cycles of 5/4 ns from 1\n"
          "CSS|1|7378697629483820646|CSS|vector|-|-|task=0\n");
    check(RUNTIME, "0;9223372036854775;0\n",
          "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns "
          "from 9223372036854775\n"
          "NSS Programs|9223372036854775|9223372036854775|NSS job|control|-|-|job=0\n");
    const tacho_source_options slow = {.clock_mhz = TACHO_STR_INIT("1")};
    check_with(&slow, TIMELINE,
               TACHO_STR("S0,0,9223372036854775,loc(unknown),a\n"
                         "S1,0,9223372036854776,loc(unknown),a\n"),
               "part fc.csv torq-timeline T1 estimated, cycles of 1000/1 ns from 0\n"
               "Slice 0|0|9223372036854775|a|compute|-|-|id=S0\n"
               "lost time_overflow 1 at 2\n");
    const tacho_source_options fast = {.clock_mhz = TACHO_STR_INIT("1000000")};
    check_with(&fast, TIMELINE,
               TACHO_STR("S0,0,9223372036854775807,loc(unknown),a\n"
                         "S1,0,9223372036854775808,loc(unknown),a\n"),
               "part fc.csv torq-timeline T1 estimated, cycles of 1/1000 ns from 0\n"
               "Slice 0|0|9223372036854775807|a|compute|-|-|id=S0\n"
               "lost time_overflow 1 at 2\n");
}

/* Losses of one kind are counted together, and the first line is kept. */
static void test_losses_add_up(void **state)
{
    (void)state;
    check(RUNTIME, R0_HEADER "x\n0;5;5;loc(unknown)\n1;5;9;\ny\n\n2;-5;5;\nz;z;z;z\n1;7;2;\n",
          "part fc.csv torq-runtime R0 measured, microseconds of 1000/1 ns from 0\n"
          "NSS Programs|0|5|NSS job|control|-|-|job=0\n"
          "NSS Programs|5|7|NSS job|control|-|-|job=1\n"
          "lost wrong_field_count 2 at 2\n"
          "lost negative_time 2 at 4\n"
          "lost not_a_number 1 at 8\n");
}

/* A loss shows how its first row begins, not all of it. */
static void test_long_example(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    char row[512] = "S0,0,1,loc(unknown),a\nS1,";
    size_t len = strlen(row);
    memset(row + len, 'x', sizeof(row) - len - 1);
    row[sizeof(row) - 1] = '\0';
    assert_ok(read_text(&made, TIMELINE, row));
    assert_int_equal(made.dict.loss_count, 1);
    tacho_str example = tacho_dict_string(&made.dict, made.dict.losses[0].example);
    assert_in_range(example.len, 10, 100);
    assert_true(tacho_str_starts_with(example, TACHO_STR("S1,xxxx")));
    teardown(&made);
}

/* Whoever says that it is a timeline gets its rows, however late they come. */
static void test_late_rows(void **state)
{
    (void)state;
    char text[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < 40; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "?\n");
    }
    snprintf(text + len, sizeof(text) - len, "%s", "S0,0,1,loc(unknown),a\n");
    check(TIMELINE, text,
          PART_T1 "Slice 0|0|1|a|compute|-|-|id=S0\nlost wrong_field_count 40 at 1\n");
}

/* ---- damage ----------------------------------------------------------------------------- */

/* |text| as gzip; level 0 keeps it readable, so that a cut hits a known byte of it. */
static size_t gzip(tacho_str text, int level, unsigned char *out_bytes, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text.data;
    stream.avail_in = (uInt)text.len;
    stream.next_out = out_bytes;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static tacho_str as_str(const unsigned char *bytes, size_t len)
{
    return tacho_str_make((const char *)bytes, len);
}

static void test_gzip(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const tacho_source_options options = {.slice_count = 0};
    size_t len = gzip(TACHO_STR(T1_ROWS), 9, bytes, sizeof(bytes));
    check_with(&options, TIMELINE, as_str(bytes, len), PART_T1 T1_READ);
    len = gzip(TACHO_STR(R0_HEADER R0_ROWS), 9, bytes, sizeof(bytes));
    check_with(&options, RUNTIME, as_str(bytes, len), R0_READ);
}

/* Cut after a whole line: that and the lines before it are there, and the cut is counted. */
static void test_cut_gzip(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const tacho_source_options options = {.slice_count = 0};
    gzip(TACHO_STR("S0,0,1,loc(unknown),a\nS1,1,2,loc(unknown),b\nS2,2,3,loc(unknown),c\n"), 0,
         bytes, sizeof(bytes));
    const unsigned char *cut = memchr(bytes, 'b', sizeof(bytes));
    assert_non_null(cut);
    check_with(&options, TIMELINE, as_str(bytes, (size_t)(cut - bytes) + 2),
               PART_T1 "Slice 0|0|1|a|compute|-|-|id=S0\nSlice 1|1|2|b|compute|-|-|id=S1\n"
                       "lost cut_input 1 at 2\n");
    gzip(TACHO_STR("0;10;10\n1;20;10\n2;30;10\n"), 0, bytes, sizeof(bytes));
    cut = memchr(bytes, '2', sizeof(bytes));
    assert_non_null(cut);
    check_with(&options, RUNTIME, as_str(bytes, (size_t)(cut - bytes) + 6),
               "part fc.csv torq-runtime R0b measured, microseconds of 1000/1 ns from 0\n"
               "NSS Programs|0|10|NSS job|control|-|-|job=0\n"
               "NSS Programs|10|20|NSS job|control|-|-|job=1\n"
               "lost cut_input 1 at 2\n");
}

/* Cut inside a line: what is left of it may look like a row, but its last number is no longer. */
static void test_cut_line_is_no_row(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    gzip(TACHO_STR("0;1000;100\n1;2345;345\n"), 0, bytes, sizeof(bytes));
    const unsigned char *last = memchr(bytes, '2', sizeof(bytes));
    assert_non_null(last);
    for (size_t len = 0; len < 8; len++) {
        fixture made;
        setup(&made);
        assert_ok(read_bytes(&made, RUNTIME, as_str(bytes, (size_t)(last - bytes) + len)));
        assert_int_equal(made.profile.span_count, 1);
        assert_int_equal(made.dict.losses[made.dict.loss_count - 1].reason, TACHO_LOSS_CUT_INPUT);
        teardown(&made);
    }
}

/* ---- refusals --------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const tacho_source *source;
        tacho_str bytes;
        const char *words;
    } cases[] = {
        {TIMELINE, TACHO_STR_INIT(""), "fc.csv"},
        {TIMELINE, TACHO_STR_INIT("\n\n\n"), "fc.csv"},
        {TIMELINE, TACHO_STR_INIT("lorem ipsum\n"), "fc.csv:1: "},
        {TIMELINE, TACHO_STR_INIT(R0_HEADER R0_ROWS), "fc.csv:1: "},
        {TIMELINE, TACHO_STR_INIT("ID,Start,End,Location,Op Type\n"), "a header but no rows"},
        {TIMELINE, TACHO_STR_INIT("ID,Start,End,Location,Op Type"), "a header but no rows"},
        {TIMELINE, TACHO_STR_INIT(T3_HEADER), "a header but no rows"},
        {TIMELINE, TACHO_STR_INIT(T4_HEADER "\n\r\n"), "a header but no rows"},
        {TIMELINE, TACHO_STR_INIT("S0,9,5,loc(unknown),a\nwhat\n"),
         "fc.csv:1: no row of this file can be read; first problem: ends before it starts"},
        {TIMELINE, TACHO_STR_INIT(T4_HEADER "\n0,x,5,CSS,,\n0,1\n"),
         "fc.csv:3: no row of this file can be read; first problem: a number was expected"},
        {RUNTIME, TACHO_STR_INIT(""), "fc.csv"},
        {RUNTIME, TACHO_STR_INIT("lorem;ipsum;dolor\n"), "fc.csv:1: "},
        {RUNTIME, TACHO_STR_INIT(T1_ROWS), "fc.csv:1: "},
        {RUNTIME, TACHO_STR_INIT(R0_HEADER), "a header but no rows"},
        {RUNTIME, TACHO_STR_INIT(R0B_HEADER), "a header but no rows"},
        {RUNTIME, TACHO_STR_INIT("1;3;2;loc(\"a\0\")\n4\n"),
         "fc.csv:1: no row of this file can be read; first problem: holds a NUL byte"},
        {RUNTIME, TACHO_STR_INIT(R0_HEADER "4\n1;2;3\n"),
         "fc.csv:2: no row of this file can be read; first problem: wrong number of fields"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_refused(cases[i].source, cases[i].bytes, TACHO_CODE_BAD_DATA, cases[i].words);
    }
}

/* ---- several files ---------------------------------------------------------------------- */

/* Files that were put together with cat have a header for each; it is no loss. */
static void test_headers_again(void **state)
{
    (void)state;
    check(TIMELINE,
          "ID,Start,End,Location,Op Type\nS0,0,1,loc(unknown),a\n\n"
          "ID,Start,End,Location,Op Type\r\nS0,1,2,loc(unknown),a\n",
          PART_T1 "Slice 0|0|1|a|compute|-|-|id=S0\nSlice 0|1|2|a|compute|-|-|id=S0\n");
    check(TIMELINE, T4_HEADER "0,1,0,CSS,,\n" T4_HEADER "0,1,1,CSS,,\nno header\n",
          PART_T4 "CSS|0|1|CSS|vector|-|-|task=0\nCSS|1|2|CSS|vector|-|-|task=0\n"
                  "lost wrong_field_count 1 at 5\n");
    check(RUNTIME, R0_HEADER "0;1;1;\n" R0_HEADER "0;2;1;\n",
          "part fc.csv torq-runtime R0 measured, microseconds of 1000/1 ns from 0\n"
          "NSS Programs|0|1|NSS job|control|-|-|job=0\n"
          "NSS Programs|1|2|NSS job|control|-|-|job=0\n");
}

/* Blank lines may come before the header, too. */
static void test_blank_lines_before(void **state)
{
    (void)state;
    check(TIMELINE, "\r\n\n" T4_HEADER T4_ROWS, PART_T4 T4_READ);
    check(RUNTIME, "\n\r\n" R0_HEADER R0_ROWS, R0_READ);
    check(RUNTIME, "\n" R0_ROWS, R0_READ);
    assert_int_equal(RUNTIME->probe(TACHO_STR("\n" R0_HEADER R0_ROWS)), TACHO_PROBE_SURE);
    assert_int_equal(RUNTIME->probe(TACHO_STR("\r\n" R0_ROWS)), TACHO_PROBE_SURE);
}

static void test_two_files(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    assert_ok(read_text(&made, TIMELINE, "S0,7,8,loc(\"f\":1:2),a\nbad\n"));
    assert_ok(read_text(&made, TIMELINE, "bad\nS0,3,4,loc(\"f\":1:2),a\n"));
    assert_ok(read_text(&made, RUNTIME, "0;5;5\n"));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made),
                        "part fc.csv torq-timeline T1 estimated, cycles of 5/4 ns from 7\n"
                        "part fc.csv #2 torq-timeline T1 estimated, cycles of 5/4 ns from 3\n"
                        "part fc.csv #3 torq-runtime R0b measured, microseconds of 1000/1 ns "
                        "from 0\n"
                        "Slice 0|7|8|a|compute|\"f\":1:2|f:1:2|id=S0\n"
                        "Slice 0|3|4|a|compute|\"f\":1:2|f:1:2|id=S0\n"
                        "NSS Programs|0|5|NSS job|control|-|-|job=0\n"
                        "lost wrong_field_count 1 at 2\n"
                        "lost wrong_field_count 1 at 1\n");
    tacho_span first = tacho_profile_span(&made.profile, 0);
    tacho_span second = tacho_profile_span(&made.profile, 1);
    assert_int_not_equal(first.track, second.track);
    assert_int_equal(first.site, second.site);
    assert_int_equal(made.dict.losses[1].part, 1);
    for (size_t i = 0; i < made.dict.part_count; i++) {
        tacho_str path = tacho_dict_string(&made.dict, made.dict.parts[i].path);
        assert_true(tacho_str_equal(path, TACHO_STR("/runs/fc.csv")));
    }
    teardown(&made);
}

/* ---- probes ----------------------------------------------------------------------------- */

#define R1_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
#define R2_HEADER "dispatch_name,invocation_id,action_id,timestamp_us,event\n"

typedef struct probe_case {
    tacho_str head;
    tacho_probe_verdict timeline;
    tacho_probe_verdict runtime;
} probe_case;

#define PROBE(head, timeline, runtime)                                                             \
    {                                                                                              \
        TACHO_STR_INIT(head), TACHO_PROBE_##timeline, TACHO_PROBE_##runtime                        \
    }

static const probe_case probe_cases[] = {
    PROBE(T1_ROWS, SURE, NO),
    PROBE("ID,Start,End,Location,Op Type\n" T1_ROWS, SURE, NO),
    PROBE("event_name,start_time,end_time,mlir_src_line,event_type\n" T1_ROWS, SURE, NO),
    PROBE("\xef\xbb\xbf" T1_ROWS, SURE, NO),
    PROBE(T2_ROWS, SURE, NO),
    PROBE(T3_HEADER T4_ROWS, SURE, NO),
    PROBE(T4_HEADER T4_ROWS, SURE, NO),
    PROBE("\xef\xbb\xbf" T4_HEADER T4_ROWS, SURE, NO),
    PROBE("# made by hand\n" T1_ROWS, MAYBE, NO),
    PROBE("\n\r\n" T2_ROWS, SURE, NO),
    PROBE("\n" T4_HEADER T4_ROWS, SURE, NO),
    PROBE(T4_ROWS, NO, NO),
    PROBE("S0,x,1,loc(unknown),a\n", NO, NO),
    PROBE("S0,0,x,loc(unknown),a\n", NO, NO),
    PROBE("S0,0,1,loc(unknown)\n", NO, NO),
    PROBE("Sx,0,1,loc(unknown),a\n", NO, NO),
    PROBE("taskId, elapsed_time(ns), timestamp(us), event, location, bytes\n", NO, NO),
    PROBE(R0_HEADER R0_ROWS, NO, SURE),
    PROBE("dispatch_id;time_since_open;time_since_start;mlir_loc\n" R0_ROWS, NO, SURE),
    PROBE("\xef\xbb\xbf" R0_HEADER, NO, SURE),
    PROBE(R0_ROWS, NO, SURE),
    PROBE("\xef\xbb\xbf" R0_ROWS, NO, SURE),
    PROBE(R0B_HEADER "0;1520;310\n", NO, SURE),
    PROBE("0;1520;310\n", NO, MAYBE),
    PROBE("0;1520;310\r\n", NO, MAYBE),
    PROBE("0;1520;310;elsewhere\n", NO, MAYBE),
    PROBE(R1_HEADER "0,0,81234567412,HOST_COPY_START,loc(\"/w/m/add.mlir\":7:10)\n", NO, NO),
    PROBE(R1_HEADER "0,0,81234567412,HOST_COPY_START,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\n", NO,
          NO),
    PROBE(R1_HEADER, NO, NO),
    PROBE(R2_HEADER "main$async_dispatch_0,0,-1,81234567000,INIT_BEGIN\n", NO, NO),
    PROBE(R2_HEADER, NO, NO),
    PROBE("id,name,value\n1,a,2\n", NO, NO),
    PROBE("Lorem ipsum dolor sit amet, consectetur adipiscing elit\n", NO, NO),
    PROBE("{\"traceEvents\": []}", NO, NO),
    PROBE("", NO, NO),
    PROBE("\n", NO, NO),
    PROBE(",,,,,\n;;;;;\n", NO, NO),
    PROBE("\x0a\x7f\x45\x4c\x46\x02\x01\x01\0\0\0\0\xff\xfe;\xff;\xff;loc(\n", NO, NO),
    PROBE("\0\0\0\0\0\0\0\0", NO, NO),
};

static void test_probes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(probe_cases) / sizeof(probe_cases[0]); i++) {
        const probe_case *probed = &probe_cases[i];
        if (TIMELINE->probe(probed->head) != probed->timeline ||
            RUNTIME->probe(probed->head) != probed->runtime) {
            fail_msg("wrong verdict on case %zu: %.*s", i, TACHO_STR_ARG(probed->head));
        }
    }
}

/* Rows that show after more lines than a probe reads are not found; before that they are. */
static void test_probe_depth(void **state)
{
    (void)state;
    static const char row[] = "S0,0,1,loc(unknown),a\n";
    char text[256] = "";
    for (size_t i = 0; i < 31; i++) {
        snprintf(text + 2 * i, sizeof(text) - 2 * i, "?\n%s", row);
        assert_int_equal(TIMELINE->probe(tacho_str_from_cstring(text)), TACHO_PROBE_MAYBE);
    }
    snprintf(text + 2 * 31, sizeof(text) - 2 * 31, "?\n%s", row);
    assert_int_equal(TIMELINE->probe(tacho_str_from_cstring(text)), TACHO_PROBE_NO);
}

/* A head may end anywhere. Once its first line is whole, the verdict stands. */
static void test_cut_heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(probe_cases) / sizeof(probe_cases[0]); i++) {
        tacho_str head = probe_cases[i].head;
        size_t first_line = 0;
        while (first_line < head.len && strchr("\r\n", head.data[first_line]) != NULL) {
            first_line++;
        }
        first_line += tacho_str_find_byte(tacho_str_from(head, first_line), '\n') + 1;
        for (size_t len = 0; len <= head.len; len++) {
            char *copy = malloc(len > 0 ? len : 1); /* exactly: a sanitizer sees a step past it */
            assert_non_null(copy);
            memcpy(copy, head.data, len);
            tacho_probe_verdict timeline = TIMELINE->probe(tacho_str_make(copy, len));
            tacho_probe_verdict runtime = RUNTIME->probe(tacho_str_make(copy, len));
            free(copy);
            assert_true(timeline != TACHO_PROBE_SURE || runtime == TACHO_PROBE_NO);
            if (len >= first_line) {
                assert_int_equal(runtime, probe_cases[i].runtime);
                assert_true(timeline == probe_cases[i].timeline || timeline == TACHO_PROBE_NO);
                assert_true(probe_cases[i].timeline != TACHO_PROBE_SURE ||
                            timeline == TACHO_PROBE_SURE);
            }
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(TIMELINE->name, "torq-timeline");
    assert_string_equal(RUNTIME->name, "torq-runtime");
    assert_ptr_equal(tacho_source_find(TACHO_STR("torq-timeline")), TIMELINE);
    assert_ptr_equal(tacho_source_find(TACHO_STR("torq-runtime")), RUNTIME);
    assert_null(tacho_source_find(TACHO_STR("torq")));
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
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_line_numbers),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_losses_t12),
        cmocka_unit_test(test_losses_ids),
        cmocka_unit_test(test_losses_t34),
        cmocka_unit_test(test_losses_r0),
        cmocka_unit_test(test_cut_tails),
        cmocka_unit_test(test_largest_times),
        cmocka_unit_test(test_losses_add_up),
        cmocka_unit_test(test_long_example),
        cmocka_unit_test(test_late_rows),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_cut_gzip),
        cmocka_unit_test(test_cut_line_is_no_row),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_headers_again),
        cmocka_unit_test(test_blank_lines_before),
        cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_probe_depth),
        cmocka_unit_test(test_cut_heads),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
