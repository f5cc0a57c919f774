/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qaic-runner: the runner of Qualcomm Cloud AI 100, with its flags, on the simulated card.
 */
#include "base/folder.h"
#include "cli/run_options.h"
#include "cli/run_talk.h"
#include "sinks/qaic/runner.h"
#include "session/qaic.h"
#include "session/values.h"
#include "cli/talk.h"
#include "sinks/table_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "programqpc.bin"
#define MACHINE "aic100"
#define IGNORED "accepted for compatibility; no effect"

enum { DEFAULT_ITERATIONS = 40, ACTIVATIONS_MAX = 1024, DEVICES_MAX = 1024 };

static const tacho_option options[] = {
    {"test-data", 't', false, "DIR", "directory that holds " PROGRAM},
    {"input-file", 'i', false, "FILE",
     "the next input: raw bytes, .npy or .pb; repeatable (default: seeded random)"},
    {"write-output-dir", 0, false, "DIR", "write the outputs there as raw bytes"},
    {"num-iter", 'n', false, "N", "number of inferences (default: 40)"},
    {"aic-num-activations", 'a', false, "N",
     "number of copies of the program, each on its own cores (default: 1)"},
    {"aic-device-id", 'd', false, "N", IGNORED ": there is one simulated card"},
    {"aic-profiling-type", 0, false, "TYPE",
     "raw_device_stats: .bin files for qaic-opstats; stats: summaries; trace: a Chrome trace; "
     "latency: inference times; repeatable"},
    {"aic-profiling-out-dir", 0, false, "DIR",
     "directory for these files; it must exist (default: .)"},
    {"aic-profiling-num-samples", 0, false, "N", "inferences to record (default: 1)"},
    {"aic-profiling-start-iter", 0, false, "N", "record from this iteration on (default: 0)"},
    {"aic-profiling-start-delay", 0, false, "MS",
     "start recording after this much device time, at the latest with the last inference"},
    {"set-size", 'S', false, "N", IGNORED},
    {"aic-threads-per-queue", 'T', false, "N", IGNORED},
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

/* Types of profiling files, as bits. */
enum { RAW = 1 << 0, STATS = 1 << 1, TRACE = 1 << 2, LATENCY = 1 << 3 };

/* What the command line says. */
typedef struct runner {
    tacho_run_request request;
    const char *out_dir;
    const char *output_dir; /* of values, or NULL */
    unsigned types;
    tacho_run_qaic qaic;
    tacho_arena arena;
} runner;

/* ---- options ------------------------------------------------------------------------------- */

static void say_ignored(const tacho_arguments *arguments)
{
    char text[160];
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_option *option = arguments->items[i].option;
        if (option != NULL && strncmp(option->help, IGNORED, strlen(IGNORED)) == 0) {
            snprintf(text, sizeof(text), "--%s is accepted but has no effect", option->name);
            tacho_talk_line("note", text);
        }
    }
}

static bool choose_types(const tacho_arguments *arguments, runner *self)
{
    static const char *const names[] = {"raw_device_stats", "stats", "trace", "latency"};
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option == NULL || strcmp(item->option->name, "aic-profiling-type") != 0) {
            continue;
        }
        unsigned type = 0;
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            type |= strcmp(item->value, names[k]) == 0 ? 1U << k : 0;
        }
        if (type == 0) {
            tacho_command_misuse(arguments->command,
                                 "--aic-profiling-type: unknown type '%s'; use raw_device_stats, "
                                 "stats, trace or latency",
                                 item->value);
            return false;
        }
        self->types |= type;
    }
    return true;
}

