/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses through the public interface: cells of their tables on files whose numbers are known,
 * and what happens to calls that ask for what there is not.
 */
#include <tacho/analyse.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/testing.h"

static const char *const timeline[] = {TACHO_TEST_DATA "/torq/t1.csv"};
static const char *const jobs[] = {TACHO_TEST_DATA "/annotate/clean_r2i.csv"};
static const char debug_info[] = TACHO_TEST_DATA "/annotate/clean.9.executable-targets.mlir";

static void check_fails(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    if (message != NULL) {
        assert_string_equal(tacho_status_message(status), message);
    }
    tacho_status_free(status);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void test_cells_have_types(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    tacho_table_view table;
    tacho_column_view column;
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    assert_int_equal(tacho_tables_count(tables), 2);
    assert_true(tacho_tables_get(tables, 0, &table));
    assert_string_equal(table.id, "ops");
    assert_string_equal(table.title, "Operations");
    assert_null(table.input);
    assert_true(tacho_tables_column(tables, 0, 0, &column));
    assert_string_equal(column.id, "file");
    assert_int_equal(column.type, TACHO_CELL_TEXT);
    assert_string_equal(column.unit, "");
    size_t total = tacho_tables_find_column(tables, 0, "total_ns");
    assert_true(tacho_tables_column(tables, 0, total, &column));
    assert_int_equal(column.type, TACHO_CELL_INT);
    assert_string_equal(column.unit, "ns");
    assert_string_equal(column.title, "total");
    size_t share = tacho_tables_find_column(tables, 0, "share_percent");
    assert_true(tacho_tables_column(tables, 0, share, &column));
    assert_int_equal(column.type, TACHO_CELL_REAL);
    assert_string_equal(column.unit, "percent");
    tacho_cell_view cell = cell_of(tables, "ops", 0, "operation");
    assert_int_equal(cell.type, TACHO_CELL_TEXT);
    assert_string_equal(cell.text, "DMA_IN");
    assert_int_equal(cell.text_len, 6);
    assert_int_equal(cell_of(tables, "ops", 0, "total_ns").as_int, 17640);
    assert_int_equal(cell_of(tables, "ops", 0, "bytes").type, TACHO_CELL_ABSENT);
    assert_null(cell_of(tables, "ops", 0, "bytes").text);
    assert_true(cell_of(tables, "ops", 0, "share_percent").as_real > 32.8);
    tacho_tables_free(tables);
}

static void check_cell(const tacho_cell_view *cell, int64_t as_int, double as_real,
                       const char *text)
{
    bool is_number = cell->type != TACHO_CELL_TEXT && cell->type != TACHO_CELL_ABSENT;
    double expected = cell->type == TACHO_CELL_REAL   ? cell->as_real
                      : cell->type == TACHO_CELL_BOOL ? (double)cell->as_bool
                                                      : (double)cell->as_int;
    assert_int_equal(as_int, cell->type == TACHO_CELL_BOOL ? cell->as_bool : cell->as_int);
    assert_int_equal(isnan(as_real), !is_number);
    assert_true(!is_number || (as_real >= expected && as_real <= expected));
    assert_ptr_equal(text, cell->text);
}

/* Columns say what cells say. */
static void test_columns_of_tables(void **state)
{
    (void)state;
    enum { ROWS = 64 };
    int64_t as_int[ROWS];
    double as_real[ROWS];
    const char *text[ROWS];
    uint8_t is_present[ROWS];
    const tacho_column_cells cells = {as_int, as_real, text, is_present, {NULL}};
    tacho_column_cells newer = {.reserved = {as_int}};
    tacho_tables *tables = NULL;
    tacho_table_view view;
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    assert_true(tacho_tables_get(tables, 0, &view));
    assert_in_range(view.row_count, 2, ROWS);
    for (size_t column = 0; column < view.column_count; column++) {
        assert_int_equal(tacho_tables_read_column(tables, 0, column, ROWS, &cells), view.row_count);
        for (size_t row = 0; row < view.row_count; row++) {
            tacho_cell_view cell;
            assert_true(tacho_tables_cell(tables, 0, row, column, &cell));
            assert_int_equal(is_present[row], cell.type != TACHO_CELL_ABSENT);
            check_cell(&cell, as_int[row], as_real[row], text[row]);
        }
    }
    assert_int_equal(tacho_tables_read_column(tables, 0, 0, 1, &cells), 1);
    assert_int_equal(tacho_tables_read_column(tables, 0, view.column_count, 1, &cells), 0);
    assert_int_equal(tacho_tables_read_column(tables, 99, 0, 1, &cells), 0);
    assert_int_equal(tacho_tables_read_column(tables, 0, 0, 1, NULL), 0);
    assert_int_equal(tacho_tables_read_column(tables, 0, 0, 1, &newer), 0);
    assert_int_equal(tacho_tables_read_column(NULL, 0, 0, 1, &cells), 0);
    tacho_tables_free(tables);
}

/* As people read it, cut to what there is room for. */
static void test_text_of_a_cell(void **state)
{
    (void)state;
    char text[16], cut[4];
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    size_t total = tacho_tables_find_column(tables, 0, "total_ns");
    size_t len = tacho_tables_cell_text(tables, 0, 0, total, text, sizeof(text));
    assert_int_equal(len, strlen(text));
    assert_true(strstr(text, "s") != NULL && strchr(text, ' ') != NULL);
    assert_int_equal(tacho_tables_cell_text(tables, 0, 0, total, cut, sizeof(cut)), len);
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
    assert_memory_equal(cut, text, sizeof(cut) - 1);
    assert_int_equal(tacho_tables_cell_text(tables, 0, 0, total, NULL, 0), len);
    size_t bytes = tacho_tables_find_column(tables, 0, "bytes"); /* absent */
    assert_int_equal(tacho_tables_cell_text(tables, 0, 0, bytes, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    tacho_tables_free(tables);
}

/* The layout of Torq's test framework takes the overview, and nothing of the rest. */
static void test_overview_as_torq_prints_it(void **state)
{
    (void)state;
    char text[4096];
    char path[512];
    const char *temp = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/tacho-overview.%ld", temp != NULL ? temp : "/tmp",
             (long)getpid());
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_overview(timeline, 1, NULL, &tables));
    assert_ok(tacho_tables_write(tables, path, "overview"));
    tacho_tables_free(tables);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "  Model: t1\n"));
    assert_non_null(strstr(text, "  OVERALL "));
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables)); /* has none */
    assert_ok(tacho_tables_write(tables, path, "overview"));
    tacho_tables_free(tables);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof(text), file), 0);
    fclose(file);
    unlink(path);
}

