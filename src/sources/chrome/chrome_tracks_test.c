/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks of Chrome traces, with their names, classes and ranks, and the arguments of their events.
 */
#include "sources/chrome/chrome_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/chrome/chrome_testing.h"

/* ---- tracks ----------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const char expected[] = X_ROW("2") X_ROW("3") X_ROW("5") X_ROW("6")
        X_ROW("8") "track #0 t.json|group stack 0 rank 0\n"
                   "track #1 python 3254 [GPU 0]|group stack 0 rank 50 in #0\n"
                   "track #2 stream 7|compute stack 0 rank 9 in #1\n"
                   "track #3 stream 7|compute stack 0 rank 1 in #1\n"
                   "track #4 Spans|group stack 0 rank 1 in #0\n"
                   "track #5 PyTorch|host stack 0 rank 0 in #4\n"
                   "track #6 thread -5|host stack 0 rank 1 in #4\n"
                   "track #7 process 1.5|group stack 0 rank 2 in #0\n"
                   "track #8 thread 1.5|host stack 0 rank 0 in #7\n";
#define NAMES                                                                                      \
    M("process_name", "\"pid\":3254", "\"name\":\"old\"")                                          \
    M("process_name", "\"pid\":3254", "\"name\":\"python\"")                                       \
    M("process_labels", "\"pid\":3254", "\"labels\":\"GPU 0\"")                                    \
    M("process_sort_index", "\"pid\":3254", "\"sort_index\":50")                                   \
    M("thread_name", "\"pid\":3254,\"tid\":7", "\"name\":\"stream 7\"")                            \
    M("thread_name", "\"pid\":3254,\"tid\":8", "\"name\":\"stream 7\"")                            \
    M("thread_sort_index", "\"pid\":3254,\"tid\":7", "\"sort_index\":9")
#define EVENTS                                                                                     \
    X("\"pid\":3254,\"tid\":7")                                                                    \
    "," X("\"pid\":\"3254\",\"tid\":8.0") "," X("\"pid\":\"Spans\",\"tid\":\"PyTorch\"") "," X(    \
        "\"pid\":\"Spans\",\"tid\":-5") "," X("\"pid\":1.5")
    expect_tracks(NAMES EVENTS, expected);
    expect_tracks(EVENTS "," NAMES "{}", expected); /* late */
}

/* Categories decide the class of a thread; the name of its process counts only without them. */
static void test_classes(void **state)
{
    (void)state;
#define OF_GPU(tid, cat)                                                                           \
    "{\"ph\":\"X\",\"name\":\"x\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":" tid ",\"cat\":\"" cat     \
    "\"},"
    expect_tracks(M("process_labels", "\"pid\":1", "\"labels\":\"GPU 0\"")
                      OF_GPU("2", "python_function") OF_GPU("3", "kernel") OF_GPU("4", "odd") "{}",
                  "span #2 1000..2000 x|python_function\nspan #3 1000..2000 x|kernel\n"
                  "span #4 1000..2000 x|odd\n"
                  "track #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 1 [GPU 0]|group stack 0 rank 0 in #0\n"
                  "track #2 thread 2|host stack 0 rank 0 in #1\n"
                  "track #3 thread 3|compute stack 0 rank 1 in #1\n"
                  "track #4 thread 4|compute stack 0 rank 2 in #1\n");
}

static void test_more_names(void **state)
{
    (void)state;
    expect_tracks(
        M("process_name", "\"pid\":\"a\"", "\"name\":\"a\"")
            M("process_name", "\"pid\":\"b\"", "\"name\":\"host\"")
                M("process_name", "\"pid\":3", "\"name\":\"/device:GPU:0\"")
                    M("process_sort_index", "\"pid\":3", "\"sort_index\":99999999999")
                        M("process_sort_index", "\"pid\":\"b\"", "\"sort_index\":\"x\"")
                            M("thread_name", "\"pid\":77", "\"name\":\"never used\"")
                                X("\"pid\":\"a\",\"tid\":1") "," X("\"pid\":\"b\",\"tid\":1") "," X(
                                    "\"pid\":3,\"tid\":1") "," X("\"pid\":\"\",\"tid\":\"\""),
        X_ROW("2") X_ROW("4") X_ROW("6")
            X_ROW("8") "track #0 t.json|group stack 0 rank 0\n"
                       "track #1 a|group stack 0 rank 0 in #0\n"
                       "track #2 thread 1|host stack 0 rank 0 in #1\n"
                       "track #3 host b|group stack 0 rank 1 in #0\n"
                       "track #4 thread 1|host stack 0 rank 0 in #3\n"
                       "track #5 /device:GPU:0 3|group stack 0 rank 2147483647 in #0\n"
                       "track #6 thread 1|compute stack 0 rank 0 in #5\n"
                       "track #7 process|group stack 0 rank 4 in #0\n"
                       "track #8 thread|host stack 0 rank 0 in #7\n");
}

