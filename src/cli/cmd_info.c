/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "analyses/info.h"
#include "cli/command.h"
#include "cli/info_debug.h"
#include "cli/info_model.h"
#include "cli/info_program.h"
#include "cli/listing.h"

static const tacho_option options[] = {
    TACHO_LISTING_OPTION_FORMAT, TACHO_LISTING_OPTION_OUTPUT, TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,          TACHO_OPTION_SLICES,         TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,         TACHO_OPTION_QUIET,          TACHO_OPTION_HELP,
};

typedef tacho_status (*table_maker)(const tacho_info *info, tacho_table *out_table);

typedef struct info_request {
    tacho_info info;
    bool has_profiles; /* |info| is initialised */
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

static tacho_events *begin(void *self, tacho_dict *dict)
{
    info_request *request = self;
    tacho_info_init(&request->info, dict);
    request->has_profiles = true;
    return &request->info.events;
}

static tacho_status write_profiles(const tacho_info *info, tacho_listing *listing)
{
    static const table_maker makers[] = {tacho_info_inputs, tacho_info_tracks,
                                         tacho_info_losses_before, tacho_info_losses,
                                         tacho_info_notes};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]) && status == TACHO_OK; i++) {
        tacho_table table;
        status = makers[i](info, &table);
        if (status == TACHO_OK) {
            status = tacho_listing_add(listing, &table);
        }
        tacho_table_deinit(&table);
    }
    return status;
}

static tacho_status write_tables(void *self, tacho_listing *listing)
{
    const info_request *request = self;
    if (request->programs.problem_count > 0 || request->debug_infos.problem_count > 0) {
        listing->has_problems = true;
        if (listing->is_strict) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "damaged, and --strict was given: nothing written");
        }
    }
    if (request->has_profiles) {
        TACHO_TRY(write_profiles(&request->info, listing));
    }
    TACHO_TRY(tacho_program_list_write(&request->programs, &listing->report));
    TACHO_TRY(tacho_model_list_write(&request->models, &listing->report));
    return tacho_debug_list_write(&request->debug_infos, &listing->report);
}

static void end(void *self)
{
    info_request *request = self;
    tacho_info_deinit(&request->info);
    request->has_profiles = false;
}

static int info_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .divert = divert,
        .begin = begin,
        .write = write_tables,
        .end = end,
        .shows_losses = true,
    };
    info_request request = {.has_profiles = false};
    tacho_program_list_init(&request.programs);
    int exit_code = tacho_listing_run(arguments, &verb, &request);
    if (exit_code != TACHO_EXIT_FAILED && exit_code != TACHO_EXIT_USAGE &&
        request.programs.is_for_people && !tacho_arguments_has(arguments, "quiet")) {
        tacho_debug_list_say_next(&request.debug_infos);
    }
    tacho_debug_list_deinit(&request.debug_infos);
    tacho_program_list_deinit(&request.programs);
    tacho_model_list_deinit(&request.models);
    return exit_code;
}

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "say what profiles, programs, models and debug information hold",
    .usage = "IN... [options]",
    .description =
        "Reads profiles and prints what they are: the format and its generation, whether\n"
        "times were estimated or measured and on which clock, how many events and tracks,\n"
        "the time they span, each track with its sums, what a trace says was lost when it\n"
        "was made, and what could not be read. Of several files, those that cannot be read\n"
        "are named and the others shown; the exit status is then 3.\n"
        "\n"
        "Of a program (a QPC container, as qaic-compile and tacho write them) it prints the\n"
        "segments with their checksums, the network's inputs and outputs, cores and threads,\n"
        "what is recorded while it runs, ops by core, and, where tacho compiled it, the\n"
        "machine, ops, jobs, the estimate and the memory it takes.\n"
        "\n"
        "Of a model (ONNX, or MLIR of TOSA or torch-onnx) it prints the format, who made it and\n"
        "for which operator sets, inputs and outputs with their types and shapes, the --dim\n"
        "options that compiling it takes, operators by number of nodes, and the size of its\n"
        "weights. Nothing is inferred and no weight is read: a large model takes no longer.\n"
        "\n"
        "Of debug information (what a Torq program was compiled to: a phase dump,\n"
        "MODEL.9.executable-targets.mlir, a DISPATCH.mlirb, or a folder of these) it prints, in\n"
        "all and by dispatch, the host's actions, jobs, tasks and the pieces of work of each\n"
        "kind of engine, the compiler's estimate in cycles, the lines or nodes of the model\n"
        "they come from, and how much was damaged or not understood. Models and debug\n"
        "information are told apart by their content.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n"
                "# a program: is it whole, what does it take, what will it record?\n"
                "tacho info programqpc.bin\n"
                "# a model: what goes in and comes out, which operators has it?\n"
                "tacho info model.onnx\n"
                "# debug information: what can 'tacho annotate' say of a run?\n"
                "tacho info model.9.executable-targets.mlir\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
