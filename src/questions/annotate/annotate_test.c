/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed programs joined with composed runtime profiles. The rows of an annotation are written
 * as text, one per line:
 *
 *     action d#2 5 torq_hl.wait_program job 0 1132..1320 of 1120..1320
 *
 * that is kind, dispatch and invocation, action, operation, job, own time, time of the job, and why
 * the row has no match.
 */
#include "questions/annotate/annotate.h"

#include "codec/mlir_text.h"
#include "profile/order.h"
#include "sources/torq/ir.h"
#include "sources/torq/model_lines.h"
#include "sources/torq/torq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 16, SPOOL_BYTES = 1 << 16 };

#define R0_HEADER "id;time_since_open;time_since_start;location\n"
#define R1_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
#define R2_HEADER "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
#define NSS "!torq_hl.invocation<nss>"

/* A job's program and its invocation. */
#define JOB(name, id, body)                                                                        \
    "%" name "p = torq_hl.program \"" name "\" : !torq_hl.program<nss> {\n"                        \
    "torq_hw.nss_task {\"torq-start-time-cycles\" = 100 : i64, \"torq-end-time-cycles\" = 200 : "  \
    "i64} () {\n" body "}\ntorq_hl.return }\n"                                                     \
    "%" name " = torq_hl.create_invocation \"" name "\" program(%" name                            \
    "p : !torq_hl.program<nss>) {\"torq-job-id\" = " id " : i32} : " NSS " loc(\"m\":1:1)\n"
#define START(name, id)                                                                            \
    "torq_hl.start_program %" name " : " NSS " {\"torq-action-id\" = " id                          \
    " : i32} loc(\"m.mlir\":7:10)\n"
#define WAIT(name, id)                                                                             \
    "torq_hl.wait_program %" name " : " NSS " {\"torq-action-id\" = " id                           \
    " : i32} loc(\"m.mlir\":8:10)\n"
#define COPY(id)                                                                                   \
    "\"torq_hl.dynamic_host_copy\"() {\"torq-action-id\" = " id                                    \
    " : i32} : () -> () loc(\"m.mlir\":9:10)\n"
#define DMA_IN                                                                                     \
    "torq_hw.dma_in_start {\"torq-async-duration-cycles\" = 50 : i64} loc(\"m.mlir\":7:10)\n"
#define DMA_IN_WAIT "torq_hw.dma_in_wait loc(\"m.mlir\":7:10)\n"
#define SLICE_START "\"torq_hw.slice_start\"() <{id = 2 : index}> : () -> () loc(unknown)\n"
#define SLICE_WAIT "\"torq_hw.slice_wait\"() <{id = 2 : index}> : () -> () loc(unknown)\n"

/* Two jobs under way at once; then a dispatch with one. */
#define D                                                                                          \
    "func.func @d() {\n" JOB("j", "0", DMA_IN DMA_IN_WAIT SLICE_START) JOB("k", "1", SLICE_WAIT)   \
        START("j", "0") START("k", "1") COPY("2") WAIT("j", "3") WAIT("k", "4") "return }\n"
#define E                                                                                          \
    "func.func @e() {\n" COPY("0") JOB("l", "0", "") START("l", "1") WAIT("l", "2") "return }\n"
#define MODULE "module {\n" D E "}\n"

/* ---- fixture ---------------------------------------------------------------------------- */

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_debug_info info;
    tacho_annotation annotation;
    char text[TEXT_BYTES];
    size_t text_len;
} fixture;

static fixture made;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void read_module(const char *text)
{
    tacho_mlir_module module;
    assert_ok(tacho_mlir_module_init(&module));
    assert_ok(tacho_mlir_text_read("t.mlir", tacho_str_from_cstring(text), &module));
    assert_ok(torq_ir_read_module(&module, TACHO_STR("t.mlir"), &made.info));
    tacho_mlir_module_deinit(&module);
}

