/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome traces that tacho wrote itself: everything beyond the format is restored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/chrome/chrome_testing.h"

/* ---- traces of tacho itself ------------------------------------------------------------- */

#define OWN_PART(number, pid, name, origin, clock)                                                 \
    "{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" pid ",\"name\":\"tacho_part\",\"args\":{"             \
    "\"tacho.part." number ".name\":\"" name "\",\"tacho.part." number ".source\":\"/x\","         \
    "\"tacho.part." number ".origin\":\"" origin "\",\"tacho.part." number ".clock\":\"" clock     \
    "\"}},"
#define CYCLES "cycles: 1 tick = 5/4 ns (assumed), 0 ns = tick 1000"

static void test_own(void **state)
{
    (void)state;
    expect_of(
        TACHO_STR("{\"traceEvents\":[" OWN_PART("1", "1", "t1.csv", "estimated", CYCLES)
                      M("process_name", "\"pid\":1,\"tid\":1",
                        "\"name\":\"t1.csv\",\"facts\":\"tacho: group 0 stack root\"")
                          M("thread_name", "\"pid\":1,\"tid\":2",
                            "\"name\":\"Slice 1\",\"facts\":\"tacho: compute 1 engine\"")
                              M("thread_sort_index", "\"pid\":1,\"tid\":2", "\"sort_index\":4097")
                                  M("thread_name", "\"pid\":1,\"tid\":5",
                                    "\"name\":\"Slice 1\",\"facts\":\"tacho: compute 1 engine lane "
                                    "of 2\"") "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"dur\":0.002,\"name\":\"n\",\"cat\":"
                                              "\"c\",\"args\":{\"cycles\":1,\"run\":{\"x\":1},"
                                              "\"cycles\":2,\"location\":"
                                              "\"\\\"a.mlir\\\":4:10\",\"run\":\"main\","
                                              "\"invocation\":3,\"origin\":\"measured\","
                                              "\"unended\":true}},"
                                              "{\"ph\":\"X\",\"pid\":1,\"tid\":5,\"ts\":0.012,"
                                              "\"dur\":0.003,\"name\":\"n\",\"args\":{"
                                              "\"cycles\":3,\"run\":\"main\",\"invocation\":3}},"
                                              "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0.015,"
                                              "\"s\":\"t\",\"name\":\"i\",\"args\":{"
                                              "\"cycles\":9}},"
                                              "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"dur\":0.003,\"name\":\"m\",\"args\":{"
                                              "\"cycles\":\"x\",\"invocation\":3,\"origin\":\"?\","
                                              "\"unended\":false}},"
                                              "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"id\":1099511627783,\"cat\":\"flow\","
                                              "\"name\":\"order\",\"args\":{\"span_ticks\":2}},"
                                              "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"id\":7,\"name\":\"launch\"},"
                                              "{\"ph\":\"C\",\"pid\":1,\"tid\":9,\"ts\":0.012,"
                                              "\"name\":\"use\",\"args\":{\"%\":50}},"
                                              "{\"ph\":\"C\",\"pid\":1,\"tid\":10,\"ts\":0.012,"
                                              "\"name\":\"use\",\"args\":{\"value\":1}}"
                                              "]}"),
        TRACKS | PARTS,
        "span #1 1010..1012 n|c cycles=1 run={1} x=1 at \"a.mlir\":4:10 (a.mlir:4:10) run main#3 "
        "of 0 "
        "unended measured\n"
        "span #1 1010..1013 n| run main#3 of 0\n"
        "span #1 1012..1012 i| cycles=9 instant\n"
        "span #1 1010..1012 m| cycles='x' invocation=3 origin='?' unended=false\n"
        "flow #1 1010 7 leaves order ..1012\nflow #1 1010 7 arrives launch next\n"
        "sample #2 1010 50\nsample #3 1010 1\n"
        "track #0 t1.csv|group stack 0 rank 0\n"
        "track #1 Slice 1|compute engine 1 rank 4097 in #0\n"
        "track #2 use|counter stack 0 rank 1 in #0 %\ntrack #3 use|counter stack 0 rank 2 in #0\n"
        "part t1.csv (/runs/t.json) chrome tacho estimated first 1010, " CYCLES "\n");
}

static void test_own_parts(void **state)
{
    (void)state;
    /* The second part ends the first; late metadata still reaches it, late events do not. */
    expect_of(TACHO_STR("[" OWN_PART("1", "1", "a", "measured",
                                     "us: 1 tick = 1000/1 ns, 0 ns = "
                                     "tick 5")
                            X("\"pid\":2,\"tid\":3") "," X("\"pid\":2,\"tid\":4") "," OWN_PART(
                                "2", "9", "b", "simulated", "nonsense")
                                X("\"pid\":9,\"tid\":10") "," X("\"pid\":2,\"tid\":3") "," M(
                                    "process_name", "\"pid\":2,\"tid\":2",
                                    "\"name\":\"python 7\",\"facts\":\"tacho: group 0 stack\"")
                                    M("thread_name", "\"pid\":2,\"tid\":3",
                                      "\"name\":\"main\",\"facts\":\"tacho: host 0 stack\"") "{}]"),
              TRACKS | PARTS,
              "span #2 6..7 x|\nspan #3 6..7 x|\nspan #5 1000..2000 x|\n"
              "lost unknown_event 1 byte 535: \"ph\":\"X\",\"name\":\"x\"\n"
              "track #0 a|group stack 0 rank 0\ntrack #1 python 7|group stack 0 rank 1 in #0\n"
              "track #2 main|host stack 0 rank 0 in #1\n"
              "track #3 thread 4|host stack 0 rank 1 in #1\ntrack #4 b|group stack 0 rank 1\n"
              "track #5 thread 10|host stack 0 rank 0 in #4\n"
              "part a (/runs/t.json) chrome tacho measured first 6, us: 1 tick = 1000/1 ns, 0 ns = "
              "tick 5\n"
              "part b (/runs/t.json) chrome tacho simulated first 1000, " CLOCK);
    /* A thread described late as a lane keeps its track, marked as a lane. */
    expect_of(
        TACHO_STR("[" OWN_PART("1", "1", "a", "measured", "")
                      X("\"pid\":1,\"tid\":2") "," X("\"pid\":1,\"tid\":3") "," M(
                          "thread_name", "\"pid\":1,\"tid\":3",
                          "\"name\":\"w\",\"facts\":\"tacho: host 0 stack lane of 2\"")
                          M("thread_name", "\"pid\":1,\"tid\":2",
                            "\"name\":\"w\",\"facts\":\"tacho: host 0 stack lane of 3\"") "{}]"),
        TRACKS,
        X_ROW("1") X_ROW("2") "track #0 a|group stack 0 rank 0\n"
                              "track #1 w|host stack 0 rank 0 in #0\n"
                              "track #2 w|host stack 0 rank 1 in #0 lane of #1\n");
}

