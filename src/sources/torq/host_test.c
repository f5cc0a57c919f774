/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host profiles of Torq in all their generations: runs, dispatches, tracks, bad rows and headers,
 * and detection.
 */
#include "sources/torq/torq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/torq/host_testing.h"

/* ---- R1 --------------------------------------------------------------------------------- */

static void test_r1(void **state)
{
    (void)state;
    check(R1_HEADER R1_ROWS, PART("R1", "81234567412") R1_READ);
    check(R1_HEADER R1Q_ROWS, PART("R1q", "81234567412") R1_READ);
    check("\xef\xbb\xbf" R1_HEADER R1_ROWS, PART("R1", "81234567412") R1_READ);
    check_passes(R1_HEADER R1_ROWS);
    check_shuffled(R1_HEADER, R1Q_ROWS);
}

static void test_r1_every_event(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,100,ALLOC_START,\n"
                    "0,5,105,ALLOC_END,\n"
                    "1,5,105,HOST_PROGRAM_START,loc(\"a.mlir\":1:2)\n"
                    "1,9,109,HOST_PROGRAM_END,loc(\"a.mlir\":1:2)\n"
                    "3,9,109,DEALLOC_START,loc(unknown)\n"
                    "3,10,110,DEALLOC_END,loc(unknown)\n"
                    "4,10,110,Unknown,loc(unknown)\n"
                    "4,11,111,Unknown,loc(unknown)\n",
          PART("R1", "100") "Host Memory|100|105|ALLOC|memory|-|dispatch#0|action=0\n"
                            "Host Programs|105|109|HOST_PROGRAM|host|a.mlir:1:2|dispatch#0|"
                            "action=1\n"
                            "Host Memory|109|110|DEALLOC|memory|-|dispatch#0|action=3\n"
                            "lost unknown_event 2 at 8\n");
}

/* Locations hold commas and quotes; those of NSS_START name the program. */
static void test_r1_locations(void **state)
{
    (void)state;
    static const char read[] =
        "NSS Actions|10|11|NSS_START|sync|/w/a.mlir:3:4|dispatch#0|action=0\n"
        "NSS Programs|10|20|a.mlir:3:4|control|/w/a.mlir:3:4|dispatch#0|action=0\n"
        "NSS Actions|11|20|NSS_WAIT|sync|b, c.mlir:1:2|dispatch#0|action=1\n";
    char expected[1024];
    snprintf(expected, sizeof(expected), PART("R1", "10") "%s", read);
    check(R1_HEADER "0,0,10,NSS_START,loc(fused[\"/w/a.mlir\":3:4, \"b.mlir\":5:6])\n"
                    "0,1,11,NSS_START_END,loc(fused[\"/w/a.mlir\":3:4, \"b.mlir\":5:6])\n"
                    "1,1,11,NSS_WAIT_START,loc(\"b, c.mlir\":1:2)\n"
                    "1,10,20,NSS_WAIT_END,loc(\"b, c.mlir\":1:2)\n",
          expected);
    snprintf(expected, sizeof(expected), PART("R1q", "10") "%s", read);
    check(R1_HEADER
          "0,0,10,NSS_START,\"loc(fused[\"\"/w/a.mlir\"\":3:4, \"\"b.mlir\"\":5:6])\"\n"
          "0,1,11,NSS_START_END,\"loc(fused[\"\"/w/a.mlir\"\":3:4, \"\"b.mlir\"\":5:6])\"\n"
          "1,1,11,NSS_WAIT_START,\"loc(\"\"b, c.mlir\"\":1:2)\"\n"
          "1,10,20,NSS_WAIT_END,\"loc(\"\"b, c.mlir\"\":1:2)\"\n",
          expected);
}