static bool choose_counts(const tacho_arguments *arguments, runner *self)
{
    tacho_run_request *request = &self->request;
    uint64_t activations = 1;
    uint64_t delay = 0;
    uint64_t device = 0;
    request->iterations = DEFAULT_ITERATIONS;
    request->sampling.count = 1;
    if (!tacho_run_choose_count(arguments, "num-iter", 1, TACHO_RUN_ITERATIONS_MAX,
                                &request->iterations) ||
        !tacho_run_choose_count(arguments, "aic-num-activations", 1, ACTIVATIONS_MAX,
                                &activations) ||
        !tacho_run_choose_count(arguments, "aic-device-id", 0, DEVICES_MAX, &device) ||
        !tacho_run_choose_count(arguments, "aic-profiling-num-samples", 1, TACHO_RUN_ITERATIONS_MAX,
                                &request->sampling.count) ||
        !tacho_run_choose_count(arguments, "aic-profiling-start-iter", 0, request->iterations - 1,
                                &request->sampling.start) ||
        !tacho_run_choose_count(arguments, "aic-profiling-start-delay", 0, INT32_MAX, &delay)) {
        return false;
    }
    request->sampling.delay_ms = (int64_t)delay;
    request->device_options.activations = (uint32_t)activations;
    return true;
}

static bool choose_folders(const tacho_arguments *arguments, runner *self)
{
    const char *test_data = tacho_arguments_value(arguments, "test-data");
    const char *out_dir = tacho_arguments_value(arguments, "aic-profiling-out-dir");
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == NULL) {
            tacho_command_misuse(
                arguments->command,
                "unexpected argument '%s'; give the program's directory with --test-data=DIR",
                arguments->items[i].value);
            return false;
        }
    }
    if (test_data == NULL) {
        tacho_command_misuse(arguments->command, "no program given; use --test-data=DIR");
        return false;
    }
    self->out_dir = out_dir != NULL ? out_dir : ".";
    self->output_dir = tacho_arguments_value(arguments, "write-output-dir");
    return true;
}

/* The program in its folder, and files as inputs: "@FILE". */
static tacho_status name_files(const tacho_arguments *arguments, runner *self)
{
    const char *test_data = tacho_arguments_value(arguments, "test-data");
    TACHO_TRY(tacho_folder_join(test_data, TACHO_STR(PROGRAM), &self->arena, &self->request.path));
    size_t count = 0;
    const char **files = tacho_run_choose_list(arguments, "input-file", &count);
    void *memory = NULL;
    tacho_status status =
        files == NULL ? tacho_no_memory()
                      : tacho_arena_alloc(&self->arena, (count + 1) * sizeof(char *), &memory);
    const char **texts = memory;
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        char *text = NULL;
        size_t len = strlen(files[i]);
        status = tacho_arena_alloc(&self->arena, len + 2, (void **)&text);
        if (status == TACHO_OK) {
            text[0] = '@';
            memcpy(text + 1, files[i], len);
            texts[i] = text;
        }
    }
    free(files);
    self->request.inputs = texts;
    self->request.input_count = count;
    return status;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Where an output goes. */
static tacho_status name_output(runner *self, const tacho_run_session *session, size_t index,
                                const char **out_path)
{
    const tacho_program *program = &session->module.program;
    tacho_str tensor = tacho_run_string(session, program->tensors[program->outputs[index]].name);
    char name[160];
    snprintf(name, sizeof(name), "%.100s-activation-0-inf-0.bin",
             tensor.len > 0 ? tensor.data : "output");
    if (tensor.len == 0 && index > 0) {
        snprintf(name, sizeof(name), "output%zu-activation-0-inf-0.bin", index);
    }
    tacho_make_plain_name(name);
    return tacho_folder_join(self->output_dir, tacho_str_from_cstring(name), &self->arena,
                             out_path);
}

