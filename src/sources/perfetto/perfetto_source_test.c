/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Perfetto source: spans from events, their tracks, and the state of packet sequences.
 */
#include "sources/perfetto/perfetto.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

/* ---- spans and tracks ------------------------------------------------------------------- */

static void test_nested_spans(void **state)
{
    (void)state;
    start();
    track(1, "engine", 0);
    simple(10, PF_TYPE_BEGIN, 1, "outer");
    simple(20, PF_TYPE_BEGIN, 1, "inner");
    simple(25, PF_TYPE_INSTANT, 1, "now");
    simple(30, PF_TYPE_END, 1, NULL);
    simple(30, PF_TYPE_BEGIN, 1, "empty");
    simple(30, PF_TYPE_END, 1, NULL);
    simple(40, PF_TYPE_END, 1, NULL);
    check("engine|10|40|outer|\n"
          "engine|20|30|inner|\n"
          "engine|25|25|now||instant\n"
          "engine|30|30|empty|\n");
}

static void test_unmatched(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(5, PF_TYPE_END, 1, NULL);
    simple(10, PF_TYPE_BEGIN, 1, "a");
    simple(20, PF_TYPE_BEGIN, 1, "b");
    simple(30, PF_TYPE_END, 1, "c");
    track(2, "u", 0);
    simple(99, PF_TYPE_INSTANT, 2, "last");
    check("t|10|99|a||unended\n"
          "t|20|99|b||unended\n"
          "u|99|99|last||instant\n"
          "lost unmatched_end 2 byte 10\n");
}

/* Lost events do not set the part's zero. */
static void test_zero(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    descriptor(2, "c", 0);
    begin(PF_TRACK_COUNTER);
    end();
    end_event();
    simple(3, PF_TYPE_STATE, 1, NULL);
    simple(4, PF_TYPE_END, 1, NULL);
    event(5, PF_TYPE_COUNTER, 2);
    real(PF_EVENT_COUNTER_DOUBLE, (double)NAN);
    end_event();
    simple(6, PF_TYPE_BEGIN, 1, "a");
    simple(7, PF_TYPE_END, 1, NULL);
    for (int holds = 0; holds < 2; holds++) {
        assert_ok(read_into(&first, trace_bytes(), holds != 0, TACHO_ORDER_SORT));
        assert_int_equal(first.profile.span_count, 1);
        assert_int_equal(first.dict.parts[0].first_start, 6);
        drop(&first);
    }
}

static void test_named_ends(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_BEGIN, 1, "a");
    simple(50, PF_TYPE_BEGIN, 1, "b");
    simple(100, PF_TYPE_END, 1, "a");
    simple(150, PF_TYPE_END, 1, "b");
    check("t|0|100|a|\nt|50|150|b|\n");
}

static void test_sorted_by_time_then_place(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_BEGIN, 1, "a");
    simple(100, PF_TYPE_END, 1, NULL);
    simple(50, PF_TYPE_BEGIN, 1, "b");
    simple(150, PF_TYPE_END, 1, NULL);
    simple(50, PF_TYPE_BEGIN, 1, "c");
    simple(50, PF_TYPE_END, 1, NULL);
    /* By time: a at 0; b, c, end at 50; ends at 100 and 150. */
    check_out_of_order("t|0|150|a|\nt|50|100|b|\nt|50|50|c|\n");
}

static void test_tracks_may_come_one_by_one(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    track(2, "u", 0);
    simple(100, PF_TYPE_BEGIN, 1, "a");
    simple(200, PF_TYPE_END, 1, NULL);
    simple(10, PF_TYPE_BEGIN, 2, "b");
    simple(20, PF_TYPE_END, 2, NULL);
    check("u|10|20|b|\nt|100|200|a|\n");
}

static void test_states(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_STATE, 1, "idle");
    simple(10, PF_TYPE_STATE, 1, "busy");
    simple(30, PF_TYPE_STATE, 1, NULL);
    simple(40, PF_TYPE_STATE, 1, "idle");
    check("t|0|10|idle|\nt|10|30|busy|\nt|40|40|idle||unended\n");
}

static void test_processes_and_threads(void **state)
{
    (void)state;
    start();
    process(1, 7, "app");
    thread(2, 7, 9, "main");
    thread(3, 8, 8, "other");
    process(4, 4, "made up");
    track(5, "queue", 4);
    track(6, "deep", 5);
    simple(1, PF_TYPE_INSTANT, 1, "p");
    simple(2, PF_TYPE_INSTANT, 2, "t");
    simple(4, PF_TYPE_INSTANT, 5, "q");
    simple(5, PF_TYPE_INSTANT, 6, "d");
    simple(6, PF_TYPE_INSTANT, 0, "none");
    check("app 7 < app 7|1|1|p||instant\n"
          "main 9 < app 7|2|2|t||instant\n"
          "queue < made up|4|4|q||instant\n"
          "deep < queue|5|5|d||instant\n"
          "Default|6|6|none||instant\n");
    simple(7, PF_TYPE_INSTANT, 3, "o"); /* its process may still be described */
    check_out_of_order("app 7 < app 7|1|1|p||instant\n"
                       "main 9 < app 7|2|2|t||instant\n"
                       "queue < made up|4|4|q||instant\n"
                       "deep < queue|5|5|d||instant\n"
                       "Default|6|6|none||instant\n"
                       "other 8 < Process 8|7|7|o||instant\n");
}

