/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running through the public interface: values in and out, callbacks, what was recorded, and calls
 * that ask for what there is not. The model is the sum and the difference of its two inputs.
 */
#include <tacho/analyse.h>
#include <tacho/run.h>

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/testing.h"

enum { PATH_BYTES = 512, ELEMENTS = 6 };

static const char pair[] = TACHO_TEST_DATA "/run/pair.mlir";
static const float left[ELEMENTS] = {1, 2, 3, 4, 5, 6};
static const float right[ELEMENTS] = {10, 20, 30, 40, 50, 60};

static void make_path(const char *suffix, char out_path[PATH_BYTES])
{
    const char *temp = getenv("TMPDIR");
    snprintf(out_path, PATH_BYTES, "%s/tacho-runner.%ld%s", temp != NULL ? temp : "/tmp",
             (long)getpid(), suffix);
}

static tacho_value_view value_of(const float *numbers)
{
    return (tacho_value_view){.dtype = "f32",
                              .rank = 2,
                              .dims = {2, 3},
                              .data = numbers,
                              .byte_count = ELEMENTS * sizeof(*numbers)};
}

static tacho_runner *open_runner(const char *path, const tacho_runner_options *options)
{
    tacho_runner *runner = NULL;
    assert_ok(tacho_runner_open(path, options, &runner));
    assert_non_null(runner);
    return runner;
}

static void set_inputs(tacho_runner *runner, const float *first, const float *second)
{
    tacho_value_view value = value_of(first);
    assert_ok(tacho_runner_set_input(runner, 0, &value));
    value = value_of(second);
    assert_ok(tacho_runner_set_input(runner, 1, &value));
}

