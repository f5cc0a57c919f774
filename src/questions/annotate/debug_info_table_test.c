/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed programs as tables, a line for each row: cells separated by '|', '-' for an absent one.
 */
#include "questions/annotate/debug_info_table.h"

#include "codec/mlir_text.h"
#include "sources/torq/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4096 };

#define NSS "!torq_hl.invocation<nss>"

/*
 * A job with its start and wait; |cycles| are attributes of its one task. Operations without a
 * location are at their own line, which is not one of the model's.
 */
#define JOB(name, cycles, body)                                                                    \
    "%" name "p = torq_hl.program \"" name "\" : !torq_hl.program<nss> {\n"                        \
    "torq_hw.nss_task {" cycles "} () {\n" body "} loc(unknown)\ntorq_hl.return }\n"               \
    "%" name " = torq_hl.create_invocation \"" name "\" program(%" name                            \
    "p : !torq_hl.program<nss>) : " NSS " loc(unknown)\n"
#define RUN(name, place)                                                                           \
    "torq_hl.start_program %" name " : " NSS " loc(" place ")\n"                                   \
    "torq_hl.wait_program %" name " : " NSS " loc(" place ")\n"
#define CYCLES(end) "\"torq-start-time-cycles\" = 0 : i64, \"torq-end-time-cycles\" = " end " : i64"
#define DMA(way, place)                                                                            \
    "torq_hw.dma_" way "_start loc(" place ")\ntorq_hw.dma_" way "_wait loc(" place ")\n"
#define SLICE                                                                                      \
    "\"torq_hw.slice_start\"() <{id = 2 : index}> : () -> () loc(unknown)\n"                       \
    "\"torq_hw.slice_wait\"() <{id = 2 : index}> : () -> () loc(unknown)\n"
#define CSS "torq_hw.css_start loc(unknown)\ntorq_hw.css_wait loc(unknown)\n"
#define FUNCTION(name, body) "func.func @" name "() {\n" body "return }\n"

/* ---- fixture ---------------------------------------------------------------------------- */

typedef struct fixture {
    tacho_dict dict;
    tacho_debug_info info;
    char text[TEXT_BYTES];
} fixture;

static fixture made;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void setup(const char *text)
{
    tacho_mlir_module module;
    assert_ok(tacho_dict_init(&made.dict));
    tacho_debug_info_init(&made.info, &made.dict);
    assert_ok(tacho_mlir_module_init(&module));
    assert_ok(tacho_mlir_text_read("/w/t.mlir", tacho_str_from_cstring(text), &module));
    assert_ok(torq_ir_read_module(&module, TACHO_STR("/w/t.mlir"), &made.info));
    tacho_mlir_module_deinit(&module);
}

static void teardown(void)
{
    tacho_debug_info_deinit(&made.info);
    tacho_dict_deinit(&made.dict);
}

static void put_cell(const tacho_table *table, size_t row, size_t column)
{
    const tacho_cell *cell = tacho_table_cell(table, row, column);
    size_t len = strlen(made.text);
    char *to = made.text + len;
    size_t room = sizeof(made.text) - len;
    const char *end = column + 1 < table->column_count ? "|" : "\n";
    if (cell->is_absent) {
        snprintf(to, room, "-%s", end);
    } else if (table->columns[column].type == TACHO_COLUMN_INT) {
        snprintf(to, room, "%lld%s", (long long)cell->value.integer, end);
    } else {
        snprintf(to, room, "%.*s%s", TACHO_STR_ARG(cell->value.text), end);
    }
}

typedef tacho_status (*table_maker)(const tacho_debug_input *inputs, size_t input_count,
                                    tacho_table *out_table);

static void assert_table(table_maker make, bool shows_paths, const char *expected)
{
    tacho_debug_input input = {&made.info, TACHO_STR("t"), shows_paths};
    tacho_table table;
    made.text[0] = '\0';
    assert_ok(make(&input, 1, &table));
    for (size_t i = 0; i < tacho_table_row_count(&table); i++) {
        for (size_t k = 0; k < table.column_count; k++) {
            put_cell(&table, i, k);
        }
    }
    tacho_table_deinit(&table);
    assert_string_equal(made.text, expected);
}

