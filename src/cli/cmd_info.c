/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "analyses/info.h"
#include "api/intake.h"
#include "cli/command.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sinks/table_sink.h"

#include <stdlib.h>

static const tacho_option options[] = {
    {"format", 0, false, "text|csv|json",
     "how to print the tables (default: by the suffix of OUT, else text)"},
    {"output", 'o', false, "OUT", "write there instead of standard output; .gz or .zst compresses"},
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_STRICT,
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

typedef struct info_request {
    tacho_intake intake;
    const tacho_table_sink *sink;
    const char *output_path;
    bool is_strict;
    tacho_talk_progress progress;
} info_request;

typedef tacho_status (*table_maker)(const tacho_info *info, tacho_table *out_table);

static tacho_status write_tables(const info_request *request, const tacho_info *info,
                                 tacho_output *output)
{
    static const table_maker makers[] = {tacho_info_inputs, tacho_info_tracks, tacho_info_losses};
    size_t written_count = 0;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < 3 && status == TACHO_OK; i++) {
        tacho_table table;
        status = makers[i](info, &table);
        if (status == TACHO_OK && table.cell_count > 0) {
            status = request->sink->write(&table, written_count++, output);
        }
        tacho_table_deinit(&table);
    }
    return status == TACHO_OK ? tacho_output_commit(output) : status;
}

static tacho_status write_report(const info_request *request, const tacho_info *info)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->output_path, &output));
    tacho_status status = write_tables(request, info, &output);
    tacho_output_close(&output);
    return status;
}

/* Reads in order, as a conversion would, so that both give the same nanoseconds. */
static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    info_request *request = self;
    tacho_info info;
    tacho_info_init(&info, dict);
    tacho_status status = tacho_intake_read(&request->intake, mode, &info.events);
    tacho_talk_progress_end(&request->progress);
    if (status == TACHO_OK && request->is_strict) {
        status = tacho_intake_refuse_losses(dict);
    }
    if (status == TACHO_OK) {
        status = write_report(request, &info);
    }
    tacho_info_deinit(&info);
    return status;
}

static tacho_status inform(info_request *request, tacho_dict *dict)
{
    TACHO_TRY(tacho_intake_check(&request->intake));
    return tacho_intake_run(attempt, request, tacho_intake_is_rereadable(&request->intake), dict);
}

static int run_request(info_request *request, bool is_quiet)
{
    tacho_talk_progress_init(&request->progress, "reading", is_quiet, &request->intake.progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = inform(request, &dict);
    }
    tacho_talk_progress_end(&request->progress);
    int exit_code = dict.loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
    if (status != TACHO_OK) {
        tacho_talk_losses(&dict);
        exit_code = tacho_talk_failure(status);
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}

static bool choose_sink(const tacho_arguments *arguments, info_request *request)
{
    const char *format = tacho_arguments_value(arguments, "format");
    if (format == NULL) {
        tacho_str path = tacho_str_from_cstring(request->output_path);
        request->sink = tacho_table_sink_find_for_path(path);
        return true;
    }
    request->sink = tacho_table_sink_find(tacho_str_from_cstring(format));
    if (request->sink == NULL) {
        tacho_command_misuse(arguments->command, "--format: '%s' is none of text, csv, json",
                             format);
    }
    return request->sink != NULL;
}

static int inform_with(const tacho_arguments *arguments, tacho_intake_input *inputs)
{
    const char *output = tacho_arguments_value(arguments, "output");
    info_request request = {
        .output_path = output != NULL ? output : "-",
        .is_strict = tacho_arguments_has(arguments, "strict"),
    };
    if (!tacho_value_inputs(arguments, inputs, &request.intake) ||
        !choose_sink(arguments, &request) ||
        !tacho_value_source_options(arguments, &request.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    return run_request(&request, tacho_arguments_has(arguments, "quiet"));
}

static int info_command_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = calloc(arguments->item_count + 1, sizeof(*inputs));
    if (inputs == NULL) {
        tacho_talk_line("error", "out of memory");
        return TACHO_EXIT_FAILED;
    }
    int exit_code = inform_with(arguments, inputs);
    free(inputs);
    return exit_code;
}

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "say what profiles hold: format, events, tracks, time, losses",
    .usage = "IN... [options]",
    .description =
        "Reads profiles and prints what they are: the format and its generation, whether\n"
        "times were estimated or measured and on which clock, how many events and tracks,\n"
        "the time they span, each track with its sums, and what could not be read.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
