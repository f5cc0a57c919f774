/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed input: members and frames in a row, and files that are cut or damaged anywhere. All
 * damage is reported, and the text before it is read.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/input_testing.h"

static tacho_str concatenate(tacho_str one, tacho_str two)
{
    char *both = malloc(one.len + two.len);
    assert_non_null(both);
    memcpy(both, one.data, one.len);
    memcpy(both + one.len, two.data, two.len);
    return tacho_str_make(both, one.len + two.len);
}

/* Several gzip members or zstd frames in a row are one text; empty ones among them. */
static void test_several_members(void **state)
{
    for (size_t i = 0; i < 2; i++) {
        tacho_str one = compressors[i](TACHO_STR("a\nb"));
        tacho_str empty = compressors[i](TACHO_STR(""));
        tacho_str two = compressors[i](TACHO_STR("c\nd\n"));
        tacho_str front = concatenate(empty, one);
        tacho_str back = concatenate(empty, two);
        tacho_str all = concatenate(front, back);
        check_lines_of(*state, all, TACHO_STR("a\nbc\nd\n"), "a|bc|d|");
        discard(one);
        discard(empty);
        discard(two);
        discard(front);
        discard(back);
        discard(all);
    }
}

/* Skippable frames, before and between frames of ours, are passed over. */
static void test_skippable_frames(void **state)
{
    static const tacho_str skippable[] = {
        TACHO_STR_INIT("\x50\x2a\x4d\x18\x03\0\0\0abc"),
        TACHO_STR_INIT("\x5f\x2a\x4d\x18\0\0\0\0"),
    };
    tacho_str packed = compress_zstd(TACHO_STR("a\nb"));
    for (size_t i = 0; i < 2; i++) {
        tacho_str one = concatenate(skippable[i], packed);
        tacho_str all = concatenate(one, one);
        check_lines_of(*state, all, TACHO_STR("a\nba\nb"), "a|ba|b|");
        check_lines_of(*state, skippable[i], TACHO_STR(""), "");
        discard(one);
        discard(all);
    }
    discard(packed);
    /* One byte beside the range is plain text. */
    check_lines_of(*state, TACHO_STR("\x60\x2a\x4d\x18"), TACHO_STR("\x60\x2a\x4d\x18"),
                   "\x60\x2a\x4d\x18|");
}

/* Checks that |input| yields a prefix of |text| and ends; returns how long a prefix. */
static size_t read_prefix(tacho_input *input, tacho_str text)
{
    tacho_str seen = {0};
    assert_null(tacho_input_peek(input, text.len + 1, &seen));
    assert_true(seen.len <= text.len);
    assert_memory_equal(seen.data, text.data, seen.len);
    return seen.len;
}

/* Exactly |len| bytes of |packed|, so that the sanitizers see a read past them. */
static size_t read_cut(tacho_str packed, size_t len, tacho_str text, const char **out_damage)
{
    char *exact = malloc(len);
    assert_non_null(exact);
    memcpy(exact, packed.data, len);
    tacho_input input;
    assert_null(tacho_input_open_bytes("bytes", tacho_str_make(exact, len), &input));
    size_t got = read_prefix(&input, text);
    *out_damage = tacho_input_damage(&input);
    tacho_input_close(&input);
    free(exact);
    return got;
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    static const size_t magic_lens[2] = {3, 4};
    tacho_str text = TACHO_STR("0;1520;310;loc(\"a\":1:2)\n1;1530;90;loc(\"b\":3:4)\nend");
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](text);
        const char *damage = NULL;
        size_t longest = 0;
        for (size_t len = magic_lens[i]; len < packed.len; len++) {
            size_t got = read_cut(packed, len, text, &damage);
            assert_non_null(damage);
            assert_string_equal(damage, "the compressed stream is cut off");
            assert_true(got >= longest); /* more bytes never give less text */
            longest = got;
        }
        assert_int_equal(read_cut(packed, packed.len, text, &damage), text.len);
        assert_null(damage);
        discard(packed);
    }
}

/* The same where the second member is cut: all of the first is read. */
static void test_cut_second_member(void **state)
{
    (void)state;
    tacho_str text = TACHO_STR("one\ntwo\n");
    for (size_t i = 0; i < 2; i++) {
        tacho_str one = compressors[i](TACHO_STR("one\n"));
        tacho_str two = compressors[i](TACHO_STR("two\n"));
        tacho_str both = concatenate(one, two);
        const char *damage = NULL;
        for (size_t len = one.len; len <= both.len; len++) {
            bool is_whole = len == one.len || len == both.len;
            assert_true(read_cut(both, len, text, &damage) >= 4);
            assert_int_equal(damage == NULL, is_whole);
        }
        discard(one);
        discard(two);
        discard(both);
    }
}

