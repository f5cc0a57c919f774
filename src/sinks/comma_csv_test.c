/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as Python's csv module writes them.
 */
#include "sinks/table_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void test_cells(void **state)
{
    (void)state;
    static const tacho_column columns[] = {
        TACHO_COLUMN_NAMED("Total %", "T", REAL),
        TACHO_COLUMN_NAMED("a,b", "A", TEXT),
        TACHO_COLUMN_NAMED("n", "N", INT),
        TACHO_COLUMN_NAMED("flag", "F", FLAG),
    };
    char path[] = "/tmp/comma_csv_test_XXXXXX";
    char text[512];
    tacho_table table;
    tacho_output output;
    tacho_table_report report;
    close(mkstemp(path));
    tacho_table_init(&table, "t", "T", columns, 4);
    assert_null(tacho_table_add_real(&table, 0.045481181291698675));
    assert_null(tacho_table_add_text(&table, TACHO_STR("BF16, \"x\"")));
    assert_null(tacho_table_add_int(&table, -3));
    assert_null(tacho_table_add_flag(&table, false));
    assert_null(tacho_table_add_absent(&table));
    assert_null(tacho_table_add_text(&table, TACHO_STR("=1;2")));
    assert_null(tacho_table_add_absent(&table));
    assert_null(tacho_table_add_flag(&table, true));
    assert_null(tacho_output_open(path, &output));
    assert_null(tacho_table_report_open(&report, &tacho_table_sink_comma_csv, &output));
    assert_null(tacho_table_report_add(&report, &table));
    assert_null(tacho_table_report_finish(&report));
    tacho_table_report_close(&report);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    FILE *file = fopen(path, "rb");
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    text[len] = '\0';
    fclose(file);
    unlink(path);
    assert_string_equal(text, "Total %,\"a,b\",n,flag\r\n"
                              "0.045481181291698675,\"BF16, \"\"x\"\"\",-3,False\r\n"
                              ",=1;2,,True\r\n");
    tacho_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
