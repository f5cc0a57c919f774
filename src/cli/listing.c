/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads in order, as a conversion would, so that all verbs give the same nanoseconds.
 */
#include "cli/listing.h"

#include "cli/file_kind.h"
#include "pipeline/intake_notes.h"
#include "cli/inputs.h"

#include "sinks/table_sink.h"
#include "cli/values.h"

typedef struct run_request {
    tacho_listing *listing;
    const tacho_listing_verb *verb;
    void *self;
    tacho_cli_inputs files;
    tacho_intake_input *inputs; /* those of the listing */
    bool is_alone;              /* there is one input only */
    size_t diverted_count;
    size_t current; /* the input that is read */
} run_request;

/* |events|: NULL where no input is a profile. */
static tacho_status add_tables(const run_request *request, tacho_events *events,
                               tacho_table_report *report)
{
    const tacho_listing_verb *verb = request->verb;
    const tacho_table_taker taker = {tacho_table_report_take, report};
    TACHO_TRY(verb->check != NULL ? verb->check(request->self, request->listing) : TACHO_OK);
    if (events != NULL) {
        TACHO_TRY(verb->analysis->write(events, request->listing->options, &taker));
    }
    return verb->write != NULL ? verb->write(request->self, &taker) : TACHO_OK;
}

static tacho_status write_tables(const run_request *request, tacho_events *events,
                                 tacho_output *output)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, request->listing->sink, output));
    tacho_status status = add_tables(request, events, &report);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

static tacho_status write_report(const run_request *request, tacho_events *events)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->listing->output_path, &output));
    tacho_status status = write_tables(request, events, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* Again, should the input have to be sorted. */
static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const run_request *request = self;
    tacho_listing *listing = request->listing;
    const tacho_analysis *analysis = request->verb->analysis;
    tacho_events *events = NULL;
    TACHO_TRY(analysis->open(listing->options, dict, &events));
    tacho_producer producer = tacho_intake_producer(&listing->intake);
    tacho_status status =
        tacho_pipeline_push_selected(&producer, mode, &listing->selection.events, events);
    tacho_talk_progress_end(&listing->progress);
    if (status == TACHO_OK && listing->is_strict) {
        status = tacho_pipeline_refuse_losses(dict);
    }
    if (status == TACHO_OK) {
        status = write_report(request, events);
    }
    analysis->close(events);
    return status;
}

/* ---- inputs that cannot be read ------------------------------------------------------------ */

static void remove_input(run_request *request, size_t index)
{
    tacho_intake *intake = &request->listing->intake;
    intake->input_count--;
    memmove(&request->inputs[index], &request->inputs[index + 1],
            (intake->input_count - index) * sizeof(*request->inputs));
}

/* Whether the rest may be shown although input |index| failed. */
static bool can_skip(const run_request *request, tacho_status status, size_t index)
{
    return status != TACHO_OK && !request->is_alone && !request->listing->is_strict &&
           index < request->listing->intake.input_count &&
           tacho_status_code(status) != TACHO_CODE_NO_MEMORY;
}

static tacho_status add_notes(const run_request *request, tacho_status status,
                              const tacho_intake *intake)
{
    status = tacho_cli_note_kinds(status, intake);
    return request->verb->divert != NULL ? tacho_cli_note_pipes(status, intake) : status;
}

static void skip_input(run_request *request, size_t index, tacho_status status)
{
    tacho_listing *listing = request->listing;
    tacho_intake only = {.inputs = &request->inputs[index], .input_count = 1};
    tacho_talk_progress_end(&listing->progress);
    status = add_notes(request, status, &only);
    tacho_talk_skipped(status);
    listing->has_problems = true;
    remove_input(request, index);
}

/* What can be said of an input before any is read. */
static tacho_status look_at(run_request *request, size_t index, bool *out_is_diverted)
{
    const tacho_listing_verb *verb = request->verb;
    const tacho_intake_input *input = &request->inputs[index];
    *out_is_diverted = false;
    if (verb->divert != NULL && input->source == NULL) {
        TACHO_TRY(verb->divert(request->self, request->listing, input->path, out_is_diverted));
    }
    bool is_probed =
        !*out_is_diverted && !request->is_alone && tacho_cli_inputs_can_probe(input->path);
    return is_probed ? tacho_intake_probe(input) : TACHO_OK;
}