/* Names are checked before any is used: one may be an input's, or that of two outputs. */
static tacho_status write_outputs(runner *self, tacho_run_session *session)
{
    size_t count = session->module.program.output_count;
    const char *path = NULL;
    bool is_new = false;
    if (self->output_dir == NULL || session->totals.latency_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_folder_ensure(self->output_dir, &is_new));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(name_output(self, session, i, &path));
        TACHO_TRY(tacho_run_check_chosen_output(session, path, NULL));
    }
    for (size_t i = 0; i < count; i++) {
        tacho_array array;
        TACHO_TRY(name_output(self, session, i, &path));
        TACHO_TRY(tacho_execution_output(session->device->execution, i, &array));
        TACHO_TRY(tacho_run_value_write(&array, path, true));
    }
    return TACHO_OK;
}

static tacho_status write_latency(runner *self, const tacho_run_session *session)
{
    const char *path = NULL;
    TACHO_TRY(tacho_folder_join(self->out_dir, TACHO_STR("aic-profiling-program-0-latency.txt"),
                                &self->arena, &path));
    tacho_recording recording = tacho_run_recording(session);
    return tacho_run_qaic_latency_file(&self->qaic, &recording, path);
}

static tacho_status write_profiles(runner *self, const tacho_run_session *session)
{
    uint32_t level = session->module.program.facts.stats.level;
    if ((self->types & (RAW | STATS | TRACE)) != 0 && level < TACHO_STATS_LEVEL_INFERENCE) {
        char text[160];
        snprintf(text, sizeof(text),
                 "the program records nothing: it was compiled with -stats-level=%" PRIu32
                 "; at least 40 is needed",
                 level);
        tacho_talk_line("warning", text);
    }
    if ((self->types & STATS) != 0) {
        TACHO_TRY(tacho_run_qaic_summaries(session, self->out_dir));
    }
    if ((self->types & TRACE) != 0) {
        TACHO_TRY(tacho_run_qaic_trace(session, self->out_dir));
    }
    return (self->types & LATENCY) != 0 ? write_latency(self, session) : TACHO_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Summaries have the vendor's times, with the flush in them: who compares the two should know. */
static void say_flush(const runner *self)
{
    char text[200];
    if (self->qaic.flush.mean > 0) {
        snprintf(text, sizeof(text),
                 "times and rates of the report exclude writing the stats, %.3f us of an "
                 "inference; TotalDuration and summaries include it",
                 self->qaic.flush.mean);
        tacho_talk_line("note", text);
    }
}

static tacho_status print_performance(const runner *self, const tacho_run_session *session,
                                      tacho_output *output)
{
    tacho_table table = {0};
    tacho_recording recording = tacho_run_recording(session);
    tacho_status status = tacho_run_qaic_table(&self->qaic, &recording, &table);
    if (status == TACHO_OK) {
        status = tacho_table_sink_text_alone.write(&table, 0, output);
    }
    tacho_table_deinit(&table);
    tacho_output_write_cstring(output, "\n");
    tacho_run_qaic_print_line(&recording, output);
    say_flush(self);
    return status;
}

/* "DIR: 3 files of raw stats". */
static void say_files(const char *folder, uint64_t count, const char *what)
{
    char text[300];
    if (count > 0) {
        snprintf(text, sizeof(text), "%.200s: %" PRIu64 " file%s of %s", folder, count,
                 count == 1 ? "" : "s", what);
        tacho_talk_line("wrote", text);
    }
}

static void say_wrote(const runner *self, const tacho_run_session *session)
{
    const tacho_program *program = &session->module.program;
    bool has_outputs = self->output_dir != NULL && session->totals.latency_count > 0;
    size_t devices = program->facts.device_count > 0 ? program->facts.device_count : 1;
    uint64_t summaries = 0; /* one per activation */
    for (size_t i = 0; i < session->sample_count; i++) {
        summaries += session->samples[i].result.stats_count / devices;
    }
    tacho_run_say_random(session, false);
    say_files(has_outputs ? self->output_dir : "", has_outputs ? program->output_count : 0,
              "outputs");
    say_files(self->out_dir, session->stats_file_count, "raw stats");
    say_files(self->out_dir, (self->types & STATS) != 0 ? summaries : 0, "summaries");
    say_files(self->out_dir, (self->types & TRACE) != 0 ? 1 : 0, "trace events");
    say_files(self->out_dir, (self->types & LATENCY) != 0 ? 1 : 0, "latencies");
}

static tacho_status print_all(const runner *self, const tacho_run_session *session)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    tacho_status status = print_performance(self, session, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status run_session(runner *self, tacho_run_session *session)
{
    tacho_status status = tacho_run_talk_open(session, &self->request);
    if (status != TACHO_OK && session->module.was_compiled) {
        return tacho_status_add_note(status, "%s must be a program written by qaic-compile",
                                     self->request.path);
    }
    TACHO_TRY(status);
    if (session->module.was_compiled) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a program written by qaic-compile",
                          self->request.path);
    }
    tacho_run_say_device(session);
    TACHO_TRY(tacho_run_talk_go(session));
    TACHO_TRY(write_outputs(self, session));
    TACHO_TRY(write_profiles(self, session));
    return print_all(self, session);
}

