/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of Chrome traces: detection, spans, flows, and skipped events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/chrome/chrome_event.h"
#include "sources/chrome/chrome_testing.h"

/* ---- recognising ------------------------------------------------------------------------ */

static void expect_verdict(const char *head, tacho_probe_verdict verdict)
{
    if (tacho_source_chrome.probe(tacho_str_from_cstring(head)) != verdict) {
        fail_msg("verdict %d expected of %s", (int)verdict, head);
    }
}

static void test_probe(void **state)
{
    (void)state;
    expect_verdict("[\n{\"cat\" : \"Session\",\"pid\" :1,\"ph\" : \"X\"}", TACHO_PROBE_SURE);
    expect_verdict("[{},{\"ph\"", TACHO_PROBE_SURE);
    expect_verdict("[{},{\"ph\":\"X\"},", TACHO_PROBE_SURE);
    expect_verdict(" \t\r\n\xef\xbb\xbf[{\"ph\":1}]", TACHO_PROBE_NO);
    expect_verdict("\xef\xbb\xbf \r\n[{\"ph\":1}]", TACHO_PROBE_SURE);
    expect_verdict("{\"traceEvents\":[]}", TACHO_PROBE_SURE);
    expect_verdict("{\"schemaVersion\":1,\"x\":[{\"a\":NaN}],\"traceEvents\":[", TACHO_PROBE_SURE);
    /* The head ends before the key that decides. */
    expect_verdict("{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,", TACHO_PROBE_MAYBE);
    expect_verdict("{\"distributedInfo\":{\"backend\"", TACHO_PROBE_MAYBE);
    expect_verdict("[{\"name\":\"a\",\"args\":{\"long\":\"", TACHO_PROBE_MAYBE);
    /* An empty trace, apparently. */
    expect_verdict("[]", TACHO_PROBE_MAYBE);
    expect_verdict("[", TACHO_PROBE_MAYBE);
    /* Other JSON, and text that is not JSON. */
    expect_verdict("{\"schemaVersion\":1}", TACHO_PROBE_NO);
    expect_verdict("{\"nodes\":[{\"name\":\"", TACHO_PROBE_NO);
    expect_verdict("[{\"a\":1},{\"b\":[{\"ph\":1}]}]", TACHO_PROBE_NO);
    expect_verdict("[{\"value\":\"", TACHO_PROBE_NO);
    expect_verdict("[{}]", TACHO_PROBE_NO);
    expect_verdict("[[{\"ph\":1}]]", TACHO_PROBE_NO);
    expect_verdict("{}", TACHO_PROBE_NO);
    expect_verdict("{\"a\":1}\n{\"traceEvents\":[]}\n", TACHO_PROBE_NO);
    expect_verdict("{\"schemaVersion\" 1", TACHO_PROBE_NO);
    expect_verdict("\"traceEvents\"", TACHO_PROBE_NO);
    expect_verdict("ID,Start,End\n", TACHO_PROBE_NO);
    expect_verdict("", TACHO_PROBE_NO);
}

/* ---- spans ------------------------------------------------------------------------------ */

static void test_complete(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1,\"dur\":2.5," AT "}",
           "span #2 1000..3500 a|c\n");
    /* Fields in any order, unknown fields, only the required ones. */
    expect("{\"args\":{\"n\":1},\"dur\":1,\"zzz\":{\"ph\":\"Q\"},\"ts\":2,\"tts\":5,\"ph\":\"X\"}",
           "span #2 2000..3000 | n=1 tts=5\n");
    expect("{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tdur\":0.5,\"cname\":\"good\",\"tts\":[1]}",
           "span #2 1000..2000 | tdur=0.5r cname='good'\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":4," AT "}", "span #2 4000..4000 a| unended\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":4,\"dur\":0," AT "}", "span #2 4000..4000 a|\n");
    expect("{\"ph\":\"X\",\"name\":null,\"cat\":[1],\"ts\":4,\"dur\":0," AT "}",
           "span #2 4000..4000 |\n");
    expect("{\"ph\":\"X\",\"name\":\"q\\\"\\u00e9\",\"ts\":4,\"dur\":0," AT "}",
           "span #2 4000..4000 q\"\xc3\xa9|\n");
}

