/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho report: profiles in, one page to look at out.
 */
#include "api/requests/registry.h"
#include "api/requests/file_kind.h"
#include "api/requests/inputs.h"
#include "api/requests/output_guard.h"
#include "api/requests/selection.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
#include "pipeline/report.h"
#include "session/roofline.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct report_request {
    tacho_page_request page;
    tacho_roof_list roofs; /* of it, the machine alone */
} report_request;

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "output", 'o', "OUT",
        "the page to write (default: report.html); - is standard output, .gz or .zst compresses",
        TACHO_INTO_TEXT(report_request, page.output_path), .writes = TACHO_WRITES_PAGE),
    TACHO_OPTION_FORCE,
    TACHO_OPT_VALUE("title", 0, "TEXT", "title of the page (default: the name of the only input)",
                    TACHO_INTO_TEXT(report_request, page.title)),
    TACHO_OPT_VALUE("machine", 'm', "NAME|FILE",
                    "a built-in machine, as listed by '{/machine list}', or a description file: "
                    "adds a roofline of operators whose work is known",
                    TACHO_INTO_TEXT(report_request, roofs.machine)),
    TACHO_OPT_VALUE("roof", 0, "LIST",
                    "ceilings instead of a machine's: f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s",
                    TACHO_INTO_TEXT(report_request, roofs.ceilings)),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPT_FLAG("strict", 0, "fail, and write nothing, if any file or record cannot be read",
                   TACHO_INTO_FLAG(report_request, page.is_strict)),
    TACHO_OPTION_QUIET,
    TACHO_OPT_FLAG("verbose", 'v', "also show what was read, the elapsed time and the memory",
                   TACHO_INTO_FLAG(report_request, page.says_inputs), .is_front = true),
    TACHO_OPTION_COLOR,
    TACHO_OPTION_MEMORY,
    TACHO_OPTION_HELP,
};

static tacho_status explain(void *user, tacho_status status, const tacho_intake *only)
{
    return tacho_request_note_kinds(user, status, only);
}

static void skip(void *user, tacho_status status)
{
    tacho_request_note_status(user, "skipped", status);
}

static void pause_progress(void *user)
{
    tacho_request_end_progress(user);
}

static void print_summary(const tacho_request *given, const tacho_page_request *request,
                          const tacho_page_result *result)
{
    char skipped[48] = "";
    if (result->skipped_count > 0) {
        snprintf(skipped, sizeof(skipped), ", %zu skipped", result->skipped_count);
    }
    tacho_request_note(given, "wrote", "%s: %zu profile%s%s, %" PRIu64 " span%s",
                       strcmp(request->output_path, "-") == 0 ? "standard output"
                                                              : request->output_path,
                       result->read_count, result->read_count == 1 ? "" : "s", skipped,
                       result->span_count, result->span_count == 1 ? "" : "s");
}

static int report_list(tacho_page_request *request, tacho_request *given,
                       const tacho_input_list *list)
{
    bool is_quiet = given->is_quiet;
    tacho_page_result result;
    request->title = request->title != NULL ? request->title : tacho_page_default_title(list);
    tacho_request_begin_progress(given, "reading", NULL, &request->intake.progress);
    request->user = given;
    request->remarks = is_quiet ? NULL : &given->notes;
    tacho_status status = tacho_page_write(request, list, &result);
    tacho_request_end_progress(given);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (!is_quiet) {
        print_summary(given, request, &result);
    }
    return result.skipped_count > 0 || result.has_losses ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

/* The files, and what of them is wanted. */
static int choose_inputs(tacho_request *given, tacho_page_request *request, tacho_input_set *inputs,
                         tacho_request_selection *selection)
{
    const tacho_request_inputs_options how = {.set = {.output_path = request->output_path}};
    int outcome = tacho_request_inputs_open(inputs, given, &how, &request->intake);
    tacho_status status = outcome == TACHO_OUTCOME_DONE && request->intake.input_count > 0
                              ? tacho_intake_check(&request->intake)
                              : TACHO_OK;
    if (status != TACHO_OK) {
        outcome = tacho_request_fail(given, status);
    }
    request->selection = &selection->events;
    return outcome == TACHO_OUTCOME_DONE ? tacho_request_selection_open(selection, given) : outcome;
}

/* The roof that was asked for, if any. */
static int choose_roof(tacho_request *given, report_request *request)
{
    const char *what = "";
    tacho_status status = tacho_roof_list_take_texts(&request->roofs, &what);
    request->page.roof = request->roofs.has_roof ? &request->roofs.roof : NULL;
    return tacho_request_check(given, what, status);
}

static int report_inputs(tacho_request *given, tacho_page_request *request)
{
    tacho_input_set inputs;
    tacho_request_selection selection = {.events = TACHO_SELECT_ALL};
    int outcome = choose_inputs(given, request, &inputs, &selection);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = report_list(request, given, &inputs.list);
    }
    tacho_request_selection_close(&selection);
    tacho_input_set_close(&inputs);
    return outcome;
}

static int report_command_run(tacho_request *given)
{
    report_request request = {.page = {
                                  .output_path = "report.html",
                                  .notes = &given->notes,
                                  .explain = explain,
                                  .skip = skip,
                                  .pause = pause_progress,
                              }};
    tacho_roof_list_init(&request.roofs);
    request.roofs.notes = &given->notes;
    bool is_clear = tacho_request_fill(given, &request) &&
                    tacho_request_inputs_source(given, &request.page.source) &&
                    tacho_value_source_options(given, &request.page.intake.options);
    int outcome = is_clear ? choose_roof(given, &request) : TACHO_OUTCOME_USAGE;
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = tacho_output_guard_check_path(given, &options[0], request.page.output_path);
    }
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = report_inputs(given, &request.page);
    }
    tacho_roof_list_deinit(&request.roofs);
    return outcome;
}

const tacho_request_type tacho_request_type_report = {
    .name = "report",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = report_command_run,
};
