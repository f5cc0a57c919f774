/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-compile: the compiler for Qualcomm Cloud AI 100, with its flags, which have a single dash.
 * The network is called QAicGraph, as there.
 */
#include "base/folder.h"
#include "cli/compile_options.h"
#include "cli/talk.h"

#include <stdio.h>

#define MACHINE "aic100"
#define NETWORK "QAicGraph"
#define PROGRAM "programqpc.bin"
#define IGNORED "accepted for compatibility; no effect"

static const tacho_option options[] = {
    {"model", 'm', false, "FILE", "the model: ONNX, or MLIR in TOSA or torch-onnx"},
    {"aic-binary-dir", 0, false, "DIR",
     "write the program there, as " PROGRAM "; the directory is created if missing"},
    {"stats-level", 0, false, "N",
     "what the program records: 40 inferences, 50 also ports, 70 also operators, 100 also counters "
     "per operator; below 40 nothing (default: 40)"},
    {"stats-batchsize", 0, false, "N",
     "number of inferences to average statistics over (default: 1)"},
    {"ddr-stats", 0, false, NULL, "count DDR traffic per core; needs level 40 or more"},
    {"aic-pmu-recipe", 0, false, "NAME",
     "count a predefined set of core events: AxiRd, AxiWr, AxiRdWr, KernelUtil, HmxMacs"},
    {"aic-pmu-events", 0, false, "HEX,...", "count these core events, at most 8"},
    {"aic-perf-warnings", 0, false, NULL, "print performance warnings"},
    {"aic-perf-metrics", 0, false, NULL, "print program statistics and per-core figures"},
    {"aic-num-cores", 0, false, "N", "use at most N cores (default: as many as pay off)"},
    {"batchsize", 0, false, "N", "run this many inferences as one batch (default: 1)"},
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    {"onnx-define-symbol", 0, false, "NAME,N", "same as -dim=NAME=N"},
    {"convert-to-fp16", 0, false, NULL, "store and compute real numbers as f16"},
    {"aic-hw", 0, false, NULL, IGNORED},
    {"aic-hw-version", 0, false, "V", IGNORED},
    {"compile-only", 0, false, NULL, IGNORED},
    {"mos", 0, false, "N", IGNORED ": the compiler chooses"},
    {"ols", 0, false, "N", IGNORED ": the compiler chooses"},
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

static const tacho_compile_names names = {
    .devices = "",
    .cores = "aic-num-cores",
    .batch = "batchsize",
    .metrics = "aic-perf-metrics",
    .warnings = "aic-perf-warnings",
    .stats = {"stats-level", "stats-batchsize", "ddr-stats", "aic-pmu-recipe", "aic-pmu-events"},
};

static void say_ignored(const tacho_arguments *arguments)
{
    char text[160];
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_option *option = arguments->items[i].option;
        if (option != NULL && strncmp(option->help, IGNORED, strlen(IGNORED)) == 0) {
            snprintf(text, sizeof(text), "-%s is accepted but has no effect", option->name);
            tacho_talk_line("note", text);
        }
    }
}

static bool choose_files(const tacho_arguments *arguments, tacho_compile_request *request)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == NULL) {
            tacho_command_misuse(arguments->command,
                                 "unexpected argument '%s'; give the model with -model=FILE",
                                 arguments->items[i].value);
            return false;
        }
    }
    request->model_path = tacho_arguments_value(arguments, "model");
    request->program_folder = tacho_arguments_value(arguments, "aic-binary-dir");
    if (request->model_path == NULL) {
        tacho_command_misuse(arguments->command, "no model given; use -model=FILE");
    } else if (request->program_folder == NULL) {
        tacho_command_misuse(arguments->command,
                             "no output directory given; use -aic-binary-dir=DIR");
    }
    return request->model_path != NULL && request->program_folder != NULL;
}

static int compile_with(const tacho_arguments *arguments, tacho_arena *arena,
                        tacho_compile_request *request)
{
    tacho_machine *machine = NULL;
    tacho_status status = tacho_machine_find(MACHINE, arena, &machine);
    if (status == TACHO_OK) {
        status = tacho_folder_join(request->program_folder, TACHO_STR(PROGRAM), arena,
                                   &request->program_path);
    }
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    request->machine = machine;
    int exit_code = tacho_compile_choose_dims(arguments, arena, &request->model);
    if (exit_code == 0) {
        exit_code = tacho_compile_choose_binds(arguments, arena, &request->model);
    }
    if (exit_code != 0) {
        return exit_code;
    }
    if (!tacho_compile_choose_program(arguments, &names, request)) {
        return TACHO_EXIT_USAGE;
    }
    request->compile.network_name = TACHO_STR(NETWORK);
    if (tacho_arguments_has(arguments, "convert-to-fp16")) {
        request->compile.estimate.cost.compute = TACHO_DTYPE_F16;
    }
    if (!request->is_quiet) {
        say_ignored(arguments);
    }
    return tacho_compile_run_chosen(request, &tacho_hints_qaic);
}

static int qaic_compile_run(const tacho_arguments *arguments)
{
    tacho_compile_request request = {
        .table_sink = &tacho_table_sink_text_alone,
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
    };
    if (!choose_files(arguments, &request)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    int exit_code = compile_with(arguments, &arena, &request);
    tacho_arena_deinit(&arena);
    return exit_code;
}

const tacho_command tacho_dropin_qaic_compile = {
    .name = "qaic-compile",
    .is_dropin = true,
    .has_single_dash = true,
    .summary = "compile a model for Cloud AI 100, with the vendor's options",
    .usage = "-model=FILE -aic-binary-dir=DIR [options]",
    .description =
        "Compiles a model for Cloud AI 100 and writes DIR/" PROGRAM ", a container in the\n"
        "public layout that holds a program for tacho's runtime and 'tacho info'. What the\n"
        "program records is compiled in: level 40 is enough for inference times, 70 is\n"
        "needed for operators. 'tacho compile -m " MACHINE "' does the same\n"
        "and more.",
    .examples = "qaic-compile -model=model.onnx -aic-binary-dir=./binaries -stats-level=70\n"
                "qaic-compile -model=model.onnx -aic-binary-dir=./binaries "
                "-aic-pmu-events=3F,70,200\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = qaic_compile_run,
};