/* A span without a length lasts to the latest time, and ends no other. */
static void test_no_duration(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":0,\"dur\":10," AT "},"
           "{\"ph\":\"X\",\"name\":\"open\",\"ts\":2,\"args\":{\"k\":1},\"bind_id\":1,"
           "\"flow_out\":true," AT "},"
           "{\"ph\":\"B\",\"name\":\"b\",\"ts\":3," AT "},"
           "{\"ph\":\"X\",\"name\":\"other\",\"ts\":1,\"dur\":null," AT "},"
           "{\"ph\":\"E\",\"ts\":25," AT "}",
           "span #2 0..10000 a|\nspan #2 3000..25000 b|\n"
           "flow #2 2000 1 leaves data ..25000\nspan #2 2000..25000 open| k=1 unended\n"
           "span #2 1000..25000 other| unended\n");
}

static void test_times(void **state)
{
    (void)state;
    /* Exact at epoch scale, as text, with exponents; the nearest nanosecond. */
    expect("{\"ph\":\"X\",\"ts\":1790857026123456.789,\"dur\":0.001}",
           "span #2 1790857026123456789..1790857026123456790 |\n");
    expect("{\"ph\":\"X\",\"ts\":\"1790857026123456.789\",\"dur\":\"1.5\"}",
           "span #2 1790857026123456789..1790857026123458289 |\n");
    expect("{\"ph\":\"X\",\"ts\":1.5e3,\"dur\":1E-3}", "span #2 1500000..1500001 |\n");
    expect("{\"ph\":\"X\",\"ts\":12.345678901234567890123,\"dur\":0.0004}",
           "span #2 12346..12346 |\n");
    expect("{\"ph\":\"X\",\"ts\":0,\"dur\":9223372036854775.806}",
           "span #2 0..9223372036854775806 |\n");
    expect("{\"ph\":\"X\",\"ts\":-0.0001,\"dur\":1}", "span #2 0..1000 |\n");
}

static void test_bad_times(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"dur\":1," AT "}," GOOD,
           GOOD_ROW("2") "lost missing_field 1 \"ph\":\"X\",\"name\":\"a\"\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"soon\"," AT "},"
           "{\"ph\":\"X\",\"name\":\"b\",\"ts\":\"\"," AT "},"
           "{\"ph\":\"X\",\"ts\":NaN," AT "},{\"ph\":\"X\",\"ts\":true," AT "}," GOOD,
           GOOD_ROW("2") "lost not_a_number 4 \"ph\":\"X\",\"name\":\"a\"\n");
    expect("{\"ph\":\"X\",\"ts\":-1,\"dur\":5," AT "},{\"ph\":\"i\",\"ts\":-0.001," AT "}," GOOD,
           GOOD_ROW("2") "lost negative_time 2 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":9223372036854775.807,\"dur\":0},"
           "{\"ph\":\"X\",\"ts\":1e300},{\"ph\":\"X\",\"ts\":1e999999},"
           "{\"ph\":\"X\",\"ts\":1,\"dur\":9223372036854775.806},"
           "{\"ph\":\"X\",\"ts\":0.001,\"dur\":9223372036854775.806}," GOOD,
           GOOD_ROW("2") "lost time_overflow 4 \"ph\":\"X\",\"name\":\"\"\n"
                         "lost not_a_number 1 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":5,\"dur\":-1," AT "}," GOOD,
           GOOD_ROW("2") "lost end_before_start 1 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":5,\"dur\":\"long\"," AT "}," GOOD,
           GOOD_ROW("2") "lost not_a_number 1 \"ph\":\"X\",\"name\":\"\"\n");
}

static void test_begin_end(void **state)
{
    (void)state;
    expect("{\"ph\":\"B\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1,\"args\":{\"x\":1}," AT "},"
           "{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT "},"
           "{\"ph\":\"B\",\"name\":\"other\",\"ts\":2,\"pid\":1,\"tid\":8},"
           "{\"ph\":\"E\",\"ts\":3," AT "},{\"ph\":\"E\",\"ts\":4,\"args\":{\"y\":2}," AT "},"
           "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":8}",
           "span #2 2000..3000 b|\nspan #2 1000..4000 a|c x=1 y=2\nspan #3 2000..5000 other|\n");
    /* An end with a name closes the span of that name, an end without one closes any. */
    expect("{\"ph\":\"B\",\"name\":\"a\",\"ts\":1," AT "},{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT
           "},{\"ph\":\"E\",\"name\":\"a\",\"ts\":3," AT
           "},{\"ph\":\"E\",\"name\":\"\",\"ts\":4," AT "}",
           "span #2 1000..3000 a|\nspan #2 2000..4000 b|\n");
    /* A span that never ends lasts as long as the file; an end without a begin is lost. */
    expect("{\"ph\":\"B\",\"name\":\"a\",\"ts\":1," AT "},{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT
           "}," GOOD,
           GOOD_ROW("2") "span #2 1000..10000 a| unended\nspan #2 2000..10000 b| unended\n");
    expect("{\"ph\":\"E\",\"name\":\"a\",\"ts\":1," AT "}," GOOD
           ",{\"ph\":\"B\",\"name\":\"b\",\"ts\":20," AT
           "},{\"ph\":\"E\",\"name\":\"c\",\"ts\":21," AT "},{\"ph\":\"E\",\"ts\":19," AT "}",
           GOOD_ROW("2") "span #2 20000..21000 b| unended\n"
                         "lost unmatched_end 3 \"ph\":\"E\",\"name\":\"a\"\n");
}

