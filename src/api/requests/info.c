/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "api/requests/registry.h"
#include "api/requests/options.h"
#include "vendors/torq/debug_info.h"
#include "session/model_info.h"
#include "session/program_info.h"
#include "api/requests/listing.h"

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES, TACHO_OPTION_OUTPUT,  TACHO_OPTION_FROM,   TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,  TACHO_OPTION_PROGRAM, TACHO_OPTION_WINDOW, TACHO_OPTION_FILTER,
    TACHO_OPTION_STRICT,  TACHO_OPTIONS_COMMON,
};

typedef struct info_request {
    tacho_program_list programs;
    tacho_debug_list debug_infos;
    tacho_model_list models;
} info_request;

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    info_request *request = self;
    (void)given;
    request->programs.has_several = listing->intake.input_count > 1;
    request->models.has_several = request->programs.has_several;
    request->debug_infos.has_several = request->programs.has_several;
    request->programs.is_for_people = listing->sink == &tacho_table_sink_text;
    return true;
}

static tacho_status divert(void *self, const tacho_listing *listing, const char *path,
                           bool *out_is_diverted)
{
    info_request *request = self;
    TACHO_TRY(
        tacho_program_list_add(&request->programs, path, listing->output_path, out_is_diverted));
    if (!*out_is_diverted) {
        TACHO_TRY(tacho_debug_list_add(&request->debug_infos, path, listing->output_path,
                                       out_is_diverted));
    }
    return *out_is_diverted ? TACHO_OK
                            : tacho_model_list_add(&request->models, path, out_is_diverted);
}

static tacho_status check(void *self, tacho_listing *listing)
{
    const info_request *request = self;
    if (request->programs.problem_count > 0 || request->debug_infos.problem_count > 0) {
        listing->has_problems = true;
        if (listing->is_strict) {
            return tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_STRICT,
                                   "damaged; nothing written");
        }
    }
    return TACHO_OK;
}

static tacho_status write_others(void *self, const tacho_table_taker *to)
{
    const info_request *request = self;
    TACHO_TRY(tacho_program_list_write(&request->programs, to));
    TACHO_TRY(tacho_model_list_write(&request->models, to));
    return tacho_debug_list_write(&request->debug_infos, to);
}

/* What can be done with debug information. */
static void say_next(const tacho_request *given, const tacho_debug_list *list)
{
    const char *path = tacho_debug_list_path(list);
    if (list->item_count > 0) {
        tacho_request_note(
            given, "note",
            "'{/annotate %s RUNTIME}' joins it with a runtime profile of its program",
            path != NULL ? path : "DEBUG");
    }
}

static int info_command_run(tacho_request *given)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .divert = divert,
        .analysis = &tacho_analysis_info,
        .also = &tacho_analysis_processes,
        .check = check,
        .write = write_others,
        .shows_losses = true,
    };
    char size_option[16];
    tacho_spelling_apply(&given->listener.spelling, "{dim} ", size_option, sizeof(size_option));
    info_request request = {.models.size_option = size_option};
    tacho_program_list_init(&request.programs);
    request.programs.notes = request.debug_infos.notes = &given->notes;
    int outcome = tacho_listing_run(given, &verb, &request);
    if (outcome != TACHO_OUTCOME_FAILED && outcome != TACHO_OUTCOME_USAGE &&
        request.programs.is_for_people && !given->is_quiet) {
        say_next(given, &request.debug_infos);
    }
    tacho_debug_list_deinit(&request.debug_infos);
    tacho_program_list_deinit(&request.programs);
    tacho_model_list_deinit(&request.models);
    return outcome;
}

const tacho_request_type tacho_request_type_info = {
    .name = "info",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