/* Arguments of other tools with the names of the sink's own stay as they are. */
static void test_own_args_of_others(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" OWN_PART(
                  "1", "1", "a", "measured",
                  CYCLES) "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"d\":{\"unended\":true}}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"run\":\"main\",\"invocation\":\"x\"}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"run\":7,\"location\":\"\"}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"cycles\":-1}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"unended\":true,\"a\":1}}]"),
              0,
              "span #1 1800..2600 | d={1} unended=true\n"
              "span #1 1800..2600 | run='main' invocation='x'\n"
              "span #1 1800..2600 | run=7 location=''\n"
              "span #1 1800..2600 | cycles=-1\n"
              "span #1 1800..2600 | unended=true a=1\n");
}

/*
 * Ticks shorter than a nanosecond are restored with the times of both ends, for complete events and
 * for begins and ends; so are the arguments of begins.
 */
static void test_own_ticks(void **state)
{
    (void)state;
    expect_of(
        TACHO_STR("[" OWN_PART(
            "1", "1", "a", "measured",
            "fast: 1 tick = 1/4 ns, 0 ns = tick 100") "{\"ph\":\"X\",\"ts\":0.002,\"tick\":1,"
                                                      "\"dur\":0.003,\"end_tick\":3,\"pid\":1,"
                                                      "\"tid\":2,\"name\":\"x\"},"
                                                      "{\"ph\":\"B\",\"ts\":0.006,\"tick\":2,"
                                                      "\"pid\":1,\"tid\":2,\"name\":\"b\","
                                                      "\"args\":{\"k\":1,\"run\":\"main\","
                                                      "\"invocation\":3,\"origin\":\"estimated\"}},"
                                                      "{\"ph\":\"E\",\"ts\":0.007,\"tick\":3,"
                                                      "\"pid\":1,\"tid\":2}]"),
        0, "span #1 109..123 x|\nspan #1 126..131 b| k=1 run main#3 of 0 estimated\n");
}

/* Wide brackets in names of arguments become brackets again, only in tacho's own traces. */
static void test_own_names(void **state)
{
    (void)state;
#define NAMED                                                                                      \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":1,\"name\":\"x\",\"args\":{"               \
    "\"a ［ns］\":1,\"b］\":{\"［\":2},\"\\uff3bc\":\"［］\"}}]"
    expect_of(TACHO_STR("[" OWN_PART("1", "1", "a", "measured", "ns: 1 tick = 1/1 ns") NAMED), 0,
              "span #1 0..1000 x| a [ns]=1 b］={1} [=2 [c='［］'\n");
    expect_of(TACHO_STR("[" NAMED), 0, "span #2 0..1000 x| a ［ns］=1 b］={1} ［=2 ［c='［］'\n");
#undef NAMED
}

/* Times that the restored clock cannot count. */
static void test_own_overflow(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" OWN_PART("1", "1", "a", "measured",
                                     "fast: 1 tick = 1/1000000000 ns, 0 ns = tick 0")
                            X("\"pid\":1,\"tid\":2") ",{\"ph\":\"X\",\"ts\":9223372036854775,"
                                                     "\"pid\":1,\"tid\":2},"
                                                     "{\"ph\":\"X\",\"ts\":1,\"dur\":"
                                                     "9223372036854774,\"pid\":1,\"tid\":2}]"),
              0,
              "span #1 1000000000000..2000000000000 x|\n"
              "lost time_overflow 2 byte 263: \"ph\":\"X\",\"name\":\"\"\n");
}

/* As many as a run that recorded each of its inferences writes. */
static void test_many_parts(void **state)
{
    (void)state;
    char *text = malloc(PARTS_BYTES);
    assert_non_null(text);
    size_t len = print(text, PARTS_BYTES, "[");
    for (int i = 0; i < 1001; i++) {
        len += print(text + len, PARTS_BYTES - len,
                     "{\"ph\":\"M\",\"pid\":%d,\"name\":\"tacho_part\",\"args\":{"
                     "\"tacho.part.1.name\":\"a\"}},",
                     i);
    }
    len += print(text + len, PARTS_BYTES - len,
                 "{\"ph\":\"X\",\"pid\":1000,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"x\"}]");
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make(text, len)));
    assert_int_equal(to->dict.part_count, 1001);
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[0].name).data, "a");
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[1].name).data, "a #2");
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[1000].name).data, "a #1001");
    destroy(to);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_own_parts),
        cmocka_unit_test(test_own_args_of_others),
        cmocka_unit_test(test_own_ticks),
        cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_own_overflow),
        cmocka_unit_test(test_many_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
