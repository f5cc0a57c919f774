/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader hands out is compared as text, a token per word: brackets as they are, K:key,
 * S:string, N:number, T:true and the like, END, and a failure as FAIL and its message.
 */
#define _POSIX_C_SOURCE 200809L
#include "codec/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

enum { TEXT_BYTES = 4096, TOKEN_MAX = 128 };

static const tacho_json_options lenient = {.is_lenient = true};
static const tacho_json_options open_array = {.allows_open_array = true};

/* Has everything in it, and escapes at either end of strings. */
static const char sample[] =
    "{\"schemaVersion\": 1,\n  \"traceEvents\" : [\r\n"
    "{\"ph\":\"X\",\"name\":\"\\u00e9t\\u00e9 \\\"x\\\" \\ud83d\\ude00\",\"ts\":3869985522357.763,"
    "\"args\":{\"Input Dims\":[[8,128,768],[],[-0.5e+10]],\"a longer key, of 30 bytes\\n\":\"\"}},"
    "\t{\"flags\" : [true, false,null ], \"\" : {} , \"path\":\"C:\\\\temp\\\\a b c\\/d\"}\n ],"
    "\"text of more than sixteen bytes\":\"\xc3\xa9 and a value that is longer than that\"}\n";

static void append(char *text, const char *word, tacho_str rest)
{
    size_t len = strlen(text);
    int added = snprintf(text + len, TEXT_BYTES - len, "%s%s%.*s", len == 0 ? "" : " ", word,
                         TACHO_STR_ARG(rest));
    assert_true(added >= 0 && (size_t)added < TEXT_BYTES - len);
}

static void append_token(char *text, tacho_json_token token, tacho_str token_text)
{
    static const char *const words[] = {"", "", "", "", "K:", "S:", "N:", "T:", "F:", "0:", "END"};
    append(text, words[token], token_text);
}

/* Appends a failure, frees it, and returns whether there was one. */
static bool append_failure(char *text, tacho_status status)
{
    if (status == TACHO_OK) {
        return false;
    }
    append(text, "FAIL ", tacho_str_from_cstring(tacho_status_message(status)));
    tacho_status_free(status);
    return true;
}

/* Appends the tokens that are left, END or a failure included. */
static void append_all(char *text, tacho_json_reader *reader)
{
    tacho_json_token token = TACHO_JSON_NULL;
    do {
        if (append_failure(text, tacho_json_next(reader, &token))) {
            return;
        }
        append_token(text, token, reader->text);
    } while (token != TACHO_JSON_END);
}

static void open_text(tacho_input *input, tacho_json_reader *reader, tacho_str text,
                      const tacho_json_options *options)
{
    assert_null(tacho_input_open_bytes("x.json", text, input));
    assert_null(tacho_json_reader_init(reader, input, options));
}

static void close_all(tacho_input *input, tacho_json_reader *reader)
{
    tacho_json_reader_deinit(reader);
    tacho_input_close(input);
}

/* All of |json| as text; returns whether it was found to be cut. */
static bool read_all(tacho_str json, const tacho_json_options *options, char *out_text)
{
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, json, options);
    out_text[0] = '\0';
    append_all(out_text, &reader);
    bool is_cut = reader.is_cut;
    close_all(&input, &reader);
    return is_cut;
}

static void check(const char *json, const tacho_json_options *options, const char *expected)
{
    char text[TEXT_BYTES];
    read_all(tacho_str_from_cstring(json), options, text);
    assert_string_equal(text, expected);
}

static void test_tokens(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{}", "{ } END"},
        {" [ ] ", "[ ] END"},
        {"0", "N:0 END"},
        {"-0.25e-3 ", "N:-0.25e-3 END"},
        {"\"\"", "S: END"},
        {"true", "T:true END"},
        {"false", "F:false END"},
        {"null", "0:null END"},
        {"[1,-2,3.5,4E5]", "[ N:1 N:-2 N:3.5 N:4E5 ] END"},
        {"{\"a\":1,\"a\":[{\"b\":{}}]}", "{ K:a N:1 K:a [ { K:b { } } ] } END"},
        {"\r\n\t {\"a\" : \t\"b\"\n,\n\"c\":\r\n[ ]}", "{ K:a S:b K:c [ ] } END"},
        {"[[],[[]],{}]", "[ [ ] [ [ ] ] { } ] END"},
        {"\"\x7f\xff\xc3\"", "S:\x7f\xff\xc3 END"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(cases[i][0], NULL, cases[i][1]);
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "S:\"\\/\b\f\n\r\t END"},
        {"\"\\u0041\\u00e9\\u20AC\\uFFFF\"", "S:A\xc3\xa9\xe2\x82\xac\xef\xbf\xbf END"},
        {"\"\\ud83d\\ude00\\uDBFF\\uDFFF\"", "S:\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf END"},
        {"{\"\\u0061\":1}", "{ K:a N:1 } END"},
        {"[\"a\\tb\",\"c\"]", "[ S:a\tb S:c ] END"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(cases[i][0], NULL, cases[i][1]);
    }
}

