/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of raw stats made by hand: ops, waits, threads, cores, counters, roll-ups; and that the
 * times of a thread add up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "questions/opstats/opstats_rollup.h"
#include "questions/opstats/opstats_tables.h"
#include "program/stats_testing.h"

#include <math.h>

typedef struct test_opstats {
    test_stats made;
    tacho_stats_words words;
    tacho_stats_file file;
    tacho_opstats_plan plan;
    tacho_opstats stats;
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
} test_opstats;

static void read_test(test_opstats *at, uint32_t level)
{
    make_test_stats(&at->made, level);
    assert_null(tacho_stats_words_init(&at->words, &at->made.layout));
    assert_null(tacho_stats_read(&at->file, tacho_str_make(at->made.bytes, at->made.byte_count)));
    assert_null(tacho_stats_bind(&at->file, &at->made.layout));
    assert_null(tacho_opstats_plan_init(&at->plan, &at->words));
    assert_null(tacho_opstats_init(&at->stats, &at->plan));
    assert_null(tacho_opstats_read(&at->stats, &at->file));
    assert_null(tacho_opstats_tables_init(at->tables, &at->stats));
}

static void free_test(test_opstats *at)
{
    tacho_opstats_tables_deinit(at->tables);
    tacho_opstats_deinit(&at->stats);
    tacho_opstats_plan_deinit(&at->plan);
    tacho_stats_file_deinit(&at->file);
    tacho_stats_words_deinit(&at->words);
    free_test_stats(&at->made);
}

static const tacho_cell *cell(const tacho_table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(tacho_column_name(&table->columns[i]), column) == 0) {
            return tacho_table_cell(table, row, i);
        }
    }
    fail_msg("no column %s", column);
    return NULL;
}

/* The row of a core that begins with these details. */
static size_t find_op(const tacho_table *ops, int64_t core, const char *details)
{
    for (size_t i = 0; i < tacho_table_row_count(ops); i++) {
        if (cell(ops, i, "core")->value.integer == core &&
            tacho_str_equal(cell(ops, i, "opdetails")->value.text,
                            tacho_str_from_cstring(details))) {
            return i;
        }
    }
    fail_msg("no row %s", details);
    return 0;
}

static void test_ops(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 70);
    const tacho_table *ops = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    size_t row = find_op(ops, 0, "Convolution HMX TCM (float16)");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 50);
    assert_int_equal(cell(ops, row, "pcycles")->value.integer, 500);
    assert_int_equal(cell(ops, row, "count")->value.integer, 1);
    assert_true(fabs(cell(ops, row, "ucycles_percent")->value.real - 5000.0 / 130) < 1e-9);
    assert_true(fabs(cell(ops, row, "pcycles_percent")->value.real - 50000.0 / 1300) < 1e-9);
    /* A transfer takes from its issue to its completion, its pcycles are those of the issue. */
    row = find_op(ops, 1, "ElementAdd DMAIssue DDR ");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 24);
    assert_int_equal(cell(ops, row, "pcycles")->value.integer, 10);
    assert_true(cell(ops, row, "out_kb")->value.real == 4.0);
    assert_true(cell(ops, row, "pcycles_per_kb")->value.real == 2.5);
    assert_true(cell(ops, row, "pcycles_per_kb_stddev")->value.real == 0.0);
    /* HMX of core 0 waits from 1000 to 1020 and from 1072, after its barrier, to the flush. */
    row = find_op(ops, 0, "sync HMX");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 20 + 53);
    assert_int_equal(cell(ops, row, "count")->value.integer, 2);
    assert_true(cell(ops, row, "pcycles")->is_absent);
    assert_int_equal(cell(ops, find_op(ops, 0, "barrier HMX"), "ucycles")->value.integer, 2);
    row = find_op(ops, 0, "aicendcyclestats HMX DDR (i8)");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 5);
    assert_int_equal(cell(ops, row, "pcycles")->value.integer, 50);
    /* Bytes recorded by the core, not the device: two jobs of this core are recorded, six of the
     * other. */
    uint64_t bytes = 4 * (sizeof(tacho_stats_thread) + sizeof(tacho_stats_pmu)) +
                     sizeof(tacho_stats_core_pmu) + sizeof(tacho_stats_ddr);
    double kb = (double)(bytes + 3 * sizeof(tacho_stats_op)) / 1024.0;
    assert_true(cell(ops, row, "out_kb")->value.real == kb);
    row = find_op(ops, 1, "aicendcyclestats HMX DDR (i8)");
    kb = (double)(bytes + 5 * sizeof(tacho_stats_op)) / 1024.0;
    assert_true(cell(ops, row, "out_kb")->value.real == kb);
    free_test(&at);
}

