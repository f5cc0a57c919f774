/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample is read through buffers of every size, in drips, cut at every byte, skipped and taken
 * raw at every token, and held; the tokens must be the same each time.
 */
#define _POSIX_C_SOURCE 200809L
#include "codec/json_testing.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

enum { TOKEN_MAX = 128 };

/* Has everything in it, and escapes at either end of strings. */
static const char sample[] =
    "{\"schemaVersion\": 1,\n  \"traceEvents\" : [\r\n"
    "{\"ph\":\"X\",\"name\":\"\\u00e9t\\u00e9 \\\"x\\\" \\ud83d\\ude00\",\"ts\":3869985522357.763,"
    "\"args\":{\"Input Dims\":[[8,128,768],[],[-0.5e+10]],\"a longer key, of 30 bytes\\n\":\"\"}},"
    "\t{\"flags\" : [true, false,null ], \"\" : {} , \"path\":\"C:\\\\temp\\\\a b c\\/d\"}\n ],"
    "\"text of more than sixteen bytes\":\"\xc3\xa9 and a value that is longer than that\"}\n";

/* Every size of buffer at which the sample can be broken, and every place. */
static void test_small_buffers(void **state)
{
    (void)state;
    char expected[TEXT_BYTES];
    read_all(tacho_str_from_cstring(sample), NULL, expected);
    assert_non_null(strstr(expected, " K:name S:\xc3\xa9t\xc3\xa9 \"x\" \xf0\x9f\x98\x80 K:ts "));
    assert_non_null(strstr(expected, " } END"));
    char padded[sizeof(sample) + 64];
    for (size_t pad = 0; pad < 64; pad++) {
        memset(padded, ' ', pad);
        memcpy(padded + pad, sample, sizeof(sample));
        for (size_t buffer_bytes = 1; buffer_bytes < 80; buffer_bytes++) {
            tacho_json_options options = {.buffer_bytes = buffer_bytes};
            char text[TEXT_BYTES];
            read_all(tacho_str_from_cstring(padded), &options, text);
            assert_string_equal(text, expected);
        }
    }
}