static void check_outputs(tacho_runner *runner, const float *first, const float *second)
{
    tacho_value_view sum;
    tacho_value_view difference;
    assert_ok(tacho_runner_output(runner, 0, &sum));
    assert_ok(tacho_runner_output(runner, 1, &difference));
    assert_string_equal(sum.dtype, "f32");
    assert_int_equal(sum.rank, 2);
    assert_int_equal(sum.dims[0], 2);
    assert_int_equal(sum.dims[1], 3);
    assert_int_equal(sum.byte_count, ELEMENTS * sizeof(float));
    for (size_t i = 0; i < ELEMENTS; i++) {
        assert_true(((const float *)sum.data)[i] == first[i] + second[i]);
        assert_true(((const float *)difference.data)[i] == first[i] - second[i]);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static void check_device(const char *device)
{
    const tacho_runner_options options = {.device = device};
    tacho_runner *runner = open_runner(pair, &options);
    tacho_value_view input;
    assert_int_equal(tacho_runner_input_count(runner), 2);
    assert_int_equal(tacho_runner_output_count(runner), 2);
    assert_true(tacho_runner_input(runner, 1, &input));
    assert_string_equal(input.dtype, "f32");
    assert_int_equal(input.byte_count, ELEMENTS * sizeof(float));
    assert_null(input.data);
    assert_false(tacho_runner_input(runner, 2, &input));
    assert_true(tacho_runner_output_kind(runner, 1, &input));
    assert_string_equal(input.dtype, "f32");
    assert_int_equal(input.rank, 2);
    assert_int_equal(input.dims[1], 3);
    assert_null(input.data);
    assert_false(tacho_runner_output_kind(runner, 2, &input));
    assert_false(tacho_runner_output_kind(runner, 0, NULL));
    assert_false(tacho_runner_output_kind(NULL, 0, &input));
    set_inputs(runner, left, right);
    assert_ok(tacho_runner_go(runner, NULL));
    check_outputs(runner, left, right);
    set_inputs(runner, right, left); /* and again, with others */
    assert_ok(tacho_runner_go(runner, NULL));
    check_outputs(runner, right, left);
    tacho_tables *tables = NULL; /* also where the device does not tell when blocks ran */
    assert_ok(tacho_runner_tables(runner, &tables));
    tacho_tables_free(tables);
    tacho_runner_close(runner);
}

static void test_values(void **state)
{
    (void)state;
    check_device(NULL);
    check_device("sim:aic100");
    check_device("cpu");
}

static void test_inputs_are_random_until_set(void **state)
{
    (void)state;
    float sums[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
        const tacho_runner_options options = {.seed = seed};
        tacho_runner *runner = open_runner(pair, &options);
        tacho_value_view sum;
        assert_ok(tacho_runner_go(runner, NULL));
        assert_ok(tacho_runner_output(runner, 0, &sum));
        sums[seed] = ((const float *)sum.data)[0];
        tacho_runner_close(runner);
    }
    assert_true(sums[0] != sums[1]);
}

/* ---- inferences ------------------------------------------------------------------------------ */

typedef struct seen_run {
    uint64_t result_count, recorded_count, progress_count, cancel_at;
    int64_t latency_ns;
    uint64_t last_number;
} seen_run;

static void see_result(void *user, const tacho_inference *inference)
{
    seen_run *seen = user;
    seen->result_count++;
    seen->recorded_count += inference->is_recorded ? 1 : 0;
    seen->latency_ns += inference->latency_ns;
    seen->last_number = inference->number;
}

static bool see_progress(void *user, uint64_t done_count, uint64_t total_count)
{
    seen_run *seen = user;
    assert_int_equal(done_count, ++seen->progress_count);
    assert_int_equal(total_count, 8);
    return done_count != seen->cancel_at;
}

static void test_callbacks(void **state)
{
    (void)state;
    seen_run seen = {0};
    const tacho_runner_plan plan = {.inference_count = 8,
                                    .recorded_count = 3,
                                    .first_recorded = 2,
                                    .progress = see_progress,
                                    .result = see_result,
                                    .user = &seen};
    tacho_tables *tables = NULL;
    tacho_runner *runner = open_runner(pair, NULL);
    assert_ok(tacho_runner_go(runner, &plan));
    assert_int_equal(seen.result_count, 8);
    assert_int_equal(seen.progress_count, 8);
    assert_int_equal(seen.recorded_count, 3);
    assert_int_equal(seen.last_number, 7);
    assert_ok(tacho_runner_tables(runner, &tables));
    assert_int_equal(cell_of(tables, "latency", 0, "runs").as_int, 8);
    assert_int_equal(cell_of(tables, "latency", 0, "mean_ns").as_int, seen.latency_ns / 8);
    assert_int_equal(cell_of(tables, "run", 0, "recorded_runs").as_int, 3);
    tacho_tables_free(tables);
    tacho_runner_close(runner);
}

static void test_cancel(void **state)
{
    (void)state;
    seen_run seen = {.cancel_at = 3};
    const tacho_runner_plan plan = {
        .inference_count = 8, .progress = see_progress, .result = see_result, .user = &seen};
    tacho_tables *tables = NULL;
    tacho_runner *runner = open_runner(pair, NULL);
    check_says(tacho_runner_go(runner, &plan), TACHO_CODE_CANCELLED,
               "cancelled after inference 3 of 8");
    assert_int_equal(seen.result_count, 3);
    assert_ok(tacho_runner_tables(runner, &tables)); /* of those that ended */
    assert_int_equal(cell_of(tables, "latency", 0, "runs").as_int, 3);
    assert_true(rows_of(tables, "ops") > 0);
    tacho_tables_free(tables);
    assert_ok(tacho_runner_go(runner, NULL)); /* and it can go on */
    tacho_runner_close(runner);
}

static bool see_handlers(void *user, uint64_t done_count, uint64_t total_count)
{
    struct sigaction action;
    (void)done_count;
    (void)total_count;
    assert_int_equal(sigaction(SIGINT, NULL, &action), 0);
    *(bool *)user = action.sa_handler == SIG_DFL;
    return true;
}

static void test_signals_are_left_alone(void **state)
{
    (void)state;
    bool is_left = false;
    const tacho_runner_plan plan = {.progress = see_handlers, .user = &is_left};
    tacho_runner *runner = open_runner(pair, NULL);
    assert_ok(tacho_runner_go(runner, &plan));
    assert_true(is_left);
    tacho_runner_close(runner);
}

/* ---- results --------------------------------------------------------------------------------- */

static void test_tables(void **state)
{
    (void)state;
    const tacho_runner_options options = {.device = "sim:aic100"};
    tacho_runner *runner = open_runner(pair, &options);
    tacho_tables *tables = NULL;
    assert_ok(tacho_runner_go(runner, NULL));
    assert_ok(tacho_runner_tables(runner, &tables));
    tacho_runner_close(runner); /* tables stand alone */
    assert_string_equal(cell_of(tables, "run", 0, "device").text, "sim:aic100");
    assert_string_equal(cell_of(tables, "run", 0, "path").text, pair);
    assert_string_equal(cell_of(tables, "latency", 0, "origin").text, "simulated");
    assert_true(cell_of(tables, "latency", 0, "mean_ns").as_int > 0);
    assert_true(rows_of(tables, "overview") > 0);
    assert_true(rows_of(tables, "ops") >= 2);
    assert_true(rows_of(tables, "compare") >= 2);
    tacho_tables_free(tables);
}

static void test_nothing_recorded(void **state)
{
    (void)state;
    const tacho_runner_options options = {.compile = {.stats_level = 1}};
    const tacho_runner_plan plan = {.omits_records = true};
    tacho_tables *tables = NULL;
    for (size_t i = 0; i < 2; i++) {
        tacho_runner *runner = open_runner(pair, i == 0 ? &options : NULL);
        assert_ok(tacho_runner_go(runner, i == 0 ? NULL : &plan));
        assert_ok(tacho_runner_tables(runner, &tables));
        assert_true(tacho_tables_find(tables, "ops") == TACHO_TABLES_NONE);
        assert_int_equal(rows_of(tables, "latency"), 1);
        tacho_tables_free(tables);
        check_says(tacho_runner_write_profile(runner, "x.pb", NULL), TACHO_CODE_UNSUPPORTED,
                   "nothing was recorded");
        tacho_runner_close(runner);
    }
}

static void test_programs_and_profiles(void **state)
{
    (void)state;
    char program[PATH_BYTES];
    char trace[PATH_BYTES];
    const char *const traces[] = {trace};
    const tacho_compiled_options options = {.machine = "aic100", .stats_level = 70};
    tacho_compiled *compiled = NULL;
    tacho_tables *tables = NULL;
    make_path(".bin", program);
    make_path(".pb", trace);
    assert_ok(tacho_compiled_open(pair, &options, &compiled));
    assert_ok(tacho_compiled_write_program(compiled, program));
    tacho_compiled_close(compiled);
    tacho_runner *runner = open_runner(program, NULL);
    set_inputs(runner, left, right);
    assert_ok(tacho_runner_go(runner, NULL));
    check_outputs(runner, left, right);
    assert_ok(tacho_runner_write_profile(runner, trace, NULL));
    check_says(tacho_runner_write_profile(runner, program, "perfetto"), TACHO_CODE_USAGE,
               "is an input and would be overwritten");
    tacho_runner_close(runner);
    assert_ok(tacho_analyse_ops(traces, 1, NULL, &tables));
    assert_true(rows_of(tables, "ops") >= 2);
    tacho_tables_free(tables);
    unlink(program);
    unlink(trace);
}

static void test_profiles_of_torq(void **state)
{
    (void)state;
    char profile[PATH_BYTES];
    char origin[PATH_BYTES + 16];
    const tacho_runner_options aic100 = {.device = "sim:aic100"};
    const char *const paths[] = {profile};
    tacho_view *view = NULL;
    tacho_part_view part;
    make_path(".csv", profile);
    snprintf(origin, sizeof(origin), "%s.origin", profile);
    tacho_runner *runner = open_runner(pair, NULL);
    assert_ok(tacho_runner_go(runner, NULL));
    assert_ok(tacho_runner_write_profile(runner, profile, "r2"));
    check_says(tacho_runner_write_profile(runner, NULL, "r2"), TACHO_CODE_USAGE, "NULL");
    tacho_runner_close(runner);
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.format, "torq-host");
    assert_string_equal(part.origin, "simulated");
    tacho_view_close(view);
    unlink(profile);
    unlink(origin);
    runner = open_runner(pair, &aic100);
    assert_ok(tacho_runner_go(runner, NULL));
    check_says(tacho_runner_write_profile(runner, profile, "r2"), TACHO_CODE_USAGE, "Torq");
    tacho_runner_close(runner);
}

static void remove_folder(const char *folder)
{
    char path[PATH_BYTES * 2];
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    for (struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(open_folder);
    assert_int_equal(rmdir(folder), 0);
}

/* Raw stats of a run, summed up. */
static void test_raw_stats(void **state)
{
    (void)state;
    char program[PATH_BYTES];
    char folder[PATH_BYTES];
    char stats[PATH_BYTES * 2];
    const char *const paths[] = {stats};
    const tacho_compiled_options compiling = {.machine = "aic100", .stats_level = 70};
    const tacho_runner_options running = {.stats_folder = folder};
    tacho_compiled *compiled = NULL;
    tacho_tables *tables = NULL;
    make_path(".bin", program);
    make_path(".stats", folder);
    assert_ok(tacho_compiled_open(pair, &compiling, &compiled));
    assert_ok(tacho_compiled_write_program(compiled, program));
    tacho_compiled_close(compiled);
    tacho_runner *runner = open_runner(program, &running);
    assert_ok(tacho_runner_go(runner, NULL));
    tacho_runner_close(runner);
    snprintf(stats, sizeof(stats),
             "%s/aic-profiling-program-0-activation-0-inf-0-main-aiccyclecounts.bin", folder);
    assert_ok(tacho_analyse_opstats(program, paths, 1, NULL, &tables));
    assert_int_equal(tacho_tables_count(tables), 12);
    assert_int_equal(rows_of(tables, "device"), 1);
    assert_true(rows_of(tables, "ops") >= 2);
    assert_int_equal(rows_of(tables, "damage"), 0);
    tacho_table_view table;
    assert_true(tacho_tables_get(tables, 0, &table));
    assert_string_equal(table.input, stats);
    tacho_tables_free(tables);
    const tacho_analyse_opstats_options by_op = {.rollup = "op"};
    assert_ok(tacho_analyse_opstats(program, paths, 1, &by_op, &tables));
    assert_true(tacho_tables_get(tables, 0, &table));
    assert_true(table.row_count >= 2);
    tacho_tables_free(tables);
    const char *const twice[] = {stats, stats};
    check_says(tacho_analyse_opstats(program, twice, 2, &by_op, &tables), TACHO_CODE_USAGE,
               "two files of a roll-up are of device 0");
    assert_int_equal(truncate(stats, 300), 0);
    assert_ok(tacho_analyse_opstats(program, paths, 1, NULL, &tables));
    assert_int_equal(rows_of(tables, "damage"), 1);
    assert_true(cell_of(tables, "damage", 0, "is_truncated").as_bool);
    tacho_tables_free(tables);
    unlink(program);
    remove_folder(folder);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

typedef struct bad_case {
    tacho_runner_options options;
    tacho_code code;
    const char *part;
} bad_case;

static void test_bad_options(void **state)
{
    (void)state;
    const bad_case cases[] = {
        {{.device = "wheel"}, TACHO_CODE_NOT_FOUND, "wheel"},
        {{.device = "aic100"}, TACHO_CODE_USAGE, "sim:aic100"},
        {{.device = "sim:aic200"}, TACHO_CODE_NOT_FOUND, "aic200"},
        {{.compile = {.machine = "aic100"}}, TACHO_CODE_USAGE, "\"sim:aic100\""},
        {{.compile = {.stats_level = 101}}, TACHO_CODE_USAGE, "stats level 101"},
        {{.compile = {.fidelity = "LoFi"}}, TACHO_CODE_USAGE, "torq-sl2610 has a single fidelity"},
        {{.device = "sim:aic100", .compile = {.cores = 17}}, TACHO_CODE_USAGE, "16 cores, not 17"},
        {{.compile = {.reserved = {1}}}, TACHO_CODE_USAGE, "an option that this version"},
        {{.activations = 1025}, TACHO_CODE_USAGE, "at most 1024 activations"},
        {{.threads = 1025}, TACHO_CODE_USAGE, "1024 threads"},
        {{.stats_folder = TACHO_TEST_DATA "/run/pair.mlir"}, TACHO_CODE_IO, "not a directory"},
        {{.reserved = {1}}, TACHO_CODE_USAGE, "an option that this version"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_runner *runner = (tacho_runner *)(uintptr_t)1; /* not to be left there */
        check_says(tacho_runner_open(pair, &cases[i].options, &runner), cases[i].code,
                   cases[i].part);
        assert_null(runner);
    }
}

static void test_bad_values(void **state)
{
    (void)state;
    tacho_runner *runner = open_runner(pair, NULL);
    tacho_value_view value = value_of(left);
    check_says(tacho_runner_set_input(NULL, 0, &value), TACHO_CODE_USAGE, "no runner");
    check_says(tacho_runner_set_input(runner, 2, &value), TACHO_CODE_USAGE, "input 2 of 2");
    check_says(tacho_runner_set_input(runner, 0, NULL), TACHO_CODE_USAGE, "no value given");
    value.data = NULL;
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE, "no value given");
    value = value_of(left);
    value.dtype = "f99";
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE,
               "unknown element type 'f99'");
    value = value_of(left);
    value.byte_count--;
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE,
               "23 bytes given for a value of 2x3 elements of f32");
    value = value_of(left);
    value.rank = 9;
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE, "at most 8 dimensions");
    value = value_of(left);
    value.dims[0] = -2;
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE, "24 bytes given");
    value = value_of(left);
    value.dims[0] = 3;
    value.dims[1] = 2;
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE, "3x2");
    value = value_of(left);
    value.dtype = "i32";
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE, "i32");
    tacho_runner_close(runner);
}

