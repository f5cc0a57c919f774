/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "analyses/info.h"
#include "api/conversion.h"
#include "cli/command.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sinks/table_sink.h"

#include <stdlib.h>

static const tacho_option options[] = {
    {"format", 0, false, "text|csv|json", "how to print the tables (default: text)"},
    {"output", 'o', false, "OUT", "write there instead of standard output"},
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_STRICT,
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

typedef struct info_request {
    const char **paths;
    size_t path_count;
    const tacho_source *source;
    tacho_source_options source_options;
    const tacho_table_sink *sink;
    const char *output_path;
    tacho_progress progress;
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

static tacho_status read_inputs(const info_request *request, tacho_info *info)
{
    for (size_t i = 0; i < request->path_count; i++) {
        tacho_conversion_input input = {request->paths[i], request->source};
        TACHO_TRY(tacho_conversion_read_input(&input, &request->source_options, &request->progress,
                                              &info->events));
    }
    return TACHO_OK;
}

static tacho_status inform(const info_request *request, tacho_dict *dict)
{
    tacho_info info;
    tacho_info_init(&info, dict);
    tacho_output output;
    tacho_status status = read_inputs(request, &info);
    if (status == TACHO_OK) {
        status = tacho_output_open(request->output_path, &output);
        if (status == TACHO_OK) {
            status = write_tables(request, &info, &output);
            tacho_output_close(&output);
        }
    }
    tacho_info_deinit(&info);
    return status;
}

static int run_request(info_request *request, bool is_quiet, bool is_strict)
{
    tacho_talk_progress progress;
    tacho_talk_progress_init(&progress, "reading", is_quiet, &request->progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = inform(request, &dict);
    }
    tacho_talk_progress_end(&progress);
    int exit_code = TACHO_EXIT_DONE;
    if (status != TACHO_OK) {
        tacho_talk_failure(status);
        exit_code = TACHO_EXIT_FAILED;
    } else if (dict.loss_count > 0) {
        exit_code = is_strict ? TACHO_EXIT_FAILED : TACHO_EXIT_LOSSY;
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}

static bool choose_sink(const tacho_arguments *arguments, info_request *request)
{
    const char *format = tacho_arguments_value(arguments, "format");
    request->sink = tacho_table_sink_find(tacho_str_from_cstring(format != NULL ? format : "text"));
    if (request->sink == NULL) {
        tacho_command_misuse(arguments->command, "--format: '%s' is none of text, csv, json",
                             format);
    }
    return request->sink != NULL;
}

static int info_command_run(const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    info_request request = {.output_path = output != NULL ? output : "-"};
    request.paths = tacho_arguments_words(arguments, &request.path_count);
    int exit_code = TACHO_EXIT_USAGE;
    if (request.paths == NULL || request.path_count == 0) {
        tacho_command_misuse(arguments->command, "no input; name at least one profile");
    } else if (choose_sink(arguments, &request) && tacho_value_source(arguments, &request.source) &&
               tacho_value_source_options(arguments, &request.source_options)) {
        exit_code = run_request(&request, tacho_arguments_has(arguments, "quiet"),
                                tacho_arguments_has(arguments, "strict"));
    }
    free(request.paths);
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
