/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed annotated profiles are read into a profile, in sort mode, and the result is written as
 * text: one line for each part, span and loss.
 *
 *     part r.csv torq-annotated A3 measured, ns of 1/1 ns from 1112000
 *     Host Copy|1112000|1120000|torq_hl.host_copy|host_copy|@L4C10|action=0
 *     lost not_a_number 1 at 2
 */
#include "sources/torq/torq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/torq/torq_testing.h"

#define A0_HEADER                                                                                  \
    "nss_program_index;operation;slice_id;invocation_name;nss_program_timestamp_start;"            \
    "nss_program_timestamp_end;nss_program_timestamp_total;slice_used_0_in_program;"               \
    "slice_used_1_in_program;dma_in_used_in_program;dma_out_used_in_program\n"
#define A1_HEADER                                                                                  \
    "action_id;job_id;operation;invocation_name;total_time;slice_id;slice_used_0_in_program;"      \
    "slice_used_1_in_program;dma_in_used_in_program;dma_out_used_in_program;timestamp_start;"      \
    "timestamp_end;location\n"
#define A3_HEADER                                                                                  \
    "action_id;job_id;operation;invocation_names;original_operators;total_time;"                   \
    "slice_used_0_in_program;slice_used_1_in_program;dma_in_used_in_program;"                      \
    "dma_out_used_in_program;cdma_used_in_program;css_used_in_program;timestamp_start;"            \
    "timestamp_end;location\n"
#define PART(generation, zero)                                                                     \
    "part r.csv torq-annotated " generation " measured, ns of 1/1 ns from " zero "\n"

/* ---- reading ---------------------------------------------------------------------------- */

static tacho_status read_bytes(fixture *to, tacho_str bytes)
{
    return read_as(to, &tacho_source_torq_annotated, "r.csv", bytes);
}

/* ---- the profile as text ---------------------------------------------------------------- */

static void put_site(fixture *to, const tacho_site *site)
{
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    put(&to->text, "|");
    if (site->location == TACHO_NONE) {
        put(&to->text, "-|");
        return;
    }
    const tacho_location *location = &to->dict.locations[site->location];
    put_string(to, location->text);
    put(&to->text, "|");
}

static void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    put(&to->text, "=");
    if (arg->type == TACHO_ARG_INT) {
        put(&to->text, "%lld", (long long)arg->value.as_int);
    } else {
        assert_int_equal(arg->type, TACHO_ARG_STRING);
        put_string(to, arg->value.as_string);
    }
}

static void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    assert_int_equal(span.run, TACHO_NONE);
    put_string(to, to->dict.tracks[span.track].name);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_site(to, &to->dict.sites[span.site]);
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(&to->text, i == span.args ? "" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(&to->text, "%s\n", span.flags == 0 ? "" : " unended");
    assert_true(span.flags == 0 || span.flags == TACHO_SPAN_UNENDED);
}

static const char *render(fixture *from)
{
    return render_with(from, put_span);
}

/* ---- checks ----------------------------------------------------------------------------- */

static void check_bytes(tacho_str bytes, const char *expected)
{
    fixture made;
    setup(&made);
    assert_ok(read_bytes(&made, bytes));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made), expected);
    assert_int_equal(made.dict.parts[0].row_count, made.profile.span_count);
    teardown(&made);
}

static void check(const char *text, const char *expected)
{
    check_bytes(tacho_str_from_cstring(text), expected);
}

/* Reads |text|, which must fail with a message that contains |words|. */
static void check_refused(const char *text, const char *words)
{
    fixture made;
    setup(&made);
    tacho_status status = read_bytes(&made, tacho_str_from_cstring(text));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), words);
    }
    assert_int_equal(made.profile.span_count, 0);
    tacho_status_free(status);
    teardown(&made);
}

/* ---- A0 --------------------------------------------------------------------------------- */

/* Rows of one job at one time are one job; another time is another job. */
static void test_a0(void **state)
{
    (void)state;
    check(A0_HEADER "0;torq_hw.dma_in_start;;;120;320;200;True;False;True;False\n"
                    "0;torq_hw.slice_start;0;conv2d_0;120;320;200;True;False;True;False\n"
                    "0;torq_hw.slice_wait;0;conv2d_0;120;320;200;True;False;True;False\n"
                    "0;torq_hw.dma_out_start;;;320;321;1;False;False;False;True\n"
                    "3;NSS job;;;690.5;700;10;;;;\n",
          PART("A0", "120000") "NSS Programs|120000|320000|conv2d_0|control|-|job=0 "
                               "kernels=conv2d_0\n"
                               "DMA In Used|120000|320000|conv2d_0|dma_in|-|job=0 "
                               "kernels=conv2d_0\n"
                               "Slice 0 Used|120000|320000|conv2d_0|compute|-|job=0 "
                               "kernels=conv2d_0\n"
                               "NSS Programs|320000|321000|NSS program|control|-|job=0\n"
                               "DMA Out Used|320000|321000|NSS program|dma_out|-|job=0\n"
                               "NSS Programs|690500|700000|NSS program|control|-|job=3\n");
}