static void test_null_and_order(void **state)
{
    (void)state;
    tacho_runner *runner = NULL;
    tacho_tables *tables = NULL;
    tacho_value_view value;
    check_says(tacho_runner_open(NULL, NULL, &runner), TACHO_CODE_USAGE, "no program or model");
    check_says(tacho_runner_open(pair, NULL, NULL), TACHO_CODE_USAGE, "place for its handle");
    check_says(tacho_runner_open("/nowhere/x.onnx", NULL, &runner), TACHO_CODE_NOT_FOUND, "x.onnx");
    assert_null(runner);
    tacho_runner_close(NULL);
    assert_int_equal(tacho_runner_input_count(NULL), 0);
    assert_int_equal(tacho_runner_output_count(NULL), 0);
    assert_false(tacho_runner_input(NULL, 0, &value));
    check_says(tacho_runner_go(NULL, NULL), TACHO_CODE_USAGE, "no runner");
    check_says(tacho_runner_output(NULL, 0, &value), TACHO_CODE_USAGE, "no runner");
    check_says(tacho_runner_tables(NULL, &tables), TACHO_CODE_USAGE, "no runner");
    check_says(tacho_runner_write_profile(NULL, "x.pb", NULL), TACHO_CODE_USAGE, "no runner");
    runner = open_runner(pair, NULL);
    assert_false(tacho_runner_input(runner, 0, NULL));
    check_says(tacho_runner_output(runner, 0, &value), TACHO_CODE_USAGE, "no inference has run");
    check_says(tacho_runner_tables(runner, &tables), TACHO_CODE_USAGE, "no inference has run");
    check_says(tacho_runner_write_profile(runner, "x.pb", NULL), TACHO_CODE_USAGE,
               "no inference has run");
    tacho_runner_plan plan = {.inference_count = UINT64_MAX};
    check_says(tacho_runner_go(runner, &plan), TACHO_CODE_USAGE, "inferences are more than");
    plan = (tacho_runner_plan){.inference_count = 2, .first_recorded = 2};
    check_says(tacho_runner_go(runner, &plan), TACHO_CODE_USAGE, "inference 2 is not one of 2");
    plan = (tacho_runner_plan){.reserved = {1}};
    check_says(tacho_runner_go(runner, &plan), TACHO_CODE_USAGE, "an option that this version");
    assert_ok(tacho_runner_go(runner, NULL));
    check_says(tacho_runner_output(runner, 2, &value), TACHO_CODE_USAGE, "output 2 of 2");
    check_says(tacho_runner_output(runner, 0, NULL), TACHO_CODE_USAGE, "nowhere to put it");
    check_says(tacho_runner_tables(runner, NULL), TACHO_CODE_USAGE, "place for their handle");
    check_says(tacho_runner_write_profile(runner, NULL, NULL), TACHO_CODE_USAGE, "no output file");
    check_says(tacho_runner_write_profile(runner, "x.yaml", NULL), TACHO_CODE_USAGE, "x.yaml");
    tacho_runner_close(runner);
}

