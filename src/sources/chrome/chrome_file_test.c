/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome traces as files: parts, other keys, compressed, cut, broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

#include "sources/chrome/chrome_testing.h"

/* ---- files ------------------------------------------------------------------------------ */

static void test_parts(void **state)
{
    (void)state;
    expect_of(TACHO_STR("\xef\xbb\xbf \r\n[" GOOD "," X(AT) "]"), PARTS,
              GOOD_ROW("2")
                  X_ROW("2") "part t.json (/runs/t.json) chrome array measured first 1000, " CLOCK);
    expect_of(TACHO_STR("{\"traceEvents\":[" GOOD "]}"), PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome object measured first 9000, " CLOCK);
    expect_of(TACHO_STR("{\"schemaVersion\":1,\"deviceProperties\":[],\"traceEvents\":[" GOOD "]}"),
              PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome kineto measured first 9000, " CLOCK);
    expect_of(TACHO_STR("{\"distributedInfo\":{\"rank\":0},\"traceEvents\":[" GOOD "]}"), PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome kineto measured first 9000, " CLOCK);
    expect_of(TACHO_STR("[{\"cat\":\"Session\",\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"s\"}]"),
              PARTS,
              "span #2 3000..4000 s|Session\n"
              "part t.json (/runs/t.json) chrome ort measured first 3000, " CLOCK);
    /* A begin counts before its span is emitted. */
    expect_of(
        TACHO_STR("[{\"ph\":\"B\",\"ts\":2,\"name\":\"b\"}," GOOD ",{\"ph\":\"E\",\"ts\":11}]"),
        PARTS,
        "span #4 9000..10000 good|\nspan #2 2000..11000 b|\n"
        "part t.json (/runs/t.json) chrome array measured first 2000, " CLOCK);
}

static void test_other_keys(void **state)
{
    (void)state;
    expect_of(TACHO_STR("{\"displayTimeUnit\":\"ns\",\"schemaVersion\":1,\"on\":true,\"x\":null,"
                        "\"stackFrames\":{\"1\":{\"name\":\"f\"}},\"metadata\":{\"a\":\"v\",\"b\":{"
                        "\"c\":1},\"d\":2.5,\"tacho.about\":\"x\",\"tacho.lost.total\":\"3\"},"
                        "\"samples\":[{\"ts\":1},{\"ts\":2}],\"traceEvents\":[" GOOD
                        "],\"traceName\":\"t\"}"),
              METADATA,
              GOOD_ROW("2") "lost unknown_event 2 byte 187: \"samples\"\nchrome.schemaVersion = "
                            "1\nchrome.on = true\n"
                            "chrome.metadata.a = v\nchrome.metadata.d = 2.5\nfrom.lost.total = 3\n"
                            "chrome.traceName = t\n");
    expect_of(TACHO_STR("[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\tb\"},"
                        "{\"ph\":\"C\",\"ts\":1,\"name\":\"c\",\"args\":{\"v\":inf}}]"),
              METADATA,
              "span #2 1000..2000 a\tb|\nlost not_finite 1 byte 40: \"ph\":\"C\",\"name\":\"c\"\n"
              "chrome.control_characters = 1\nchrome.not_finite_numbers = 1\n");
    expect_of(TACHO_STR("{\"deviceProperties\":[{\"id\":0,\"name\":\"H200\"},{\"id\":1}],"
                        "\"distributedInfo\":{\"rank\":3,\"pg\":[{\"ranks\":[0,3]}]},"
                        "\"traceEvents\":[" GOOD ",]}"),
              METADATA,
              GOOD_ROW("2") "chrome.deviceProperties.0.id = 0\n"
                            "chrome.deviceProperties.0.name = H200\n"
                            "chrome.deviceProperties.1.id = 1\n"
                            "chrome.distributedInfo.rank = 3\n"
                            "chrome.distributedInfo.pg.0.ranks.0 = 0\n"
                            "chrome.distributedInfo.pg.0.ranks.1 = 3\n");
}

/* At most 1000 facts of at most 4096 bytes. */
static void test_many_keys(void **state)
{
    (void)state;
    char *text = malloc(KEYS_BYTES);
    assert_non_null(text);
    size_t len = print(text, KEYS_BYTES, "{\"metadata\":{\"long\":\"%05000d\"", 7);
    for (int i = 0; i < 1100; i++) {
        len += print(text + len, KEYS_BYTES - len, ",\"k%d\":%d", i, i);
    }
    len += print(text + len, KEYS_BYTES - len, "},\"traceEvents\":[" GOOD "]}");
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make(text, len)));
    assert_int_equal(to->dict.metadata_count, 1000);
    assert_int_equal(tacho_dict_string(&to->dict, to->dict.metadata[0].value).len, 4096);
    assert_string_equal(string_of(to, to->dict.metadata[999].key), "chrome.metadata.k998");
    destroy(to);
    free(text);
}

/* Wherever a file is cut, the whole events before the cut are read. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    static const char *const starts[] = {"[", "{\"traceEvents\":["};
    for (size_t form = 0; form < 2; form++) {
        char text[1024];
        size_t ends[4]; /* after each event */
        size_t len = print(text, sizeof(text), "%s", starts[form]);
        for (int i = 0; i < 4; i++) {
            len += print(text + len, sizeof(text) - len,
                         "%s{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"args\":{\"a\":[1,\"b\"]}}",
                         i > 0 ? ",\n" : "", i + 1);
            ends[i] = len;
        }
        for (size_t cut = 0; cut < len; cut++) {
            size_t whole = 0;
            while (whole < 4 && ends[whole] <= cut) {
                whole++;
            }
            recorder *to = make();
            tacho_status status = read_bytes(to, tacho_str_make(text, cut));
            if (whole == 0) {
                assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
                tacho_status_free(status);
                destroy(to);
                continue;
            }
            assert_ok(status);
            size_t rows = 0;
            for (const char *at = to->text; (at = strstr(at, "span ")) != NULL; at++) {
                rows++;
            }
            assert_int_equal(rows, whole);
            /* The array form may end after an event, and after the comma and the line end. */
            bool may_end = form == 0 && cut - ends[whole - 1] <= 2;
            assert_int_equal(to->dict.loss_count, may_end ? 0 : 1);
            if (!may_end) {
                assert_int_equal(to->dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
                assert_int_equal(to->dict.losses[0].count, 1);
            }
            destroy(to);
        }
    }
}