static void read_runtime(const char *text)
{
    tacho_source_options options = {.choice_count = 0};
    tacho_input input;
    tacho_order *order = NULL;
    const tacho_source *source = NULL;
    assert_ok(tacho_order_create(&made.profile.events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
    assert_ok(tacho_input_open_bytes("r.csv", tacho_str_from_cstring(text), &input));
    assert_ok(tacho_source_resolve(&input, &source));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("r.csv"),
        .options = &options,
        .events = tacho_order_events(order),
    };
    assert_ok(source->read(&reading));
    tacho_input_close(&input);
    tacho_order_destroy(order);
}

static void setup(const char *module, const char *runtime, const tacho_annotate_options *options)
{
    static const torq_model_search nowhere = {.debug_path = NULL};
    memset(&made, 0, sizeof(made));
    assert_ok(tacho_dict_init(&made.dict));
    tacho_profile_init(&made.profile, &made.dict);
    tacho_debug_info_init(&made.info, &made.dict);
    read_runtime(runtime);
    read_module(module);
    assert_ok(torq_model_lines_resolve(&made.info, &nowhere));
    assert_ok(tacho_annotate(&made.info, &made.profile, options, &made.annotation));
}

static void teardown(void)
{
    tacho_annotation_deinit(&made.annotation);
    tacho_debug_info_deinit(&made.info);
    tacho_profile_deinit(&made.profile);
    tacho_dict_deinit(&made.dict);
}

static void put(const char *format, ...) TACHO_PRINTF(1, 2);

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof(made.text) - made.text_len;
    int len = vsnprintf(made.text + made.text_len, room, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < room);
    made.text_len += (size_t)len;
}

static const char *str(uint32_t string)
{
    return tacho_dict_string(&made.dict, string).data;
}

static void put_row(const tacho_annotation_row *row)
{
    put("%s %s#%lld %lld %s", tacho_annotation_kind_name(row->kind), str(row->dispatch_name),
        (long long)row->invocation, (long long)row->action_id, str(row->operation));
    if (row->job_id >= 0) {
        put(" job %lld", (long long)row->job_id);
    }
    if (row->has_time) {
        put(" %lld..%lld", (long long)row->start, (long long)row->end);
    }
    if (row->has_job_time) {
        put(" of %lld..%lld", (long long)row->job_start, (long long)row->job_end);
    }
    put("%s%s\n", row->reason != TACHO_ANNOTATION_REASON_NONE ? " " : "",
        tacho_annotation_reason_key(row->reason));
}

static void check_rows(const char *module, const char *runtime, const char *expected)
{
    setup(module, runtime, NULL);
    for (size_t i = 0; i < made.annotation.row_count; i++) {
        const tacho_annotation_row *row = &made.annotation.rows[i];
        put_row(row);
        for (uint32_t k = 0; k < tacho_annotation_inner_count(&made.annotation, row); k++) {
            tacho_annotation_row inner = tacho_annotation_inner(&made.annotation, row, k);
            put_row(&inner);
        }
    }
    assert_string_equal(made.text, expected);
    teardown();
}

/* The table of a set: its names, then its rows, cells joined by ';'. */
static void check_table(const char *set, const char *expected)
{
    tacho_table table;
    made.text_len = 0;
    const tacho_annotation_set *found = tacho_annotation_set_find(tacho_str_from_cstring(set));
    assert_non_null(found);
    assert_ok(tacho_annotation_table(&made.annotation, found, &table));
    for (size_t i = 0; i < table.column_count; i++) {
        put("%s%s", i > 0 ? ";" : "", tacho_column_name(&table.columns[i]));
    }
    for (size_t i = 0; i < table.cell_count; i++) {
        const tacho_cell *cell = &table.cells[i];
        tacho_column_type type = table.columns[i % table.column_count].type;
        put("%s", i % table.column_count > 0 ? ";" : "\n");
        if (cell->is_absent) {
            continue;
        }
        if (type == TACHO_COLUMN_TEXT) {
            put("%.*s", TACHO_STR_ARG(cell->value.text));
        } else if (type == TACHO_COLUMN_FLAG) {
            put("%s", cell->value.integer != 0 ? "True" : "False");
        } else if (type == TACHO_COLUMN_REAL) {
            put("%.1f", cell->value.real);
        } else {
            put("%lld", (long long)cell->value.integer);
        }
    }
    put("\n");
    assert_string_equal(made.text, expected);
    tacho_table_deinit(&table);
}

/* ---- actions ---------------------------------------------------------------------------- */

