/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents of events in Perfetto traces: arguments, nested or not, and values of counters.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

/* ---- arguments -------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_STRING_VALUES, 2, "value");
    end();
    packet(1); /* interned data in the event's own packet counts for it */
    number(PF_PACKET_TIMESTAMP, 1);
    interned(PF_INTERNED_ANNOTATION_NAMES, 1, "key");
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_BEGIN);
    annotation(PF_EVENT_ANNOTATIONS, "b");
    number(PF_ANNOTATION_BOOL, 1);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "u");
    number(PF_ANNOTATION_UINT, UINT64_MAX);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "i");
    number(PF_ANNOTATION_INT, (uint64_t)-5);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "d");
    real(PF_ANNOTATION_DOUBLE, 0.5);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "p");
    number(PF_ANNOTATION_POINTER, 16);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "s");
    text(PF_ANNOTATION_STRING, "text");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "j");
    text(PF_ANNOTATION_LEGACY_JSON, "{\"a\": [1]}");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "k");
    text(PF_ANNOTATION_LEGACY_JSON, "{broken");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "n");
    begin(PF_ANNOTATION_NESTED);
    number(PF_NESTED_INT, 7);
    end();
    end();
    annotation(PF_EVENT_ANNOTATIONS, NULL);
    number(PF_ANNOTATION_NAME_IID, 1);
    number(PF_ANNOTATION_STRING_IID, 2);
    end();
    end_event();
    event(2, PF_TYPE_END, 0);
    annotation(PF_EVENT_ANNOTATIONS, "at_end");
    number(PF_ANNOTATION_INT, 3);
    end();
    end_event();
    check("Default|1|2||"
          "|b=true u=u18446744073709551615 i=i-5 d=r0.5 p=u16 s=t'text' j=j'{\"a\": [1]}' "
          "k=t'{broken' n=i7 key=s'value' at_end=i3\n");
}

static void test_nested_arguments(void **state)
{
    (void)state;
    start();
    event(1, PF_TYPE_INSTANT, 0);
    annotation(PF_EVENT_ANNOTATIONS, NULL);
    annotation(PF_ANNOTATION_DICT_ENTRIES, "x");
    number(PF_ANNOTATION_INT, 1);
    end();
    annotation(PF_ANNOTATION_DICT_ENTRIES, "list");
    for (uint64_t i = 0; i < 2; i++) {
        annotation(PF_ANNOTATION_ARRAY_VALUES, NULL);
        number(PF_ANNOTATION_INT, i);
        end();
    }
    end();
    text(PF_ANNOTATION_NAME, "d"); /* after its contents */
    end();
    annotation(PF_EVENT_ANNOTATIONS, "e");
    begin(PF_ANNOTATION_DICT_ENTRIES);
    end();
    end();
    end_event();
    check("Default|1|1|||d={4 x=i1 list=[2 =i0 =i1 e=j'{}'|instant\n");
}

static void frame(const char *function, const char *file, uint64_t line)
{
    begin(PF_CALLSTACK_FRAMES);
    if (function != NULL) {
        text(PF_FRAME_FUNCTION, function);
    }
    if (file != NULL) {
        text(PF_FRAME_FILE, file);
    }
    if (line != 0) {
        number(PF_FRAME_LINE, line);
    }
    end();
}

static void test_correlations_and_callstacks(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_CORRELATIONS, 3, "request 3");
    end();
    event(1, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_ID, 42);
    begin(PF_EVENT_CALLSTACK);
    frame("main", "a.c", 7);
    frame("f", "b.c", 0);
    frame("g", NULL, 9);
    frame(NULL, "c.c", 1);
    end();
    end_event();
    event(2, PF_TYPE_INSTANT, 0);
    text(PF_EVENT_CORRELATION_STRING, "r2");
    begin(PF_EVENT_CALLSTACK);
    end();
    end_event();
    event(3, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_IID, 3);
    end_event();
    event(4, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_IID, 4); /* not interned */
    end_event();
    event(5, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CALLSTACK_IID, 1);
    end_event();
    check("Default|1|1|||correlation_id=u42 callstack=[4 =s'main a.c:7' =s'f b.c' =s'g' "
          "=s'c.c:1'|instant\n"
          "Default|2|2|||correlation_id=t'r2' callstack=j'[]'|instant\n"
          "Default|3|3|||correlation_id=s'request 3'|instant\n"
          "Default|4|4|||instant\nDefault|5|5|||instant\n"
          "lost unknown_state 2 byte 112\n");
}