static void test_skipped_values(void **state)
{
    (void)state;
    const tacho_runner_options options = {.skips_values = true};
    tacho_runner *runner = open_runner(pair, &options);
    tacho_value_view value = value_of(left);
    check_says(tacho_runner_set_input(runner, 0, &value), TACHO_CODE_USAGE,
               "no values are computed");
    assert_ok(tacho_runner_go(runner, NULL));
    check_says(tacho_runner_output(runner, 0, &value), TACHO_CODE_USAGE, "no values are computed");
    tacho_runner_close(runner);
}

/* The positive elements of the input twice, or of its negation: branch and size follow from values.
 */
static void check_positive(tacho_runner *runner, const float *numbers, const float *expected,
                           size_t count)
{
    tacho_value_view value = {.dtype = "f32",
                              .rank = 1,
                              .dims = {ELEMENTS},
                              .data = numbers,
                              .byte_count = ELEMENTS * sizeof(*numbers)};
    tacho_value_view made;
    assert_ok(tacho_runner_set_input(runner, 0, &value));
    assert_ok(tacho_runner_go(runner, NULL));
    assert_ok(tacho_runner_output(runner, 0, &made));
    assert_int_equal(made.byte_count, count * sizeof(float));
    assert_memory_equal(made.data, expected, made.byte_count);
    assert_true(tacho_runner_output_kind(runner, 0, &made));
    assert_int_equal(made.dims[0], count);
}