#define D_RUN(invocation)                                                                          \
    "d," invocation ",0,1000,NSS_START_BEGIN\nd," invocation ",0,1001,NSS_START_END\n"             \
    "d," invocation ",1,1010,NSS_START_BEGIN\nd," invocation ",1,1012,NSS_START_END\n"             \
    "d," invocation ",2,1012,HOST_COPY_BEGIN\nd," invocation ",2,1020,HOST_COPY_END\n"             \
    "d," invocation ",3,1020,NSS_WAIT_BEGIN\nd," invocation ",3,1100,NSS_WAIT_END\n"               \
    "d," invocation ",4,1100,NSS_WAIT_BEGIN\nd," invocation ",4,1210,NSS_WAIT_END\n"
#define D_ROWS(run)                                                                                \
    "action " run " 0 torq_hl.start_program job 0 1000..1001 of 1000..1100\n"                      \
    "job " run " 0 torq_hl.start_program job 0 1000..1100 of 1000..1100\n"                         \
    "action " run " 1 torq_hl.start_program job 1 1010..1012 of 1010..1210\n"                      \
    "job " run " 1 torq_hl.start_program job 1 1010..1210 of 1010..1210\n"                         \
    "action " run " 2 torq_hl.dynamic_host_copy 1012..1020\n"                                      \
    "action " run " 3 torq_hl.wait_program job 0 1020..1100 of 1000..1100\n"                       \
    "op " run " 3 torq_hw.dma_in_start job 0 1020..1100 of 1000..1100\n"                           \
    "op " run " 3 torq_hw.dma_in_wait job 0 1020..1100 of 1000..1100\n"                            \
    "op " run " 3 torq_hw.slice_start job 0 1020..1100 of 1000..1100\n"                            \
    "action " run " 4 torq_hl.wait_program job 1 1100..1210 of 1010..1210\n"                       \
    "op " run " 4 torq_hw.slice_wait job 1 1100..1210 of 1010..1210\n"

/*
 * Without the program, the wait of action 3 would have ended both jobs. The initialisation of a
 * dispatch is a phase, not a run of its actions. Runs are in order of their numbers.
 */
static void test_runs(void **state)
{
    (void)state;
    check_rows(
        MODULE,
        R2_HEADER "d,0,-1,10,INIT_BEGIN\n"
                  "d,0,-1,20,INIT_END\n" D_RUN("4")
                      D_RUN("2") "e,3,0,2000,HOST_COPY_BEGIN\ne,3,0,2002,HOST_COPY_END\n"
                                 "e,3,1,2003,NSS_START_BEGIN\ne,3,1,2004,NSS_START_END\n"
                                 "e,3,2,2005,NSS_WAIT_BEGIN\ne,3,2,2015,NSS_WAIT_END\n",
        "phase d#0 -1 INIT 10..20\n" D_ROWS(
            "d#2") "action e#3 0 torq_hl.dynamic_host_copy 2000..2002\n"
                   "action e#3 1 torq_hl.start_program job 0 2003..2004 of 2003..2015\n"
                   "job e#3 1 torq_hl.start_program job 0 2003..2015 of 2003..2015\n"
                   "action e#3 2 torq_hl.wait_program job 0 2005..2015 of 2003..2015\n" D_ROWS(
                       "d#4"));
}