static void test_nothing_of_that_number(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    tacho_table_view table;
    tacho_column_view column;
    tacho_cell_view cell;
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    assert_false(tacho_tables_get(tables, 2, &table));
    assert_false(tacho_tables_get(tables, 0, NULL));
    assert_false(tacho_tables_get(NULL, 0, &table));
    assert_false(tacho_tables_column(tables, 0, 15, &column));
    assert_false(tacho_tables_column(tables, 2, 0, &column));
    assert_false(tacho_tables_column(tables, 0, 0, NULL));
    assert_false(tacho_tables_cell(tables, 0, rows_of(tables, "ops"), 0, &cell));
    assert_false(tacho_tables_cell(tables, 0, 0, 15, &cell));
    assert_false(tacho_tables_cell(tables, TACHO_TABLES_NONE, 0, 0, &cell));
    assert_false(tacho_tables_cell(tables, 0, 0, TACHO_TABLES_NONE, &cell));
    assert_false(tacho_tables_cell(tables, 0, 0, 0, NULL));
    assert_false(tacho_tables_cell(NULL, 0, 0, 0, &cell));
    char text[4] = "xyz";
    assert_int_equal(tacho_tables_cell_text(NULL, 0, 0, 0, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    assert_int_equal(tacho_tables_cell_text(tables, 0, 0, 15, NULL, 0), 0);
    assert_int_equal(tacho_tables_cell_text(tables, 9, 0, 0, NULL, 0), 0);
    assert_int_equal(tacho_tables_cell_text(tables, 0, rows_of(tables, "ops"), 0, NULL, 0), 0);
    assert_true(tacho_tables_find(tables, "nothing") == TACHO_TABLES_NONE);
    assert_true(tacho_tables_find(tables, NULL) == TACHO_TABLES_NONE);
    assert_true(tacho_tables_find(NULL, "ops") == TACHO_TABLES_NONE);
    assert_true(tacho_tables_find_column(tables, 0, "nothing") == TACHO_TABLES_NONE);
    assert_true(tacho_tables_find_column(tables, 9, "file") == TACHO_TABLES_NONE);
    assert_true(tacho_tables_find_column(tables, 0, NULL) == TACHO_TABLES_NONE);
    assert_int_equal(tacho_tables_count(NULL), 0);
    tacho_tables_free(tables);
    tacho_tables_free(NULL);
}

/* A workbook is a ZIP archive; its bytes do not depend on when it is written. */
static void test_tables_are_written_as_workbooks(void **state)
{
    (void)state;
    char path[512];
    char bytes[2][16384];
    size_t lens[2];
    tacho_tables *tables = NULL;
    const char *temp = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/tacho-tables.%ld.xlsx", temp != NULL ? temp : "/tmp",
             (long)getpid());
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(tacho_tables_write(tables, path, i == 0 ? NULL : "xlsx"));
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        lens[i] = fread(bytes[i], 1, sizeof(bytes[i]), file);
        fclose(file);
        unlink(path);
    }
    assert_in_range(lens[0], 1000, sizeof(bytes[0]) - 1);
    assert_memory_equal(bytes[0], "PK\x03\x04", 4);
    assert_int_equal(lens[0], lens[1]);
    assert_memory_equal(bytes[0], bytes[1], lens[0]);
    tacho_tables_free(tables);
}