/* Each time that action 0 starts again, a new run begins. */
static void test_r1_restarts(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,10,HOST_COPY_START,\n"
                    "0,1,11,HOST_COPY_END,\n"
                    "1,1,11,NSS_START,\n"
                    "1,2,12,NSS_START_END,\n"
                    "0,0,20,HOST_COPY_START,\n"
                    "0,1,21,HOST_COPY_END,\n"
                    "1,1,21,NSS_START,\n"
                    "1,2,22,NSS_START_END,\n"
                    "2,2,22,NSS_WAIT_START,\n"
                    "2,4,24,NSS_WAIT_END,\n"
                    "0,0,30,NSS_START,\n"
                    "0,1,31,NSS_START_END,\n",
          PART("R1", "10") "Host Copy|10|11|HOST_COPY|host_copy|-|dispatch#0|action=0\n"
                           "NSS Actions|11|12|NSS_START|sync|-|dispatch#0|action=1\n"
                           "NSS Programs|11|12|NSS program|control|-|dispatch#0|"
                           "action=1 unended\n"
                           "Host Copy|20|21|HOST_COPY|host_copy|-|dispatch#1|action=0\n"
                           "NSS Actions|21|22|NSS_START|sync|-|dispatch#1|action=1\n"
                           "NSS Programs|21|24|NSS program|control|-|dispatch#1|action=1\n"
                           "NSS Actions|22|24|NSS_WAIT|sync|-|dispatch#1|action=2\n"
                           "NSS Actions|30|31|NSS_START|sync|-|dispatch#2|action=0\n"
                           "NSS Programs|30|31|NSS program|control|-|dispatch#2|"
                           "action=0 unended\n"
                           "lost never_ended 2 at 4\n");
}

/* Waits for the host are silent, so actions are missing; in order, programs do not pile up. */
static void test_r1_silent_actions(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    int len = snprintf(text, sizeof(text), R1_HEADER);
    enum { PROGRAM_COUNT = 100 };
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        int action = 1 + 4 * i; /* the one before it is silent */
        int time = 10 * i;
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "%d,%d,%d,NSS_START,\n%d,%d,%d,NSS_START_END,\n"
                        "%d,%d,%d,NSS_WAIT_START,\n%d,%d,%d,NSS_WAIT_END,\n",
                        action, time, time + 100, action, time, time + 101, action + 2, time,
                        time + 102, action + 2, time, time + 108);
    }
    fixture made;
    setup_in(&made, TACHO_ORDER_PASS);
    assert_ok(read_bytes(&made, tacho_str_from_cstring(text)));
    size_t found = 0;
    for (size_t i = 0; i < made.profile.span_count; i++) {
        tacho_span span = tacho_profile_span(&made.profile, i);
        tacho_track_class kind = made.dict.tracks[span.track].track_class;
        if (kind == TACHO_TRACK_CONTROL) {
            assert_int_equal(span.end - span.start, 8);
            found++;
        }
    }
    assert_int_equal(found, PROGRAM_COUNT);
    teardown(&made);
}

/* ---- R2 --------------------------------------------------------------------------------- */

static void test_r2i(void **state)
{
    (void)state;
    check(R2_HEADER R2I_ROWS, PART("R2i", "1000") R2I_READ);
    check_passes(R2_HEADER R2I_ROWS);
    check_shuffled(R2_HEADER, R2I_ROWS);
}

static void test_r2_generations(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,1,DISPATCH_BEGIN\nd,0,-1,2,DISPATCH_END\n",
          PART("R2", "1") "Host|1|2|DISPATCH|phase|-|d#0\n");
    check(R2_HEADER "d,0,-1,1,DISPATCH_HW_OPEN_BEGIN\nd,0,-1,2,DISPATCH_HW_OPEN_END\n",
          PART("R2h", "1") "Host|1|2|DISPATCH_HW_OPEN|phase|-|d#0\n");
    check(R2_HEADER "q,0,-1,1,HAL_CALL_BEGIN\nq,0,-1,2,HAL_CALL_END\n",
          PART("R2h", "1") "HAL|1|2|HAL_CALL|runtime|-|q#0|scope=q\n");
    check(R2_HEADER "d,0,-1,1,INIT_BEGIN\nd,0,-1,2,INIT_END\n"
                    "q,1,-1,3,HAL_CALL_BEGIN\nq,1,-1,4,HAL_CALL_END\n",
          PART("R2i", "1") "Host|1|2|INIT|phase|-|d#0\nHAL|3|4|HAL_CALL|runtime|-|q#1|scope=q\n");
}