static void test_unmatched(void **state)
{
    (void)state;
    check_rows(MODULE,
               R2_HEADER "e,0,0,10,NSS_START_BEGIN\ne,0,0,11,NSS_START_END\n"
                         "e,0,7,20,HOST_COPY_BEGIN\ne,0,7,21,HOST_COPY_END\n"
                         "x,1,0,30,HOST_COPY_BEGIN\nx,1,0,31,HOST_COPY_END\n"
                         "x,1,-1,29,DISPATCH_BEGIN\nx,1,-1,32,DISPATCH_END\n",
               "action e#0 0 NSS_START 10..11 other_action\n"
               "job e#0 0 NSS program 10..21\n"
               "action e#0 1 torq_hl.start_program job 0 not_timed\n"
               "action e#0 2 torq_hl.wait_program job 0 not_timed\n"
               "action e#0 7 HOST_COPY 20..21 no_action\n"
               "action x#1 0 HOST_COPY 30..31 no_dispatch\n"
               "phase x#1 -1 DISPATCH 29..32\n");
    setup(MODULE, R2_HEADER "e,0,9,10,HOST_COPY_BEGIN\ne,0,9,11,HOST_COPY_END\n", NULL);
    /* Actions 0, 1 and 2 have no time, action 9 no match. */
    assert_int_equal(made.annotation.reason_counts[TACHO_ANNOTATION_REASON_NOT_TIMED], 3);
    assert_int_equal(made.annotation.reason_counts[TACHO_ANNOTATION_REASON_NO_ACTION], 1);
    assert_int_equal(tacho_annotation_unmatched_count(&made.annotation), 4);
    tacho_table problems;
    assert_ok(tacho_annotation_problems(&made.annotation, &problems));
    assert_int_equal(tacho_table_row_count(&problems), 2);
    assert_int_equal(tacho_table_cell(&problems, 0, 2)->value.integer, 1);
    assert_int_equal(tacho_table_cell(&problems, 0, 4)->value.integer, 9);
    assert_int_equal(tacho_table_cell(&problems, 1, 2)->value.integer, 3);
    tacho_table_deinit(&problems);
    teardown();
}

/* A wait for a job that nothing starts. */
static void test_not_waited(void **state)
{
    (void)state;
    check_rows("func.func @d() {\n" JOB("j", "0", "") WAIT("j", "0") "return }\n",
               R2_HEADER "d,0,0,10,NSS_WAIT_BEGIN\nd,0,0,11,NSS_WAIT_END\n",
               "action d#0 0 torq_hl.wait_program 10..11 not_waited\n");
}

/* A run without a name belongs to the dispatch that fits: here the second, which copies first. */
static void test_unnamed(void **state)
{
    (void)state;
    check_rows(MODULE,
               R1_HEADER "0,0,10,HOST_COPY_START,loc(unknown)\n0,1,11,HOST_COPY_END,loc(unknown)\n"
                         "1,2,12,NSS_START,loc(unknown)\n1,3,13,NSS_START_END,loc(unknown)\n"
                         "2,4,14,NSS_WAIT_START,loc(unknown)\n2,9,19,NSS_WAIT_END,loc(unknown)\n",
               "action e#0 0 torq_hl.dynamic_host_copy 10..11\n"
               "action e#0 1 torq_hl.start_program job 0 12..13 of 12..19\n"
               "job e#0 1 torq_hl.start_program job 0 12..19 of 12..19\n"
               "action e#0 2 torq_hl.wait_program job 0 14..19 of 12..19\n");
    /* Both dispatches have such an action, so the match is ambiguous. */
    check_rows("module {\nfunc.func @d() {\n" COPY("0") "return }\nfunc.func @e() {\n" COPY(
                   "0") "return }\n}\n",
               R1_HEADER "0,0,10,HOST_COPY_START,loc(unknown)\n0,1,11,HOST_COPY_END,loc(unknown)\n",
               "action dispatch#0 0 HOST_COPY 10..11 no_dispatch\n");
}

static void test_omit_inner(void **state)
{
    (void)state;
    tacho_annotate_options options = {.omit_inner = true};
    setup(MODULE, R2_HEADER D_RUN("0"), &options);
    assert_int_equal(made.annotation.row_count, 7);
    assert_int_equal(made.annotation.inner_count, 0);
    teardown();
}

/* ---- jobs by their place ---------------------------------------------------------------- */

/*
 * Jobs in the order of the waits, through both dispatches: a job starts at open - since_start and
 * ends at open. Number 0 begins another run. A job beyond the last wait is kept.
 */
