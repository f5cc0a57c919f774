/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad rows of timelines and runtime profiles: each is counted under its reason with its line, and
 * the rows around it are kept. Files without any readable row are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/torq/torq_csv_testing.h"

/* ---- losses ----------------------------------------------------------------------------- */

typedef struct loss_case {
    tacho_str row;
    tacho_loss_reason reason;
} loss_case;

/* The rows around the bad row of a loss_case. */
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

/* |row| of a timeline is lost, for any reason; the rows around it are not. */
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

/* The columns of a row with a cut tail must not shift. */
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

/* A loss shows the beginning of its first row, not all of it. */
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

/* An explicit --from timeline reads the rows, however late the first one is. */
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

/* ---- refusals --------------------------------------------------------------------------- */

/* Reads |bytes|, which must fail with |code| and a message that contains |words|. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses_t12),    cmocka_unit_test(test_losses_ids),
        cmocka_unit_test(test_losses_t34),    cmocka_unit_test(test_losses_r0),
        cmocka_unit_test(test_cut_tails),     cmocka_unit_test(test_largest_times),
        cmocka_unit_test(test_losses_add_up), cmocka_unit_test(test_long_example),
        cmocka_unit_test(test_late_rows),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