/* ---- tests ------------------------------------------------------------------------------ */

/* Sums over dispatches; work without an estimate adds nothing. */
static void test_sums(void **state)
{
    (void)state;
    setup("module {\n" FUNCTION(
        "d", JOB("j", CYCLES("300"), DMA("in", "\"/m/a.mlir\":7:1") DMA("in", "\"/m/a.mlir\":4:1"))
                 JOB("k", CYCLES("200"), SLICE CSS) RUN("j", "\"/m/a.mlir\":9:1")
                     RUN("k", "\"/m/b.mlir\":2:1"))
              FUNCTION("e", JOB("l", "", DMA("out", "unknown")) RUN("l", "\"/m/a.mlir\":12:1"))
                  FUNCTION("f", JOB("m", CYCLES("50"), "") RUN("m", "unknown")) "}\n");
    assert_table(tacho_debug_info_inputs, false,
                 "t|text|0|3|8|4|4|2|1|0|1|1|350|a.mlir:4-12, b.mlir:2\n");
    assert_table(tacho_debug_info_dispatches, false,
                 "t.mlir|d|4|2|2|2|0|0|1|1|300|a.mlir:4-9, b.mlir:2\n"
                 "t.mlir|e|2|1|1|0|1|0|0|0|-|a.mlir:12\n"
                 "t.mlir|f|2|1|1|0|0|0|0|0|50|-\n");
    teardown();
}

/* The first few names, if no location has a file. */
static void test_names(void **state)
{
    (void)state;
    setup("module {\n" FUNCTION("d", JOB("j", "", "") RUN("j", "\"n0\"") RUN("j", "\"n1\"")
                                         RUN("j", "\"n0\"") RUN("j", "\"n2\"")) "}\n");
    assert_table(tacho_debug_info_dispatches, true, "/w/t.mlir|d|8|4|4|0|0|0|0|0|-|n0, n1, n2\n");
    teardown();
    setup("module {\n" FUNCTION("d", JOB("j", "", "") RUN("j", "\"n0\"") RUN("j", "\"n1\"")
                                         RUN("j", "\"n2\"") RUN("j", "\"n3\"")
                                             RUN("j", "\"n4\"")) "}\n");
    assert_table(tacho_debug_info_inputs, false,
                 "t|text|0|1|10|5|5|0|0|0|0|0|-|n0, n1, n2 and 2 more\n");
    teardown();
}

/* Everything damaged or not understood is counted, and files of both forms are named. */
static void test_problems(void **state)
{
    (void)state;
    setup("module {\n" FUNCTION("d", "\"torq_hl.magic\"() : () -> () loc(unknown)\n" JOB(
                                         "j", "", "torq_hw.dma_in_wait loc(unknown)\n")
                                         RUN("j", "unknown"))
              FUNCTION("e", JOB("k", "", "") RUN("k", "unknown")) "}\n");
    assert_ok(tacho_debug_info_add_problem(&made.info, "a file is cut"));
    assert_ok(tacho_debug_info_add_note(&made.info, "a file is passed over"));
    made.info.dispatches[1].is_bytecode = true;
    assert_table(tacho_debug_info_inputs, false, "t|text and bytecode|3|2|5|2|2|0|0|0|0|0|-|-\n");
    made.info.dispatches[0].is_bytecode = true;
    made.info.undecoded_count = 2;
    assert_table(tacho_debug_info_inputs, false, "t|bytecode|5|2|5|2|2|0|0|0|0|0|-|-\n");
    teardown();
}

/* An estimate that is too large for a sum does not wrap. */
static void test_large(void **state)
{
    (void)state;
    setup(
        "module {\n" FUNCTION("d", JOB("j", CYCLES("9223372036854775807"), "") RUN("j", "unknown"))
            FUNCTION("e", JOB("j", CYCLES("5"), "") RUN("j", "unknown")) "}\n");
    assert_table(tacho_debug_info_inputs, false,
                 "t|text|0|2|4|2|2|0|0|0|0|0|9223372036854775807|-\n");
    teardown();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests_name("debug_info_table", tests, NULL, NULL);
}