#define B(name, ts) "{\"ph\":\"B\",\"name\":\"" name "\",\"ts\":" ts "," AT "}"
#define E(ts) "{\"ph\":\"E\",\"ts\":" ts "," AT "}"

/* Pairs by time, not by place in the file. */
static void test_begin_end_unsorted(void **state)
{
    (void)state;
    expect(B("in", "5") "," B("out", "0") "," E("6") "," E("10"),
           "span #2 5000..6000 in|\nspan #2 0..10000 out|\n");
    expect(E("20") "," B("a", "10"), "span #2 10000..20000 a|\n");
    expect(B("a", "0") "," E("10") "," B("b", "2") "," E("5"),
           "span #2 2000..5000 b|\nspan #2 0..10000 a|\n");
    /* Threads are independent. */
    recorder *to = make();
    assert_ok(read_held(to,
                        TACHO_STR("[" B("a", "5") ",{\"ph\":\"B\",\"name\":\"b\",\"ts\":1},"
                                                  "{\"ph\":\"E\",\"ts\":2}," E("6") "]"),
                        false));
    assert_string_equal(to->text, "span #4 1000..2000 b|\nspan #2 5000..6000 a|\n");
    destroy(to);
    to = make();
    tacho_status status = read_held(to, TACHO_STR("[" B("a", "5") "," E("4") "]"), false);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    assert_string_equal(tacho_status_message(status),
                        "t.json: byte 46: an event out of time order");
    tacho_status_free(status);
    destroy(to);
    /* At one time the file's order holds: for spans that touch, and for spans of no length. */
    expect(B("a", "0") "," E("5") "," B("b", "5") "," E("9") "," B("z", "3") "," E("3"),
           "span #2 3000..3000 z|\nspan #2 0..5000 a|\nspan #2 5000..9000 b|\n");
    /* A span without an end is still marked; its arguments and flows wait as well. */
    expect("{\"ph\":\"B\",\"name\":\"late\",\"ts\":7,\"args\":{\"t\":[1,\"s\"]},\"bind_id\":3,"
           "\"flow_out\":true," AT "}," B("a", "1") ","
                                                    "{\"ph\":\"E\",\"ts\":2,\"args\":{\"y\":2}," AT
                                                    "}",
           "span #2 1000..2000 a| y=2\nflow #2 7000 1 leaves data ..7000\n"
           "span #2 7000..7000 late| t=[2] =1 ='s' unended\n");
    expect(B("a", "5") "," E("6") ",{\"ph\":\"E\",\"name\":\"lone\",\"ts\":1," AT "}",
           "span #2 5000..6000 a|\nlost unmatched_end 1 \"ph\":\"E\",\"name\":\"lone\"\n");
}

static void test_async_unsorted(void **state)
{
    (void)state;
    expect("{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"o\",\"ts\":10,\"pid\":1},"
           "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"o\",\"ts\":0,\"pid\":1}",
           "span #2 0..10000 o|c\n");
    /*
     * The outermost span names the track, wherever it stands; an instant in it uses the same track.
     */
    expect_tracks("{\"ph\":\"n\",\"cat\":\"c\",\"id\":1,\"name\":\"tick\",\"ts\":4,\"pid\":1,"
                  "\"bind_id\":3,\"flow_in\":true},"
                  "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"in\",\"ts\":2,\"pid\":1},"
                  "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"out\",\"ts\":1,\"pid\":1},"
                  "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":8,\"pid\":1},"
                  "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":6,\"pid\":1}",
                  "flow #2 4000 1 arrives data ..4000\nspan #2 4000..4000 tick|c instant\n"
                  "span #2 2000..6000 in|c\nspan #2 1000..8000 out|c\n"
                  "track #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 1|group stack 0 rank 0 in #0\n"
                  "track #2 out|host stack 0 rank 0 in #1\n");
    expect("{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":5,\"pid\":1},"
           "{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1}",
           "span #2 1000..5000 a|c\n");
}

