/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-compile: the compiler for Qualcomm Cloud AI 100, with its flags, which have a single dash.
 * The network is called QAicGraph, as there.
 */
#include "api/requests/registry.h"
#include "base/folder.h"
#include "api/requests/compile_options.h"
#include "api/requests/request.h"

#define MACHINE "aic100"
#define NETWORK "QAicGraph"
#define PROGRAM "programqpc.bin"

static const tacho_option options[] = {
    TACHO_OPT_VALUE("model", 'm', "FILE", "the model: ONNX, or MLIR in TOSA or torch-onnx",
                    TACHO_COMPILE_INTO_TEXT(request.model_path)),
    TACHO_OPT_VALUE("aic-binary-dir", 0, "DIR",
                    "write the program there, as " PROGRAM "; the directory is created if missing",
                    TACHO_COMPILE_INTO_TEXT(request.program_folder)),
    TACHO_COMPILE_OPTIONS_STATS("aic-pmu-recipe", "aic-pmu-events"),
    TACHO_OPT_FLAG("aic-perf-warnings", 0, "print performance warnings",
                   TACHO_COMPILE_INTO_FLAG(request.has_warnings)),
    TACHO_OPT_FLAG("aic-perf-metrics", 0, "print program statistics and per-core figures",
                   TACHO_COMPILE_INTO_FLAG(request.has_metrics)),
    TACHO_OPT_VALUE("aic-num-cores", 0, "N", "use at most N cores (default: as many as pay off)",
                    TACHO_COMPILE_INTO_NUMBER(request.compile.cores, 0, UINT32_MAX)),
    TACHO_OPT_VALUE("batchsize", 0, "N", "run this many inferences as one batch (default: 1)",
                    TACHO_COMPILE_INTO_NUMBER(request.compile.batch, 1, TACHO_BATCH_MAX)),
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    TACHO_OPT_VALUE("onnx-define-symbol", 0, "NAME,N", "same as {dim}=NAME=N"),
    TACHO_OPT_FLAG("convert-to-fp16", 0, "store and compute real numbers as f16"),
    TACHO_OPT_FLAG("aic-hw", 0, TACHO_IGNORED),
    TACHO_OPT_VALUE("aic-hw-version", 0, "V", TACHO_IGNORED),
    TACHO_OPT_FLAG("compile-only", 0, TACHO_IGNORED),
    TACHO_OPT_VALUE("mos", 0, "N", TACHO_IGNORED ": the compiler chooses"),
    TACHO_OPT_VALUE("ols", 0, "N", TACHO_IGNORED ": the compiler chooses"),
    TACHO_COMPILE_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

static int compile(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    if (given->word_count > 0) {
        return tacho_request_misuse(
            given, "unexpected argument '%s'; give the model with {model}=FILE", given->words[0]);
    }
    if (request->model_path == NULL || request->program_folder == NULL) {
        return tacho_request_misuse(given,
                                    request->model_path == NULL
                                        ? "no model given; use {model}=FILE"
                                        : "no output directory given; use {aic-binary-dir}=DIR");
    }
    tacho_status status = tacho_folder_join(request->program_folder, TACHO_STR(PROGRAM),
                                            &choice->arena, &request->program_path);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    choice->dtype = tacho_request_has(given, "convert-to-fp16") ? "f16" : NULL;
    int outcome = tacho_compile_choose(given, choice);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    if (!request->is_quiet) {
        tacho_request_say_ignored(given);
    }
    return tacho_compile_run_chosen(given, choice);
}

static int qaic_compile_run(tacho_request *given)
{
    const tacho_compile_choice defaults = {
        .machine = MACHINE,
        .request = {.table_sink = &tacho_table_sink_text_alone,
                    .compile = {.network_name = TACHO_STR_INIT(NETWORK)}},
    };
    return tacho_compile_with(given, &defaults, compile);
}

const tacho_request_type tacho_request_type_qaic_compile = {
    .name = "qaic-compile",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = qaic_compile_run,
};
