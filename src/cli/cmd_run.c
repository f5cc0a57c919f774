/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho run: what does this network compute, and where does its time go?
 */
#include "cli/command.h"
#include "cli/compile_options.h"
#include "cli/listing.h"
#include "analyses/compare.h"
#include "cli/run_options.h"
#include "cli/run_talk.h"
#include "cli/run_report.h"
#include "session/torq.h"
#include "sinks/torq/runtime.h"
#include "cli/talk.h"

#include <stdio.h>
#include <stdlib.h>

/* What --compare takes medians of where it measures, unless told. */
enum { COMPARED_RUNS = 10, COMPARED_RUNS_MAX = 100 };

enum { DEFAULT_TOP = 10, SHOWN_ELEMENTS = 32, ACTIVATIONS_MAX = 1024, THREADS_MAX = 1024 };

static const tacho_option options[] = {
    {"device", 'd', false, "DEVICE",
     "the device to run on: sim (the machine that the program was compiled for), sim:MACHINE, "
     "cpu, null "
     "(default: sim; a model is compiled for " TACHO_DEFAULT_MACHINE ")"},
    {"machine", 'm', false, "NAME", "same as --device sim:NAME"},
    {"input", 'i', TACHO_TAKES_EACH, "VALUE",
     "value of the next input, or NAME=VALUE for a named one: 1x1280xi8=0, 4xf32=1 2 3 4, @x.npy, "
     "@x.pb; repeatable (default: seeded random)"},
    {"seed", 0, false, "N", "seed for inputs without a value (default: 0)"},
    {"output", 0, TACHO_TAKES_EACH, "@FILE",
     "write the next output to FILE as .npy, or as raw bytes to .bin; - prints it; repeatable "
     "(default: print)"},
    {"function", 'f', false, "NAME", "fail if the program has no function of this name"},
    {"iterations", 'n', false, "N", "number of inferences (default: 1; with --compare on cpu: 11)"},
    {"activations", 'a', false, "N",
     "number of copies of the program, each on its own cores (default: 1)"},
    {"kernels", 0, false, "fast|reference", "how values are computed (default: fast)"},
    {"threads", 0, false, "N", "host threads that compute values (default: 1)"},
    {"no-values", 0, false, NULL, "sim: times only; do not compute values"},
    {"force", 0, false, NULL,
     "run a program, or compile a model, that exceeds a limit of work or memory"},
    {"unlimited", 0, false, NULL, "sim: disable contention; reproduces the estimate"},
    {"profile", 0, false, "FILE",
     "write the recording to FILE, with each operator's estimate; the suffix selects the format: "
     ".tacho (complete, for tacho itself), .pb, .json, .csv ..."},
    {"profile-format", 0, false, "FORMAT",
     "format of the recording: a trace format of 'tacho help formats', or Torq's r0, r1 or r2"},
    {"stats-dir", 0, false, "DIR",
     "write the raw stats of each recorded inference to DIR, one file per activation and device"},
    {"samples", 0, false, "N",
     "number of inferences to record (default: 1; with --compare on cpu: all but the first, up to "
     "100)"},
    {"start-iteration", 0, false, "N",
     "first iteration to record, counted from 0 (default: 0; 1 when several are measured)"},
    {"start-delay", 0, false, "MS",
     "start recording after this much device time, at the latest with the last inference"},
    {"compare", 0, false, NULL,
     "also print each operator's estimate, named stalls and the fitted clock"},
    {"blocks", 0, false, NULL, "also print when each block (NSS program) ran"},
    {"no-tables", 0, false, NULL, "print outputs only"},
    {"top", 0, false, "N", "operators to list, 0 for all (default: 10)"},
    {"cores", 0, false, "N", "models only: use at most this many cores"},
    {"stats-level", 0, false, "N",
     "models only: what the program records, as for 'tacho compile' (default: 70)"},
    {"dim", 0, TACHO_TAKES_EACH, "NAME=N",
     "models only: the size of a dimension that it leaves open, or the sizes of an input: "
     "x=1x3x224x224; repeatable"},
    {"bind", 0, TACHO_TAKES_EACH, "NAME=VALUE",
     "models only: fix an input, as for 'tacho compile'; repeatable"},
    {"weights", 0, false, "random:SEED", "models only: use seeded random weights"},
    TACHO_OPTIONS_TABLES,
    TACHO_OPTIONS_COMMON,
};

