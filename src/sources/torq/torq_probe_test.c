/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detection of timelines and runtime profiles of Torq, wherever the head of the file is cut, and
 * look-up of these sources by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/torq/torq_csv_testing.h"

#define R1_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
#define R2_HEADER "dispatch_name,invocation_id,action_id,timestamp_us,event\n"

typedef struct probe_case {
    tacho_str head;
    tacho_probe_verdict timeline;
    tacho_probe_verdict runtime;
} probe_case;

#define PROBE(head, timeline, runtime)                                                             \
    {                                                                                              \
        TACHO_STR_INIT(head), TACHO_PROBE_##timeline, TACHO_PROBE_##runtime                        \
    }

static const probe_case probe_cases[] = {
    PROBE(T1_ROWS, SURE, NO),
    PROBE("ID,Start,End,Location,Op Type\n" T1_ROWS, SURE, NO),
    PROBE("event_name,start_time,end_time,mlir_src_line,event_type\n" T1_ROWS, SURE, NO),
    PROBE("\xef\xbb\xbf" T1_ROWS, SURE, NO),
    PROBE(T2_ROWS, SURE, NO),
    PROBE(T3_HEADER T4_ROWS, SURE, NO),
    PROBE(T4_HEADER T4_ROWS, SURE, NO),
    PROBE("\xef\xbb\xbf" T4_HEADER T4_ROWS, SURE, NO),
    PROBE("# made by hand\n" T1_ROWS, MAYBE, NO),
    PROBE("\n\r\n" T2_ROWS, SURE, NO),
    PROBE("\n" T4_HEADER T4_ROWS, SURE, NO),
    PROBE(T4_ROWS, NO, NO),
    PROBE("S0,x,1,loc(unknown),a\n", NO, NO),
    PROBE("S0,0,x,loc(unknown),a\n", NO, NO),
    PROBE("S0,0,1,loc(unknown)\n", NO, NO),
    PROBE("Sx,0,1,loc(unknown),a\n", NO, NO),
    PROBE("taskId, elapsed_time(ns), timestamp(us), event, location, bytes\n", NO, NO),
    PROBE(R0_HEADER R0_ROWS, NO, SURE),
    PROBE("dispatch_id;time_since_open;time_since_start;mlir_loc\n" R0_ROWS, NO, SURE),
    PROBE("\xef\xbb\xbf" R0_HEADER, NO, SURE),
    PROBE(R0_ROWS, NO, SURE),
    PROBE("\xef\xbb\xbf" R0_ROWS, NO, SURE),
    PROBE(R0B_HEADER "0;1520;310\n", NO, SURE),
    PROBE("0;1520;310\n", NO, MAYBE),
    PROBE("0;1520;310\r\n", NO, MAYBE),
    PROBE("0;1520;310;elsewhere\n", NO, MAYBE),
    PROBE(R1_HEADER "0,0,81234567412,HOST_COPY_START,loc(\"/w/m/add.mlir\":7:10)\n", NO, NO),
    PROBE(R1_HEADER "0,0,81234567412,HOST_COPY_START,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\n", NO,
          NO),
    PROBE(R1_HEADER, NO, NO),
    PROBE(R2_HEADER "main$async_dispatch_0,0,-1,81234567000,INIT_BEGIN\n", NO, NO),
    PROBE(R2_HEADER, NO, NO),
    PROBE("id,name,value\n1,a,2\n", NO, NO),
    PROBE("Lorem ipsum dolor sit amet, consectetur adipiscing elit\n", NO, NO),
    PROBE("{\"traceEvents\": []}", NO, NO),
    PROBE("", NO, NO),
    PROBE("\n", NO, NO),
    PROBE(",,,,,\n;;;;;\n", NO, NO),
    PROBE("\x0a\x7f\x45\x4c\x46\x02\x01\x01\0\0\0\0\xff\xfe;\xff;\xff;loc(\n", NO, NO),
    PROBE("\0\0\0\0\0\0\0\0", NO, NO),
};

static void test_probes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(probe_cases) / sizeof(probe_cases[0]); i++) {
        const probe_case *probed = &probe_cases[i];
        if (TIMELINE->probe(probed->head) != probed->timeline ||
            RUNTIME->probe(probed->head) != probed->runtime) {
            fail_msg("wrong verdict on case %zu: %.*s", i, TACHO_STR_ARG(probed->head));
        }
    }
}

/* Rows after more lines than a probe reads are not found; earlier ones are. */
static void test_probe_depth(void **state)
{
    (void)state;
    static const char row[] = "S0,0,1,loc(unknown),a\n";
    char text[256] = "";
    for (size_t i = 0; i < 31; i++) {
        snprintf(text + 2 * i, sizeof(text) - 2 * i, "?\n%s", row);
        assert_int_equal(TIMELINE->probe(tacho_str_from_cstring(text)), TACHO_PROBE_MAYBE);
    }
    snprintf(text + 2 * 31, sizeof(text) - 2 * 31, "?\n%s", row);
    assert_int_equal(TIMELINE->probe(tacho_str_from_cstring(text)), TACHO_PROBE_NO);
}

/* A head may end anywhere. Once its first line is whole, the verdict stands. */
static void test_cut_heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(probe_cases) / sizeof(probe_cases[0]); i++) {
        tacho_str head = probe_cases[i].head;
        size_t first_line = 0;
        while (first_line < head.len && strchr("\r\n", head.data[first_line]) != NULL) {
            first_line++;
        }
        first_line += tacho_str_find_byte(tacho_str_from(head, first_line), '\n') + 1;
        for (size_t len = 0; len <= head.len; len++) {
            char *copy = malloc(len > 0 ? len : 1); /* exact size: a sanitizer detects an overrun */
            assert_non_null(copy);
            memcpy(copy, head.data, len);
            tacho_probe_verdict timeline = TIMELINE->probe(tacho_str_make(copy, len));
            tacho_probe_verdict runtime = RUNTIME->probe(tacho_str_make(copy, len));
            free(copy);
            assert_true(timeline != TACHO_PROBE_SURE || runtime == TACHO_PROBE_NO);
            if (len >= first_line) {
                assert_int_equal(runtime, probe_cases[i].runtime);
                assert_true(timeline == probe_cases[i].timeline || timeline == TACHO_PROBE_NO);
                assert_true(probe_cases[i].timeline != TACHO_PROBE_SURE ||
                            timeline == TACHO_PROBE_SURE);
            }
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(TIMELINE->name, "torq-timeline");
    assert_string_equal(RUNTIME->name, "torq-runtime");
    assert_ptr_equal(tacho_source_find(TACHO_STR("torq-timeline")), TIMELINE);
    assert_ptr_equal(tacho_source_find(TACHO_STR("torq-runtime")), RUNTIME);
    assert_null(tacho_source_find(TACHO_STR("torq")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_probe_depth),
        cmocka_unit_test(test_cut_heads),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
