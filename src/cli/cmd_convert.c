/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho convert: profiles in, one trace out.
 */
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/convert_run.h"
#include "cli/inputs.h"
#include "cli/selection.h"
#include "cli/talk.h"
#include "cli/values.h"

#include <unistd.h>

static const tacho_option options[] = {
    {"output", 'o', false, "OUT",
     "the trace to write; the suffix selects the format, an added .gz or .zst compresses, - is "
     "standard output (Perfetto unless --to is given)"},
    TACHO_OPTION_FROM,
    {"to", 0, false, "FORMAT", "write FORMAT regardless of the suffix of OUT"},
    {"args", 0, false, "all|none", "none: names and times only, half the size (default: all)"},
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    {"min-duration", 0, false, "D", "only spans of at least this length, such as 5us"},
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

static bool choose_args(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    const char *args = tacho_arguments_value(arguments, "args");
    if (args == NULL || strcmp(args, "all") == 0) {
        return true;
    }
    conversion->trace_options.omit_args = strcmp(args, "none") == 0;
    if (!conversion->trace_options.omit_args) {
        tacho_command_misuse(arguments->command, "--args: unknown value '%s'; use all or none",
                             args);
    }
    return conversion->trace_options.omit_args;
}

static bool choose_sink(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    const char *to = tacho_arguments_value(arguments, "to");
    tacho_str path = tacho_str_from_cstring(conversion->output_path);
    to = to == NULL && tacho_str_equal(path, TACHO_STR("-")) ? "perfetto" : to;
    conversion->sink = to != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(to))
                                  : tacho_trace_sink_find_for_path(path);
    if (conversion->sink != NULL) {
        return true;
    }
    if (to != NULL) {
        tacho_command_misuse(arguments->command,
                             "--to: unknown trace format '%s'; 'tacho help formats' lists them",
                             to);
    } else {
        tacho_command_misuse(arguments->command,
                             "'%s' has no known trace suffix; use one such as .pb, or --to FORMAT",
                             conversion->output_path);
    }
    return false;
}

static bool choose_output(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    conversion->output_path = tacho_arguments_value(arguments, "output");
    if (conversion->output_path == NULL) {
        tacho_command_misuse(arguments->command, "no output file given; use -o OUT");
        return false;
    }
    if (strcmp(conversion->output_path, "-") == 0 && isatty(STDOUT_FILENO) == 1) {
        tacho_command_misuse(
            arguments->command,
            "refusing to write binary data to a terminal; redirect standard output or use -o FILE");
        return false;
    }
    return choose_sink(arguments, conversion);
}

static int convert_inputs(const tacho_arguments *arguments, tacho_cli_inputs *inputs,
                          tacho_conversion *conversion)
{
    tacho_cli_inputs_say_links(inputs);
    tacho_status status = conversion->is_strict
                              ? TACHO_OK
                              : tacho_cli_inputs_skip(inputs, arguments, &conversion->intake);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    int exit_code = tacho_convert_run(conversion, tacho_common_talk_level(arguments));
    return exit_code == TACHO_EXIT_DONE && inputs->skipped_count > 0 ? TACHO_EXIT_LOSSY : exit_code;
}

static int convert_selected(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    tacho_cli_inputs inputs;
    tacho_cli_inputs_options how = {.output_path = conversion->output_path};
    int exit_code = tacho_cli_inputs_open(&inputs, arguments, &how, &conversion->intake);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = convert_inputs(arguments, &inputs, conversion);
    }
    tacho_cli_inputs_close(&inputs);
    return exit_code;
}

static int convert_command_run(const tacho_arguments *arguments)
{
    tacho_conversion conversion = {.is_strict = tacho_arguments_has(arguments, "strict")};
    if (!choose_output(arguments, &conversion) || !choose_args(arguments, &conversion) ||
        !tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_cli_selection selection;
    int exit_code = tacho_cli_selection_open(&selection, arguments);
    conversion.selection = selection.events;
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = convert_selected(arguments, &conversion);
    }
    tacho_cli_selection_close(&selection);
    return exit_code;
}

const tacho_command tacho_command_convert = {
    .name = "convert",
    .summary = "turn profiles into a trace for a timeline viewer",
    .usage = "FILE|DIR... -o OUT [options]",
    .description =
        "Reads one or more profiles and writes one trace. The format of each input is\n"
        "detected from its content; gzip and zstd files are decompressed, and - reads\n"
        "standard input. Open the resulting .pb file in https://ui.perfetto.dev.\n"
        "\n"
        "A directory stands for the files in it; those that are not profiles are listed\n"
        "and skipped, and the exit status is then 3. Several inputs appear side by side,\n"
        "one process each; the same file given twice appears twice. Each input starts at\n"
        "0 with its own first event, so inputs are not aligned with one another, and the\n"
        "trace says so. Work that overlaps on one engine is drawn on extra lanes. Input\n"
        "in any order is sorted in bounded memory, using a temporary file in TMPDIR.\n"
        "Lines are limited to 16 MiB.\n"
        "\n"
        "Records that cannot be read are counted by reason, reported at the end and noted\n"
        "in the trace; the exit status is then 3. OUT is replaced atomically: on failure\n"
        "the old file stays.",
    .examples = "# a compiler's timeline\n"
                "tacho convert timeline.csv -o timeline.pb\n"
                "# estimate and measurement side by side, compressed\n"
                "tacho convert compile.csv runtime.csv -o both.pb.gz\n"
                "# the first 2 ms, without very short spans, of a chip at 1 GHz\n"
                "tacho convert big.csv.zst -o part.pb --window ..2ms --min-duration 1us "
                "--clock-mhz 1000\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = convert_command_run,
};
