/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho convert: profiles in, one trace out.
 */
#include "api/requests/registry.h"
#include "base/folder.h"
#include "api/requests/options.h"
#include "api/requests/outputs.h"
#include "api/requests/convert_dataset.h"
#include "api/requests/convert_run.h"
#include "api/requests/inputs.h"
#include "api/requests/selection.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
#include "sinks/perfetto.h"

enum { JOBS_MAX = 256 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "the trace to write; the suffix selects the format, an added .gz or .zst "
                    "compresses, - is standard output (Perfetto unless {to} is given); DIR/ is a "
                    "dataset of Parquet files",
                    TACHO_INTO_TEXT(tacho_conversion, output_path), .writes = TACHO_WRITES_TRACE),
    TACHO_OPTION_FORCE,
    TACHO_OPTION_FROM,
    TACHO_OPT_VALUE("to", 0, "FORMAT",
                    "write FORMAT regardless of the suffix of OUT; '{/help formats}' lists "
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

static bool choose_output(tacho_request *given, tacho_conversion *conversion)
{
    const char *path = conversion->output_path;
    if (path == NULL) {
        tacho_request_misuse(given, "no output file given; use {o|output} OUT");
        return false;
    }
    if (tacho_convert_is_dataset(path)) {
        return tacho_convert_check_dataset(given);
    }
    if (tacho_request_has(given, "jobs")) {
        tacho_request_misuse(given, "{jobs} goes with a dataset only; write '%s/'", path);
        return false;
    }
    if (tacho_path_is_folder(path)) {
        tacho_request_misuse(given,
                             "'%s' is a directory; name a file, or write '%s/' for a dataset of "
                             "Parquet files",
                             path, path);
        return false;
    }
    if (!tacho_request_takes_bytes(given, path)) {
        return false;
    }
    if (tacho_request_has(given, "to")) {
        conversion->sink = tacho_request_trace_sink(given, "to", path, "");
        return conversion->sink != NULL;
    }
    conversion->sink = strcmp(path, "-") == 0
                           ? &tacho_sink_perfetto
                           : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    if (conversion->sink == NULL) {
        tacho_request_misuse(given,
                             "'%s' has no known trace suffix; use one such as .pb, {to} FORMAT, "
                             "or '%s/' for a dataset of Parquet files",
                             path, path);
    }
    return conversion->sink != NULL;
}

static int convert_inputs(tacho_request *given, tacho_input_set *inputs,
                          tacho_conversion *conversion)
{
    const tacho_input_skips skips = tacho_request_input_skips(given);
    tacho_input_set_skip_links(inputs, &skips);
    tacho_status status = conversion->is_strict
                              ? TACHO_OK
                              : tacho_input_set_skip_strangers(inputs, &skips, &conversion->intake);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    int outcome = tacho_convert_run(given, conversion);
    return outcome == TACHO_OUTCOME_DONE && inputs->skipped_count > 0 ? TACHO_OUTCOME_LOSSY
                                                                      : outcome;
}

static int convert_selected(tacho_request *given, tacho_conversion *conversion)
{
    if (tacho_convert_is_dataset(conversion->output_path)) {
        return tacho_convert_dataset(given, conversion);
    }
    tacho_input_set inputs;
    const tacho_request_inputs_options how = {.set = {.output_path = conversion->output_path}};
    int outcome = tacho_request_inputs_open(&inputs, given, &how, &conversion->intake);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = convert_inputs(given, &inputs, conversion);
    }
    tacho_input_set_close(&inputs);
    return outcome;
}

static int convert_command_run(tacho_request *given)
{
    tacho_conversion conversion = {.output_path = NULL};
    if (!tacho_request_fill(given, &conversion) || !choose_output(given, &conversion) ||
        !tacho_value_source_options(given, &conversion.intake.options)) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_request_selection selection;
    int outcome = tacho_request_selection_open(&selection, given);
    conversion.selection = selection.events;
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = convert_selected(given, &conversion);
    }
    tacho_request_selection_close(&selection);
    return outcome;
}

const tacho_request_type tacho_request_type_convert = {
    .name = "convert",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = convert_command_run,
};