static void test_rank_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rank;
    } cases[] = {
        {"7", 7},
        {"\"7\"", 7},
        {"3.0", 3},
        {"\"3.0\"", 3},
        {"-2.0", -2},
        {"1e300", 2147483647},
        {"-1e300", -2147483647 - 1},
        {"18446744073709551615", 2147483647},
        {"\"x\"", 0},
        {"true", 0},
        {"null", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char events[256];
        char expected[256];
        print(events, sizeof(events),
              M("process_sort_index", "\"pid\":1", "\"sort_index\":%s") X("\"pid\":1"),
              cases[i].text);
        print(expected, sizeof(expected),
              X_ROW("2") "track #0 t.json|group stack 0 rank 0\n"
                         "track #1 process 1|group stack 0 rank %d in #0\n"
                         "track #2 thread 1|host stack 0 rank 0 in #1\n",
              cases[i].rank);
        expect_tracks(events, expected);
    }
}

/* An end without a begin leaves no empty track. */
static void test_end_makes_no_track(void **state)
{
    (void)state;
    expect_tracks("{\"ph\":\"E\",\"ts\":1,\"pid\":5,\"tid\":6}," GOOD,
                  GOOD_ROW("2") "lost unmatched_end 1 byte 1: \"ph\":\"E\",\"name\":\"\"\n"
                                "track #0 t.json|group stack 0 rank 0\n"
                                "track #1 process 1|group stack 0 rank 1 in #0\n"
                                "track #2 thread 7|host stack 0 rank 0 in #1\n");
}

/* ---- arguments -------------------------------------------------------------------------- */

static void expect_args(const char *args, const char *expected)
{
    char event[8192];
    char row[8192];
    snprintf(event, sizeof(event), "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":%s}", args);
    snprintf(row, sizeof(row), "span #2 1000..2000 |%s\n", expected);
    expect(event, row);
}

static void test_args(void **state)
{
    (void)state;
    expect_args("{}", "");
    expect_args("null", "");
    expect_args("\"text\"", "");
    expect_args("[1,2]", "");
    expect_args("{\"a\":1,\"a\":2,\"\":3}", " a=1 a=2 =3");
    expect_args("{\"a\":-9223372036854775808,\"b\":9223372036854775807,\"c\":9223372036854775808,"
                "\"d\":18446744073709551615,\"e\":18446744073709551616,\"f\":-9223372036854775809,"
                "\"g\":123456789012345678901234567890,\"h\":1000000000000000000,\"i\":-0}",
                " a=-9223372036854775808 b=9223372036854775807 c=9223372036854775808u"
                " d=18446744073709551615u e=<18446744073709551616> f=<-9223372036854775809>"
                " g=<123456789012345678901234567890> h=1000000000000000000 i=0");
    expect_args("{\"a\":0.5,\"b\":1e3,\"c\":12.0,\"d\":-2.5E-1,\"e\":1e999}",
                " a=0.5r b=1000r c=12r d=-0.25r e=<1e999>");
    expect_args("{\"a\":true,\"b\":false,\"c\":null,\"d\":NaN,\"e\":-Infinity}",
                " a=true b=false c=<null> d=nanr e=-infr");
    expect_args("{\"a\":\"\",\"b\":\"x\\ny\"}", " a='' b='x\ny'");
    /* 64 bytes are a string, 65 text. */
    expect_args("{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123\","
                "\"b\":\"01234567890123456789012345678901234567890123456789012345678901234\"}",
                " a='0123456789012345678901234567890123456789012345678901234567890123'"
                " b=\"01234567890123456789012345678901234567890123456789012345678901234\"");
}

