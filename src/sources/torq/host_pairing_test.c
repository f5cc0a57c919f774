/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing of begins and ends in host profiles: programs and their waits, nested calls, rows without
 * a partner, ties, and the number of rows held meanwhile.
 */
#include "sources/torq/host_pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/torq/host_testing.h"

/* A host program lasts from its start to the wait; other actions may be in between. */
static void test_r2_programs(void **state)
{
    (void)state;
    static const char rows[] = "d,7,0,10,HOST_START_BEGIN\n"
                               "d,7,0,11,HOST_START_END\n"
                               "d,7,1,11,NSS_START_BEGIN\n"
                               "d,7,1,12,NSS_START_END\n"
                               "d,7,2,12,HOST_COPY_BEGIN\n"
                               "d,7,2,14,HOST_COPY_END\n"
                               "d,7,3,14,NSS_WAIT_BEGIN\n"
                               "d,7,3,20,NSS_WAIT_END\n"
                               "d,7,4,20,HOST_WAIT_BEGIN\n"
                               "d,7,4,25,HOST_WAIT_END\n"
                               "d,7,5,25,NSS_START_BEGIN\n"
                               "d,7,5,26,NSS_START_END\n"
                               "d,7,6,26,NSS_WAIT_BEGIN\n"
                               "d,7,6,40,NSS_WAIT_END\n";
    static const char read[] =
        PART("R2", "10") "Host Actions|10|11|HOST_START|sync|-|d#7|action=0\n"
                         "Host Programs|10|25|HOST_PROGRAM|host|-|d#7|action=0\n"
                         "NSS Actions|11|12|NSS_START|sync|-|d#7|action=1\n"
                         "NSS Programs|11|20|NSS program|control|-|d#7|action=1\n"
                         "Host Copy|12|14|HOST_COPY|host_copy|-|d#7|action=2\n"
                         "NSS Actions|14|20|NSS_WAIT|sync|-|d#7|action=3\n"
                         "Host Actions|20|25|HOST_WAIT|sync|-|d#7|action=4\n"
                         "NSS Actions|25|26|NSS_START|sync|-|d#7|action=5\n"
                         "NSS Programs|25|40|NSS program|control|-|d#7|action=5\n"
                         "NSS Actions|26|40|NSS_WAIT|sync|-|d#7|action=6\n";
    char text[1024];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    check(text, read);
    check_shuffled(R2_HEADER, rows);
}

/* Two programs started before one wait both end with it; a wait for nothing ends nothing. */
static void test_r2_odd_programs(void **state)
{
    (void)state;
    check(R2_HEADER "d,7,0,10,NSS_START_BEGIN\n"
                    "d,7,0,11,NSS_START_END\n"
                    "d,7,1,12,NSS_START_BEGIN\n"
                    "d,7,1,13,NSS_START_END\n"
                    "d,7,2,14,NSS_WAIT_BEGIN\n"
                    "d,7,2,20,NSS_WAIT_END\n"
                    "d,7,3,21,NSS_WAIT_BEGIN\n"
                    "d,7,3,22,NSS_WAIT_END\n"
                    "d,7,4,23,HOST_WAIT_BEGIN\n"
                    "d,7,4,24,HOST_WAIT_END\n",
          PART("R2", "10") "NSS Actions|10|11|NSS_START|sync|-|d#7|action=0\n"
                           "NSS Programs|10|20|NSS program|control|-|d#7|action=0\n"
                           "NSS Actions|12|13|NSS_START|sync|-|d#7|action=1\n"
                           "NSS Programs|12|20|NSS program|control|-|d#7|action=1\n"
                           "NSS Actions|14|20|NSS_WAIT|sync|-|d#7|action=2\n"
                           "NSS Actions|21|22|NSS_WAIT|sync|-|d#7|action=3\n"
                           "Host Actions|23|24|HOST_WAIT|sync|-|d#7|action=4\n");
}