/* A pipe that gives a byte at a time. */
static void test_trickle(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (size_t i = 0; i < sizeof(sample) - 1; i++) {
            if (write(ends[1], sample + i, 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    char path[32];
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    tacho_input input;
    tacho_json_reader reader;
    assert_null(tacho_input_open(path, &input));
    assert_null(tacho_json_reader_init(&reader, &input, NULL));
    char expected[TEXT_BYTES];
    char text[TEXT_BYTES] = "";
    read_all(tacho_str_from_cstring(sample), NULL, expected);
    append_all(text, &reader);
    assert_string_equal(text, expected);
    close_all(&input, &reader);
    close(ends[0]);
    int child_status = 1;
    assert_int_equal(waitpid(child, &child_status, 0), child);
    assert_int_equal(child_status, 0);
}

/* After any cut, the tokens are the first ones of the whole text, and the cut is noticed. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    char whole[TEXT_BYTES];
    read_all(tacho_str_from_cstring(sample), NULL, whole);
    for (size_t len = 0; len < sizeof(sample) - 2; len++) {
        char text[TEXT_BYTES];
        assert_true(read_all(tacho_str_make(sample, len), NULL, text));
        char *failure = strstr(text, "FAIL x.json: byte ");
        assert_non_null(failure);
        assert_int_equal(memcmp(text, whole, (size_t)(failure - text)), 0);
        assert_non_null(strstr(failure, ", found the end of the input"));
    }
}

static void test_damaged_gzip(void **state)
{
    (void)state;
    unsigned char packed[2048];
    z_stream stream = {.next_out = packed, .avail_out = sizeof(packed)};
    stream.next_in = (z_const Bytef *)(uintptr_t)sample;
    stream.avail_in = sizeof(sample) - 1;
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t len = sizeof(packed) - stream.avail_out;
    deflateEnd(&stream);
    char whole[TEXT_BYTES];
    char text[TEXT_BYTES];
    read_all(tacho_str_from_cstring(sample), NULL, whole);
    assert_false(read_all(tacho_str_make((const char *)packed, len), NULL, text));
    assert_string_equal(text, whole);
    assert_true(read_all(tacho_str_make((const char *)packed, len / 2), NULL, text));
    assert_non_null(strstr(text, "found the end of the input; the compressed stream is cut off"));
}

/* A token of the sample, as tacho_json_next returns it. */
typedef struct told_token {
    tacho_json_token kind;
    uint64_t offset;
} told_token;

static size_t tell_sample(told_token *out_tokens)
{
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, tacho_str_from_cstring(sample), NULL);
    size_t count = 0;
    do {
        assert_true(count < TOKEN_MAX);
        assert_null(tacho_json_next(&reader, &out_tokens[count].kind));
        out_tokens[count].offset = tacho_json_offset(&reader);
    } while (out_tokens[count++].kind != TACHO_JSON_END);
    close_all(&input, &reader);
    return count;
}

static bool is_begin(tacho_json_token kind)
{
    return kind == TACHO_JSON_OBJECT_BEGIN || kind == TACHO_JSON_ARRAY_BEGIN;
}

/* Index of the last token of the value that tokens[at] begins, or is the key of. */
static size_t find_value_end(const told_token *tokens, size_t at)
{
    at += tokens[at].kind == TACHO_JSON_KEY ? 1 : 0;
    for (int open = 0;; at++) {
        tacho_json_token kind = tokens[at].kind;
        open += is_begin(kind) ? 1 : 0;
        open -= kind == TACHO_JSON_OBJECT_END || kind == TACHO_JSON_ARRAY_END ? 1 : 0;
        if (open <= 0) {
            return at;
        }
    }
}

static void read_up_to(tacho_json_reader *reader, size_t count)
{
    tacho_json_token token = TACHO_JSON_END;
    for (size_t i = 0; i < count; i++) {
        assert_null(tacho_json_next(reader, &token));
    }
}

/* Skipping after any token leads to the end of its value, and the rest reads the same. */
static void test_skip(void **state)
{
    (void)state;
    told_token tokens[TOKEN_MAX];
    size_t count = tell_sample(tokens);
    for (size_t i = 0; i + 1 < count; i++) {
        tacho_json_options options = {.buffer_bytes = 1 + i};
        tacho_input input;
        tacho_json_reader reader;
        bool leads_on = tokens[i].kind == TACHO_JSON_KEY || is_begin(tokens[i].kind);
        size_t end = leads_on ? find_value_end(tokens, i) : i;
        char expected[TEXT_BYTES] = "";
        char text[TEXT_BYTES] = "";
        open_text(&input, &reader, tacho_str_from_cstring(sample), NULL);
        read_up_to(&reader, end + 1);
        append_all(expected, &reader);
        close_all(&input, &reader);
        open_text(&input, &reader, tacho_str_from_cstring(sample), &options);
        read_up_to(&reader, i + 1);
        assert_null(tacho_json_skip(&reader));
        assert_int_equal(tacho_json_offset(&reader), tokens[end].offset);
        assert_null(tacho_json_skip(&reader));
        append_all(text, &reader);
        assert_string_equal(text, expected);
        close_all(&input, &reader);
    }
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, TACHO_STR("[{\"a\":[1,2}]"), NULL);
    read_up_to(&reader, 1);
    char text[TEXT_BYTES] = "";
    assert_true(append_failure(text, tacho_json_skip(&reader)));
    assert_string_equal(text, "FAIL x.json: byte 10: expected ',' or ']', found '}'");
    close_all(&input, &reader);
}

static void test_raw_value(void **state)
{
    (void)state;
    told_token tokens[TOKEN_MAX];
    size_t count = tell_sample(tokens);
    for (size_t i = 0; i + 1 < count; i++) {
        if (tokens[i].kind != TACHO_JSON_KEY && !is_begin(tokens[i].kind)) {
            continue;
        }
        tacho_json_options options = {.buffer_bytes = 1 + i};
        tacho_input input;
        tacho_json_reader reader;
        open_text(&input, &reader, tacho_str_from_cstring(sample), &options);
        read_up_to(&reader, i + 1);
        tacho_str raw;
        assert_null(tacho_json_raw_value(&reader, &raw));
        size_t first = tokens[i].kind == TACHO_JSON_KEY ? i + 1 : i;
        uint64_t start = tokens[first].offset - (tokens[first].kind == TACHO_JSON_STRING);
        assert_memory_equal(raw.data, sample + start, raw.len);
        tacho_json_token next = TACHO_JSON_END;
        assert_null(tacho_json_next(&reader, &next));
        assert_int_equal(tacho_json_offset(&reader), tokens[find_value_end(tokens, i) + 1].offset);
        close_all(&input, &reader);
    }
    tacho_input input;
    tacho_json_reader reader;
    tacho_str raw;
    open_text(&input, &reader, TACHO_STR("{\"a\" : \"\\u0041\" , \"b\":[ 1 ]}"), NULL);
    read_up_to(&reader, 2);
    assert_null(tacho_json_raw_value(&reader, &raw));
    assert_true(tacho_str_equal(raw, TACHO_STR("\"\\u0041\"")));
    read_up_to(&reader, 1);
    assert_null(tacho_json_raw_value(&reader, &raw));
    assert_true(tacho_str_equal(raw, TACHO_STR("[ 1 ]")));
    close_all(&input, &reader);
}

/* Texts read under a hold are the same when it ends, wherever the buffers end. */
static void test_hold(void **state)
{
    (void)state;
    for (size_t buffer_bytes = 1; buffer_bytes < 200; buffer_bytes++) {
        tacho_json_options options = {.buffer_bytes = buffer_bytes};
        tacho_input input;
        tacho_json_reader reader;
        open_text(&input, &reader, tacho_str_from_cstring(sample), &options);
        tacho_str texts[TOKEN_MAX];
        tacho_json_token kinds[TOKEN_MAX];
        char expected[TEXT_BYTES] = "";
        char text[TEXT_BYTES] = "";
        size_t count = 0;
        read_up_to(&reader, buffer_bytes % 7);
        texts[count] = reader.text;
        kinds[count++] = TACHO_JSON_NULL;
        append_token(expected, TACHO_JSON_NULL, reader.text);
        tacho_json_hold(&reader);
        do {
            assert_null(tacho_json_next(&reader, &kinds[count]));
            texts[count] = reader.text;
            append_token(expected, kinds[count], texts[count]);
        } while (kinds[count++] != TACHO_JSON_END);
        for (size_t i = 0; i < count; i++) {
            append_token(text, kinds[i], texts[i]);
        }
        assert_string_equal(text, expected);
        tacho_json_release(&reader);
        close_all(&input, &reader);
    }
}

/* |len| bytes of |head|, then |fill| over and over, then |tail|. */
static tacho_str make_long(const char *head, const char *fill, const char *tail, size_t len)
{
    size_t fill_len = strlen(fill);
    char *text = malloc(len);
    assert_non_null(text);
    memcpy(text, head, strlen(head));
    for (size_t at = strlen(head); at < len; at += fill_len) {
        memcpy(text + at, fill, fill_len < len - at ? fill_len : len - at);
    }
    memcpy(text + len - strlen(tail), tail, strlen(tail));
    return tacho_str_make(text, len);
}

static void test_limits(void **state)
{
    (void)state;
    enum { HOLD = 1, RAW = 2, SKIP = 4 };
    static const struct {
        const char *head, *fill, *tail, *failure;
        size_t len;
        int how;
    } cases[] = {
        {"[\"", "a", "\" ]", NULL, TACHO_INPUT_TOKEN_MAX + 2, SKIP},
        {"[\"", "a", "\" ]", "1: the token that begins here exceeds 16 MiB",
         TACHO_INPUT_TOKEN_MAX + 3, SKIP},
        {"[", "1", " ]", "1: the token that begins here exceeds 16 MiB", TACHO_INPUT_TOKEN_MAX + 2,
         SKIP},
        {"[", " ", "]", NULL, 20 << 20, SKIP},
        {"[0", ",0", "]", NULL, (20 << 20) + 1, SKIP},
        {"[0", ",0", "]", "0: the value that begins here exceeds 16 MiB", (20 << 20) + 1, RAW},
        {"[0", ",0", "]", "0: the value that begins here exceeds 16 MiB", (20 << 20) + 1, HOLD},
        {"[0", ",0", "]", NULL, (16 << 20) - 1, RAW},
        {"[0", ",0", "]", NULL, (16 << 20) - 1, HOLD},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str json = make_long(cases[i].head, cases[i].fill, cases[i].tail, cases[i].len);
        tacho_input input;
        tacho_json_reader reader;
        open_text(&input, &reader, json, NULL);
        read_up_to(&reader, 1);
        if (cases[i].how == HOLD) {
            tacho_json_hold(&reader);
        }
        tacho_str raw;
        tacho_status status =
            cases[i].how == RAW ? tacho_json_raw_value(&reader, &raw) : tacho_json_skip(&reader);
        char text[TEXT_BYTES] = "";
        bool failed = append_failure(text, status);
        assert_int_equal(failed, cases[i].failure != NULL);
        assert_true(!failed || strcmp(text + strlen("FAIL x.json: byte "), cases[i].failure) == 0);
        close_all(&input, &reader);
        free((void *)(uintptr_t)json.data);
    }
}

/* The buffer does not grow with the input. */
static void test_bounded(void **state)
{
    (void)state;
    tacho_str json = make_long("[0", ",{\"name\":\"aten::view\"}", "]", 22 * 100000 + 3);
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, json, NULL);
    tacho_json_token token = TACHO_JSON_NULL;
    size_t token_count = 0;
    while (token != TACHO_JSON_END) {
        assert_null(tacho_json_next(&reader, &token));
        token_count++;
        if (token == TACHO_JSON_OBJECT_BEGIN) {
            tacho_json_hold(&reader);
        }
        assert_true(reader.limit - reader.base <= 128 << 10);
    }
    assert_int_equal(token_count, 4 * 100000 + 4);
    close_all(&input, &reader);
    free((void *)(uintptr_t)json.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_trickle),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_damaged_gzip),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_raw_value),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
