/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-run-module and iree-run-module: Torq's runtime, with its flags. They print what IREE's tool
 * prints, and with profiling the time of each block; files are written whatever the program
 * records.
 */
#include "api/requests/registry.h"
#include "api/requests/run_options.h"
#include "api/requests/run_talk.h"
#include "api/requests/request.h"
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
                   TACHO_INTO_FLAG(module_run, module.request.is_quiet), .is_front = true),
    TACHO_OPTION_HELP,
};

/* ---- options ------------------------------------------------------------------------------- */

static bool check_options(tacho_request *given, const module_run *run)
{
    const char *jobs = run->module.jobs.path, *host = run->module.host.path;
    if (given->word_count > 0) {
        tacho_request_misuse(given, "unexpected argument '%s'; give the module with {module}=FILE",
                             given->words[0]);
    } else if (run->module.request.path == NULL) {
        tacho_request_misuse(given, "no module given; use {module}=FILE");
    } else if (jobs != NULL && host != NULL && strcmp(jobs, host) == 0) {
        tacho_request_misuse(given, "the two profiles cannot both go to %s", jobs);
    } else {
        return true;
    }
    return false;
}

static int choose(tacho_request *given, module_run *run)
{
    const char *device = tacho_request_value(given, "device");
    if (!tacho_request_fill(given, run) || !check_options(given, run)) {
        return TACHO_OUTCOME_USAGE;
    }
    run->module.is_torq = device == NULL || strcmp(device, "torq") == 0;
    run->module.request.device = run->module.is_torq                 ? "sim"
                                 : strncmp(device, "local-", 6) == 0 ? "cpu"
                                                                     : device;
    int outcome =
        tacho_run_choose_list(given, "input", "", &run->arena, &run->module.request.inputs,
                              &run->module.request.input_count);
    return outcome != TACHO_OUTCOME_DONE
               ? outcome
               : tacho_run_choose_list(given, "output", "", &run->arena, &run->module.outputs.texts,
                                       &run->module.outputs.text_count);
}

static int module_command_run(tacho_request *given)
{
    module_run run = {
        .module =
            {
                .request = {.observer = &tacho_run_client,
                            .leaves_signals = given->listener.output == NULL,
                            .iterations = 1,
                            .sampling = {.count = 1},
                            .device_options = {.threads = 1,
                                               .activations = 1,
                                               .has_fine_timer = true},
                            .notes = &given->notes,
                            .compile = {.machine = TACHO_DEFAULT_MACHINE,
                                        .compile = {.stats = {.batch_size = 1}}}},
                .outputs = {.element_max = SHOWN_ELEMENTS},
                .jobs = {.torq_form = TACHO_RUN_R0},
                .host = {.torq_form = TACHO_RUN_R1},
            },
    };
    tacho_arena_init(&run.arena);
    int outcome = choose(given, &run);
    if (outcome == TACHO_OUTCOME_DONE) {
        const tacho_run_job job = tacho_module_run_job(&run.module);
        outcome = tacho_run_talk(given, &job);
    }
    tacho_arena_deinit(&run.arena);
    return outcome;
}

const tacho_request_type tacho_request_type_torq_run_module = {
    .name = "torq-run-module",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = module_command_run,
};

const tacho_request_type tacho_request_type_iree_run_module = {
    .name = "iree-run-module",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = module_command_run,
};