/* Rows of a core are sorted by ucycles. */
static void test_order(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 70);
    const tacho_table *ops = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    assert_true(tacho_table_row_count(ops) > 8);
    for (size_t i = 1; i < tacho_table_row_count(ops); i++) {
        if (cell(ops, i, "core")->value.integer == cell(ops, i - 1, "core")->value.integer) {
            assert_true(cell(ops, i, "ucycles")->value.integer <=
                        cell(ops, i - 1, "ucycles")->value.integer);
        }
    }
    free_test(&at);
}

static void test_threads_add_up(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 70);
    const tacho_table *threads = &at.tables[TACHO_OPSTATS_TABLE_THREADS];
    assert_int_equal(tacho_table_row_count(threads), 8);
    size_t checked = 0;
    for (size_t i = 0; i < 8; i++) {
        int64_t sum = cell(threads, i, "op_ucycles")->value.integer +
                      cell(threads, i, "sync_ucycles")->value.integer +
                      cell(threads, i, "barrier_ucycles")->value.integer +
                      cell(threads, i, "flush_ucycles")->value.integer;
        if (cell(threads, i, "op_ucycles")->value.integer > 0) {
            assert_int_equal(sum, cell(threads, i, "ucycles")->value.integer);
            checked++;
        }
    }
    assert_int_equal(checked, 6); /* HVX of core 0 has nothing to do */
    assert_true(fabs(cell(threads, 0, "utilization_percent")->value.real - 50000.0 / 1300) < 1e-9);
    assert_int_equal(cell(threads, 5, "activate_ucycles")->value.integer, 25);
    free_test(&at);
}

static void test_device(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 100);
    const tacho_table *device = &at.tables[TACHO_OPSTATS_TABLE_DEVICE];
    assert_int_equal(cell(device, 0, "ucycles")->value.integer, 131);
    assert_int_equal(cell(device, 0, "start_u")->value.integer, 1000);
    assert_true(fabs(cell(device, 0, "inferences_per_s")->value.real - 4 / 1.31e-6) < 1e-3);
    assert_true(cell(device, 0, "ucycles_per_inference")->value.real == 131.0 / 4);
    assert_int_equal(cell(device, 0, "max_input_wait_ucycles")->value.integer, 12);
    assert_int_equal(cell(device, 0, "max_output_wait_ucycles")->value.integer, 5);
    assert_true(fabs(cell(device, 0, "ddr_mb")->value.real - 7168 / 1e6) < 1e-12);
    const tacho_table *cores = &at.tables[TACHO_OPSTATS_TABLE_CORES];
    assert_true(fabs(cell(cores, 0, "effective_mhz")->value.real - 1000.0) < 1e-9);
    assert_true(fabs(cell(cores, 1, "effective_mhz")->value.real - 1300e2 / 131) < 1e-9);
    const tacho_table *missing = &at.tables[TACHO_OPSTATS_TABLE_MISSING];
    assert_int_equal(tacho_table_row_count(missing), 1);
    assert_true(tacho_str_equal(cell(missing, 0, "what")->value.text,
                                TACHO_STR("counters 0x1A4: the simulation does not count them")));
    /* Counters: of threads 0 to 3, then of the core. */
    const tacho_table *pmu = &at.tables[TACHO_OPSTATS_TABLE_PMU];
    assert_int_equal(tacho_table_row_count(pmu), 2 * 5 * 2);
    assert_int_equal(cell(pmu, 8, "value")->value.integer, 400);
    assert_true(cell(pmu, 8, "thread")->is_absent);
    assert_int_equal(cell(pmu, 18, "value")->value.integer, 401);
    assert_string_equal(cell(pmu, 18, "name")->value.text.data, "COMMITTED_PKT_ANY");
    assert_true(cell(pmu, 19, "value")->is_absent); /* 0x1A4 is not simulated */
    const tacho_table *op_pmu = &at.tables[TACHO_OPSTATS_TABLE_OP_PMU];
    assert_true(tacho_table_row_count(op_pmu) > 0);
    assert_int_equal(cell(op_pmu, 0, "total")->value.integer, 7);
    assert_true(cell(op_pmu, 1, "total")->is_absent);
    assert_true(cell(op_pmu, 1, "mean")->is_absent);
    free_test(&at);
}