static void test_nested_args(void **state)
{
    (void)state;
    expect_args("{\"d\":{\"x\":[1,[],{\"y\":{}},\"s\"],\"z\":null},\"e\":{},\"f\":[[2]]}",
                " d={7} x=[5] =1 =<[]> ={1} y=<{}> ='s' z=<null> e=<{}> f=[2] =[1] =2");
    /* Arguments nest sixteen deep; anything deeper stays JSON, on one line. */
    expect_args("{\"k\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}",
                " k=[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4] =[3]"
                " =[2] =[1] =1");
    expect_args("{\"k\":[[[[[[[[[[[[[[[[{\"a b\" : [1,\n \"\\\" \\\\\" ]},2]]]]]]]]]]]]]]]]}",
                " k=[17] =[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4]"
                " =[3] =[2] =<{\"a b\":[1,\"\\\" \\\\\"]}> =2");
    /* ... or text where the file's JSON is not clean. */
    expect_args("{\"k\":[[[[[[[[[[[[[[[[[NaN]]]]]]]]]]]]]]]]]}",
                " k=[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4] =[3]"
                " =[2] =[1] =\"[NaN]\"");
}

/* The dictionary takes only so many different values. */
static void test_many_values(void **state)
{
    (void)state;
    tacho_dict dict;
    assert_ok(tacho_dict_init(&dict));
    chrome_texts *texts = calloc(1, sizeof(*texts));
    assert_non_null(texts);
    texts->dict = &dict;
    tacho_arg arg = {.key = 0};
    char text[16];
    for (int i = 0; i < CHROME_VALUE_COUNT_MAX; i++) {
        int len = snprintf(text, sizeof(text), "%d", i);
        assert_ok(chrome_texts_set_value(texts, tacho_str_make(text, (size_t)len), &arg));
        assert_int_equal(arg.type, TACHO_ARG_STRING);
    }
    assert_ok(chrome_texts_set_value(texts, CHROME_TEXT("new"), &arg));
    assert_int_equal(arg.type, TACHO_ARG_TEXT);
    assert_ok(chrome_texts_set_value(texts, CHROME_TEXT("17"), &arg)); /* known */
    assert_int_equal(arg.type, TACHO_ARG_STRING);
    assert_string_equal(tacho_dict_string(&dict, arg.value.as_string).data, "17");
    uint32_t id = 0;
    assert_ok(chrome_texts_ensure(texts, CHROME_TEXT("name"), &id)); /* names have no limit */
    assert_string_equal(tacho_dict_string(&dict, id).data, "name");
    free(texts);
    tacho_dict_deinit(&dict);
}

/* Texts of every length that differ in one byte, wherever it is, are strings of their own. */
static void test_similar_texts(void **state)
{
    (void)state;
    enum { LEN_MAX = 26 };
    tacho_dict dict;
    assert_ok(tacho_dict_init(&dict));
    chrome_texts *texts = calloc(1, sizeof(*texts));
    assert_non_null(texts);
    texts->dict = &dict;
    for (size_t len = 0; len <= LEN_MAX; len++) {
        for (size_t odd = 0; odd <= len; odd++) { /* none at |len| */
            char text[LEN_MAX + TACHO_JSON_READABLE_BYTES];
            memset(text, 'a', sizeof(text));
            text[odd] = odd < len ? 'b' : '!'; /* bytes after the text do not matter */
            uint32_t ids[2] = {0};
            for (size_t i = 0; i < 2; i++) {
                assert_ok(chrome_texts_ensure(texts, tacho_str_make(text, len), &ids[i]));
            }
            tacho_str kept = tacho_dict_string(&dict, ids[0]);
            assert_int_equal(ids[0], ids[1]);
            assert_int_equal(kept.len, len);
            assert_memory_equal(kept.data, text, len);
        }
    }
    free(texts);
    tacho_dict_deinit(&dict);
}

static void test_integer_args(void **state)
{
    (void)state;
    expect_args("{\"a\":0,\"b\":7,\"c\":10,\"d\":1234567,\"e\":12345678,\"f\":123456789}",
                " a=0 b=7 c=10 d=1234567 e=12345678 f=123456789");
    expect_args("{\"a\":-1,\"b\":-1234567,\"c\":-12345678,\"d\":99999999,\"e\":-0}",
                " a=-1 b=-1234567 c=-12345678 d=99999999 e=0");
    expect_args("{\"a\":[1,22,333,4444,55555,666666,7777777]}",
                " a=[7] =1 =22 =333 =4444 =55555 =666666 =7777777");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_more_names),
        cmocka_unit_test(test_rank_forms),
        cmocka_unit_test(test_end_makes_no_track),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_similar_texts),
        cmocka_unit_test(test_integer_args),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