/* What the command line says. */
typedef struct run_choice {
    tacho_run_request request;
    tacho_run_report report;
    tacho_run_outputs outputs;
    const char *profile_path;
    const tacho_trace_sink *profile_sink; /* NULL: a Torq file */
    tacho_run_torq_form torq_form;
    bool has_top;      /* somebody asked for operators */
    tacho_arena arena; /* sizes of dimensions */
    const char **inputs, **output_texts;
    int exit_code; /* where something is not chosen */
} run_choice;

/* ---- options ------------------------------------------------------------------------------- */

static bool choose_path(const tacho_arguments *arguments, run_choice *choice)
{
    size_t count = arguments->word_count;
    choice->request.path = count == 1 ? arguments->words[0] : NULL;
    if (choice->request.path == NULL) {
        tacho_command_misuse(arguments->command,
                             count == 0
                                 ? "no program given; name a program, or an .onnx or .mlir file"
                                 : "more than one program given");
    }
    return choice->request.path != NULL;
}

static bool choose_lists(const tacho_arguments *arguments, run_choice *choice)
{
    choice->inputs = tacho_run_choose_list(arguments, "input", &choice->request.input_count);
    choice->output_texts = tacho_run_choose_list(arguments, "output", &choice->outputs.text_count);
    choice->request.inputs = choice->inputs;
    choice->outputs.texts = choice->output_texts;
    return choice->inputs != NULL && choice->output_texts != NULL;
}

static bool choose_device_options(const tacho_arguments *arguments, run_choice *choice)
{
    tacho_device_options *device = &choice->request.device_options;
    const char *kernels = tacho_arguments_value(arguments, "kernels");
    uint64_t activations = 1;
    uint64_t threads = 1;
    device->has_fine_timer = true;
    device->is_unlimited = tacho_arguments_has(arguments, "unlimited");
    device->skips_values = tacho_arguments_has(arguments, "no-values");
    device->is_forced = tacho_arguments_has(arguments, "force");
    device->kernels = kernels != NULL && strcmp(kernels, "reference") == 0 ? TACHO_KERNELS_REFERENCE
                                                                           : TACHO_KERNELS_FAST;
    if (kernels != NULL && strcmp(kernels, "reference") != 0 && strcmp(kernels, "fast") != 0) {
        tacho_command_misuse(arguments->command,
                             "--kernels: unknown value '%s'; use fast or reference", kernels);
        return false;
    }
    if (!tacho_run_choose_count(arguments, "activations", 1, ACTIVATIONS_MAX, &activations) ||
        !tacho_run_choose_count(arguments, "threads", 1, THREADS_MAX, &threads)) {
        return false;
    }
    device->activations = (uint32_t)activations;
    device->threads = (uint32_t)threads;
    return true;
}

static bool choose_sampling(const tacho_arguments *arguments, run_choice *choice)
{
    tacho_run_request *request = &choice->request;
    tacho_run_sampling *sampling = &request->sampling;
    uint64_t delay = 0;
    request->iterations = 1;
    sampling->count = 1;
    if (!tacho_run_choose_count(arguments, "iterations", 1, TACHO_RUN_ITERATIONS_MAX,
                                &request->iterations) ||
        !tacho_run_choose_count(arguments, "seed", 0, UINT64_MAX, &request->seed) ||
        !tacho_run_choose_count(arguments, "samples", 0, TACHO_RUN_ITERATIONS_MAX,
                                &sampling->count)) {
        return false;
    }
    bool is_measured = strcmp(request->device, "cpu") == 0;
    bool compares = is_measured && tacho_arguments_has(arguments, "compare");
    if (compares && !tacho_arguments_has(arguments, "iterations")) {
        request->iterations = COMPARED_RUNS + 1;
    }
    if (compares && !tacho_arguments_has(arguments, "samples") && request->iterations > 1) {
        uint64_t after_first = request->iterations - 1;
        sampling->count = after_first < COMPARED_RUNS_MAX ? after_first : COMPARED_RUNS_MAX;
    }
    /* The first inference of a computer is slow: caches are cold, pages are new. */
    sampling->start = is_measured && request->iterations > 1 ? 1 : 0;
    if (!tacho_run_choose_count(arguments, "start-iteration", 0, request->iterations - 1,
                                &sampling->start) ||
        !tacho_run_choose_count(arguments, "start-delay", 0, INT32_MAX, &delay)) {
        return false;
    }
    sampling->delay_ms = (int64_t)delay;
    return true;
}