static void test_jobs(void **state)
{
    (void)state;
    check_rows(MODULE,
               R0_HEADER "0;100;40;\n1;200;90;\n2;300;50;\n3;400;1;\n"
                         "0;1100;40;\n1;1200;90;\n",
               "job d#-1 3 torq_hl.wait_program job 0 60..100 of 60..100\n"
               "op d#-1 3 torq_hw.dma_in_start job 0 60..100 of 60..100\n"
               "op d#-1 3 torq_hw.dma_in_wait job 0 60..100 of 60..100\n"
               "op d#-1 3 torq_hw.slice_start job 0 60..100 of 60..100\n"
               "job d#-1 4 torq_hl.wait_program job 1 110..200 of 110..200\n"
               "op d#-1 4 torq_hw.slice_wait job 1 110..200 of 110..200\n"
               "job e#-1 2 torq_hl.wait_program job 2 250..300 of 250..300\n"
               "job #-1 -1 NSS job job 3 399..400 of 399..400 no_job\n"
               "job d#-1 3 torq_hl.wait_program job 0 1060..1100 of 1060..1100\n"
               "op d#-1 3 torq_hw.dma_in_start job 0 1060..1100 of 1060..1100\n"
               "op d#-1 3 torq_hw.dma_in_wait job 0 1060..1100 of 1060..1100\n"
               "op d#-1 3 torq_hw.slice_start job 0 1060..1100 of 1060..1100\n"
               "job d#-1 4 torq_hl.wait_program job 1 1110..1200 of 1110..1200\n"
               "op d#-1 4 torq_hw.slice_wait job 1 1110..1200 of 1110..1200\n");
}

/* Numbers that start again with the next dispatch. */
static void test_jobs_by_dispatch(void **state)
{
    (void)state;
    setup(MODULE, R0_HEADER "0;100;40;\n1;200;90;\n0;300;50;\n0;400;50;\n", NULL);
    const tacho_annotation_row *rows = made.annotation.rows;
    assert_int_equal(made.annotation.row_count, 4);
    assert_int_equal(made.annotation.inner_count, 7);
    assert_string_equal(str(rows[2].dispatch_name), "e");
    assert_string_equal(str(rows[3].dispatch_name), "d"); /* and then from the start */
    assert_int_equal(tacho_annotation_unmatched_count(&made.annotation), 0);
    teardown();
}

/* ---- tables ----------------------------------------------------------------------------- */

static void test_vendor_tables(void **state)
{
    (void)state;
    setup(MODULE,
          R2_HEADER
          "__HAL_X__,1,-1,900,HAL_CALL_BEGIN\n__HAL_X__,1,-1,910,HAL_QUEUE_WAIT_BEGIN\n"
          "__HAL_X__,1,-1,920,HAL_QUEUE_WAIT_END\n__HAL_X__,1,-1,930,HAL_CALL_END\n"
          "__HAL_Y__,3,-1,940,HAL_CALL_BEGIN\n__HAL_Y__,3,-1,941,HAL_CALL_END\n" D_RUN("2"),
          NULL);
#define A3_REST                                                                                    \
    "total_time;slice_used_0_in_program;slice_used_1_in_program;slice_used_2_in_program;"          \
    "dma_in_used_in_program;dma_out_used_in_program;cdma_used_in_program;css_used_in_program;"     \
    "timestamp_start;timestamp_end;location\n"                                                     \
    "0;0.0;torq_hl.start_program;;;1.0;False;False;True;True;False;False;False;1000.0;1001.0;"     \
    "@L7C10\n"                                                                                     \
    "1;1.0;torq_hl.start_program;;;2.0;False;False;True;False;False;False;False;1010.0;1012.0;"    \
    "@L7C10\n"                                                                                     \
    "2;;torq_hl.dynamic_host_copy;;;8.0;;;;;;;;1012.0;1020.0;@L9C10\n"                             \
    "3;0.0;torq_hl.wait_program;;;80.0;False;False;True;True;False;False;False;1020.0;1100.0;"     \
    "@L8C10\n"                                                                                     \
    "4;1.0;torq_hl.wait_program;;;110.0;False;False;True;False;False;False;False;1100.0;1210.0;"   \
    "@L8C10\n"                                                                                     \
    "-1;;__HAL_X__.HAL_QUEUE_WAIT;;;10.0;;;;;;;;910.0;920.0;HAL_QUEUE_WAIT\n"                      \
    "-1;;__HAL_Y__.HAL_CALL;;;1.0;;;;;;;;940.0;941.0;HAL_CALL\n"
    check_table("torq-a3",
                "action_id;job_id;operation;invocation_names;original_operators;" A3_REST);
    check_table("torq-a3-manual",
                "action_id;job_id;operation;invocation_names;original_operator;" A3_REST);
    check_table(
        "torq-a1",
        "action_id;job_id;operation;invocation_name;total_time;slice_id;slice_used_0_in_program;"
        "slice_used_1_in_program;slice_used_2_in_program;dma_in_used_in_program;"
        "dma_out_used_in_program;timestamp_start;timestamp_end;location\n"
        "0;0;torq_hl.start_program;;1;;False;False;True;True;False;1000;1001;loc(\"m.mlir\":7:10)\n"
        "1;1;torq_hl.start_program;;2;;False;False;True;False;False;1010;1012;"
        "loc(\"m.mlir\":7:10)\n"
        "2;;torq_hl.dynamic_host_copy;;8;;;;;;;1012;1020;loc(\"m.mlir\":9:10)\n"
        "3;0;torq_hw.dma_in_start;;80;;False;False;True;True;False;1020;1100;"
        "loc(\"m.mlir\":7:10)\n"
        "3;0;torq_hw.dma_in_wait;;80;;False;False;True;True;False;1020;1100;loc(\"m.mlir\":7:10)\n"
        "3;0;torq_hw.slice_start;;80;2;False;False;True;True;False;1020;1100;\n"
        "4;1;torq_hw.slice_wait;;110;2;False;False;True;False;False;1100;1210;\n"
        "-1;;__HAL_X__.HAL_QUEUE_WAIT;;10;;;;;;;910;920;\n"
        "-1;;__HAL_Y__.HAL_CALL;;1;;;;;;;940;941;\n");
    teardown();
}

