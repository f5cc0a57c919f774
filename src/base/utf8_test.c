/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder is checked against every code point and every sequence of up to three bytes; the
 * filters built on it, against examples. Input is in memory of exactly its size, so that the
 * sanitizers see a read past a cut character.
 */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1024 };

#define FFFD "\xef\xbf\xbd"

/* A case: input and expected output, both with their lengths since NUL is a byte too. */
typedef struct text_case {
    tacho_str in;
    tacho_str out;
} text_case;

#define CASE(in, out)                                                                              \
    {                                                                                              \
        TACHO_STR_INIT(in), TACHO_STR_INIT(out)                                                    \
    }

static size_t encode(uint32_t point, char *bytes)
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : (point < 0x10000 ? 3 : 4);
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    static const uint32_t marks[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(marks[length] | point);
    return length;
}

static void test_decode_every_code_point(void **state)
{
    (void)state;
    for (uint32_t point = 0; point < 0x120000; point++) {
        char bytes[4];
        size_t length = encode(point, bytes);
        bool is_valid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        uint32_t decoded = 0;
        size_t used = tacho_utf8_decode(tacho_str_make(bytes, length), &decoded);
        if (used != (is_valid ? length : 1) || decoded != (is_valid ? point : UINT32_MAX)) {
            fail_msg("U+%04X: %zu bytes, U+%04X", point, used, decoded);
        }
    }
}

/* Characters of |length| bytes among all sequences of that length. */
static size_t count_characters(size_t length)
{
    size_t count = 0;
    uint32_t end = (uint32_t)1 << (8 * length);
    for (uint32_t value = 0; value < end; value++) {
        char bytes[3];
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)(value >> (8 * (length - 1 - i)));
        }
        uint32_t point = 0;
        size_t used = tacho_utf8_decode(tacho_str_make(bytes, length), &point);
        count += used == length && point != UINT32_MAX;
    }
    return count;
}

/* No overlong form slips in: there are exactly as many sequences as characters. */
static void test_decode_counts(void **state)
{
    (void)state;
    assert_int_equal(count_characters(1), 0x80);
    assert_int_equal(count_characters(2), 0x800 - 0x80);
    assert_int_equal(count_characters(3), 0x10000 - 0x800 - 0x800);
}

static void test_decode_refuses(void **state)
{
    (void)state;
    static const tacho_str cases[] = {
        TACHO_STR_INIT("\x80"),             /* continues nothing */
        TACHO_STR_INIT("\xbf"),             /* */
        TACHO_STR_INIT("\xc0\x80"),         /* overlong NUL */
        TACHO_STR_INIT("\xc1\xbf"),         /* overlong DEL */
        TACHO_STR_INIT("\xe0\x80\xaf"),     /* overlong '/' */
        TACHO_STR_INIT("\xe0\x9f\xbf"),     /* overlong U+07FF */
        TACHO_STR_INIT("\xf0\x8f\xbf\xbf"), /* overlong U+FFFF */
        TACHO_STR_INIT("\xf0\x80\x80\xaf"), /* overlong '/' */
        TACHO_STR_INIT("\xed\xa0\x80"),     /* first surrogate */
        TACHO_STR_INIT("\xed\xbf\xbf"),     /* last surrogate */
        TACHO_STR_INIT("\xf4\x90\x80\x80"), /* U+110000 */
        TACHO_STR_INIT("\xf5\x80\x80\x80"), /* past all planes */
        TACHO_STR_INIT("\xf8\x88\x80\x80\x80"),
        TACHO_STR_INIT("\xfe"),
        TACHO_STR_INIT("\xff"),
        TACHO_STR_INIT("\xc3("), /* no continuation */
        TACHO_STR_INIT("\xe2\x82("),
        TACHO_STR_INIT("\xe2(\xac"),
        TACHO_STR_INIT("\xf0\x9f\x98("),
        TACHO_STR_INIT("\xc3"), /* cut */
        TACHO_STR_INIT("\xe2\x82"),
        TACHO_STR_INIT("\xe2"),
        TACHO_STR_INIT("\xf0\x9f\x98"),
        TACHO_STR_INIT("\xf0"),
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *exact = malloc(cases[i].len);
        assert_non_null(exact);
        memcpy(exact, cases[i].data, cases[i].len);
        uint32_t point = 0;
        assert_int_equal(tacho_utf8_decode(tacho_str_make(exact, cases[i].len), &point), 1);
        assert_int_equal(point, UINT32_MAX);
        assert_false(tacho_utf8_is_clean(tacho_str_make(exact, cases[i].len)));
        free(exact);
    }
}