static bool choose_profile(const tacho_arguments *arguments, run_choice *choice)
{
    const char *format = tacho_arguments_value(arguments, "profile-format");
    const char *path = tacho_arguments_value(arguments, "profile");
    choice->profile_path = path;
    choice->request.held_bytes_max = path == NULL ? TACHO_RUN_HELD_BYTES : 0;
    if (path == NULL) {
        if (format != NULL) {
            tacho_command_misuse(arguments->command, "--profile-format needs --profile FILE");
        }
        return format == NULL;
    }
    if (format != NULL && tacho_run_torq_form_find(format, &choice->torq_form)) {
        return true;
    }
    choice->profile_sink = format != NULL
                               ? tacho_trace_sink_find(tacho_str_from_cstring(format))
                               : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    if (choice->profile_sink == NULL) {
        tacho_command_misuse(
            arguments->command,
            format != NULL
                ? "--profile-format: unknown format '%s'; use r0, r1, r2 or a trace format of "
                  "'tacho help formats'"
                : "'%s' has no known trace suffix; use one such as .pb, or --profile-format FORMAT",
            format != NULL ? format : path);
    }
    return choice->profile_sink != NULL;
}

/* What a model leaves open. Memory may be short, which is no misuse. */
static bool choose_sizes(const tacho_arguments *arguments, run_choice *choice)
{
    tacho_model_options *model = &choice->request.compile.model;
    int exit_code = tacho_compile_choose_dims(arguments, &choice->arena, model);
    if (exit_code == 0) {
        exit_code = tacho_compile_choose_binds(arguments, &choice->arena, model);
    }
    choice->exit_code = exit_code == 0 ? choice->exit_code : exit_code;
    return exit_code == 0;
}

static bool choose_compile(const tacho_arguments *arguments, run_choice *choice)
{
    static const tacho_stats_options names = {"stats-level", "", "", "", ""};
    static const char *const of_models[] = {"cores", "stats-level", "dim", "bind", "weights"};
    tacho_run_compile *compile = &choice->request.compile;
    uint64_t cores = 0;
    const char *recipe = NULL;
    bool is_program = tacho_run_is_program(choice->request.path);
    for (size_t i = 0; is_program && i < sizeof(of_models) / sizeof(of_models[0]); i++) {
        if (tacho_arguments_has(arguments, of_models[i])) {
            tacho_command_misuse(arguments->command,
                                 "--%s: %s is a program, and has been compiled already",
                                 of_models[i], choice->request.path);
            return false;
        }
    }
    compile->machine = tacho_run_device_machine(choice->request.device);
    compile->activations = choice->request.device_options.activations;
    const tacho_device_type *type = tacho_run_device_type(choice->request.device);
    if (type != NULL && !type->is_simulated) {
        compile->threads = choice->request.device_options.threads;
    }
    if (!tacho_compile_choose_weights(arguments, &compile->model) ||
        !choose_sizes(arguments, choice) ||
        !tacho_run_choose_count(arguments, "cores", 1, UINT16_MAX, &cores) ||
        !tacho_compile_choose_stats(arguments, &names, &compile->compile.stats, &recipe)) {
        return false;
    }
    compile->compile.cores = (uint32_t)cores;
    compile->compile.bytes_max = choice->request.device_options.is_forced ? UINT64_MAX : 0;
    if (!tacho_arguments_has(arguments, "stats-level")) {
        compile->compile.stats.level = TACHO_STATS_LEVEL_OPS;
    }
    return true;
}