static void test_missing(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 40);
    const tacho_table *missing = &at.tables[TACHO_OPSTATS_TABLE_MISSING];
    assert_int_equal(tacho_table_row_count(missing), 4);
    assert_true(
        tacho_str_equal(cell(missing, 0, "needs")->value.text, TACHO_STR("stats level 50")));
    assert_true(
        tacho_str_equal(cell(missing, 1, "needs")->value.text, TACHO_STR("stats level 70")));
    assert_int_equal(tacho_table_row_count(&at.tables[TACHO_OPSTATS_TABLE_OPS]), 0);
    assert_true(
        cell(&at.tables[TACHO_OPSTATS_TABLE_DEVICE], 0, "max_input_wait_ucycles")->is_absent);
    assert_int_equal(tacho_table_row_count(&at.tables[TACHO_OPSTATS_TABLE_CORES]), 2);
    free_test(&at);
}

/* An op of two threads counts once, with the slower of them; waits are of the idlest thread. */
static void test_groups_count_once(void **state)
{
    (void)state;
    test_opstats at;
    memset(&at.made, 0, sizeof(at.made));
    assert_null(tacho_program_init(&at.made.program));
    assert_null(make_test_program(&at.made.program));
    tacho_program *program = &at.made.program;
    program->jobs[5].op = 0; /* on HVX 1, as the one before it on HVX 0 */
    program->jobs[5].tile = program->jobs[4].tile;
    assert_null(tacho_stats_layout_init(&at.made.layout, program));
    assert_int_equal(at.made.layout.job_task[4], at.made.layout.job_task[5]);
    assert_null(tacho_stats_words_init(&at.words, &at.made.layout));
    assert_null(tacho_opstats_plan_init(&at.plan, &at.words));
    assert_null(tacho_opstats_init(&at.stats, &at.plan));
    uint32_t oc = at.made.layout.job_task[4];
    tacho_stats_op ops[2] = {
        {.oc = oc, .op_start_u = 4, .op_end_u = 19, .barrier_end_u = 19, .op_end_p = 150},
        {.oc = oc, .op_start_u = 6, .op_end_u = 13, .barrier_end_u = 19, .op_end_p = 70},
    };
    /* Both wait from their first record on; the flush takes cycles, but less than a tick. */
    tacho_stats_thread threads[4] = {
        {.core = 1, .thread = 0, .end_u = 30, .end_p = 300, .flush_start_u = 30, .flush_p = 4},
        {.core = 1, .thread = 1, .end_u = 30, .end_p = 300, .flush_start_u = 30, .flush_p = 4},
        {.core = 1, .thread = 2, .end_u = 30, .end_p = 300, .flush_start_u = 30, .flush_p = 4},
        {.core = 1, .thread = 3, .end_u = 30, .end_p = 300, .flush_start_u = 30, .flush_p = 4}};
    tacho_stats_array arrays[3] = {{TACHO_STATS_TYPE_op, 5, 1, &ops[0]},
                                   {TACHO_STATS_TYPE_op, 6, 1, &ops[1]},
                                   {TACHO_STATS_TYPE_thread, 0, 4, threads}};
    at.file = (tacho_stats_file){.arrays = arrays, .array_count = 3};
    at.file.head = (tacho_stats_head){.level = 70, .core_count = 2, .thread_count = 4};
    at.file.head.timer_hz = 1000;
    at.file.head.core_hz = 10000;
    assert_null(tacho_opstats_read(&at.stats, &at.file));
    assert_null(tacho_opstats_tables_init(at.tables, &at.stats));
    const tacho_table *rows = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    size_t row = find_op(rows, 1, "Convolution HVX TCM (float16)");
    assert_int_equal(cell(rows, row, "count")->value.integer, 1);
    assert_int_equal(cell(rows, row, "ucycles")->value.integer, 15);
    assert_int_equal(cell(rows, row, "pcycles")->value.integer, 150);
    row = find_op(rows, 1, "sync HVX");
    assert_int_equal(cell(rows, row, "ucycles")->value.integer, 6 + 11);
    assert_int_equal(cell(rows, row, "count")->value.integer, 2);
    assert_int_equal(cell(rows, find_op(rows, 1, "barrier HVX"), "ucycles")->value.integer, 6);
    row = find_op(rows, 1, "aicendcyclestats HVX DDR (i8)");
    assert_int_equal(cell(rows, row, "ucycles")->value.integer, 0);
    assert_int_equal(cell(rows, row, "pcycles")->value.integer, 4);
    at.file = (tacho_stats_file){0};
    free_test(&at);
}