static const text_case clean_cases[] = {
    CASE("", ""),
    CASE("conv2d", "conv2d"),
    CASE("\x01\x1b\x7f", "\x01\x1b\x7f"), /* control characters are valid UTF-8 */
    CASE("\xc2\x80\xf4\x8f\xbf\xbf", "\xc2\x80\xf4\x8f\xbf\xbf"),
    CASE("\xe2\x82\xac 5", "\xe2\x82\xac 5"),
    CASE("a\0b", "a" FFFD "b"),
    CASE("\0", FFFD),
    CASE("\xff", FFFD),
    CASE("\xff\xfe", FFFD FFFD),
    CASE("caf\xe9", "caf" FFFD),
    CASE("\xed\xa0\x80", FFFD FFFD FFFD),
    CASE("\xc0\x80", FFFD FFFD),
    CASE("\xf0\x9f\x98", FFFD FFFD FFFD),
    CASE("\xe2\x82|", FFFD FFFD "|"),
    CASE("\xe2\x82\xe2\x82\xac", FFFD FFFD "\xe2\x82\xac"),
    CASE("\xc3\xa9\xc3", "\xc3\xa9" FFFD),
};

static void check_text(tacho_str text, tacho_str expected)
{
    assert_int_equal(text.len, expected.len);
    assert_memory_equal(text.data, expected.data, expected.len);
}

static void test_clean(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t i = 0; i < sizeof(clean_cases) / sizeof(clean_cases[0]); i++) {
        const text_case *this_case = &clean_cases[i];
        bool is_clean = tacho_str_equal(this_case->in, this_case->out);
        assert_int_equal(tacho_utf8_is_clean(this_case->in), is_clean);
        tacho_str cleaned = {0};
        assert_null(tacho_utf8_clean(this_case->in, &arena, &cleaned));
        check_text(cleaned, this_case->out);
        if (is_clean) {
            assert_ptr_equal(cleaned.data, this_case->in.data);
        }
        assert_true(tacho_utf8_is_clean(cleaned));
    }
    tacho_arena_deinit(&arena);
}

/* Room for three times the bytes is enough, and no byte after the end is touched. */
static void test_clean_into(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(clean_cases) / sizeof(clean_cases[0]); i++) {
        const text_case *this_case = &clean_cases[i];
        char *room = malloc(this_case->in.len * 3 + 1);
        assert_non_null(room);
        char *end = tacho_utf8_clean_into(this_case->in, room);
        check_text(tacho_str_make(room, (size_t)(end - room)), this_case->out);
        free(room);
    }
}

static void test_clean_nothing(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str nothing = {NULL, 0};
    tacho_str text = TACHO_STR("x");
    assert_true(tacho_utf8_is_clean(nothing));
    assert_null(tacho_utf8_clean(nothing, &arena, &text));
    assert_int_equal(text.len, 0);
    assert_null(tacho_utf8_printable(nothing, &arena, &text));
    assert_int_equal(text.len, 0);
    assert_int_equal(tacho_utf8_width(nothing), 0);
    tacho_arena_deinit(&arena);
}

