/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of T1 and T4, letter by letter: order, numbers of slices, and characters not allowed in a
 * field.
 */
#include "sinks/torq/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"

static const tacho_torq_timeline_row rows[] = {
    {TACHO_TRACK_DMA_IN, 0, 0, 0, 200, 192, TACHO_STR_INIT("loc(\"m\":1:1)"), TACHO_STR_INIT("")},
    {TACHO_TRACK_GROUP, 0, 1, 0, 0, 0, TACHO_STR_INIT(""), TACHO_STR_INIT("")},
    {TACHO_TRACK_COMPUTE, 1, 2, 200, 300, 0, TACHO_STR_INIT("\"m\":1:1"), TACHO_STR_INIT("conv")},
    {TACHO_TRACK_COMPUTE, 1, 3, 300, 310, 0, TACHO_STR_INIT("loc(\"m\":1:1)"),
     TACHO_STR_INIT("a,b\nc")},
    {TACHO_TRACK_VECTOR, 0, 4, 310, 330, 0, TACHO_STR_INIT("loc(\"m,\n\":3:1)"),
     TACHO_STR_INIT("")},
    {TACHO_TRACK_DMA_LOCAL, 0, 5, 330, 337, 7, TACHO_STR_INIT("loc(\"m\":4:1)"),
     TACHO_STR_INIT("move")},
    {TACHO_TRACK_DMA_OUT, 0, 6, 337, 340, 32, TACHO_STR_INIT("loc(\"m\":4:1)"), TACHO_STR_INIT("")},
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static tacho_status give_row(void *self, size_t index, tacho_torq_timeline_row *out_row)
{
    const size_t *bad = self;
    *out_row = rows[index];
    return bad != NULL && *bad == index ? tacho_fail(TACHO_CODE_BAD_DATA, "row") : TACHO_OK;
}

static void check_text(tacho_torq_timeline_form form, const char *expected)
{
    const tacho_torq_timeline timeline = {ROW_COUNT, give_row, NULL};
    tacho_output output;
    open_test_output(&output);
    assert_null(tacho_torq_timeline_write(&timeline, form, &output));
    char text[2048];
    size_t len = read_test_output(&output, text, sizeof(text) - 1);
    text[len] = '\0';
    assert_string_equal(text, expected);
}

/* A slice's numbers give it modulo two: 1, 3; then 4 for slice 0. */
static void test_t1(void **state)
{
    (void)state;
    check_text(TACHO_TORQ_T1, "DI0,0,200,loc(\"m\":1:1),DMA_IN\n"
                              "DO1,337,340,loc(\"m\":4:1),DMA_OUT\n"
                              "S1,200,300,loc(\"m\":1:1),conv\n"
                              "S3,300,310,loc(\"m\":1:1),a_b_c\n"
                              "S4,330,337,loc(\"m\":4:1),move\n"
                              "CSS0,310,330,loc(\"m,_\":3:1),CSS\n");
}

static void test_t4(void **state)
{
    (void)state;
    check_text(TACHO_TORQ_T4, "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
                              "0,200,0,DMA In,loc(\"m\":1:1),192\n"
                              "6,3,337,DMA Out,loc(\"m\":4:1),32\n"
                              "2,100,200,Slice 1,loc(\"m\":1:1),\n"
                              "3,10,300,Slice 1,loc(\"m\":1:1),\n"
                              "5,7,330,Slice 0,loc(\"m\":4:1),\n"
                              "4,20,310,CSS,loc(\"m,_\":3:1),\n");
}

static void test_a_row_that_fails(void **state)
{
    (void)state;
    size_t bad = 3;
    const tacho_torq_timeline timeline = {ROW_COUNT, give_row, &bad};
    tacho_output output;
    open_test_output(&output);
    tacho_status status = tacho_torq_timeline_write(&timeline, TACHO_TORQ_T1, &output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    char text[64];
    (void)read_test_output(&output, text, sizeof(text) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t1),
        cmocka_unit_test(test_t4),
        cmocka_unit_test(test_a_row_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