static void test_instants(void **state)
{
    (void)state;
    expect("{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"s\":\"t\"," AT "},"
           "{\"ph\":\"I\",\"name\":\"b\",\"ts\":2,\"s\":\"p\",\"args\":{\"k\":1}," AT "},"
           "{\"ph\":\"R\",\"name\":\"c\",\"ts\":3," AT "},"
           "{\"ph\":\"i\",\"name\":\"d\",\"ts\":4,\"s\":\"g\"," AT "}",
           "span #2 1000..1000 a| instant\nspan #2 2000..2000 b| k=1 scope='process' instant\n"
           "span #2 3000..3000 c| instant\nspan #2 4000..4000 d| scope='global' instant\n");
}

static void test_async(void **state)
{
    (void)state;
    static const char events[] =
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"load\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":2,\"name\":\"load\",\"ts\":2,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"inner\",\"ts\":3,\"pid\":1},"
        "{\"ph\":\"n\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"tick\",\"ts\":4,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"inner\",\"ts\":5,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"load\",\"ts\":6,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":2,\"name\":\"load\",\"ts\":7,\"pid\":1},"
        "{\"ph\":\"n\",\"cat\":\"c\",\"id\":9,\"name\":\"alone\",\"ts\":8,\"pid\":1}";
    expect_tracks(events, "span #2 4000..4000 tick|c instant\nspan #2 3000..5000 inner|c\n"
                          "span #2 1000..6000 load|c\nspan #2 2000..7000 load|c\n"
                          "span #3 8000..8000 alone|c instant\n"
                          "track #0 t.json|group stack 0 rank 0\n"
                          "track #1 process 1|group stack 0 rank 0 in #0\n"
                          "track #2 load|host stack 0 rank 0 in #1\n"
                          "track #3 alone|host stack 0 rank 1 in #1\n");
}

static void test_async_keys(void **state)
{
    (void)state;
    /* Another process, category, scope or local id is another operation; a global id is not. */
    expect(
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":2,\"pid\":2},"
        "{\"ph\":\"e\",\"cat\":\"d\",\"id\":1,\"ts\":3,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"scope\":\"s\",\"ts\":4,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":5,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"name\":\"l\",\"ts\":6,\"pid\":1}"
        ","
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"ts\":7,\"pid\":2},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"ts\":8,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"x\":[],\"global\":\"g\"},\"name\":\"g\",\"ts\":6,"
        "\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"global\":\"g\"},\"ts\":9,\"pid\":2},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"name\":\"none\",\"ts\":9,\"pid\":2}",
        "span #2 1000..5000 a|c\nspan #3 6000..8000 l|c\nspan #4 6000..9000 g|c\n"
        "lost unmatched_end 4 \"ph\":\"e\",\"name\":\"\"\n"
        "lost missing_field 1 \"ph\":\"b\",\"name\":\"none\"\n");
}

static void test_old_async(void **state)
{
    (void)state;
    expect("{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1},"
           "{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"b\",\"ts\":2,\"pid\":1},"
           "{\"ph\":\"T\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":3,\"pid\":1,"
           "\"args\":{\"step\":\"one\"}},"
           "{\"ph\":\"p\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":4,\"pid\":1},"
           "{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":5,\"pid\":1},"
           "{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"b\",\"ts\":6,\"pid\":1}",
           "span #2 3000..3000 a|c step='one' instant\nspan #2 4000..4000 a|c instant\n"
           "span #2 1000..5000 a|c\nspan #3 2000..6000 b|c\n");
}