static bool choose_report(const tacho_arguments *arguments, run_choice *choice)
{
    uint64_t top = DEFAULT_TOP;
    choice->request.is_quiet = tacho_arguments_has(arguments, "quiet");
    choice->request.notes = &tacho_talk_notes;
    choice->request.function = tacho_arguments_value(arguments, "function");
    choice->request.stats_dir = tacho_arguments_value(arguments, "stats-dir");
    choice->request.makes_stats_dir = true;
    choice->report.compares = tacho_arguments_has(arguments, "compare");
    choice->report.has_blocks = tacho_arguments_has(arguments, "blocks");
    choice->report.omits_tables = tacho_arguments_has(arguments, "no-tables");
    choice->report.outputs = &choice->outputs;
    choice->outputs.element_max = SHOWN_ELEMENTS;
    choice->report.sink = tacho_listing_choose_sink(arguments, "-");
    if (choice->report.sink == NULL ||
        !tacho_run_choose_count(arguments, "top", 0, INT32_MAX, &top)) {
        return false;
    }
    choice->report.top = (size_t)top;
    choice->has_top = tacho_arguments_has(arguments, "top");
    for (size_t i = 0; i < choice->outputs.text_count; i++) {
        if (strcmp(choice->outputs.texts[i], "-") == 0 &&
            choice->report.sink != &tacho_table_sink_text) {
            tacho_command_misuse(arguments->command, "--output - prints text, and --format asks "
                                                     "for tables only; use --output @FILE.npy");
            return false;
        }
    }
    return true;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static tacho_status write_profile(const run_choice *choice, const tacho_run_session *session)
{
    tacho_recording recording = tacho_run_recording(session);
    return choice->profile_sink != NULL
               ? tacho_run_profile_write(session, choice->profile_sink, choice->profile_path)
               : tacho_run_torq_write_file(&recording, choice->torq_form, choice->profile_path);
}

static tacho_status write_files(const run_choice *choice, const tacho_run_session *session)
{
    TACHO_TRY(tacho_run_outputs_write(&choice->outputs, session));
    return choice->profile_path != NULL ? write_profile(choice, session) : TACHO_OK;
}

/* Asked for are those that were, or one where nobody asked. */
static void say_samples(const run_choice *choice, const tacho_run_session *session)
{
    char text[160];
    uint32_t level = session->module.program.facts.stats.level;
    uint64_t asked = choice->request.sampling.count;
    if (session->sample_count < session->totals.recorded_count && !choice->report.omits_tables) {
        snprintf(text, sizeof(text),
                 "operators are those of the first %zu of %llu recorded inferences",
                 session->sample_count, (unsigned long long)session->totals.recorded_count);
        tacho_talk_line("note", text);
    }
    if (session->totals.recorded_count < asked && !session->is_interrupted &&
        level >= TACHO_STATS_LEVEL_INFERENCE) {
        snprintf(text, sizeof(text),
                 "%llu of %llu samples: %llu iteration%s from number %llu on; -n runs more",
                 (unsigned long long)session->totals.recorded_count, (unsigned long long)asked,
                 (unsigned long long)choice->request.iterations,
                 choice->request.iterations == 1 ? "" : "s",
                 (unsigned long long)choice->request.sampling.start);
        tacho_talk_line("note", text);
    }
}

/* Torq's older forms are of one inference. */
static void say_profile(const run_choice *choice, const tacho_run_session *session)
{
    char text[512];
    size_t count = session->sample_count;
    size_t written =
        choice->profile_sink == NULL ? tacho_run_torq_count(choice->torq_form, count) : count;
    if (written < count) {
        snprintf(text, sizeof(text),
                 "%.200s: the first of %zu recorded inferences; this format has one, r2 all",
                 choice->profile_path, count);
    } else {
        snprintf(text, sizeof(text), "%.200s: %zu recorded inference%s", choice->profile_path,
                 count, count == 1 ? "" : "s");
    }
    tacho_talk_line("wrote", text);
}

/* What a second interrupt leaves: the profile, without the inference that was going on. */
typedef struct rescued_run {
    const run_choice *choice;
    const tacho_run_session *session;
} rescued_run;

static void write_rescued(void *user)
{
    const rescued_run *self = user;
    tacho_talk_line("note", "interrupted during an inference; only recorded data is written");
    if (self->session->sample_count == 0) {
        tacho_talk_line("note", "nothing was recorded");
        return;
    }
    tacho_status status = write_profile(self->choice, self->session);
    if (status != TACHO_OK) {
        tacho_talk_failure(status);
    } else {
        say_profile(self->choice, self->session);
    }
}

static void say_wrote(const run_choice *choice, const tacho_run_session *session)
{
    char text[512];
    tacho_run_say_random(session, true);
    if (choice->has_top && session->module.program.facts.stats.level < TACHO_STATS_LEVEL_OPS) {
        snprintf(text, sizeof(text), "--top: no operators were recorded: stats level %u, not %u",
                 (unsigned)session->module.program.facts.stats.level,
                 (unsigned)TACHO_STATS_LEVEL_OPS);
        tacho_talk_line("note", text);
    }
    tacho_run_outputs_say(&choice->outputs, session);
    if (choice->profile_path != NULL) {
        say_profile(choice, session);
        if (choice->profile_sink == NULL) {
            tacho_run_torq_say_origin(session, choice->profile_path);
        }
    }
    if (session->stats_file_count > 0) {
        snprintf(text, sizeof(text), "%.200s: %llu file%s of raw stats", choice->request.stats_dir,
                 (unsigned long long)session->stats_file_count,
                 session->stats_file_count == 1 ? "" : "s");
        tacho_talk_line("wrote", text);
    }
}

static tacho_status finish(const run_choice *choice, tacho_run_session *session, bool *out_is_lossy)
{
    TACHO_TRY(write_files(choice, session));
    tacho_run_profile profile;
    tacho_status status = tacho_run_profile_init(&profile, session);
    if (status == TACHO_OK) {
        *out_is_lossy = profile.dict.loss_count > 0;
        tacho_talk_losses(&profile.dict);
        status = tacho_run_report_print(&choice->report, session, &profile);
    }
    tacho_run_profile_deinit(&profile);
    if (status == TACHO_OK && !choice->request.is_quiet) {
        say_samples(choice, session);
        say_wrote(choice, session);
    }
    return status;
}

/* Whether there will be something to write; said before it runs rather than after. */
static tacho_status check_recording(const run_choice *choice, const tacho_run_session *session)
{
    uint32_t level = session->module.program.facts.stats.level;
    const char *path =
        choice->profile_sink != NULL ? choice->profile_path : choice->request.stats_dir;
    return path == NULL || level >= TACHO_STATS_LEVEL_INFERENCE
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED,
                            "%s: nothing was recorded: the program was compiled with stats level "
                            "%u, at least 40 is needed",
                            path, (unsigned)level);
}