static void test_tables_are_written(void **state)
{
    (void)state;
    char path[512];
    char text[4096];
    tacho_tables *tables = NULL;
    const char *temp = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/tacho-tables.%ld", temp != NULL ? temp : "/tmp",
             (long)getpid());
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &tables));
    assert_ok(tacho_tables_write(tables, path, "csv"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    assert_non_null(strstr(text, "DMA_IN"));
    assert_non_null(strstr(text, "17640"));
    check_fails(
        tacho_tables_write(tables, path, "yaml"), TACHO_CODE_USAGE,
        "unknown table format or suffix: 'yaml'; use one of: text, csv, json, markdown, xlsx, "
        "parquet");
    check_fails(
        tacho_tables_write(tables, "x.yaml", NULL), TACHO_CODE_USAGE,
        "unknown table format or suffix: 'x.yaml'; use one of: text, csv, json, markdown, xlsx, "
        "parquet");
    check_fails(tacho_tables_write(NULL, path, "csv"), TACHO_CODE_USAGE, "no tables given (NULL)");
    check_fails(tacho_tables_write(tables, NULL, "csv"), TACHO_CODE_USAGE,
                "no output file given (NULL)");
    assert_int_equal(access(path, F_OK), -1);
    tacho_tables_free(tables);
}

/* ---- overview and ops ------------------------------------------------------------------------ */

static void test_overview(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_overview(timeline, 1, NULL, &tables));
    assert_string_equal(cell_of(tables, "overview", 0, "metric").text, "OVERALL");
    assert_int_equal(cell_of(tables, "overview", 0, "time_ns").as_int, 51080);
    assert_int_equal(rows_of(tables, "lost"), 0);
    tacho_tables_free(tables);
    const tacho_analyse_overview_options options = {.in_cycles = true, .wall_time_ns = 99};
    assert_ok(tacho_analyse_overview(timeline, 1, &options, &tables));
    assert_string_equal(cell_of(tables, "overview", 0, "metric").text, "WALL_TIME");
    assert_int_equal(cell_of(tables, "overview", 1, "cycles").as_int, 40864);
    assert_int_equal(cell_of(tables, "overview", 1, "time_ns").type, TACHO_CELL_ABSENT);
    tacho_tables_free(tables);
}

static bool accepts_conv(void *user, const char *name, const char *location)
{
    size_t *count = user;
    (*count)++;
    assert_non_null(location);
    return strncmp(name, "conv", 4) == 0;
}

