/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-run-module and iree-run-module: Torq's runtime, with its flags. They print what IREE's tool
 * prints, and with profiling the time of each block; files are written whatever the program
 * records.
 */
#include "cli/run_options.h"
#include "cli/run_talk.h"
#include "cli/talk.h"
#include "vendors/tenstorrent/run_client.h"
#include "vendors/torq/run_module.h"

enum { SHOWN_ELEMENTS = 1024 };

/* What the command line says. */
typedef struct module_run {
    tacho_module_run module;
    tacho_arena arena;
} module_run;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("module", 0, "FILE", "the program, as torq-compile writes it",
                    TACHO_INTO_TEXT(module_run, module.request.path)),
    TACHO_OPT_VALUE("device", 0, "NAME",
                    "torq (simulated accelerator), local-sync (this computer) or a tacho device "
                    "(default: torq)"),
    TACHO_OPT_VALUE("function", 0, "NAME", "function to call (default: the program's only one)",
                    TACHO_INTO_TEXT(module_run, module.request.function)),
    TACHO_OPT_VALUE(
        "input", 0, "VALUE",
        "the next input: 1x1280xi8=0, 4xf32=1 2 3 4, @x.npy; repeatable (default: seeded random)"),
    TACHO_OPT_VALUE("output", 0, "@FILE",
                    "write the next result to FILE as .npy, - to print it, empty to drop it; "
                    "repeatable (default: print)"),
    TACHO_OPT_VALUE("torq_profile", 0, "CSV", "write job times to FILE (R0)",
                    TACHO_INTO_TEXT(module_run, module.jobs.path)),
    TACHO_OPT_VALUE("torq_profile_host", 0, "CSV", "write the times of host actions to FILE (R1)",
                    TACHO_INTO_TEXT(module_run, module.host.path)),
    TACHO_OPT_VALUE("torq_profile_host_format", 0, "r1|r2",
                    "format of that file; r2 is that of later runtimes (default: r1)",
                    TACHO_INTO(WORD, module_run, module.host.torq_form, TACHO_RUN_R1, 0, NULL)),
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",
                   TACHO_INTO_FLAG(module_run, module.request.is_quiet)),
    TACHO_OPTION_HELP,
};

/* ---- options ------------------------------------------------------------------------------- */

static bool check_options(const tacho_arguments *arguments, const module_run *run)
{
    const char *jobs = run->module.jobs.path, *host = run->module.host.path;
    if (arguments->word_count > 0) {
        tacho_command_misuse(arguments->command,
                             "unexpected argument '%s'; give the module with --module=FILE",
                             arguments->words[0]);
    } else if (run->module.request.path == NULL) {
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
    run->module.is_torq = device == NULL || strcmp(device, "torq") == 0;
    run->module.request.device = run->module.is_torq                 ? "sim"
                                 : strncmp(device, "local-", 6) == 0 ? "cpu"
                                                                     : device;
    int exit_code =
        tacho_run_choose_list(arguments, "input", "", &run->arena, &run->module.request.inputs,
                              &run->module.request.input_count);
    return exit_code != TACHO_EXIT_DONE
               ? exit_code
               : tacho_run_choose_list(arguments, "output", "", &run->arena,
                                       &run->module.outputs.texts, &run->module.outputs.text_count);
}

static int module_command_run(const tacho_arguments *arguments)
{
    module_run run = {
        .module =
            {
                .request = {.observer = &tacho_run_client,
                            .iterations = 1,
                            .sampling = {.count = 1},
                            .device_options = {.threads = 1,
                                               .activations = 1,
                                               .has_fine_timer = true},
                            .notes = &tacho_talk_notes,
                            .compile = {.machine = TACHO_DEFAULT_MACHINE,
                                        .compile = {.stats = {.batch_size = 1}}}},
                .outputs = {.element_max = SHOWN_ELEMENTS, .is_iree = true},
                .jobs = {.torq_form = TACHO_RUN_R0},
                .host = {.torq_form = TACHO_RUN_R1},
            },
    };
    tacho_arena_init(&run.arena);
    int exit_code = choose(arguments, &run);
    if (exit_code == TACHO_EXIT_DONE) {
        const tacho_run_job job = tacho_module_run_job(&run.module);
        exit_code = tacho_run_talk(&job);
    }
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