/* Two ops of one kind, of 261 and 279 pcycles for a KB each: 270 on average, give or take 9. */
static void test_deviation(void **state)
{
    (void)state;
    test_opstats at;
    memset(&at.made, 0, sizeof(at.made));
    assert_null(tacho_program_init(&at.made.program));
    assert_null(make_test_program(&at.made.program));
    tacho_program *program = &at.made.program;
    program->jobs[0].bytes = program->jobs[7].bytes = 1024;
    program->jobs[7].kind = TACHO_JOB_LOAD;
    program->jobs[7].op = 0;
    assert_null(tacho_stats_layout_init(&at.made.layout, program));
    assert_null(tacho_stats_words_init(&at.words, &at.made.layout));
    assert_null(tacho_opstats_plan_init(&at.plan, &at.words));
    assert_null(tacho_opstats_init(&at.stats, &at.plan));
    tacho_stats_op ops[2] = {{.oc = 0, .op_end_p = 261}, {.oc = 2, .op_end_p = 279}};
    tacho_stats_array array = {TACHO_STATS_TYPE_op, 3, 2, ops};
    at.file = (tacho_stats_file){.arrays = &array, .array_count = 1};
    at.file.head = (tacho_stats_head){.level = 70, .core_count = 2, .thread_count = 4};
    at.file.head.timer_hz = 1000;
    at.file.head.core_hz = 10000;
    assert_null(tacho_opstats_read(&at.stats, &at.file));
    assert_null(tacho_opstats_tables_init(at.tables, &at.stats));
    const tacho_table *rows = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    size_t row = find_op(rows, 0, "Convolution DMAIssue DDR ");
    assert_int_equal(cell(rows, row, "count")->value.integer, 2);
    assert_true(fabs(cell(rows, row, "pcycles_per_kb")->value.real - 270.0) < 1e-9);
    assert_true(fabs(cell(rows, row, "pcycles_per_kb_stddev")->value.real - 9.0) < 1e-9);
    at.file = (tacho_stats_file){0};
    free_test(&at);
}

/* ---- damage -------------------------------------------------------------------------------- */