static void test_printable(void **state)
{
    (void)state;
    static const text_case cases[] = {
        CASE("", ""),
        CASE("conv 2d\\n", "conv 2d\\n"),
        CASE("\xc2\xa0\xe2\x82\xac\xe4\xb8\xad\xf0\x9f\x98\x80",
             "\xc2\xa0\xe2\x82\xac\xe4\xb8\xad\xf0\x9f\x98\x80"),
        CASE("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        CASE("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        CASE("a\0b", "a\\x00b"),
        CASE("a\tb\r\nc", "a\\x09b\\x0d\\x0ac"),
        CASE("\x7f", "\\x7f"),
        CASE("\xc2\x80", "\\u0080"), /* C1, as two good bytes */
        CASE("\xc2\x9b"
             "31m",
             "\\u009b31m"),
        CASE("\x9b"
             "31m",
             "\\x9b31m"), /* C1, as one bad byte */
        CASE("\xff\xe2\x82", "\\xff\\xe2\\x82"),
        CASE("\xd8\x9c", "\\u061c"),
        CASE("\xe2\x80\x8b\xe2\x80\x8f", "\\u200b\\u200f"),
        CASE("\xe2\x80\xae"
             "fdp.exe",
             "\\u202efdp.exe"),
        CASE("\xe2\x80\xa8\xe2\x81\xa6\xe2\x81\xa9", "\\u2028\\u2066\\u2069"),
        CASE("\xef\xbb\xbf", "\\ufeff"),
        CASE("\xe2\x80\x90\xe2\x80\xaf", "\xe2\x80\x90\xe2\x80\xaf"), /* either side of them */
    };
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str shown = {0};
        assert_null(tacho_utf8_printable(cases[i].in, &arena, &shown));
        check_text(shown, cases[i].out);
        if (tacho_str_equal(cases[i].in, cases[i].out)) {
            assert_ptr_equal(shown.data, cases[i].in.data);
        }
    }
    tacho_arena_deinit(&arena);
}

/* Escapes make text longer; the longest growth must still fit. */
static void test_printable_grows(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    memset(text, 0xff, sizeof(text));
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str shown = {0};
    assert_null(tacho_utf8_printable(tacho_str_make(text, sizeof(text)), &arena, &shown));
    assert_int_equal(shown.len, 4 * sizeof(text));
    for (size_t i = 0; i < shown.len; i += 4) {
        assert_memory_equal(shown.data + i, "\\xff", 4);
    }
    tacho_arena_deinit(&arena);
}

/* For any bytes, the printable text has nothing that acts on a terminal. */
static void test_printable_is_safe(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (uint32_t value = 0; value < 0x10000; value++) {
        const char bytes[3] = {(char)(value >> 8), (char)(value & 0xff), 'x'};
        tacho_str shown = {0};
        assert_null(tacho_utf8_printable(tacho_str_make(bytes, 3), &arena, &shown));
        bool is_safe = tacho_utf8_is_clean(shown);
        for (size_t i = 0; i < shown.len; i++) {
            unsigned char byte = (unsigned char)shown.data[i];
            bool is_c1 = byte == 0xc2 && (unsigned char)shown.data[i + 1] < 0xa0;
            is_safe = is_safe && byte >= 0x20 && byte != 0x7f && !is_c1;
        }
        if (!is_safe) {
            fail_msg("%04x is let through", value);
        }
    }
    tacho_arena_deinit(&arena);
}

typedef struct width_case {
    const char *text;
    size_t width;
} width_case;

static void check_widths(const width_case *cases, size_t case_count)
{
    for (size_t i = 0; i < case_count; i++) {
        size_t width = tacho_utf8_width(tacho_str_from_cstring(cases[i].text));
        if (width != cases[i].width) {
            fail_msg("\"%s\": %zu columns, not %zu", cases[i].text, width, cases[i].width);
        }
    }
}