static void test_job_tables(void **state)
{
    (void)state;
    setup(D, R0_HEADER "0;100;40;\n", NULL);
    check_table("torq-a0-manual",
                "NSS Program Index;torq-hw Operation in program;Slice ID (if applicable);"
                "Invocation Name;NSS Program Start Timestamp [us];NSS Program End Timestamp [us];"
                "NSS Program Total Time [us];Slice 0/1/2 Used in NSS Program\n"
                "0;torq_hw.dma_in_start;;;60;100;40;False/False/True\n"
                "0;torq_hw.dma_in_wait;;;60;100;40;False/False/True\n"
                "0;torq_hw.slice_start;2;;60;100;40;False/False/True\n");
    check_table("torq-a0",
                "nss_program_index;operation;slice_id;invocation_name;nss_program_timestamp_start;"
                "nss_program_timestamp_end;nss_program_timestamp_total;slice_used_0_in_program;"
                "slice_used_1_in_program;slice_used_2_in_program;dma_in_used_in_program;"
                "dma_out_used_in_program\n"
                "0;torq_hw.dma_in_start;;;60;100;40;False;False;True;True;False\n"
                "0;torq_hw.dma_in_wait;;;60;100;40;False;False;True;True;False\n"
                "0;torq_hw.slice_start;2;;60;100;40;False;False;True;True;False\n");
    teardown();
    /* Two slices give two columns, used or not: then the title is word for word the manual's. */
    setup("func.func @d() {\n" JOB("j", "0", DMA_IN) START("j", "0") WAIT("j", "1") "return }\n",
          R0_HEADER "0;100;40;\n1;200;10;\n", NULL);
    check_table("torq-a0-manual",
                "NSS Program Index;torq-hw Operation in program;Slice ID (if applicable);"
                "Invocation Name;NSS Program Start Timestamp [us];NSS Program End Timestamp [us];"
                "NSS Program Total Time [us];Slice 0/1 Used in NSS Program\n"
                "0;torq_hw.dma_in_start;;;60;100;40;False/False\n"
                "1;NSS job;;;190;200;10;\n");
    teardown();
}

