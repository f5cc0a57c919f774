/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, in the order given.
 */
#include "cli/command.h"
#include "cli/convert_run.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sources/torq/torq.h"
#include "sinks/perfetto.h"

#include <stdlib.h>

static const tacho_option options[] = {
    {"compile_profile", 0, TACHO_TAKES_LIST, "CSV", "compile-time timelines"},
    {"runtime_profile", 0, TACHO_TAKES_LIST, "CSV", "runtime profiles"},
    {"pb", 0, false, "OUT", "the trace to write"},
    {"num-slices", 0, false, "N", "slices that a T1 timeline takes turns on (default: 2)"},
    {"clock-mhz", 0, false, "N", "frequency of cycle counts in MHz (default: 800)"},
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

static int log_with(const tacho_arguments *arguments, tacho_intake_input *inputs)
{
    tacho_conversion conversion = {
        .intake = {.inputs = inputs},
        .output_path = tacho_arguments_value(arguments, "pb"),
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
    };
    collect(arguments, &options[0], inputs, &conversion.intake.input_count);
    collect(arguments, &options[1], inputs, &conversion.intake.input_count);
    collect(arguments, NULL, inputs, &conversion.intake.input_count);
    if (conversion.intake.input_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no input; say --compile_profile CSV or --runtime_profile CSV");
    }
    if (conversion.output_path == NULL) {
        return tacho_command_misuse(arguments->command, "where to? say --pb OUT");
    }
    if (!tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    return tacho_convert_run(&conversion, tacho_arguments_has(arguments, "quiet"));
}

static int perfetto_logger_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = calloc(arguments->item_count + 1, sizeof(*inputs));
    if (inputs == NULL) {
        tacho_talk_line("error", "out of memory");
        return TACHO_EXIT_FAILED;
    }
    int exit_code = log_with(arguments, inputs);
    free(inputs);
    return exit_code;
}

const tacho_command tacho_dropin_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .summary = "Torq profiles to a Perfetto trace, with the vendor's flags",
    .usage = "[CSV...] [--compile_profile CSV...] [--runtime_profile CSV...] --pb OUT",
    .description = "Reads compile-time timelines and runtime profiles and writes one Perfetto "
                   "trace.\n'tacho convert' does the same and more.",
    .examples = "perfetto_logger.py --compile_profile compile.csv --runtime_profile runtime.csv "
                "--pb log.pb\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = perfetto_logger_run,
};