static void test_counters(void **state)
{
    (void)state;
    expect_tracks(
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":1,\"pid\":1,\"args\":{\"used\":3,\"free\":0.5}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":2,\"pid\":1,\"tid\":4,\"args\":{\"used\":\"4.5\"}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":3,\"pid\":1,\"id\":\"0xa\",\"args\":{\"used\":-1}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":4,\"pid\":2,\"args\":{\"used\":18446744073709551615}"
        "}",
        "sample #2 1000 3\nsample #3 1000 0.5\nsample #2 2000 4.5\nsample #4 3000 -1\n"
        "sample #6 4000 1.84467e+19\n"
        "track #0 t.json|group stack 0 rank 0\ntrack #1 process 1|group stack 0 rank 0 in #0\n"
        "track #2 mem used|counter stack 0 rank 0 in #1\n"
        "track #3 mem free|counter stack 0 rank 1 in #1\n"
        "track #4 mem 0xa used|counter stack 0 rank 2 in #1\n"
        "track #5 process 2|group stack 0 rank 1 in #0\n"
        "track #6 mem used|counter stack 0 rank 0 in #5\n");
    expect("{\"ph\":\"C\",\"name\":\"m\",\"ts\":1,\"args\":{\"a\":\"x\",\"b\":true,\"c\":{\"d\":1},"
           "\"e\":NaN,\"f\":null,\"g\":2}},{\"ph\":\"C\",\"name\":\"n\",\"ts\":1}",
           "sample #2 1000 2\nlost not_a_number 3 \"ph\":\"C\",\"name\":\"m\"\n"
           "lost not_finite 2 \"ph\":\"C\",\"name\":\"m\"\n"
           "lost missing_field 1 \"ph\":\"C\",\"name\":\"n\"\n");
    /* Fields beside "args" are about the event. */
    expect(
        "{\"ph\":\"C\",\"name\":\"m\",\"ts\":1,\"tts\":777,\"args\":{\"bytes\":5}},"
        "{\"ph\":\"C\",\"name\":\"m\",\"ts\":2,\"args\":{\"bytes\":6},\"tts\":778,\"cname\":\"x\"},"
        "{\"ph\":\"C\",\"name\":\"m\",\"ts\":3,\"tts\":null,\"args\":{\"bytes\":7}},"
        "{\"ph\":\"C\",\"name\":\"m\",\"ts\":4,\"tts\":779}",
        "sample #2 1000 5\nsample #2 2000 6\nsample #2 3000 7\n"
        "lost missing_field 1 \"ph\":\"C\",\"name\":\"m\"\n");
}

/* ---- flows ------------------------------------------------------------------------------ */

static void test_flows(void **state)
{
    (void)state;
    expect(
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"id\":77,\"ts\":1," AT "},"
        "{\"ph\":\"t\",\"cat\":\"c\",\"name\":\"n\",\"id\":\"77\",\"ts\":2," AT "},"
        "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":\"0x4D\",\"ts\":3," AT "},"
        "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":77,\"bp\":\"e\",\"ts\":4," AT "},"
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"m\",\"id\":77,\"ts\":5," AT "},"
        "{\"ph\":\"s\",\"cat\":\"d\",\"name\":\"n\",\"id\":77,\"ts\":6," AT "},"
        "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":18446744073709551615,\"ts\":7," AT
        "},"
        "{\"ph\":\"s\",\"cat\":\"async_cpu_to_gpu\",\"name\":\"x\",\"id\":\"text\",\"ts\":8," AT
        "},"
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"ts\":9," AT "}",
        "flow #2 1000 1 leaves data around\nflow #2 2000 1 passes data around\n"
        "flow #2 3000 1 arrives data next\nflow #2 4000 1 arrives data around\n"
        "flow #2 5000 2 leaves data around\nflow #2 6000 3 leaves data around\n"
        "flow #2 7000 4 leaves launch around\nflow #2 8000 5 leaves launch around\n"
        "lost missing_field 1 \"ph\":\"s\",\"name\":\"n\"\n");
}

#define FLOW(ph, id, ts)                                                                           \
    "{\"ph\":\"" ph "\",\"name\":\"n\",\"id\":" id ",\"bp\":\"e\",\"ts\":" ts "," AT "},"

static void test_reused_flows(void **state)
{
    (void)state;
    expect(FLOW("s", "1", "0") FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("s", "2", "7")
               FLOW("s", "1", "10") FLOW("t", "1", "12") FLOW("f", "1", "15") FLOW("s", "1", "20")
                   FLOW("f", "1", "25") FLOW("f", "2", "26") "{}",
           "flow #2 0 1 leaves data around\nflow #2 5000 1 arrives data around\n"
           "flow #2 0 2 leaves data around\nflow #2 6000 2 arrives data around\n"
           "flow #2 7000 3 leaves data around\n"
           "flow #2 10000 4 leaves data around\nflow #2 12000 4 passes data around\n"
           "flow #2 15000 4 arrives data around\nflow #2 20000 5 leaves data around\n"
           "flow #2 25000 5 arrives data around\nflow #2 26000 3 arrives data around\n");
    /*
     * An arrival may precede its departure in the file; two departures without an arrival stay two.
     */
    expect(FLOW("f", "1", "5") FLOW("s", "1", "0") FLOW("s", "2", "7") FLOW("s", "2", "8") "{}",
           "flow #2 5000 1 arrives data around\nflow #2 0 1 leaves data around\n"
           "flow #2 7000 2 leaves data around\nflow #2 8000 3 leaves data around\n");
}