static tacho_status check_profile(const run_choice *choice, tacho_run_session *session)
{
    if (choice->profile_path == NULL || choice->profile_sink != NULL) {
        return tacho_run_check_output(session, choice->profile_path);
    }
    TACHO_TRY(tacho_run_torq_check(session));
    return tacho_run_torq_check_output(session, choice->profile_path);
}

static int run_chosen(const run_choice *choice)
{
    tacho_run_session session;
    bool is_lossy = false;
    tacho_status status = tacho_run_talk_open(&session, &choice->request);
    if (status == TACHO_OK) {
        status = tacho_run_outputs_check(&choice->outputs, &session);
    }
    if (status == TACHO_OK && choice->report.compares) {
        status = tacho_run_compare_check(&session.module.program);
    }
    if (status == TACHO_OK) {
        status = check_profile(choice, &session);
    }
    if (status == TACHO_OK) {
        tacho_run_say_device(&session);
        status = check_recording(choice, &session);
    }
    if (status == TACHO_OK) {
        rescued_run rescued = {choice, &session};
        session.rescue.write = choice->profile_path != NULL ? write_rescued : NULL;
        session.rescue.user = &rescued;
        status = tacho_run_talk_go(&session);
    }
    if (status == TACHO_OK) {
        status = finish(choice, &session, &is_lossy);
    }
    int exit_code = status != TACHO_OK       ? tacho_talk_failure(status)
                    : session.is_interrupted ? TACHO_EXIT_INTERRUPTED
                    : is_lossy               ? TACHO_EXIT_LOSSY
                                             : TACHO_EXIT_DONE;
    tacho_run_close(&session);
    return exit_code;
}