static int run_chosen(runner *self)
{
    tacho_run_session session;
    tacho_status status = run_session(self, &session);
    int exit_code = status != TACHO_OK       ? tacho_talk_failure(status)
                    : session.is_interrupted ? TACHO_EXIT_INTERRUPTED
                                             : TACHO_EXIT_DONE;
    if (status == TACHO_OK && !self->request.is_quiet) {
        say_wrote(self, &session);
    }
    tacho_run_close(&session);
    return exit_code;
}

static int qaic_runner_run(const tacho_arguments *arguments)
{
    runner self = {
        .request = {.device = "sim",
                    .is_quiet = tacho_arguments_has(arguments, "quiet"),
                    .notes = &tacho_talk_notes,
                    .moves_values = true,
                    .compile = {.machine = MACHINE}},
    };
    int exit_code = TACHO_EXIT_USAGE;
    tacho_arena_init(&self.arena);
    if (choose_folders(arguments, &self) && choose_types(arguments, &self) &&
        choose_counts(arguments, &self)) {
        tacho_status status = name_files(arguments, &self);
        exit_code = status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
    }
    if (exit_code == TACHO_EXIT_DONE) {
        /* Without raw stats the folder is checked all the same, before anything runs. */
        self.request.stats_dir = self.types != 0 ? self.out_dir : NULL;
        self.request.keeps_stats_in_memory = (self.types & RAW) == 0;
        /* Summaries and the trace are made of all records at the end. */
        self.request.held_bytes_max = (self.types & (STATS | TRACE)) == 0 ? 1 : 0;
        self.request.take = tacho_run_qaic_take;
        self.request.taker = &self.qaic;
        self.qaic.keeps_rows = (self.types & LATENCY) != 0;
        if (!self.request.is_quiet) {
            say_ignored(arguments);
        }
        exit_code = run_chosen(&self);
    }
    tacho_run_qaic_deinit(&self.qaic);
    tacho_arena_deinit(&self.arena);
    return exit_code;
}

const tacho_command tacho_dropin_qaic_runner = {
    .name = "qaic-runner",
    .is_dropin = true,
    .summary = "run a program for Cloud AI 100, with the vendor's options",
    .usage = "--test-data=DIR [options]",
    .description =
        "Runs DIR/" PROGRAM ", as qaic-compile writes it, on a simulated card and prints the\n"
        "inference times. Values are exact; times are simulated and not representative of\n"
        "hardware. Raw stats go to files named\n"
        "aic-profiling-program-<P>-activation-<A>-inf-<I>-<network>-aiccyclecounts.bin, for\n"
        "qaic-opstats and 'tacho convert --program'. 'tacho run' does the same and more.",
    .examples = "qaic-runner --test-data=./binaries --aic-profiling-type=raw_device_stats "
                "--aic-profiling-out-dir=./stats --aic-profiling-num-samples=5 "
                "--aic-profiling-start-iter 1 --num-iter=100\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = qaic_runner_run,
};
