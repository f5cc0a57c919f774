/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, numbered in the order given, with
 * the tool's names of tracks and the overview; and the overview is printed as the tool prints it.
 */
#include "base/grow.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/convert_run.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "vendors/torq/torq_overviews.h"
#include "sources/torq/torq.h"
#include "sinks/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256 };

static const tacho_option options[] = {
    TACHO_OPT_LIST("compile_profile", 0, "CSV", "compile-time timelines"),
    TACHO_OPT_LIST("runtime_profile", 0, "CSV", "runtime profiles"),
    TACHO_OPT_VALUE("pb", 0, "OUT", "the trace to write"),
    TACHO_OPT_VALUE("num-slices", 0, "N", "number of slices in T1 timelines (default: 2)"),
    TACHO_OPT_VALUE("clock-mhz", 0, "N", "frequency of cycle counts in MHz (default: 800)"),
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

/* Runtime profiles come in several forms, so these are recognised by content. */
static const tacho_source *source_of(const tacho_option *option)
{
    return option == &options[0] ? &tacho_source_torq_timeline : NULL;
}

/* Compile-time profiles first, as the tool's own output has them. */
static void collect(const tacho_arguments *arguments, const tacho_option *option,
                    tacho_intake_input *inputs, size_t *count)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == option) {
            inputs[(*count)++] = (tacho_intake_input){.path = arguments->items[i].value,
                                                      .source = source_of(option)};
        }
    }
}

static tacho_status print_overviews(const tacho_torq_overviews *list, const char *output_path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    tacho_torq_overviews_print(list, &output);
    tacho_output_write_cstring(&output, "\n\u2713 Perfetto trace generated: ");
    tacho_output_write_cstring(&output, output_path);
    tacho_output_write_cstring(&output, "\n");
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

/* ---- the trace ----------------------------------------------------------------------------- */

/* "01 compile.csv": what the tool calls its processes. */
static void name_inputs(tacho_intake_input *inputs, size_t count, char (*names)[NAME_BYTES])
{
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(inputs[i].path, '/');
        snprintf(names[i], NAME_BYTES, "%02zu %.200s", i + 1,
                 slash != NULL ? slash + 1 : inputs[i].path);
        inputs[i].name = names[i];
    }
}

/* Writes the trace, then prints what it shows. */
static int convert(tacho_conversion *conversion, tacho_torq_overviews *list, bool is_quiet)
{
    int exit_code = tacho_convert_run(conversion, is_quiet ? TACHO_TALK_QUIET : TACHO_TALK_NORMAL);
    bool is_written = exit_code == TACHO_EXIT_DONE || exit_code == TACHO_EXIT_LOSSY;
    if (is_written && !is_quiet && strcmp(conversion->output_path, "-") != 0) {
        tacho_status status = print_overviews(list, conversion->output_path);
        exit_code = status == TACHO_OK ? exit_code : tacho_talk_failure(status);
    }
    tacho_torq_overviews_deinit(list);
    return exit_code;
}

static int log_with(const tacho_arguments *arguments, tacho_intake_input *inputs,
                    char (*names)[NAME_BYTES])
{
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    tacho_torq_overviews list = {0};
    tacho_overview_listener listener = tacho_torq_overviews_listener(&list);
    tacho_conversion conversion = {
        .intake = {.inputs = inputs},
        .output_path = tacho_arguments_value(arguments, "pb"),
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
        .has_overview = true,
        .has_first_overview = true,
        .overview_listener = is_quiet ? NULL : &listener,
    };
    collect(arguments, &options[0], inputs, &conversion.intake.input_count);
    collect(arguments, &options[1], inputs, &conversion.intake.input_count);
    collect(arguments, NULL, inputs, &conversion.intake.input_count);
    if (conversion.intake.input_count == 0) {
        return tacho_command_misuse(
            arguments->command,
            "no input given; use --compile_profile CSV or --runtime_profile CSV");
    }
    if (conversion.output_path == NULL) {
        return tacho_command_misuse(arguments->command, "no output file given; use --pb OUT");
    }
    if (!tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    conversion.intake.options.has_vendor_tracks = true;
    name_inputs(inputs, conversion.intake.input_count, names);
    return convert(&conversion, &list, is_quiet);
}

static int perfetto_logger_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = tacho_items_alloc(arguments->item_count, sizeof(*inputs));
    char(*names)[NAME_BYTES] = tacho_items_alloc(arguments->item_count, sizeof(*names));
    int exit_code = inputs != NULL && names != NULL ? log_with(arguments, inputs, names)
                                                    : tacho_command_no_memory();
    free(inputs);
    free(names);
    return exit_code;
}

const tacho_command tacho_dropin_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .summary = "convert Torq profiles to a Perfetto trace, with the vendor's options",
    .usage = "[CSV...] [--compile_profile CSV...] [--runtime_profile CSV...] --pb OUT",
    .description =
        "Reads compile-time timelines and runtime profiles, prints how busy each kind of\n"
        "engine was, and writes one Perfetto trace: a process for each file, with the\n"
        "overview as tracks. 'tacho convert' and 'tacho overview' do more.",
    .examples = "perfetto_logger.py --compile_profile compile.csv --runtime_profile runtime.csv "
                "--pb log.pb\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = perfetto_logger_run,
};
