/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling through the public interface: tables, program and timeline of small models, and calls
 * that ask for what there is not.
 */
#include <tacho/compile.h>
#include <tacho/profile.h>

#include <dirent.h>
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

enum { PATH_BYTES = 512 };

static const char pair[] = TACHO_TEST_DATA "/run/pair.mlir";
static const char open_model[] = TACHO_TEST_DATA "/compile/open.onnx";
static const char choice[] = TACHO_TEST_DATA "/compile/choice.onnx";
static const char unknown[] = TACHO_TEST_DATA "/compile/unknown.mlir";

static void make_path(const char *suffix, char out_path[PATH_BYTES])
{
    const char *temp = getenv("TMPDIR");
    snprintf(out_path, PATH_BYTES, "%s/tacho-compiled.%ld%s", temp != NULL ? temp : "/tmp",
             (long)getpid(), suffix);
}

static tacho_compiled *compile(const char *model, const tacho_compiled_options *options)
{
    tacho_compiled *compiled = NULL;
    assert_ok(tacho_compiled_open(model, options, &compiled));
    assert_non_null(compiled);
    return compiled;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void test_tables(void **state)
{
    (void)state;
    static const char *const ids[] = {"operators", "total", "bounds", "memory", "metrics", "cores"};
    const tacho_compiled_options options = {.machine = "aic100"};
    tacho_compiled *compiled = compile(pair, &options);
    tacho_tables *tables = NULL;
    tacho_table_view table;
    assert_ok(tacho_compiled_tables(compiled, &tables));
    tacho_compiled_close(compiled); /* tables stand alone */
    assert_int_equal(tacho_tables_count(tables), sizeof(ids) / sizeof(ids[0]));
    for (size_t i = 0; i < tacho_tables_count(tables); i++) {
        assert_true(tacho_tables_get(tables, i, &table));
        assert_string_equal(table.id, ids[i]);
        assert_string_equal(table.input, pair);
        assert_true(table.row_count > 0);
    }
    assert_true(tacho_tables_get(tables, 0, &table));
    assert_int_equal(table.row_count, 2);
    int64_t cycles = cell_of(tables, "operators", 0, "cycles").as_int +
                     cell_of(tables, "operators", 1, "cycles").as_int;
    assert_true(cycles > 0);
    assert_int_equal(cell_of(tables, "total", 0, "cycles").as_int, cycles);
    tacho_tables_free(tables);
}

static void test_files(void **state)
{
    (void)state;
    char program[PATH_BYTES];
    char trace[PATH_BYTES];
    const char *const traces[] = {trace};
    tacho_view *view = NULL;
    make_path(".bin", program);
    make_path(".pb", trace);
    tacho_compiled *compiled = compile(pair, NULL);
    assert_ok(tacho_compiled_write_program(compiled, program));
    assert_int_equal(access(program, R_OK), 0);
    assert_ok(tacho_compiled_write_timeline(compiled, trace, NULL));
    assert_ok(tacho_view_open(traces, 1, NULL, &view));
    tacho_part_view part;
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.origin, "estimated");
    assert_true(tacho_view_count(view).span_count >= 2);
    tacho_view_close(view);
    unlink(program);
    unlink(trace);
    tacho_compiled_close(compiled);
}

