/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-run-module and iree-run-module: Torq's runtime, with its flags. They print what IREE's tool
 * prints, and with profiling the time of each block; files are written whatever the program
 * records.
 */
#include "cli/run_options.h"
#include "cli/run_talk.h"
#include "cli/run_outputs.h"
#include "analyses/analysis.h"
#include "session/torq.h"
#include "sinks/torq/runtime.h"
#include "cli/talk.h"
#include "sinks/table_sink.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_ELEMENTS = 1024 };

static const tacho_option options[] = {
    {"module", 0, false, "FILE", "the program, as torq-compile writes it"},
    {"device", 0, false, "NAME",
     "torq (simulated accelerator), local-sync (this computer) or a tacho device (default: torq)"},
    {"function", 0, false, "NAME", "function to call (default: the program's only one)"},
    {"input", 0, false, "VALUE",
     "the next input: 1x1280xi8=0, 4xf32=1 2 3 4, @x.npy; repeatable (default: seeded random)"},
    {"output", 0, false, "@FILE",
     "write the next result to FILE as .npy, - to print it, empty to drop it; repeatable (default: "
     "print)"},
    {"torq_profile", 0, false, "CSV", "write job times to FILE (R0)"},
    {"torq_profile_host", 0, false, "CSV", "write the times of host actions to FILE (R1)"},
    {"torq_profile_host_format", 0, false, "r1|r2",
     "format of that file; r2 is that of later runtimes (default: r1)"},
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

/* What the command line says. */
typedef struct module_run {
    tacho_run_request request;
    tacho_run_outputs outputs;
    const char *jobs_path, *host_path;
    tacho_run_torq_form host_form;
    bool is_torq; /* the program has to be */
} module_run;

/* ---- options ------------------------------------------------------------------------------- */

static bool choose_module(const tacho_arguments *arguments, module_run *run)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == NULL) {
            tacho_command_misuse(arguments->command,
                                 "unexpected argument '%s'; give the module with --module=FILE",
                                 arguments->items[i].value);
            return false;
        }
    }
    run->request.path = tacho_arguments_value(arguments, "module");
    if (run->request.path == NULL) {
        tacho_command_misuse(arguments->command, "no module given; use --module=FILE");
    }
    return run->request.path != NULL;
}

static void choose_device(const tacho_arguments *arguments, module_run *run)
{
    const char *device = tacho_arguments_value(arguments, "device");
    run->is_torq = device == NULL || strcmp(device, "torq") == 0;
    run->request.device = run->is_torq ? "sim" : strncmp(device, "local-", 6) == 0 ? "cpu" : device;
    run->request.device_options = (tacho_device_options){
        .threads = 1,
        .activations = 1,
        .has_fine_timer = true,
    };
}

static bool choose_profiles(const tacho_arguments *arguments, module_run *run)
{
    const char *form = tacho_arguments_value(arguments, "torq_profile_host_format");
    run->jobs_path = tacho_arguments_value(arguments, "torq_profile");
    run->host_path = tacho_arguments_value(arguments, "torq_profile_host");
    run->host_form = TACHO_RUN_R1;
    if (form != NULL &&
        (!tacho_run_torq_form_find(form, &run->host_form) || run->host_form == TACHO_RUN_R0)) {
        tacho_command_misuse(arguments->command,
                             "--torq_profile_host_format: unknown value '%s'; use r1 or r2", form);
        return false;
    }
    if (run->jobs_path != NULL && run->host_path != NULL &&
        strcmp(run->jobs_path, run->host_path) == 0) {
        tacho_command_misuse(arguments->command, "the two profiles cannot both go to %s",
                             run->jobs_path);
        return false;
    }
    return true;
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
    TACHO_TRY(tacho_run_torq_check_output(session, run->jobs_path));
    TACHO_TRY(tacho_run_torq_check_output(session, run->host_path));
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
    bool is_profiled = run->jobs_path != NULL || run->host_path != NULL;
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    print_function(run, session, &output);
    tacho_status status = tacho_run_outputs_print(&run->outputs, session, true, &output);
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
    tacho_recording recording = tacho_run_recording(session);
    TACHO_TRY(tacho_run_outputs_write(&run->outputs, session));
    if (run->jobs_path != NULL) {
        TACHO_TRY(tacho_run_torq_write_file(&recording, TACHO_RUN_R0, run->jobs_path));
    }
    if (run->host_path != NULL) {
        TACHO_TRY(tacho_run_torq_write_file(&recording, run->host_form, run->host_path));
    }
    if ((run->jobs_path != NULL || run->host_path != NULL) && !run->request.is_quiet) {
        tacho_run_torq_say_origin(session,
                                  run->host_path != NULL ? run->host_path : run->jobs_path);
    }
    return print_results(run, session);
}

static void say_wrote(const char *path, const char *what)
{
    char text[300];
    if (path != NULL) {
        snprintf(text, sizeof(text), "%.200s: %s", path, what);
        tacho_talk_line("wrote", text);
    }
}

static void say_done(const module_run *run, const tacho_run_session *session)
{
    tacho_run_say_random(session, false);
    say_wrote(run->jobs_path, "the times of jobs");
    say_wrote(run->host_path, "the times of the host");
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
    if (status == TACHO_OK && !run->request.is_quiet) {
        say_done(run, &session);
    }
    int exit_code = status != TACHO_OK       ? tacho_talk_failure(status)
                    : session.is_interrupted ? TACHO_EXIT_INTERRUPTED
                                             : TACHO_EXIT_DONE;
    tacho_run_close(&session);
    return exit_code;
}

static int module_command_run(const tacho_arguments *arguments)
{
    module_run run = {
        .request =
            {
                .function = tacho_arguments_value(arguments, "function"),
                .iterations = 1,
                .sampling = {.count = 1},
                .is_quiet = tacho_arguments_has(arguments, "quiet"),
                .notes = &tacho_talk_notes,
                .compile = {.machine = tacho_run_device_machine(TACHO_RUN_DEFAULT_DEVICE),
                            .compile = {.stats = {.batch_size = 1}}},
            },
        .outputs = {.element_max = SHOWN_ELEMENTS},
    };
    const char **inputs = tacho_run_choose_list(arguments, "input", &run.request.input_count);
    const char **outputs = tacho_run_choose_list(arguments, "output", &run.outputs.text_count);
    bool has_lists = inputs != NULL && outputs != NULL;
    int exit_code = has_lists ? TACHO_EXIT_USAGE : TACHO_EXIT_FAILED;
    run.request.inputs = inputs;
    run.outputs.texts = outputs;
    choose_device(arguments, &run);
    if (has_lists && choose_module(arguments, &run) && choose_profiles(arguments, &run)) {
        exit_code = run_module(&run);
    }
    free(inputs);
    free(outputs);
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