/* Reads the file again without its arrays of |type|; for ops only without those of |stream|. */
static void read_without(test_opstats *at, tacho_stats_type type, uint32_t stream)
{
    size_t kept = 0;
    for (size_t i = 0; i < at->file.array_count; i++) {
        const tacho_stats_array *array = &at->file.arrays[i];
        if (array->type != type || (type == TACHO_STATS_TYPE_op && array->stream != stream)) {
            at->file.arrays[kept++] = *array;
        }
    }
    assert_true(kept < at->file.array_count);
    at->file.array_count = kept;
    at->file.damage.missing_chunks++;
    tacho_opstats_tables_deinit(at->tables);
    assert_null(tacho_opstats_read(&at->stats, &at->file));
    assert_null(tacho_opstats_tables_init(at->tables, &at->stats));
}

/* Values that lost records would be part of are unknown; they are neither 0 nor waiting. */
static void test_lost_ops(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 70);
    read_without(&at, TACHO_STATS_TYPE_op, 0); /* HMX of core 0 */
    const tacho_table *ops = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    size_t row = find_op(ops, 0, "Convolution HMX TCM (float16)");
    assert_true(cell(ops, row, "ucycles")->is_absent);
    assert_true(cell(ops, row, "count")->is_absent);
    assert_true(cell(ops, row, "pcycles")->is_absent);
    assert_true(cell(ops, find_op(ops, 0, "sync HMX"), "ucycles")->is_absent);
    row = find_op(ops, 0, "aicendcyclestats HMX DDR (i8)");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 5);
    row = find_op(ops, 1, "Convolution HMX TCM (float16)");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 50);
    const tacho_table *threads = &at.tables[TACHO_OPSTATS_TABLE_THREADS];
    assert_true(cell(threads, 0, "utilization_percent")->is_absent);
    assert_true(cell(threads, 0, "sync_ucycles")->is_absent);
    assert_int_equal(cell(threads, 0, "ucycles")->value.integer, 130);
    assert_false(cell(threads, 4, "utilization_percent")->is_absent);
    tacho_table table;
    const tacho_stats_file *file = &at.file;
    tacho_rollup_files files = {&file, 1, &at.words, &at.stats};
    assert_null(tacho_rollup_table(TACHO_ROLLUP_CORE, &files, &table));
    assert_true(cell(&table, 0, "busiest_ucycles")->is_absent);
    assert_true(cell(&table, 0, "sync_ucycles")->is_absent);
    assert_int_equal(cell(&table, 1, "busiest_ucycles")->value.integer, 50);
    tacho_table_deinit(&table);
    assert_null(tacho_rollup_table(TACHO_ROLLUP_LAYER, &files, &table));
    for (size_t i = 0; i < tacho_table_row_count(&table); i++) {
        bool is_stem = tacho_str_equal(cell(&table, i, "name")->value.text, TACHO_STR("/stem"));
        assert_int_equal(cell(&table, i, "engine_ucycles")->is_absent, is_stem);
        assert_true(cell(&table, i, "share_percent")->is_absent);
    }
    tacho_table_deinit(&table);
    free_test(&at);
}

static void test_lost_threads(void **state)
{
    (void)state;
    test_opstats at;
    read_test(&at, 100);
    read_without(&at, TACHO_STATS_TYPE_thread, 0);
    const tacho_table *device = &at.tables[TACHO_OPSTATS_TABLE_DEVICE];
    assert_true(cell(device, 0, "ucycles")->is_absent);
    assert_true(cell(device, 0, "inferences_per_s")->is_absent);
    const tacho_table *cores = &at.tables[TACHO_OPSTATS_TABLE_CORES];
    assert_int_equal(tacho_table_row_count(cores), 2);
    assert_true(cell(cores, 0, "ucycles")->is_absent);
    assert_true(cell(cores, 0, "ddr_read_kb")->value.real == 2.0);
    assert_true(cell(cores, 0, "ddr_gb_per_s")->is_absent);
    const tacho_table *ops = &at.tables[TACHO_OPSTATS_TABLE_OPS];
    size_t row = find_op(ops, 0, "Convolution HMX TCM (float16)");
    assert_int_equal(cell(ops, row, "ucycles")->value.integer, 50);
    assert_true(cell(ops, row, "ucycles_percent")->is_absent);
    assert_true(cell(ops, find_op(ops, 0, "sync HMX"), "ucycles")->is_absent);
    read_without(&at, TACHO_STATS_TYPE_pmu, 0);
    const tacho_table *pmu = &at.tables[TACHO_OPSTATS_TABLE_PMU];
    assert_int_equal(tacho_table_row_count(pmu), 2 * 5 * 2);
    assert_true(cell(pmu, 0, "value")->is_absent);
    assert_int_equal(cell(pmu, 8, "value")->value.integer, 400); /* the core's own record */
    read_without(&at, TACHO_STATS_TYPE_core_pmu, 0);
    pmu = &at.tables[TACHO_OPSTATS_TABLE_PMU];
    assert_true(cell(pmu, 8, "value")->is_absent);
    free_test(&at);
}