static void count_file(const char *folder, const char *part, size_t *count)
{
    char path[PATH_BYTES * 2];
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    for (struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
        *count += strstr(entry->d_name, part) != NULL ? 1 : 0;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(open_folder);
    assert_int_equal(rmdir(folder), 0);
}

/* Dumps, and the timelines of Torq's compiler. */
static void test_files_of_torq(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    char timeline[PATH_BYTES];
    size_t phase_count = 0;
    size_t dispatch_count = 0;
    const char *const paths[] = {timeline};
    tacho_view *view = NULL;
    tacho_part_view part;
    make_path(".dumps", folder);
    make_path(".csv", timeline);
    tacho_compiled *compiled = compile(pair, NULL);
    assert_ok(tacho_compiled_write_dumps(compiled, TACHO_DUMPS_PHASES, folder));
    count_file(folder, ".9.executable-targets.mlir", &phase_count);
    assert_int_equal(phase_count, 1);
    assert_ok(tacho_compiled_write_dumps(compiled, TACHO_DUMPS_DISPATCHES, folder));
    count_file(folder, "dispatch_0.mlir", &dispatch_count);
    assert_int_equal(dispatch_count, 1);
    assert_ok(tacho_compiled_write_timeline(compiled, timeline, "t4"));
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.generation, "T4");
    tacho_view_close(view);
    assert_ok(tacho_compiled_write_timeline(compiled, timeline, NULL));
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.generation, "T1");
    tacho_view_close(view);
    unlink(timeline);
    check_says(tacho_compiled_write_dumps(NULL, TACHO_DUMPS_PHASES, folder), TACHO_CODE_USAGE,
               "NULL");
    check_says(tacho_compiled_write_dumps(compiled, TACHO_DUMPS_PHASES, NULL), TACHO_CODE_USAGE,
               "NULL");
    check_says(tacho_compiled_write_dumps(compiled, (tacho_compiled_dumps)7, folder),
               TACHO_CODE_USAGE, "7");
    tacho_compiled_close(compiled);
}

static void test_timelines_of_torq_are_for_its_machines(void **state)
{
    (void)state;
    char timeline[PATH_BYTES];
    const tacho_compiled_options options = {.machine = "aic100"};
    make_path(".csv", timeline);
    tacho_compiled *compiled = compile(pair, &options);
    check_says(tacho_compiled_write_timeline(compiled, timeline, "t1"), TACHO_CODE_USAGE,
               "aic100 is not a Torq machine");
    assert_int_equal(access(timeline, F_OK), -1);
    tacho_compiled_close(compiled);
}

static void test_estimates_write_no_program(void **state)
{
    (void)state;
    char program[PATH_BYTES];
    make_path(".bin", program);
    const tacho_compiled_options options = {.is_estimate = true};
    tacho_compiled *compiled = compile(pair, &options);
    tacho_tables *tables = NULL;
    assert_ok(tacho_compiled_tables(compiled, &tables));
    check_says(tacho_compiled_write_program(compiled, program), TACHO_CODE_USAGE,
               "only an estimate was asked for");
    assert_int_equal(access(program, F_OK), -1);
    tacho_tables_free(tables);
    tacho_compiled_close(compiled);
}

/* ---- options --------------------------------------------------------------------------------- */

static void test_open_dimensions(void **state)
{
    (void)state;
    const tacho_model_size sizes[] = {{"N", 4}};
    const tacho_compiled_options options = {.sizes = sizes, .size_count = 1};
    tacho_compiled *compiled = NULL;
    check_says(tacho_compiled_open(open_model, NULL, &compiled), TACHO_CODE_USAGE, "a size for N");
    assert_null(compiled);
    tacho_compiled_close(compile(open_model, &options));
}

static void test_constants(void **state)
{
    (void)state;
    const tacho_model_constant constants[] = {{"rate", "16000"}};
    const tacho_compiled_options options = {.constants = constants, .constant_count = 1};
    tacho_compiled_close(compile(choice, &options));
}

typedef struct seen_notes {
    size_t warning_count;
    bool is_printable;
} seen_notes;

static void see_note(void *user, const char *kind, const char *text)
{
    seen_notes *seen = user;
    seen->warning_count += strcmp(kind, "warning") == 0 ? 1 : 0;
    for (; *text != '\0'; text++) {
        seen->is_printable = seen->is_printable && (unsigned char)*text >= ' ';
    }
}

static void test_notes(void **state)
{
    (void)state;
    seen_notes seen = {.is_printable = true};
    const tacho_compiled_options options = {.note = see_note, .user = &seen};
    tacho_compiled_close(compile(unknown, &options));
    assert_true(seen.warning_count > 0);
    assert_true(seen.is_printable);
}

