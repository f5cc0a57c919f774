/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb's functions for pipeline/asking, and what a person sees of it.
 */
#include "cli/listing.h"

#include "cli/common_options.h"
#include "cli/file_kind.h"
#include "cli/inputs.h"
#include "cli/values.h"
#include "pipeline/asking.h"
#include "pipeline/intake_notes.h"
#include "vendors/torq/debug_info.h"

typedef struct run_request {
    tacho_listing *listing;
    const tacho_listing_verb *verb;
    void *self;
    tacho_input_set files;
} run_request;

static tacho_status add_notes(const run_request *request, tacho_status status,
                              const tacho_intake *intake)
{
    status = tacho_cli_note_kinds(status, intake);
    return request->verb->divert != NULL ? tacho_cli_note_pipes(status, intake) : status;
}

static void end_progress(void *user)
{
    const run_request *request = user;
    tacho_talk_progress_end(&request->listing->progress);
}

static void skip(void *user, const tacho_intake *only, tacho_status status)
{
    end_progress(user);
    tacho_talk_skipped(add_notes(user, status, only));
}

static tacho_status divert(void *user, const char *path, bool *out_is_diverted)
{
    const run_request *request = user;
    return request->verb->divert(request->self, request->listing, path, out_is_diverted);
}

static tacho_status check(void *user)
{
    const run_request *request = user;
    return request->verb->check(request->self, request->listing);
}

static tacho_status write_others(void *user, const tacho_table_taker *to)
{
    const run_request *request = user;
    return request->verb->write(request->self, to);
}

static bool wants_verdict(const run_request *request)
{
    const tacho_listing *listing = request->listing;
    return request->verb->has_verdict && !listing->omits_advice &&
           tacho_table_sink_tells_tables(listing->sink);
}

static tacho_status ask(run_request *request, tacho_dict *dict)
{
    const tacho_listing_verb *verb = request->verb;
    tacho_listing *listing = request->listing;
    tacho_asking asking = {
        .intake = &listing->intake,
        .inputs = request->files.inputs,
        .selection = &listing->selection.events,
        .analysis = verb->analysis,
        .verdict = wants_verdict(request) ? &tacho_analysis_verdict : NULL,
        .also = tacho_table_sink_tells_tables(listing->sink) ? verb->also : NULL,
        .agreement = tacho_table_sink_tells_tables(listing->sink) ? listing->agreement : NULL,
        .options = listing->options,
        .sink = listing->sink,
        .output_path = listing->output_path,
        .is_strict = listing->is_strict,
        .divert = verb->divert != NULL ? divert : NULL,
        .check = verb->check != NULL ? check : NULL,
        .write = verb->write != NULL ? write_others : NULL,
        .skip = skip,
        .pause = end_progress,
        .user = request,
    };
    tacho_status status = tacho_asking_run(&asking, dict);
    listing->has_problems = listing->has_problems || asking.skipped_count > 0;
    return status;
}

static int run_fully(run_request *request)
{
    tacho_listing *listing = request->listing;
    tacho_talk_progress_init(&listing->progress, "reading", listing->is_quiet,
                             &listing->intake.progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = ask(request, &dict);
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

static int run_with(const tacho_arguments *arguments, run_request *request)
{
    tacho_listing *listing = request->listing;
    const tacho_cli_inputs_options options = {
        .set = {.output_path = listing->output_path,
                .is_whole = request->verb->divert != NULL ? tacho_is_debug_info : NULL}};
    int exit_code = tacho_cli_inputs_open(&request->files, arguments, &options, &listing->intake);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_cli_selection_open(&listing->selection, arguments);
    }
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    tacho_input_set_skip_links(&request->files, &tacho_cli_skips);
    listing->has_problems = request->files.skipped_count > 0;
    listing->sink =
        tacho_cli_table_sink_or(arguments, listing->output_path, request->verb->own_sink);
    if (listing->sink == NULL || !tacho_value_source_options(arguments, &listing->intake.options) ||
        (request->verb->choose != NULL &&
         !request->verb->choose(request->self, arguments, listing))) {
        return TACHO_EXIT_USAGE;
    }
    return run_fully(request);
}

int tacho_listing_run(const tacho_arguments *arguments, const tacho_listing_verb *verb, void *self)
{
    const char *output = tacho_arguments_value(arguments, "output");
    tacho_listing listing = {
        .output_path = output != NULL ? output : "-",
        .is_strict = tacho_arguments_has(arguments, "strict"),
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
        .omits_advice = verb->has_verdict && tacho_arguments_has(arguments, "no-advice"),
    };
    run_request request = {.listing = &listing, .verb = verb, .self = self};
    int exit_code = run_with(arguments, &request);
    tacho_cli_selection_close(&listing.selection);
    tacho_input_set_close(&request.files);
    return exit_code;
}
