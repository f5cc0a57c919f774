/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines and runtime profiles as files: line ends, blanks, compressed, cut and concatenated
 * files, and several files in one profile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include <cmocka.h>

#include "sources/torq/torq_csv_testing.h"

enum { TEXT_BYTES = 1 << 14 };

/* ---- lines ------------------------------------------------------------------------------ */

/* |text| with |line_end| for every LF. */
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

/* Blank lines are not lost rows, but they count as lines. */
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
    const tacho_source_options options = {.choice_count = 0};
    size_t len = gzip(TACHO_STR(T1_ROWS), 9, bytes, sizeof(bytes));
    check_with(&options, TIMELINE, as_str(bytes, len), PART_T1 T1_READ);
    len = gzip(TACHO_STR(R0_HEADER R0_ROWS), 9, bytes, sizeof(bytes));
    check_with(&options, RUNTIME, as_str(bytes, len), R0_READ);
}

/* Cut after a whole line: that line and those before it are read, and the cut is counted. */
static void test_cut_gzip(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    const tacho_source_options options = {.choice_count = 0};
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

/* Cut inside a line: the rest may look like a row, but its last number may be shorter. */
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

/* ---- several files ---------------------------------------------------------------------- */

/* Concatenated files have a header each, which is not lost. */
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

/* Blank lines may precede the header, too. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_ends),     cmocka_unit_test(test_line_numbers),
        cmocka_unit_test(test_blanks),        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_cut_gzip),      cmocka_unit_test(test_cut_line_is_no_row),
        cmocka_unit_test(test_headers_again), cmocka_unit_test(test_blank_lines_before),
        cmocka_unit_test(test_two_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
