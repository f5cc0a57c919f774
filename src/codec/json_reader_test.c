/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a reader are compared as text, a token per word; see json_testing.h.
 */
#include "codec/json_testing.h"

static const tacho_json_options lenient = {.is_lenient = true};
static const tacho_json_options open_array = {.allows_open_array = true};

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
        {"[[{},]", "[ [ { } ]  END"},
        {"[[{},],{}]", "[ [ { } ] { } ] END"},
        {"{\"a\":[1,],\"b\":[[2,],],\"c\":3}", "{ K:a [ N:1 ] K:b [ [ N:2 ] ] K:c N:3 } END"},
        {"{\"a\":1,}", "{ K:a N:1 FAIL x.json: byte 7: expected a key in quotes, found '}'"},
        {"[\n{}\n{}\n]", "[ { } { } ] END"},
        {"[{} {\"a\":1}{},{}", "[ { } { K:a N:1 } { } { }  END"},
        {"[[{} {}]]", "[ [ { } FAIL x.json: byte 5: expected ',' or ']', found '{'"},
        {"{\"a\":[{} {}]}", "{ K:a [ { } FAIL x.json: byte 9: expected ',' or ']', found '{'"},
        {"[{} 1]", "[ { } FAIL x.json: byte 4: expected ',' or ']', found '1'"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),          cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_lone_surrogates), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_fails_again),     cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_open_array),      cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