/* The rows of each invocation together, or all in time order: the same spans. */
static void test_r2_several_dispatches(void **state)
{
    (void)state;
    static const char read[] =
        PART("R2", "10") "Host|10|20|DISPATCH|phase|-|a#0\n"
                         "Host Copy|11|14|HOST_COPY|host_copy|-|a#0|action=0\n"
                         "Host|12|30|DISPATCH|phase|-|b#1\n"
                         "Host Copy|15|29|HOST_COPY|host_copy|-|b#1|action=0\n"
                         "Host|40|50|DISPATCH|phase|-|a#2\n"
                         "Host Copy|41|44|HOST_COPY|host_copy|-|a#2|action=0\n";
    check(R2_HEADER "a,0,-1,10,DISPATCH_BEGIN\n"
                    "a,0,0,11,HOST_COPY_BEGIN\n"
                    "a,0,0,14,HOST_COPY_END\n"
                    "a,0,-1,20,DISPATCH_END\n"
                    "b,1,-1,12,DISPATCH_BEGIN\n"
                    "b,1,0,15,HOST_COPY_BEGIN\n"
                    "b,1,0,29,HOST_COPY_END\n"
                    "b,1,-1,30,DISPATCH_END\n"
                    "a,2,-1,40,DISPATCH_BEGIN\n"
                    "a,2,0,41,HOST_COPY_BEGIN\n"
                    "a,2,0,44,HOST_COPY_END\n"
                    "a,2,-1,50,DISPATCH_END\n",
          read);
    check(R2_HEADER "a,0,-1,10,DISPATCH_BEGIN\n"
                    "a,0,0,11,HOST_COPY_BEGIN\n"
                    "b,1,-1,12,DISPATCH_BEGIN\n"
                    "a,0,0,14,HOST_COPY_END\n"
                    "b,1,0,15,HOST_COPY_BEGIN\n"
                    "a,0,-1,20,DISPATCH_END\n"
                    "b,1,0,29,HOST_COPY_END\n"
                    "b,1,-1,30,DISPATCH_END\n"
                    "a,2,-1,40,DISPATCH_BEGIN\n"
                    "a,2,0,41,HOST_COPY_BEGIN\n"
                    "a,2,0,44,HOST_COPY_END\n"
                    "a,2,-1,50,DISPATCH_END\n",
          read);
}

/* Names with a common prefix. */
static void test_r2_names(void **state)
{
    (void)state;
    check(R2_HEADER "d_1,0,-1,10,DISPATCH_BEGIN\n"
                    "d_1,0,-1,20,DISPATCH_END\n"
                    "d_10,1,-1,30,DISPATCH_BEGIN\n"
                    "d_10,1,-1,40,DISPATCH_END\n"
                    "d_1,2,-1,50,DISPATCH_BEGIN\n"
                    "d_10,3,-1,60,DISPATCH_BEGIN\n"
                    "d_1,2,-1,70,DISPATCH_END\n"
                    ",3,-1,75,DISPATCH_END\n"
                    "d_10,3,-1,80,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d_1#0\n"
                           "Host|30|40|DISPATCH|phase|-|d_10#1\n"
                           "Host|50|70|DISPATCH|phase|-|d_1#2\n"
                           "Host|60|80|DISPATCH|phase|-|d_10#3\n"
                           "Host|75|75|DISPATCH|phase|-|#3|unmatched=true\n"
                           "lost unmatched_end 1 at 9\n");
}

