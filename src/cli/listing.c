/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads in order, as a conversion would, so that all verbs give the same nanoseconds.
 */
#include "cli/listing.h"

#include "cli/file_kind.h"

#include "cli/table_sinks.h"
#include "cli/values.h"

#include <stdlib.h>

typedef struct run_request {
    tacho_listing *listing;
    const tacho_listing_verb *verb;
    void *self;
} run_request;

tacho_status tacho_listing_add(tacho_listing *listing, const tacho_table *table)
{
    return table->cell_count > 0 ? tacho_table_report_add(&listing->report, table) : TACHO_OK;
}

static tacho_status write_tables(const run_request *request, tacho_output *output)
{
    tacho_listing *listing = request->listing;
    TACHO_TRY(tacho_table_report_open(&listing->report, listing->sink, output));
    tacho_status status = request->verb->write(request->self, listing);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&listing->report);
    }
    tacho_table_report_close(&listing->report);
    return status;
}

static tacho_status write_report(const run_request *request)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->listing->output_path, &output));
    tacho_status status = write_tables(request, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const run_request *request = self;
    tacho_listing *listing = request->listing;
    tacho_events *events = request->verb->begin(request->self, dict);
    tacho_status status = tacho_intake_read(&listing->intake, mode, events);
    tacho_talk_progress_end(&listing->progress);
    if (status == TACHO_OK && listing->is_strict) {
        status = tacho_intake_refuse_losses(dict);
    }
    if (status == TACHO_OK) {
        status = write_report(request);
    }
    request->verb->end(request->self);
    return status;
}

static tacho_status run_attempts(run_request *request, tacho_dict *dict)
{
    const tacho_intake *intake = &request->listing->intake;
    TACHO_TRY(tacho_intake_check(intake));
    TACHO_TRY(tacho_intake_check_output(intake, request->listing->output_path));
    return tacho_intake_run(attempt, request, tacho_intake_is_rereadable(intake), dict);
}

static int run_request_fully(run_request *request)
{
    tacho_listing *listing = request->listing;
    tacho_talk_progress_init(&listing->progress, "reading", listing->is_quiet,
                             &listing->intake.progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = run_attempts(request, &dict);
    }
    tacho_talk_progress_end(&listing->progress);
    if (status != TACHO_OK || !request->verb->shows_losses) {
        tacho_talk_losses(&dict);
    }
    int exit_code = dict.loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
    if (status != TACHO_OK) {
        exit_code = tacho_talk_failure(tacho_cli_note_kinds(status, &listing->intake));
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}

const tacho_table_sink *tacho_listing_choose_sink(const tacho_arguments *arguments,
                                                  const char *output_path)
{
    const char *format = tacho_arguments_value(arguments, "format");
    const tacho_table_sink *sink = NULL;
    if (format == NULL) {
        tacho_str path = tacho_str_from_cstring(output_path);
        sink = tacho_cli_table_sink_find_for_path(path);
        if (sink == NULL) { /* text where there is no suffix */
            sink = tacho_table_sink_find_for_path(path);
        }
        if (sink == NULL) {
            tacho_command_misuse(arguments->command,
                                 "%s: no table is written by that suffix; use .txt, .csv, .json or "
                                 ".xlsx, or say --format",
                                 output_path);
        }
        return sink;
    }
    sink = tacho_cli_table_sink_find(tacho_str_from_cstring(format));
    if (sink == NULL) {
        char names[TACHO_CLI_NAMES_BYTES];
        tacho_cli_table_sink_names(names);
        tacho_command_misuse(arguments->command, "--format: '%s' is none of %s", format, names);
    }
    return sink;
}

static bool choose_sink(const tacho_arguments *arguments, tacho_listing *listing)
{
    listing->sink = tacho_listing_choose_sink(arguments, listing->output_path);
    return listing->sink != NULL;
}

static int run_with(const tacho_arguments *arguments, tacho_intake_input *inputs,
                    run_request *request)
{
    tacho_listing *listing = request->listing;
    if (!tacho_value_inputs(arguments, inputs, &listing->intake) ||
        !choose_sink(arguments, listing) ||
        !tacho_value_source_options(arguments, &listing->intake.options) ||
        (request->verb->choose != NULL &&
         !request->verb->choose(request->self, arguments, listing))) {
        return TACHO_EXIT_USAGE;
    }
    return run_request_fully(request);
}

int tacho_listing_run(const tacho_arguments *arguments, const tacho_listing_verb *verb, void *self)
{
    tacho_intake_input *inputs = calloc(arguments->item_count + 1, sizeof(*inputs));
    if (inputs == NULL) {
        tacho_talk_line("error", "out of memory");
        return TACHO_EXIT_FAILED;
    }
    const char *output = tacho_arguments_value(arguments, "output");
    tacho_listing listing = {
        .output_path = output != NULL ? output : "-",
        .is_strict = tacho_arguments_has(arguments, "strict"),
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
    };
    run_request request = {&listing, verb, self};
    int exit_code = run_with(arguments, inputs, &request);
    free(inputs);
    return exit_code;
}
