/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "cli/command.h"
#include "vendors/torq/debug_info.h"
#include "session/model_info.h"
#include "session/program_info.h"
#include "cli/listing.h"

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES, TACHO_OPTION_OUTPUT,  TACHO_OPTION_FROM,   TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,  TACHO_OPTION_PROGRAM, TACHO_OPTION_WINDOW, TACHO_OPTION_FILTER,
    TACHO_OPTION_STRICT,  TACHO_OPTIONS_COMMON,
};

typedef struct info_request {
    tacho_program_list programs;
    tacho_debug_list debug_infos;
    tacho_model_list models;
} info_request;

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    info_request *request = self;
    (void)arguments;
    request->programs.has_several = listing->intake.input_count > 1;
    request->models.has_several = request->programs.has_several;
    request->debug_infos.has_several = request->programs.has_several;
    request->programs.is_for_people = listing->sink == &tacho_table_sink_text;
    return true;
}

static tacho_status divert(void *self, const tacho_listing *listing, const char *path,
                           bool *out_is_diverted)
{
    info_request *request = self;
    TACHO_TRY(
        tacho_program_list_add(&request->programs, path, listing->output_path, out_is_diverted));
    if (!*out_is_diverted) {
        TACHO_TRY(tacho_debug_list_add(&request->debug_infos, path, listing->output_path,
                                       out_is_diverted));
    }
    return *out_is_diverted ? TACHO_OK
                            : tacho_model_list_add(&request->models, path, out_is_diverted);
}

static tacho_status check(void *self, tacho_listing *listing)
{
    const info_request *request = self;
    if (request->programs.problem_count > 0 || request->debug_infos.problem_count > 0) {
        listing->has_problems = true;
        if (listing->is_strict) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "damaged; nothing written (--strict)");
        }
    }
    return TACHO_OK;
}

static tacho_status write_others(void *self, const tacho_table_taker *to)
{
    const info_request *request = self;
    TACHO_TRY(tacho_program_list_write(&request->programs, to));
    TACHO_TRY(tacho_model_list_write(&request->models, to));
    return tacho_debug_list_write(&request->debug_infos, to);
}

/* What can be done with debug information. */
static void say_next(const tacho_debug_list *list)
{
    const char *path = tacho_debug_list_path(list);
    if (list->item_count > 0) {
        tacho_talk("note",
                   "'tacho annotate %s RUNTIME' joins it with a runtime profile of its program",
                   path != NULL ? path : "DEBUG");
    }
}

static int info_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .divert = divert,
        .analysis = &tacho_analysis_info,
        .also = &tacho_analysis_processes,
        .check = check,
        .write = write_others,
        .shows_losses = true,
    };
    info_request request = {.models.size_option = "--dim "};
    tacho_program_list_init(&request.programs);
    request.programs.notes = request.debug_infos.notes = &tacho_talk_notes;
    int exit_code = tacho_listing_run(arguments, &verb, &request);
    if (exit_code != TACHO_EXIT_FAILED && exit_code != TACHO_EXIT_USAGE &&
        request.programs.is_for_people && !tacho_arguments_has(arguments, "quiet")) {
        say_next(&request.debug_infos);
    }
    tacho_debug_list_deinit(&request.debug_infos);
    tacho_program_list_deinit(&request.programs);
    tacho_model_list_deinit(&request.models);
    return exit_code;
}

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "show what a profile, program, model or debug information contains",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints what they contain: format and version, origin\n"
        "(estimated, simulated or measured), clock, number of events and tracks, time\n"
        "range, totals per track, and records that could not be read, now or when the\n"
        "trace was made. A directory stands for the files in it. Of several files, those\n"
        "that cannot be read are listed and skipped; the exit status is then 3.\n"
        "\n"
        "For a compiled program (a QPC container written by qaic-compile or tacho) it\n"
        "prints the segments with their checksums, inputs and outputs, cores and threads,\n"
        "what the program records while it runs, and operators per core. For programs\n"
        "that tacho compiled it adds the machine, operators, jobs, the estimate and the\n"
        "memory in use.\n"
        "\n"
        "For a model (ONNX, or MLIR in TOSA or torch-onnx) it prints the format,\n"
        "producer, operator sets, inputs and outputs with types and shapes, the --dim\n"
        "options that compiling needs, the number of nodes per operator, and the size of\n"
        "the weights. Shapes are not inferred and weights are not read, so large models\n"
        "take no longer.\n"
        "\n"
        "For Torq debug information (a phase dump such as\n"
        "MODEL.9.executable-targets.mlir, a DISPATCH.mlirb, or a directory of these) it\n"
        "prints, in total and per dispatch, host actions, jobs, tasks, work per kind of\n"
        "engine, the compiler's cycle estimate, the model lines or nodes it refers to,\n"
        "and how much was damaged or not understood.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n"
                "# a program: is it intact, what are its inputs, what does it record?\n"
                "tacho info programqpc.bin\n"
                "# a model: its inputs, outputs and operators\n"
                "tacho info model.onnx\n"
                "# debug information: what can 'tacho annotate' say about a run?\n"
                "tacho info model.9.executable-targets.mlir\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