static void test_inputs_decide(void **state)
{
    (void)state;
    static const char model[] = TACHO_TEST_DATA "/run/positive.onnx";
    static const float mixed[ELEMENTS] = {-1, 2, -3, 4, -5, -6}, twice[] = {2, 4, 2, 4};
    static const float more[ELEMENTS] = {1, 2, -3, 4, -5, -6}, six[] = {1, 2, 4, 1, 2, 4};
    static const float below[ELEMENTS] = {-1, -2, -3, -4, -5, 0}, five[] = {1, 2, 3, 4, 5};
    static const float none[ELEMENTS] = {0};
    const char *const devices[] = {"cpu", "sim:aic100"};
    for (size_t i = 0; i < 2; i++) {
        const tacho_runner_options options = {.device = devices[i]};
        tacho_runner *runner = open_runner(model, &options);
        check_positive(runner, mixed, twice, 4);
        check_positive(runner, mixed, twice, 4); /* decides the same */
        check_positive(runner, more, six, 6);
        check_positive(runner, below, five, 5);
        check_positive(runner, none, none, 0);
        check_positive(runner, mixed, twice, 4);
        tacho_tables *tables = NULL;
        assert_ok(tacho_runner_tables(runner, &tables)); /* of the program that there is now */
        tacho_tables_free(tables);
        tacho_runner_close(runner);
    }
}