static void test_late_and_missing_descriptors(void **state)
{
    (void)state;
    start();
    simple(1, PF_TYPE_BEGIN, 5, "a");
    simple(2, PF_TYPE_END, 5, NULL);
    simple(3, PF_TYPE_INSTANT, 6, "b");
    simple(4, PF_TYPE_INSTANT, 9, "c");
    track(5, "late", 7);
    track(5, "too late", 0);
    track(7, "above", 0);
    track(6, "orphan", 77);
    check_out_of_order("late < above|1|2|a|\n"
                       "orphan|3|3|b||instant\n"
                       "Track 9|4|4|c||instant\n");
}

static void test_loops_of_parents(void **state)
{
    (void)state;
    start();
    track(1, "a", 2);
    track(2, "b", 1);
    track(3, "self", 3);
    simple(1, PF_TYPE_INSTANT, 1, "x");
    simple(2, PF_TYPE_INSTANT, 3, "y");
    bool was_in_order = false;
    const char *result = read_trace(trace_bytes(), &was_in_order);
    assert_non_null(strstr(result, "|1|1|x||instant\n"));
    assert_non_null(strstr(result, "self|2|2|y||instant\n"));
}

static void test_equal_names(void **state)
{
    (void)state;
    start();
    track(1, "row", 0);
    track(2, "row", 0); /* shown as one */
    descriptor(3, "row", 0);
    number(PF_TRACK_MERGE_BEHAVIOR, PF_MERGE_NEVER);
    end_event();
    for (uint64_t uuid = 4; uuid < 6; uuid++) {
        descriptor(uuid, uuid == 4 ? "x" : "y", 0);
        number(PF_TRACK_MERGE_BEHAVIOR, PF_MERGE_BY_KEY);
        text(PF_TRACK_MERGE_KEY, "k");
        end_event();
    }
    for (uint64_t uuid = 1; uuid < 6; uuid++) {
        simple(uuid, PF_TYPE_INSTANT, uuid, "e");
    }
    assert_ok(read_into(&first, trace_bytes(), true, TACHO_ORDER_SORT));
    uint32_t tracks[5];
    for (size_t i = 0; i < 5; i++) {
        tracks[i] = tacho_profile_span(&first.profile, i).track;
    }
    assert_int_equal(tracks[0], tracks[1]);
    assert_int_not_equal(tracks[0], tracks[2]);
    assert_int_equal(tracks[3], tracks[4]);
    drop(&first);
}

static void test_old_descriptors(void **state)
{
    (void)state;
    start();
    packet(1);
    begin(PF_PACKET_PROCESS_DESCRIPTOR);
    number(PF_PROCESS_PID, 3);
    text(PF_PROCESS_CMDLINE, "/bin/app");
    text(PF_PROCESS_CMDLINE, "-x");
    end();
    begin(PF_PACKET_THREAD_DESCRIPTOR);
    number(PF_THREAD_PID, 3);
    number(PF_THREAD_TID, 4);
    text(PF_THREAD_NAME, "main");
    end();
    end();
    simple(1, PF_TYPE_INSTANT, 0, "e");
    check("main 4 < /bin/app 3|1|1|e||instant\n");
}

/* ---- sequence state --------------------------------------------------------------------- */

/* An event of sequence |id| whose name and category are numbers. */
static void numbered(uint64_t id, uint64_t flags, uint64_t time, uint64_t name)
{
    packet(id);
    number(PF_PACKET_TIMESTAMP, time);
    number(PF_PACKET_SEQUENCE_FLAGS, flags);
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    number(PF_EVENT_NAME_IID, name);
    end_event();
}

static void strings(uint64_t id, uint64_t flags, uint64_t iid, const char *name)
{
    packet(id);
    number(PF_PACKET_SEQUENCE_FLAGS, flags);
    interned(PF_INTERNED_NAMES, iid, name);
    end();
}