static int run_with(const tacho_arguments *arguments, run_choice *choice)
{
    if (!choose_lists(arguments, choice)) {
        return TACHO_EXIT_FAILED;
    }
    if (!choose_path(arguments, choice) || !choose_report(arguments, choice)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = tacho_run_choose_device(arguments, &choice->arena, &choice->request.device);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    if (!choose_device_options(arguments, choice) ||
        !tacho_run_check_options(arguments, choice->request.device) ||
        !choose_sampling(arguments, choice) || !choose_profile(arguments, choice) ||
        !choose_compile(arguments, choice)) {
        return choice->exit_code;
    }
    return run_chosen(choice);
}

static int run_command_run(const tacho_arguments *arguments)
{
    run_choice choice = {.exit_code = TACHO_EXIT_USAGE};
    tacho_arena_init(&choice.arena);
    int exit_code = run_with(arguments, &choice);
    free(choice.inputs);
    free(choice.output_texts);
    tacho_arena_deinit(&choice.arena);
    return exit_code;
}

const tacho_command tacho_command_run = {
    .name = "run",
    .summary = "run a program or model and show where the time went",
    .usage = "PROGRAM|MODEL [--device D] [--input VALUE]... [options]",
    .description =
        "Runs a compiled program, or compiles a model (ONNX, MLIR) in memory for the\n"
        "device's machine and runs it. Prints the outputs, inference times (mean, p50,\n"
        "p99), how busy the engines were, and the operators that took the most time.\n"
        "\n"
        "Devices: sim starts from the compiler's cycles for each job and adds contention\n"
        "for queues, shared memory and networks between cores. Its times are simulated,\n"
        "the same on every computer, and not representative of hardware. cpu runs the\n"
        "operators on this computer and measures them with real clocks. null takes no\n"
        "time; it is a skeleton for new devices. Values are computed on this computer in\n"
        "every case.\n"
        "\n"
        "What is recorded is compiled in: level 40 records inferences, level 70\n"
        "operators. --profile writes it for a viewer; --stats-dir writes raw stats, which\n"
        "'tacho convert', 'overview' and 'ops' read with --program. Torq's files (r0, r1,\n"
        "r2) need no level: they say when blocks ran, and 'tacho annotate' joins them\n"
        "with the debug information of 'tacho compile --torq-debug-info'.\n"
        "\n"
        "With --compare each operator is shown next to its estimate. On sim the\n"
        "difference is the sum of named stalls, to the cycle. On cpu it is what remains\n"
        "at the clock that fits all operators best; the measured time is the median of\n"
        "the recorded inferences, and operators computed inside a neighbour's kernel are\n"
        "marked.\n"
        "\n"
        "Ctrl-C ends the run after the current inference: what was recorded is written\n"
        "and printed, and the exit status is 130. A second Ctrl-C abandons that inference\n"
        "and writes only the profile; a third exits at once. SIGTERM abandons the\n"
        "inference if it has not finished after half a second.",
    .examples = "# a model on the simulated default machine, with random inputs\n"
                "tacho run model.onnx\n"
                "# a program with a given input, output to a file\n"
                "tacho run model.vmfb --input=\"1x1280xi8=0\" --output=@y.npy\n"
                "# a hundred times on this computer, with a trace of the second inference\n"
                "tacho run model.onnx --device cpu -n 100 --profile run.pb\n"
                "# where contention costs time\n"
                "tacho run model.onnx --device sim:aic100 --activations 4 --compare\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run_command_run,
};