/* A file cut in the middle, long enough for whole windows before the cut. */
static void test_cut_file(void **state)
{
    const scratch *made = *state;
    tacho_str text = make_long_text(3000);
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](text);
        write_file(made->path, tacho_str_make(packed.data, packed.len - packed.len / 4));
        tacho_input input;
        assert_null(tacho_input_open(made->path, &input));
        size_t got = read_prefix(&input, text);
        assert_true(got > text.len / 4 && got < text.len);
        assert_string_equal(tacho_input_damage(&input), "the compressed stream is cut off");
        tacho_input_close(&input);
        discard(packed);
    }
    discard(text);
}

/* Every single byte turned over: no crash, and no wrong text without a word about it. */
static void test_damage_anywhere(void **state)
{
    (void)state;
    tacho_str text = TACHO_STR("0;1520;310;loc(\"a\":1:2)\n1;1530;90;loc(\"b\":3:4)\nend");
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](text);
        tacho_str copy = concatenate(packed, TACHO_STR(""));
        char *bytes = (char *)(uintptr_t)copy.data;
        for (size_t at = 4; at < packed.len; at++) {
            bytes[at] = (char)~bytes[at];
            tacho_input input;
            tacho_str seen = {0};
            assert_null(tacho_input_open_bytes("bytes", copy, &input));
            assert_null(tacho_input_peek(&input, 1 << 20, &seen));
            if (tacho_input_damage(&input) == NULL && !tacho_str_equal(seen, text)) {
                fail_msg("%s: byte %zu", compressor_names[i], at);
            }
            tacho_input_close(&input);
            bytes[at] = (char)~bytes[at];
        }
        discard(packed);
        discard(copy);
    }
}

static void test_bad_checksum(void **state)
{
    (void)state;
    tacho_str text = TACHO_STR("some text\n");
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](text);
        char *bytes = (char *)(uintptr_t)packed.data;
        bytes[packed.len - (i == 0 ? 5 : 1)] ^= 1; /* gzip keeps the length after it */
        tacho_input input;
        assert_null(tacho_input_open_bytes("bytes", packed, &input));
        read_prefix(&input, text);
        assert_string_equal(tacho_input_damage(&input), "the compressed stream is damaged");
        tacho_input_close(&input);
        discard(packed);
    }
}

/* Garbage after a whole stream is damage, but costs no text. */
static void test_garbage_behind(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](TACHO_STR("a\nb\n"));
        tacho_str both = concatenate(packed, TACHO_STR("no magic number"));
        const char *damage = NULL;
        assert_int_equal(read_cut(both, both.len, TACHO_STR("a\nb\n"), &damage), 4);
        assert_non_null(damage);
        discard(packed);
        discard(both);
    }
}

/* A line that the damage cut through is not returned: half a number would read as one. */
static void test_cut_line_is_lost(void **state)
{
    const scratch *made = *state;
    tacho_str text = make_long_text(3000);
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](text);
        write_file(made->path, tacho_str_make(packed.data, packed.len - packed.len / 4));
        tacho_input input;
        assert_null(tacho_input_open(made->path, &input));
        const char *expected = text.data;
        tacho_str line = {0};
        bool got = true;
        while (got) {
            assert_null(tacho_input_line(&input, &line, &got));
            if (got) {
                size_t len = strcspn(expected, "\r\n");
                assert_int_equal(line.len, len);
                assert_int_equal(memcmp(line.data, expected, len), 0);
                expected += len + strspn(expected + len, "\r\n");
            }
        }
        assert_true(input.line_number > 100 && input.line_number < 3000);
        assert_non_null(tacho_input_damage(&input));
        assert_null(tacho_input_line(&input, &line, &got));
        assert_false(got);
        tacho_input_close(&input);
        discard(packed);
    }
    discard(text);
}

/* Bytes that no compression makes smaller; the caller frees them. */
static char *make_noise(size_t len)
{
    char *text = malloc(len);
    uint32_t value = 1;
    assert_non_null(text);
    for (size_t i = 0; i < len; i++) {
        value = value * 1664525u + 1013904223u;
        text[i] = (char)(value >> 24);
    }
    return text;
}