/* ---- roll-ups ------------------------------------------------------------------------------ */

static void roll_up(test_opstats *at, tacho_rollup_kind kind, tacho_table *table)
{
    const tacho_stats_file *file = &at->file;
    tacho_rollup_files files = {&file, 1, &at->words, &at->stats};
    assert_null(tacho_rollup_table(kind, &files, table));
}

static void test_rollups(void **state)
{
    (void)state;
    test_opstats at;
    tacho_table table;
    read_test(&at, 70);
    roll_up(&at, TACHO_ROLLUP_LAYER, &table);
    assert_int_equal(tacho_table_row_count(&table), 3);
    assert_true(tacho_str_equal(cell(&table, 0, "name")->value.text, TACHO_STR("/stem")));
    /* Loads of 20 and 21 ticks, 50 and 50 on HMX, 15 on HVX. */
    assert_int_equal(cell(&table, 0, "engine_ucycles")->value.integer, 156);
    assert_true(tacho_str_equal(cell(&table, 1, "name")->value.text, TACHO_STR("/head")));
    assert_int_equal(cell(&table, 1, "engine_ucycles")->value.integer, 34);
    tacho_table_deinit(&table);
    roll_up(&at, TACHO_ROLLUP_CORE, &table);
    assert_int_equal(tacho_table_row_count(&table), 2);
    assert_int_equal(cell(&table, 1, "ucycles")->value.integer, 131);
    assert_int_equal(cell(&table, 1, "flush_ucycles")->value.integer, 6);
    assert_int_equal(cell(&table, 1, "work_ucycles")->value.integer, 125);
    assert_true(cell(&table, 1, "of_mean_percent")->value.real == 100.0);
    assert_int_equal(cell(&table, 1, "busiest_ucycles")->value.integer, 50);
    /* As in the table of ops. */
    assert_int_equal(cell(&table, 0, "sync_ucycles")->value.integer, 20 + 53);
    assert_int_equal(cell(&table, 0, "barrier_ucycles")->value.integer, 2);
    tacho_table_deinit(&table);
    roll_up(&at, TACHO_ROLLUP_DEVICE, &table);
    assert_int_equal(tacho_table_row_count(&table), 0);
    tacho_table_deinit(&table);
    free_test(&at);
}

/* Checks one row: sender, receiver, tensors and bytes. */
static void expect_pair(const tacho_table *table, size_t row, const int64_t want[4])
{
    assert_int_equal(cell(table, row, "from_device")->value.integer, want[0]);
    assert_int_equal(cell(table, row, "to_device")->value.integer, want[1]);
    assert_int_equal(cell(table, row, "tensor_count")->value.integer, want[2]);
    assert_int_equal(cell(table, row, "bytes")->value.integer, want[3]);
}

