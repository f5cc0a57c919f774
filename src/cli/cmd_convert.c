/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho convert: profiles in, one trace out.
 */
#include "cli/command.h"
#include "cli/convert_run.h"
#include "cli/talk.h"
#include "cli/values.h"

#include <stdlib.h>
#include <unistd.h>

static const tacho_option options[] = {
    {"output", 'o', false, "OUT",
     "the trace to write; its suffix says the format, .gz or .zst behind it compresses, - is "
     "standard output (Perfetto unless --to says otherwise)"},
    TACHO_OPTION_FROM,
    {"to", 0, false, "FORMAT", "write FORMAT whatever the suffix of OUT"},
    {"args", 0, false, "all|none", "with none, names and times only: half the size (default: all)"},
    {"window", 0, false, "A..B",
     "only events that touch this time, counted from the input's first event: 10us..2ms, 1s.., "
     "..500; units are ns (also without unit), us, ms, s; spans are kept whole"},
    {"min-duration", 0, false, "D", "only spans of at least this length, such as 5us"},
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

static bool choose_args(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    const char *args = tacho_arguments_value(arguments, "args");
    if (args == NULL || strcmp(args, "all") == 0) {
        return true;
    }
    conversion->trace_options.omit_args = strcmp(args, "none") == 0;
    if (!conversion->trace_options.omit_args) {
        tacho_command_misuse(arguments->command, "--args: '%s' is neither all nor none", args);
    }
    return conversion->trace_options.omit_args;
}

static bool choose_selection(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    tacho_selection *selection = &conversion->selection;
    *selection = TACHO_SELECT_ALL;
    const char *window = tacho_arguments_value(arguments, "window");
    if (window != NULL &&
        !tacho_value_window(tacho_str_from_cstring(window), &selection->window_begin_ns,
                            &selection->window_end_ns)) {
        tacho_command_misuse(
            arguments->command,
            "--window: '%s' is no window; expected A..B with A before B in ns, us, "
            "ms or s, such as 10us..2ms",
            window);
        return false;
    }
    const char *least = tacho_arguments_value(arguments, "min-duration");
    if (least != NULL &&
        !tacho_value_duration(tacho_str_from_cstring(least), &selection->min_duration_ns)) {
        tacho_command_misuse(
            arguments->command,
            "--min-duration: '%s' is no duration; expected one in ns, us, ms or s, "
            "such as 5us",
            least);
        return false;
    }
    return true;
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
                             "--to: no trace format is called '%s'; 'tacho help formats' lists "
                             "them",
                             to);
    } else {
        tacho_command_misuse(arguments->command,
                             "the suffix of '%s' is no trace format; use one such as .pb, or say "
                             "--to",
                             conversion->output_path);
    }
    return false;
}

static bool choose_output(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    conversion->output_path = tacho_arguments_value(arguments, "output");
    if (conversion->output_path == NULL) {
        tacho_command_misuse(arguments->command, "where to? say -o OUT");
        return false;
    }
    if (strcmp(conversion->output_path, "-") == 0 && isatty(STDOUT_FILENO) == 1) {
        tacho_command_misuse(arguments->command,
                             "standard output is a terminal; redirect it, or say -o FILE");
        return false;
    }
    return choose_sink(arguments, conversion);
}

static int convert_with(const tacho_arguments *arguments, tacho_intake_input *inputs)
{
    tacho_conversion conversion = {.is_strict = tacho_arguments_has(arguments, "strict")};
    if (!tacho_value_inputs(arguments, inputs, &conversion.intake) ||
        !choose_output(arguments, &conversion) || !choose_args(arguments, &conversion) ||
        !choose_selection(arguments, &conversion) ||
        !tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    return tacho_convert_run(&conversion, tacho_arguments_has(arguments, "quiet"));
}

static int convert_command_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = calloc(arguments->item_count + 1, sizeof(*inputs));
    if (inputs == NULL) {
        tacho_talk_line("error", "out of memory");
        return TACHO_EXIT_FAILED;
    }
    int exit_code = convert_with(arguments, inputs);
    free(inputs);
    return exit_code;
}

const tacho_command tacho_command_convert = {
    .name = "convert",
    .summary = "turn profiles into a trace for a timeline viewer",
    .usage = "IN... -o OUT [options]",
    .description =
        "Reads one or more profiles, recognised by their content, and writes one trace.\n"
        "Open a .pb in https://ui.perfetto.dev. gzip and zstd inputs are decompressed;\n"
        "standard input is -. No line may be longer than 16 MiB.\n"
        "\n"
        "Several inputs are shown side by side, one process each, and the same file twice\n"
        "gives two. Each starts at 0 with its own first event: they are not aligned with\n"
        "one another, and the trace says so. Work that overlaps on one engine is put in\n"
        "extra lanes. Input in any order is sorted, in bounded memory, through a temporary\n"
        "file in TMPDIR.\n"
        "\n"
        "Records that cannot be read are counted by reason, shown at the end and stored in\n"
        "the trace; the exit status is then 3. OUT is replaced as a whole, or not at all.",
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
