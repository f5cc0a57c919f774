/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-runner: the runner of Qualcomm Cloud AI 100, with its flags, on the simulated card.
 */
#include "api/requests/registry.h"
#include "base/folder.h"
#include "api/requests/run_options.h"
#include "api/requests/run_talk.h"
#include "vendors/qaic/run_qaic.h"
#include "vendors/tenstorrent/run_client.h"
#include "api/requests/request.h"

#define PROGRAM "programqpc.bin"
#define MACHINE "aic100"

enum { DEFAULT_ITERATIONS = 40, CARDS_MAX = 1024 };

/* What the command line says. */
typedef struct runner {
    tacho_qaic_run run;
    const char *test_data;
    uint32_t card; /* there is one */
} runner;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("test-data", 't', "DIR", "directory that holds " PROGRAM,
                    TACHO_INTO_TEXT(runner, test_data)),
    TACHO_OPT_VALUE("input-file", 'i', "FILE",
                    "the next input: raw bytes, .npy or .pb; repeatable (default: seeded random)"),
    TACHO_OPT_VALUE("write-output-dir", 0, "DIR", "write the outputs there as raw bytes",
                    TACHO_INTO_TEXT(runner, run.files.output_dir)),
    TACHO_OPT_VALUE("num-iter", 'n', "N", "number of inferences (default: 40)",
                    TACHO_INTO_NUMBER(runner, run.request.iterations, 1, TACHO_RUN_ITERATIONS_MAX)),
    TACHO_OPT_VALUE("aic-num-activations", 'a', "N",
                    "number of copies of the program, each on its own cores (default: 1)",
                    TACHO_INTO_NUMBER(runner, run.request.device_options.activations, 1,
                                      TACHO_RUN_ACTIVATIONS_MAX)),
    TACHO_OPT_VALUE("aic-device-id", 'd', "N", TACHO_IGNORED ": there is one simulated card",
                    TACHO_INTO_NUMBER(runner, card, 0, CARDS_MAX)),
    TACHO_OPT_VALUE("aic-profiling-type", 0, "TYPE",
                    "raw_device_stats: .bin files for qaic-opstats; stats: summaries; trace: a "
                    "Chrome trace; latency: inference times; repeatable"),
    TACHO_OPT_VALUE("aic-profiling-out-dir", 0, "DIR",
                    "directory for these files; it must exist (default: .)",
                    TACHO_INTO_TEXT(runner, run.files.folder)),
    TACHO_OPT_VALUE(
        "aic-profiling-num-samples", 0, "N", "inferences to record (default: 1)",
        TACHO_INTO_NUMBER(runner, run.request.sampling.count, 1, TACHO_RUN_ITERATIONS_MAX)),
    TACHO_OPT_VALUE("aic-profiling-start-iter", 0, "N",
                    "record from this iteration on (default: 0)"),
    TACHO_OPT_VALUE(
        "aic-profiling-start-delay", 0, "MS",
        "start recording after this much device time, at the latest with the last inference",
        TACHO_INTO_NUMBER(runner, run.request.sampling.delay_ms, 0, INT32_MAX)),
    TACHO_OPT_VALUE("set-size", 'S', "N", TACHO_IGNORED),
    TACHO_OPT_VALUE("aic-threads-per-queue", 'T', "N", TACHO_IGNORED),
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",
                   TACHO_INTO_FLAG(runner, run.request.is_quiet), .is_front = true),
    TACHO_OPTION_HELP,
};

/* ---- options ------------------------------------------------------------------------------- */

static bool choose_types(tacho_request *given, runner *self)
{
    size_t at = 0;
    for (const char *name; (name = tacho_request_next(given, "aic-profiling-type", &at)) != NULL;) {
        unsigned type = tacho_qaic_file_type(name);
        if (type == 0) {
            tacho_request_misuse(given,
                                 "{aic-profiling-type}: unknown type '%s'; use raw_device_stats, "
                                 "stats, trace or latency",
                                 name);
            return false;
        }
        self->run.files.types |= type;
    }
    return true;
}

static bool choose_folders(tacho_request *given, const runner *self)
{
    if (given->word_count > 0) {
        tacho_request_misuse(
            given, "unexpected argument '%s'; give the program's directory with {test-data}=DIR",
            given->words[0]);
    } else if (self->test_data == NULL) {
        tacho_request_misuse(given, "no program given; use {test-data}=DIR");
    }
    return given->word_count == 0 && self->test_data != NULL;
}

/* The program in its folder, and files as inputs: "@FILE". */
static int choose(tacho_request *given, runner *self)
{
    tacho_run_request *request = &self->run.request;
    if (!tacho_request_fill(given, self) || !choose_folders(given, self) ||
        !choose_types(given, self) ||
        !tacho_request_number(given, "aic-profiling-start-iter", 0, request->iterations - 1,
                              &request->sampling.start)) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_status status =
        tacho_folder_join(self->test_data, TACHO_STR(PROGRAM), &self->run.arena, &request->path);
    return status != TACHO_OK ? tacho_request_fail(given, status)
                              : tacho_run_choose_list(given, "input-file", "@", &self->run.arena,
                                                      &request->inputs, &request->input_count);
}

static int qaic_runner_run(tacho_request *given)
{
    runner self = {
        .run = {.request = {.observer = &tacho_run_client,
                            .leaves_signals = given->listener.output == NULL,
                            .device = "sim",
                            .iterations = DEFAULT_ITERATIONS,
                            .sampling = {.count = 1},
                            .device_options = {.activations = 1},
                            .notes = &given->notes,
                            .moves_values = true,
                            .compile = {.machine = MACHINE}},
                .files = {.folder = "."}},
    };
    tacho_arena_init(&self.run.arena);
    int outcome = choose(given, &self);
    if (outcome == TACHO_OUTCOME_DONE) {
        if (!self.run.request.is_quiet) {
            tacho_request_say_ignored(given);
        }
        tacho_qaic_files_ask(&self.run.files, &self.run.request);
        const tacho_run_job job = tacho_qaic_run_job(&self.run);
        outcome = tacho_run_talk(given, &job);
    }
    tacho_run_qaic_deinit(&self.run.files.qaic);
    tacho_arena_deinit(&self.run.arena);
    return outcome;
}

const tacho_request_type tacho_request_type_qaic_runner = {
    .name = "qaic-runner",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = qaic_runner_run,
};