/* Device 0's output is read by 1, by 2 and by 1 again; then consecutive jobs transfer it. */
static void test_device_matrix(void **state)
{
    (void)state;
    tacho_program_tensor tensor = {.bytes = 100};
    uint32_t links[4] = {0, 0, 0, 0};
    tacho_step steps[4] = {{.op = 0, .output_count = 1},
                           {.op = 1, .first_link = 1, .input_count = 1},
                           {.op = 2, .first_link = 2, .input_count = 1},
                           {.op = 3, .first_link = 3, .input_count = 1}};
    tacho_program_op ops[4] = {{.first_job = 0, .job_count = 1},
                               {.first_job = 1, .job_count = 1},
                               {.first_job = 2, .job_count = 1},
                               {.first_job = 3, .job_count = 1}};
    tacho_program_engine engines[3] = {{.device = 0}, {.device = 1}, {.device = 2}};
    tacho_job jobs[4] = {{.op = 0, .engine = 0, .kind = TACHO_JOB_STORE, .bytes = 50},
                         {.op = 1, .engine = 1, .kind = TACHO_JOB_LOAD, .bytes = 60},
                         {.op = 2, .engine = 2, .kind = TACHO_JOB_LOAD, .bytes = 70},
                         {.op = 3, .engine = 1, .kind = TACHO_JOB_LOAD, .bytes = 60}};
    tacho_program program = {.facts = {.device_count = 3, .core_count = 1},
                             .tensors = &tensor,
                             .tensor_count = 1,
                             .links = links,
                             .link_count = 4,
                             .steps = steps,
                             .step_count = 4,
                             .ops = ops,
                             .op_count = 4,
                             .engines = engines,
                             .engine_count = 3,
                             .jobs = jobs,
                             .job_count = 4};
    tacho_stats_layout layout = {.program = &program};
    tacho_stats_words words = {.layout = &layout};
    tacho_stats_file file = {.head = {.device_count = 3}};
    const tacho_stats_file *list = &file;
    tacho_rollup_files files = {&list, 1, &words, NULL};
    tacho_table table;
    assert_null(tacho_rollup_table(TACHO_ROLLUP_DEVICE, &files, &table));
    assert_int_equal(tacho_table_row_count(&table), 2);
    expect_pair(&table, 0, (const int64_t[]){0, 1, 1, 50});
    expect_pair(&table, 1, (const int64_t[]){0, 2, 1, 50});
    tacho_table_deinit(&table);
    jobs[1].kind = jobs[2].kind = TACHO_JOB_P2P;
    jobs[2].partner = 1;
    assert_null(tacho_rollup_table(TACHO_ROLLUP_DEVICE, &files, &table));
    assert_int_equal(tacho_table_row_count(&table), 2);
    expect_pair(&table, 0, (const int64_t[]){0, 1, 1, 60});
    expect_pair(&table, 1, (const int64_t[]){1, 2, 1, 70});
    tacho_table_deinit(&table);
}

static void test_critical_path(void **state)
{
    (void)state;
    test_opstats at;
    tacho_table table;
    read_test(&at, 70);
    roll_up(&at, TACHO_ROLLUP_CRITICAL, &table);
    int64_t total = 0;
    double share = 0.0;
    for (size_t i = 0; i < tacho_table_row_count(&table); i++) {
        total += cell(&table, i, "ucycles")->value.integer;
        share += cell(&table, i, "share_percent")->value.real;
    }
    assert_int_equal(total, 120);
    assert_true(fabs(share - 100.0) < 1e-9);
    assert_int_equal(cell(&table, 0, "ucycles")->value.integer, 50);
    assert_true(tacho_str_equal(cell(&table, 0, "engine")->value.text, TACHO_STR("HMX")));
    assert_int_equal(tacho_rollup_find(TACHO_STR("critical")), TACHO_ROLLUP_CRITICAL);
    assert_int_equal(tacho_rollup_find(TACHO_STR("path")), TACHO_ROLLUP_NONE);
    tacho_table_deinit(&table);
    free_test(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_threads_add_up),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_groups_count_once),
        cmocka_unit_test(test_deviation),
        cmocka_unit_test(test_lost_ops),
        cmocka_unit_test(test_lost_threads),
        cmocka_unit_test(test_rollups),
        cmocka_unit_test(test_device_matrix),
        cmocka_unit_test(test_critical_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