static void test_sequence_state(void **state)
{
    (void)state;
    start();
    strings(1, 0, 1, "too early");
    numbered(1, 2, 1, 1); /* lost: the state is not valid */
    strings(1, 1, 1, "one");
    strings(1, 2, 1, "changed"); /* the first stays */
    numbered(1, 2, 2, 1);
    strings(2, 1, 1, "second");
    numbered(2, 2, 3, 1);
    numbered(1, 2, 4, 9); /* 9 is not interned */
    strings(1, 1, 2, "afresh");
    numbered(1, 2, 5, 1); /* forgotten */
    numbered(1, 2, 6, 2);
    packet(1);
    number(PF_PACKET_PREVIOUS_DROPPED, 1);
    end();
    numbered(1, 2, 7, 2); /* lost */
    packet(1);
    number(PF_PACKET_STATE_CLEARED, 1);
    begin(PF_PACKET_INTERNED_DATA);
    entry(PF_INTERNED_NAMES, 1 << 30, "far");
    entry(PF_INTERNED_NAMES, 1 << 30, "far again");
    end();
    end();
    numbered(1, 2, 8, 1 << 30);
    check("Default|2|2|one||instant\n"
          "Default|3|3|second||instant\n"
          "Default|4|4|||instant\n"
          "Default|5|5|||instant\n"
          "Default|6|6|afresh||instant\n"
          "Default|8|8|far||instant\n"
          "lost unknown_state 4 byte 23\n");
}

/* Numbers far apart, and sums: a fresh start drops both, and they are set again. */
static void test_fresh_starts(void **state)
{
    (void)state;
    const uint64_t far = 1 << 30;
    start();
    descriptor(7, "sum", 0);
    begin(PF_TRACK_COUNTER);
    number(PF_COUNTER_IS_INCREMENTAL, 1);
    end();
    end_event();
    for (uint64_t i = 1; i <= 3; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        if (i != 2) {
            strings(1, 1, far, name);
            strings(1, 2, far, "the first stays");
        } else {
            strings(1, 1, 5, name);
        }
        strings(2, 1, far, "other");
        numbered(1, 2, 10 * i, far);
        numbered(2, 2, 10 * i + 1, far);
        for (uint64_t j = 2; j < 4; j++) {
            event(10 * i + j, PF_TYPE_COUNTER, 7);
            number(PF_EVENT_COUNTER_INT, i);
            end_event();
        }
    }
    check("Default|10|10|b||instant\nDefault|11|11|other||instant\n"
          "Default|20|20|||instant\nDefault|21|21|other||instant\n"
          "Default|30|30|d||instant\nDefault|31|31|other||instant\n"
          "sum|12|1\nsum|13|2\nsum|22|2\nsum|23|4\nsum|32|3\nsum|33|6\n"
          "lost unknown_state 1 byte 195\n");
}

static void test_categories_and_locations(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_CATEGORIES, 1, "gpu");
    end();
    packet(1);
    begin(PF_PACKET_INTERNED_DATA);
    begin(PF_INTERNED_SOURCE_LOCATIONS);
    number(PF_LOCATION_IID, 3);
    text(PF_LOCATION_FILE, "a.cc");
    number(PF_LOCATION_LINE, 12);
    end();
    begin(PF_INTERNED_LOG_BODIES);
    number(PF_INTERNED_IID, 4);
    text(PF_INTERNED_STRING, "hello");
    end();
    end();
    end();
    event(1, PF_TYPE_INSTANT, 0);
    text(PF_EVENT_NAME, "x");
    number(PF_EVENT_CATEGORY_IID, 1);
    text(PF_EVENT_CATEGORY, "io");
    number(PF_EVENT_SOURCE_LOCATION_IID, 3);
    begin(PF_EVENT_LOG_MESSAGE);
    number(PF_LOG_BODY_IID, 4);
    end();
    end_event();
    event(2, PF_TYPE_INSTANT, 0);
    begin(PF_EVENT_SOURCE_LOCATION);
    text(PF_LOCATION_FILE, "b.cc");
    end();
    end_event();
    check("Default|1|1|x|gpu,io@a.cc:12|log_message=s'hello'|instant\n"
          "Default|2|2||@b.cc|instant\n");
}

static void test_defaults(void **state)
{
    (void)state;
    start();
    track(5, "default", 0);
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_DEFAULTS);
    begin(PF_DEFAULTS_TRACK_EVENT);
    number(PF_EVENT_TRACK_UUID, 5);
    end();
    end();
    end();
    simple(1, PF_TYPE_INSTANT, 0, "a");
    check("default|1|1|a||instant\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_spans),
        cmocka_unit_test(test_unmatched),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_named_ends),
        cmocka_unit_test(test_sorted_by_time_then_place),
        cmocka_unit_test(test_tracks_may_come_one_by_one),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_processes_and_threads),
        cmocka_unit_test(test_late_and_missing_descriptors),
        cmocka_unit_test(test_loops_of_parents),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_old_descriptors),
        cmocka_unit_test(test_sequence_state),
        cmocka_unit_test(test_fresh_starts),
        cmocka_unit_test(test_categories_and_locations),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
