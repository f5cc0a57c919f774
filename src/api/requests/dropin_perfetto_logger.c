/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, numbered in the order given, with
 * the tool's names of tracks and the overview; and the overview is printed as the tool prints it.
 */
#include "api/requests/registry.h"
#include "base/grow.h"
#include "base/output.h"
#include "api/requests/options.h"
#include "api/requests/convert_run.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
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
static void collect(tacho_request *given, const tacho_option *option, tacho_intake_input *inputs,
                    size_t *count)
{
    for (size_t i = 0; i < given->item_count; i++) {
        if (given->items[i].option == option) {
            inputs[(*count)++] =
                (tacho_intake_input){.path = given->items[i].value, .source = source_of(option)};
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
static int convert(tacho_request *given, tacho_conversion *conversion, tacho_torq_overviews *list)
{
    int outcome = tacho_convert_run(given, conversion);
    bool is_written = outcome == TACHO_OUTCOME_DONE || outcome == TACHO_OUTCOME_LOSSY;
    if (is_written && !given->is_quiet && strcmp(conversion->output_path, "-") != 0) {
        tacho_status status = print_overviews(list, conversion->output_path);
        outcome = status == TACHO_OK ? outcome : tacho_request_fail(given, status);
    }
    tacho_torq_overviews_deinit(list);
    return outcome;
}

static int log_with(tacho_request *given, tacho_intake_input *inputs, char (*names)[NAME_BYTES])
{
    bool is_quiet = given->is_quiet;
    tacho_torq_overviews list = {0};
    tacho_overview_listener listener = tacho_torq_overviews_listener(&list);
    tacho_conversion conversion = {
        .intake = {.inputs = inputs},
        .output_path = tacho_request_value(given, "pb"),
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
        .has_overview = true,
        .has_first_overview = true,
        .overview_listener = is_quiet ? NULL : &listener,
    };
    collect(given, &options[0], inputs, &conversion.intake.input_count);
    collect(given, &options[1], inputs, &conversion.intake.input_count);
    collect(given, NULL, inputs, &conversion.intake.input_count);
    if (conversion.intake.input_count == 0) {
        return tacho_request_misuse(
            given, "no input given; use {compile_profile} CSV or {runtime_profile} CSV");
    }
    if (conversion.output_path == NULL) {
        return tacho_request_misuse(given, "no output file given; use {pb} OUT");
    }
    if (!tacho_value_source_options(given, &conversion.intake.options)) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_source_options_set_number(&conversion.intake.options, "vendor-tracks", 1);
    name_inputs(inputs, conversion.intake.input_count, names);
    return convert(given, &conversion, &list);
}

static int perfetto_logger_run(tacho_request *given)
{
    tacho_intake_input *inputs = tacho_items_alloc(given->item_count, sizeof(*inputs));
    char(*names)[NAME_BYTES] = tacho_items_alloc(given->item_count, sizeof(*names));
    int outcome = inputs != NULL && names != NULL ? log_with(given, inputs, names)
                                                  : tacho_request_fail(given, tacho_no_memory());
    free(inputs);
    free(names);
    return outcome;
}

const tacho_request_type tacho_request_type_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = perfetto_logger_run,
};