/* Calls of one name in one scope: one inside another, then one after another. */
static void test_r2_hal_is_lifo(void **state)
{
    (void)state;
    check(R2_HEADER "q,1,-1,10,HAL_CALL_BEGIN\n"
                    "q,1,-1,11,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,12,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,13,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,14,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,15,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,16,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,17,HAL_CALL_END\n",
          PART("R2h", "10") "HAL|10|17|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "HAL|11|14|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n"
                            "HAL|12|13|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n"
                            "HAL|15|16|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n");
    /* An unmatched END does not take the next BEGIN. */
    check(R2_HEADER "q,1,-1,11,HAL_CALL_END\n"
                    "q,1,-1,12,HAL_CALL_BEGIN\n"
                    "q,1,-1,13,HAL_CALL_END\n",
          PART("R2h", "11") "HAL|11|11|HAL_CALL|runtime|-|q#1|scope=q unmatched=true\n"
                            "HAL|12|13|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "lost unmatched_end 1 at 2\n");
}

static void test_r2_unmatched(void **state)
{
    (void)state;
    static const char rows[] = "d,0,-1,10,DISPATCH_BEGIN\n"
                               "d,0,0,11,HOST_COPY_BEGIN\n"
                               "d,0,1,12,ALLOC_END\n"
                               "d,0,2,13,NSS_START_BEGIN\n"
                               "d,0,2,14,NSS_START_END\n"
                               "d,0,3,20,NSS_WAIT_BEGIN\n"
                               "q,1,-1,15,HAL_CALL_BEGIN\n"
                               "e,2,-1,30,DISPATCH_BEGIN\n"
                               "e,2,-1,40,DISPATCH_END\n";
    char text[1024];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    /* A BEGIN without an END lasts as long as its run; a call of the HAL as long as the file. */
    check(text, PART("R2h", "10") "Host|10|20|DISPATCH|phase|-|d#0 unended\n"
                                  "Host Copy|11|20|HOST_COPY|host_copy|-|d#0|action=0 unended\n"
                                  "Host Memory|12|12|ALLOC|memory|-|d#0|action=1 unmatched=true\n"
                                  "NSS Actions|13|14|NSS_START|sync|-|d#0|action=2\n"
                                  "NSS Programs|13|20|NSS program|control|-|d#0|action=2 unended\n"
                                  "HAL|15|40|HAL_CALL|runtime|-|q#1|scope=q unended\n"
                                  "NSS Actions|20|20|NSS_WAIT|sync|-|d#0|action=3 unended\n"
                                  "Host|30|40|DISPATCH|phase|-|e#2\n"
                                  "lost unmatched_end 1 at 4\n"
                                  "lost never_ended 1 at 5\n");
    check_shuffled(R2_HEADER, rows);
}

/* Of an END before the BEGIN and one after it, the BEGIN gets the latter. */
static void test_r2_early_end(void **state)
{
    (void)state;
    check(R2_HEADER "q,1,-1,12,HAL_CALL_BEGIN\n"
                    "q,1,-1,11,HAL_CALL_END\n"
                    "q,1,-1,13,HAL_CALL_END\n",
          PART("R2h", "11") "HAL|11|11|HAL_CALL|runtime|-|q#1|scope=q unmatched=true\n"
                            "HAL|12|13|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "lost unmatched_end 1 at 3\n");
}

static void test_r2_swapped(void **state)
{
    (void)state;
    static const char read[] = PART("R2", "10") "Host|10|30|DISPATCH|phase|-|d#0\n"
                                                "Host Copy|12|15|HOST_COPY|host_copy|-|d#0|"
                                                "action=0\n";
    check(R2_HEADER "d,0,-1,30,DISPATCH_BEGIN\n"
                    "d,0,0,15,HOST_COPY_BEGIN\n"
                    "d,0,0,12,HOST_COPY_END\n"
                    "d,0,-1,10,DISPATCH_END\n",
          read);
    check(R2_HEADER "d,0,-1,10,DISPATCH_END\n"
                    "d,0,0,12,HOST_COPY_END\n"
                    "d,0,0,15,HOST_COPY_BEGIN\n"
                    "d,0,-1,30,DISPATCH_BEGIN\n",
          read);
}

/* Names of a later version are kept if they pair up. */
static void test_r2_unknown_names(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                    "d,0,-1,11,WARM_UP_BEGIN\n"
                    "d,0,4,12,PREFETCH_BEGIN\n"
                    "d,0,4,13,PREFETCH_END\n"
                    "d,0,5,13,ALLOCATE_BEGIN\n"
                    "d,0,5,14,ALLOCATE_END\n"
                    "d,0,-1,14,WARM_UP_END\n"
                    "d,0,-1,15,COOL_DOWN_END\n"
                    "d,0,-1,16,SHUT_DOWN_BEGIN\n"
                    "d,0,-1,20,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "Host|11|14|WARM_UP|phase|-|d#0\n"
                           "Host|12|13|PREFETCH|phase|-|d#0|action=4\n"
                           "Host|13|14|ALLOCATE|phase|-|d#0|action=5\n"
                           "lost unknown_event 2 at 9\n");
}

/* Microseconds are coarse: many rows have the same time. */
static void test_r2_ties(void **state)
{
    (void)state;
    static const char rows[] = "d,0,-1,10,DISPATCH_BEGIN\n"
                               "d,0,-1,10,DISPATCH_SYNC_BINDINGS_IN_BEGIN\n"
                               "d,0,-1,10,DISPATCH_SYNC_BINDINGS_IN_END\n"
                               "d,0,-1,10,DISPATCH_EXECUTE_ACTIONS_BEGIN\n"
                               "d,0,0,10,DEALLOC_BEGIN\n"
                               "d,0,0,10,DEALLOC_END\n"
                               "d,0,1,10,ALLOC_BEGIN\n"
                               "d,0,1,10,ALLOC_END\n"
                               "d,0,2,10,ALLOC_BEGIN\n"
                               "d,0,2,12,ALLOC_END\n"
                               "d,0,3,12,NSS_START_BEGIN\n"
                               "d,0,3,12,NSS_START_END\n"
                               "d,0,4,12,NSS_WAIT_BEGIN\n"
                               "d,0,4,20,NSS_WAIT_END\n"
                               "d,0,5,20,NSS_START_BEGIN\n"
                               "d,0,5,20,NSS_START_END\n"
                               "d,0,6,20,NSS_WAIT_BEGIN\n"
                               "d,0,6,20,NSS_WAIT_END\n"
                               "d,0,-1,20,DISPATCH_EXECUTE_ACTIONS_END\n"
                               "d,0,-1,20,DISPATCH_END\n";
    char text[2048];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    check(text, PART("R2h", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                                  "Host|10|20|DISPATCH_EXECUTE_ACTIONS|phase|-|d#0\n"
                                  "Host|10|10|DISPATCH_SYNC_BINDINGS_IN|phase|-|d#0\n"
                                  "Host Memory|10|10|ALLOC|memory|-|d#0|action=1\n"
                                  "Host Memory|10|10|DEALLOC|memory|-|d#0|action=0\n"
                                  "Host Memory|10|12|ALLOC|memory|-|d#0|action=2\n"
                                  "NSS Actions|12|20|NSS_WAIT|sync|-|d#0|action=4\n"
                                  "NSS Actions|12|12|NSS_START|sync|-|d#0|action=3\n"
                                  "NSS Programs|12|20|NSS program|control|-|d#0|action=3\n"
                                  "NSS Actions|20|20|NSS_START|sync|-|d#0|action=5\n"
                                  "NSS Actions|20|20|NSS_WAIT|sync|-|d#0|action=6\n"
                                  "NSS Programs|20|20|NSS program|control|-|d#0|action=5\n");
    check_passes(text);
    check_shuffled(R2_HEADER, rows);
}

/* The enclosing scope is complete last and is pushed first. */
static void test_passes(void **state)
{
    (void)state;
    check_passes(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                           "d,0,0,11,HOST_COPY_BEGIN\n"
                           "d,0,0,12,HOST_COPY_END\n"
                           "d,0,1,12,NSS_START_BEGIN\n"
                           "d,0,1,13,NSS_START_END\n"
                           "d,0,2,13,NSS_WAIT_BEGIN\n"
                           "d,0,2,14,NSS_WAIT_END\n"
                           "d,0,-1,20,DISPATCH_END\n"
                           "d,1,-1,30,DISPATCH_BEGIN\n"
                           "d,1,0,31,HOST_COPY_BEGIN\n"
                           "d,1,0,32,HOST_COPY_END\n"
                           "d,1,-1,40,DISPATCH_END\n");
    check_passes(R2_HEADER "q,0,-1,10,HAL_CALL_BEGIN\n"
                           "d,1,-1,11,DISPATCH_BEGIN\n"
                           "d,1,-1,12,DISPATCH_SYNC_BINDINGS_IN_BEGIN\n"
                           "d,1,-1,13,DISPATCH_SYNC_BINDINGS_IN_END\n"
                           "d,1,0,13,ALLOC_BEGIN\n"
                           "d,1,0,13,ALLOC_END\n"
                           "d,1,-1,14,DISPATCH_END\n"
                           "q,0,-1,15,HAL_CALL_END\n");
    /* Only the end of the file proves that the first span is alone at its time. */
    check_passes(R2_HEADER "d,0,0,10,HOST_COPY_BEGIN\n"
                           "d,0,0,10,HOST_COPY_END\n"
                           "d,0,1,12,NSS_START_BEGIN\n"
                           "d,0,1,13,NSS_START_END\n"
                           "d,0,2,13,NSS_WAIT_BEGIN\n"
                           "d,0,2,14,NSS_WAIT_END\n");
    /* A cut file: all open spans end with it. */
    check_passes(R2_HEADER "q,0,-1,10,HAL_CALL_BEGIN\n"
                           "d,1,-1,11,DISPATCH_BEGIN\n"
                           "d,1,-1,12,DISPATCH_EXECUTE_ACTIONS_BEGIN\n"
                           "d,1,0,13,NSS_START_BEGIN\n"
                           "d,1,0,14,NSS_START_END\n"
                           "d,1,1,14,NSS_WAIT_BEGIN\n");
}

/* Adds one row to |pairing| as the reader would. */
static void add_row(torq_host_pairing *pairing, int64_t action, int64_t time, const char *base,
                    bool is_begin)
{
    char text[64];
    snprintf(text, sizeof(text), "%s%s", base, is_begin ? "_BEGIN" : "_END");
    tacho_str key = tacho_str_from_cstring(text);
    torq_host_stamp stamp = {.action = action, .time = time, .run = 0};
    stamp.event = torq_host_events_find(&pairing->events, key);
    if (stamp.event == TACHO_NONE) {
        torq_host_event_facts facts = {
            .base = tacho_str_from_cstring(base), .location = TACHO_STR(""), .is_begin = is_begin};
        assert_ok(torq_host_events_add(&pairing->events, key, &facts, &stamp.event));
    }
    assert_ok(torq_host_pairing_add(pairing, &stamp));
}

static void add_pair(torq_host_pairing *pairing, int64_t action, int64_t time, const char *base)
{
    add_row(pairing, action, time, base, true);
    add_row(pairing, action, time + 1, base, false);
}

static size_t held_count(const torq_host_pairing *pairing)
{
    size_t count = pairing->chained_count + pairing->runs.items[0].queues[0].count;
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        count += pairing->spans.lines[i].held_count;
    }
    return count;
}

/*
 * Memory stays bounded in a long run, though every third action is silent and one END is missing.
 */
static void test_memory(void **state)
{
    (void)state;
    fixture made;
    setup_in(&made, TACHO_ORDER_PASS);
    tacho_input input;
    assert_ok(tacho_input_open_bytes("r.csv", TACHO_STR(""), &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("r.csv"),
        .events = tacho_order_events(made.order),
    };
    tacho_part_facts facts = {.origin = TACHO_ORIGIN_MEASURED};
    tacho_clock clock;
    tacho_clock_init(&clock, 1000, 1);
    torq_part part;
    torq_host_pairing pairing;
    uint32_t run = 0;
    assert_ok(torq_part_init(&part, &reading, &facts, &clock, TACHO_STR("us")));
    assert_ok(torq_host_pairing_init(&pairing, &part));
    assert_ok(torq_host_runs_add(&pairing.runs, 0, 0, &run));
    add_pair(&pairing, -1, 1, "INIT");
    add_row(&pairing, 0, 5, "ALLOC", true);
    for (int i = 1; i < 1000; i++) {
        int64_t time = 100 * i;
        add_row(&pairing, -1, time, "DISPATCH", true);
        add_pair(&pairing, 3 * i, time + 1, "NSS_START");
        add_pair(&pairing, 3 * i + 1, time + 3, "NSS_WAIT");
        add_row(&pairing, -1, time + 5, "DISPATCH", false);
        assert_in_range(held_count(&pairing), 0, 32);
        assert_int_equal(pairing.spans.lines[TACHO_TORQ_HOST_PHASES].held_count, 0);
    }
    torq_host_pairing_deinit(&pairing);
    torq_part_deinit(&part);
    tacho_input_close(&input);
    teardown(&made);
}

/* Thousands of rows waiting for their partners at once. */
static void test_r2_many_open(void **state)
{
    (void)state;
    enum { OPEN_COUNT = 5000, ROW_BYTES = 64 };
    size_t room = (size_t)2 * OPEN_COUNT * ROW_BYTES;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, room, R2_HEADER);
    for (int i = 0; i < OPEN_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len, "d,%d,%d,%d,HOST_COPY_BEGIN\n", i % 7, i,
                                100 + i);
    }
    for (int i = 0; i < OPEN_COUNT; i++) {
        int action = i * 7 % OPEN_COUNT; /* each once, in another order */
        len += (size_t)snprintf(text + len, room - len, "d,%d,%d,%d,HOST_COPY_END\n", action % 7,
                                action, 9000 + 2 * action);
    }
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, tacho_str_make(text, len)));
    assert_int_equal(made.profile.span_count, OPEN_COUNT);
    assert_int_equal(made.dict.run_count, 7);
    for (size_t i = 0; i < OPEN_COUNT; i++) {
        tacho_span span = tacho_profile_span(&made.profile, i);
        assert_int_equal(span.start, 100 + i);
        assert_int_equal(span.end, 9000 + 2 * i);
        assert_int_equal(made.profile.args[span.args].arg.value.as_int, i);
    }
    teardown(&made);
    free(text);
}

