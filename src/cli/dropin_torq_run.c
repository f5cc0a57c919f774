/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-run-module and iree-run-module: Torq's runtime, with its flags. They print what IREE's tool
 * prints, and with profiling the time of each block; files are written whatever the program
 * records.
 */
#include "analyses/analysis.h"
#include "cli/run_options.h"
#include "cli/run_talk.h"
#include "cli/talk.h"
#include "session/run_notes.h"
#include "session/torq.h"

enum { SHOWN_ELEMENTS = 1024 };

/* What the command line says. */
typedef struct module_run {
    tacho_run_request request;
    tacho_run_outputs outputs;
    tacho_run_profile_file jobs, host; /* of Torq's forms */
    bool is_torq;                      /* the program has to be */
    tacho_arena arena;
} module_run;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("module", 0, "FILE", "the program, as torq-compile writes it",
                    TACHO_INTO_TEXT(module_run, request.path)),
    TACHO_OPT_VALUE("device", 0, "NAME",
                    "torq (simulated accelerator), local-sync (this computer) or a tacho device "
                    "(default: torq)"),
    TACHO_OPT_VALUE("function", 0, "NAME", "function to call (default: the program's only one)",
                    TACHO_INTO_TEXT(module_run, request.function)),
    TACHO_OPT_VALUE(
        "input", 0, "VALUE",
        "the next input: 1x1280xi8=0, 4xf32=1 2 3 4, @x.npy; repeatable (default: seeded random)"),
    TACHO_OPT_VALUE("output", 0, "@FILE",
                    "write the next result to FILE as .npy, - to print it, empty to drop it; "
                    "repeatable (default: print)"),
    TACHO_OPT_VALUE("torq_profile", 0, "CSV", "write job times to FILE (R0)",
                    TACHO_INTO_TEXT(module_run, jobs.path)),
    TACHO_OPT_VALUE("torq_profile_host", 0, "CSV", "write the times of host actions to FILE (R1)",
                    TACHO_INTO_TEXT(module_run, host.path)),
    TACHO_OPT_VALUE("torq_profile_host_format", 0, "r1|r2",
                    "format of that file; r2 is that of later runtimes (default: r1)",
                    TACHO_INTO(WORD, module_run, host.torq_form, TACHO_RUN_R1, 0, NULL)),
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",
                   TACHO_INTO_FLAG(module_run, request.is_quiet)),
    TACHO_OPTION_HELP,
};

/* ---- options ------------------------------------------------------------------------------- */

static bool check_options(const tacho_arguments *arguments, const module_run *run)
{
    const char *jobs = run->jobs.path, *host = run->host.path;
    if (arguments->word_count > 0) {
        tacho_command_misuse(arguments->command,
                             "unexpected argument '%s'; give the module with --module=FILE",
                             arguments->words[0]);
    } else if (run->request.path == NULL) {
        tacho_command_misuse(arguments->command, "no module given; use --module=FILE");
    } else if (jobs != NULL && host != NULL && strcmp(jobs, host) == 0) {
        tacho_command_misuse(arguments->command, "the two profiles cannot both go to %s", jobs);
    } else {
        return true;
    }
    return false;
}

static int choose(const tacho_arguments *arguments, module_run *run)
{
    const char *device = tacho_arguments_value(arguments, "device");
    if (!tacho_arguments_fill(arguments, run) || !check_options(arguments, run)) {
        return TACHO_EXIT_USAGE;
    }
    run->is_torq = device == NULL || strcmp(device, "torq") == 0;
    run->request.device = run->is_torq ? "sim" : strncmp(device, "local-", 6) == 0 ? "cpu" : device;
    int exit_code = tacho_run_choose_list(arguments, "input", "", &run->arena, &run->request.inputs,
                                          &run->request.input_count);
    return exit_code != TACHO_EXIT_DONE
               ? exit_code
               : tacho_run_choose_list(arguments, "output", "", &run->arena, &run->outputs.texts,
                                       &run->outputs.text_count);
}

/* ---- the run ------------------------------------------------------------------------------- */

static tacho_status check_module(const module_run *run, tacho_run_session *session)
{
    const tacho_program *program = &session->module.program;
    tacho_str machine = tacho_run_string(session, program->facts.machine);
    if (run->is_torq && !tacho_str_starts_with(machine, TACHO_STR("torq"))) {
        return tacho_fail(TACHO_CODE_USAGE, "%s was compiled for %s, not for Torq; use 'tacho run'",
                          run->request.path, machine.data);
    }
    if (session->random_inputs > 0 && run->request.input_count > 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%zu input%s given, but the program has %zu",
                          run->request.input_count, run->request.input_count == 1 ? " is" : "s are",
                          program->input_count);
    }
    TACHO_TRY(tacho_run_torq_check_output(session, run->jobs.path));
    TACHO_TRY(tacho_run_torq_check_output(session, run->host.path));
    return tacho_run_outputs_check(&run->outputs, session);
}

static tacho_status print_table(void *output, const tacho_table *table)
{
    if (table->cell_count == 0) {
        return TACHO_OK;
    }
    tacho_output_write_cstring(output, "\n");
    return tacho_table_sink_text_alone.write(table, 0, output);
}