/* A row cut by the end of the probe's head does not count. */
static void test_r2_cut_head(void **state)
{
    (void)state;
    static const char row[] = "a,0,-1,10,DISPATCH_BEGIN\na,0,-1,20,DISPATCH_END\n";
    static char text[2 * TACHO_PROBE_BYTES];
    for (size_t back = 1; back < 16; back++) {
        size_t len = (size_t)snprintf(text, sizeof(text), R2_HEADER);
        while (len + 200 < TACHO_PROBE_BYTES) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", row);
        }
        /* A name so long that "DISPATCH_BEGIN" starts |back| bytes before the end of the head. */
        int name_len = (int)(TACHO_PROBE_BYTES - back - len - strlen(",0,-1,10,"));
        snprintf(text + len, sizeof(text) - len, "%0*d,0,-1,10,DISPATCH_BEGIN\n%s", name_len, 0,
                 row);
        fixture made;
        setup_in(&made, TACHO_ORDER_SORT);
        assert_ok(read_bytes(&made, tacho_str_from_cstring(text)));
        tacho_str shown = tacho_dict_string(&made.dict, made.dict.parts[0].generation);
        assert_string_equal(shown.data, "R2");
        teardown(&made);
    }
}

/* ---- tracks ----------------------------------------------------------------------------- */

static void test_tracks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tacho_track_class track_class;
        tacho_nesting nesting;
    } expected[] = {
        {"Host", TACHO_TRACK_PHASE, TACHO_NESTING_STACK},
        {"HAL", TACHO_TRACK_RUNTIME, TACHO_NESTING_STACK},
        {"Host Programs", TACHO_TRACK_HOST, TACHO_NESTING_ENGINE},
        {"Host Actions", TACHO_TRACK_SYNC, TACHO_NESTING_STACK},
        {"Host Copy", TACHO_TRACK_HOST_COPY, TACHO_NESTING_ENGINE},
        {"Host Memory", TACHO_TRACK_MEMORY, TACHO_NESTING_ENGINE},
        {"NSS Programs", TACHO_TRACK_CONTROL, TACHO_NESTING_ENGINE},
        {"NSS Actions", TACHO_TRACK_SYNC, TACHO_NESTING_STACK},
    };
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, TACHO_STR(R2_HEADER R2I_ROWS "d,9,0,1900,HOST_START_BEGIN\n"
                                                             "d,9,1,1901,ALLOC_BEGIN\n")));
    assert_int_equal(made.dict.track_count, 9);
    for (size_t i = 1; i < made.dict.track_count; i++) {
        const tacho_track *track = &made.dict.tracks[i];
        tacho_str name = tacho_dict_string(&made.dict, track->name);
        assert_int_equal(track->parent, made.dict.parts[0].root);
        assert_in_range(track->rank, 0, 7);
        assert_string_equal(name.data, expected[track->rank].name);
        assert_int_equal(track->track_class, expected[track->rank].track_class);
        assert_int_equal(track->nesting, expected[track->rank].nesting);
    }
    teardown(&made);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void test_r2_losses(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                    "d,0,-1,11\n"
                    "d\n"
                    "d,0,0,12,HOST_COPY_BEGIN,more\n"
                    "d,x,0,12,HOST_COPY_BEGIN\n"
                    "d,0,,12,HOST_COPY_BEGIN\n"
                    "d,0,-2,12,HOST_COPY_BEGIN\n"
                    "d,0,0,-12,HOST_COPY_BEGIN\n"
                    "d,0,0,99999999999999999999,HOST_COPY_BEGIN\n"
                    "d,0,0,9300000000000000,HOST_COPY_BEGIN\n"
                    "d,9300000000000000000,0,12,HOST_COPY_BEGIN\n"
                    "d,0,0,12,HOST_COPY\n"
                    "d,0,0,12,_BEGIN\n"
                    "d,0,0,12,\n"
                    "\n"
                    "d,0,-1,20,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "lost wrong_field_count 3 at 3\n"
                           "lost not_a_number 2 at 6\n"
                           "lost negative_time 2 at 8\n"
                           "lost time_overflow 3 at 10\n"
                           "lost unknown_event 3 at 13\n");
    check_bytes(TACHO_STR(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                                    "d\0,0,-1,11,HOST_COPY_BEGIN\n"
                                    "d,0,-1,1\0,HOST_COPY_BEGIN\n"
                                    "d,0,-1,11,HOST_COPY\0_BEGIN\n"
                                    "d,0,-1,20,DISPATCH_END\n"),
                PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                                 "lost nul_byte 3 at 3\n");
}