static void test_lone_surrogates(void **state)
{
    (void)state;
#define R "\xef\xbf\xbd"
    static const struct {
        const char *json;
        const char *text;
        uint64_t count;
    } cases[] = {
        {"\"\\ud83d\"", R, 1},
        {"\"\\ude00\"", R, 1},
        {"\"\\ude00\\ud83d\"", R R, 2},
        {"\"\\ud83d\\ud83d\\ude00\"", R "\xf0\x9f\x98\x80", 1},
        {"\"\\ud83d\\ude00\\ude00\"", "\xf0\x9f\x98\x80" R, 1},
        {"\"\\ud83dx\\ude00\"", R "x" R, 2},
        {"\"\\ud83d\\n\\ude00\"", R "\n" R, 2},
        {"\"\\ud83d\\u0041\"", R "A", 1},
    };
#undef R
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_input input;
        tacho_json_reader reader;
        open_text(&input, &reader, tacho_str_from_cstring(cases[i].json), NULL);
        tacho_json_token token = TACHO_JSON_END;
        assert_null(tacho_json_next(&reader, &token));
        assert_int_equal(token, TACHO_JSON_STRING);
        assert_true(tacho_str_equal(reader.text, tacho_str_from_cstring(cases[i].text)));
        assert_int_equal(reader.surrogate_count, cases[i].count);
        close_all(&input, &reader);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[1 2]", "[ N:1 FAIL x.json: byte 3: expected ',' or ']', found '2'"},
        {"[1}", "[ N:1 FAIL x.json: byte 2: expected ',' or ']', found '}'"},
        {"[1,]", "[ N:1 FAIL x.json: byte 3: expected a value, found ']'"},
        {"[,1]", "[ FAIL x.json: byte 1: expected a value, found ','"},
        {"{\"a\":1,}", "{ K:a N:1 FAIL x.json: byte 7: expected a key in quotes, found '}'"},
        {"{\"a\" 1}", "{ K:a FAIL x.json: byte 5: expected ':' after a key, found '1'"},
        {"{\"a\":}", "{ K:a FAIL x.json: byte 5: expected a value, found '}'"},
        {"{\"a\":1 \"b\":2}", "{ K:a N:1 FAIL x.json: byte 7: expected ',' or '}', found '\"'"},
        {"{1:2}", "{ FAIL x.json: byte 1: expected a key in quotes, found '1'"},
        {"]", "FAIL x.json: byte 0: expected a value, found ']'"},
        {"{}}", "{ } FAIL x.json: byte 2: expected the end of the input, found '}'"},
        {"1,2", "N:1 FAIL x.json: byte 1: expected the end of the input, found ','"},
        {"01", "N:0 FAIL x.json: byte 1: expected the end of the input, found '1'"},
        {"[-]", "[ FAIL x.json: byte 2: expected a digit, found ']'"},
        {"[1.]", "[ FAIL x.json: byte 3: expected a digit after the decimal point, found ']'"},
        {"[1e+]", "[ FAIL x.json: byte 4: expected a digit of the exponent, found ']'"},
        {"[.5]", "[ FAIL x.json: byte 1: expected a value, found '.'"},
        {"[+5]", "[ FAIL x.json: byte 1: expected a value, found '+'"},
        {"[trve]", "[ FAIL x.json: byte 3: expected true, false or null, found 'v'"},
        {"[nullx]", "[ 0:null FAIL x.json: byte 5: expected ',' or ']', found 'x'"},
        {"[NaN]", "[ FAIL x.json: byte 1: expected a value, found 'N'"},
        {"\xef\xbb\xbf[]", "FAIL x.json: byte 0: expected a value, found byte 0xef"},
        {"[\v1]", "[ FAIL x.json: byte 1: expected a value, found byte 0x0b"},
        {"\"\\x\"", "FAIL x.json: byte 2: expected an escape (one of \" \\ / b f n r t u), "
                    "found 'x'"},
        {"\"\\u12g4\"", "FAIL x.json: byte 5: expected a hexadecimal digit of \\u, found 'g'"},
        {"\"a\nb\"", "FAIL x.json: byte 2: expected an escape instead of a control character, "
                     "found byte 0x0a"},
        {"", "FAIL x.json: byte 0: expected a value, found the end of the input"},
        {"{\"a\"", "{ K:a FAIL x.json: byte 4: expected ':' after a key, found the end of the "
                   "input"},
        {"[12", "[ FAIL x.json: byte 3: expected what follows a number, found the end of the "
                "input"},
        {"\"ab", "FAIL x.json: byte 3: expected the rest of a string, found the end of the input"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(cases[i][0], NULL, cases[i][1]);
    }
    char text[TEXT_BYTES];
    read_all(tacho_str_make("[\0]", 3), NULL, text);
    assert_string_equal(text, "[ FAIL x.json: byte 1: expected a value, found byte 0x00");
}

static void test_fails_again(void **state)
{
    (void)state;
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, TACHO_STR("[1,x]"), NULL);
    char text[TEXT_BYTES] = "";
    append_all(text, &reader);
    append_all(text, &reader);
    assert_string_equal(text, "[ N:1 FAIL x.json: byte 3: expected a value, found 'x' "
                              "FAIL x.json: byte 3: expected a value, found 'x'");
    assert_int_equal(tacho_json_offset(&reader), 3);
    assert_false(reader.is_cut);
    close_all(&input, &reader);
}