/* The titles of the first manual, with the flags of all slices in one column. */
static void test_titles(void **state)
{
    (void)state;
    check("NSS Program Index;torq-hw Operation in program;Slice ID (if applicable);Invocation "
          "Name;NSS Program Start Timestamp [us];NSS Program End Timestamp [us];NSS Program Total "
          "Time [us];Slice 0/1/2 Used in NSS Program\r\n"
          "0;torq_hw.slice_start;2;add_1;5;7;2;False/False/True\r\n",
          PART("A0", "5000") "NSS Programs|5000|7000|add_1|control|-|job=0 kernels=add_1\n"
                             "Slice 2 Used|5000|7000|add_1|compute|-|job=0 kernels=add_1\n");
}

/* ---- A1 to A3 --------------------------------------------------------------------------- */

/* Inner ops replace the wait. */
static void test_a1(void **state)
{
    (void)state;
    check(
        A1_HEADER
        "2;0;torq_hl.start_program;;1;;False;True;False;False;1120;1121;\"loc(\"\"m\"\":7:1)\"\n"
        "5;0;torq_hw.slice_start;a;188;1;False;True;False;False;1132;1320;loc(unknown)\n"
        "5;0;torq_hw.slice_start;b;188;1;False;True;False;False;1132;1320;loc(unknown)\n"
        "7;;torq_hl.start_program (host);;6;;;;;;1531;1537;\n",
        PART(
            "A1",
            "1120000") "NSS Actions|1120000|1121000|torq_hl.start_program|sync|\"m\":7:1|action=2\n"
                       "NSS Programs|1120000|1320000|a, b|control|\"m\":7:1|action=2 job=0 "
                       "wait_action=5 "
                       "kernels=a, b\n"
                       "Slice 1 Used|1120000|1320000|a, b|compute|\"m\":7:1|action=2 job=0 "
                       "wait_action=5 "
                       "kernels=a, b\n"
                       "NSS Actions|1132000|1320000|torq_hl.wait_program|sync|-|action=5\n"
                       "Host Programs|1531000|1537000|torq_hl.start_program "
                       "(host)|host|-|action=7\n");
}

static void test_a3(void **state)
{
    (void)state;
    check(A3_HEADER
          "0;;memref.alloc;;;1.0;;;;;;;1.0;2.0;@L4C10\n"
          "1;;torq_hl.host_copy;;tosa.const@L4;8.0;;;;;;;2.0;3.0;@L4C10\n"
          "2;0.0;torq_hl.start_program;a;;1.0;False;False;False;False;True;True;3.0;4.0;\n"
          "3;1.0;torq_hl.start_program;b;;1.0;False;False;False;False;False;False;4.0;5.0;\n"
          "4;0.0;torq_hl.wait_program;a;;1.0;False;False;False;False;True;True;6.0;9.0;\n"
          "7;;torq_hl.start_program;;;1.0;;;;;;;9.0;10.0;\n"
          "8;;torq_hl.wait_program;;;1.0;;;;;;;11.0;12.0;\n"
          "-1;;__HAL_Q__.HAL_CALL;;;1.0;;;;;;;12.0;13.001;HAL_CALL\n",
          PART("A3", "1000") "Host Memory|1000|2000|memref.alloc|memory|@L4C10|action=0\n"
                             "Host Copy|2000|3000|torq_hl.host_copy|host_copy|@L4C10|action=1 "
                             "operators=tosa.const@L4\n"
                             "NSS Actions|3000|4000|torq_hl.start_program|sync|-|action=2\n"
                             "NSS Programs|3000|9000|a|control|-|action=2 job=0 wait_action=4 "
                             "kernels=a\n"
                             "CDMA Used|3000|9000|a|dma_local|-|action=2 job=0 wait_action=4 "
                             "kernels=a\n"
                             "CSS Used|3000|9000|a|vector|-|action=2 job=0 wait_action=4 "
                             "kernels=a\n"
                             "NSS Actions|4000|5000|torq_hl.start_program|sync|-|action=3\n"
                             "NSS Programs|4000|5000|b|control|-|action=3 job=1 kernels=b "
                             "unended\n"
                             "NSS Actions|6000|9000|torq_hl.wait_program|sync|-|action=4\n"
                             "Host Programs|9000|12000|torq_hl.start_program|host|-|action=7\n"
                             "HAL|12000|13001|HAL_CALL|runtime|-|scope=__HAL_Q__\n");
}

