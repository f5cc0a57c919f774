/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torq-compile: Torq's compiler, with its flags. Profiling is off unless asked for; its timeline is
 * written as the vendor's documents show it (T1), with all dispatches in one file.
 */
#include "cli/compile_options.h"
#include "cli/talk.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_TIMELINE "timeline.csv"

/* Flags that change nothing here: what they choose is recognised, or is not done at all. */
#define IGNORED "accepted for compatibility; no effect"

static const tacho_option options[] = {
    {"output", 'o', false, "OUT", "write the program there"},
    {"torq-enable-profiling", 0, false, NULL,
     "write the estimated timeline, to " DEFAULT_TIMELINE " unless another file is named, and show "
     "cycles and memory footprints in dumps (default: off)"},
    {"torq-dump-profiling", 0, false, "CSV", "write the timeline there"},
    {"torq-timeline", 0, false, "t1|t4", "format of the timeline (default: t1)"},
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    TACHO_COMPILE_OPTIONS_DUMPS,
    {"torq-hw", 0, false, "SPEC",
     "SL2610, or another: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]"},
    {"torq-dma-in-mtu", 0, false, "N", "beats per incoming burst, as a power of two (default: 4)"},
    {"torq-dma-out-mtu", 0, false, "N", "beats per outgoing burst, as a power of two (default: 4)"},
    {"iree-input-type", 0, false, "TYPE", IGNORED ": detected from the model"},
    {"iree-hal-target-backends", 0, false, "NAME", IGNORED},
    {"iree-hal-target-device", 0, false, "NAME", IGNORED},
    {"iree-opt-level", 0, false, "LEVEL", IGNORED},
    {"torq-disable-ndl-cycle-check", 0, false, NULL, IGNORED},
    {"mlir-print-debuginfo", 0, false, NULL, IGNORED ": dumps always have locations"},
    {"mlir-disable-threading", 0, false, NULL, IGNORED},
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

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

static bool choose_profile(const tacho_arguments *arguments, tacho_compile_request *request)
{
    const char *path = tacho_arguments_value(arguments, "torq-dump-profiling");
    const char *form = tacho_arguments_value(arguments, "torq-timeline");
    bool is_wanted = path != NULL || tacho_arguments_has(arguments, "torq-enable-profiling");
    request->is_torq_profile = true;
    request->torq_form = form != NULL && strcmp(form, "t4") == 0 ? TACHO_TORQ_T4 : TACHO_TORQ_T1;
    request->profile_path = is_wanted ? (path != NULL ? path : DEFAULT_TIMELINE) : NULL;
    request->dumps.has_profile = is_wanted;
    if (form != NULL && strcmp(form, "t1") != 0 && strcmp(form, "t4") != 0) {
        tacho_command_misuse(arguments->command,
                             "--torq-timeline: unknown value '%s'; use t1 or t4", form);
        return false;
    }
    return true;
}

static bool choose_burst(const tacho_arguments *arguments, const char *name, tacho_dma *dma)
{
    const char *text = tacho_arguments_value(arguments, name);
    uint64_t power = 0;
    if (text == NULL) {
        return true;
    }
    if (!tacho_str_parse_u64(tacho_str_from_cstring(text), &power) || power > 16) {
        tacho_command_misuse(arguments->command, "--%s: '%s' is not a whole number from 0 to 16",
                             name, text);
        return false;
    }
    dma->burst_beats.value = (tacho_ratio){(int64_t)1 << power, 1};
    return true;
}

static bool choose_bursts(const tacho_arguments *arguments, tacho_machine *machine)
{
    bool is_good = true;
    for (size_t i = 0; i < machine->dma_count && is_good; i++) {
        tacho_dma *dma = &machine->dma[i];
        is_good = dma->class == TACHO_ENGINE_DMA_IN
                      ? choose_burst(arguments, "torq-dma-in-mtu", dma)
                      : dma->class != TACHO_ENGINE_DMA_OUT ||
                            choose_burst(arguments, "torq-dma-out-mtu", dma);
    }
    return is_good;
}

static bool choose_files(const tacho_arguments *arguments, tacho_compile_request *request)
{
    size_t count = arguments->word_count;
    request->model_path = count == 1 ? arguments->words[0] : NULL;
    request->program_path = tacho_arguments_value(arguments, "output");
    if (request->model_path == NULL) {
        tacho_command_misuse(arguments->command, count == 0
                                                     ? "no model given; name an .mlir or .onnx file"
                                                     : "more than one model given");
    } else if (request->program_path == NULL && request->profile_path == NULL &&
               !tacho_compile_dumps_any(&request->dumps)) {
        tacho_command_misuse(arguments->command, "no output file given; use -o OUT");
        return false;
    }
    return request->model_path != NULL;
}

/* ---- the tool ------------------------------------------------------------------------------ */

static int compile_on(const tacho_arguments *arguments, tacho_arena *arena,
                      tacho_compile_request *request)
{
    tacho_machine *machine = NULL;
    int exit_code = tacho_compile_choose_machine(arguments, arena, &machine, request);
    if (exit_code == 0) {
        exit_code = tacho_compile_choose_dims(arguments, arena, &request->model);
    }
    if (exit_code == 0) {
        exit_code = tacho_compile_choose_binds(arguments, arena, &request->model);
    }
    if (exit_code != 0) {
        return exit_code;
    }
    if (!choose_bursts(arguments, machine)) {
        return TACHO_EXIT_USAGE;
    }
    if (!request->is_quiet) {
        say_ignored(arguments);
    }
    return tacho_compile_run_chosen(request, NULL);
}

static int torq_compile_run(const tacho_arguments *arguments)
{
    tacho_compile_request request = {
        .compile = {.stats = {.level = TACHO_STATS_LEVEL_DEFAULT, .batch_size = 1}},
        .table_sink = &tacho_table_sink_text_alone,
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
    };
    tacho_compile_choose_dumps(arguments, &request);
    if (!choose_profile(arguments, &request) || !choose_files(arguments, &request)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    int exit_code = compile_on(arguments, &arena, &request);
    tacho_arena_deinit(&arena);
    return exit_code;
}

const tacho_command tacho_dropin_torq_compile = {
    .name = "torq-compile",
    .is_dropin = true,
    .summary = "compile a model for Torq, with the vendor's options",
    .usage = "MODEL -o OUT [options]",
    .description =
        "Compiles a model (ONNX, or MLIR in TOSA or torch-onnx) for Torq. OUT is a\n"
        "program for tacho's runtime and 'tacho info', not a module for the vendor's\n"
        "runtime. With --torq-enable-profiling it also writes the estimated timeline of\n"
        "all dispatches to one file. 'tacho compile' does the same and more.",
    .examples = "torq-compile samples/tosa/fc.mlir -o model.vmfb --torq-enable-profiling "
                "--torq-dump-profiling=./trace.csv "
                "--dump-compilation-phases-to=./compilation_phases\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = torq_compile_run,
};