static void test_too_deep(void **state)
{
    (void)state;
    for (int depth = 16; depth <= 17; depth++) {
        start();
        packet(1);
        number(PF_PACKET_TIMESTAMP, 1);
        begin(PF_PACKET_TRACK_EVENT);
        number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
        /* Nested by hand: the composer's own stack is not that deep. */
        unsigned char inner[512];
        unsigned char *at = tacho_pb_put_uint(inner, PF_ANNOTATION_INT, 1);
        for (int i = 0; i < depth; i++) {
            unsigned char outer[512];
            size_t len = (size_t)(at - inner);
            unsigned char *outer_at = tacho_pb_put_bytes(outer, PF_ANNOTATION_ARRAY_VALUES,
                                                         tacho_str_make((const char *)inner, len));
            memcpy(inner, outer, (size_t)(outer_at - outer));
            at = inner + (outer_at - outer);
        }
        bytes(PF_EVENT_ANNOTATIONS, tacho_str_make((const char *)inner, (size_t)(at - inner)));
        end_event();
        bool was_in_order = false;
        const char *result = read_trace(trace_bytes(), &was_in_order);
        assert_int_equal(strstr(result, "lost too_deep 1 byte 0\n") != NULL, depth == 17);
        assert_int_equal(strstr(result, "=i1") != NULL, depth == 16);
    }
}

/* ---- counters --------------------------------------------------------------------------- */

static void counter(uint64_t uuid, const char *name, int64_t multiplier, bool is_incremental)
{
    descriptor(uuid, name, 0);
    begin(PF_TRACK_COUNTER);
    number(PF_COUNTER_UNIT, PF_UNIT_BYTES);
    if (multiplier != 1) {
        number(PF_COUNTER_MULTIPLIER, (uint64_t)multiplier);
    }
    if (is_incremental) {
        number(PF_COUNTER_IS_INCREMENTAL, 1);
    }
    end();
    end_event();
}

static void value(uint64_t time, uint64_t uuid, int64_t amount)
{
    event(time, PF_TYPE_COUNTER, uuid);
    number(PF_EVENT_COUNTER_INT, (uint64_t)amount);
    end_event();
}

static void test_counters(void **state)
{
    (void)state;
    start();
    value(1, 1, 5); /* lost: not described yet */
    counter(1, "c", 1, false);
    counter(2, "times", 1024, false);
    counter(3, "sum", 2, true);
    track(4, "plain", 0);
    value(2, 1, -5);
    value(3, 2, 3);
    value(4, 3, 10);
    value(5, 3, -4);
    event(6, PF_TYPE_COUNTER, 1);
    real(PF_EVENT_COUNTER_DOUBLE, 0.25);
    end_event();
    value(7, 4, 1);                       /* lost: not a counter */
    simple(8, PF_TYPE_INSTANT, 1, "bad"); /* lost: a counter */
    event(9, PF_TYPE_COUNTER, 1);         /* lost: no value */
    end_event();
    event(10, PF_TYPE_COUNTER, 1); /* lost: not finite */
    real(PF_EVENT_COUNTER_DOUBLE, (double)INFINITY);
    end_event();
    check("c|2|-5\ntimes|3|3072\nsum|4|20\nsum|5|12\nc|6|0.25\n"
          "lost unknown_event 1 byte 199\n"
          "lost missing_field 1 byte 217\n"
          "lost unknown_state 2 byte 0\n"
          "lost not_finite 1 byte 229\n");
}

static void test_extra_counters(void **state)
{
    (void)state;
    start();
    counter(1, "a", 1, false);
    counter(2, "b", 1, false);
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_DEFAULTS);
    begin(PF_DEFAULTS_TRACK_EVENT);
    number(PF_EVENT_EXTRA_UUIDS, 1);
    number(PF_EVENT_EXTRA_UUIDS, 2);
    end();
    end();
    end();
    event(1, PF_TYPE_INSTANT, 0); /* tracks of the sequence */
    number(PF_EVENT_EXTRA_VALUES, 7);
    number(PF_EVENT_EXTRA_VALUES, 8);
    number(PF_EVENT_EXTRA_VALUES, 9); /* lost: no track for it */
    end_event();
    event(2, PF_TYPE_INSTANT, 0); /* its own, and packed */
    bytes(PF_EVENT_EXTRA_UUIDS, TACHO_STR("\x02\x01"));
    bytes(PF_EVENT_EXTRA_VALUES, TACHO_STR("\x0a\x0b"));
    number(PF_EVENT_EXTRA_DOUBLE_UUIDS, 1);
    real(PF_EVENT_EXTRA_DOUBLE_VALUES, 1.5);
    end_event();
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order),
                        "Default|1|1|||instant\nDefault|2|2|||instant\n"
                        "a|1|7\nb|1|8\na|2|1.5\na|2|11\nb|2|10\n"
                        "lost unknown_state 1 byte 45\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_nested_arguments),
        cmocka_unit_test(test_correlations_and_callstacks),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_extra_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