/* Where the device tells when blocks ran. */
static tacho_status print_blocks(const tacho_run_session *session, tacho_output *output)
{
    if (session->sample_count > 0 && session->samples[0].result.block_count == 0) {
        return TACHO_OK;
    }
    tacho_recording recording = tacho_run_recording(session);
    const tacho_table_taker taker = {print_table, output};
    return tacho_analysis_blocks.make(&recording, NULL, &taker);
}

/* What IREE's tool calls the function: "main" of main$async_dispatch_0. */
static void print_function(const module_run *run, const tacho_run_session *session,
                           tacho_output *output)
{
    tacho_str name = run->request.function != NULL
                         ? tacho_str_from_cstring(run->request.function)
                         : tacho_run_string(session, session->module.program.facts.name);
    tacho_output_write_cstring(output, "EXEC @");
    for (size_t i = 0; i < name.len && name.data[i] != '$'; i++) {
        tacho_output_write(output, name.data[i] >= ' ' ? &name.data[i] : "?", 1);
    }
    tacho_output_write_cstring(output, "\n");
}

static tacho_status print_results(const module_run *run, const tacho_run_session *session)
{
    bool is_profiled = run->jobs.path != NULL || run->host.path != NULL;
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    print_function(run, session, &output);
    tacho_status status = tacho_run_outputs_print(&run->outputs, session, &output);
    if (status == TACHO_OK && is_profiled && !run->request.is_quiet) {
        status = print_blocks(session, &output);
    }
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status finish(const module_run *run, const tacho_run_session *session)
{
    const char *path = run->host.path != NULL ? run->host.path : run->jobs.path;
    TACHO_TRY(tacho_run_outputs_write(&run->outputs, session));
    TACHO_TRY(tacho_run_profile_file_write(&run->jobs, session));
    TACHO_TRY(tacho_run_profile_file_write(&run->host, session));
    if (path != NULL && !run->request.is_quiet) {
        tacho_run_torq_say_origin(session, path);
    }
    TACHO_TRY(print_results(run, session));
    if (run->request.is_quiet) {
        return TACHO_OK;
    }
    tacho_run_say_random(session, false);
    if (run->jobs.path != NULL) {
        tacho_talk("wrote", "%s: the times of jobs", run->jobs.path);
    }
    if (run->host.path != NULL) {
        tacho_talk("wrote", "%s: the times of the host", run->host.path);
    }
    return TACHO_OK;
}

static int run_module(const module_run *run)
{
    tacho_run_session session;
    tacho_status status = tacho_run_talk_open(&session, &run->request);
    if (status == TACHO_OK) {
        status = check_module(run, &session);
    }
    if (status == TACHO_OK) {
        tacho_run_say_device(&session);
        status = tacho_run_talk_go(&session);
    }
    if (status == TACHO_OK) {
        status = finish(run, &session);
    }
    return tacho_run_talk_close(&session, status, false);
}

static int module_command_run(const tacho_arguments *arguments)
{
    module_run run = {
        .request = {.iterations = 1,
                    .sampling = {.count = 1},
                    .device_options = {.threads = 1, .activations = 1, .has_fine_timer = true},
                    .notes = &tacho_talk_notes,
                    .compile = {.machine = TACHO_DEFAULT_MACHINE,
                                .compile = {.stats = {.batch_size = 1}}}},
        .outputs = {.element_max = SHOWN_ELEMENTS, .is_iree = true},
        .jobs = {.torq_form = TACHO_RUN_R0},
        .host = {.torq_form = TACHO_RUN_R1},
    };
    tacho_arena_init(&run.arena);
    int exit_code = choose(arguments, &run);
    exit_code = exit_code == TACHO_EXIT_DONE ? run_module(&run) : exit_code;
    tacho_arena_deinit(&run.arena);
    return exit_code;
}

#define DESCRIPTION                                                                                \
    "Runs a program that torq-compile wrote, on the simulated accelerator, and prints its\n"       \
    "results. Values are exact; times are simulated and not representative of\n"                   \
    "hardware. --torq_profile and --torq_profile_host print the times of its blocks (NSS\n"        \
    "programs) and write them for annotate_profiling.py and perfetto_logger.py.\n"                 \
    "'tacho run' does the same and more."

const tacho_command tacho_dropin_torq_run_module = {
    .name = "torq-run-module",
    .is_dropin = true,
    .summary = "run a program for Torq, with the options of the vendor's runtime",
    .usage = "--module=FILE [--input=VALUE]... [options]",
    .description = DESCRIPTION,
    .examples = "torq-run-module --module=model.vmfb --input=\"1x56x56x24xi8=1\" "
                "--torq_profile_host=./runtime.csv\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = module_command_run,
};

const tacho_command tacho_dropin_iree_run_module = {
    .name = "iree-run-module",
    .is_dropin = true,
    .summary = "run a program for Torq, with the options of IREE's tool",
    .usage = "--module=FILE [--device=torq] [--input=VALUE]... [options]",
    .description = DESCRIPTION,
    .examples = "iree-run-module --device=torq --module=model.vmfb --input=\"1x1280xi8=0\" "
                "--torq_profile=./runtime.csv\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = module_command_run,
};