static tacho_status look_at_all(run_request *request)
{
    const tacho_intake *intake = &request->listing->intake;
    for (size_t i = 0; i < intake->input_count;) {
        bool is_diverted = false;
        tacho_status status = look_at(request, i, &is_diverted);
        if (can_skip(request, status, i)) {
            skip_input(request, i, status);
            continue;
        }
        TACHO_TRY(status);
        if (is_diverted) {
            remove_input(request, i);
            request->diverted_count++;
        } else {
            i++;
        }
    }
    return TACHO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Input |index| failed: it goes, and so do those behind it that fail, so that all go at once. */
static void skip_failing(run_request *request, size_t index, tacho_status status)
{
    const tacho_intake *intake = &request->listing->intake;
    skip_input(request, index, status);
    while (index < intake->input_count) {
        status = tacho_intake_try(intake, &request->inputs[index]);
        if (can_skip(request, status, index)) {
            skip_input(request, index, status);
        } else {
            tacho_status_free(status); /* to be met again */
            index++;
        }
    }
}

static tacho_status read_and_write(run_request *request, tacho_dict *dict)
{
    const tacho_intake *intake = &request->listing->intake;
    tacho_order_mode first_mode = tacho_intake_producer(intake).first_mode;
    bool can_repeat = first_mode != TACHO_ORDER_SORT_ALL;
    while (intake->input_count > 0) {
        request->current = intake->input_count;
        tacho_status status = tacho_pipeline_try(attempt, request, first_mode, dict);
        if (!can_repeat || !can_skip(request, status, request->current)) {
            return status;
        }
        skip_failing(request, request->current, status);
        tacho_dict_deinit(dict);
        TACHO_TRY(tacho_dict_init(dict));
    }
    return request->diverted_count > 0 ? write_report(request, NULL)
                                       : tacho_fail(TACHO_CODE_BAD_DATA, "no input could be read");
}

static tacho_status run_attempts(run_request *request, tacho_dict *dict)
{
    tacho_intake *intake = &request->listing->intake;
    intake->current = &request->current;
    TACHO_TRY(tacho_intake_check(intake));
    TACHO_TRY(tacho_intake_check_output(intake, request->listing->output_path));
    request->is_alone = intake->input_count == 1;
    TACHO_TRY(look_at_all(request));
    return read_and_write(request, dict);
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
    if (status == TACHO_OK && listing->is_verbose) {
        tacho_talk_inputs(&dict);
    }
    if (status == TACHO_OK) {
        tacho_intake_say_selection(&dict, &tacho_talk_notes);
    }
    int exit_code =
        dict.loss_count > 0 || listing->has_problems ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
    if (status != TACHO_OK) {
        exit_code = tacho_talk_failure(add_notes(request, status, &listing->intake));
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}

static bool choose_sink(const tacho_arguments *arguments, tacho_listing *listing)
{
    listing->sink = tacho_cli_table_sink(arguments, listing->output_path);
    return listing->sink != NULL;
}

static int run_with(const tacho_arguments *arguments, run_request *request)
{
    tacho_listing *listing = request->listing;
    tacho_cli_inputs_options options = {.output_path = listing->output_path,
                                        .keeps_debug_info = request->verb->divert != NULL};
    int exit_code = tacho_cli_inputs_open(&request->files, arguments, &options, &listing->intake);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_cli_selection_open(&listing->selection, arguments);
    }
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    request->inputs = request->files.inputs;
    tacho_cli_inputs_say_links(&request->files);
    listing->has_problems = request->files.skipped_count > 0;
    if (!choose_sink(arguments, listing) ||
        !tacho_value_source_options(arguments, &listing->intake.options) ||
        (request->verb->choose != NULL &&
         !request->verb->choose(request->self, arguments, listing))) {
        return TACHO_EXIT_USAGE;
    }
    return run_request_fully(request);
}

int tacho_listing_run(const tacho_arguments *arguments, const tacho_listing_verb *verb, void *self)
{
    const char *output = tacho_arguments_value(arguments, "output");
    tacho_listing listing = {
        .output_path = output != NULL ? output : "-",
        .is_strict = tacho_arguments_has(arguments, "strict"),
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
    };
    run_request request = {.listing = &listing, .verb = verb, .self = self};
    int exit_code = run_with(arguments, &request);
    tacho_cli_selection_close(&listing.selection);
    tacho_cli_inputs_close(&request.files);
    return exit_code;
}