/* A scope with more spans inside than are held is sorted downstream, without losses. */
static void test_r2_long_scope(void **state)
{
    (void)state;
    enum { SPAN_COUNT = 150000, ROW_BYTES = 64 };
    size_t room = (size_t)2 * SPAN_COUNT * ROW_BYTES;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, room, R2_HEADER "d,0,-1,9,DISPATCH_BEGIN\n");
    for (int i = 0; i < SPAN_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len,
                                "d,0,%d,%d,HOST_COPY_BEGIN\nd,0,%d,%d,HOST_COPY_END\n", i,
                                10 + 2 * i, i, 11 + 2 * i);
    }
    len += (size_t)snprintf(text + len, room - len, "d,0,-1,%d,DISPATCH_END\n", 3 * SPAN_COUNT);
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, tacho_str_make(text, len)));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_int_equal(made.profile.span_count, SPAN_COUNT + 1);
    assert_int_equal(tacho_profile_span(&made.profile, 0).end, 3 * SPAN_COUNT);
    teardown(&made);
    setup_in(&made, TACHO_ORDER_PASS);
    tacho_status status = read_bytes(&made, tacho_str_make(text, len));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    tacho_status_free(status);
    teardown(&made);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r2_programs),      cmocka_unit_test(test_r2_odd_programs),
        cmocka_unit_test(test_r2_hal_is_lifo),   cmocka_unit_test(test_r2_unmatched),
        cmocka_unit_test(test_r2_early_end),     cmocka_unit_test(test_r2_swapped),
        cmocka_unit_test(test_r2_unknown_names), cmocka_unit_test(test_r2_ties),
        cmocka_unit_test(test_passes),           cmocka_unit_test(test_memory),
        cmocka_unit_test(test_r2_many_open),     cmocka_unit_test(test_r2_long_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