static void test_ops_options(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    size_t count = 0;
    tacho_analyse_ops_options options = {.accepts = accepts_conv, .user = &count};
    assert_ok(tacho_analyse_ops(timeline, 1, &options, &tables));
    assert_true(count >= 4);
    assert_int_equal(rows_of(tables, "ops"), 1);
    assert_string_equal(cell_of(tables, "ops", 0, "operation").text, "conv2d_add");
    tacho_tables_free(tables);
    options = (tacho_analyse_ops_options){.sort = "name", .top = 1, .track_class = "compute"};
    assert_ok(tacho_analyse_ops(timeline, 1, &options, &tables));
    assert_int_equal(rows_of(tables, "ops"), 1);
    assert_string_equal(cell_of(tables, "ops", 0, "operation").text, "conv2d_add");
    tacho_tables_free(tables);
}

/* A window is for events, a filter for operations; both say what the accessors say. */
static void test_ops_of_a_part(void **state)
{
    (void)state;
    tacho_tables *all = NULL;
    tacho_tables *some = NULL;
    assert_ok(tacho_analyse_ops(timeline, 1, NULL, &all));
    tacho_analyse_ops_options options = {
        .input = {.filter = cell_of(all, "ops", 0, "operation").text}};
    assert_ok(tacho_analyse_ops(timeline, 1, &options, &some));
    assert_in_range(rows_of(some, "ops"), 1, rows_of(all, "ops") - 1);
    assert_int_equal(cell_of(some, "ops", 0, "self_ns").as_int,
                     cell_of(all, "ops", 0, "self_ns").as_int);
    tacho_tables_free(some);
    options.input = (tacho_view_options){.window_end_ns = 1};
    assert_ok(tacho_analyse_ops(timeline, 1, &options, &some));
    assert_in_range(rows_of(some, "ops"), 1, rows_of(all, "ops") - 1);
    tacho_tables_free(some);
    tacho_tables_free(all);
}

static void test_what_was_lost_is_a_table(void **state)
{
    (void)state;
    char path[512];
    const char *const paths[] = {path};
    tacho_tables *tables = NULL;
    const char *temp = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/tacho-lossy.%ld.csv", temp != NULL ? temp : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("DI0,0,9408,,DMA_IN\nDI1,oops,14112,,DMA_IN\n", file);
    fclose(file);
    assert_ok(tacho_analyse_ops(paths, 1, NULL, &tables));
    assert_int_equal(rows_of(tables, "lost"), 1);
    assert_int_equal(cell_of(tables, "lost", 0, "count").as_int, 1);
    assert_int_equal(cell_of(tables, "lost", 0, "first_line").as_int, 2);
    tacho_tables_free(tables);
    unlink(path);
}

/* ---- info, annotate, machines ---------------------------------------------------------------- */

static void test_info(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_info(timeline, 1, NULL, &tables));
    assert_string_equal(cell_of(tables, "inputs", 0, "format").text, "torq-timeline");
    assert_int_equal(cell_of(tables, "inputs", 0, "events").as_int, 7);
    assert_true(rows_of(tables, "tracks") >= 3);
    assert_int_equal(rows_of(tables, "lost_before"), 0);
    assert_int_equal(rows_of(tables, "lost"), 0);
    tacho_tables_free(tables);
}

static void test_info_of_any_file(void **state)
{
    (void)state;
    const char *const models[] = {TACHO_TEST_DATA "/run/pair.mlir"};
    const char *const all[] = {models[0], timeline[0], debug_info};
    const tacho_view_options as_profile = {.from = "torq-timeline"};
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_info(models, 1, NULL, &tables));
    assert_true(tacho_tables_find(tables, "inputs") == TACHO_TABLES_NONE);
    assert_int_equal(rows_of(tables, "models"), 1);
    tacho_tables_free(tables);
    assert_ok(tacho_analyse_info(all, 3, NULL, &tables));
    assert_int_equal(rows_of(tables, "inputs"), 1);
    assert_int_equal(rows_of(tables, "models"), 1);
    assert_int_equal(rows_of(tables, "debug_info"), 1);
    tacho_tables_free(tables);
    check_fails(tacho_analyse_info(models, 1, &as_profile, &tables), TACHO_CODE_BAD_DATA, NULL);
    assert_null(tables);
}