/* Further arrivals before the departure, such as those of a trace that begins late, are not its. */
static void test_early_arrivals(void **state)
{
    (void)state;
    expect(FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("f", "1", "10") FLOW("s", "1", "10") "{}",
           "flow #2 5000 1 arrives data around\nflow #2 6000 2 arrives data around\n"
           "flow #2 10000 3 arrives data around\nflow #2 10000 3 leaves data around\n"
           "flow #2 10000 1 leaves data around\n");
}

/*
 * An arrow that leaves once and arrives often becomes an arrow to each arrival, wherever in the
 * file it leaves.
 */
static void test_split_flows(void **state)
{
    (void)state;
    expect(FLOW("s", "1", "0") FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("f", "1", "7") "{}",
           "flow #2 0 1 leaves data around\nflow #2 5000 1 arrives data around\n"
           "flow #2 0 2 leaves data around\nflow #2 6000 2 arrives data around\n"
           "flow #2 0 3 leaves data around\nflow #2 7000 3 arrives data around\n");
    expect(FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("f", "1", "7") FLOW("s", "1", "0")
               FLOW("f", "1", "8") FLOW("s", "1", "9") FLOW("f", "1", "10") "{}",
           "flow #2 5000 1 arrives data around\nflow #2 6000 2 arrives data around\n"
           "flow #2 7000 3 arrives data around\nflow #2 0 3 leaves data around\n"
           "flow #2 0 2 leaves data around\nflow #2 0 1 leaves data around\n"
           "flow #2 0 4 leaves data around\nflow #2 8000 4 arrives data around\n"
           "flow #2 9000 5 leaves data around\nflow #2 10000 5 arrives data around\n");
    /* An arrow that never leaves, and one with a step on its way, which stays a chain. */
    expect(FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("s", "2", "0") FLOW("t", "2", "1")
               FLOW("f", "2", "2") FLOW("f", "2", "3") "{}",
           "flow #2 5000 1 arrives data around\nflow #2 6000 2 arrives data around\n"
           "flow #2 0 3 leaves data around\nflow #2 1000 3 passes data around\n"
           "flow #2 2000 3 arrives data around\nflow #2 3000 3 arrives data around\n");
}

/* Other values in place of an event are counted; an empty object after the last comma is not. */
static void test_no_events_between(void **state)
{
    (void)state;
    expect(GOOD ",{},null,7,\"x\",true,[1]," GOOD ",{}",
           GOOD_ROW("2") GOOD_ROW("2") "lost missing_field 6 \"ph\":\"\",\"name\":\"\"\n");
}

/* Ids are numbers in any form. */
static void test_id_forms(void **state)
{
    (void)state;
    expect(FLOW("s", "7", "0") FLOW("f", "7.0", "1") FLOW("f", "\"7\"", "2") FLOW("f", "0.7e1", "3")
               FLOW("f", "\"0x07\"", "4") FLOW("s", "-7", "5") FLOW("f", "-7.0", "6")
                   FLOW("s", "7.5", "7") "{}",
           "flow #2 0 1 leaves data around\nflow #2 1000 1 arrives data around\n"
           "flow #2 0 2 leaves data around\nflow #2 2000 2 arrives data around\n"
           "flow #2 0 3 leaves data around\nflow #2 3000 3 arrives data around\n"
           "flow #2 0 4 leaves data around\nflow #2 4000 4 arrives data around\n"
           "flow #2 5000 5 leaves data around\n"
           "flow #2 6000 5 arrives data around\nflow #2 7000 6 leaves data around\n");
    expect("{\"ph\":\"b\",\"id\":7,\"name\":\"a\",\"ts\":1},{\"ph\":\"e\",\"id\":7.0,\"ts\":2}",
           "span #2 1000..2000 a|\n");
    expect_tracks("{\"ph\":\"C\",\"id\":7.0,\"name\":\"c\",\"ts\":1,\"args\":{\"v\":1}},"
                  "{\"ph\":\"C\",\"id\":7,\"name\":\"c\",\"ts\":2,\"args\":{\"v\":2}}",
                  "sample #2 1000 1\nsample #2 2000 2\ntrack #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 0|group stack 0 rank 0 in #0\n"
                  "track #2 c 7 v|counter stack 0 rank 0 in #1\n");
}

/*
 * A flow end after a span of the same thread and start belongs to that span, if it binds to the
 * enclosing span.
 */