static void test_r1_losses(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,10,HOST_COPY_START,loc(unknown)\n"
                    "0,x,11,HOST_COPY_END,loc(unknown)\n"
                    "0,-1,11,HOST_COPY_END,loc(unknown)\n"
                    "x,1,11,HOST_COPY_END,loc(unknown)\n"
                    "0,1,11,HOST_COPY_END\n"
                    "0,1,11\n"
                    "0,1,9300000000000000,HOST_COPY_END,loc(unknown)\n"
                    "0,1,11,HOST_COPY,loc(unknown)\n"
                    "0,2,12,HOST_COPY_END,loc(unknown)\n",
          PART("R1", "10") "Host Copy|10|12|HOST_COPY|host_copy|-|dispatch#0|action=0\n"
                           "lost not_a_number 2 at 3\n"
                           "lost negative_time 1 at 4\n"
                           "lost wrong_field_count 2 at 6\n"
                           "lost time_overflow 1 at 8\n"
                           "lost unknown_event 1 at 9\n");
    check_bytes(TACHO_STR(R1_HEADER "0,0,10,HOST_COPY_START,loc(\0unknown)\n"
                                    "0,0,11,HOST_COPY_END,loc(unknown)\n"),
                PART("R1", "11") "Host Copy|11|11|HOST_COPY|host_copy|-|dispatch#0|"
                                 "action=0 unmatched=true\n"
                                 "lost nul_byte 1 at 2\n"
                                 "lost unmatched_end 1 at 3\n");
}

static void test_line_ends(void **state)
{
    (void)state;
    check("dispatch_name,invocation_id,action_id,timestamp_us,event\r\n"
          "d,0,-1,10,DISPATCH_BEGIN\r\n"
          "\r\n"
          "d,0,-1,20,DISPATCH_END",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n");
    check("actionIndex, elapsed_time(us), timestamp(us), event, location\r\n"
          "0,0,10,NSS_START,\"loc(unknown)\"\r\n"
          "0,5,15,NSS_START_END,\"loc(unknown)\"",
          PART("R1q", "10") "NSS Actions|10|15|NSS_START|sync|-|dispatch#0|action=0\n"
                            "NSS Programs|10|15|NSS program|control|-|dispatch#0|"
                            "action=0 unended\n"
                            "lost never_ended 1 at 2\n");
}

/* Elapsed times since the first event, as runtimes write them, and since the previous one, as the
 * manual has them: timestamps decide. */
static void test_elapsed_times(void **state)
{
    (void)state;
    static const char expected[] =
        PART("R1", "81234567412") "Host Copy|81234567412|81234567533|HOST_COPY|host_copy|-|"
                                  "dispatch#0|action=0\n"
                                  "Host Copy|81234567540|81234567550|HOST_COPY|host_copy|-|"
                                  "dispatch#0|action=1\n";
    check("actionIndex, elapsed_time(us), timestamp(us), event, location\n"
          "0,0,81234567412,HOST_COPY_START,loc(unknown)\n"
          "0,121,81234567533,HOST_COPY_END,loc(unknown)\n"
          "1,128,81234567540,HOST_COPY_START,loc(unknown)\n"
          "1,138,81234567550,HOST_COPY_END,loc(unknown)\n",
          expected);
    check("actionIndex, elapsed_time(us), timestamp(us), event, location\n"
          "0,0,81234567412,HOST_COPY_START,loc(unknown)\n"
          "0,121,81234567533,HOST_COPY_END,loc(unknown)\n"
          "1,7,81234567540,HOST_COPY_START,loc(unknown)\n"
          "1,10,81234567550,HOST_COPY_END,loc(unknown)\n",
          expected);
}

/* Concatenated files, and files whose header was cut off: with --from. */
static void test_headers(void **state)
{
    (void)state;
    check("\n" R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
          "d,0,-1,20,DISPATCH_END\n" R2_HEADER "e,0,-1,30,DISPATCH_BEGIN\n"
          "e,0,-1,40,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "Host|30|40|DISPATCH|phase|-|e#0\n");
    check(R1_HEADER "0,0,10,ALLOC_START,\n"
                    "0,1,11,ALLOC_END,\n" R1_HEADER "0,0,20,ALLOC_START,\n"
                    "0,1,21,ALLOC_END,\n",
          PART("R1", "10") "Host Memory|10|11|ALLOC|memory|-|dispatch#0|action=0\n"
                           "Host Memory|20|21|ALLOC|memory|-|dispatch#1|action=0\n");
    check(R2I_ROWS, PART("R2i", "1000") R2I_READ);
    check(R1_ROWS, PART("R1", "81234567412") R1_READ);
    check(R1Q_ROWS, PART("R1q", "81234567412") R1_READ);
}

/* Reads |text|, which must fail with a message that contains |words|. */
static void check_refused(const char *text, const char *words)
{
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    tacho_status status = read_bytes(&made, tacho_str_from_cstring(text));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), words);
    }
    assert_int_equal(made.profile.span_count, 0);
    tacho_status_free(status);
    teardown(&made);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("", "r.csv: the file has a header but no rows");
    check_refused(R2_HEADER, "r.csv: the file has a header but no rows");
    check_refused(R1_HEADER, "r.csv: the file has a header but no rows");
    check_refused("some text\n", "r.csv:1: no row of this file can be read");
    check_refused(R2_HEADER "\nd,0,0,1\n", "r.csv:3: no row of this file can be read");
    check_refused(R2_HEADER "d,0,0,1,NEW_BEGIN\n", "r.csv:2: no row of this file can be read");
}

