/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tie breaks between rows that start together: the output is the same for either input order.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/order_testing.h"

/* Rows that differ in anything at all have one output order, whatever the input order. */
static void check_both_ways(fixture *at, const tacho_row *a, const tacho_row *b, const char *what)
{
    tacho_row rows[2] = {*a, *b};
    run_order(at, TACHO_ORDER_SORT, 4096, rows, 2);
    tacho_str expected = tracks_text(at);
    rows[0] = *b;
    rows[1] = *a;
    run_order(at, TACHO_ORDER_SORT, 4096, rows, 2);
    tacho_str found = tracks_text(at);
    if (compare_lines(&found, &expected) != 0) {
        fail_msg("rows that differ in %s come out as they went in", what);
    }
    free_text(expected);
    free_text(found);
}

static void test_ties_in_sites(void **state)
{
    fixture *at = *state;
    tacho_location locations[2] = {{.text = at->words[0]}, {.text = at->words[1]}};
    tacho_site sites[4] = {{at->words[0], at->words[0], TACHO_NONE}};
    sites[1] = (tacho_site){at->words[1], at->words[0], TACHO_NONE};
    sites[2] = (tacho_site){at->words[0], at->words[1], TACHO_NONE};
    sites[3] = sites[0];
    assert_null(tacho_dict_ensure_location(&at->dict, &locations[0], &sites[0].location));
    assert_null(tacho_dict_ensure_location(&at->dict, &locations[1], &sites[3].location));
    sites[1].location = sites[0].location;
    sites[2].location = sites[0].location;
    tacho_row rows[4];
    for (size_t i = 0; i < 4; i++) {
        rows[i] = plain_span(at);
        assert_null(tacho_dict_ensure_site(&at->dict, &sites[i], &rows[i].of.span.site));
    }
    check_both_ways(at, &rows[0], &rows[1], "the name of the site");
    check_both_ways(at, &rows[0], &rows[2], "the category of the site");
    check_both_ways(at, &rows[0], &rows[3], "the location of the site");
    rows[1] = rows[0];
    rows[1].of.span.flags = TACHO_SPAN_UNENDED;
    check_both_ways(at, &rows[0], &rows[1], "flags");
}

static void check_arg_tie(fixture *at, const tacho_arg *a, const tacho_arg *b, const char *what)
{
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    rows[0].args = a;
    rows[0].arg_count = 1;
    rows[1].args = b;
    rows[1].arg_count = b == NULL ? 0 : 1;
    check_both_ways(at, &rows[0], &rows[1], what);
}

static void test_ties_in_values(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.key = at->words[0]}, {.key = at->words[1]}};
    check_arg_tie(at, &args[0], NULL, "the number of arguments");
    check_arg_tie(at, &args[0], &args[1], "the key of an argument");
    args[1] = args[0];
    args[1].type = TACHO_ARG_UINT;
    check_arg_tie(at, &args[0], &args[1], "the type of an argument");
    args[1].type = TACHO_ARG_INT;
    args[1].value.as_int = -1;
    check_arg_tie(at, &args[0], &args[1], "an integer");
    args[0].type = args[1].type = TACHO_ARG_UINT;
    check_arg_tie(at, &args[0], &args[1], "a natural number");
    args[0].type = args[1].type = TACHO_ARG_REAL;
    args[1].value.as_real = -1e-300;
    check_arg_tie(at, &args[0], &args[1], "a real number");
    args[0].type = args[1].type = TACHO_ARG_BOOL;
    args[0].value.as_bool = false;
    args[1].value.as_bool = true;
    check_arg_tie(at, &args[0], &args[1], "a truth");
    args[0].type = args[1].type = TACHO_ARG_STRING;
    args[0].value.as_string = at->words[0];
    args[1].value.as_string = at->words[1];
    check_arg_tie(at, &args[0], &args[1], "a string");
    for (size_t i = 0; i < 2; i++) {
        args[0].type = args[1].type = i == 0 ? TACHO_ARG_TEXT : TACHO_ARG_JSON;
        args[0].value.as_text = TACHO_STR("ab");
        args[1].value.as_text = TACHO_STR("aB");
        check_arg_tie(at, &args[0], &args[1], "a text");
        args[1].value.as_text = TACHO_STR("abc");
        check_arg_tie(at, &args[0], &args[1], "the length of a text");
    }
}

static void test_ties_in_op_and_run(void **state)
{
    fixture *at = *state;
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    rows[0].of.span.op = 3;
    check_both_ways(at, &rows[0], &rows[1], "op");
    rows[0] = rows[1];
    rows[0].of.span.run = 1;
    check_both_ways(at, &rows[0], &rows[1], "having a run or none");
    rows[1].of.span.run = 2;
    check_both_ways(at, &rows[0], &rows[1], "the name of the run");
    rows[1].of.span.run = 1 + WORD_COUNT;
    check_both_ways(at, &rows[0], &rows[1], "the number of the run");
}

static void test_ties_in_args(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.key = at->words[0], .type = TACHO_ARG_REAL}};
    args[1] = args[0];
    tacho_row rows[2] = {plain_span(at), plain_span(at)};
    for (size_t i = 0; i < 2; i++) {
        rows[i].args = &args[i];
        rows[i].arg_count = 1;
    }
    args[1].unit = TACHO_UNIT_BYTES;
    check_both_ways(at, &rows[0], &rows[1], "the unit of an argument");
    args[1].unit = args[0].unit;
    args[1].value.as_real = -0.0;
    check_both_ways(at, &rows[0], &rows[1], "the sign of a zero");
    args[1].value.as_real = (double)NAN;
    check_both_ways(at, &rows[0], &rows[1], "a number and none");
}

static void test_ties_in_flows(void **state)
{
    fixture *at = *state;
    tacho_row rows[2] = {{.kind = TACHO_ROW_FLOW, .track = at->tracks[0][1], .start = 5}};
    rows[0].of.flow.id = 1;
    rows[1] = rows[0];
    rows[1].of.flow.id = LAST_FLOW_ID;
    check_both_ways(at, &rows[0], &rows[1], "the id of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.role = TACHO_FLOW_LAUNCH;
    check_both_ways(at, &rows[0], &rows[1], "the role of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.phase = TACHO_FLOW_PASSES;
    check_both_ways(at, &rows[0], &rows[1], "the phase of a flow");
    rows[1] = rows[0];
    rows[1].of.flow.span_end = 9;
    check_both_ways(at, &rows[0], &rows[1], "the span of a flow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ORDER_TEST(test_ties_in_sites),      ORDER_TEST(test_ties_in_values),
        ORDER_TEST(test_ties_in_op_and_run), ORDER_TEST(test_ties_in_args),
        ORDER_TEST(test_ties_in_flows),
    };
    return cmocka_run_group_tests(tests, open_tmpdir, close_tmpdir);
}
