/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho convert: profiles in, one trace out.
 */
#include "base/folder.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/convert_dataset.h"
#include "cli/convert_run.h"
#include "cli/inputs.h"
#include "cli/outputs.h"
#include "cli/selection.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sinks/perfetto.h"

enum { JOBS_MAX = 256 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "the trace to write; the suffix selects the format, an added .gz or .zst "
                    "compresses, - is standard output (Perfetto unless --to is given); DIR/ is a "
                    "dataset of Parquet files",
                    TACHO_INTO_TEXT(tacho_conversion, output_path), .writes = TACHO_WRITES_TRACE),
    TACHO_OPTION_FORCE,
    TACHO_OPTION_FROM,
    TACHO_OPT_VALUE("to", 0, "FORMAT",
                    "write FORMAT regardless of the suffix of OUT; 'tacho help formats' lists "
                    "both"),
    TACHO_OPT_VALUE("args", 0, "all|none",
                    "none: names and times only, half the size (default: all)",
                    TACHO_INTO_WORD(tacho_conversion, trace_options.omit_args)),
    TACHO_OPT_VALUE("jobs", 'j', "N",
                    "of a dataset: convert N files at a time (default: one per processor)",
                    TACHO_INTO_NUMBER(tacho_conversion, worker_count, 1, JOBS_MAX)),
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPT_VALUE("min-duration", 0, "D", "only spans of at least this length, such as 5us"),
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPT_FLAG("queues", 0,
                   "add a counter for each stream whose work has launches: how much is launched "
                   "and has not started",
                   TACHO_INTO_FLAG(tacho_conversion, has_queues)),
    TACHO_OPT_FLAG("strict", 0, "fail if any record cannot be read",
                   TACHO_INTO_FLAG(tacho_conversion, is_strict)),
    TACHO_OPTIONS_COMMON,
};

static bool choose_output(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    const char *path = conversion->output_path;
    if (path == NULL) {
        tacho_command_misuse(arguments->command, "no output file given; use -o OUT");
        return false;
    }
    if (tacho_convert_is_dataset(path)) {
        return tacho_convert_check_dataset(arguments);
    }
    if (tacho_arguments_has(arguments, "jobs")) {
        tacho_command_misuse(arguments->command, "--jobs goes with a dataset only; write '%s/'",
                             path);
        return false;
    }
    if (tacho_path_is_folder(path)) {
        tacho_command_misuse(arguments->command,
                             "'%s' is a directory; name a file, or write '%s/' for a dataset of "
                             "Parquet files",
                             path, path);
        return false;
    }
    if (!tacho_cli_takes_bytes(arguments->command, path)) {
        return false;
    }
    if (tacho_arguments_has(arguments, "to")) {
        conversion->sink = tacho_cli_trace_sink(arguments, "to", path, "");
        return conversion->sink != NULL;
    }
    conversion->sink = strcmp(path, "-") == 0
                           ? &tacho_sink_perfetto
                           : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    if (conversion->sink == NULL) {
        tacho_command_misuse(arguments->command,
                             "'%s' has no known trace suffix; use one such as .pb, --to FORMAT, "
                             "or '%s/' for a dataset of Parquet files",
                             path, path);
    }
    return conversion->sink != NULL;
}

static int convert_inputs(const tacho_arguments *arguments, tacho_input_set *inputs,
                          tacho_conversion *conversion)
{
    tacho_input_set_skip_links(inputs, &tacho_cli_skips);
    tacho_status status =
        conversion->is_strict
            ? TACHO_OK
            : tacho_input_set_skip_strangers(inputs, &tacho_cli_skips, &conversion->intake);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    int exit_code = tacho_convert_run(conversion, tacho_common_talk_level(arguments));
    return exit_code == TACHO_EXIT_DONE && inputs->skipped_count > 0 ? TACHO_EXIT_LOSSY : exit_code;
}

static int convert_selected(const tacho_arguments *arguments, tacho_conversion *conversion)
{
    if (tacho_convert_is_dataset(conversion->output_path)) {
        return tacho_convert_dataset(arguments, conversion);
    }
    tacho_input_set inputs;
    const tacho_cli_inputs_options how = {.set = {.output_path = conversion->output_path}};
    int exit_code = tacho_cli_inputs_open(&inputs, arguments, &how, &conversion->intake);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = convert_inputs(arguments, &inputs, conversion);
    }
    tacho_input_set_close(&inputs);
    return exit_code;
}

static int convert_command_run(const tacho_arguments *arguments)
{
    tacho_conversion conversion = {.output_path = NULL};
    if (!tacho_arguments_fill(arguments, &conversion) || !choose_output(arguments, &conversion) ||
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
        "With --queues the trace gets counters that the inputs do not have: for each stream\n"
        "how much work is launched and has not started, to the nanosecond. A queue that is\n"
        "empty while the device is idle means that the device waits for the host.\n"
        "\n"
        "An OUT that ends in / is a directory for a dataset: the tables spans, counters, ops,\n"
        "devices, steps, collectives, clock and loss as Parquet files, one of each input, below\n"
        "TABLE/run=ID/host=NAME/rank=N/, for DuckDB, ClickHouse, Spark and Trino. Directories\n"
        "are then read with all that is below them. See docs/datasets.md.\n"
        "\n"
        "Records that cannot be read are counted by reason, reported at the end and noted\n"
        "in the trace; the exit status is then 3. OUT is replaced atomically: on failure\n"
        "the old file stays.",
    .examples = "# a compiler's timeline\n"
                "tacho convert timeline.csv -o timeline.pb\n"
                "# estimate and measurement side by side, compressed\n"
                "tacho convert compile.csv runtime.csv -o both.pb.gz\n"
                "# how far the host is ahead of each stream of a GPU, as counters\n"
                "tacho convert trace.json -o trace.pb --queues\n"
                "# a dataset of the profiles of all ranks, for SQL engines\n"
                "tacho convert traces/ -o dataset/\n"
                "# the first 2 ms, without very short spans, of a chip at 1 GHz\n"
                "tacho convert big.csv.zst -o part.pb --window ..2ms --min-duration 1us "
                "--clock-mhz 1000\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = convert_command_run,
};