static const char *resolved(const char *text)
{
    tacho_input input;
    assert_ok(tacho_input_open_bytes("r.csv", tacho_str_from_cstring(text), &input));
    const tacho_source *source = NULL;
    tacho_status status = tacho_source_resolve(&input, &source);
    tacho_input_close(&input);
    tacho_status_free(status);
    return source != NULL ? source->name : "none";
}

static void test_probe(void **state)
{
    (void)state;
    assert_string_equal(resolved(R1_HEADER R1_ROWS), "torq-host");
    assert_string_equal(resolved(R1_HEADER R1Q_ROWS), "torq-host");
    assert_string_equal(resolved(R2_HEADER R2I_ROWS), "torq-host");
    assert_string_equal(resolved(R1_HEADER), "torq-host");
    assert_string_equal(resolved("\xef\xbb\xbf" R2_HEADER), "torq-host");
    assert_string_equal(resolved("\n\r\n" R2_HEADER), "torq-host");
    assert_string_equal(resolved(R2I_ROWS), "none");
    assert_string_equal(resolved("actionIndex,elapsed_time(us),timestamp(us),event,location\r\n"),
                        "torq-host");
    /* T3 has the same columns and one more. */
    assert_string_equal(
        resolved("actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n"
                 "0,5,0,DMA In,loc(unknown),64\n"),
        "torq-timeline");
    assert_string_equal(resolved("id;time_since_open;time_since_start;location\n0;5;1;\n"),
                        "torq-runtime");
    assert_string_equal(resolved("dispatch_name,invocation_id,action_id,event\n"), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r1),
        cmocka_unit_test(test_r1_every_event),
        cmocka_unit_test(test_r1_locations),
        cmocka_unit_test(test_r1_restarts),
        cmocka_unit_test(test_r1_silent_actions),
        cmocka_unit_test(test_r2i),
        cmocka_unit_test(test_r2_generations),
        cmocka_unit_test(test_r2_several_dispatches),
        cmocka_unit_test(test_r2_names),
        cmocka_unit_test(test_r2_cut_head),
        cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_r2_losses),
        cmocka_unit_test(test_r1_losses),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_elapsed_times),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