static void test_width(void **state)
{
    (void)state;
    static const width_case cases[] = {
        {"", 0},
        {"conv2d", 6},
        {"caf\xc3\xa9", 4},
        {"cafe\xcc\x81", 4},             /* combining acute */
        {"\xe2\x82\xac", 1},             /* euro */
        {"\xe2\x80\x8b", 0},             /* zero width space */
        {"\xe4\xb8\xad\xe6\x96\x87", 4}, /* Chinese */
        {"\xed\x95\x9c", 2},             /* Hangul */
        {"\xe3\x81\x82", 2},             /* Hiragana */
        {"\xef\xbc\xa1", 2},             /* fullwidth A */
        {"\xef\xbd\xb1", 1},             /* halfwidth A */
        {"\xe1\x84\x80", 2},             /* Hangul Jamo */
        {"\xf0\x9f\x98\x80", 2},         /* a face */
        {"\xf0\xa0\x80\x80", 2},         /* CJK extension B */
        {"\xf0\x9d\x94\xb8", 1},         /* a letter past the first plane */
        {"\xe2\x98\x83\xef\xb8\x8f", 1}, /* variation selector */
        {"\xe2\x9b\x84", 2},             /* snowman without snow */
        {"\xe2\x9b\x86", 1},             /* rain, the next but one */
        {"a\xff", 2},                    /* a bad byte shows as one sign */
    };
    check_widths(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Signs that every terminal draws two columns wide, outside the blocks of scripts. */
static void test_width_of_signs(void **state)
{
    (void)state;
    static const width_case cases[] = {
        {"\xf0\x9f\x9a\x80", 2}, /* U+1F680 rocket */
        {"\xf0\x9f\x9f\xa2", 2}, /* U+1F7E2 green circle */
        {"\xe2\x9c\x85", 2},     /* U+2705 check mark */
        {"\xe2\x9d\x8c", 2},     /* U+274C cross mark */
        {"\xe2\x9a\xa1", 2},     /* U+26A1 lightning */
    };
    check_widths(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Their neighbours, which are one column wide. */
static void test_width_of_narrow_signs(void **state)
{
    (void)state;
    static const width_case cases[] = {
        {"\xe2\x86\x92", 1},     /* U+2192 arrow */
        {"\xe2\x94\x80", 1},     /* U+2500 box drawing */
        {"\xe2\x96\x88", 1},     /* U+2588 full block */
        {"\xe2\x9c\x93", 1},     /* U+2713 check mark */
        {"\xf0\x9f\x99\x90", 1}, /* U+1F650 ornament */
        {"\xf0\x9f\x9e\x80", 1}, /* U+1F780 triangle */
        {"\xf0\x9f\xa1\x90", 1}, /* U+1F850 arrow */
        {"\xf0\x9f\xa8\x80", 1}, /* U+1FA00 chess piece */
    };
    check_widths(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Cut clean text is clean, and no character that fits is lost. */
static void test_cut(void **state)
{
    (void)state;
    tacho_str text = TACHO_STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"); /* 1, 2, 3, 4, 1 bytes */
    static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t most = 0; most < sizeof(expected) / sizeof(expected[0]); most++) {
        tacho_str cut = tacho_utf8_cut(text, most);
        assert_int_equal(cut.len, expected[most]);
        assert_ptr_equal(cut.data, text.data);
        assert_true(tacho_utf8_is_clean(cut));
    }
    assert_int_equal(tacho_utf8_cut(TACHO_STR("\x80\x80\x80\x80\x80\x80"), 5).len, 2);
    assert_int_equal(tacho_utf8_cut(TACHO_STR(""), 5).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode_every_code_point),
        cmocka_unit_test(test_decode_counts),
        cmocka_unit_test(test_decode_refuses),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_clean_into),
        cmocka_unit_test(test_clean_nothing),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_printable_grows),
        cmocka_unit_test(test_printable_is_safe),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_width_of_signs),
        cmocka_unit_test(test_width_of_narrow_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