static void test_open_arrays(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" GOOD ",\n"), 0, GOOD_ROW("2"));
    expect_of(TACHO_STR("[" GOOD "\n"), 0, GOOD_ROW("2"));
    expect_of(TACHO_STR("[" GOOD ",]"), 0, GOOD_ROW("2"));
    /* Begun spans of a cut file last as long as the rest. */
    expect_of(
        TACHO_STR("[{\"ph\":\"B\",\"ts\":1,\"name\":\"b\"}," GOOD ",{\"ph\":\"E\","), 0,
        "span #4 9000..10000 good|\nspan #2 1000..10000 b| unended\nlost cut_input 1 byte 96\n");
}

static void test_compressed(void **state)
{
    (void)state;
    char plain[20000];
    size_t len = print(plain, sizeof(plain), "[");
    for (int i = 0; i < 200; i++) {
        len += print(plain + len, sizeof(plain) - len, "{\"ph\":\"X\",\"ts\":%d,\"dur\":%d},\n", i,
                     i * 7919 % 97);
    }
    unsigned char packed[20000];
    z_stream stream = {.next_in = (unsigned char *)plain, .avail_in = (unsigned)len};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = packed;
    stream.avail_out = sizeof(packed);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t packed_len = stream.total_out;
    deflateEnd(&stream);
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make((const char *)packed, packed_len)));
    assert_int_equal(to->dict.loss_count, 0);
    destroy(to);
    to = make();
    assert_ok(read_bytes(to, tacho_str_make((const char *)packed, packed_len - packed_len / 3)));
    assert_int_equal(to->dict.loss_count, 1);
    assert_int_equal(to->dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
    assert_int_equal(to->dict.losses[0].count, 1);
    destroy(to);
}

static void test_failures(void **state)
{
    (void)state;
    expect_failure("[]", "t.json: the trace has no events");
    expect_failure("[{}]", "t.json: the trace has no events");
    expect_failure("{\"traceEvents\":[]}", "t.json: the trace has no events");
    expect_failure("[{\"ph\":\"Q\",\"name\":\"q\"}]",
                   "t.json: no event of this file can be read; first problem: unknown event "
                   "or id (byte 1: \"ph\":\"Q\",\"name\":\"q\")");
    expect_failure("{\"traceEvents\":[{\"ph\":\"X\",",
                   "t.json: byte 26: truncated before the end of the first event");
    expect_failure("{\"schemaVersion\":1}",
                   "t.json: byte 18: expected \"traceEvents\" before the object ends");
    expect_failure("{\"traceEvents\":{}}",
                   "t.json: byte 15: \"traceEvents\" must be an array, not an object");
    expect_failure(
        "7 ", "t.json: byte 0: expected an array of events or an object with \"traceEvents\", not "
              "a number");
    expect_failure("\n \"x\"",
                   "t.json: byte 3: expected an array of events or an object with \"traceEvents\", "
                   "not a string");
}

static void test_broken_json(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[" GOOD ",{\"ph\" \"X\"}]",
        "[" GOOD "}]",
        "[" GOOD "] x",
        "{\"traceEvents\":[" GOOD "]} x",
        "{\"traceEvents\":[" GOOD ",,]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        recorder *to = make();
        tacho_status status = read_bytes(to, tacho_str_from_cstring(texts[i]));
        assert_non_null(status);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_non_null(strstr(tacho_status_message(status), "t.json"));
        tacho_status_free(status);
        destroy(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_many_keys),   cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_open_arrays), cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_broken_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
