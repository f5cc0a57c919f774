/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a request as a tacho_ask.
 */
#include "api/requests/listing.h"

#include "api/requests/outputs.h"
#include "api/requests/file_kind.h"
#include "api/requests/inputs.h"
#include "api/requests/values.h"
#include "pipeline/ask.h"
#include "vendors/torq/debug_info.h"

typedef struct run_request {
    tacho_request *given;
    tacho_listing *listing;
    const tacho_listing_verb *verb;
    void *self;
    tacho_input_set files;
} run_request;

static tacho_status add_notes(const run_request *request, tacho_status status,
                              const tacho_intake *intake)
{
    status = tacho_request_note_kinds(request->given, status, intake);
    return request->verb->divert != NULL ? tacho_request_note_pipes(status, intake) : status;
}

static void end_progress(void *user)
{
    const run_request *request = user;
    tacho_request_end_progress(request->given);
}

static void skip(void *user, const tacho_intake *only, tacho_status status)
{
    const run_request *request = user;
    tacho_request_note_status(request->given, "skipped", add_notes(user, status, only));
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

static int ask(run_request *request)
{
    const tacho_listing_verb *verb = request->verb;
    tacho_listing *listing = request->listing;
    tacho_request *given = request->given;
    tacho_request_begin_progress(given, "reading", NULL, &listing->intake.progress);
    listing->intake.is_cancelled = tacho_request_stop_flag(given);
    tacho_ask ask = {
        .intake = &listing->intake,
        .inputs = request->files.inputs,
        .selection = &listing->selection.events,
        .analysis = verb->analysis,
        .verdict = verb->has_verdict && !listing->omits_advice ? &tacho_analysis_verdict : NULL,
        .also = verb->also,
        .agreement = listing->agreement,
        .options = listing->options,
        .to = tacho_request_target(given, listing->sink, listing->output_path),
        .is_strict = listing->is_strict,
        .shows_losses = verb->shows_losses,
        .says_inputs = listing->is_verbose,
        .notes = &given->notes,
        .divert = verb->divert != NULL ? divert : NULL,
        .check = verb->check != NULL ? check : NULL,
        .write = verb->write != NULL ? write_others : NULL,
        .skip = skip,
        .pause = end_progress,
        .user = request,
    };
    tacho_status status = tacho_ask_run(&ask);
    bool is_lossy = ask.has_losses || ask.skipped_count > 0 || listing->has_problems;
    return status != TACHO_OK
               ? tacho_request_fail(given, add_notes(request, status, &listing->intake))
           : is_lossy ? TACHO_OUTCOME_LOSSY
                      : TACHO_OUTCOME_DONE;
}

static int run_with(tacho_request *given, run_request *request)
{
    tacho_listing *listing = request->listing;
    const tacho_request_inputs_options options = {
        .set = {.output_path = listing->output_path,
                .is_whole = request->verb->divert != NULL ? tacho_is_debug_info : NULL}};
    int outcome = tacho_request_inputs_open(&request->files, given, &options, &listing->intake);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = tacho_request_selection_open(&listing->selection, given);
    }
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    const tacho_input_skips skips = tacho_request_input_skips(given);
    tacho_input_set_skip_links(&request->files, &skips);
    listing->has_problems = request->files.skipped_count > 0;
    listing->sink =
        tacho_request_table_sink_or(given, listing->output_path, request->verb->own_sink);
    if (listing->sink == NULL || !tacho_value_source_options(given, &listing->intake.options) ||
        (request->verb->choose != NULL && !request->verb->choose(request->self, given, listing))) {
        return TACHO_OUTCOME_USAGE;
    }
    return ask(request);
}

int tacho_listing_run(tacho_request *given, const tacho_listing_verb *verb, void *self)
{
    tacho_listing listing = {
        .output_path = tacho_request_output(given, "output"),
        .is_strict = tacho_request_has(given, "strict"),
        .is_quiet = given->is_quiet,
        .is_verbose = given->is_verbose,
        .omits_advice = verb->has_verdict && tacho_request_has(given, "no-advice"),
    };
    run_request request = {.given = given, .listing = &listing, .verb = verb, .self = self};
    int outcome = run_with(given, &request);
    tacho_request_selection_close(&listing.selection);
    tacho_input_set_close(&request.files);
    return outcome;
}