static void test_flows_behind_spans(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":0," AT "}," FLOW("s", "1", "1")
               FLOW("s", "2", "2") "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":2," AT "}," FLOW(
                   "f", "1", "1")
                   FLOW("f", "1", "1") "{\"ph\":\"f\",\"name\":\"n\",\"id\":2,\"ts\":1," AT "},"
                                       "{\"ph\":\"X\",\"name\":\"c\",\"ts\":4," AT
                                       "}," FLOW("s", "3", "4") "{}",
           "span #2 1000..1000 a|\nflow #2 1000 1 leaves data ..1000\n"
           "flow #2 2000 2 leaves data around\nspan #2 1000..3000 b|\n"
           "flow #2 1000 1 arrives data ..3000\n"
           "flow #2 1000 3 leaves data ..1000\nflow #2 1000 3 arrives data ..3000\n"
           "flow #2 1000 2 arrives data next\nflow #2 4000 4 leaves data around\n"
           "span #2 4000..4000 c| unended\n");
}

static void test_bound_flows(void **state)
{
    (void)state;
    expect(
        "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"bind_id\":\"0x9\",\"flow_out\":true," AT
        "},"
        "{\"ph\":\"B\",\"name\":\"b\",\"ts\":4,\"bind_id\":9,\"flow_in\":true,\"flow_out\":1," AT
        "},"
        "{\"ph\":\"E\",\"ts\":6," AT "},"
        "{\"ph\":\"i\",\"name\":\"c\",\"ts\":7,\"bind_id\":\"0x9\",\"flow_in\":true,"
        "\"flow_out\":false," AT "},"
        "{\"ph\":\"X\",\"name\":\"d\",\"ts\":8,\"dur\":1,\"bind_id\":1,\"flow_in\":false," AT "},"
        "{\"ph\":\"X\",\"name\":\"e\",\"ts\":9,\"dur\":1,\"flow_in\":true," AT "}",
        "flow #2 1000 1 leaves data ..3000\nspan #2 1000..3000 a|\n"
        "flow #2 4000 1 passes data ..6000\nspan #2 4000..6000 b|\n"
        "flow #2 7000 1 arrives data ..7000\nspan #2 7000..7000 c| instant\n"
        "span #2 8000..9000 d|\nspan #2 9000..10000 e|\n");
}

/* ---- arguments -------------------------------------------------------------------------- */

/* Expects the event arguments |args| to become |expected|, alone and between others. */
static void expect_args(const char *args, const char *expected)
{
    char events[1024];
    char rows[1024];
    print(events, sizeof(events),
          X(AT) ",{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"a\",\"args\":%s," AT "}," GOOD, args);
    print(rows, sizeof(rows), X_ROW("2") "span #2 3000..4000 a|%s\n" GOOD_ROW("2"), expected);
    expect(events, rows);
}

static void test_numbers(void **state)
{
    (void)state;
    expect_args("{\"a\":0,\"b\":7,\"c\":1234567,\"d\":12345678,\"e\":123456789,\"f\":-3,\"g\":-0}",
                " a=0 b=7 c=1234567 d=12345678 e=123456789 f=-3 g=0");
    expect_args("{\"a\":1.5,\"b\":0.25,\"c\":1e3,\"d\":25E-2,\"e\":-1.0e+2,\"f\":0e0}",
                " a=1.5r b=0.25r c=1000r d=0.25r e=-100r f=0r");
    expect_args("{\"a\":9223372036854775807,\"b\":18446744073709551615}",
                " a=9223372036854775807 b=18446744073709551615u");
    expect_args("{\"a\":123456789012345678901234567890,\"b\":1234567890123456789012345678901,"
                "\"c\":12345678901234567890123456789012}",
                " a=<123456789012345678901234567890> b=<1234567890123456789012345678901>"
                " c=<12345678901234567890123456789012>");
    expect_args("{\"a\":0.1250000000000000000000000000,\"b\":0.12500000000000000000000000000,"
                "\"c\":0.125000000000000000000000000000000000}",
                " a=0.125r b=0.125r c=0.125r");
    expect_args("{\"a\":NaN,\"b\":-inf,\"c\":1}", " a=nanr b=-infr c=1");
}

static void test_texts(void **state)
{
    (void)state;
    expect_args("{\"a\":\"\",\"\":\"s\",\"c\":\"fifteen bytes..\",\"d\":\"sixteen bytes ..\"}",
                " a='' ='s' c='fifteen bytes..' d='sixteen bytes ..'");
    expect_args("{\"a\":\"\\u0041\\\"\",\"k\\\"\":true,\"c\":false,\"d\":null}",
                " a='A\"' k\"=true c=false d=<null>");
    expect_args("{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123\","
                "\"b\":\"01234567890123456789012345678901234567890123456789012345678901234\"}",
                " a='0123456789012345678901234567890123456789012345678901234567890123'"
                " b=\"01234567890123456789012345678901234567890123456789012345678901234\"");
}