static void test_annotate(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    tacho_analyse_annotate_options options = {.omit_inner = true};
    assert_ok(tacho_analyse_annotate(debug_info, jobs, 1, NULL, &tables));
    size_t row_count = rows_of(tables, "annotation");
    assert_int_equal(rows_of(tables, "problems"), 0);
    assert_int_equal(rows_of(tables, "debug_info"), 1);
    tacho_tables_free(tables);
    assert_ok(tacho_analyse_annotate(debug_info, jobs, 1, &options, &tables));
    assert_true(rows_of(tables, "annotation") < row_count);
    tacho_tables_free(tables);
    options = (tacho_analyse_annotate_options){.columns = "no-such"};
    check_fails(tacho_analyse_annotate(debug_info, jobs, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown set of columns 'no-such'; use native or torq-a3");
    options = (tacho_analyse_annotate_options){.trace = jobs[0]};
    check_fails(tacho_analyse_annotate(debug_info, jobs, 1, &options, &tables), TACHO_CODE_USAGE,
                NULL);
    check_fails(tacho_analyse_annotate(NULL, jobs, 1, NULL, &tables), TACHO_CODE_USAGE,
                "no debug information given (NULL)");
    options = (tacho_analyse_annotate_options){.source_dir_count = 1};
    check_fails(tacho_analyse_annotate(debug_info, jobs, 1, &options, &tables), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    assert_null(tables);
}

static void test_machines(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    assert_ok(tacho_machines_list(&tables));
    bool has_aic100 = false;
    for (size_t i = 0; i < rows_of(tables, "machines"); i++) {
        has_aic100 |= strcmp(cell_of(tables, "machines", i, "machine").text, "aic100") == 0;
    }
    assert_true(has_aic100);
    tacho_tables_free(tables);
    assert_ok(tacho_machines_describe("aic100", &tables));
    assert_true(rows_of(tables, "machine") > 20);
    tacho_tables_free(tables);
    check_fails(tacho_machines_describe("aic200", &tables), TACHO_CODE_NOT_FOUND, NULL);
    assert_null(tables);
    check_fails(tacho_machines_describe(NULL, &tables), TACHO_CODE_USAGE,
                "no machine given (NULL)");
    check_fails(tacho_machines_describe("aic100", NULL), TACHO_CODE_USAGE,
                "tables need a place for their handle");
    check_fails(tacho_machines_list(NULL), TACHO_CODE_USAGE,
                "tables need a place for their handle");
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void test_misuse_of_overview(void **state)
{
    (void)state;
    tacho_tables *tables = (tacho_tables *)(uintptr_t)1; /* not to be left there */
    const char *const none[] = {NULL};
    const char *const two[] = {timeline[0], timeline[0]};
    const char *const missing[] = {"/nowhere/x.csv"};
    check_fails(tacho_analyse_overview(NULL, 1, NULL, &tables), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    assert_null(tables);
    check_fails(tacho_analyse_overview(none, 1, NULL, &tables), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    check_fails(tacho_analyse_overview(timeline, 0, NULL, &tables), TACHO_CODE_USAGE, "no input");
    check_fails(tacho_analyse_overview(timeline, 1, NULL, NULL), TACHO_CODE_USAGE,
                "tables need a place for their handle");
    check_fails(tacho_analyse_overview(missing, 1, NULL, &tables), TACHO_CODE_NOT_FOUND, NULL);
    tacho_analyse_overview_options options = {.wall_time_ns = 1};
    check_fails(tacho_analyse_overview(two, 2, &options, &tables), TACHO_CODE_USAGE,
                "a wall time applies to a single input, not to 2");
    options.wall_time_ns = -1;
    check_fails(tacho_analyse_overview(timeline, 1, &options, &tables), TACHO_CODE_USAGE,
                "the wall time is negative");
    options = (tacho_analyse_overview_options){.reserved = {0, 1}};
    check_fails(tacho_analyse_overview(timeline, 1, &options, &tables), TACHO_CODE_USAGE, NULL);
    options = (tacho_analyse_overview_options){.input = {.from = "no-such"}};
    check_fails(tacho_analyse_overview(timeline, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown input format 'no-such'");
    assert_null(tables);
}

static void test_misuse_of_ops(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    tacho_analyse_ops_options options = {.sort = "speed"};
    check_fails(tacho_analyse_ops(timeline, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown key 'speed'; use self, total, count, mean, p50, p99, min, max, "
                "bytes, name or location");
    options = (tacho_analyse_ops_options){.track_class = "wheel"};
    check_fails(tacho_analyse_ops(timeline, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown track class 'wheel'");
    options = (tacho_analyse_ops_options){.reserved = {1}};
    check_fails(tacho_analyse_ops(timeline, 1, &options, &tables), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_ops(timeline, 1, NULL, NULL), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_info(timeline, 1, NULL, NULL), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_info(NULL, 0, NULL, &tables), TACHO_CODE_USAGE, "no input");
}

static void test_misuse_of_opstats(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    tacho_analyse_opstats_options options = {.rollup = "wheel"};
    check_fails(tacho_analyse_opstats(NULL, timeline, 1, NULL, &tables), TACHO_CODE_USAGE,
                "no program given (NULL)");
    check_fails(tacho_analyse_opstats("p.bin", NULL, 0, NULL, &tables), TACHO_CODE_USAGE,
                "no input");
    check_fails(tacho_analyse_opstats("p.bin", NULL, 1, NULL, &tables), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    check_fails(tacho_analyse_opstats("p.bin", timeline, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown roll-up 'wheel'; use op, layer, core, device or critical");
    check_fails(tacho_analyse_opstats(timeline[0], timeline, 1, NULL, &tables), TACHO_CODE_BAD_DATA,
                NULL);
    check_fails(tacho_analyse_opstats("p.bin", timeline, 1, NULL, NULL), TACHO_CODE_USAGE, NULL);
    assert_null(tables);
}

static void test_misuse_of_diff(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    const tacho_analyse_side sides[2] = {{timeline, 1}, {timeline, 1}};
    const tacho_analyse_side half[2] = {{timeline, 1}, {NULL, 0}};
    const tacho_analyse_side hollow[2] = {{timeline, 1}, {NULL, 1}};
    tacho_analyse_diff_options options = {.gate = "rel=often"};
    tacho_analyse_diff_result result;
    check_fails(tacho_analyse_diff(NULL, NULL, NULL, &tables), TACHO_CODE_USAGE,
                "no profiles given (NULL)");
    check_fails(tacho_analyse_diff(half, NULL, NULL, &tables), TACHO_CODE_USAGE, "no input");
    check_fails(tacho_analyse_diff(hollow, NULL, NULL, &tables), TACHO_CODE_USAGE,
                "path 1 of 1 is NULL");
    check_fails(tacho_analyse_diff(sides, &options, NULL, &tables), TACHO_CODE_USAGE, NULL);
    options = (tacho_analyse_diff_options){.reserved = {1}};
    check_fails(tacho_analyse_diff(sides, &options, NULL, &tables), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_diff(sides, NULL, NULL, NULL), TACHO_CODE_USAGE, NULL);
    assert_null(tables);
    options = (tacho_analyse_diff_options){.gate = "rel=3%"};
    assert_ok(tacho_analyse_diff(sides, &options, &result, &tables));
    assert_int_equal(result.outcome, TACHO_GATE_PASS);
    tacho_tables_free(tables);
}

static void test_misuse_of_tt_report(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    const char *const table[] = {TACHO_TEST_DATA "/tenstorrent/ops_v1.csv"};
    tacho_analyse_tt_report_options options = {.id_range = "2..3"};
    check_fails(tacho_analyse_tt_report(table, 1, &options, &tables), TACHO_CODE_USAGE,
                "expected rows like 5-10, 31- or -12, not '2..3'");
    options = (tacho_analyse_tt_report_options){.group_by = "colour"};
    check_fails(tacho_analyse_tt_report(table, 1, &options, &tables), TACHO_CODE_USAGE,
                "unknown grouping 'colour'; use memory, op, category or replay");
    options = (tacho_analyse_tt_report_options){.min_percentage = -1};
    check_fails(tacho_analyse_tt_report(table, 1, &options, &tables), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_tt_report(NULL, 1, NULL, &tables), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_analyse_tt_report(table, 1, NULL, NULL), TACHO_CODE_USAGE, NULL);
    assert_null(tables);
}

static void test_misuse_of_opstats_files(void **state)
{
    (void)state;
    const tacho_opstats_write_options nothing = {.has_traces = false};
    const tacho_opstats_write_options format = {.has_traces = true, .trace_format = "film"};
    const tacho_opstats_write_options cores = {.has_traces = true, .core_count = 1};
    const tacho_opstats_write_options host = {.has_summaries = true, .host_trace = "x.json"};
    check_fails(tacho_opstats_write("p", "s", "o", NULL, NULL), TACHO_CODE_USAGE,
                "no options given (NULL)");
    check_fails(tacho_opstats_write(NULL, "s", "o", &format, NULL), TACHO_CODE_USAGE,
                "no program given (NULL)");
    check_fails(tacho_opstats_write("p", "s", "o", &nothing, NULL), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_opstats_write("p", "s", "o", &format, NULL), TACHO_CODE_USAGE,
                "unknown trace format or suffix: 'film'");
    check_fails(tacho_opstats_write("p", "s", "o", &cores, NULL), TACHO_CODE_USAGE, NULL);
    check_fails(tacho_opstats_write("p", "s", "o", &host, NULL), TACHO_CODE_USAGE, NULL);
}

static void keep_skipped(void *user, const char *message)
{
    snprintf(user, 200, "%s", message);
}

/* A directory stands for the profiles in it; what else lies there is named. */
static void test_directories(void **state)
{
    (void)state;
    const char *const folder[] = {TACHO_TEST_DATA "/torq"};
    char skipped[200] = "";
    const tacho_analyse_overview_options options = {
        .input = {.skipped = keep_skipped, .user = skipped}};
    tacho_tables *tables = NULL;
    assert_ok(tacho_analyse_overview(folder, 1, &options, &tables));
    assert_non_null(strstr(skipped, "README.md"));
    tacho_tables_free(tables);
}

static bool see_progress(void *user, uint64_t done_bytes, uint64_t total_bytes)
{
    int *left = user;
    assert_true(total_bytes == 0 || done_bytes <= total_bytes);
    return (*left)-- > 1;
}

/* Every analysis of profiles tells how far it is, and can be stopped. */
static void test_progress(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    int left = 1000;
    tacho_analyse_ops_options ops = {.input = {.progress = see_progress, .user = &left}};
    assert_ok(tacho_analyse_ops(timeline, 1, &ops, &tables));
    assert_true(left < 1000);
    tacho_tables_free(tables);
    left = 1;
    check_fails(tacho_analyse_ops(timeline, 1, &ops, &tables), TACHO_CODE_CANCELLED,
                "the caller asked to stop");
    assert_null(tables);
    tacho_analyse_overview_options overview = {.input = ops.input};
    left = 1;
    check_fails(tacho_analyse_overview(timeline, 1, &overview, &tables), TACHO_CODE_CANCELLED,
                "the caller asked to stop");
    left = 1;
    check_fails(tacho_analyse_info(timeline, 1, &ops.input, &tables), TACHO_CODE_CANCELLED,
                "the caller asked to stop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_have_types),
        cmocka_unit_test(test_columns_of_tables),
        cmocka_unit_test(test_nothing_of_that_number),
        cmocka_unit_test(test_text_of_a_cell),
        cmocka_unit_test(test_overview_as_torq_prints_it),
        cmocka_unit_test(test_ops_of_a_part),
        cmocka_unit_test(test_tables_are_written),
        cmocka_unit_test(test_tables_are_written_as_workbooks),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_overview),
        cmocka_unit_test(test_ops_options),
        cmocka_unit_test(test_what_was_lost_is_a_table),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_info_of_any_file),
        cmocka_unit_test(test_annotate),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_misuse_of_overview),
        cmocka_unit_test(test_misuse_of_ops),
        cmocka_unit_test(test_misuse_of_opstats),
        cmocka_unit_test(test_misuse_of_diff),
        cmocka_unit_test(test_misuse_of_tt_report),
        cmocka_unit_test(test_misuse_of_opstats_files),
        cmocka_unit_test(test_directories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