static void test_cores_and_batches_count(void **state)
{
    (void)state;
    const tacho_compiled_options one = {.machine = "aic100"};
    const tacho_compiled_options many = {.machine = "aic100", .batch = 64, .cores = 1};
    int64_t cycles[2];
    for (size_t i = 0; i < 2; i++) {
        tacho_tables *tables = NULL;
        tacho_compiled *compiled = compile(pair, i == 0 ? &one : &many);
        assert_ok(tacho_compiled_tables(compiled, &tables));
        cycles[i] = cell_of(tables, "total", 0, "cycles").as_int;
        tacho_tables_free(tables);
        tacho_compiled_close(compiled);
    }
    assert_true(cycles[1] > cycles[0]);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

typedef struct bad_case {
    tacho_compiled_options options;
    tacho_code code;
    const char *part;
} bad_case;

static void test_bad_options(void **state)
{
    (void)state;
    static const tacho_model_size nameless = {NULL, 1};
    static const tacho_model_size negative = {"N", -1};
    static const tacho_model_constant no_values = {"rate", NULL};
    const bad_case cases[] = {
        {{.machine = "aic200"}, TACHO_CODE_NOT_FOUND, "did you mean 'aic100'?"},
        {{.dtype = "f99"}, TACHO_CODE_USAGE, "unknown type 'f99'"},
        {{.dtype = "string"}, TACHO_CODE_USAGE, "unknown type 'string'"},
        {{.fidelity = "LoFi"}, TACHO_CODE_USAGE, "torq-sl2610 has a single fidelity"},
        {{.machine = "aic100", .cores = 17}, TACHO_CODE_USAGE, "has 16 cores, not 17"},
        {{.devices = 65}, TACHO_CODE_USAGE, "at most 64 devices"},
        {{.batch = 65537}, TACHO_CODE_USAGE, "a batch of 65536"},
        {{.stats_level = 101}, TACHO_CODE_USAGE, "stats level 101 is more than 100"},
        {{.stats_level = 1, .counts_ddr = true}, TACHO_CODE_USAGE, "counters need stats level 40"},
        {{.pmu_recipe = "No"}, TACHO_CODE_USAGE, "unknown value 'No'; use one of AxiRd"},
        {{.pmu_events = "3F,3F"}, TACHO_CODE_USAGE, "event 3F is given twice"},
        {{.pmu_events = "3F", .pmu_recipe = "AxiRd"}, TACHO_CODE_USAGE, "a recipe of counters and"},
        {{.grid = "2x2"}, TACHO_CODE_USAGE, "torq-sl2610 has a single core"},
        {{.machine = "wormhole-n150", .grid = "2x2", .cores = 4}, TACHO_CODE_USAGE, "a grid and a"},
        {{.machine = "wormhole-n150", .places = "in0=l1"}, TACHO_CODE_USAGE, "estimates alone"},
        {{.is_estimate = true, .places = "in0=l1"}, TACHO_CODE_USAGE, "works in tiles"},
        {{.pmu_recipe = "AxiRd"}, TACHO_CODE_USAGE, "no counters are known for torq-sl2610"},
        {{.size_count = 1}, TACHO_CODE_USAGE, "size 1 of 1"},
        {{.sizes = &nameless, .size_count = 1}, TACHO_CODE_USAGE, "size 1 of 1"},
        {{.sizes = &negative, .size_count = 1}, TACHO_CODE_USAGE, "size 1 of 1"},
        {{.constant_count = 1}, TACHO_CODE_USAGE, "constant 1 of 1"},
        {{.constants = &no_values, .constant_count = 1}, TACHO_CODE_USAGE, "constant 1 of 1"},
        {{.reserved = {0, 7}}, TACHO_CODE_USAGE, "an option that this version"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_compiled *compiled = (tacho_compiled *)(uintptr_t)1; /* not to be left there */
        check_says(tacho_compiled_open(pair, &cases[i].options, &compiled), cases[i].code,
                   cases[i].part);
        assert_null(compiled);
    }
}

/* ---- progress ------------------------------------------------------------------------------- */

typedef struct seen_steps {
    uint64_t last, total, calls, cancel_at; /* cancel_at: 0 for never */
} seen_steps;

static bool see_step(void *user, uint64_t done_count, uint64_t total_count)
{
    seen_steps *seen = user;
    assert_true(done_count > seen->last && done_count <= total_count);
    assert_true(seen->total == 0 || seen->total == total_count);
    seen->last = done_count;
    seen->total = total_count;
    return ++seen->calls != seen->cancel_at;
}

static void test_progress(void **state)
{
    (void)state;
    seen_steps seen = {0};
    const tacho_compiled_options options = {
        .machine = "aic100", .progress = see_step, .user = &seen};
    tacho_compiled_close(compile(pair, &options));
    assert_true(seen.calls >= 2 && seen.total % 2 == 0); /* two operators, some ways */
}

/* Wherever it is cancelled, nothing is handed out, and the next one is compiled. */
static void test_cancel(void **state)
{
    (void)state;
    seen_steps all = {0};
    tacho_compiled_options options = {.machine = "aic100", .progress = see_step, .user = &all};
    tacho_compiled_close(compile(pair, &options));
    for (uint64_t i = 1; i <= all.calls; i++) {
        seen_steps seen = {.cancel_at = i};
        tacho_compiled *compiled = NULL;
        options.user = &seen;
        check_says(tacho_compiled_open(pair, &options, &compiled), TACHO_CODE_CANCELLED,
                   "the caller asked to stop");
        assert_null(compiled);
        assert_int_equal(seen.calls, i);
    }
}

static void test_null(void **state)
{
    (void)state;
    tacho_compiled *compiled = NULL;
    tacho_tables *tables = NULL;
    check_says(tacho_compiled_open(NULL, NULL, &compiled), TACHO_CODE_USAGE, "no model given");
    check_says(tacho_compiled_open(pair, NULL, NULL), TACHO_CODE_USAGE, "place for its handle");
    check_says(tacho_compiled_open("/nowhere/x.onnx", NULL, &compiled), TACHO_CODE_NOT_FOUND,
               "x.onnx");
    check_says(tacho_compiled_tables(NULL, &tables), TACHO_CODE_USAGE, "no compiled model");
    check_says(tacho_compiled_write_program(NULL, "x.bin"), TACHO_CODE_USAGE, "no compiled model");
    check_says(tacho_compiled_write_timeline(NULL, "x.pb", NULL), TACHO_CODE_USAGE,
               "no compiled model");
    tacho_compiled_close(NULL);
    compiled = compile(pair, NULL);
    check_says(tacho_compiled_tables(compiled, NULL), TACHO_CODE_USAGE, "place for their handle");
    check_says(tacho_compiled_write_program(compiled, NULL), TACHO_CODE_USAGE, "no output file");
    check_says(tacho_compiled_write_program(compiled, pair), TACHO_CODE_USAGE,
               "is an input and would be overwritten");
    check_says(tacho_compiled_write_timeline(compiled, NULL, NULL), TACHO_CODE_USAGE,
               "no output file");
    check_says(tacho_compiled_write_timeline(compiled, "x.pb", "yaml"), TACHO_CODE_USAGE,
               "unknown trace format or suffix: 'yaml'");
    check_says(tacho_compiled_write_timeline(compiled, "/nowhere/x.pb", NULL), TACHO_CODE_IO,
               "/nowhere");
    tacho_compiled_close(compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_files_of_torq),
        cmocka_unit_test(test_estimates_write_no_program),
        cmocka_unit_test(test_timelines_of_torq_are_for_its_machines),
        cmocka_unit_test(test_open_dimensions),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_cores_and_batches_count),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