/* ---- weights ---- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

/* Values that the model lacks are made up only if the caller asks for it. */
static void test_missing_weights(void **state)
{
    (void)state;
    static const char model[] =
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "  %w = \"tosa.const\"() <{values = dense_resource<weights> : tensor<2x3xf32>}> : () -> "
        "tensor<2x3xf32>\n"
        "  %y = tosa.add %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  return %y : tensor<2x3xf32>\n}\n";
    char path[PATH_BYTES];
    tacho_runner *runner = NULL;
    tacho_runner_options options = {.device = "cpu"};
    make_path(".mlir", path);
    write_text(path, model);
    tacho_status status = tacho_runner_open(path, &options, &runner);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NOT_FOUND);
    assert_non_null(
        strstr(tacho_status_message(status), "lacks the values of 1 tensor ('weights')"));
    tacho_status_free(status);
    assert_null(runner);
    options.compile.has_zero_weights = true;
    runner = open_runner(path, &options);
    tacho_value_view value = value_of(left);
    assert_ok(tacho_runner_set_input(runner, 0, &value));
    assert_ok(tacho_runner_go(runner, NULL));
    assert_ok(tacho_runner_output(runner, 0, &value));
    assert_memory_equal(value.data, left, sizeof(left));
    tacho_runner_close(runner);
    options.compile.has_zero_weights = false;
    options.compile.has_random_weights = true;
    runner = open_runner(path, &options);
    tacho_runner_close(runner);
    options = (tacho_runner_options){.skips_values = true}; /* times need none */
    runner = open_runner(path, &options);
    tacho_runner_close(runner);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_weights),
        cmocka_unit_test(test_inputs_decide),
        cmocka_unit_test(test_profiles_of_torq),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_inputs_are_random_until_set),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_signals_are_left_alone),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_nothing_recorded),
        cmocka_unit_test(test_programs_and_profiles),
        cmocka_unit_test(test_raw_stats),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_null_and_order),
        cmocka_unit_test(test_skipped_values),
    };
    setenv("TACHO_HOST_CPU", "built-in", 1); /* this computer is not measured */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
