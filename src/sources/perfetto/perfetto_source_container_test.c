/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file around the packets of a Perfetto trace: unknown fields, cuts, garbage, compressed
 * packets, events in Chrome's form, and detection of the format.
 */
#include "sources/perfetto/perfetto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

/* ---- the container ---------------------------------------------------------------------- */

static void test_unknown_fields(void **state)
{
    (void)state;
    start();
    number(15, 7);
    text(2, "not a packet");
    instants(1, 1);
    packet(0); /* an empty one */
    end();
    packet(0); /* of another kind */
    text(999, "memory");
    end();
    instants(2, 1);
    check("Default|1|1|||instant\nDefault|2|2|||instant\n"
          "fact perfetto.other_packets=1\n");
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    start();
    instants(1, 3);
    size_t len = trace_bytes().len;
    size_t packet_len = len / 3;
    for (size_t cut = packet_len; cut <= len; cut++) {
        bool was_in_order = false;
        const char *result =
            read_trace(tacho_str_make((const char *)made.bytes, cut), &was_in_order);
        char expected[256] = "";
        for (size_t i = 1; i <= cut / packet_len; i++) {
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                     "Default|%zu|%zu|||instant\n", i, i);
        }
        if (cut % packet_len != 0) {
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                     "lost cut_input 1 byte %zu\n", cut / packet_len * packet_len);
        }
        assert_string_equal(result, expected);
    }
    check_refused(tacho_str_make((const char *)made.bytes, packet_len - 1), "no track event");
    check_refused(TACHO_STR(""), "no track event");
}

static void test_malformed_packets(void **state)
{
    (void)state;
    start();
    instants(1, 1);
    bytes(PF_TRACE_PACKET, TACHO_STR("\x0b\x0b\x0b"));
    packet(1);
    number(PF_PACKET_TIMESTAMP, 2);
    bytes(PF_PACKET_TRACK_EVENT, TACHO_STR("\x48\x03\x22\x7f"));
    end();
    instants(3, 1);
    check("Default|1|1|||instant\nDefault|3|3|||instant\nlost cut_input 2 byte 10\n");
}

static void test_resynchronization(void **state)
{
    (void)state;
    start();
    instants(1, 1);
    memcpy(made.at, "\x0f\x0f garbage", 10); /* not a valid field */
    made.at += 10;
    packet(1);
    bytes(PF_PACKET_SYNC_MARKER,
          TACHO_STR("\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d\x57\xa0\x79"));
    end();
    instants(2, 1);
    memcpy(made.at, "\x0f\x0f garbage", 10);
    made.at += 10;
    instants(3, 1); /* without a marker everything is lost */
    check("Default|1|1|||instant\nDefault|2|2|||instant\nlost cut_input 2 byte 10\n");
}

/* A packet that holds, compressed, a packet that holds |inner|. */
static void compress_packet(uint32_t field, tacho_str inner, bool is_zstd)
{
    unsigned char plain[1024];
    unsigned char packed[2048];
    unsigned char *body = tacho_pb_open(plain, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_close(body, tacho_pb_put_bytes(body, field, inner));
    uLongf len = sizeof(packed);
    if (is_zstd) {
        len = ZSTD_compress(packed, sizeof(packed), plain, (size_t)(at - plain), 3);
    } else {
        assert_int_equal(compress(packed, &len, plain, (uLong)(at - plain)), Z_OK);
    }
    packet(0);
    bytes(field, tacho_str_make((const char *)packed, len));
    end();
}

static void test_compressed_packets(void **state)
{
    (void)state;
    for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
        unsigned char packed[1024];
        size_t packed_len = 0;
        start();
        instants(2, 2);
        if (is_zstd != 0) {
            packed_len = ZSTD_compress(packed, sizeof(packed), made.bytes, trace_bytes().len, 3);
        } else {
            uLongf len = sizeof(packed);
            assert_int_equal(compress(packed, &len, made.bytes, trace_bytes().len), Z_OK);
            packed_len = len;
        }
        tacho_str whole = tacho_str_make((const char *)packed, packed_len);
        uint32_t field = is_zstd != 0 ? PF_PACKET_ZSTD : PF_PACKET_ZLIB;
        start();
        instants(1, 1);
        packet(0);
        bytes(field, whole);
        end();
        instants(4, 1);
        check("Default|1|1|||instant\nDefault|2|2|||instant\nDefault|3|3|||instant\n"
              "Default|4|4|||instant\n");
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "Default|1|1|||instant\nDefault|2|2|||instant\nDefault|3|3|||instant\n"
                 "Default|4|4|||instant\nDefault|5|5|||instant\nlost cut_input 1 byte %zu\n",
                 trace_bytes().len);
        packet(0); /* cut: too short for a packet */
        bytes(field, tacho_str_make((const char *)packed, 4));
        end();
        instants(5, 1);
        check(expected);
        start(); /* compressed twice: not read */
        instants(1, 1);
        snprintf(expected, sizeof(expected),
                 "Default|1|1|||instant\nlost unknown_event 1 byte %zu\n", trace_bytes().len);
        compress_packet(field, whole, is_zstd != 0);
        check(expected);
    }
}

static void test_legacy_events(void **state)
{
    (void)state;
    static const char phases[] = "XBEb";
    start();
    for (uint64_t i = 0; i < 4; i++) {
        event(10 * (i + 1), 0, 0);
        begin(PF_EVENT_LEGACY);
        number(PF_LEGACY_PHASE, (uint64_t)phases[i]);
        number(PF_LEGACY_DURATION_US, 3);
        end();
        end_event();
    }
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order),
                        "Default|10|3010||\nDefault|20|30||\n"
                        "lost unknown_event 1 byte 48\n");
}

/* ---- probes ----------------------------------------------------------------------------- */

static void test_probe(void **state)
{
    (void)state;
    start();
    instants(1, 3);
    assert_int_equal(tacho_source_perfetto.probe(trace_bytes()), TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_perfetto.probe(TACHO_STR("")), TACHO_PROBE_NO);
    assert_int_equal(tacho_source_perfetto.probe(TACHO_STR("\nab\n")), TACHO_PROBE_NO);
    assert_int_equal(
        tacho_source_perfetto.probe(TACHO_STR("\n{\"traceEvents\": [{\"name\": \"a\", \"ph\": "
                                              "\"X\", \"ts\": 1, \"dur\": 2, \"pid\": 1, \"tid\": "
                                              "1, \"args\": {\"a long one\": \"and a text\"}}, "
                                              "{\"name\": \"b\"}]}\n")),
        TACHO_PROBE_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_malformed_packets),
        cmocka_unit_test(test_resynchronization),
        cmocka_unit_test(test_compressed_packets),
        cmocka_unit_test(test_legacy_events),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