/* Text that does not shrink: more compressed bytes than one window holds. */
static void test_incompressible_stream(void **state)
{
    const scratch *made = *state;
    enum { TEXT_BYTES = 3 * WINDOW_BYTES };
    char *text = make_noise(TEXT_BYTES);
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](tacho_str_make(text, TEXT_BYTES));
        assert_true(packed.len > 2 * WINDOW_BYTES);
        tacho_input input;
        write_file(made->path, packed);
        assert_null(tacho_input_open(made->path, &input));
        assert_int_equal(read_prefix(&input, tacho_str_make(text, TEXT_BYTES)), TEXT_BYTES);
        assert_null(tacho_input_damage(&input));
        tacho_input_close(&input);
        assert_null(tacho_input_open_bytes("bytes", packed, &input));
        assert_int_equal(read_prefix(&input, tacho_str_make(text, TEXT_BYTES)), TEXT_BYTES);
        assert_null(tacho_input_damage(&input));
        tacho_input_close(&input);
        discard(packed);
    }
    free(text);
}

/* A window's worth of text from a few bytes, thousands of times over. */
static void test_dense_stream(void **state)
{
    const scratch *made = *state;
    enum { TEXT_BYTES = 8 << 20 };
    char *text = calloc(1, TEXT_BYTES);
    assert_non_null(text);
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](tacho_str_make(text, TEXT_BYTES));
        write_file(made->path, packed);
        tacho_input input;
        assert_null(tacho_input_open(made->path, &input));
        for (;;) {
            tacho_str seen = {0};
            assert_null(tacho_input_peek(&input, 1, &seen));
            if (seen.len == 0) {
                break;
            }
            assert_int_equal(memcmp(seen.data, text, seen.len), 0);
            tacho_input_skip(&input, seen.len);
        }
        assert_int_equal(tacho_input_offset(&input), TEXT_BYTES);
        assert_int_equal(input.buffer_capacity, WINDOW_BYTES); /* a window, not the whole text */
        assert_null(tacho_input_damage(&input));
        tacho_input_close(&input);
        discard(packed);
    }
    free(text);
}

/* |packed| in a file begins with |text|, however much of it is asked for. */
static void check_content(const scratch *made, tacho_str packed, tacho_str text)
{
    static const size_t sizes[] = {4, 5, 64, 4096, 9000};
    char head[9000];
    write_file(made->path, packed);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t len = text.len < sizes[i] ? text.len : sizes[i];
        memset(head, '~', sizeof(head));
        assert_int_equal(tacho_input_read_content(made->path, head, sizes[i]), len);
        assert_memory_equal(head, text.data, len);
        for (size_t at = sizes[i]; at < sizeof(head); at++) {
            assert_int_equal(head[at], '~');
        }
    }
}

/* The first bytes of a file's content, at the price of a few of its own. */
static void test_content(void **state)
{
    const scratch *made = *state;
    enum { TEXT_BYTES = 3 * WINDOW_BYTES };
    char *text = make_noise(TEXT_BYTES); /* a block of zstd takes over 100 KB of it */
    tacho_str whole = tacho_str_make(text, TEXT_BYTES);
    check_content(made, whole, whole);
    check_content(made, TACHO_STR("plain"), TACHO_STR("plain"));
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](whole);
        tacho_str little = compressors[i](TACHO_STR("a\nb"));
        tacho_str empty = compressors[i](TACHO_STR(""));
        tacho_str front = concatenate(empty, little);
        tacho_str both = concatenate(front, little);
        check_content(made, packed, whole);
        check_content(made, both, TACHO_STR("a\nba\nb"));
        check_content(made, empty, TACHO_STR(""));
        check_content(made, tacho_str_make(little.data, 4), TACHO_STR("")); /* cut */
        discard(packed);
        discard(little);
        discard(empty);
        discard(front);
        discard(both);
    }
    free(text);
    assert_int_equal(tacho_input_read_content("/dev/null", (char[4]){0}, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_several_members),    IN_SCRATCH(test_skippable_frames),
        cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_cut_second_member),
        IN_SCRATCH(test_cut_file),           cmocka_unit_test(test_damage_anywhere),
        cmocka_unit_test(test_bad_checksum), cmocka_unit_test(test_garbage_behind),
        IN_SCRATCH(test_cut_line_is_lost),   IN_SCRATCH(test_incompressible_stream),
        IN_SCRATCH(test_dense_stream),       IN_SCRATCH(test_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