/* Columns in another order, more slices, an unknown column. */
static void test_columns(void **state)
{
    (void)state;
    check("timestamp_end;slice_used_17_in_program;what;timestamp_start;operation;JOB_ID\n"
          "9;True;;5;x;4\n",
          PART("A0", "5000") "NSS Programs|5000|9000|NSS program|control|-|job=4\n"
                             "Slice 17 Used|5000|9000|NSS program|compute|-|job=4\n");
}

static void test_losses(void **state)
{
    (void)state;
    check(A0_HEADER "0;x;;;5;9;4;True;False;False;False\n"
                    "0;x;;;5;;;True;False;False;False\n"
                    "0;x;;;five;9;;True;False;False;False\n"
                    "0;x;;;9;5;;True;False;False;False\n"
                    "0;x;;;-1;5;;True;False;False;False\n"
                    "0;x;;;1e300;5;;True;False;False;False\n"
                    "0;x;;;5;9;4;Perhaps;False;False;False\n"
                    "0;x;;;5;9\n" A0_HEADER,
          PART("A0", "5000") "NSS Programs|5000|9000|NSS program|control|-|job=0\n"
                             "Slice 0 Used|5000|9000|NSS program|compute|-|job=0\n"
                             "lost missing_field 1 at 3\n"
                             "lost not_a_number 1 at 4\n"
                             "lost end_before_start 1 at 5\n"
                             "lost negative_time 1 at 6\n"
                             "lost time_overflow 1 at 7\n"
                             "lost unknown_event 1 at 8\n"
                             "lost wrong_field_count 1 at 9\n");
}

/* A row without a time is not damaged. */
static void test_untimed(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    assert_ok(read_bytes(&made, TACHO_STR(A0_HEADER "0;x;;;;;;True;False;False;False\n"
                                                    "0;x;;;5;9;4;True;False;False;False\n"
                                                    "1;x;;;;;;True;False;False;False\n")));
    assert_string_equal(render(&made),
                        PART("A0", "5000") "NSS Programs|5000|9000|NSS program|control|-|job=0\n"
                                           "Slice 0 Used|5000|9000|NSS program|compute|-|job=0\n");
    assert_int_equal(made.dict.metadata_count, 1);
    assert_string_equal(tacho_dict_string(&made.dict, made.dict.metadata[0].key).data,
                        "rows_without_time");
    assert_string_equal(tacho_dict_string(&made.dict, made.dict.metadata[0].value).data, "2");
    teardown(&made);
    check_refused(A0_HEADER "0;x;;;;;;True;False;False;False\n", "no rows");
}

/* Without engine columns, rows of inner ops show the engines that a job uses. */
static void test_engines_by_ops(void **state)
{
    (void)state;
    check("nss_program_index;operation;timestamp_start;timestamp_end;slice_used_0_in_program\n"
          "0;torq_hw.dma_in_start;5;7;False\n"
          "0;torq_hw.dma_out_cfg;5;7;False\n"
          "0;torq_hw.css_wait;5;7;False\n"
          "1;torq_hw.cdma_start;7;9;False\n",
          PART("A0", "5000") "NSS Programs|5000|7000|NSS program|control|-|job=0\n"
                             "DMA In Used|5000|7000|NSS program|dma_in|-|job=0\n"
                             "CSS Used|5000|7000|NSS program|vector|-|job=0\n"
                             "NSS Programs|7000|9000|NSS program|control|-|job=1\n"
                             "CDMA Used|7000|9000|NSS program|dma_local|-|job=1\n");
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("a;b\n", "r.csv:1: expected the header of an annotated profile");
    check_refused("", "expected the header of an annotated profile");
    check_refused(A3_HEADER, "no rows");
}

static void test_probe(void **state)
{
    (void)state;
    tacho_probe_verdict (*probe)(tacho_str) = tacho_source_torq_annotated.probe;
    assert_int_equal(probe(TACHO_STR("\xef\xbb\xbf" A3_HEADER)), TACHO_PROBE_SURE);
    assert_int_equal(probe(TACHO_STR("\n" A0_HEADER)), TACHO_PROBE_SURE);
    assert_int_equal(probe(TACHO_STR("job_id;operation;timestamp_start;timestamp_end\n")),
                     TACHO_PROBE_NO);
    assert_int_equal(probe(TACHO_STR("job_id;operation;timestamp_start;timestamp_end;"
                                     "slice_used_1024_in_program\n")),
                     TACHO_PROBE_NO);
    assert_int_equal(probe(TACHO_STR("")), TACHO_PROBE_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a0),      cmocka_unit_test(test_titles),
        cmocka_unit_test(test_a1),      cmocka_unit_test(test_a3),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_losses),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_probe),
        cmocka_unit_test(test_untimed), cmocka_unit_test(test_engines_by_ops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