/* The vendor's tool orders inner ops by kind; the first manual's set has them as they run. */
static void test_order_of_ops(void **state)
{
    (void)state;
    setup("func.func @d() {\n" JOB(
              "j", "0", SLICE_START "torq_hw.dma_out_start\n" DMA_IN SLICE_WAIT DMA_IN_WAIT)
              START("j", "0") WAIT("j", "1") "return }\n",
          R0_HEADER "0;100;40;\n", NULL);
    static const struct {
        const char *set;
        const char *names[5];
    } expected[] = {
        {"torq-a0", {"dma_in_start", "dma_in_wait", "slice_start", "slice_wait", "dma_out_start"}},
        {"torq-a0-manual",
         {"slice_start", "dma_out_start", "dma_in_start", "slice_wait", "dma_in_wait"}},
    };
    for (size_t i = 0; i < 2; i++) {
        tacho_table table;
        assert_ok(tacho_annotation_table(
            &made.annotation, tacho_annotation_set_find(tacho_str_from_cstring(expected[i].set)),
            &table));
        assert_int_equal(tacho_table_row_count(&table), 5);
        for (size_t row = 0; row < 5; row++) {
            tacho_str operation = tacho_table_cell(&table, row, 1)->value.text;
            assert_string_equal(operation.data + sizeof("torq_hw.") - 1, expected[i].names[row]);
        }
        tacho_table_deinit(&table);
    }
    teardown();
}

static void test_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"native",  "torq-a0", "torq-a0-manual", "torq-a1",
                                        "torq-a2", "torq-a3", "torq-a3-manual"};
    size_t count = 0;
    for (; tacho_annotation_set_at(count) != NULL; count++) {
        assert_string_equal(tacho_annotation_set_name(tacho_annotation_set_at(count)),
                            names[count]);
        assert_true(strlen(tacho_annotation_set_title(tacho_annotation_set_at(count))) > 0);
    }
    assert_int_equal(count, 7);
    assert_null(tacho_annotation_set_find(TACHO_STR("torq-a4")));
}

/* ---- trace ------------------------------------------------------------------------------ */

/*
 * Job 0 takes 1000..1100 for its cycles 100..200, so a cycle is 1 us: the transfer of 50 cycles
 * ends at 1050. Slice 2 is started in job 0 and ends with job 1, which also has cycles 100..200,
 * for 1010..1210; since these do not go beyond job 0's own, they count as job 0's.
 */
static void test_trace(void **state)
{
    (void)state;
    tacho_profile traced;
    tacho_order *order = NULL;
    setup(MODULE, R2_HEADER D_RUN("2"), NULL);
    tacho_profile_init(&traced, &made.dict);
    assert_ok(tacho_order_create(&traced.events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
    assert_ok(tacho_annotation_push(&made.annotation, tacho_order_events(order)));
    assert_ok(tacho_profile_validate(&traced));
    for (size_t i = 0; i < traced.span_count; i++) {
        tacho_span span = tacho_profile_span(&traced, i);
        const tacho_track *track = &made.dict.tracks[span.track];
        put("%s/%s %lld..%lld %s origin %u\n", str(track->name),
            tacho_track_class_name(track->track_class), (long long)span.start, (long long)span.end,
            str(made.dict.sites[span.site].name), (unsigned)span.flags);
        assert_int_equal(track->parent, made.dict.parts[0].root);
        assert_int_equal(span.run, 0);
    }
    assert_string_equal(made.text, "NSS Actions/sync 1000..1001 NSS_START origin 0\n"
                                   "NSS Programs/control 1000..1100 j origin 0\n"
                                   "Slice 2 Used/compute 1000..1100 j origin 0\n"
                                   "DMA In Used/dma_in 1000..1100 j origin 0\n"
                                   "DMA In (estimated)/phase 1000..1050 @L7C10 origin 1\n"
                                   "Slice 2 (estimated)/phase 1000..1100 Slice origin 1\n"
                                   "NSS Actions/sync 1010..1012 NSS_START origin 0\n"
                                   "NSS Programs/control 1010..1210 k origin 0\n"
                                   "Slice 2 Used/compute 1010..1210 k origin 0\n"
                                   "Host Copy/host_copy 1012..1020 HOST_COPY origin 0\n"
                                   "NSS Actions/sync 1020..1100 NSS_WAIT origin 0\n"
                                   "NSS Actions/sync 1100..1210 NSS_WAIT origin 0\n");
    tacho_order_destroy(order);
    tacho_profile_deinit(&traced);
    teardown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_unmatched),
        cmocka_unit_test(test_not_waited),
        cmocka_unit_test(test_unnamed),
        cmocka_unit_test(test_omit_inner),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_jobs_by_dispatch),
        cmocka_unit_test(test_vendor_tables),
        cmocka_unit_test(test_job_tables),
        cmocka_unit_test(test_order_of_ops),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