static void test_nested(void **state)
{
    (void)state;
    expect_args("{}", "");
    expect_args(" { } ", "");
    expect_args("7", "");
    expect_args("\n{ \"a\" : [ ] , \"b\":{} ,\r\n\t\"c\":[[1, 2],[ ],{\"x\" : \"y\"} ] }",
                " a=<[]> b=<{}> c=[6] =[2] =1 =2 =<[]> ={1} x='y'");
    expect_args("{\"a\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]],\"b\":2}",
                " a=[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4] =[3]"
                " =[2] =[1] =<[[1]]> b=2");
}

/* Whether the event |text| is read without tokens, and all of it. */
static bool reads_plainly(const char *text)
{
    static chrome_texts texts;
    char bytes[512] = ""; /* zeros after the text */
    chrome_event event;
    tacho_dict dict;
    assert_ok(tacho_dict_init(&dict));
    texts = (chrome_texts){.dict = &dict};
    chrome_event_init(&event);
    print(bytes, sizeof(bytes) - 64, "%s", text);
    const char *end = chrome_event_try_read(&event, bytes, &texts);
    chrome_event_deinit(&event);
    tacho_dict_deinit(&dict);
    return end == bytes + strlen(text);
}

static void test_plain_events(void **state)
{
    (void)state;
    const char *plain =
        "{ \"ph\": \"X\",\r\n \"name\": \"aten::add_ of some length\", \"ts\": "
        "3456790123457.289, \"dur\":9, \"tts\": 1, \"own\": null, \"args\": {\"a\": "
        "[1, 2.5e-7, \"x\", {}], \"b\":-4, \"c\":{\"d\":true}}, \"pid\": \"p\"}";
    char cut[512];
    assert_true(reads_plainly(plain));
    for (size_t len = 0; len < strlen(plain); len++) {
        print(cut, sizeof(cut), "%.*s", (int)len, plain);
        assert_false(reads_plainly(cut));
    }
    static const char *const others[] = {
        "{}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{\"a\":\"\\n\"}",
        "{\"a\":{}}",
        "{\"id2\":{}}",
        "{\"args\":{\"a\":1,}}",
        "{\"args\":{\"a\":[1,]}}",
        "{\"a\":tru}",
        "{\"args\":{\"a\":+1}}",
        "{\"args\":{\"a\":[1}}}",
        "{\"numbers\":\"0\"}",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(reads_plainly(others[i]));
    }
}

/* ---- other events ----------------------------------------------------------------------- */

static void test_other_events(void **state)
{
    (void)state;
    expect("{\"ph\":\"N\",\"ts\":1,\"name\":\"o\",\"id\":1},{\"ph\":\"O\",\"ts\":1,\"id\":1},"
           "{\"ph\":\"D\",\"ts\":1,\"id\":1},{\"ph\":\"P\",\"ts\":1},{\"ph\":\"V\",\"ts\":1},"
           "{\"ph\":\"v\",\"ts\":1},{\"ph\":\"Q\",\"ts\":1},{\"ph\":\"XX\",\"ts\":1},{\"ph\":\"\"},"
           "{\"ph\":7}," GOOD,
           GOOD_ROW("2") "lost unknown_event 10 \"ph\":\"N\",\"name\":\"o\"\n");
    expect("{\"ph\":\"c\",\"ts\":1},{\"ph\":\"(\",\"ts\":1},{\"ph\":\")\",\"ts\":1},"
           "{\"ph\":\"=\",\"ts\":1},{\"ph\":\"M\",\"name\":\"num_cpus\",\"args\":{\"number\":4}},"
           "{\"ph\":\"M\",\"name\":\"tacho_part\",\"args\":{\"name\":\"no\"}}," GOOD ",{}",
           GOOD_ROW("2"));
    expect("{\"ts\":1,\"name\":\"x\"},null,[],7,\"text\"," GOOD,
           GOOD_ROW("2") "lost missing_field 5 \"ph\":\"\",\"name\":\"x\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_no_duration),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_bad_times),
        cmocka_unit_test(test_begin_end),
        cmocka_unit_test(test_begin_end_unsorted),
        cmocka_unit_test(test_async_unsorted),
        cmocka_unit_test(test_instants),
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_async_keys),
        cmocka_unit_test(test_old_async),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_reused_flows),
        cmocka_unit_test(test_early_arrivals),
        cmocka_unit_test(test_split_flows),
        cmocka_unit_test(test_no_events_between),
        cmocka_unit_test(test_id_forms),
        cmocka_unit_test(test_flows_behind_spans),
        cmocka_unit_test(test_bound_flows),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_plain_events),
        cmocka_unit_test(test_other_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
