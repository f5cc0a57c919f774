/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are read, and written again by the null sink; each loss by its reason and line.
 */
#include "sources/null/null.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"
#include "sinks/null.h"

typedef struct fixture {
    tacho_dict dict;
    tacho_output output;
    tacho_events *events;
    char text[1024]; /* what the sink wrote */
} fixture;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void setup(fixture *made)
{
    const tacho_trace_options options = {.omit_args = false};
    assert_ok(tacho_dict_init(&made->dict));
    open_test_output(&made->output);
    assert_ok(tacho_sink_null.open(&made->dict, &made->output, &options, &made->events));
}

static tacho_status read_bytes(fixture *made, tacho_str bytes)
{
    const tacho_source_options options = {.choice_count = 0};
    tacho_input input;
    assert_ok(tacho_input_open_bytes("spans.null", bytes, &input));
    const tacho_reading reading = {.input = &input,
                                   .path = TACHO_STR("a/spans.null"),
                                   .options = &options,
                                   .events = made->events};
    tacho_status status = tacho_source_null.read(&reading);
    tacho_input_close(&input);
    return status;
}

static void teardown(fixture *made)
{
    assert_ok(tacho_events_finish(made->events));
    tacho_sink_null.close(made->events);
    size_t len = read_test_output(&made->output, made->text, sizeof(made->text) - 1);
    made->text[len] = '\0';
    tacho_dict_deinit(&made->dict);
}

static void check_written(tacho_str bytes, const char *expected)
{
    fixture made;
    setup(&made);
    assert_ok(read_bytes(&made, bytes));
    teardown(&made);
    assert_string_equal(made.text, expected);
}

static void test_spans(void **state)
{
    (void)state;
    check_written(TACHO_STR("null 1\r\n# by hand\n\n  npu 0 1500  conv 3x3 \r\nnpu 1500 1500 end\n"
                            "dma 0 9223372036854775807 last"),
                  "null 1\nnpu 0 1500 conv 3x3\nnpu 1500 1500 end\n"
                  "dma 0 9223372036854775807 last\n# spans.null: measured\n");
}

/* Control characters of a name would end its line. */
static void test_hostile_names(void **state)
{
    (void)state;
    check_written(TACHO_STR("null 1\na\x7f"
                            "b 0 1 c\td\x1b[1m\n"),
                  "null 1\na_b 0 1 c_d_[1m\n# spans.null: measured\n");
}

typedef struct loss_case {
    const char *line;
    tacho_loss_reason reason;
} loss_case;

static void test_losses(void **state)
{
    (void)state;
    static const loss_case cases[] = {
        {"npu 0 9\n", TACHO_LOSS_FIELD_COUNT},
        {"npu\n", TACHO_LOSS_FIELD_COUNT},
        {"npu 0 1e3 conv\n", TACHO_LOSS_NOT_A_NUMBER},
        {"npu +1 2 conv\n", TACHO_LOSS_NOT_A_NUMBER},
        {"npu -1 2 conv\n", TACHO_LOSS_NEGATIVE_TIME},
        {"npu 0 9223372036854775808 conv\n", TACHO_LOSS_TIME_OVERFLOW},
        {"npu 2 1 conv\n", TACHO_LOSS_END_BEFORE_START},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[80];
        fixture made;
        setup(&made);
        snprintf(text, sizeof(text), "null 1\nnpu 0 1 good\n%s%s", cases[i].line, cases[i].line);
        assert_ok(read_bytes(&made, tacho_str_from_cstring(text)));
        assert_int_equal(made.dict.loss_count, 1);
        assert_int_equal(made.dict.losses[0].reason, cases[i].reason);
        assert_int_equal(made.dict.losses[0].count, 2);
        assert_int_equal(made.dict.losses[0].first_line, 3);
        teardown(&made);
        assert_string_equal(made.text, "null 1\nnpu 0 1 good\n# spans.null: measured\n# 2 lost\n");
    }
}

static void check_loss(tacho_str bytes, tacho_loss_reason reason)
{
    fixture made;
    setup(&made);
    assert_ok(read_bytes(&made, bytes));
    assert_int_equal(made.dict.loss_count, 1);
    assert_int_equal(made.dict.losses[0].reason, reason);
    teardown(&made);
}

static void test_nul_byte(void **state)
{
    (void)state;
    check_loss(TACHO_STR("null 1\nnpu 0 1 conv\nnpu 0 1 co\0nv\n"), TACHO_LOSS_NUL_BYTE);
}

/* gzip, of which the last four bytes are missing. */
static void test_cut_input(void **state)
{
    (void)state;
    static const unsigned char cut[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x2b, 0xcd, 0xc9, 0x51,
        0x30, 0xe4, 0xca, 0x2b, 0x28, 0x55, 0x30, 0x50, 0x30, 0x55, 0x48, 0xce, 0xcf, 0x2b, 0x03,
        0x73, 0x4c, 0x15, 0x2c, 0x15, 0x8a, 0x52, 0x73, 0x4a, 0xb9, 0x00, 0xea, 0x0e, 0x5b, 0xb8};
    check_loss(tacho_str_make((const char *)cut, sizeof(cut)), TACHO_LOSS_CUT_INPUT);
}

static void check_refused(const char *text, const char *message)
{
    fixture made;
    setup(&made);
    tacho_status status = read_bytes(&made, tacho_str_from_cstring(text));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    teardown(&made);
}

static void test_other_files(void **state)
{
    (void)state;
    check_refused("null 2\nnpu 0 1 conv\n", "spans.null:1: expected 'null 1', found 'null 2'");
    check_refused("null 1\n# empty\n", "spans.null: no line is 'TRACK START END NAME'");
    check_refused("null 1\nnpu 1 0 conv\n", "spans.null: no line is 'TRACK START END NAME'");
    assert_int_equal(tacho_source_null.probe(TACHO_STR("null 1")), TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_null.probe(TACHO_STR("null 1\r\nx")), TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_null.probe(TACHO_STR("null 10\n")), TACHO_PROBE_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),     cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_losses),    cmocka_unit_test(test_nul_byte),
        cmocka_unit_test(test_cut_input), cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