static void test_lenient(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[\"a\nb\tc\\n\"]", "[ S:a\nb\tc\n ] END"},
        {"[NaN,-Infinity, Infinity ,nan]", "[ 0:NaN 0:-Infinity 0:Infinity 0:nan ] END"},
        {"{\"a\":-nan\n,\"b\":-inf}", "{ K:a 0:-nan K:b 0:-inf } END"},
        {"inf", "0:inf END"},
        {"\xef\xbb\xbf{}", "{ } END"},
        {"[nanx]", "[ FAIL x.json: byte 2: expected true, false or null, found 'a'"},
        {"[-x]", "[ FAIL x.json: byte 2: expected a digit, found 'x'"},
        {"[\xef\xbb\xbf]", "[ FAIL x.json: byte 1: expected a value, found byte 0xef"},
        {"\"a", "FAIL x.json: byte 2: expected the rest of a string, found the end of the input"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(cases[i][0], &lenient, cases[i][1]);
    }
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, TACHO_STR("[\"\001\002\",NaN,inf,-inf,1]"), &lenient);
    char text[TEXT_BYTES] = "";
    append_all(text, &reader);
    assert_int_equal(reader.control_count, 2);
    assert_int_equal(reader.not_finite_count, 3);
    close_all(&input, &reader);
}

static void test_open_array(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[", "[  END"},
        {"[{}", "[ { }  END"},
        {"[{},\n", "[ { }  END"},
        {"[{},]", "[ { } ] END"},
        {"[{},] x", "[ { } ] FAIL x.json: byte 6: expected the end of the input, found 'x'"},
        {"[{}]", "[ { } ] END"},
        {"[,]", "[ FAIL x.json: byte 1: expected a value, found ','"},
        {"[[{},]", "[ [ { } FAIL x.json: byte 5: expected a value, found ']'"},
        {"[{", "[ { FAIL x.json: byte 2: expected a key in quotes, found the end of the input"},
        {"[\"a", "[ FAIL x.json: byte 3: expected the rest of a string, found the end of the "
                 "input"},
        {"{\"a\":[", "{ K:a [ FAIL x.json: byte 6: expected a value, found the end of the input"},
        {"", "FAIL x.json: byte 0: expected a value, found the end of the input"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(cases[i][0], &open_array, cases[i][1]);
    }
}

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

/* Whatever the cut leaves, the tokens are the first ones of the whole and the cut is noticed. */
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

static void test_depth(void **state)
{
    (void)state;
    char json[2 * TACHO_JSON_DEPTH_MAX + 3];
    for (size_t depth = TACHO_JSON_DEPTH_MAX; depth <= TACHO_JSON_DEPTH_MAX + 1; depth++) {
        memset(json, '[', depth);
        memset(json + depth, ']', depth);
        char text[TEXT_BYTES];
        read_all(tacho_str_make(json, 2 * depth), NULL, text);
        const char *failure = strstr(text, "FAIL");
        if (depth == TACHO_JSON_DEPTH_MAX) {
            assert_null(failure);
        } else {
            assert_string_equal(failure, "FAIL x.json: byte 512: more than 512 objects and arrays "
                                         "inside one another");
        }
    }
    check("[{\"a\":[[{\"b\":[{}]}],{}]}]", NULL, "[ { K:a [ [ { K:b [ { } ] } ] { } ] } ] END");
}

/* A token of the sample, as tacho_json_next tells it. */
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

/* Skipping after any token leads to the end of its value, and what is left reads the same. */
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
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_lone_surrogates),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_fails_again),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_open_array),
        cmocka_unit_test(test_small_buffers),
        cmocka_unit_test(test_trickle),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_damaged_gzip),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_raw_value),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
